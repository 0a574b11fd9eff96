"""Schemes that move data so that drives may stop: write off-loading, MAID, popular data concentration.

published  what was printed of their savings     systems  volumes and arrays as scenarios
points     saving and price of each              conclusions  what was published, agree or differ
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from iowatt.studies.stage import Stage
from iowatt.studies.study import Findings, Study

if TYPE_CHECKING:
    from iowatt.studies.results import Results


def _stages(quick: bool) -> Sequence[Stage]:
    from iowatt.studies.offloading2008 import systems

    return systems.stages(quick)


def _evaluate(results: Results, quick: bool) -> Findings:
    from iowatt.studies.offloading2008 import evaluate

    return evaluate.evaluate(results, quick)


STUDY: Final = Study(
    name="offloading2008",
    title="Moving data so that drives may stop",
    question="What do write off-loading, MAID and popular data concentration save on a week of volumes of "
    "low load, beside spin-down alone, and what do requests pay for it?",
    source="Narayanan, Donnelly, Rowstron, FAST 2008; Colarelli, Grunwald, SC 2002; Pinheiro, Bianchini, "
    "ICS 2004",
    stages=_stages,
    evaluate=_evaluate,
)
