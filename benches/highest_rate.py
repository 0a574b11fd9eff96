"""The search for the highest rate: how many runs it takes over many arrays, how often its interval is right.

    python benches/highest_rate.py [--searches N] [--jobs N] [--json]

Runs: arrays of drives, counts, RAID levels, mixes and sizes, limits of 12 to 40 ms, each searched to 2 % from
its own probe and from an estimate that is off by 5 %. Coverage: an M/D/1 station in the simulator (writes of
zeros, 1 ms of the controller's processor each), whose answer is known in closed form (Pollaczek and
Khinchine); 95 % intervals by five seeds, and by the batch means of one.
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from iowatt.base.document import TomlDocument
from iowatt.base.errors import InputError
from iowatt.evaluate.search.rate import RateRequest, RateResult, search_scenario
from iowatt.model.scenario.keys.scenario import Scenario

ARRAY = """\
name = "array"
[[workload]]
name = "random"
[workload.profile]
name = "uniform"
requests = 20000
set = ["stream.uniform.read_share={reads}", "stream.uniform.size={size}KiB"]
[[array.pool]]
name = "disks"
device = "{device}"
count = {count}
queue_depth = {depth}
raid = {{ level = {level}, stripe_unit = "64KiB" }}
"""
STATION = """\
name = "station"
seed = {seed}
[[workload]]
name = "zeros"
profile = {{ name = "uniform", requests = 20000, span = "1GB", set = ["stream.uniform.read_share=0"] }}
zero_share = 1.0
[[array.pool]]
name = "disks"
device = "arrays2002-disk"
count = 1
[array.controller]
processing = {{ write = "1ms" }}
zero_detect = true
"""
LIMIT_S = 0.005
#: rho = 2 W / (s + 2 W) with W = 4 ms, s = 1 ms.
ANSWER = 8 / 9 / 1e-3
SEEDS = 5


def arrays() -> Iterator[tuple[str, float]]:
    """Scenarios with their limits in s."""
    drives = ("hotband2013-15k", "hgst-ultrastar-c10k900-900gb", "toshiba-mg04sca500e")
    choices = itertools.product(drives, (8, 24), ((5, 4), (10, 1)), ((100, 8), (60, 16)), (0.012, 0.02, 0.04))
    for device, count, (level, depth), (reads, size), limit_s in choices:
        text = ARRAY.format(device=device, count=count, level=level, depth=depth, reads=reads, size=size)
        yield text, limit_s


def search(text: str, asked: RateRequest) -> RateResult:
    """The answer for a scenario."""
    scenario = TomlDocument(text, "bench.toml", []).validate(Scenario)
    return search_scenario(scenario, Path(), text, asked)


def few_runs(given: tuple[str, float]) -> dict[str, Any] | None:
    """One array: runs from the probe, and from an estimate 5 % too high."""
    text, limit_s = given
    begun = time.perf_counter()
    found = search(text, RateRequest(limit_s))
    if found.rate_iops is None:
        return None
    seconds = time.perf_counter() - begun
    asked = RateRequest(limit_s, start=1.05 * (found.crossing_iops or found.rate_iops), start_error=0.05)
    estimated = search(text, asked)
    return {
        "rate_iops": found.rate_iops,
        "settled": found.settled and estimated.settled,
        "runs": found.runs,
        "probes": sum(point.kind == "probe" for point in found.points),
        "longer": any(point.kind == "longer" for point in found.points),
        "runs_estimated": estimated.runs,
        "seconds": seconds,
    }


def covers(number: int) -> tuple[bool, bool, float, float]:
    """Whether the two intervals hold the truth, and their half-widths as shares of it."""
    text = STATION.format(seed=1 + SEEDS * number)
    start = {"start": 0.95 * ANSWER, "start_error": 0.05}
    held, widths = [], []
    for asked in (RateRequest(LIMIT_S, replications=SEEDS, **start), RateRequest(LIMIT_S, **start)):
        low, high = search(text, asked).ci95_iops or (0.0, 0.0)
        held.append(low <= ANSWER <= high)
        widths.append((high - low) / 2 / ANSWER)
    return held[0], held[1], widths[0], widths[1]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--searches", type=int, default=200, help="of the coverage")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with ProcessPoolExecutor(options.jobs) as pool:
        made = [one for one in pool.map(few_runs, arrays()) if one is not None]
        held = list(pool.map(covers, range(options.searches)))
    found: dict[str, Any] = {
        "arrays": len(made),
        "settled": sum(one["settled"] for one in made),
        "runs_mean": statistics.mean(one["runs"] for one in made),
        "runs_most": max(one["runs"] for one in made),
        "probes_mean": statistics.mean(one["probes"] for one in made),
        "lengthened": sum(one["longer"] for one in made),
        "runs_estimated_mean": statistics.mean(one["runs_estimated"] for one in made),
        "seconds_median": statistics.median(one["seconds"] for one in made),
        "searches": len(held),
        "coverage_replications": statistics.mean(one[0] for one in held),
        "coverage_batch_means": statistics.mean(one[1] for one in held),
        "half_width_replications": statistics.mean(one[2] for one in held),
        "half_width_batch_means": statistics.mean(one[3] for one in held),
    }
    if options.json:
        print(json.dumps(found, indent=2))
        return
    print(
        f"highest rate to 2 %: {found['runs_mean']:.1f} runs on average over {found['arrays']} arrays "
        f"({found['probes_mean']:.1f} of them probes; {found['runs_most']} at most; "
        f"{found['lengthened']} made longer), {found['runs_estimated_mean']:.1f} from an estimate off by "
        f"5 %; {found['settled']} settled; {found['seconds_median']:.2f} s each"
    )
    seeds, batches = ("replications", "batch_means")
    print(
        f"interval of the rate, M/D/1 at {ANSWER:.0f} a second, {found['searches']} searches: {SEEDS} seeds "
        f"hold it in {100 * found[f'coverage_{seeds}']:.1f} % (half-width "
        f"{100 * found[f'half_width_{seeds}']:.2f} %), batch means of one in "
        f"{100 * found[f'coverage_{batches}']:.1f} % ({100 * found[f'half_width_{batches}']:.2f} %)"
    )


if __name__ == "__main__":
    try:
        main()
    except InputError as error:
        raise SystemExit(str(error)) from None
