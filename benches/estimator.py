"""The estimator beside the simulator: over random configurations, how far off it is and how much faster.

``make bench`` runs it. The configurations are those of ``random_configurations``; the seed is not one of
those that the estimator was developed with. Times are of one process; ratios hold on a like machine only.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from random_configurations import EstimateComparison, compare_random, spread

SEED = 4242
CONFIGURATIONS = 200
#: What issue 9 asks for: median and 95th percentile of the throughput's error, median of the power's.
BARS = {"throughput": (0.05, 0.20), "power": (0.10, None), "response": (None, None)}
_SHOWN = 10


def measure(count: int = CONFIGURATIONS, seed: int = SEED, *, quiet: bool = False) -> dict[str, Any]:
    """The errors of ``count`` configurations, printed unless ``quiet``."""
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        estimator, found = compare_random(count, seed, Path(folder))
    result: dict[str, Any] = {"configurations": count, "seed": seed, "pilots": estimator.benchmarks}
    lines = [f"estimator against simulator, {count} configurations, seed {seed}:"]
    for name, (median, p95) in BARS.items():
        one = spread([getattr(compared, name) for compared in found])
        result[name] = {"count": one.count, "median": one.median, "p95": one.p95}
        lines.append(
            f"  {name:10} {one.count:3} configurations: median {one.median:6.1%}{_bar(median)}, "
            f"95th percentile {one.p95:6.1%}{_bar(p95)}"
        )
    estimate_s = statistics.median(one.estimate_s for one in found)
    simulation_s = statistics.median(one.simulation_s for one in found)
    result |= {"estimate_s": estimate_s, "simulation_s": simulation_s}
    lines.append(
        f"  an estimate takes {estimate_s * 1e3:.2f} ms (median) once its drives are benchmarked, "
        f"a simulation {simulation_s * 1e3:.0f} ms: {simulation_s / estimate_s:.0f} x; "
        f"{estimator.benchmarks} benchmarks of drives"
    )
    lines += ["  worst:", *(f"    {line}" for line in _worst(found))]
    lines.append(f"  {time.perf_counter() - begun:.0f} s in all")
    if not quiet:
        print("\n".join(lines), flush=True)
    return result


def _bar(bar: float | None) -> str:
    return "" if bar is None else f" (asked: {bar:.0%})"


def _worst(found: list[EstimateComparison]) -> list[str]:
    def shown(error: float | None) -> str:
        return "     -" if error is None else f"{error:+6.0%}"

    ranked = sorted(found, key=lambda one: -max(abs(one.throughput or 0.0), abs(one.power)))
    return [
        f"throughput {shown(one.throughput)}, response {shown(one.response)}, power {shown(one.power)}: "
        f"{one.drawn.label}"
        for one in ranked[:_SHOWN]
    ]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--configurations", type=int, default=CONFIGURATIONS)
    parser.add_argument("--seed", type=int, default=SEED)
    asked = parser.parse_args()
    measure(asked.configurations, asked.seed)
