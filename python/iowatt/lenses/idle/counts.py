"""How many idle periods each drive has, how long they are, and whether successive ones correlate.

Autocorrelation (the study's Figure 4 and Table 2): with m the mean of a drive's n whole periods x_1 ... x_n,
the estimate at lag k is ``r_k = sum((x_i - m) (x_i+k - m), i = 1 .. n-k) / sum((x_i - m)^2)`` (Box, Jenkins
and Reinsel, Time Series Analysis, 2.1.5). They use it for lags up to n / 4; a drive with fewer than 4 k whole
periods, or whose periods are all of one length, has none at lag k. For independent periods r_k is about
normal with standard deviation ``1 / sqrt(n)``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from iowatt.lenses.idle.periods import NS_PER_S, Floats, PeriodBatch, Periods, ShortPeriods
from iowatt.lenses.idle.result import Autocorrelation, DriveAutocorrelation, DriveIdle, LongPeriods

#: Lengths in s beyond which periods are counted; 41 s is the spin-down and spin-up of the 2002 study.
LONG_S: Final = (0.1, 1.0, 2.0, 10.0, 41.0, 60.0, 300.0)

MINUTE_S: Final = 60.0

Counts = npt.NDArray[np.int64]


@dataclass
class DriveSums:
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

    def add(self, batch: PeriodBatch) -> None:
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

    def add_short(self, short: ShortPeriods) -> None:
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


def count(periods: Periods) -> DriveSums:
    """Read all periods once."""
    sums = DriveSums(len(periods.devices))
    for batch in periods.batches():
        sums.add(batch)
    sums.add_short(periods.short)
    return sums


def disks(periods: Periods, sums: DriveSums, variance_s2: Floats) -> list[DriveIdle]:
    """One row for each drive; shares are of all time, ``cv`` is the standard deviation over the mean."""
    mean, whole = sums.mean_s, sums.whole
    span = periods.duration_s
    return [
        DriveIdle(
            name=name, periods=int(sums.periods[i]), cut=int(sums.cut[i]),
            mean_s=float(mean[i]) if whole[i] else None,
            cv=float(np.sqrt(variance_s2[i]) / mean[i]) if whole[i] else None,
            longest_s=sums.longest_ns[i] / NS_PER_S, idle_s=sums.idle_ns[i] / NS_PER_S,
            idle_share=sums.idle_ns[i] / NS_PER_S / span if span > 0 else 0.0,
            over_60s_share=sums.minute_ns[i] / NS_PER_S / span if span > 0 else 0.0,
        )
        for i, name in enumerate(periods.devices)
    ]  # fmt: skip


def longer(periods: Periods, sums: DriveSums) -> list[LongPeriods]:
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


LAGS: Final = 50
#: Whole periods that a drive needs for each lag.
PERIODS_PER_LAG: Final = 4


class LagProducts:
    """Sums of products of deviations that lie 0 to :data:`LAGS` periods apart, by drive."""

    def __init__(self, sums: DriveSums) -> None:
        self._mean = sums.mean_s
        self._whole = sums.whole
        self._last = np.zeros((sums.drives, LAGS))
        self.sums = np.zeros((sums.drives, LAGS + 1))
        #: Whether every period was added one by one; if not, their order is not known.
        self._ordered = True

    def add(self, batch: PeriodBatch) -> None:
        """Add a batch; batches come in order."""
        for drive, length_ns in batch.whole().by_drive:
            deviations = length_ns / NS_PER_S - self._mean[drive]
            # What lies before the first period is 0 and adds nothing.
            joined = np.concatenate((self._last[drive], deviations))
            for lag in range(LAGS + 1):
                # Not a product of BLAS, whose threads cost more than they bring here and sum in any order.
                earlier = joined[LAGS - lag : len(joined) - lag]
                self.sums[drive, lag] += np.einsum("i,i->", earlier, deviations)
            self._last[drive] = joined[-LAGS:]

    def add_short(self, short: ShortPeriods) -> None:
        """Add periods that are only counted, to the variance alone."""
        if short.periods == 0:
            return
        self._ordered = False
        deviations = short.mean_ns / NS_PER_S - self._mean[short.drive]
        np.add.at(self.sums[:, 0], short.drive, short.count * deviations**2)

    @property
    def variance_s2(self) -> Floats:
        """Variance (population) of each drive's whole periods in s^2; 0 where there are none."""
        return np.divide(self.sums[:, 0], self._whole, out=np.zeros(len(self._whole)), where=self._whole > 0)

    def coefficients(self) -> Floats:
        """Drives x :data:`LAGS`, lag 1 first; NaN where a drive has none."""
        # Lengths are whole nanoseconds: what is below is rounding.
        varies = self.variance_s2 > 1e-20 + 1e-24 * np.nan_to_num(self._mean) ** 2
        lags = np.arange(1, LAGS + 1)
        enough = self._whole[:, None] >= PERIODS_PER_LAG * lags[None, :]
        r = np.full((len(self._mean), LAGS), np.nan)
        if self._ordered:
            np.divide(self.sums[:, 1:], self.sums[:, :1], out=r, where=enough & varies[:, None])
        return r


def described(products: LagProducts, names: list[str], shown: tuple[int, int] | None) -> Autocorrelation:
    """Mean and standard deviation (population) over drives at each lag, and two drives on their own."""
    r = products.coefficients()
    having = ~np.isnan(r)
    drives = having.sum(axis=0)
    lags = [lag for lag in range(1, LAGS + 1) if drives[lag - 1]]
    columns = [r[having[:, lag - 1], lag - 1] for lag in lags]
    least = products._whole[having[:, 0]].min() if having[:, 0].any() else 0
    return Autocorrelation(
        lags=lags,
        drives=[int(drives[lag - 1]) for lag in lags],
        mean=[float(column.mean()) for column in columns],
        sigma=[float(column.std()) for column in columns],
        noise_95=float(1.96 / np.sqrt(least)) if least else None,
        disks=[
            DriveAutocorrelation(
                name=names[drive], r=[None if np.isnan(x) else float(x) for x in r[drive, : len(lags)]]
            )
            for drive in dict.fromkeys(shown or ())
        ],
    )
