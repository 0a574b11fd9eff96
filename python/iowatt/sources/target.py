"""What requests are made on: a file or a block device, and how to be sure that it may be.

Whether something may be written over is decided by the verb (it was named twice, it is a file of our own);
what it is, how large, and how a new one is made is the same for all.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import shutil
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, Literal

from iowatt.base.errors import Argument, InputError
from iowatt.sources import content

Kind = Literal["absent", "file", "device"]
Content = Literal["sparse", "reserved", "random"]

_ADDRESS: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:/")
_TARGET: Final = Argument("target")
_CHUNK: Final = 1 << 20
_UDEV_S: Final = 5.0


def named(text: str, where: str = _TARGET) -> str:
    """The target as given. Raises ``InputError`` at ``where`` for an address (``nfs://host/share``)."""
    if _ADDRESS.match(text):
        raise InputError(
            "wrong-kind",
            where,
            f"{text!r} is an address; a block device or a file is needed",
            hint="mount it, and name a file on it, such as /mnt/share/test.dat, or a device: /dev/sdb",
        )
    return text


def kind(path: Path) -> Kind:
    """What is at a path. Raises ``InputError`` for what is neither a file nor a block device."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return "absent"
    except OSError as error:
        raise InputError("unreadable", str(path), error.strerror or "cannot be read") from None
    if stat.S_ISBLK(mode):
        return "device"
    if stat.S_ISREG(mode):
        return "file"
    raise InputError("wrong-kind", str(path), "neither a file nor a block device")


def must_be_named_twice(path: Path, what: str) -> InputError:
    """The error for a target that exists; ``what`` says so. What is on it is named."""
    return InputError(
        "unsafe-target",
        str(path),
        f"{what}: {content.described(path)}",
        hint=f"if it may be erased, name it again: `erase={path}`",
    )


def told_erasing(path: Path, tell: Callable[[str], None]) -> None:
    """Say what is on a target that is about to be written over."""
    tell(f"writing over {path}: {content.described(path)}")


@contextlib.contextmanager
def held(path: Path) -> Iterator[None]:
    """Keep a target for this process: whoever asks for it by this function too is refused meanwhile.

    The lock is that of flock(2) on the file or device itself, which also keeps udev from probing a device.
    A file system that knows no such locks is used without.

    Raises
    ------
    InputError
        Another process has it, or this one for the same target under another name.
    """
    try:
        handle = os.open(path, os.O_RDWR)  # NFS locks only what is open for writing
    except OSError:
        try:
            handle = os.open(path, os.O_RDONLY)
        except OSError as error:
            raise InputError("unreadable", str(path), error.strerror or "cannot be opened") from None
    try:
        _lock(handle, path)
        yield
    finally:
        os.close(handle)


def _lock(handle: int, path: Path) -> None:
    # udev holds the lock of a device for a moment after anybody has written to it.
    deadline = time.monotonic() + (_UDEV_S if stat.S_ISBLK(os.fstat(handle).st_mode) else 0.0)
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() < deadline:
                time.sleep(0.05)
                continue
            raise InputError(
                "in-use",
                str(path),
                "in use: a measurement, calibration or replay has locked it",
                hint="wait for its end, or name another target",
            ) from None
        except OSError as error:
            if error.errno not in (errno.ENOLCK, errno.EOPNOTSUPP):
                raise InputError("in-use", str(path), f"cannot be locked: {error.strerror}") from None
        return


def make(
    path: Path,
    size: int,
    content: Content,
    *,
    hint: str | None = None,
    tell: Callable[[str], None] | None = None,
) -> None:
    """A new file of ``size`` bytes: sparse, with its space reserved, or filled with random bytes.

    Nothing is left where that fails. Raises ``InputError`` where the folder is none, there is no room
    (with ``hint``), or something is there already.
    """
    folder = path.parent
    if not folder.is_dir():
        raise InputError("not-found", str(folder), "there is no such directory")
    free = shutil.disk_usage(folder).free
    if free < size:
        raise InputError(
            "unwritable", str(path), f"{size} bytes do not fit: the file system has {free} left", hint=hint
        )
    if tell is not None:
        tell(f"filling {path} with {size} bytes")
    try:
        with path.open("xb") as file:
            try:
                _fill(file.fileno(), size, content)
            except BaseException:
                path.unlink()
                raise
    except FileExistsError:
        raise InputError("exists", str(path), "the file exists") from None
    except OSError as error:
        raise InputError("unwritable", str(path), error.strerror or "cannot be made") from None


def _fill(handle: int, size: int, content: Content) -> None:
    if content == "sparse":
        os.ftruncate(handle, size)
    elif content == "reserved":
        os.posix_fallocate(handle, 0, size)
    else:
        # Reads of what was never written would cost storage nothing.
        chunk = memoryview(os.urandom(_CHUNK))
        for begin in range(0, size, _CHUNK):
            left = chunk[: min(_CHUNK, size - begin)]
            while left:
                left = left[os.write(handle, left) :]
        os.fsync(handle)


def size_of(path: Path) -> int:
    """Bytes of a file or device."""
    try:
        with path.open("rb") as file:
            return file.seek(0, os.SEEK_END)
    except OSError as error:
        raise InputError("unreadable", str(path), error.strerror or "cannot be read") from None


def takes_direct(path: Path) -> bool:
    """Whether a file or device can be opened past the page cache."""
    flag = getattr(os, "O_DIRECT", None)
    if flag is None:
        return False
    try:
        os.close(os.open(path, os.O_RDONLY | flag))
    except OSError:
        return False
    return True
