"""Simulate the whole candidate space of each question in ``tests/choose/spaces``, for tests of the search.

    python scripts/choose_spaces.py [NAME...]

Of each design of the question's families sizes from the smallest that holds the data to ``WIDE`` times it are
simulated by the question's seed, with the rebuild of a drive where durability is limited. A row has what a
system costs, what it draws and what it misses.
"""

from __future__ import annotations

import csv
import itertools
import math
import sys
from collections.abc import Iterator
from pathlib import Path

from iowatt.evaluate.choose import choose_request, judge
from iowatt.evaluate.choose.conduct import trials_of
from iowatt.evaluate.choose.design import System
from iowatt.evaluate.choose.families import families_of
from iowatt.evaluate.choose.size import least
from iowatt.evaluate.choose.trials import Trials

SPACES = Path(__file__).resolve().parents[1] / "tests" / "choose" / "spaces"
WIDE = 3.0
FEWEST = 300
"""Systems of a space at least; each design has as many sizes as that takes."""
COLUMNS = ("family", "system", "usd", "watts", "overloaded", "loss_per_year", "missed")


def space_of(trials: Trials) -> list[System]:
    """The candidate space, with the fewest sizes of each design that make ``FEWEST`` systems."""
    return next(found for sizes in itertools.count(3) if len(found := list(systems(trials, sizes))) >= FEWEST)


def systems(trials: Trials, sizes: int) -> Iterator[System]:
    """Each design in up to so many sizes, or a few more."""
    for family in families_of(trials.question):
        for plain in family.designs():
            for design in (plain, plain.spared(1)):
                first = least(design, trials)
                if isinstance(first, str):
                    continue
                last = design.rounded(math.ceil(WIDE * first.count))
                step = max(design.step, (last - first.count) // sizes // design.step * design.step)
                for count in range(first.count, last + 1, step):
                    if design is plain or plain.takes_spare(count):
                        yield System(design, count)


def main(names: list[str]) -> None:
    """Write the table of each question."""
    for path in sorted(SPACES.glob("*.toml")):
        if names and path.stem not in names:
            continue
        with trials_of(choose_request(path)) as trials:
            space = space_of(trials)
            print(f"{path.stem}: {len(space)} systems", flush=True)
            limited = trials.question.durability.loss_per_year < 1
            records = trials.simulate(space, rebuilds=limited)
        with (SPACES / f"{path.stem}.csv").open("w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file, lineterminator="\n")
            rows.writerow(COLUMNS)
            for system, record in zip(space, records, strict=True):
                row = record.get("row")
                if row is None:
                    rows.writerow([system.design.family, system.title, "", "", "", "", "error"])
                    continue
                missed = judge.missed(trials.question, system, row, trials.rate_iops)
                rows.writerow([
                    system.design.family, system.title,
                    f"{row['cost.total_usd']:.2f}", f"{judge.watts(row):.2f}",
                    int(bool(row.get("overloaded"))), f"{row.get('durability.loss_per_year') or 0:.4g}",
                    " ".join(one.what for one in missed),
                ])  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1:])
