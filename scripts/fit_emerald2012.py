"""Fit the constants of SNIA's Online-3 family to the training's RAID-5 figures, and print what they become.

    python scripts/fit_emerald2012.py

What is fitted, and to what:

    pair and shelf at rest          two idle points (50 x 146 GB 15k: 592.692 W; 450 x 500 GB 7.2k: 76.6 GB/W)
    active watts of the pair        all seven RAID-5 figures, least squares of the relative errors
    back_end.command                70/30 at 125 and 120 drives, random read at 125
    cache.destage_outstanding       random write at 75 drives
    sequential outstanding          sequential read at 25 and 50 drives
    cache.mirror.bandwidth          sequential write at 50 drives, and its peak

Seven constants in all: the first two follow from two idle points, five are fitted to seven figures and six
peaks. The last three act on one metric each, so that its figure has a constant of its own in effect.

Every combination of the values tried below is put together from simulations of single values (each figure
depends on one of them, and on the watts); those whose peaks are not where the training has them are dropped,
70/30 by single drives (120) among them, and the rest is ranked: the peaks are fitted, too. RAID-10, 60/40,
80/20, other idle points, the submission and the baseline take no part.
Takes about four minutes of two cores. The constants of the family are those that it ranks first.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from iowatt.base.document import TomlDocument
from iowatt.emerald import family as families
from iowatt.evaluate import evaluation
from iowatt.evaluate.search import rate
from iowatt.evaluate.search.metrics.table import row_of_run
from iowatt.model.library.find import device_file
from iowatt.model.scenario.keys.scenario import Scenario
from iowatt.run import provenance
from iowatt.studies.emerald2012 import published, systems
from iowatt.studies.emerald2012.published import PRINTED

COMMANDS_US = (24.7, 24.85, 25.0)
DESTAGES = (256, 288, 320, 352)
OUTSTANDING = (40, 44, 48)
MIRRORS_MB = (775, 800, 825, 850, 900)
SUPPLY = 0.85
#: Active watts of the pair that are tried, in W behind its supplies.
ACTIVE_W = tuple(range(190, 300))

CONTROLLER = f"controller.{systems.CLASS}"
#: Drives of each figure's neighbourhood.
SINGLE = (118, 119, 120, 121, 122)
MIXED = (100, *SINGLE, 125, 150)
READS = (100, 125, 150)
WRITES = (50, 75, 100)
SEQUENTIAL_READS = (25, 50, 75)
SEQUENTIAL_WRITES = (25, 50, 75)


@dataclass(frozen=True)
class Seen:
    """Throughput (IOPS or MB/s), and watts at the wall with a pair that draws no more than at rest."""

    rate: float
    watts: float


def idle() -> tuple[float, float]:
    """W behind the supplies of pair and shelf, from the two idle points."""
    first, second = PRINTED.idle[0], PRINTED.idle[1]
    small, large = (
        device_file(name, Path()).power
        for name in ("seagate-savvio-15k2-146gb", "seagate-constellation-500gb")
    )
    assert first.watts is not None
    left = first.watts * SUPPLY - 50 * _idle_w(small)
    right = 450 * 500 / second.gb_per_w * SUPPLY - 450 * _idle_w(large)
    shelf = (right - left) / (18 - 2)
    return left - 2 * shelf, shelf


def _idle_w(power: Any) -> float:
    return float(power.idle)


def random(metric: str, drives: int, requests: int, sets: tuple[str, ...]) -> Seen:
    """A random profile within 20 ms."""
    of = systems.family(*sets, *_at_rest())
    text = families.scenario_text(of, systems.candidate(drives, "raid-5"), metric)
    within = systems.within(metric, "raid-5", requests, of=of)
    if metric == "MW1":
        within = replace(within, start_per_drive=min(174.0, 20_800 / drives), tolerance=0.005)
    found = rate.search_scenario(TomlDocument(text, "fit").validate(Scenario), of.base, text, within)
    row = rate.row_at_limit(found)
    return Seen(_number(row["rate_iops"]), _number(row["power_w.wall_mean"]))


def sequential(metric: str, drives: int, sets: tuple[str, ...]) -> Seen:
    """A sequential profile, MB/s."""
    of = systems.family(*sets, *_at_rest())
    text = families.scenario_text(of, systems.candidate(drives, "raid-5"), metric)
    work = evaluation.prepare(TomlDocument(text, "fit").validate(Scenario), of.base, text)
    row = row_of_run(evaluation.simulate(work, inputs=lambda: [], started_at=provenance.now()))
    return Seen(_number(row["throughput.mib_per_s"]) * published.MIB, _number(row["power_w.wall_mean"]))


def _number(cell: object) -> float:
    assert isinstance(cell, int | float)
    return float(cell)


def _at_rest() -> tuple[str, ...]:
    return (f'{CONTROLLER}.part=[{{name="controllers",model="snia-online3-controllers"}}]',)


def simulated() -> dict[tuple[str, Any, int], Seen]:
    """Everything that is tried: by metric, value and drives."""
    jobs: dict[tuple[str, Any, int], Any] = {}
    for command in COMMANDS_US:
        sets = (f'{CONTROLLER}.work.back_end.command="{command}us"',)
        for drives in MIXED:
            jobs["MW1", command, drives] = (
                random,
                "MW1",
                drives,
                1_000_000 if drives in SINGLE else 200_000,
                sets,
            )
        for drives in READS:
            jobs["RR", command, drives] = (random, "RR", drives, 100_000, sets)
    for destages in DESTAGES:
        sets = (f"{CONTROLLER}.work.cache.destage_outstanding={destages}",)
        for drives in WRITES:
            jobs["RW", destages, drives] = (random, "RW", drives, 60_000, sets)
    for outstanding in OUTSTANDING:
        sets = (f"test.sequential_read.outstanding={outstanding}",)
        for drives in SEQUENTIAL_READS:
            jobs["SR", outstanding, drives] = (sequential, "SR", drives, sets)
    for mirror in MIRRORS_MB:
        sets = (f'{CONTROLLER}.work.cache.mirror.bandwidth="{mirror}MB/s"',)
        for drives in SEQUENTIAL_WRITES:
            jobs["SW", mirror, drives] = (sequential, "SW", drives, sets)
    with ThreadPoolExecutor(2) as pool:
        tickets = {key: pool.submit(job[0], *job[1:]) for key, job in jobs.items()}
        return {key: ticket.result() for key, ticket in tickets.items()}


@dataclass(frozen=True)
class Fit:
    """A combination, its errors by figure and whether its peaks are where they are printed."""

    values: tuple[Any, ...]
    active_w: float
    errors: Mapping[str, float]
    peaks: bool

    @property
    def cost(self) -> float:
        """Root of the mean square of the errors."""
        return math.sqrt(sum(error**2 for error in self.errors.values()) / len(self.errors))


def fits(seen: Mapping[tuple[str, Any, int], Seen], rest_w: float) -> Iterable[Fit]:
    """Every combination."""
    for values in itertools.product(COMMANDS_US, DESTAGES, OUTSTANDING, MIRRORS_MB):
        command, destages, outstanding, mirror = values
        of = {"MW1": command, "RR": command, "RW": destages, "SR": outstanding, "SW": mirror}
        for active_w in ACTIVE_W:
            more = (active_w - rest_w) / SUPPLY
            value = {
                (metric, drives): one.rate / (one.watts + more)
                for (metric, tried, drives), one in seen.items()
                if tried == of[metric]
            }
            errors = {
                f"{one.metric} at {one.drives}": value[one.metric, one.drives] / one.value - 1
                for one in PRINTED.figures
                if one.fitted
            }
            yield Fit(values, active_w, errors, _peaks(value))


def _peaks(value: Mapping[tuple[str, int], float]) -> bool:
    def top(metric: str, among: Iterable[int]) -> int:
        return max(among, key=lambda drives: value[metric, drives])

    return (
        top("MW1", (100, 125, 150)) == 125
        and round(vertex([value["MW1", drives] for drives in SINGLE])) == 120
        and top("RR", READS) == 125
        and top("RW", WRITES) == 75
        and top("SR", SEQUENTIAL_READS) == 25
        and top("SW", SEQUENTIAL_WRITES) == 50
    )


def vertex(values: Sequence[float]) -> float:
    """Where a parabola has its peak that is fitted to the five values by single drives (least squares).

    Neighbours there differ by less than runs of a million requests scatter.
    """
    at = range(-2, 3)
    slope = sum(x * y for x, y in zip(at, values, strict=True)) / 10
    bend = sum((x * x - 2) * y for x, y in zip(at, values, strict=True)) / 14
    return SINGLE[2] - slope / (2 * bend)


def say(line: str) -> None:
    """A line of the result."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> None:
    """Fit and print."""
    pair, shelf = idle()
    say(f"pair at rest {pair:.1f} W, shelf {shelf:.1f} W, behind supplies of {SUPPLY:g}")
    seen = simulated()
    for (metric, tried, drives), one in seen.items():
        say(f"{metric:4} {tried!s:>6} {drives:4} drives  {one.rate:9.1f}  {one.watts:8.1f} W")
    ranked = sorted((fit for fit in fits(seen, pair) if fit.peaks), key=lambda fit: fit.cost)
    say(f"{len(ranked):,} combinations have all peaks; the best:")
    for fit in ranked[:10]:
        say(
            f"command, destages, outstanding, mirror {fit.values}, active {fit.active_w:g} W: "
            f"{100 * fit.cost:.2f} %"
        )
    if ranked:
        for figure, error in ranked[0].errors.items():
            say(f"  {figure:12} {100 * error:+.1f} %")


if __name__ == "__main__":
    main()
