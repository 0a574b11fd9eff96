"""The block bootstrap: means of a series whose neighbours are correlated, resampled from its own blocks.

Blocks of L neighbours are drawn with replacement from all places of the series, which is closed to a ring
(Politis and Romano's circular bootstrap, 1992), and their ends are faded in and out (the tapered block
bootstrap: Paparoditis and Politis, Biometrika 88, 2001): what a block has in common with its neighbours then
matters by the square of (correlation length / L), and not in proportion. All metrics of a Run are drawn with
the same blocks, so that their correlation is kept. Each resample is divided by its own standard error (the
bootstrap-t, Hall 1988), which widens intervals from few blocks as Student's t does.

Length: with R(k) the autocovariance of a figure at a distance of k blocks, blocks of length L miss the share

    tau / L,   tau = sum |k| R(k) / sum R(k)

of the variance of the mean (Lahiri, Resampling Methods for Dependent Data, 2003, 5.2), untapered. tau is
found as by Politis and White (Econometric Reviews 23, 2004): the flat-top lag window, as wide as twice the
lag after which correlations are no more than noise.

Cycles: what comes back at even times (a flush every few seconds, a job every minute) is no uncertainty of a
mean, but correlations never end with it. It shows as a line in the periodogram, far above its neighbours.
Such lines are removed before correlation and variance are estimated; the estimates themselves keep them. Only
lines with at least :data:`LEAST_CYCLES` whole cycles in the Run count: anything slower could be chance.

Several metrics: adjusted p-values are the chance that *any* metric of two Runs that do not differ looks as
different as this one, by the common distribution of the resamples (Westfall and Young, Resampling-Based
Multiple Testing, 1993: step-down maxT), so that p95 and p99, which nearly say the same, do not count twice.

Shapes: B blocks of a Run, J figures (metrics), R resamples.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from iowatt.lenses.compare.blocks import Floats

#: Where the taper is whole: between this share of the block and the same from its end (Paparoditis and
#: Politis).
TAPER: Final = 0.43


def taper(length: int) -> Floats:
    """Weights of the neighbours in a block: a trapezoid with sum of squares 1."""
    at = (np.arange(length) + 0.5) / length
    weights = np.minimum(np.minimum(at, 1 - at) / TAPER, 1.0)
    return np.asarray(weights / np.sqrt(weights @ weights), dtype=np.float64)


def visible_share(tau: float, length: int) -> float:
    """Share of the variance of a mean that tapered blocks of ``length`` see, where correlations reach ``tau``
    blocks.

    That of a first-order autoregression with this tau = 2 phi / (1 - phi^2), exactly:
    ``sum phi^|k| (w * w)(k) / sum phi^|k|``. Dividing by it makes good what the blocks cut off, as Andrews
    and Monahan (Econometrica 60, 1992) do with an autoregression before the window.
    """
    if tau <= 0 or length < 1:
        return 1.0
    phi = (np.sqrt(1 + tau * tau) - 1) / tau
    weights = taper(length)
    overlap = np.correlate(weights, weights, "full")[length - 1 :]
    powers = phi ** np.arange(length)
    return float((2 * overlap @ powers - overlap[0]) * (1 - phi) / (1 + phi))


@dataclass(frozen=True)
class Resamples:
    """Resampled means of J figures of one Run, and the variance of each resample (R x J)."""

    mean: Floats
    variance: Floats


@dataclass(frozen=True)
class Tapered:
    """Blocks of one Run: sums over L faded neighbours from each place (B x J), centred."""

    sums: Floats
    length: int
    drawn: int
    variance: Floats
    """Of the mean of each figure (J)."""

    @classmethod
    def of(cls, figures: Floats, length: int) -> Tapered:
        """Blocks of ``length`` out of figures (B x J)."""
        count = len(figures)
        weights = taper(length)
        centred = figures - figures.mean(axis=0)
        ring = np.concatenate((centred, centred[: length - 1]))
        sums = np.zeros_like(centred)
        for place, weight in enumerate(weights.tolist()):
            sums += weight * ring[place : place + count]
        # The mean was taken from the same series, and took this share of the variance with it.
        kept = 1 - float(weights.sum()) ** 2 / count
        variance = np.einsum("bj,bj->j", sums, sums) / count / max(kept, 1e-9) / count
        return cls(sums, length, count // length, variance)

    def draw(self, random: np.random.Generator, resamples: int) -> Resamples:
        """Resamples of as many blocks as lie side by side in the Run."""
        places = random.integers(0, len(self.sums), size=(resamples, self.drawn))
        taken = self.sums[places]
        mean = taken.mean(axis=1)
        spread = np.einsum("rkj,rkj->rj", taken, taken) / self.drawn - mean**2
        return Resamples(
            mean * np.sqrt(self.drawn / len(self.sums)),
            np.maximum(spread, 0.0) * self.drawn / max(self.drawn - 1, 1) / len(self.sums),
        )


#: Blocks of the Run's that are drawn at the most: more, shorter ones gain little (t is 2.07 at 23 degrees)
#: and see less of correlations too weak to be found.
ENOUGH_BLOCKS: Final = 24
#: With fewer there is no interval: Student's t is 2.2 at 11 degrees, and a variance is too uncertain.
LEAST_BLOCKS: Final = 12
#: Length of a block over tau: tapered blocks then see five sixths of the variance, and what they miss is
#: known well enough to be made good (``bootstrap.visible_share``).
LENGTHS_OF_CORRELATION: Final = 6.0
#: Lags in a row that must be noise (Politis and White: at least 5).
QUIET_LAGS: Final = 5


def autocorrelations(figures: Floats) -> Floats:
    """Autocorrelation of B x J figures at lags 0 to B // 4 (rows); 0 for columns that do not vary."""
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
    """tau of each column in blocks; infinite where it is longer than a quarter of the blocks."""
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


#: Cycles within the Run that make a line.
LEAST_CYCLES: Final = 8
#: Places of the periodogram on either side that a line is compared with, without the two next to it.
BESIDE: Final = 10
#: Power of a line over the mean of its neighbours: independent figures reach it in 1 of 10^6 places.
LINE: Final = 30.0
#: Lines taken out at the most, harmonics among them.
MOST_LINES: Final = 12


def without_cycles(figures: Floats) -> tuple[Floats, int]:
    """Figures (B x J) without their lines, and the most lines that any column had."""
    left = figures - figures.mean(axis=0)
    most = 0
    for column in range(left.shape[1]):
        for found in range(MOST_LINES):
            frequency = _line(left[:, column])
            if frequency is None:
                most = max(most, found)
                break
            left[:, column] = _taken_out(left[:, column], frequency)
        else:
            most = MOST_LINES
    return left, most


def _line(series: Floats) -> float | None:
    """Frequency (cycles per block) of the strongest line of the periodogram; None without one."""
    count = len(series)
    power = np.abs(np.fft.rfft(series)) ** 2
    first, last = LEAST_CYCLES, len(power) - 1
    if last - first < 2 * BESIDE:
        return None
    at = first + int(np.argmax(power[first : last + 1]))
    beside = np.concatenate(
        (power[max(1, at - 1 - BESIDE) : at - 1], power[at + 2 : min(last, at + 1 + BESIDE) + 1])
    )
    # The median of an exponential variable is ln 2 of its mean, and is not moved by a second line close by.
    background = float(np.median(beside)) / math.log(2)
    if not power[at] > LINE * background or power[at] <= 1e-20 * count**2:
        return None
    places = np.arange(count)

    def strength(place: float) -> float:
        return float(abs(series @ np.exp(-2j * np.pi * place / count * places)))

    # The line lies within one place of the greatest: a golden section would do, a few thirds are simpler.
    low, high = at - 0.75, at + 0.75
    for _ in range(24):
        one, other = low + (high - low) / 3, high - (high - low) / 3
        low, high = (one, high) if strength(one) < strength(other) else (low, other)
    return (low + high) / 2 / count


def _taken_out(series: Floats, frequency: float) -> Floats:
    """A series less its sine of this frequency, by least squares."""
    angle = 2 * np.pi * frequency * np.arange(len(series))
    waves = np.column_stack((np.cos(angle), np.sin(angle)))
    waves -= waves.mean(axis=0)
    normal = waves.T @ waves
    return np.asarray(series - waves @ np.linalg.solve(normal, waves.T @ series), dtype=np.float64)


def step_down(observed: Floats, drawn: Floats) -> Floats:
    """Adjusted p-values (J) of statistics ``observed`` (J); ``drawn`` (R x J) is without any difference."""
    adjusted = np.ones(len(observed))
    greatest = np.zeros(len(drawn))
    order = np.argsort(observed, kind="stable")
    exceeded = np.ones(len(observed))
    # From the least: a metric is compared with the greatest of those not yet passed.
    for column in order:
        greatest = np.maximum(greatest, drawn[:, column])
        exceeded[column] = (1 + np.count_nonzero(greatest >= observed[column])) / (len(drawn) + 1)
    worst = 0.0
    for column in order[::-1]:
        worst = max(worst, float(exceeded[column]))
        adjusted[column] = worst
    return adjusted
