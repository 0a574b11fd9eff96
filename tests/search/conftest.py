"""The small scenario in a place of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_sweep import SCENARIO, trace


@pytest.fixture
def scenario(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The scenario, in the current directory with its trace."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.csv").write_text(trace())
    file = tmp_path / "small.toml"
    file.write_text(SCENARIO)
    return Path("small.toml")
