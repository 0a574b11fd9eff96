"""The block bootstrap: means of a series whose neighbours are correlated, drawn anew from its own blocks.

Blocks of L neighbours are drawn with replacement from all places of the series, which is closed to a ring
(Politis and Romano's circular bootstrap, 1992), and their ends are faded in and out (the tapered block
bootstrap: Paparoditis and Politis, Biometrika 88, 2001): what a block has in common with those it was cut
from then matters by the square of (correlation length / L), and not in proportion. All metrics of a Run are
drawn with the same blocks, so that what they have in common stays. Each resample is divided by its own
standard error (the bootstrap-t, Hall 1988): with few blocks this is what widens intervals as Student's t
does.
"""

from __future__ import annotations

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


def seen(tau: float, length: int) -> float:
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
class Drawn:
    """Resampled means of J figures of one Run, and the standard errors that each resample has for itself (R x
    J)."""

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

    def draw(self, random: np.random.Generator, resamples: int) -> Drawn:
        """Resamples of as many blocks as lie side by side in the Run."""
        places = random.integers(0, len(self.sums), size=(resamples, self.drawn))
        taken = self.sums[places]
        mean = taken.mean(axis=1)
        spread = np.einsum("rkj,rkj->rj", taken, taken) / self.drawn - mean**2
        return Drawn(
            mean * np.sqrt(self.drawn / len(self.sums)),
            np.maximum(spread, 0.0) * self.drawn / max(self.drawn - 1, 1) / len(self.sums),
        )
