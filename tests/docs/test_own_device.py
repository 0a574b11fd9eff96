"""The device files that docs/howto/own-device.md shows are what it says they are."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from iowatt.model.library import device_file, find_drive
from iowatt.model.library.describe import good_for

TEXT = (Path(__file__).parents[2] / "docs" / "howto" / "own-device.md").read_text()


def block(first):
    """The indented block that begins with ``first``."""
    lines = [""]
    for line in TEXT[TEXT.index(f"    {first}") :].splitlines():
        if line and not line.startswith("    "):
            break
        lines.append(line)
    return textwrap.dedent("\n".join(lines))


def test_a_drive_from_seven_figures(tmp_path):
    (tmp_path / "mydrive.toml").write_text(block('name = "mydrive"'))
    drive = find_drive("mydrive.toml", tmp_path)
    assert (drive.raw_bytes, drive.power.active, drive.power.positioning) == (4 * 10**12, 7.0, 8.0)
    assert drive.average_seek_s == pytest.approx(8.5e-3, rel=1e-3)
    assert "simulation" in good_for(device_file("mydrive.toml", tmp_path))


def test_a_library_drive_completed(tmp_path):
    (tmp_path / "my-cheetah.toml").write_text(block('name = "my-cheetah"'))
    assert "simulation" in good_for(device_file("my-cheetah.toml", tmp_path))
