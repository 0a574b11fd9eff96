"""Response times counted one by one, in bounded memory: bins, blocks of time, intervals.

Bins have equal relative width: ``2**bits`` for every doubling, each value its own bin where that is finer.
With 8 bits they are those of the table ``series`` of a simulated Run (0.4 % wide), with 10 bits 0.1 %.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from iowatt.base.errors import Argument, InputError
from iowatt.run.histogram import Histogram
from iowatt.sources.observation import Direction, Interval, ResponseBlock

Ints = npt.NDArray[np.int64]


def bin_numbers(values_ns: Ints, bits: int) -> Ints:
    """The bin of each value (0 and more, below 2**62)."""
    # Above 2**53 the exponent of the nearest float may be one too many: the number comes out the same.
    shift = np.maximum(np.frexp(values_ns.astype(np.float64))[1].astype(np.int64) - 1 - bits, 0)
    found: Ints = (shift << bits) + (values_ns >> shift)
    return found


def bin_ranges(number: Ints, bits: int) -> tuple[Ints, Ints]:
    """Lowest and highest value of bins."""
    shift = np.maximum((number >> bits) - 1, 0)
    low = (number - (shift << bits)) << shift
    return low, low + (np.int64(1) << shift) - 1


def bin_histogram(number: Ints, count: Ints, bits: int) -> Histogram:
    """Counts by bin as a histogram."""
    low, high = bin_ranges(number, bits)
    return Histogram.of(low, high, count)


OPS: Final[tuple[Literal["read", "write"], ...]] = ("read", "write")
_FIRST_NS: Final = 1_000_000
_MOST_BLOCKS: Final = 512
_BITS: Final = 8
#: Room for the number of a bin, and of a block, in a key.
_BIN_BITS: Final = 14
_BLOCK_BITS: Final = 10


class _BinCounts:
    """Response times counted by cell and bin, in order of cells."""

    def __init__(self) -> None:
        #: ``cell << 14 | bin``, rising, and the requests of each.
        self._keys: Ints = np.zeros(0, dtype=np.int64)
        self._counts: Ints = np.zeros(0, dtype=np.int64)

    @property
    def cells(self) -> Ints:
        """The cell of each entry."""
        return self._keys >> _BIN_BITS

    def add(self, cells: Ints, response_ns: Ints) -> None:
        """Count response times, each in its cell."""
        keys, counts = np.unique(cells << _BIN_BITS | bin_numbers(response_ns, _BITS), return_counts=True)
        self._keys, self._counts = add_counts(self._keys, self._counts, keys, counts.astype(np.int64))

    def join(self, cells: Ints) -> None:
        """Give each entry a new cell."""
        keys = cells << _BIN_BITS | self._keys & ((1 << _BIN_BITS) - 1)
        self._keys, self._counts = add_counts(keys, self._counts, keys[:0], self._counts[:0])

    def histogram(self, begin: int, end: int) -> Histogram:
        """The entries from ``begin`` to before ``end``, of one cell."""
        bins = self._keys[begin:end] & ((1 << _BIN_BITS) - 1)
        return bin_histogram(bins, self._counts[begin:end], _BITS)


class TimeBlocks:
    """Counts response times by blocks of time; times are ns of completion from a common zero.

    Blocks begin at 1 ms and double, neighbours joined, so that there are never more than 512.
    """

    def __init__(self) -> None:
        self.width_ns = _FIRST_NS
        self._bins = _BinCounts()
        self._sum: Ints = np.zeros((2, _MOST_BLOCKS), dtype=np.int64)
        self._max: Ints = np.zeros((2, _MOST_BLOCKS), dtype=np.int64)

    def add(self, done_ns: Ints, op: npt.NDArray[np.uint8], response_ns: Ints) -> None:
        """Columns of equal length; ``op`` 0 for reads, 1 for writes."""
        if not done_ns.size:
            return
        while int(done_ns.max()) // self.width_ns >= _MOST_BLOCKS:
            self._double()
        ways, block = op.astype(np.int64), done_ns // self.width_ns
        at = ways * _MOST_BLOCKS + block
        self._sum += exact_sums(at, response_ns, 2 * _MOST_BLOCKS).reshape(2, _MOST_BLOCKS)
        np.maximum.at(self._max.reshape(-1), at, response_ns)
        self._bins.add(ways << _BLOCK_BITS | block, response_ns)

    def _double(self) -> None:
        self.width_ns *= 2
        ways, block = self._bins.cells >> _BLOCK_BITS, self._bins.cells & ((1 << _BLOCK_BITS) - 1)
        self._bins.join(ways << _BLOCK_BITS | block >> 1)
        none = np.zeros((2, _MOST_BLOCKS // 2), dtype=np.int64)
        self._sum = np.hstack([self._sum[:, ::2] + self._sum[:, 1::2], none])
        self._max = np.hstack([np.maximum(self._max[:, ::2], self._max[:, 1::2]), none])

    def blocks(self, zero: float, end: float) -> list[ResponseBlock]:
        """The blocks, in order of time; those without requests are left out.

        ``zero``: Unix time of 0 ns. ``end``: Unix time at which the last block ends at the latest.
        """
        cells = self._bins.cells
        first = np.flatnonzero(np.diff(cells, prepend=-1))
        last = np.append(first[1:], cells.size)
        found = []
        for begin, until in zip(first.tolist(), last.tolist(), strict=True):
            way, block = divmod(int(cells[begin]), 1 << _BLOCK_BITS)
            start = zero + block * self.width_ns / 1e9
            found.append(
                ResponseBlock(
                    op="write" if way else "read",
                    start=start,
                    end=max(start, min(zero + (block + 1) * self.width_ns / 1e9, end)),
                    sum_ns=int(self._sum[way, block]),
                    max_ns=int(self._max[way, block]),
                    histogram=self._bins.histogram(begin, until),
                )
            )
        return sorted(found, key=lambda block: (block.start, block.op))


def add_counts(keys: Ints, counts: Ints, more: Ints, more_counts: Ints) -> tuple[Ints, Ints]:
    """Counts by key of both, the keys in order and each once."""
    found, where = np.unique(np.concatenate([keys, more]), return_inverse=True)
    total = np.zeros(found.size, dtype=np.int64)
    np.add.at(total, where, np.concatenate([counts, more_counts]))
    return found, total


def exact_sums(at: Ints, values: Ints, cells: int) -> Ints:
    """Sums of whole numbers by cell, exact where a batch has fewer than 2**21 of them."""
    low = np.bincount(at, weights=(values & 0xFFFFFFFF).astype(np.float64), minlength=cells)
    high = np.bincount(at, weights=(values >> 32).astype(np.float64), minlength=cells)
    found: Ints = (high.astype(np.int64) << 32) + low.astype(np.int64)
    return found


#: Most cells of which percentiles are kept: more are too many to hold a histogram each.
_MOST_HISTOGRAMS: Final = 2000
#: Lengths in ns, and the most cells of each before the next one is taken.
_LADDER: Final = (
    (10_000_000, 300),
    (100_000_000, 300),
    (10**9, 300),
    (60 * 10**9, 100_000),
    (3600 * 10**9, 1_000_000),
)
_MOST_CELLS: Final = 1_000_000

_Columns = dict[str, npt.NDArray[np.int64]]


class TimeCells:
    """Counts requests, bytes and moments of response times by cells of time, from which intervals are made.

    Cells are as long as asked for, or begin at 10 ms and become 100 ms, a second, a minute and an hour while
    there are too many of them; each length divides the next. Times are ns from a common zero.
    """

    def __init__(self, width_ns: int | None = None) -> None:
        self._rungs = list(_LADDER) if width_ns is None else [(width_ns, _MOST_CELLS)]
        self._ways = [self._empty(), self._empty()]
        self._squares = [np.zeros(0), np.zeros(0)]
        self._size = 0
        self._bins: _BinCounts | None = _BinCounts()  #: None once there are too many cells.

    @property
    def width_ns(self) -> int:
        """Length of a cell."""
        return self._rungs[0][0]

    @staticmethod
    def _empty() -> _Columns:
        return {
            name: np.zeros(0, dtype=np.int64) for name in ("requests", "timed", "bytes", "sum_ns", "max_ns")
        }

    def add(self, when_ns: Ints, op: npt.NDArray[np.uint8], size: Ints, response_ns: Ints) -> None:
        """Columns of equal length; ``op`` 0 or 1; a response time of -1 is not known.

        Raises ``InputError`` where there are more than a million cells.
        """
        if not when_ns.size:
            return
        while int(when_ns.max()) // self.width_ns >= self._rungs[0][1]:
            self._coarser()
        at = when_ns // self.width_ns
        size_now = max(self._size, int(at.max()) + 1)
        self._grow(size_now)
        for way, columns in enumerate(self._ways):
            own = op == way
            timed = own & (response_ns >= 0)
            cells, response = at[timed], response_ns[timed]
            columns["requests"] += np.bincount(at[own], minlength=size_now)
            columns["timed"] += np.bincount(cells, minlength=size_now)
            columns["bytes"] += exact_sums(at[own], size[own], size_now)
            columns["sum_ns"] += exact_sums(cells, response, size_now)
            np.maximum.at(columns["max_ns"], cells, response)
            self._squares[way] += np.bincount(cells, weights=(response / 1e9) ** 2, minlength=size_now)
        if self._size > _MOST_HISTOGRAMS:
            self._bins = None
        if self._bins is not None:
            self._bins.add(at[response_ns >= 0], response_ns[response_ns >= 0])

    def cover(self, until_ns: int) -> None:
        """Have cells up to ``until_ns``, of no requests where there were none."""
        while (until_ns - 1) // self.width_ns >= self._rungs[0][1]:
            self._coarser()
        self._grow((until_ns - 1) // self.width_ns + 1)

    def _grow(self, size: int) -> None:
        more = size - self._size
        if more <= 0:
            return
        for columns in self._ways:
            for name, column in columns.items():
                columns[name] = np.append(column, np.zeros(more, dtype=np.int64))
        self._squares = [np.append(column, np.zeros(more)) for column in self._squares]
        self._size = size

    def _coarser(self) -> None:
        if len(self._rungs) == 1:
            message = f"the trace would have more than {_MOST_CELLS} intervals"
            raise InputError("out-of-range", Argument("interval", f"{self.width_ns / 1e9:g} s"), message)
        times = self._rungs[1][0] // self._rungs[0][0]
        del self._rungs[0]
        self._grow(-(-self._size // times) * times)
        self._size //= times
        for columns in self._ways:
            for name, column in columns.items():
                rows = column.reshape(self._size, times)
                columns[name] = rows.max(axis=1) if name == "max_ns" else rows.sum(axis=1)
        self._squares = [column.reshape(self._size, times).sum(axis=1) for column in self._squares]
        if self._bins is not None:
            self._bins.join(self._bins.cells // times)

    def _histograms(self) -> list[Histogram | None]:
        """By cell; None where there were too many."""
        if self._bins is None:
            return [None] * self._size
        edges = np.searchsorted(self._bins.cells, np.arange(self._size + 1)).tolist()
        return [self._bins.histogram(begin, end) for begin, end in pairwise(edges)]

    def intervals(self, zero: float, end: float) -> list[Interval]:
        """All cells as intervals; ``zero`` is the Unix time of 0 ns, and the last one ends at ``end``."""
        width = self.width_ns / 1e9
        edges = [zero + cell * width for cell in range(self._size)] + [end]
        return [
            Interval(start, until, self._direction(0, cell), self._direction(1, cell), histogram=histogram)
            for cell, ((start, until), histogram) in enumerate(
                zip(pairwise(edges), self._histograms(), strict=True)
            )
        ]

    def _direction(self, way: int, cell: int) -> Direction:
        row = {name: int(column[cell]) for name, column in self._ways[way].items()}
        return _to_direction(row, float(self._squares[way][cell]))

    def total(self, way: int) -> Direction:
        """All requests of a direction together."""
        columns = self._ways[way]
        row = {name: int(c.max(initial=0) if name == "max_ns" else c.sum()) for name, c in columns.items()}
        return _to_direction(row, float(self._squares[way].sum()))


def _to_direction(row: dict[str, int], square_s2: float) -> Direction:
    """The moments of one direction, from its counts and sums."""
    timed = row["timed"]
    if not timed:
        return Direction(row["requests"], row["bytes"], None, timed=0)
    mean = row["sum_ns"] / timed / 1e9
    spread = max(0.0, square_s2 / timed - mean * mean) ** 0.5
    return Direction(row["requests"], row["bytes"], mean, row["max_ns"] / 1e9, spread, timed)
