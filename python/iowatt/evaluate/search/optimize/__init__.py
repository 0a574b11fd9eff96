"""``iowatt optimize``: the best of many configurations, by simulating as few of them as it takes.

``problem`` has objectives and constraints, ``space`` the configurations, ``bounds`` what is certain before
any run. ``candidates`` assesses points and runs them, ``methods`` and ``screen`` choose which to simulate
next, ``engine`` conducts, resumable. ``outcome`` makes the result of all that, ``view`` reads it, and
``sensitivity`` explains why the winner wins.
"""

from __future__ import annotations

from iowatt.evaluate.search.optimize.engine import FOLDER, optimize
from iowatt.evaluate.search.optimize.outcome import OptimizationOutcome
from iowatt.evaluate.search.optimize.problem import SearchProblem, make_problem
from iowatt.evaluate.search.optimize.view import FIRM, SIMULATED, AxisView, OptimizationView, ViewRow

__all__ = [
    "FIRM", "FOLDER", "SIMULATED", "AxisView", "OptimizationOutcome", "OptimizationView", "SearchProblem",
    "ViewRow", "make_problem", "optimize",
]  # fmt: skip
