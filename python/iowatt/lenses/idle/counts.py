"""How many idle periods each drive has, how long they are, and how much of the time they make up."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from iowatt.lenses.idle.periods import NS_PER_S, Batch, Floats, Periods, Short
from iowatt.lenses.idle.result import DriveIdle, LongPeriods

#: Lengths in s beyond which periods are counted; 41 s is the spin-down and spin-up of the 2002 study.
LONG_S: Final = (0.1, 1.0, 2.0, 10.0, 41.0, 60.0, 300.0)

MINUTE_S: Final = 60.0

Counts = npt.NDArray[np.int64]


@dataclass
class PerDrive:
    """Sums over the periods of each drive. Moments are of the periods that are known whole."""

    drives: int
    periods: Counts = field(init=False)
    cut: Counts = field(init=False)
    #: Nanoseconds, cut periods included.
    idle_ns: Counts = field(init=False)
    longest_ns: Counts = field(init=False)
    whole_s: Floats = field(init=False)
    #: Nanoseconds in periods over :data:`MINUTE_S`.
    minute_ns: Counts = field(init=False)
    #: Periods and nanoseconds of those longer than each of :data:`LONG_S`.
    longer: Counts = field(init=False)
    longer_ns: Counts = field(init=False)

    def __post_init__(self) -> None:
        for name in ("periods", "cut", "idle_ns", "longest_ns", "minute_ns"):
            setattr(self, name, np.zeros(self.drives, dtype=np.int64))
        self.whole_s = np.zeros(self.drives)
        self.longer = np.zeros(len(LONG_S), dtype=np.int64)
        self.longer_ns = np.zeros(len(LONG_S), dtype=np.int64)

    @property
    def whole(self) -> Counts:
        """Periods known whole."""
        return self.periods - self.cut

    @property
    def mean_s(self) -> Floats:
        """Mean length of the whole periods, NaN where there are none."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return self.whole_s / self.whole

    def add(self, batch: Batch) -> None:
        """Count a batch."""
        drive, length = batch.drive, batch.length_ns
        self.periods += np.bincount(drive, minlength=self.drives)
        self.cut += np.bincount(drive, weights=batch.cut, minlength=self.drives).astype(np.int64)
        np.add.at(self.idle_ns, drive, length)
        np.maximum.at(self.longest_ns, drive, length)
        minute = length > MINUTE_S * NS_PER_S
        np.add.at(self.minute_ns, drive[minute], length[minute])
        kept = ~batch.cut
        self.whole_s += np.bincount(drive[kept], weights=batch.length_s[kept], minlength=self.drives)
        for at, limit in enumerate(LONG_S):
            beyond = length > limit * NS_PER_S
            self.longer[at] += np.count_nonzero(beyond)
            self.longer_ns[at] += int(length[beyond].sum())

    def add_short(self, short: Short) -> None:
        """Count periods that are counted already: each is taken to be as long as the mean of its bin."""
        drive, length = short.drive, short.mean_ns
        np.add.at(self.periods, drive, short.count)
        np.add.at(self.idle_ns, drive, short.sum_ns)
        np.maximum.at(self.longest_ns, drive, length)
        self.whole_s += short.idle_s(self.drives)
        minute = length > MINUTE_S * NS_PER_S
        np.add.at(self.minute_ns, drive[minute], short.sum_ns[minute])
        for at, limit in enumerate(LONG_S):
            beyond = length > limit * NS_PER_S
            self.longer[at] += int(short.count[beyond].sum())
            self.longer_ns[at] += int(short.sum_ns[beyond].sum())

    def fewest_and_most(self) -> tuple[int, int] | None:
        """The drives with fewest and with most periods, the first of equals; none without periods."""
        having = np.flatnonzero(self.periods)
        if len(having) == 0:
            return None
        counts = self.periods[having]
        return int(having[np.argmin(counts)]), int(having[np.argmax(counts)])


def count(periods: Periods) -> PerDrive:
    """Read all periods once."""
    sums = PerDrive(len(periods.devices))
    for batch in periods.batches():
        sums.add(batch)
    sums.add_short(periods.short)
    return sums


def disks(periods: Periods, sums: PerDrive, variance_s2: Floats) -> list[DriveIdle]:
    """One row for each drive; shares are of all time, ``cv`` is the standard deviation over the mean."""
    mean, whole = sums.mean_s, sums.whole
    span = periods.duration_s
    return [
        DriveIdle(
            name=name,
            periods=int(sums.periods[i]),
            cut=int(sums.cut[i]),
            mean_s=float(mean[i]) if whole[i] else None,
            cv=float(np.sqrt(variance_s2[i]) / mean[i]) if whole[i] else None,
            longest_s=sums.longest_ns[i] / NS_PER_S,
            idle_s=sums.idle_ns[i] / NS_PER_S,
            idle_share=sums.idle_ns[i] / NS_PER_S / span if span > 0 else 0.0,
            over_60s_share=sums.minute_ns[i] / NS_PER_S / span if span > 0 else 0.0,
        )
        for i, name in enumerate(periods.devices)
    ]


def longer(periods: Periods, sums: PerDrive) -> list[LongPeriods]:
    """Share of periods, of idle time and of all time in periods longer than each of :data:`LONG_S`."""
    count_all, idle_ns = int(sums.periods.sum()), int(sums.idle_ns.sum())
    time_ns = periods.duration_s * NS_PER_S * len(periods.devices)
    return [
        LongPeriods(
            length_s=limit,
            periods=int(sums.longer[at]),
            share_of_periods=int(sums.longer[at]) / count_all if count_all else 0.0,
            share_of_idle_time=int(sums.longer_ns[at]) / idle_ns if idle_ns else 0.0,
            share_of_time=int(sums.longer_ns[at]) / time_ns if time_ns else 0.0,
        )
        for at, limit in enumerate(LONG_S)
    ]
