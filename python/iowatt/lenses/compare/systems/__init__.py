"""Any number of systems side by side, each compared with the first: a Run, or repeated Runs, of each.

:mod:`request` says which Runs are systems, :mod:`analysis` observes each once and compares the pairs as two
Runs are compared, :mod:`ranking` says which may be ranked, on which terms, and which has the least.
"""

from iowatt.lenses.compare.systems.analysis import analyse_systems
from iowatt.lenses.compare.systems.request import MOST_SYSTEMS, open_systems
from iowatt.lenses.compare.systems.result import SystemsCompared

__all__ = ["MOST_SYSTEMS", "SystemsCompared", "analyse_systems", "open_systems"]
