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
        raise MeterError("empty", str(path), f"holds no number: {text[:40]!r}") from None


def word(path: Path) -> str:
    """The text in a file, trimmed. Raises ``MeterError``."""
    try:
        with path.open("rb") as file:
            return file.read(_LONGEST).decode("utf-8", "replace").strip()
    except PermissionError:
        raise MeterError(
            "TODO", str(path), "may not be read", hint="energy counters are readable by root only"
        ) from None
    except OSError as error:
        raise MeterError("unreadable", str(path), f"cannot be read: {error.strerror}") from None
