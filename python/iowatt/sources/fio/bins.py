"""fio's bins of response times as ranges of nanoseconds.

fio keeps 64 bins for every doubling: up to 127 ns each value has its own, above they are 2, 4, 8 ... ns
wide. A bin
is named by its middle, from which its range follows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from iowatt.errors import InputError
from iowatt.run.histogram import Histogram

_BITS: Final = 6
_MOST_BINS: Final = 1 << 16


def bounds(middle: int) -> tuple[int, int]:
    """Lowest and highest nanosecond of the bin that is called ``middle``."""
    width = 1 << max(0, middle.bit_length() - 1 - _BITS)
    low = middle - width // 2
    return low, low + width - 1


def histogram(bins: Any, what: str, where: str) -> Histogram:
    """The bins of one direction; nothing where there are none.

    Raises ``InputError`` where one is not a count by a number of nanoseconds.
    """
    if bins is None:
        return Histogram.of([], [], [])
    if not isinstance(bins, Mapping) or len(bins) > _MOST_BINS:
        raise InputError(f"{what}: is no table of bins", where=where)
    low, high, counts = [], [], []
    for key, count in bins.items():
        text = str(key)
        if not (text.isascii() and text.isdecimal() and len(text) <= 18):
            raise InputError(f"{what}: {text[:40]!r} is no number of nanoseconds", where=where)
        if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count < 1 << 62:
            raise InputError(f"{what}, {text}: is no count", where=where)
        least, most = bounds(int(text))
        low.append(least)
        high.append(most)
        counts.append(count)
    return Histogram.of(low, high, counts)
