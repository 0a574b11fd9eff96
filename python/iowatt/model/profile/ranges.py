"""Ranges in bytes of a span."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, WithJsonSchema

from iowatt.base import units
from iowatt.base.errors import BadValueError

RANGE_END: Final = 'a part of the span such as "10%", or a size such as "4MiB" or "1.5TB"'
_PERCENT: Final = re.compile(r"\s*([0-9]{1,3}(?:\.[0-9]{1,12})?)\s*%\s*", re.ASCII)


@dataclass(frozen=True)
class RangeEnd:
    """One end of a range: a fraction of the span, or bytes."""

    fraction: float | None
    bytes_: int | None

    def __str__(self) -> str:
        return f"{self.fraction * 100:g}%" if self.fraction is not None else f"{self.bytes_} bytes"


def _range_end(value: Any) -> RangeEnd:
    if isinstance(value, RangeEnd):
        return value
    if isinstance(value, str) and (match := _PERCENT.fullmatch(value)):
        percent = float(match[1])
        if percent > 100:
            raise BadValueError("out-of-range", None, f"{value!r} is beyond the span; expected at most 100%")
        return RangeEnd(percent / 100, None)
    if value == 0 and not isinstance(value, bool):
        return RangeEnd(None, 0)
    for parse in (units.parse_capacity, units.parse_block_size):
        try:
            return RangeEnd(None, parse(value))
        except ValueError:
            continue
    raise BadValueError("bad-syntax", None, f"{value!r} is not accepted; expected {RANGE_END}")


RangeEndKey = Annotated[
    RangeEnd,
    BeforeValidator(_range_end),
    WithJsonSchema({"type": ["string", "integer"], "examples": ["10%", "4MiB"], "x-accepts": RANGE_END}),
]


_FINE: Final = 1 << 12
_COARSE: Final = 1 << 20


def byte_range(range_: tuple[RangeEnd, RangeEnd], span: int) -> tuple[int, int]:
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
