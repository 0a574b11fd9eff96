"""The documentation's commands and Python run as printed, in order, in a copy of the examples."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(console|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
IOWATT = Path(sys.executable).with_name("iowatt")


def test_the_tutorial_runs_as_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "tutorial.md").read_text()
    names: dict[str, object] = {}
    blocks = BLOCK.findall(text)
    assert {kind for kind, _ in blocks} == {"console", "python"}
    for kind, body in blocks:
        if kind == "python":
            exec(compile(body, "docs/tutorial.md", "exec"), names)
            continue
        for line in body.splitlines():
            assert line.startswith("$ iowatt "), line
            words = shlex.split(line.removeprefix("$ iowatt "))
            done = subprocess.run([IOWATT, *words], capture_output=True, text=True, check=False)
            assert done.returncode == 0, f"{line}\n{done.stderr}"
    assert (tmp_path / "tutorial" / "raid5" / "report.html").exists()
    assert (tmp_path / "tutorial" / "compare.html").exists()
