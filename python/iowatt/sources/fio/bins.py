"""fio's bins of response times as ranges of nanoseconds.

fio keeps 64 bins for every doubling: up to 127 ns each value has its own, above they are 2, 4, 8 ... ns
wide. A bin
is named by its middle, from which its range follows, or counted from 0, as histogram logs do. The last bin
holds all that is longer: 17 s and more.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from iowatt.base.errors import InputError
from iowatt.run.histogram import Histogram

_BITS: Final = 6
_MOST_BINS: Final = 1 << 16
#: Bins of fio 3: 29 groups of 64.
BINS: Final = 29 << _BITS

Counts = npt.NDArray[np.int64]


def bounds(middle: int) -> tuple[int, int]:
    """Lowest and highest nanosecond of the bin that is called ``middle``."""
    width = 1 << max(0, middle.bit_length() - 1 - _BITS)
    low = middle - width // 2
    return low, low + width - 1


def ranges(first: Counts, last: Counts, longest_ns: int = 0) -> tuple[Counts, Counts]:
    """Lowest and highest nanosecond of bins by number, each from ``first`` to ``last`` (the same: one bin).

    ``longest_ns``: the longest time that is known, as the end of the last bin, which has none.
    """
    low, high = _lowest(first), _lowest(last + 1) - 1
    return low, np.where(last == BINS - 1, np.maximum(high, longest_ns), high)


def number(values_ns: Counts) -> Counts:
    """The bin of each time."""
    shift = np.maximum(np.frexp(values_ns.astype(np.float64))[1].astype(np.int64) - 1 - _BITS, 0)
    found: Counts = np.minimum((shift << _BITS) + (values_ns >> shift), BINS - 1)
    return found


def _lowest(number: Counts) -> Counts:
    shift = np.maximum((number >> _BITS) - 1, 0)
    low: Counts = np.where(number < 1 << _BITS, number, ((1 << _BITS) + (number & 63)) << shift)
    return low


def histogram(bins: Any, what: str, where: str, longest_ns: int = 0) -> Histogram:
    """The bins of one direction; nothing where there are none. ``longest_ns`` as in :func:`ranges`.

    Raises ``InputError`` where one is not a count by a number of nanoseconds.
    """
    if bins is None:
        return Histogram.of([], [], [])
    if not isinstance(bins, Mapping) or len(bins) > _MOST_BINS:
        raise InputError("wrong-type", f"{where}: {what}", "not a table of bins")
    low, high, counts = [], [], []
    for key, count in bins.items():
        text = str(key)
        if not (text.isascii() and text.isdecimal() and len(text) <= 18):
            raise InputError(
                "bad-syntax", f"{where}: {what}", f"{text[:40]!r} is not a number of nanoseconds"
            )
        if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count < 1 << 62:
            raise InputError("wrong-type", f"{where}: {what}, {text}", "not a count")
        least, most = bounds(int(text))
        low.append(least)
        high.append(max(most, longest_ns) if int(text) >= _LAST else most)
        counts.append(count)
    return Histogram.of(low, high, counts)


#: The name of the last bin.
_LAST: Final = int(sum(part[0] for part in ranges(np.array([BINS - 1]), np.array([BINS - 1]))) + 1) // 2
