"""The study of 2012: SNIA Emerald's training, and the best foot forward of its Online-3 family.

published    what the training prints            systems, experiments  configurations as sweeps
points       what the sweeps gave                compare               published beside ours
conclusions  the claims, agree or differ         causes                why they differ
knee         how flat the peak by single drives is   tables, charts    what the page shows
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from iowatt.studies.stage import Stage
from iowatt.studies.study import Findings, Study

if TYPE_CHECKING:
    from iowatt.studies.results import Results


def _stages(quick: bool) -> Sequence[Stage]:
    from iowatt.studies.emerald2012 import stages, systems

    return stages.stages(systems.QUICK if quick else systems.FULL)


def _evaluate(results: Results, quick: bool) -> Findings:
    from iowatt.studies.emerald2012 import evaluate, systems

    return evaluate.evaluate(results, systems.QUICK if quick else systems.FULL)


STUDY: Final = Study(
    name="emerald2012",
    title="The best foot forward of an Online-3 family",
    question="Which number of drives gives a family of arrays its highest IOPS, MB/s and GB per watt under "
    "each profile of Emerald, by whole shelves and by single drives, with RAID-5 and with RAID-10; and what "
    "was measured?",
    source="SNIA Green Storage TWG: Emerald measurement specification training, 2012",
    stages=_stages,
    evaluate=_evaluate,
)
