"""Buckets of response times of an array, as histograms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from iowatt.counters.log import CountersLog
from iowatt.run.histogram import Histogram
from iowatt.sources.counters.request import Places
from iowatt.sources.observation import Interval, ResponseBlock

OPS: Final[tuple[Literal["read", "write"], ...]] = ("read", "write")
_NS: Final = 1e9

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True)
class ResponseBuckets:
    """Requests by bucket of response times, of devices together: one array for each direction."""

    low_ns: list[int]
    high_ns: list[int]
    counts: Mapping[str, Counts]

    @classmethod
    def of(cls, log: CountersLog, devices: Sequence[str], used: Places) -> ResponseBuckets | None:
        """None where the log has none, or they are unknown in some interval."""
        ends = [round(end * _NS) for end in log.bucket_ends]
        if not ends:
            return None
        counts: dict[str, Counts] = {}
        for op in OPS:
            columns = [
                sum(log.column(device, f"{op}_bucket_{number}")[used] for device in devices)
                for number in range(len(ends))
            ]
            table = np.column_stack(columns)
            if not np.isfinite(table).all():
                return None
            counts[op] = np.rint(table).astype(np.int64)
        return cls([0, *(end + 1 for end in ends[:-1])], ends, counts)

    def _histogram(self, counts: Counts) -> Histogram:
        return Histogram.of(self.low_ns, self.high_ns, counts)

    def total(self, op: str) -> Histogram:
        """Of a direction in all intervals."""
        return self._histogram(self.counts[op].sum(axis=0))

    def interval(self, number: int) -> Histogram:
        """Of both directions in an interval."""
        return self._histogram(self.counts["read"][number] + self.counts["write"][number])

    def blocks(self, intervals: Sequence[Interval]) -> list[ResponseBlock]:
        """A block for each interval and direction that has requests with response times."""
        found = []
        for number, part in enumerate(intervals):
            for op, direction in zip(OPS, (part.read, part.write), strict=True):
                own = self._histogram(self.counts[op][number])
                if not own.total or direction.response_mean_s is None:
                    continue
                sum_ns = round(direction.response_mean_s * _NS * own.total)
                highest = int(own.high_ns[-1])
                found.append(ResponseBlock(op, part.start, part.end, sum_ns, highest, own))
        return found
