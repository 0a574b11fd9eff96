"""The target of a replay. Existing data is overwritten only where the target was named twice."""

from __future__ import annotations

import contextlib
import fcntl
import mmap
import os
import stat
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from iowatt.base.errors import Argument, InputError
from iowatt.sources import in_use, target

_BLKSSZGET: Final = 0x1268
_SMALLEST: Final = 512
_LARGEST: Final = 4096


@dataclass(frozen=True)
class ReplayTarget:
    """A file, block device or NBD export, ready."""

    #: Its path or URI.
    name: str
    capacity: int
    #: Requests begin and end at multiples of this many bytes.
    block: int
    #: Whether it takes direct I/O, past the page cache of this machine.
    direct: bool
    made: bool
    #: Most bytes of a request; None where any size will do.
    most: int | None = None


def named(text: str) -> str:
    """The path of a target. Raises ``InputError`` for an address that is not that of an NBD export."""
    return target.target_name(text)


@contextlib.contextmanager
def ready(
    path: Path,
    *,
    size: int | None,
    erase: Path | None,
    writes: bool,
    tell: Callable[[str], None] = lambda _text: None,
) -> Iterator[ReplayTarget]:
    """The target, ready for requests and locked until the end.

    A file that does not exist is made, filled, and removed again.

    Args:
        size: Bytes of it that are used; all where it is None. A file that is made needs it.
        erase: The target once more: what exists is written to only then.
        writes: Whether the trace writes.

    Raises ``InputError``: it must be named twice, is in use, too small, something else, or finds no room.
    """
    if erase is not None and erase.absolute() != path.absolute():
        raise InputError(
            "conflict", Argument("erase"), f"names {erase}, and the target is {path}", hint="name the target"
        )
    made = _prepared(path, size, erase is not None, writes=writes, tell=tell)
    with contextlib.ExitStack() as held:
        if made:
            held.callback(path.unlink, missing_ok=True)
        held.enter_context(target.locked(path))
        if writes and not made:
            in_use.refuse(path)
            target.announce_erasing(path, tell)
        has = target.size_of(path)
        if size is not None and has < size:
            raise InputError("out-of-range", Argument("size"), f"{path} has {has} bytes, fewer than {size}")
        direct = target.takes_direct(path)
        yield ReplayTarget(str(path), size or has, _block(path) if direct else 1, direct, made)


def _prepared(
    path: Path, size: int | None, allowed: bool, *, writes: bool, tell: Callable[[str], None]
) -> bool:
    """Whether the file had to be made."""
    found = target.target_kind(path)
    if found == "absent":
        if size is None:
            raise InputError(
                "not-found", str(path), "does not exist", hint="add `size=1GiB` to create a file of that size"
            )
        target.create_file(path, size, "random", tell=tell)
        return True
    if writes and not allowed:
        what = "is a block device" if found == "device" else "exists"
        raise target.must_be_named_twice(
            path, f"{what}, and the trace's writes would overwrite what is on it"
        )
    return False


def _block(path: Path) -> int:
    """The smallest block that direct I/O takes."""
    handle = os.open(path, os.O_RDONLY | os.O_DIRECT)
    try:
        if stat.S_ISBLK(os.fstat(handle).st_mode):
            return int(struct.unpack("I", fcntl.ioctl(handle, _BLKSSZGET, b"\0" * 4))[0])
        with mmap.mmap(-1, _LARGEST) as memory, memoryview(memory)[:_SMALLEST] as small:
            os.preadv(handle, [small], _SMALLEST)
    except OSError:
        return _LARGEST
    finally:
        os.close(handle)
    return _SMALLEST
