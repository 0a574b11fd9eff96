"""fio's bins of response times, in its JSON and in its histogram logs (``write_hist_log``).

fio keeps 64 bins for every doubling: up to 127 ns each value has its own, above that they are 2, 4, 8 ... ns
wide. The JSON names a bin by its middle; the logs count bins from 0. The last bin holds 17 s and more.

A row of a log is ``time in ms, direction (0 read, 1 write, 2 trim), block size, count, count, ...``, a count
for each of fio's 1856 bins, or for 2, 4 ... 64 neighbours together (``log_hist_coarseness``). It holds the
requests since the previous row of its direction. It is written with the first completion after
``log_hist_msec``, which it includes; what completes after the last row is in none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from iowatt.base.errors import InputError
from iowatt.run.histogram import Histogram
from iowatt.sources import responses

_BITS: Final = 6
_MOST_BINS: Final = 1 << 16
#: Bins of fio 3: 29 groups of 64.
BINS: Final = 29 << _BITS

Counts = npt.NDArray[np.int64]


def bin_bounds(middle: int) -> tuple[int, int]:
    """Lowest and highest nanosecond of the bin that is called ``middle``."""
    width = 1 << max(0, middle.bit_length() - 1 - _BITS)
    low = middle - width // 2
    return low, low + width - 1


def bin_ranges(first: Counts, last: Counts, longest_ns: int = 0) -> tuple[Counts, Counts]:
    """Lowest and highest nanosecond of bins by number, each from ``first`` to ``last`` (the same: one bin).

    ``longest_ns``: the longest time that is known, as the end of the last bin, which has none.
    """
    low, high = _lowest(first), _lowest(last + 1) - 1
    return low, np.where(last == BINS - 1, np.maximum(high, longest_ns), high)


def bin_number(values_ns: Counts) -> Counts:
    """The bin of each time."""
    return np.minimum(responses.bin_numbers(values_ns, _BITS), BINS - 1)


def _lowest(number: Counts) -> Counts:
    return responses.bin_ranges(number, _BITS)[0]


def json_histogram(bins: Any, what: str, where: str, longest_ns: int = 0) -> Histogram:
    """The bins of one direction; nothing where there are none. ``longest_ns`` as in :func:`bin_ranges`.

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
        least, most = bin_bounds(int(text))
        low.append(least)
        high.append(max(most, longest_ns) if int(text) >= _LAST else most)
        counts.append(count)
    return Histogram.of(low, high, counts)


#: The name of the last bin.
_LAST: Final = int(sum(part[0] for part in bin_ranges(np.array([BINS - 1]), np.array([BINS - 1]))) + 1) // 2


#: Ten hours of windows of a second of a job that reads and writes.
MOST_BYTES: Final = 512 << 20
_ROW: Final = re.compile(rb"[0-9]{1,18}(?:, ?[0-9]{1,18}){3,2000}", re.ASCII)
_COARSEST: Final = 6
_HEAD: Final = 3


@dataclass(frozen=True)
class LogWindow:
    """A row: what one direction completed since the row before it."""

    time_ms: int
    direction: int  #: 0 read, 1 write.
    low_ns: Counts
    high_ns: Counts
    count: Counts

    @property
    def total(self) -> int:
        """Requests."""
        return int(self.count.sum())


@dataclass(frozen=True)
class HistogramLog:
    """The windows of a job, in order of time."""

    path: Path
    windows: list[LogWindow]
    coarseness: int  #: Neighbouring bins of fio in one of the log, as a power of two: 0 to 6.
    cut: bool  #: Whether its last row was cut short and left out.


def read_log(path: Path, longest_ns: int = 0) -> HistogramLog:
    """Read a histogram log. A last line without its end, which a crash leaves, is passed over; trims, too.

    ``longest_ns``: the longest completion time that is known, as the end of the last bin.

    Raises ``InputError`` with the line that is not a row, or where the log is longer than 512 MiB.
    """
    where = str(path)
    windows: list[LogWindow] = []
    coarseness: int | None = None
    cut = False
    try:
        if path.stat().st_size > MOST_BYTES:
            message = f"the log is longer than {MOST_BYTES >> 20} MiB"
            hint = "log_hist_coarseness=3 makes rows an eighth as long"
            raise InputError("too-large", where, message, hint=hint)
        for number, line, whole in _lines(path):
            if not whole:
                cut = True
                break
            values = _values(line, f"{where}:{number}")
            own = _coarseness(values.size - _HEAD)
            if own is None or (coarseness is not None and own != coarseness):
                raise _no_row(line, f"{where}:{number}")
            coarseness = own
            if values[1] < 2:
                windows.append(_window(values, own, longest_ns))
    except OSError as error:
        raise InputError("unreadable", where, error.strerror or "cannot be read") from None
    windows.sort(key=lambda window: window.time_ms)
    return HistogramLog(path, windows, coarseness or 0, cut)


def _lines(path: Path) -> Iterator[tuple[int, bytes, bool]]:
    """Numbers and texts of lines that hold something, and whether they have their end."""
    most = 24 * (BINS + _HEAD)
    with path.open("rb") as file:
        number = 0
        while line := file.readline(most):
            number += 1
            if len(line) == most:
                raise _no_row(line, f"{path}:{number}")
            if line.strip():
                yield number, line.strip(), line.endswith(b"\n")


def _values(line: bytes, where: str) -> Counts:
    if _ROW.fullmatch(line) is None:
        raise _no_row(line, where)
    values: Counts = np.fromstring(line.decode("ascii"), dtype=np.int64, sep=",")
    if values[0] > 1 << 52 or values[_HEAD:].sum(dtype=np.float64) > float(1 << 53):
        raise _no_row(line, where)
    return values


def _coarseness(bins: int) -> int | None:
    """How many times fio halved its bins to have so many; None where that gives no whole number."""
    return next((power for power in range(_COARSEST + 1) if bins == BINS >> power), None)


def _window(values: Counts, coarseness: int, longest_ns: int) -> LogWindow:
    at = np.flatnonzero(values[_HEAD:])
    first = at << coarseness
    low, high = bin_ranges(first, first + (1 << coarseness) - 1, longest_ns)
    return LogWindow(int(values[0]), int(values[1]), low, high, values[_HEAD:][at])


def _no_row(line: bytes, where: str) -> InputError:
    said = line[:60].decode("utf-8", "replace")
    message = (
        f"not a row of a histogram log of fio 3 (time, direction, block size, {BINS} counts, or this "
        f"number halved up to {_COARSEST} times, the same in each row): {said!r}"
    )
    return InputError("damaged", where, message, hint="fio 2 has other bins, in microseconds: run fio 3")
