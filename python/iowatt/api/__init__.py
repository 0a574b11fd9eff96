"""The Python API: one function a verb, with the verb's arguments and its result."""

from iowatt.api._budget import budget
from iowatt.api._compare import compare
from iowatt.api.functions import cache, cost, curve, open_run, optimize, rate, run, sweep

__all__ = ["budget", "cache", "compare", "cost", "curve", "open_run", "optimize", "rate", "run", "sweep"]
