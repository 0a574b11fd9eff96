"""Whether a file or block device is in use, by the kernel's tables, before it is overwritten."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from iowatt.base.errors import InputError

#: ioctl of loop(4): device and inode of its backing file, then what does not matter here.
_LOOP_GET_STATUS64: Final = 0x4C05
_LOOP_INFO: Final = struct.Struct("=QQ216x")


def refuse(path: Path) -> None:
    """Raise ``InputError`` where something else uses a file or device.

    A device: it is mounted, or part of another. Both: a loop device or swap rests on it, or another process
    has it open for writing, as far as this user may see.
    """
    found = path.stat()
    if stat.S_ISBLK(found.st_mode):
        try:
            os.close(os.open(path, os.O_RDWR | os.O_EXCL))
        except OSError as error:
            busy = error.errno == errno.EBUSY
            why = "in use: mounted, or part of another device" if busy else error.strerror
            code = "in-use" if busy else "unwritable"
            raise InputError(code, str(path), why or "cannot be opened") from None
    for user in (*_loops(found), *_swaps(found), *_writers(found)):
        raise InputError(
            "in-use", str(path), f"in use: {user}", hint="stop using it, or choose another target"
        )


def _loops(found: os.stat_result) -> Iterator[str]:
    for block in Path("/sys/block").glob("loop*"):
        try:
            backing = (block / "loop" / "backing_file").read_text().rstrip("\n")
        except OSError:
            continue
        if _is(backing, found) or _loop_is_on(Path("/dev") / block.name, found):
            yield f"it backs /dev/{block.name}{_mounted((block / 'dev').read_text().strip())}"


def _loop_is_on(loop: Path, found: os.stat_result) -> bool:
    """The same by the numbers of the file, which a name of another container or a removed one has not."""
    if stat.S_ISBLK(found.st_mode):
        return False
    try:
        handle = os.open(loop, os.O_RDONLY)
    except OSError:
        return False
    try:
        device, inode = _LOOP_INFO.unpack(fcntl.ioctl(handle, _LOOP_GET_STATUS64, bytes(_LOOP_INFO.size)))
    except OSError:
        return False
    finally:
        os.close(handle)
    return bool((device, inode) == (found.st_dev, found.st_ino))


def _mounted(number: str) -> str:
    """Where the device of a number (``7:0``) is mounted, for the end of a sentence."""
    try:
        mounts = [line.split() for line in Path("/proc/self/mountinfo").read_text().splitlines()]
    except OSError:
        return ""
    return next((f", mounted at {_plain(mount[4])}" for mount in mounts if mount[2] == number), "")


def _swaps(found: os.stat_result) -> Iterator[str]:
    try:
        lines = Path("/proc/swaps").read_text().splitlines()[1:]
    except OSError:
        return
    if any(_is(_plain(line.split()[0]), found) for line in lines if line):
        yield "it is swap"


def _writers(found: os.stat_result) -> Iterator[str]:
    for process in Path("/proc").glob("[0-9]*"):
        if process.name == str(os.getpid()):
            continue
        try:
            names = os.listdir(process / "fd")  # noqa: PTH208 - names only
        except OSError:  # it has ended, or belongs to another user
            continue
        for name in names:
            if _is(process / "fd" / name, found) and _writes(process / "fdinfo" / name):
                yield f"process {process.name} ({_name(process)}) has it open for writing"
                return


def _writes(info: Path) -> bool:
    try:
        flags = next(line for line in info.read_text().splitlines() if line.startswith("flags:"))
    except (OSError, StopIteration):
        return False
    return int(flags.split()[1], 8) & os.O_ACCMODE != os.O_RDONLY


def _name(process: Path) -> str:
    try:
        return (process / "comm").read_text().strip()
    except OSError:
        return "ended meanwhile"


def _is(path: Path | str, found: os.stat_result) -> bool:
    """Whether a path is that file, or that device under whatever name."""
    try:
        other = os.stat(path)  # noqa: PTH116 - of thousands
    except (OSError, ValueError):
        return False
    if stat.S_ISBLK(found.st_mode):
        return stat.S_ISBLK(other.st_mode) and other.st_rdev == found.st_rdev
    return os.path.samestat(other, found)


def _plain(name: str) -> str:
    """A name of a table of the kernel, in which blanks are ``\\040``."""
    return name.encode("latin-1", "surrogateescape").decode("unicode_escape") if "\\" in name else name
