"""Judging a measurement: its stages as Runs, the rules applied to each, and one result."""

from iowatt.emerald.analyze.analysis import judge
from iowatt.emerald.analyze.page import check_target, document, write
from iowatt.emerald.analyze.read import files, measurement
from iowatt.emerald.analyze.result import Analysis
from iowatt.emerald.analyze.stages import Measured, StageRun

__all__ = [
    "Analysis",
    "Measured",
    "StageRun",
    "check_target",
    "document",
    "files",
    "judge",
    "measurement",
    "write",
]
