"""Ranges in bytes of a span."""

from __future__ import annotations

from typing import Final

from iowatt.model.profile.quantities import RangeEnd

_FINE: Final = 1 << 12
_COARSE: Final = 1 << 20


def extent(range_: tuple[RangeEnd, RangeEnd], span: int) -> tuple[int, int]:
    """First byte and end of ``range_`` in ``span`` bytes.

    Ends in percent are rounded to whole MiB (of spans under 1 GiB: 4 KiB), so that transfers that are aligned
    in the range are aligned in the span; 100 % is the end of the span.
    """
    low, high = (_bytes(end, span) for end in range_)
    return low, high


def _bytes(end: RangeEnd, span: int) -> int:
    if end.fraction is None:
        return end.bytes_ or 0
    if end.fraction == 1.0:
        return span
    unit = _COARSE if span >= 1 << 30 else _FINE
    return round(end.fraction * span / unit) * unit
