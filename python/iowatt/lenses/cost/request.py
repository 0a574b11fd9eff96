"""A request of ``iowatt cost`` (Runs, assumptions, a horizon), and the function that prices it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from iowatt.base.errors import Argument, InputError
from iowatt.lenses.book import find_book
from iowatt.lenses.budget.result import ServiceLevel
from iowatt.lenses.cost import SAMPLES, START, YEARS
from iowatt.lenses.cost.analysis import analyse
from iowatt.lenses.cost.pricing.case import Horizon
from iowatt.lenses.cost.result.costs import Cost
from iowatt.lenses.cost.systems.of_run import observe
from iowatt.lenses.cost.systems.system import PricedSystem
from iowatt.run import index
from iowatt.run.bundle import Run
from iowatt.tariffs.find import find_tariff

if TYPE_CHECKING:
    from iowatt.lenses.cost.systems.inventory import Inventory
    from iowatt.lenses.cost.year import Year
    from iowatt.lenses.durability import DurableSystem

EARLIEST, LATEST = 1900, 2200
"""Years in which a bill may begin."""


@dataclass(frozen=True)
class CostRequest:
    """The options of ``iowatt cost``."""

    #: Folders of bundles, or Runs in memory.
    runs: Sequence[Path | Run]
    preset: str = "default"
    #: Assumptions as ``KEY=VALUE`` or ``KEY=VALUE:LOW..HIGH``.
    sets: Sequence[str] = ()
    tariff: str | None = None
    alpha: float | None = None
    years: float | None = None
    duty: str | None = None
    inventories: Sequence[Path] = ()
    start: str = START
    crossovers: Sequence[str] | None = None
    #: Lowest and highest value by what crossovers vary; by default as wide as ``uncertainty.axis`` has it.
    crossover_bounds: Mapping[str, tuple[float, float]] | None = None
    #: Draws of the other assumptions under which each crossover is found again; None: as many as is usual.
    crossover_draws: int | None = None
    #: Rank at equal work and usable capacity; otherwise systems as they are, each of which does what is
    #: asked.
    equal_work: bool = True
    samples: int = SAMPLES
    seed: int = 1
    #: The service level that candidates must meet.
    level: ServiceLevel | None = None
    #: What gives a system its times of rebuilds; None: those of its Run, else by the book's rate.
    rebuilt: Callable[[DurableSystem], DurableSystem] | None = None

    @property
    def horizon(self) -> Horizon:
        """Equal work with ``alpha``, else equal time."""
        if self.alpha is not None and self.years is not None:
            raise InputError(
                "conflict",
                Argument("years"),
                f"`alpha={self.alpha:g}` compares equal work and `years={self.years:g}` equal time; give one",
                hint="the result has both",
            )
        if self.alpha is not None:
            return Horizon("work", self.alpha)
        return Horizon("time", YEARS if self.years is None else self.years)


def price_runs(request: CostRequest, progress: Callable[[int], None] | None = None) -> Cost:
    """Price Runs: the document ``iowatt.cost/1``.

    ``progress`` is called with the number of prices found so far.

    Raises ``InputError``: no Run, a Run that cannot be read, both horizons, anything that cannot be priced.
    """
    # A folder of Runs (`runs/*`) also has their index.
    runs = [run for run in request.runs if isinstance(run, Run) or run.name != index.FILE_NAME]
    horizon, start = request.horizon, _start(request.start)
    book = find_book(request.preset, request.sets)
    tariff = find_tariff(request.tariff or book.word("energy.tariff"))
    inventories = _inventories(request, len(runs))
    for inventory in inventories:
        book = inventory.priced(book)
    systems = [_rebuilt(one, request) for one in _systems(request, runs, inventories, start)]
    crossed = request.crossovers
    if crossed is None:
        crossed = ("alpha" if horizon.basis == "work" else "years", "energy.factor")
    return analyse(
        systems, tariff, book, horizon, start, level=request.level, samples=request.samples,
        seed=request.seed, crossovers=crossed if len(systems) > 1 else (), bounds=request.crossover_bounds,
        draws=request.crossover_draws, equal_work=request.equal_work, progress=progress,
    )  # fmt: skip


def _rebuilt(priced: PricedSystem | Year, request: CostRequest) -> PricedSystem | Year:
    """A system or year with the rebuilds that its durability is assessed with."""
    system = priced if isinstance(priced, PricedSystem) else priced.system
    if request.rebuilt is None or system.durable is None:
        return priced
    system = replace(system, durable=request.rebuilt(system.durable))
    return system if isinstance(priced, PricedSystem) else replace(priced, system=system)


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


def _inventories(request: CostRequest, runs: int) -> list[Inventory]:
    count = len(request.inventories)
    if count not in (0, runs):
        raise InputError(
            "conflict",
            Argument("inventory"),
            f"there are {count} inventories and {runs} Runs; expected one for each Run, in order",
        )
    if not count:
        return []
    from iowatt.lenses.cost.systems.inventory import read_inventory

    return [read_inventory(path) for path in request.inventories]


def _systems(
    request: CostRequest, runs: Sequence[Path | Run], inventories: Sequence[Inventory], start: datetime
) -> list[PricedSystem | Year]:
    if not runs:
        raise InputError(
            "missing",
            None,
            "no Run given; expected at least one",
            hint="create one with `iowatt run SCENARIO`",
        )
    observed: list[tuple[Run, PricedSystem]] = []
    for number, item in enumerate(runs):
        run = item if isinstance(item, Run) else Run.open(item)
        system = observe(run, inventories[number] if inventories else None)
        if request.level is not None:
            system = replace(system, missed=request.level.missed(run.summary["response_time_ms"]["all"]))
        observed.append((run, system))
    if request.duty is None:
        return [system for _, system in observed]
    from iowatt.lenses.cost.year import find_cycle, make_years
    from iowatt.lenses.cost.year.cycle import HOURS_A_YEAR

    # As long as the horizon, so that wear and requests are those of the hours that are billed.
    length = request.horizon.amount if request.horizon.basis == "time" else 1.0
    years, hours = math.ceil(length), max(1, round(length * HOURS_A_YEAR))
    return [*make_years(observed, find_cycle(request.duty), start, years=years, hours=hours)]
