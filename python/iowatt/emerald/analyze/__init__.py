"""What a measurement came to: its stages as Runs, the Emerald lens on each, and one result."""

from iowatt.emerald.analyze.judge import RESULT_SCHEMA, judge
from iowatt.emerald.analyze.stage_run import Measured, StageRun

__all__ = ["RESULT_SCHEMA", "Measured", "StageRun", "judge"]
