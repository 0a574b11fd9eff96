"""A folder made aside: there whole, or what stood there before."""

from __future__ import annotations

import errno
import os
import re
import signal
from pathlib import Path

import pytest

from iowatt.base import atomic_path
from iowatt.base.errors import InputError
from refused import refused


def nothing() -> None: ...


def old(tmp_path: Path) -> Path:
    target = tmp_path / "result"
    target.mkdir()
    (target / "figures").write_text("old")
    return target


def test_it_replaces_what_stood_there_and_leaves_nothing_beside_it(tmp_path):
    target = old(tmp_path)
    with atomic_path.folder(target, nothing) as made:
        (made / "other").write_text("new")
        assert (target / "figures").read_text() == "old"
    assert [path.name for path in target.iterdir()] == ["other"]
    assert list(tmp_path.iterdir()) == [target]


def test_an_interruption_leaves_what_stood_there(tmp_path):
    target = old(tmp_path)
    with pytest.raises(KeyboardInterrupt), atomic_path.folder(target, nothing) as made:
        (made / "figures").write_text("half")
        raise KeyboardInterrupt
    assert (target / "figures").read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_rename_that_fails_puts_back_what_stood_there(tmp_path, monkeypatch):
    target = old(tmp_path)
    rename = Path.rename

    def failing(path: Path, to: Path) -> Path:
        if path.name.startswith(".iowatt-partial-") and Path(to) == target:
            raise OSError("no")
        return rename(path, to)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(OSError) as error, atomic_path.folder(target, nothing):
        pass
    assert error.value.args == ("no",)
    assert (target / "figures").read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_what_came_meanwhile_is_not_replaced(tmp_path):
    target = tmp_path / "result"

    def refuse() -> None:
        if target.exists():
            raise InputError("exists", str(target), "the folder exists")

    with refused("exists", str(target)), atomic_path.folder(target, refuse):
        target.mkdir()
        (target / "figures").write_text("another's")
    assert (target / "figures").read_text() == "another's"


def left(place: Path) -> list[str]:
    return sorted(path.name for path in place.iterdir() if path.name.startswith(".iowatt"))


def in_another_process(work) -> int:
    """Run ``work`` in a process that then waits to be killed; its number, once it waits."""
    waits, ready = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            work(lambda: (os.write(ready, b"!"), signal.pause()))
        finally:
            os._exit(1)
    assert os.read(waits, 1) == b"!"
    return pid


def kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


@pytest.mark.parametrize("kind", ["folder", "file"])
def test_what_a_killed_process_left_is_swept_and_what_a_living_one_makes_is_not(kind, tmp_path):
    target = tmp_path / "result"

    def make(wait) -> None:
        with atomic_path.folder(target, nothing) if kind == "folder" else atomic_path.file(target) as made:
            (made / "half" if kind == "folder" else made).write_text("half")
            wait()

    dead, alive = in_another_process(make), in_another_process(make)
    try:
        both = left(tmp_path)
        assert len(both) == 2
        kill(dead)
        with atomic_path.file(tmp_path / "other") as made:
            made.write_text("new")
        (kept,) = left(tmp_path)
        assert kept in both
        assert any(path.name in ("half", "result") for path in (tmp_path / kept).iterdir())
    finally:
        kill(alive)
    atomic_path.sweep(tmp_path)
    assert left(tmp_path) == []
    assert [path.name for path in tmp_path.iterdir()] == ["other"]


def test_a_kill_between_the_two_renames_of_a_replacement_loses_nothing(tmp_path):
    target = old(tmp_path)

    def make(wait) -> None:
        rename = Path.rename

        def last(path: Path, to: Path) -> Path:
            if Path(to) == target:
                wait()
            return rename(path, to)

        Path.rename = last
        with atomic_path.folder(target, nothing) as made:
            (made / "figures").write_text("new")

    kill(in_another_process(make))
    assert not target.exists()
    atomic_path.sweep(tmp_path)
    assert (target / "figures").read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


class PolarsLike(Exception):
    """Errors of Rust have the number in their text only."""


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)),
        PolarsLike("parquet: underlying IO error: No space left on device (os error 28)"),
        OSError("No space left on device (os error 28)"),
    ],
)
def test_no_room_is_an_error_of_the_place(error, tmp_path):
    for make in (atomic_path.folder(tmp_path / "a", nothing), atomic_path.file(tmp_path / "b")):
        with refused("unwritable", re.compile(r"/[ab]$")) as caught, make:
            raise error
        assert os.strerror(errno.ENOSPC) in caught.value.message
    with pytest.raises(FileNotFoundError) as missing, atomic_path.file(tmp_path / "b"):
        raise FileNotFoundError(errno.ENOENT, "gone", "elsewhere")
    assert missing.value.filename == "elsewhere"
    assert list(tmp_path.iterdir()) == []
