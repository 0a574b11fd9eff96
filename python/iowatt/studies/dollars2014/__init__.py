"""The study of 2014: what caching and tiering cost in dollars, at once and in the long run.

published  what was published       systems  five systems as sweeps, and experiments
points     what each did            money    what each costs: books, tariff, horizons
conclusions, cost_conclusions  what was published, agree or differ    tables, cost_tables  what a page shows
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from iowatt.studies.stage import Stage
from iowatt.studies.study import Findings, Study

if TYPE_CHECKING:
    from iowatt.studies.results import Results


def _stages(quick: bool) -> Sequence[Stage]:
    from iowatt.studies.dollars2014 import systems

    return systems.stages(systems.QUICK if quick else systems.FULL)


def _evaluate(results: Results, quick: bool) -> Findings:
    from iowatt.studies.dollars2014 import evaluate, systems

    return evaluate.evaluate(results, systems.QUICK if quick else systems.FULL)


STUDY: Final = Study(
    name="dollars2014",
    title="What caching and tiering cost in dollars",
    question="An SSD in front of a disk, as a cache or as a tier: which is faster, which wears the SSD, and "
    "which is cheaper, bought today and after the same work has been done a hundred thousand times?",
    source="Li, Mukker, Zadok: HotStorage 2014",
    stages=_stages,
    evaluate=_evaluate,
)
