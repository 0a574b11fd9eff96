"""Files and folders written under another name and renamed when complete, so that no half result remains.

A result grows in a folder ``.iowatt-partial-*`` next to its target, locked (flock(2)) while its process
lives. A folder without a lock was left by a process that was killed; the next result for the same directory
removes it. A replaced result waits in ``.iowatt-replaced-*`` during the two renames; after a kill between
them it is put back.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from iowatt.base.errors import InputError

_PREFIX: Final = ".iowatt-partial-"
_REPLACED: Final = ".iowatt-replaced-"
_NO_ROOM: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
#: What Polars says of a footer that it could not write, whatever the reason.
_UNTOLD: Final = "Invalid thrift: transport error"
_COMPLETED: Final[list[Path]] = []


def completed() -> list[Path]:
    """The folders that the main thread has put in their place."""
    return list(_COMPLETED)


@contextmanager
def folder(target: Path, refuse: Callable[[], None]) -> Iterator[Path]:
    """A folder that becomes ``target`` when the block ends without an error.

    Any error, Ctrl-C included, removes the folder and leaves what stood at ``target`` as it was.
    ``refuse`` raises where nothing may be written there. It is called before the work, to spare it, and again
    after, because work takes time.

    Raises ``InputError`` where the place cannot be written, or has no room for what the block writes.
    """
    refuse()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(target, error) from None
    with _made(target, f"{_PREFIX}{target.name}-") as staging:
        staging.chmod(0o777 & ~umask())
        with _room(target, staging):
            yield staging
        refuse()
        _move_into_place(staging, target)
        if threading.current_thread() is threading.main_thread():
            _COMPLETED.append(target)


@contextmanager
def file(target: Path) -> Iterator[Path]:
    """The path of a file to write, which becomes ``target`` when the block ends without an error.

    Raises ``InputError`` where it cannot be written.
    """
    with _made(target, _PREFIX) as staging:
        made = staging / target.name
        with _room(target, staging, error_of_block=True):
            yield made
            made.replace(target)


def remove(path: Path) -> None:
    """Remove a file or folder: whatever interrupts it, it is whole or gone. Raises ``OSError``."""
    with _made(path, _PREFIX) as staging:
        path.rename(staging / path.name)


def holds_only(place: Path, *names: str) -> bool:
    """Whether a folder holds nothing but these and what a killed process left."""
    return all(entry.name in names or entry.name.startswith(_PREFIX) for entry in place.iterdir())


def umask() -> int:
    """The process's umask; temporary files are private, and a result is no secret."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def sweep(place: Path) -> None:
    """Remove what processes that are no longer there have left in a folder."""
    with contextlib.suppress(OSError):
        for path in [*place.glob(f"{_PREFIX}*"), *place.glob(f"{_REPLACED}*")]:
            with contextlib.suppress(OSError, ImportError):
                handle = _locked(path)
                try:
                    _put_back(path)
                    shutil.rmtree(path, ignore_errors=True)
                finally:
                    os.close(handle)


def _put_back(path: Path) -> None:
    for old in path.iterdir() if path.name.startswith(_REPLACED) else ():
        if not os.path.lexists(path.parent / old.name):
            old.rename(path.parent / old.name)


@contextmanager
def _made(target: Path, prefix: str) -> Iterator[Path]:
    """A new folder next to ``target``, locked while the block runs and removed after it."""
    try:
        sweep(target.parent)
        staging, handle = _new(target.parent, prefix)
    except OSError as error:
        raise _unwritable(target, error) from None
    try:
        yield staging
    finally:
        shutil.rmtree(staging, ignore_errors=True)
        if handle is not None:
            os.close(handle)


def _new(place: Path, prefix: str) -> tuple[Path, int | None]:
    while True:
        staging = Path(tempfile.mkdtemp(prefix=prefix, dir=place))
        try:
            handle = _locked(staging)
        except (BlockingIOError, FileNotFoundError):  # somebody's sweep was faster than our lock
            continue
        except (OSError, ImportError):  # no locks on this file system: no other process sweeps by them either
            return staging, None
        if staging.is_dir():
            return staging, handle
        os.close(handle)


def _locked(path: Path) -> int:
    """A handle of a folder that holds its lock. Raises ``OSError`` where another process has it."""
    import fcntl

    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BaseException:
        os.close(handle)
        raise
    return handle


@contextmanager
def _room(target: Path, staging: Path, *, error_of_block: bool = False) -> Iterator[None]:
    """Make an ``InputError`` of what keeps the block from writing; where said, also of its other calls."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        number = no_room(error)
        if number is not None:
            raise _unwritable(target, OSError(number, os.strerror(number))) from None
        if not (error_of_block and isinstance(error, OSError)):
            raise
        if error.filename is not None and not str(error.filename).startswith(str(staging)):
            raise
        raise _unwritable(target, error) from None


def no_room(error: BaseException | None) -> int | None:
    """The errno of an error or of its causes where the disk is full; errors of Rust have it in their text."""
    while error is not None:
        said = re.search(r"\(os error (\d+)\)", str(error))
        number = int(said[1]) if said else getattr(error, "errno", None)
        if number in _NO_ROOM:
            return number
        if _UNTOLD in str(error):
            return errno.EIO
        error = error.__cause__ or error.__context__
    return None


def _unwritable(target: Path, error: OSError) -> InputError:
    message = f"cannot be written: {error.strerror or error}"
    return InputError("unwritable", str(target), message)


def _move_into_place(staging: Path, target: Path) -> None:
    """Rename; what stood there before is moved out first and removed last."""
    if not target.exists():
        staging.rename(target)
        return
    with _made(target, _REPLACED) as old:
        target.rename(old / target.name)
        try:
            staging.rename(target)
        except BaseException:
            (old / target.name).rename(target)
            raise


def write_text(path: Path, text: str, *, force: bool) -> None:
    """Write ``text`` to ``path``, aside first.

    Raises ``InputError`` where ``path`` exists and ``force`` is not given, or it cannot be written.
    """
    refuse_existing(path, force=force)
    with file(path) as made:
        made.write_text(text, encoding="utf-8")


def refuse_existing(path: Path, *, force: bool) -> None:
    """Raise ``InputError`` where ``path`` exists and may not be replaced: before any work is done for it."""
    if path.exists() and not force:
        raise InputError(
            "exists", str(path), "the file already exists", hint="use `force=True` to overwrite it"
        )


def write_whole(target: Path, write: Callable[[Path], object]) -> Path:
    """Write a file aside and rename it; a power cut leaves the old one or the new one whole."""
    try:
        with file(target) as made:
            write(made)
            sync(made)
        sync(target.parent)
    except OSError as error:
        raise _unwritable(target, error) from None
    return target


def sync(path: Path) -> None:
    """Bring a file, or the names in a folder, to the disk. Raises ``OSError``."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno != errno.EINVAL:  # some file systems know no such thing for folders
            raise
    finally:
        os.close(handle)
