"""The study of 2002: energy and performance of RAID arrays under transaction processing.

published  what it printed               systems  its arrays and workloads as sweeps
points     T, E, E x T of each point      conclusions  its conclusions, agree or differ
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from iowatt.studies.stage import Stage
from iowatt.studies.study import Findings, Study

if TYPE_CHECKING:
    from iowatt.studies.results import Results


def _stages(quick: bool) -> Sequence[Stage]:
    from iowatt.studies.arrays2002 import systems

    return systems.stages(systems.QUICK if quick else systems.FULL, systems.traces())


def _evaluate(results: Results, quick: bool) -> Findings:
    from iowatt.studies.arrays2002 import evaluate

    return evaluate.evaluate(results, quick)


STUDY: Final = Study(
    name="arrays2002",
    title="Energy and performance of RAID arrays under transaction processing",
    question="What do spin-down, RAID level, number of disks and stripe unit do to the energy and the "
    "response time of a disk array under TPC-C and TPC-H?",
    source="Gurumurthi, Zhang, Sivasubramaniam, Kandemir, Franke, Vijaykrishnan, Irwin: Penn State "
    "CSE-02-014, 2002; ISPASS 2003",
    stages=_stages,
    evaluate=_evaluate,
)
