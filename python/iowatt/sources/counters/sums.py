"""Devices of a log added up: requests, bytes and response times by interval and direction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from iowatt.counters.activity import Activity
from iowatt.counters.log import CountersLog, Floats
from iowatt.sources.counters.buckets import OPS, ResponseBuckets
from iowatt.sources.counters.request import Places
from iowatt.sources.observation import Direction, Interval


@dataclass(frozen=True)
class CountedDevice:
    """A device: rates, and response times of reads, writes and both in s; None where the log has none."""

    act: Activity
    waits: Mapping[str, Floats | None]

    @classmethod
    def of(cls, log: CountersLog, act: Activity) -> CountedDevice:
        """The device of an activity."""
        names = {"read": "read_wait", "write": "write_wait", "both": "wait"}
        waits = {op: log.column(act.device, n) if log.has(act.device, n) else None for op, n in names.items()}
        return cls(act, waits)


@dataclass(frozen=True)
class DeviceSums:
    """Devices added up over the intervals that are used."""

    parts: Sequence[CountedDevice]
    used: Places
    starts: Sequence[float]
    seconds: Floats

    def intervals(self, buckets: ResponseBuckets | None) -> list[Interval]:
        """The intervals, end to end where the stamps all but meet."""
        reads = self._directions("read")
        writes = self._directions("write")
        both = self._both(reads, writes)
        ends = [start + length for start, length in zip(self.starts, self.seconds.tolist(), strict=True)]
        # A stamp is rounded, a length is not: where they all but meet, they meet.
        for number, (_, start) in enumerate(pairwise(self.starts)):
            if abs(start - ends[number]) <= 0.05 * self.seconds[number]:
                ends[number] = start
        return [
            Interval(
                start=self.starts[k], end=ends[k], read=reads[k], write=writes[k],
                both=None if both is None else both[k],
                histogram=None if buckets is None else buckets.interval(k),
            )
            for k in range(len(ends))
        ]  # fmt: skip

    def _amounts(self, part: CountedDevice, op: str) -> tuple[Floats, Floats]:
        """Requests and bytes of a device in each interval."""
        act = part.act
        rates = (act.reads, act.read_bytes) if op == "read" else (act.writes, act.write_bytes)
        return rates[0][self.used] * self.seconds, rates[1][self.used] * self.seconds

    def _directions(self, op: str) -> list[Direction]:
        amounts = [self._amounts(part, op) for part in self.parts]
        waits = [part.waits[op] for part in self.parts]
        return _as_directions([n for n, _ in amounts], [b for _, b in amounts], waits, self.used)

    def _both(self, reads: Sequence[Direction], writes: Sequence[Direction]) -> list[Direction] | None:
        """Both directions in one, where the log has response times of both together only."""
        waits = [part.waits["both"] for part in self.parts]
        apart = [part.waits[op] for part in self.parts for op in OPS]
        if all(wait is not None for wait in apart) or not any(wait is not None for wait in waits):
            return None
        each = [[self._amounts(part, op) for op in OPS] for part in self.parts]
        counts = [read[0] + write[0] for read, write in each]
        moved = [read[1] + write[1] for read, write in each]
        found = _as_directions(counts, moved, waits, self.used)
        return [
            Direction(
                r.requests + w.requests, r.bytes + w.bytes, d.response_mean_s,
                timed=None if d.timed is None else min(d.timed, r.requests + w.requests),
            )
            for r, w, d in zip(reads, writes, found, strict=True)
        ]  # fmt: skip


def _as_directions(
    counts: Sequence[Floats],
    moved: Sequence[Floats],
    waits: Sequence[Floats | None],
    used: Places,
) -> list[Direction]:
    """Sums over devices, whole; the mean response time of those that have one."""
    requests, size = _whole(np.sum(counts, axis=0)), _whole(np.sum(moved, axis=0))
    timed, total = np.zeros(len(requests)), np.zeros(len(requests))
    for count, wait in zip(counts, waits, strict=True):
        if wait is None:
            continue
        has_wait = np.isfinite(wait[used])
        timed += np.where(has_wait, count, 0.0)
        total += np.where(has_wait, count * np.nan_to_num(wait[used]), 0.0)
    every = np.sum(counts, axis=0)
    found = []
    for k, number in enumerate(requests):
        all_timed = timed[k] >= every[k] * (1 - 1e-9)
        known = number if all_timed else min(number, round(float(timed[k])))
        mean = float(total[k] / timed[k]) if timed[k] > 0 and known else None
        found.append(Direction(number, size[k], mean, timed=known if mean is not None else 0))
    return found


def _whole(amounts: Floats) -> list[int]:
    """Whole numbers whose sum up to each place is that of the amounts, rounded."""
    sums = np.rint(np.cumsum(amounts)).astype(np.int64)
    return [int(one) for one in np.diff(sums, prepend=0)]
