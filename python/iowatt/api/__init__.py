"""The Python API: one function a verb, with the verb's arguments and its result.

Each is in a module by its name; heavy imports wait until it is called.
"""

from iowatt.api._budget import budget
from iowatt.api._cache import cache
from iowatt.api._choose import choose
from iowatt.api._compare import compare
from iowatt.api._cost import cost
from iowatt.api._durability import durability
from iowatt.api._fleet import fleet
from iowatt.api._optimize import optimize
from iowatt.api._rate import rate
from iowatt.api._run import open_run, run
from iowatt.api._sweep import curve, sweep

__all__ = [
    "budget", "cache", "choose", "compare", "cost", "curve", "durability", "fleet", "open_run", "optimize",
    "rate", "run", "sweep",
]  # fmt: skip
