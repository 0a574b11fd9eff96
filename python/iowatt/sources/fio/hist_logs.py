"""fio's histogram logs (``write_hist_log``): the bins of completion times of a job, window by window.

A row is ``time in ms, direction (0 read, 1 write, 2 trim), block size, count, count, ...``, a count for each
of fio's 1856 bins, or for 2, 4 ... 64 neighbours together (``log_hist_coarseness``): as many as there are,
so the row itself says it. It holds the requests since the row of its direction before it; the first, since
the job began. It is written with the first completion after ``log_hist_msec``, so that one, too, is in it,
and what completes behind the last row is in none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from iowatt.base.errors import InputError
from iowatt.sources.fio.bins import BINS, Counts, ranges

#: Ten hours of windows of a second of a job that reads and writes.
MOST_BYTES: Final = 512 << 20
_ROW: Final = re.compile(rb"[0-9]{1,18}(?:, ?[0-9]{1,18}){3,2000}", re.ASCII)
_COARSEST: Final = 6
_HEAD: Final = 3


@dataclass(frozen=True)
class Window:
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
    windows: list[Window]
    coarseness: int  #: Neighbouring bins of fio in one of the log, as a power of two: 0 to 6.
    cut: bool  #: Whether its last row was cut short and left out.


def read(path: Path, longest_ns: int = 0) -> HistogramLog:
    """Read a histogram log. A last line without its end, which a crash leaves, is passed over; trims, too.

    ``longest_ns``: the longest completion time that is known, as the end of the last bin.

    Raises ``InputError`` with the line that is no row, or where the log is longer than 512 MiB.
    """
    where = str(path)
    windows: list[Window] = []
    coarseness: int | None = None
    cut = False
    try:
        if path.stat().st_size > MOST_BYTES:
            raise InputError(
                "too-large",
                where,
                f"the log is longer than {MOST_BYTES >> 20} MiB",
                hint="log_hist_coarseness=3 makes rows an eighth as long",
            )
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


def _window(values: Counts, coarseness: int, longest_ns: int) -> Window:
    at = np.flatnonzero(values[_HEAD:])
    first = at << coarseness
    low, high = ranges(first, first + (1 << coarseness) - 1, longest_ns)
    return Window(int(values[0]), int(values[1]), low, high, values[_HEAD:][at])


def _no_row(line: bytes, where: str) -> InputError:
    said = line[:60].decode("utf-8", "replace")
    return InputError(
        "damaged",
        where,
        f"not a row of a histogram log of fio 3 (time, direction, block size, {BINS} counts, or this "
        f"number halved up to {_COARSEST} times, the same in each row): {said!r}",
        hint="fio 2 has other bins, in microseconds: run fio 3",
    )
