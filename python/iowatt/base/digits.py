"""A figure next to its limit, with as many digits as it takes to see on which side it lies."""

from __future__ import annotations

import math

_MOST = 17
"""Significant digits of a double."""


def apart(value: float, limit: float, digits: int = 3) -> str:
    """``value`` with ``digits`` significant digits, or more where fewer read as ``limit`` or as past it.

    Integer digits are all kept, thousands separated; zeros at the end are left out, as by ``:g``.

    >>> apart(1199.7, 1200), apart(14.96, 15), apart(20, 15), apart(15, 15)
    ('1,199.7', '14.96', '20', '15')
    """
    if not math.isfinite(value):
        return f"{value:g}"
    magnitude = math.floor(math.log10(abs(value))) if value else 0
    text = ""
    for wanted in range(digits, _MOST + 1):
        text = f"{value:,.{max(0, wanted - 1 - magnitude)}f}"
        shown = float(text.replace(",", ""))
        if (shown < limit, shown > limit) == (value < limit, value > limit):
            break
    return text.rstrip("0").rstrip(".") if "." in text else text
