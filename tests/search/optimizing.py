"""Small problems for optimize, and their answers by brute force."""

from __future__ import annotations

from pathlib import Path

from iowatt.evaluate.search import ScenarioInput, run_sweep, sweep_request
from iowatt.evaluate.search.metrics.pareto import nondominated
from iowatt.evaluate.search.optimize import engine
from iowatt.evaluate.search.optimize.problem import make_problem
from iowatt.pages.optimize import report

CLOSED = """
name = "closed"

[[workload]]
name = "w"
volume = "v"
profile = { name = "uniform", requests = 400, rate_iops = 1000 }
replay = { mode = "closed", outstanding = 16 }

[[array.pool]]
name = "p"
device = "hgst-ultrastar-c10k900-900gb"
count = 8
raid = { level = 5, stripe_unit = "64KiB" }

[[array.volume]]
name = "v"
pool = "p"
capacity = "500GB"

[array.controller]
processing = { read = "100us", write = "200us" }
"""

OPEN = """
name = "open"

[[workload]]
name = "w"
volume = "v"
profile = { name = "uniform", requests = 400, rate_iops = 150 }

[[array.pool]]
name = "p"
device = "hgst-ultrastar-c10k900-900gb"
count = 8
raid = { level = 5, stripe_unit = "64KiB" }

[[array.volume]]
name = "v"
pool = "p"
capacity = "500GB"

[array.controller]
processing = { read = "100us", write = "200us" }

[array.power]

[[array.power.enclosure]]
name = "shelf"
pools = ["p"]
slots = 12
supply = { rating = "600W", count = 2, needed = 1, efficiency = "80plus-gold" }
part = [{ name = "controller", model = "stand-in-controller", count = 2 }]
"""


def given(text: str, *overrides: str) -> ScenarioInput:
    """A scenario of text."""
    return ScenarioInput(text, Path(), "scenario", overrides)


def optimized(text: str, over, *, overrides=(), output=None, **options):
    """The outcome; ``options`` are of the problem, but for ``jobs``, ``resume``, ``force``, ``executor``."""
    how = {key: options.pop(key) for key in ("jobs", "resume", "force", "executor") if key in options}
    problem = make_problem(given(text, *overrides), over, **options)
    return engine.optimize(problem, output=output, page=report, **how)


def brute_force(text: str, over, *, overrides=(), **options):
    """The numbers of the front by simulating every point, and the table of all."""
    problem = make_problem(given(text, *overrides), over, **options)
    frame = run_sweep(sweep_request(given(text, *overrides), over)).frame
    rows = {row["point"]: row for row in frame.iter_rows(named=True) if row["status"] == "done"}
    good = {
        number: problem.losses(row)
        for number, row in rows.items()
        if problem.losses(row) is not None and not problem.violated(row)
    }
    numbers = sorted(good)
    return {numbers[at] for at in nondominated([good[number] for number in numbers])}, frame
