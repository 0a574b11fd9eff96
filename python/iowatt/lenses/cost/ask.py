"""What ``iowatt cost`` is asked for in words, made into systems, assumptions and the document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from iowatt.errors import InputError
from iowatt.lenses.cost import inventory, year
from iowatt.lenses.cost.analyse import analyse
from iowatt.lenses.cost.book.book import Book
from iowatt.lenses.cost.book.find import find_book
from iowatt.lenses.cost.horizon import Horizon
from iowatt.lenses.cost.defaults import SAMPLES, START, YEARS
from iowatt.lenses.cost.observe import observe
from iowatt.lenses.cost.system import System
from iowatt.run.bundle import Run
from iowatt.tariffs.find import find_tariff


@dataclass(frozen=True)
class Asked:
    """The options of ``iowatt cost``, as given."""

    runs: Sequence[Path]
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
    #: Settings that have an option of their own, as KEY=VALUE.
    more: Sequence[str] = field(default_factory=list)


def answer(asked: Asked) -> dict[str, Any]:
    """The document ``iowatt.cost/1``.

    Raises
    ------
    InputError
        No Run, or none that can be read; both horizons; anything that cannot be priced.
    """
    horizon = _horizon(asked)
    start = _start(asked.start)
    book = find_book(asked.preset, [*asked.sets, *asked.more])
    tariff = find_tariff(asked.tariff or book.word("energy.tariff"))
    systems = _systems(asked, book)
    crossed = asked.crossovers
    if crossed is None:
        crossed = ("alpha" if horizon.basis == "work" else "years", "energy.factor")
    return analyse(
        systems, tariff, book, horizon, start,
        samples=asked.samples, seed=asked.seed, crossovers=crossed if len(systems) > 1 else (),
    )  # fmt: skip


def _horizon(asked: Asked) -> Horizon:
    if asked.alpha is not None and asked.years is not None:
        raise InputError(
            "--alpha compares equal work and --years equal time: give one",
            hint="the result has the other one beside it",
        )
    if asked.alpha is not None:
        return Horizon("work", asked.alpha)
    return Horizon("time", YEARS if asked.years is None else asked.years)


def _start(text: str) -> datetime:
    try:
        return datetime.strptime(text, "%Y-%m-%d")
    except ValueError:
        raise InputError(
            f"{text!r} is no day; expected YYYY-MM-DD, such as {START}", where="--start"
        ) from None


def _systems(asked: Asked, book: Book) -> list[System]:
    if not asked.runs:
        raise InputError("no Run is given", hint="iowatt run SCENARIO makes one")
    runs = [Run.open(path) for path in asked.runs]
    if asked.inventories and len(asked.inventories) != len(runs):
        raise InputError(
            f"there are {len(asked.inventories)} inventories and {len(runs)} Runs", where="--inventory",
            hint="give one for each Run, in their order",
        )  # fmt: skip
    observed = [observe(run) for run in runs]
    for at, path in enumerate(asked.inventories):
        observed[at] = inventory.applied(inventory.read(path), observed[at])
    if asked.duty is None:
        return observed
    return year.systems(list(zip(runs, observed, strict=True)), year.find_cycle(asked.duty), book)
