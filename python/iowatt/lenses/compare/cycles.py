"""What comes back at even times (a flush every few seconds, a job every minute) is no uncertainty of a mean.

A cycle that a Run holds many times over is nearly the same in every long block, but correlations never end
with it. It shows as a line in the periodogram, far above what is beside it. Such lines are taken out of the
figures before their correlation and their variance are estimated; the estimates themselves keep them. Only
lines with at least :data:`LEAST_CYCLES` whole cycles in the Run count: what is slower could as well be
chance.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from iowatt.lenses.compare.blocks import Floats

#: Cycles within the Run that make a line.
LEAST_CYCLES: Final = 8
#: Places of the periodogram on either side that a line is held against, the two next to it left out.
BESIDE: Final = 10
#: Power of a line over the mean beside it. Of independent figures one in 10^6 places goes so far by chance.
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
    """Frequency (cycles per block) of the strongest line, between places of the periodogram; ``None`` without
    one.
    """
    count = len(series)
    power = np.abs(np.fft.rfft(series)) ** 2
    first, last = LEAST_CYCLES, len(power) - 1
    if last - first < 2 * BESIDE:
        return None
    at = first + int(np.argmax(power[first : last + 1]))
    beside = np.concatenate(
        (power[max(1, at - 1 - BESIDE) : at - 1], power[at + 2 : min(last, at + 1 + BESIDE) + 1])
    )
    # The median of an exponential variable is ln 2 of its mean, and knows nothing of a second line close by.
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
