"""A folder made aside: there whole, or what stood there before."""

from __future__ import annotations

from pathlib import Path

import pytest

from iowatt import aside
from iowatt.errors import InputError


def nothing() -> None: ...


def old(tmp_path: Path) -> Path:
    target = tmp_path / "result"
    target.mkdir()
    (target / "figures").write_text("old")
    return target


def test_it_replaces_what_stood_there_and_leaves_nothing_beside_it(tmp_path):
    target = old(tmp_path)
    with aside.folder(target, nothing) as made:
        (made / "other").write_text("new")
        assert (target / "figures").read_text() == "old"
    assert [path.name for path in target.iterdir()] == ["other"]
    assert list(tmp_path.iterdir()) == [target]


def test_an_interruption_leaves_what_stood_there(tmp_path):
    target = old(tmp_path)
    with pytest.raises(KeyboardInterrupt), aside.folder(target, nothing) as made:
        (made / "figures").write_text("half")
        raise KeyboardInterrupt
    assert (target / "figures").read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_rename_that_fails_puts_back_what_stood_there(tmp_path, monkeypatch):
    target = old(tmp_path)
    rename = Path.rename

    def refused(path: Path, to: Path) -> Path:
        if path.name.startswith(".iowatt-partial-") and Path(to) == target:
            raise OSError("no")
        return rename(path, to)

    monkeypatch.setattr(Path, "rename", refused)
    with pytest.raises(OSError, match="no"), aside.folder(target, nothing):
        pass
    assert (target / "figures").read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_what_came_meanwhile_is_not_replaced(tmp_path):
    target = tmp_path / "result"

    def refuse() -> None:
        if target.exists():
            raise InputError("already exists", where=str(target))

    with pytest.raises(InputError, match="already exists"), aside.folder(target, refuse):
        target.mkdir()
        (target / "figures").write_text("another's")
    assert (target / "figures").read_text() == "another's"
