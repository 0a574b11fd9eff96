"""The tutorial's commands and Python run as printed, in order, in a copy of the examples."""

from __future__ import annotations

from pathlib import Path

import printed
import pytest


def test_the_tutorial_runs_as_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    printed.workplace(tmp_path)
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    blocks = printed.blocks(printed.ROOT / "docs" / "tutorial.md")
    assert {kind for kind, _ in blocks} == {"console", "python"}
    for kind, body in blocks:
        if kind == "python":
            exec(compile(body, "docs/tutorial.md", "exec"), names)
            continue
        for words, expected in printed.commands(body):
            printed.run(words, expected)
    assert (tmp_path / "tutorial" / "designs.html").exists()
