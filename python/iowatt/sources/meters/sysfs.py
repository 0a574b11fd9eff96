"""Small files of sysfs: numbers and words, with messages that name the file."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from iowatt.sources.meters.meter import MeterError

_LONGEST: Final = 4096


def number(path: Path) -> int:
    """The whole number in a file. Raises ``MeterError``."""
    text = word(path)
    try:
        return int(text[:40])
    except ValueError:
        raise MeterError("wrong-format", str(path), f"{text[:40]!r} is not a number") from None


def word(path: Path) -> str:
    """The text in a file, trimmed. Raises ``MeterError``."""
    try:
        with path.open("rb") as file:
            return file.read(_LONGEST).decode("utf-8", "replace").strip()
    except PermissionError:
        raise MeterError(
            "unreadable", str(path), "permission denied", hint="only root may read energy counters"
        ) from None
    except OSError as error:
        raise MeterError("unreadable", str(path), error.strerror or "cannot be read") from None
