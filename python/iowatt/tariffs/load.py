"""A load: joules over time, as one cumulative function, so that any cut of it adds up to all of it.

A Run lasts minutes and a bill is of years: a Run is repeated end to end (``repeated``), a duty cycle puts
one load after another (``sequence``). Energy between two instants is the difference of the cumulative
function, which makes every partition exact but for the rounding of one subtraction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

JOULES_PER_KWH = 3.6e6


@dataclass(frozen=True)
class Load:
    """Joules over time: ``joules`` used until the instants ``at_s``, linear between them.

    Parameters
    ----------
    at_s, joules:
        Shape (n + 1,), seconds from the start, rising, and joules used until then, falling where energy is
        fed back; the first of each is 0.
    repeats:
        How often the whole is repeated end to end; may be a fraction.
    """

    at_s: Floats
    joules: Floats
    repeats: float = 1.0

    @classmethod
    def constant(cls, watts: float, seconds: float) -> Load:
        """A load that never changes."""
        return cls(np.array([0.0, seconds]), np.array([0.0, watts * seconds]))

    @classmethod
    def of_powers(cls, widths_s: Floats, watts: Floats) -> Load:
        """A load of stretches of ``widths_s`` seconds at mean ``watts``, each of shape (n,)."""
        at = np.concatenate([[0.0], np.cumsum(widths_s)])
        return cls(at, np.concatenate([[0.0], np.cumsum(widths_s * watts)]))

    @property
    def period_s(self) -> float:
        """Seconds of one repetition."""
        return float(self.at_s[-1])

    @property
    def duration_s(self) -> float:
        """Seconds of all."""
        return self.period_s * self.repeats

    @property
    def total_j(self) -> float:
        """Joules of all."""
        return float(self.until(np.array([self.duration_s]))[0])

    def repeated(self, times: float) -> Load:
        """The same, ``times`` as often."""
        return Load(self.at_s, self.joules, self.repeats * times)

    def scaled(self, factor: float) -> Load:
        """The same with ``factor`` times the power, such as that of cooling (PUE)."""
        return Load(self.at_s, self.joules * factor, self.repeats)

    def plus(self, watts: float) -> Load:
        """The same with ``watts`` more all the time."""
        return Load(self.at_s, self.joules + self.at_s * watts, self.repeats)

    def until(self, seconds: Floats) -> Floats:
        """Joules from the start until each of ``seconds``, within 0 and ``duration_s``."""
        whole, rest = np.divmod(np.clip(seconds, 0.0, self.duration_s), self.period_s)
        found: Floats = whole * self.joules[-1] + np.interp(rest, self.at_s, self.joules)
        return found

    def between(self, edges_s: Floats) -> Floats:
        """Joules of each stretch between neighbours of ``edges_s``, shape (n + 1,) to (n,)."""
        return np.diff(self.until(edges_s))


def sequence(loads: Sequence[Load]) -> Load:
    """One load after another."""
    at, joules = [np.zeros(1)], [np.zeros(1)]
    for load in loads:
        repeats = int(np.ceil(load.repeats))
        edges = (np.arange(repeats)[:, None] * load.period_s + load.at_s[None, 1:]).ravel()
        edges = np.append(edges[edges < load.duration_s], load.duration_s)
        at.append(at[-1][-1] + edges)
        joules.append(joules[-1][-1] + load.until(edges))
    return Load(np.concatenate(at), np.concatenate(joules))
