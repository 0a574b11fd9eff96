"""Response times by blocks of time: histograms that add up to that of all of them.

Blocks begin at 1 ms and double, neighbours joined, so that there are never more than 512: memory does not
grow with the length of what is counted.
"""

from __future__ import annotations

from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from iowatt.sources.observation import Block
from iowatt.sources.responses import bins
from iowatt.sources.responses.bins import Ints

OPS: Final[tuple[Literal["read", "write"], ...]] = ("read", "write")
_FIRST_NS: Final = 1_000_000
_MOST: Final = 512
_BITS: Final = 8
#: Room for the number of a bin, and of a block, in a key.
_BIN_BITS: Final = 14
_BLOCK_BITS: Final = 10


class Blocks:
    """Counts response times; times are ns from a common zero, of completion."""

    def __init__(self) -> None:
        self.width_ns = _FIRST_NS
        self._keys: Ints = np.zeros(0, dtype=np.int64)
        self._counts: Ints = np.zeros(0, dtype=np.int64)
        self._sum: Ints = np.zeros((2, _MOST), dtype=np.int64)
        self._max: Ints = np.zeros((2, _MOST), dtype=np.int64)

    def add(self, done_ns: Ints, op: npt.NDArray[np.uint8], response_ns: Ints) -> None:
        """Columns of equal length; ``op`` 0 for reads, 1 for writes."""
        if not done_ns.size:
            return
        while int(done_ns.max()) // self.width_ns >= _MOST:
            self._double()
        ways = op.astype(np.int64)
        block = done_ns // self.width_ns
        at = ways * _MOST + block
        self._sum += exact_sums(at, response_ns, 2 * _MOST).reshape(2, _MOST)
        np.maximum.at(self._max.reshape(-1), at, response_ns)
        keys, counts = np.unique(
            ((ways << _BLOCK_BITS | block) << _BIN_BITS) | bins.numbers(response_ns, _BITS),
            return_counts=True,
        )
        self._keys, self._counts = added_up(self._keys, self._counts, keys, counts.astype(np.int64))

    def _double(self) -> None:
        self.width_ns *= 2
        inside = self._keys & ((1 << _BIN_BITS) - 1)
        block = self._keys >> _BIN_BITS & ((1 << _BLOCK_BITS) - 1)
        ways = self._keys >> (_BIN_BITS + _BLOCK_BITS)
        keys = ((ways << _BLOCK_BITS | block >> 1) << _BIN_BITS) | inside
        self._keys, self._counts = added_up(keys, self._counts, keys[:0], self._counts[:0])
        none = np.zeros((2, _MOST // 2), dtype=np.int64)
        self._sum = np.hstack([self._sum[:, ::2] + self._sum[:, 1::2], none])
        self._max = np.hstack([np.maximum(self._max[:, ::2], self._max[:, 1::2]), none])

    def made(self, zero: float, end: float) -> list[Block]:
        """The blocks, in order of time; those without requests are left out.

        ``zero``: Unix time of 0 ns. ``end``: Unix time at which the last block ends at the latest.
        """
        inside = self._keys & ((1 << _BIN_BITS) - 1)
        cell = self._keys >> _BIN_BITS
        first = np.flatnonzero(np.diff(cell, prepend=-1))
        last = np.append(first[1:], cell.size)
        found = []
        for begin, until in zip(first.tolist(), last.tolist(), strict=True):
            way, block = divmod(int(cell[begin]), 1 << _BLOCK_BITS)
            start = zero + block * self.width_ns / 1e9
            found.append(
                Block(
                    op="write" if way else "read",
                    start=start,
                    end=max(start, min(zero + (block + 1) * self.width_ns / 1e9, end)),
                    sum_ns=int(self._sum[way, block]),
                    max_ns=int(self._max[way, block]),
                    histogram=bins.histogram(inside[begin:until], self._counts[begin:until], _BITS),
                )
            )
        return sorted(found, key=lambda block: (block.start, block.op))


def added_up(keys: Ints, counts: Ints, more: Ints, more_counts: Ints) -> tuple[Ints, Ints]:
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
