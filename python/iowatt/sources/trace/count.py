"""Counts the requests of a trace, in bounded memory: intervals, histograms, blocks of time, hops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from iowatt.run.histogram import Histogram
from iowatt.sources import responses
from iowatt.sources.observation import Direction, Interval, Observation, ObservedHop, ResponseBlock
from iowatt.sources.responses import OPS, Ints, TimeBlocks, TimeCells, exact_sums

#: 0.1 %, as the histograms of a simulated Run.
_BITS: Final = 10
_BINS: Final = 64 << _BITS
#: Of hops: 8 for every doubling, as in a simulated Run.
_HOP_BITS: Final = 3
_HOP_BINS: Final = 64 << _HOP_BITS


class RequestCounter:
    """Counts requests by when they completed; those without a response time, by when they arrived.

    Times are ns from ``zero_ns``, which is the first arrival. ``interval_ns``: of the intervals, None for
    one that suits the length.
    """

    def __init__(self, interval_ns: int | None = None) -> None:
        self.zero_ns: int | None = None
        self.end_ns = 0
        self._cells = TimeCells(interval_ns)
        self._blocks = TimeBlocks()
        self._bins = np.zeros((2, _BINS), dtype=np.int64)
        #: Requests with a response time, and its sum, by direction.
        self._sums = [[0, 0], [0, 0]]
        #: Requests, waiting and device time by direction and bin, of those whose parts are known.
        self._parts = np.zeros((2, 3, _HOP_BINS), dtype=np.int64)
        #: Requests without known parts, and their time, by direction and bin.
        self._whole = np.zeros((2, 2, _HOP_BINS), dtype=np.int64)
        #: Requests, waiting and service of each direction in all, in place of these.
        self._told: list[tuple[int, int, int]] | None = None

    def add(
        self,
        arrived_ns: Ints,
        op: npt.NDArray[np.uint8],
        size: Ints,
        response_ns: Ints,
        waited_ns: Ints | None = None,
    ) -> None:
        """Columns of equal length: ``op`` 0 or 1; response times and waits of -1 are not known."""
        if not arrived_ns.size:
            return
        if self.zero_ns is None:
            self.zero_ns = int(arrived_ns.min())
        # Requests of a recording come in the order of their completion, so one may have arrived before the
        # first.
        done = np.maximum(arrived_ns + np.maximum(response_ns, 0) - self.zero_ns, 0)
        self.end_ns = max(self.end_ns, int(done.max()))
        self._cells.add(done, op, size, response_ns)
        timed = response_ns >= 0
        self._blocks.add(done[timed], op[timed], response_ns[timed])
        for way in (0, 1):
            own = timed & (op == way)
            times = response_ns[own]
            if not times.size:
                continue
            self._bins[way] += np.bincount(responses.bin_numbers(times, _BITS), minlength=_BINS)
            self._sums[way][0] += int(times.size)
            self._sums[way][1] += int(times.sum())
            if waited_ns is not None:
                self._add_parts(way, times, waited_ns[own])

    def cover(self, until_ns: int) -> None:
        """Count all of the time up to ``until_ns``, whether or not a request completed at its end."""
        self.end_ns = max(self.end_ns, until_ns)
        self._cells.cover(until_ns)

    def _add_parts(self, way: int, response_ns: Ints, waited_ns: Ints) -> None:
        known = waited_ns >= 0
        at, waited, took = (
            responses.bin_numbers(response_ns[known], _HOP_BITS),
            waited_ns[known],
            response_ns[known],
        )
        self._parts[way, 0] += np.bincount(at, minlength=_HOP_BINS)
        self._parts[way, 1] += exact_sums(at, waited, _HOP_BINS)
        self._parts[way, 2] += exact_sums(at, took - waited, _HOP_BINS)
        at = responses.bin_numbers(response_ns[~known], _HOP_BITS)
        self._whole[way, 0] += np.bincount(at, minlength=_HOP_BINS)
        self._whole[way, 1] += exact_sums(at, response_ns[~known], _HOP_BINS)

    def told(self, device: Sequence[tuple[int, int]] | None) -> None:
        """Parts of all requests, from the number of requests and their time at the device (ns) by direction.

        Nothing is taken from them where they are not of the same requests.
        """
        if device is None or any(
            a[0] != b[0] or b[1] > a[1] for a, b in zip(self._sums, device, strict=True)
        ):
            return
        both = zip(self._sums, device, strict=True)
        self._told = [(known, whole - served, served) for (known, whole), (_, served) in both]

    def histogram(self, way: int) -> Histogram:
        """All response times of a direction."""
        number = np.flatnonzero(self._bins[way])
        return responses.bin_histogram(number, self._bins[way][number], _BITS)

    def total(self, way: int) -> Direction:
        """All requests of a direction."""
        return self._cells.total(way)

    def intervals(self, zero: float, end: float) -> list[Interval]:
        """Intervals; ``zero`` and ``end`` are the Unix times of the first arrival and the last completion."""
        return self._cells.intervals(zero, end)

    def blocks(self, zero: float, end: float) -> list[ResponseBlock]:
        """Blocks of time; times as for :meth:`intervals`."""
        return self._blocks.blocks(zero, end)

    def hops(self) -> list[ObservedHop]:
        """Waiting and device by direction and bin of the response time; none where no parts are known."""
        found: list[ObservedHop] = []
        if self._told is not None:
            for op, (count, waited, served) in zip(OPS, self._told, strict=True):
                found += _two(op, count, waited, served, None) if count else []
            return found
        low, high = responses.bin_ranges(np.arange(_HOP_BINS, dtype=np.int64), _HOP_BITS)
        for way, op in enumerate(OPS):
            parts, whole = self._parts[way], self._whole[way]
            for at in np.flatnonzero(parts[0] + whole[0]).tolist():
                of = (int(low[at]), int(high[at]))
                if parts[0, at]:
                    found += _two(op, int(parts[0, at]), int(parts[1, at]), int(parts[2, at]), of)
                if whole[0, at]:
                    count, took = int(whole[0, at]), int(whole[1, at])
                    found.append(ObservedHop("queue and device", "drive", op, count, 0, took, of))
        return found


def _two(
    op: Literal["read", "write"], count: int, waited: int, served: int, of: tuple[int, int] | None
) -> list[ObservedHop]:
    return [
        ObservedHop("host queue", "host", op, count, waited, 0, of),
        ObservedHop("device", "drive", op, count, 0, served, of),
    ]


Progress = Callable[[float | None, int], None]


@dataclass(frozen=True)
class TraceSource:
    """What a reader found, beside what it counted."""

    path: Path
    name: str | None
    format: str
    origin_unix_ns: int | None  #: Unix time in ns of the trace's time 0, where it is known.
    devices: Sequence[str]
    notes: Sequence[str]
    files: Sequence[Path] = ()
    hops_note: str | None = None


def to_observation(source: TraceSource, count: RequestCounter) -> Observation:
    """The observation of what was counted."""
    assert count.zero_ns is not None
    dated = source.origin_unix_ns is not None
    zero = ((source.origin_unix_ns or 0) + count.zero_ns) / 1e9 if dated else 0.0
    # A trace of one moment is still a stretch of time.
    end = zero + max(count.end_ns, 1) / 1e9
    notes = list(source.notes)
    if len(source.devices) > 1:
        listed = ", ".join(source.devices[:4]) + (" ..." if len(source.devices) > 4 else "")
        notes.append(f"{len(source.devices)} devices together ({listed}): --device takes some of them")
    totals = (count.total(0), count.total(1))
    return Observation(
        name=source.name or source.path.name.partition(".")[0] or source.path.name,
        tool="trace",
        version=source.format,
        start=zero,
        end=end,
        intervals=count.intervals(zero, end),
        read=count.histogram(0),
        write=count.histogram(1),
        histogram_note=f"the trace's response times ({source.format}), one by one, in bins 0.1 % wide",
        totals=totals,
        warnings=notes,
        files=list(source.files) or [source.path],
        series=count.blocks(zero, end),
        series_note="response times over time are counted when requests completed",
        hops=count.hops(),
        hops_of=source.format,
        hops_note=source.hops_note,
        dated=dated,
    )
