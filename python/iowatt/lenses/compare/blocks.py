"""A Run cut into blocks of time, as plain arrays: what the statistics of a comparison rest on.

Requests that follow one another are alike: a queue that is long stays long for a while. Blocks of time keep
what belongs together in one piece, so that the variance between blocks is the one that a mean over time
really has.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from iowatt.base.errors import InputError

if TYPE_CHECKING:
    import polars as pl

Floats = npt.NDArray[np.float64]

#: Blocks whose ends are nearer than this share of their width meet.
SAME_EDGE: Final = 1e-6
#: No Run is cut into more blocks, empty ones included; a table that asks for more has wrong times.
MOST_BLOCKS: Final = 1_000_000


@dataclass(frozen=True)
class Blocks:
    """A Run (or a part of its requests) as B blocks of time in order, with counts on K common bins.

    ``start_s``, ``end_s``, ``count``, ``sum_ns`` and ``max_ns`` have length B; ``low_ns`` and ``high_ns``
    (inclusive, ascending, without overlap) length K; ``bins`` is B x K. Where response times are not known K
    is 0 and ``sum_ns`` NaN. ``amounts`` are further sums per block (joules, bytes), each of length B, NaN
    where not measured.
    """

    start_s: Floats
    end_s: Floats
    count: Floats
    sum_ns: Floats
    max_ns: Floats
    low_ns: Floats
    high_ns: Floats
    bins: Floats
    amounts: Mapping[str, Floats] = field(default_factory=dict)

    @property
    def blocks(self) -> int:
        """Number of blocks."""
        return len(self.count)

    @property
    def seconds(self) -> Floats:
        """Length of each block in s."""
        return self.end_s - self.start_s

    @cached_property
    def histogram(self) -> Floats:
        """Requests in each bin, over all blocks."""
        return np.asarray(self.bins.sum(axis=0), dtype=np.float64)

    @classmethod
    def of_series(
        cls,
        frame: pl.DataFrame,
        point: str = "host",
        op: str = "all",
        workload: str | None = None,
        window: tuple[float, float] | None = None,
    ) -> Blocks:
        """Blocks of a ``series`` table: one point of observation, ``op`` ``all``, ``read`` or ``write``.

        ``workload`` takes one workload alone. Blocks are those of the whole table, whatever is taken, and
        blocks without a row are there with no requests, also up to the ends of ``window`` (start and end in
        s). Raises :class:`InputError` where the table holds no such rows, or bins or blocks that overlap.
        """
        start, end = _edges(frame["start_s"].to_numpy(), frame["end_s"].to_numpy(), window)
        taken = _taken(frame, point, op, workload)
        lengths = taken["low_ns"].list.len().to_numpy().astype(np.int64)
        row = (
            np.searchsorted(
                start, taken["start_s"].to_numpy() + 0.5 * SAME_EDGE * (end - start).max(), "right"
            )
            - 1
        )
        low = _flat(taken, "low_ns")
        high = _flat(taken, "high_ns")
        number = _flat(taken, "bin_count")
        grid_low, grid_high, column = _grid(low, high)
        bins = np.zeros((len(start), len(grid_low)))
        np.add.at(bins, (np.repeat(row, lengths), column), number)
        count, sum_ns, max_ns = (np.zeros(len(start)) for _ in range(3))
        np.add.at(count, row, taken["count"].to_numpy().astype(np.float64))
        np.add.at(sum_ns, row, taken["sum_ns"].to_numpy().astype(np.float64))
        np.maximum.at(max_ns, row, taken["max_ns"].to_numpy().astype(np.float64))
        if len(grid_low) and not np.array_equal(bins.sum(axis=1), count):
            raise InputError(
                "damaged", "series: count", "the bins of a block do not add up to its requests",
                hint="`count` is the sum of `bin_count` in every row",
            )  # fmt: skip
        return cls(start, end, count, sum_ns, max_ns, grid_low, grid_high, bins)

    @classmethod
    def of_intervals(cls, frame: pl.DataFrame) -> Blocks:
        """Blocks of an ``intervals`` table: completions and amounts, no response times.

        Amounts are ``reads``, ``writes``, ``bytes_read``, ``bytes_written``, ``bytes`` (of both),
        ``device_j`` (the column ``power_w``) and, where the array's own power is known, ``wall_j``; joules of
        intervals without a value are NaN.
        """
        start = frame["start_s"].to_numpy().astype(np.float64)
        end = frame["end_s"].to_numpy().astype(np.float64)
        amounts: dict[str, Floats] = {
            name: frame[name].to_numpy().astype(np.float64)
            for name in ("reads", "writes", "bytes_read", "bytes_written")
            if name in frame.columns
        }
        if {"bytes_read", "bytes_written"} <= amounts.keys():
            amounts["bytes"] = amounts["bytes_read"] + amounts["bytes_written"]
        for name, power in (("device_j", "power_w"), ("wall_j", "wall_w")):
            if power in frame.columns and frame[power].null_count() < frame.height:
                amounts[name] = frame[power].cast(float).to_numpy() * (end - start)
        count = frame["completions"].to_numpy().astype(np.float64)
        none = np.zeros(0)
        unknown = np.full(len(start), np.nan)
        return cls(start, end, count, unknown, unknown, none, none, np.zeros((len(start), 0)), amounts)

    @classmethod
    def of_histogram(
        cls, low_ns: Any, high_ns: Any, count: Any, seconds: float, *, sum_ns: float | None = None,
        max_ns: float | None = None,
    ) -> Blocks:  # fmt: skip
        """A Run of which only one histogram is known, as a single block: no order in time."""
        low, high, number = (np.asarray(column, dtype=np.float64) for column in (low_ns, high_ns, count))
        grid_low, grid_high, column = _grid(low, high)
        bins = np.zeros((1, len(grid_low)))
        np.add.at(bins[0], column, number)
        middle = float(bins[0] @ (grid_low + grid_high)) / 2
        greatest = float(grid_high[bins[0] > 0].max()) if bins.any() else 0.0
        return cls(
            np.zeros(1), np.full(1, float(seconds)), bins.sum(axis=1),
            np.full(1, middle if sum_ns is None else float(sum_ns)),
            np.full(1, greatest if max_ns is None else float(max_ns)), grid_low, grid_high, bins,
        )  # fmt: skip


def _taken(frame: pl.DataFrame, point: str, op: str, workload: str | None) -> pl.DataFrame:
    """Rows of a point, an operation and a workload; raises :class:`InputError` where there are none."""
    import polars as pl

    points = sorted(set(frame["point"]))
    taken = frame.filter(pl.col("point") == point)
    if taken.is_empty():
        raise InputError(
            "unknown-name",
            "series: point",
            f"there are no response times at {point!r}; available at {', '.join(points) or 'no point'}",
        )
    if workload is not None:
        names = sorted(set(taken["workload"]))
        taken = taken.filter(pl.col("workload") == workload)
        if taken.is_empty():
            raise InputError(
                "unknown-name",
                "series: workload",
                f"there is no workload {workload!r}; available: {', '.join(names)}",
            )
    if op != "all":
        taken = taken.filter(pl.col("op") == op)
        if taken.is_empty():
            raise InputError(
                "empty", "series: op", f"there are no requests of kind {op!r}; expected all, read or write"
            )
    return taken


def _flat(frame: pl.DataFrame, name: str) -> Floats:
    """All values of a column of lists, in order."""
    return frame[name].explode().drop_nulls().to_numpy().astype(np.float64)


def _grid(low: Floats, high: Floats) -> tuple[Floats, Floats, npt.NDArray[np.int64]]:
    """Distinct bins in ascending order, and which of them each given one is."""
    grid_low, first, column = np.unique(low, return_index=True, return_inverse=True)
    grid_high = high[first]
    if (
        np.any(grid_high[column] != high)
        or np.any(grid_high < grid_low)
        or np.any(grid_low[1:] <= grid_high[:-1])
    ):
        raise InputError(
            "damaged", "series: low_ns", "bins overlap",
            hint="bins of rows that are merged must be equal or disjoint",
        )  # fmt: skip
    return grid_low, grid_high, column.astype(np.int64)


def _edges(start_s: Any, end_s: Any, window: tuple[float, float] | None) -> tuple[Floats, Floats]:
    """Starts and ends of all blocks: the distinct ones given, and empty ones of the usual width in the
    gaps."""
    start, first = np.unique(np.asarray(start_s, dtype=np.float64), return_index=True)
    end = np.asarray(end_s, dtype=np.float64)[first]
    if len(start) == 0:
        raise InputError(
            "empty", "series", "there are no blocks; expected a Run with at least one completed request"
        )
    width = float((end - start).max())
    slack = SAME_EDGE * width
    if not np.isfinite(start).all() or not np.isfinite(end).all() or np.any(end <= start):
        raise InputError(
            "damaged",
            "series: end_s",
            "a block does not end after it begins",
            hint="start_s < end_s, both finite",
        )
    if np.any(start[1:] < end[:-1] - slack):
        raise InputError(
            "damaged", "series: start_s", "blocks overlap in time", hint="all rows need the same cuts"
        )
    began, ended = (float(start[0]), float(end[-1])) if window is None else window
    if (max(ended, end[-1]) - min(began, start[0])) / width > MOST_BLOCKS:
        raise InputError(
            "too-large", "series", f"there are too many blocks; expected at most {MOST_BLOCKS:,}"
        )
    starts: list[float] = []
    ends: list[float] = []

    def empty(from_s: float, to_s: float) -> None:
        number = round((to_s - from_s) / width)
        if to_s - from_s <= slack:
            return
        cuts = np.linspace(from_s, to_s, max(number, 1) + 1)
        starts.extend(cuts[:-1].tolist())
        ends.extend(cuts[1:].tolist())

    at = min(began, float(start[0]))
    for one, other in zip(start.tolist(), end.tolist(), strict=True):
        empty(at, one)
        starts.append(one)
        ends.append(other)
        at = other
    empty(at, ended)
    return np.asarray(starts), np.asarray(ends)
