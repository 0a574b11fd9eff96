"""Small text files written whole or not at all, and never over something by accident."""

from __future__ import annotations

from pathlib import Path

from iowatt.base import atomic_path
from iowatt.base.errors import InputError


def write_text(path: Path, text: str, *, force: bool) -> None:
    """Write ``text`` to ``path``, aside first.

    Raises
    ------
    InputError
        Where ``path`` exists and ``force`` is not given, or it cannot be written.
    """
    refuse_existing(path, force=force)
    with atomic_path.file(path) as made:
        made.write_text(text, encoding="utf-8")


def refuse_existing(path: Path, *, force: bool) -> None:
    """Raise ``InputError`` where ``path`` exists and may not be replaced: before any work is done for it."""
    if path.exists() and not force:
        raise InputError("exists", str(path), "the file exists", hint="`force=True` replaces it")
