"""The file that fio may write to: nothing of value is ever overwritten unasked."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

from iowatt.errors import InputError


@contextlib.contextmanager
def scratch(path: Path, span: int, *, force: bool = False, erase: Path | None = None) -> Iterator[bool]:
    """``path`` as a file of at least ``span`` bytes, and whether it takes direct I/O.

    A file that does not exist is made (sparse) and removed again. One that exists is written to with
    ``force`` only, a block device only where ``erase`` names it a second time.

    Raises
    ------
    InputError
        It is something else, is too small, must be named twice, or its file system has no room for it.
    """
    made = _ready(path, span, force=force, erase=erase)
    try:
        yield _takes_direct(path)
    finally:
        if made:
            path.unlink(missing_ok=True)


def _ready(path: Path, span: int, *, force: bool, erase: Path | None) -> bool:
    """Whether the file had to be made."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        _make(path, span)
        return True
    except OSError as error:
        raise InputError(error.strerror or "cannot be read", where=str(path)) from None
    if stat.S_ISBLK(mode):
        if erase is None or erase != path:
            raise InputError(
                "is a block device, and what is on it would be overwritten",
                where=str(path),
                hint=f"if it may be erased, say so by naming it again: --erase {path}",
            )
        size = _device_bytes(path)
    elif stat.S_ISREG(mode):
        if not force:
            raise InputError(
                "exists, and fio would write to it", where=str(path), hint="name a new file, or add --force"
            )
        size = path.stat().st_size
    else:
        raise InputError("is neither a file nor a block device", where=str(path))
    if size < span:
        raise InputError(
            f"has {size} bytes, fewer than the {span} of the address space",
            where=str(path),
            hint="a smaller --span",
        )
    return False


def _make(path: Path, span: int) -> None:
    folder = path.parent
    if not folder.is_dir():
        raise InputError("there is no such directory", where=str(folder))
    free = shutil.disk_usage(folder).free
    if free < span:
        raise InputError(
            f"{span} bytes do not fit: the file system has {free} left",
            where=str(path),
            hint="a smaller --span",
        )
    try:
        with path.open("xb") as file:
            file.truncate(span)
    except OSError as error:
        raise InputError(error.strerror or "cannot be made", where=str(path)) from None


def _device_bytes(path: Path) -> int:
    with path.open("rb") as device:
        return device.seek(0, os.SEEK_END)


def _takes_direct(path: Path) -> bool:
    flag = getattr(os, "O_DIRECT", None)
    if flag is None:
        return False
    try:
        os.close(os.open(path, os.O_RDONLY | flag))
    except OSError:
        return False
    return True
