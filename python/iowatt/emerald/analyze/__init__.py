"""Judging a measurement: its stages as Runs, the rules applied to each, and one result."""

from iowatt.emerald.analyze.analysis import judge
from iowatt.emerald.analyze.result import Analysis
from iowatt.emerald.analyze.stage_run import Measured, StageRun

__all__ = ["Analysis", "Measured", "StageRun", "judge"]
