"""The study of 2015: what Express Writes did to the latency of an all-flash array.

published  what was printed              equations  two latencies, and all that could lie behind them
members    the family of calibrations    systems    array, load and path as sweeps
points     what the sweeps gave          base       an installed base as a mixture of arrays
conclusions  the claims, agree or differ            tables, charts  what the page shows
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from iowatt.studies.stage import Stage
from iowatt.studies.study import Findings, Study

if TYPE_CHECKING:
    from iowatt.studies.results import Results


def _stages(quick: bool) -> Sequence[Stage]:
    from iowatt.studies.latency2015 import systems

    return systems.stages(systems.QUICK if quick else systems.FULL)


def _evaluate(results: Results, quick: bool) -> Findings:
    from iowatt.studies.latency2015 import evaluate, systems

    return evaluate.evaluate(results, systems.QUICK if quick else systems.FULL)


STUDY: Final = Study(
    name="latency2015",
    title="What an array feature does to latency",
    question="Writes that no longer wait for the controller to find them a buffer took 0.25 ms instead "
    "of 0.5 ms on one array under one load. Which arrays and loads give these two figures, what else "
    "would tell them apart, and where on the way from host to flash does the time go?",
    source="Demartek: HP 3PAR StoreServ 7450 with 8Gb Express Writes, 2015",
    stages=_stages,
    evaluate=_evaluate,
)
