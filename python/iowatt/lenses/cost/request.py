"""What ``iowatt cost`` is asked for in words, made into systems, assumptions and the document."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from iowatt.base.errors import Argument, InputError
from iowatt.lenses.budget.level import Level
from iowatt.lenses.cost.analyse import analyse
from iowatt.lenses.cost.book.find import find_book
from iowatt.lenses.cost.case import Horizon
from iowatt.lenses.cost.defaults import SAMPLES, START, YEARS
from iowatt.lenses.cost.inventory import Inventory, read_inventory
from iowatt.lenses.cost.observe import observe
from iowatt.lenses.cost.priced_system import Subject
from iowatt.lenses.cost.result import Cost
from iowatt.lenses.cost.year import find_cycle, make_years
from iowatt.lenses.cost.year.cycle import HOURS_A_YEAR
from iowatt.run import index
from iowatt.run.bundle import Run
from iowatt.tariffs.find import find_tariff

EARLIEST, LATEST = 1900, 2200
"""Years that a bill may begin in."""


@dataclass(frozen=True)
class Asked:
    """The options of ``iowatt cost``, as given."""

    #: Folders of bundles, or Runs in memory.
    runs: Sequence[Path | Run]
    preset: str = "default"
    sets: Sequence[str] = ()
    tariff: str | None = None
    alpha: float | None = None
    years: float | None = None
    duty: str | None = None
    inventories: Sequence[Path] = ()
    start: str = START
    crossovers: Sequence[str] | None = None
    samples: int = SAMPLES
    seed: int = 1
    #: Only systems whose response time keeps it are ranked.
    level: Level | None = None
    #: Settings that have an option of their own, as KEY=VALUE.
    more: Sequence[str] = field(default_factory=list)


def answer(asked: Asked, told: Callable[[int], None] | None = None) -> Cost:
    """The document ``iowatt.cost/1``; ``told`` is called with the number of prices found so far.

    Raises
    ------
    InputError
        No Run, or none that can be read; both horizons; anything that cannot be priced.
    """
    # A folder of Runs (`runs/*`) has their index beside them.
    runs = [one for one in asked.runs if isinstance(one, Run) or one.name != index.FILE_NAME]
    asked = replace(asked, runs=runs)
    horizon = _horizon(asked)
    start = _start(asked.start)
    book = find_book(asked.preset, [*asked.sets, *asked.more])
    tariff = find_tariff(asked.tariff or book.word("energy.tariff"))
    inventories = _inventories(asked)
    for one in inventories:
        book = one.priced(book)
    subjects = _subjects(asked, inventories, horizon, start)
    crossed = asked.crossovers
    if crossed is None:
        crossed = ("alpha" if horizon.basis == "work" else "years", "energy.factor")
    return analyse(
        subjects, tariff, book, horizon, start,
        level=asked.level, samples=asked.samples, seed=asked.seed,
        crossovers=crossed if len(subjects) > 1 else (), told=told,
    )  # fmt: skip


def _horizon(asked: Asked) -> Horizon:
    if asked.alpha is not None and asked.years is not None:
        raise InputError(
            "conflict",
            Argument("years"),
            f"`alpha={asked.alpha:g}` compares equal work and `years={asked.years:g}` equal time; give one",
            hint="the result has the other one, too",
        )
    if asked.alpha is not None:
        return Horizon("work", asked.alpha)
    return Horizon("time", YEARS if asked.years is None else asked.years)


def _start(text: str) -> datetime:
    try:
        start = datetime.strptime(text, "%Y-%m-%d")
    except ValueError:
        raise InputError(
            "bad-syntax", Argument("start"), f"{text!r} is not a day; expected YYYY-MM-DD, such as {START}"
        ) from None
    if not EARLIEST <= start.year <= LATEST:
        raise InputError(
            "out-of-range", Argument("start"), f"{text!r} is not accepted; expected {EARLIEST} to {LATEST}"
        )
    return start


def _inventories(asked: Asked) -> list[Inventory]:
    if asked.inventories and len(asked.inventories) != len(asked.runs):
        raise InputError(
            "conflict",
            Argument("inventory"),
            f"there are {len(asked.inventories)} inventories and {len(asked.runs)} Runs; "
            "expected one for each Run, in their order",
        )
    return [read_inventory(path) for path in asked.inventories]


def _subjects(
    asked: Asked, inventories: Sequence[Inventory], horizon: Horizon, start: datetime
) -> list[Subject]:
    if not asked.runs:
        raise InputError(
            "missing", None, "no Run is given; expected at least one", hint="`iowatt run SCENARIO` makes one"
        )
    runs = [one if isinstance(one, Run) else Run.open(one) for one in asked.runs]
    observed = []
    for at, run in enumerate(runs):
        system = observe(run, inventories[at] if inventories else None)
        if asked.level is not None:
            system = replace(system, missed=asked.level.missed(run.summary["response_time_ms"]["all"]))
        observed.append(Subject(system, run))
    if asked.duty is None:
        return observed
    # Just as long as is priced, so that wear and requests are those of the hours that are billed.
    length = horizon.amount if horizon.basis == "time" else 1.0
    years, hours = math.ceil(length), max(1, round(length * HOURS_A_YEAR))
    pairs = [(run, one.system) for run, one in zip(runs, observed, strict=True)]
    made = make_years(pairs, find_cycle(asked.duty), start, years=years, hours=hours)
    return [Subject(year.system, year=year) for year in made]
