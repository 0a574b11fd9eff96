"""The study of 2013: cache and tiering raise IOPS per watt.

published  what its slides print      systems  its arrays and workloads as sweeps
points     rate, response, watts of each point      conclusions  its claims, agree or differ
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from iowatt.studies.stage import Stage
from iowatt.studies.study import Findings, Study

if TYPE_CHECKING:
    from iowatt.studies.results import Results


def _stages(quick: bool) -> Sequence[Stage]:
    from iowatt.studies.hotband2013 import systems

    return systems.stages(systems.QUICK if quick else systems.FULL)


def _evaluate(results: Results, quick: bool) -> Findings:
    from iowatt.studies.hotband2013 import evaluate, systems

    return evaluate.evaluate(results, systems.QUICK if quick else systems.FULL)


STUDY: Final = Study(
    name="hotband2013",
    title="Cache and tiering raise IOPS per watt",
    question="What do a cache of 3 % of the working set, a tier of SSDs, and capacity optimisation do to "
    "IOPS, response "
    "time, IOPS per watt and GB per watt of an array under random requests and under Emerald's hot band?",
    source="Paridon, Tanzer (HP): SNIA Storage Developer Conference 2013",
    stages=_stages,
    evaluate=_evaluate,
)
