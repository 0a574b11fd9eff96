"""The file or block device that requests are made on: what it is and holds, locking it, creating it.

The verb decides whether it may be overwritten (it was named twice, it is a file of our own).
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import re
import shutil
import stat
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, Literal

from iowatt.base.errors import Argument, InputError
from iowatt.base.units import format_bytes
from iowatt.sources import in_use

_LOOKED_AT: Final = 1 << 20
_WHERE: Final = "/usr/sbin:/sbin:/usr/bin:/bin"


def describe_content(path: Path) -> str:
    """Size, model, and signatures of a file or device: ``64 MiB, ext4 "backup"``.

    Signatures of file systems, partition tables, RAID, LVM and the like are those that wipefs(8) of
    util-linux finds; of a device with partitions also on these.
    """
    from iowatt.base.units import format_bytes

    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(0)
            empty = not any(file.read(_LOOKED_AT))
    except OSError as error:
        return f"its content cannot be read ({error.strerror})"
    said = [format_bytes(size, binary=True)]
    parts: list[Path] = []
    found = path.stat()
    if stat.S_ISBLK(found.st_mode):
        system = Path(f"/sys/dev/block/{os.major(found.st_rdev)}:{os.minor(found.st_rdev)}")
        said += _model(system)
        parts = sorted(Path("/dev") / part.parent.name for part in system.glob("*/partition"))
    signatures = _signatures(path)
    if signatures is None:
        said.append("its content is unknown (wipefs of util-linux is not installed)")
    elif signatures:
        said += signatures
    else:
        said.append("no signature" + (", only zeros where one would be" if empty else ""))
    for part in parts:
        said.append(f"{part}: {', '.join(_signatures(part) or ['no signature'])}")
    return "; ".join(said)


def _model(system: Path) -> list[str]:
    for device in (system / "device", system.resolve().parent / "device"):
        try:
            return [(device / "model").read_text().strip()]
        except OSError:
            continue
    return []


def _signatures(path: Path) -> list[str] | None:
    """``ext4 "backup"``, ``gpt``, ...; None where nothing can tell."""
    wipefs = shutil.which("wipefs") or shutil.which("wipefs", path=_WHERE)
    if wipefs is None:
        return None
    command = [wipefs, "--no-act", "--json", "--", str(path.absolute())]
    try:
        done = subprocess.run(command, capture_output=True, check=True, timeout=60)
        found: list[dict[str, Any]] = json.loads(done.stdout or b"{}").get("signatures", [])
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    names = [f'{one["type"]} "{one["label"]}"' if one.get("label") else str(one["type"]) for one in found]
    return list(dict.fromkeys(names))


TargetKind = Literal["absent", "file", "device"]
Content = Literal["sparse", "reserved", "random"]

_ADDRESS: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:/")
_TARGET: Final = Argument("target")
_CHUNK: Final = 1 << 20
_UDEV_S: Final = 5.0


def target_name(text: str, where: str = _TARGET) -> str:
    """The target as given. Raises ``InputError`` at ``where`` for an address (``nfs://host/share``)."""
    if _ADDRESS.match(text):
        message = f"{text!r} is an address; a block device or a file is needed"
        hint = "mount it, and name a file on it, such as /mnt/share/test.dat, or a device: /dev/sdb"
        raise InputError("wrong-kind", where, message, hint=hint)
    return text


def target_kind(path: Path) -> TargetKind:
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
    message = f"{what}: {describe_content(path)}"
    hint = f"if it may be erased, name it again: `erase={path}`"
    return InputError("unsafe-target", str(path), message, hint=hint)


def announce_erasing(path: Path, tell: Callable[[str], None]) -> None:
    """Announce what is on a target that is about to be overwritten."""
    tell(f"writing over {path}: {describe_content(path)}")


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Lock a target for this process: others that lock it are refused meanwhile.

    The lock is that of flock(2) on the file or device itself, which also keeps udev from probing a device.
    A file system that knows no such locks is used without.

    Raises ``InputError``: another process has it, or this one for the same target under another name.
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
            message = "in use: a measurement, calibration or replay has locked it"
            hint = "wait for its end, or name another target"
            raise InputError("in-use", str(path), message, hint=hint) from None
        except OSError as error:
            if error.errno not in (errno.ENOLCK, errno.EOPNOTSUPP):
                raise InputError("in-use", str(path), f"cannot be locked: {error.strerror}") from None
        return


def create_file(
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
        raise InputError("not-found", str(folder), "no such directory")
    free = shutil.disk_usage(folder).free
    if free < size:
        raise InputError(
            "unwritable", str(path), f"{size} bytes do not fit: the file system has {free} left", hint=hint
        )
    if tell is not None:
        tell(f"making {path}: {format_bytes(size, binary=True)}")
    try:
        with path.open("xb") as file:
            try:
                _fill(file.fileno(), size, content)
            except BaseException:
                path.unlink()
                raise
    except FileExistsError:
        raise InputError("exists", str(path), "the file already exists") from None
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


@contextlib.contextmanager
def scratch_target(
    path: Path,
    span: int,
    *,
    force: bool = False,
    erase: Path | None = None,
    tell: Callable[[str], None] = lambda _text: None,
) -> Iterator[bool]:
    """``path`` as a file of at least ``span`` bytes, and whether it takes direct I/O.

    A file that does not exist is made (sparse) and removed again. One that exists is written to with
    ``force`` only, a block device only where ``erase`` names it again; ``tell`` gets a description of it.

    Raises ``InputError``: it is something else, in use, too small, must be named twice, or its file system
    has no room for it.
    """
    made = _ready(path, span, force=force, erase=erase, tell=tell)
    try:
        yield takes_direct(path)
    finally:
        if made:
            path.unlink(missing_ok=True)


def _ready(path: Path, span: int, *, force: bool, erase: Path | None, tell: Callable[[str], None]) -> bool:
    """Whether the file had to be made."""
    found = target_kind(path)
    if found == "absent":
        create_file(path, span, "sparse", hint="a smaller `span=`")
        return True
    if found == "device":
        if erase is None or erase != path:
            raise must_be_named_twice(path, "is a block device, and what is on it would be overwritten")
    elif not force:
        message = f"the file already exists, and fio would write to it: {describe_content(path)}"
        raise InputError("exists", str(path), message, hint="choose a new file, or use `force=True`")
    in_use.refuse(path)
    size = size_of(path)
    if size < span:
        message = f"has {size} bytes, fewer than the {span} of the address space"
        raise InputError("out-of-range", str(path), message, hint="a smaller `span=`")
    announce_erasing(path, tell)
    return False
