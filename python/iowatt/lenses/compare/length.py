"""How long blocks have to be, so that what follows from one to the next no longer matters.

The figures of short blocks are correlated: a queue built up in one is still there in the next. Neighbouring
blocks are therefore drawn together, so many that what they have in common with those outside is negligible.
With R(k) the autocovariance of a figure at a distance of k blocks, blocks of length L miss the share

    tau / L,   tau = sum |k| R(k) / sum R(k)

of the variance of the mean (Lahiri, Resampling Methods for Dependent Data, 2003, 5.2), untapered. tau is
found as by Politis and White (Econometric Reviews 23, 2004): the flat-top lag window, as wide as twice the
lag after which correlations are no more than noise.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from iowatt.lenses.compare.blocks import Floats

#: Blocks of the Run's that are drawn at the most: more, shorter ones gain little (t is 2.07 at 23 degrees)
#: and see less of correlations too weak to be found.
ENOUGH_BLOCKS: Final = 24
#: With fewer there is no interval: Student's t is 2.2 at 11 degrees, and a variance from fewer is hardly one.
LEAST_BLOCKS: Final = 12
#: Length of a block over tau: tapered blocks then see five sixths of the variance, and what they miss is
#: known well enough to be made good (``bootstrap.seen``).
LENGTHS_OF_CORRELATION: Final = 6.0
#: Lags in a row that must be noise (Politis and White: at least 5).
QUIET_LAGS: Final = 5


def autocorrelations(figures: Floats) -> Floats:
    """Autocorrelation of each column of a B x J array at lags 0 to B // 4 (rows); 0 for columns that do not
    vary."""
    count = len(figures)
    centred = figures - figures.mean(axis=0)
    size = 1 << (2 * count - 1).bit_length()
    spectrum = np.fft.rfft(centred, size, axis=0)
    covariance = np.fft.irfft(spectrum * np.conj(spectrum), size, axis=0)[: count // 4 + 1]
    variance = covariance[0]
    return np.asarray(
        np.divide(covariance, variance, out=np.zeros_like(covariance), where=variance > 0), dtype=np.float64
    )


def correlation_length(figures: Floats) -> Floats:
    """tau of each column in blocks (0 or more); infinite where correlations do not end within a quarter of
    the blocks."""
    count, columns = figures.shape
    r = autocorrelations(figures)
    noise = 2 * math.sqrt(math.log10(max(count, 10)) / count)
    tau = np.zeros(columns)
    for column in range(columns):
        quiet = np.abs(r[1:, column]) < noise
        last = _last_loud(quiet)
        if last is None:
            tau[column] = math.inf
            continue
        # The least that the first lag tells, even where it could be noise; of what decays evenly it tells
        # all.
        tau[column] = _of_first(float(r[1, column]))
        if last == 0:
            continue
        lags = np.arange(1, min(2 * last, len(r) - 1) + 1)
        # 1 up to half the width, then straight down to 0.
        window = np.clip(2 * (1 - lags / (2 * last)), 0.0, 1.0)
        total = 1 + 2 * float(window @ r[lags, column])
        reach = 2 * float((window * lags) @ r[lags, column])
        # What swings back makes the mean surer than single blocks say: nothing is missed.
        if total > 0:
            tau[column] = max(reach / total, tau[column])
    return tau


def _of_first(correlation: float) -> float:
    """tau of a first-order autoregression with this correlation at lag 1: 2 phi / (1 - phi^2)."""
    phi = min(max(correlation, 0.0), 0.99)
    return 2 * phi / (1 - phi * phi)


def _last_loud(quiet: np.typing.NDArray[np.bool_]) -> int | None:
    """Lag before the first :data:`QUIET_LAGS` quiet ones in a row; ``None`` without such."""
    in_a_row = 0
    for lag, is_quiet in enumerate(quiet.tolist(), start=1):
        in_a_row = in_a_row + 1 if is_quiet else 0
        if in_a_row == QUIET_LAGS:
            return lag - QUIET_LAGS
    return None


def block_length(tau: float, blocks: int) -> int:
    """Blocks to draw together, for a correlation length ``tau``, out of ``blocks``."""
    usual = math.ceil(blocks / ENOUGH_BLOCKS)
    return usual if math.isinf(tau) else max(usual, math.ceil(LENGTHS_OF_CORRELATION * tau))


def too_long(length: int, blocks: int) -> bool:
    """Whether too few blocks of this length are left for an interval."""
    return blocks < LEAST_BLOCKS * length
