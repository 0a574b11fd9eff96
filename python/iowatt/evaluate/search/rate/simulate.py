"""Scenarios simulated one after another for a search: with its provenance, and told how far it is."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from iowatt.evaluate import evaluation
from iowatt.evaluate.search.executor import Report
from iowatt.model.scenario.model import Scenario
from iowatt.run import provenance
from iowatt.run.bundle import Run
from iowatt.run.summary_schema import Input

#: Runs that a search takes, about: how far it is can only be guessed.
_EXPECTED: Final = 6


@dataclass
class Simulations:
    """Simulations of one search."""

    base: Path
    #: The scenario as given, to which what a run changes is added.
    text: str
    report: Report
    inputs: Callable[[], Sequence[Input]]
    command: str | None
    #: So many were run.
    runs: int = 0

    def run(self, scenario: Scenario, changes: Sequence[str] = ()) -> Run:
        """The Run of a scenario; ``changes`` are the overrides that make it of what was given."""
        from iowatt.base.overrides import with_overrides

        def progress(fraction: float | None, _requests: int) -> None:
            self.report(_share(self.runs + (fraction or 0.0)))

        self.report(_share(self.runs))
        run = evaluation.simulate(
            evaluation.prepare(scenario, self.base, with_overrides(self.text, changes)),
            inputs=self.inputs,
            started_at=provenance.now(),
            command=self.command,
            progress=progress,
            # Other searches may share the process, so that its own clock would count them too.
            cpu_clock=time.thread_time,
        )
        self.runs += 1
        return run


def _share(runs: float) -> float:
    """How far a search is that takes :data:`_EXPECTED` runs or more; never quite at its end."""
    return 0.9 * runs / _EXPECTED if runs < _EXPECTED else 1 - 0.1 * _EXPECTED / runs
