"""Autocorrelation of successive idle periods of a drive, the study's Figure 4 and Table 2.

With m the mean of a drive's n whole periods x_1 ... x_n, the estimate at lag k is
``r_k = sum((x_i - m) (x_i+k - m), i = 1 .. n-k) / sum((x_i - m)^2)`` (Box, Jenkins and Reinsel, Time Series
Analysis, 2.1.5). They use it for lags up to n / 4; a drive with fewer than 4 k whole periods, or whose
periods are all of one length, has none at lag k. For periods that know nothing of one another r_k is about
normal with standard deviation ``1 / sqrt(n)``.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from iowatt.lenses.idle.counts import PerDrive
from iowatt.lenses.idle.periods import NS_PER_S, Batch, Floats, Short
from iowatt.lenses.idle.result import Autocorrelation, DriveAutocorrelation

LAGS: Final = 50
#: Whole periods that a drive needs for each lag.
PERIODS_PER_LAG: Final = 4


class Products:
    """Sums of products of deviations that lie 0 to :data:`LAGS` periods apart, by drive."""

    def __init__(self, sums: PerDrive) -> None:
        self._mean = sums.mean_s
        self._whole = sums.whole
        self._last = np.zeros((sums.drives, LAGS))
        self.sums = np.zeros((sums.drives, LAGS + 1))
        #: Whether every period came, one by one: else nothing is known of which followed which.
        self._ordered = True

    def add(self, batch: Batch) -> None:
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

    def add_short(self, short: Short) -> None:
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


def described(products: Products, names: list[str], shown: tuple[int, int] | None) -> Autocorrelation:
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
