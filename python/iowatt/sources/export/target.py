"""The file that fio may write to: nothing of value is ever overwritten unasked."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

from iowatt.base.errors import InputError
from iowatt.sources import content, in_use, target


@contextlib.contextmanager
def scratch(
    path: Path,
    span: int,
    *,
    force: bool = False,
    erase: Path | None = None,
    tell: Callable[[str], None] = lambda _text: None,
) -> Iterator[bool]:
    """``path`` as a file of at least ``span`` bytes, and whether it takes direct I/O.

    A file that does not exist is made (sparse) and removed again. One that exists is written to with
    ``force`` only, a block device only where ``erase`` names it again; ``tell`` is told what is on it.

    Raises
    ------
    InputError
        It is something else, in use, too small, must be named twice, or its file system has no room for it.
    """
    made = _ready(path, span, force=force, erase=erase, tell=tell)
    try:
        yield target.takes_direct(path)
    finally:
        if made:
            path.unlink(missing_ok=True)


def _ready(path: Path, span: int, *, force: bool, erase: Path | None, tell: Callable[[str], None]) -> bool:
    """Whether the file had to be made."""
    found = target.kind(path)
    if found == "absent":
        target.make(path, span, "sparse", hint="a smaller `span=`")
        return True
    if found == "device":
        if erase is None or erase != path:
            raise target.must_be_named_twice(
                path, "is a block device, and what is on it would be overwritten"
            )
    elif not force:
        raise InputError(
            "exists",
            str(path),
            f"the file exists, and fio would write to it: {content.described(path)}",
            hint="name a new file, or add `force=True`",
        )
    in_use.refuse(path)
    size = target.size_of(path)
    if size < span:
        raise InputError(
            "out-of-range",
            str(path),
            f"has {size} bytes, fewer than the {span} of the address space",
            hint="a smaller `span=`",
        )
    target.told_erasing(path, tell)
    return False
