"""An offset from UTC as logs and options write it: Z, +01:00, -0800, UTC+2. The one place that reads it."""

from __future__ import annotations

import re
from datetime import UTC, timedelta, timezone
from typing import Final

_OFFSET: Final = re.compile(r"(?:GMT|UTC)?([+-])([0-9]{1,2})(?::?([0-9]{2}))?", re.ASCII)
_MOST: Final = timedelta(hours=14)
_MINUTES: Final = 60


def parse(text: str) -> timezone | None:
    """The offset; ``None`` where the text is none, or lies beyond 14 hours."""
    text = text.strip()
    if text.upper() in ("Z", "UTC", "GMT"):
        return UTC
    match = _OFFSET.fullmatch(text)
    if match is None or int(match[3] or 0) >= _MINUTES:
        return None
    offset = timedelta(hours=int(match[2]), minutes=int(match[3] or 0))
    if offset > _MOST:
        return None
    return timezone(-offset if match[1] == "-" else offset)
