"""Folders made aside and renamed into their place: whatever interrupts it, no half result has the name."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from iowatt.errors import InputError

_PREFIX: Final = ".iowatt-partial-"


@contextmanager
def folder(target: Path, refuse: Callable[[], None]) -> Iterator[Path]:
    """A folder beside ``target`` that becomes it when the block ends without an error.

    Any error, Ctrl-C included, removes the folder and leaves what stood at ``target`` as it was.
    ``refuse`` raises where nothing may be put there; it is asked before, so that no work is done in vain,
    and again after, because work takes time.

    Raises ``InputError`` where the place cannot be written.
    """
    refuse()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        aside = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{target.name}-", dir=target.parent))
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", where=str(target)) from None
    try:
        aside.chmod(0o777 & ~umask())
        yield aside
        refuse()
        _move_into_place(aside, target)
    except BaseException:
        shutil.rmtree(aside, ignore_errors=True)
        raise


def umask() -> int:
    """The process's umask; temporary files are private, and a result is no secret."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _move_into_place(aside: Path, target: Path) -> None:
    """Rename; what stood there before is moved out first and removed last."""
    if not target.exists():
        aside.rename(target)
        return
    old = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{target.name}-old-", dir=target.parent))
    target.rename(old / target.name)
    try:
        aside.rename(target)
    except BaseException:
        (old / target.name).rename(target)
        raise
    finally:
        shutil.rmtree(old, ignore_errors=True)
