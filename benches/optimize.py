"""What a search of 5,000 configurations takes and finds, against all of them simulated.

    python benches/optimize.py [--seeds N] [--json]

The space and its questions are those of tests/space_of_5000.py; the figures of all its points were simulated
by scripts/enumerate_space.py. ``gap`` is how much worse the winner is than the best of all.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import polars as pl

import iowatt

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
from iowatt.evaluate.search.optimize.problem import SearchProblem, parse_constraints, parse_objectives
from iowatt.evaluate.search.prepare import ScenarioInput
from space_of_5000 import OVER, PROBLEMS, SCENARIO, SIMULATED


def searched(number: int, seed: int) -> dict[str, Any]:
    """One question asked with one seed."""
    options = PROBLEMS[number]
    problem = SearchProblem(
        "TODO",
        ScenarioInput(SCENARIO, Path(), "space", ()),
        (),
        parse_objectives(options.get("maximize", ()), options.get("minimize", ())),
        parse_constraints(options.get("subject_to", ())),
    )
    goal = problem.objectives[0]
    rows = [row for row in pl.read_parquet(SIMULATED).iter_rows(named=True) if not problem.violated(row)]
    best = min(goal.loss(row[goal.metric]) for row in rows)
    started = time.process_time()
    found = iowatt.optimize(SCENARIO, OVER, method="search", seed=seed, **options)
    space = found.document["space"]
    winner = found.frame.row(by_predicate=pl.col("point") == found.document["winner"], named=True)
    return {
        "goal": goal.metric,
        "limits": len(problem.constraints),
        "seed": seed,
        "simulated": space["simulated"],
        "of": space["size"],
        "gap_percent": 100 * (goal.loss(winner[goal.metric]) - best) / abs(best),
        "cpu_s": time.process_time() - started,
    }


def main() -> None:
    """Ask every question with every seed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=1, help="searches of each question")
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    options = parser.parse_args()
    found = []
    if not options.json:
        print("optimize: a space of 5,000 configurations, all of whose figures are known")
    for number in range(len(PROBLEMS)):
        for seed in range(1, options.seeds + 1):
            one = searched(number, seed)
            found.append(one)
            if not options.json:
                share = one["simulated"] / one["of"]
                print(
                    f"  {one['goal']}, {one['limits']} limits, seed {seed}: {one['simulated']} simulated "
                    f"({share:.1%}), {one['gap_percent']:.2f} % from the best, {one['cpu_s']:.0f} CPU s",
                    flush=True,
                )
    if options.json:
        print(json.dumps({"schema": "iowatt.bench-optimize/1", "searches": found}, indent=2))


if __name__ == "__main__":
    main()
