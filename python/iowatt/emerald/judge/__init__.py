"""Judges measurements by the Emerald rules: efficiency, stability and validity, from Runs alone.

Its modules yield a :class:`Finding` for each thing that is wrong; their limits are parameters.
"""

from iowatt.emerald.judge.clocks import Boundary
from iowatt.emerald.judge.finding import Finding, status
from iowatt.emerald.judge.generator import Load
from iowatt.emerald.judge.minutes import Floats, Minutes
from iowatt.emerald.judge.sequence import Span
from iowatt.emerald.judge.stability import MEANING, READINGS, Reading
from iowatt.emerald.judge.trend import Verdict

__all__ = [
    "MEANING",
    "READINGS",
    "Boundary",
    "Finding",
    "Floats",
    "Load",
    "Minutes",
    "Reading",
    "Span",
    "Verdict",
    "status",
]
