"""The oracle bound: what perfect knowledge saves, against the time that stopping and starting takes together.

The study's Figure 6. Both transitions are shortened in proportion, at the same watts, so that their energy
and the break-even time shrink with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from iowatt.lenses.idle.periods import NS_PER_S, Batch, Short
from iowatt.lenses.idle.policies import Named, Trial, idles_through
from iowatt.lenses.idle.power import TwoStates
from iowatt.lenses.idle.result import OraclePoint

#: Eight points a decade over three decades, from the drive's own transitions (1) down.
FACTORS: Final = tuple(10 ** (-step / 8) for step in range(25))

_ORACLES: Final = {
    "energy": Named("oracle-energy", "Oracle by energy", {"policy": "oracle-energy", "level": 1}),
    "latency": Named("oracle-latency", "Oracle by latency", {"policy": "oracle-latency", "level": 1}),
}


class Bound:
    """Both oracles over every point of the curve at which the periods tell what they save."""

    def __init__(self, drives: Sequence[TwoStates], short: Short, factors: Sequence[float] = FACTORS) -> None:
        self._points = []
        for factor in factors:
            quicker = [drive.quicker(factor) for drive in drives]
            if any(idles_through(one, quicker) * NS_PER_S < short.longest_ns for one in _ORACLES.values()):
                break  # and so on at every quicker one
            trials = {name: Trial(oracle, quicker) for name, oracle in _ORACLES.items()}
            for trial in trials.values():
                trial.add_short(short)
            self._points.append((max(drive.transition_s for drive in drives) * factor, trials))

    def add(self, batch: Batch) -> None:
        """Add a batch."""
        for _, trials in self._points:
            for trial in trials.values():
                trial.add(batch)

    def points(self, total_j: float | None) -> list[OraclePoint]:
        """One row for each transition time (of the slowest drive), the drives' own first."""
        rows = []
        for transition_s, trials in self._points:
            energy, latency = (trials[name].result(total_j) for name in ("energy", "latency"))
            rows.append(
                OraclePoint(
                    transition_s=transition_s,
                    energy_saved_share=energy.saved_share,
                    energy_saved_share_of_total=energy.saved_share_of_total,
                    latency_saved_share=latency.saved_share,
                    latency_saved_share_of_total=latency.saved_share_of_total,
                )
            )
        return rows
