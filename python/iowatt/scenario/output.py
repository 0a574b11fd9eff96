"""Small text files written whole or not at all, and never over something by accident."""

from __future__ import annotations

import tempfile
from pathlib import Path

from iowatt.aside import umask
from iowatt.errors import InputError


def write_text(path: Path, text: str, *, force: bool) -> None:
    """Write ``text`` to ``path``, aside first.

    Raises
    ------
    InputError
        Where ``path`` exists and ``force`` is not given, or it cannot be written.
    """
    if path.exists() and not force:
        raise InputError("exists already", where=str(path), hint="--force replaces it")
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=path.parent, prefix=".iowatt-partial-", delete=False
        ) as aside:
            aside.write(text)
        Path(aside.name).chmod(0o666 & ~umask())
        Path(aside.name).replace(path)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", where=str(path)) from None
