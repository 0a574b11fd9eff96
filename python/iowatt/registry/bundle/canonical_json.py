"""One text for one value: what a signature is made of, and what a file must be to the byte."""

from __future__ import annotations

import json
from typing import Any


def canonical(value: Any) -> bytes:
    """JSON with sorted keys, one blank of indentation and a line break at its end, in UTF-8.

    Raises ``ValueError``: the value has NaN, an infinity, or half a character.
    """
    text = json.dumps(value, sort_keys=True, indent=1, ensure_ascii=False, allow_nan=False)
    return text.encode() + b"\n"
