"""Dollars of a fleet by year and part: what is due when, and its present value."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import TYPE_CHECKING, Final

import numpy as np

from iowatt.base.results import Note
from iowatt.evaluate.fleet.demand import QUARTERS
from iowatt.evaluate.fleet.result import PARTS
from iowatt.lenses.cost.result import Payment
from iowatt.lenses.wear import SECONDS_PER_YEAR
from iowatt.tariffs.bill import bill
from iowatt.tariffs.load import JOULES_PER_KWH, ElectricLoad

if TYPE_CHECKING:
    from iowatt.lenses.book import Book
    from iowatt.tariffs.structure import Tariff

DAY_S: Final = 86400.0
_FIXED: Final = ("fixed", "minimum")
"""Charges for the meter, whatever it reads."""


@dataclass
class FleetDollars:
    """Payments by part."""

    years: int
    rate: float
    flows: dict[str, list[tuple[int, Payment]]] = field(default_factory=lambda: {part: [] for part in PARTS})

    def pay(self, part: str, usd: float, start: float, end: float | None = None) -> None:
        """Dollars due at a time in years, or evenly until another within the same year."""
        if usd:
            until = None if end is None else end * SECONDS_PER_YEAR
            year = min(int(start + 1e-9), self.years - 1)
            self.flows[part].append((year, Payment(usd, start * SECONDS_PER_YEAR, until)))

    def of_year(self, year: int) -> dict[str, float]:
        """Dollars by part in a year, as paid."""
        return {
            part: sum((flow.usd for at, flow in flows if at == year), 0.0)
            for part, flows in self.flows.items()
        }

    def present(self, year: int) -> float:
        """All of a year in dollars of the start."""
        return sum(
            (flow.present(self.rate) for flows in self.flows.values() for at, flow in flows if at == year),
            0.0,
        )


def price_at(usd: float, decline: float, time: float) -> float:
    """A price so many years after the start, where it falls by ``decline`` a year."""
    return float(usd * (1.0 - decline) ** time)


def declines(stated: float | None, plan: float | None, book: Book) -> float:
    """How a price falls by year: of a class, else of the plan, else of the book."""
    if stated is not None:
        return stated
    return book.number("wear.price_decline") if plan is None else plan


@dataclass(frozen=True)
class FleetEnergy:
    """Energy of the facility by quarter."""

    kwh: Sequence[float]
    usd: Sequence[float]
    #: Hours of each quarter.
    hours: Sequence[float]
    #: Where the tariff does not fit the load.
    notes: Sequence[Note] = ()


def energy(
    watts: Sequence[float], days: Sequence[date], pue: float, tariff: Tariff, book: Book
) -> FleetEnergy:
    """The facility's energy and its bill; ``watts`` are mean IT watts of each quarter, ``days`` their edges.

    The tariff bills all of the fleet as one meter's load. Charges for the meter itself are left out unless
    ``energy.fixed`` is ``months``.
    """
    widths = np.array([(b - a).days * DAY_S for a, b in itertools.pairwise(days)])
    load = ElectricLoad.of_powers(widths, pue * np.array(watts))
    start = datetime(days[0].year, days[0].month, days[0].day)
    fixed = book.word("energy.fixed") == "months"
    factor, rise = book.number("energy.factor"), book.number("energy.escalation")
    usd = [0.0] * len(watts)
    billed = bill(tariff, load, start)
    for item in billed.items:
        months = int(item.month[:4]) * 12 + int(item.month[5:]) - (start.year * 12 + start.month)
        at = min(months // 3, len(usd) - 1)
        if fixed or item.kind not in _FIXED:
            usd[at] += item.usd * factor * (1.0 + rise) ** (at // QUARTERS)
    kwh = [float(one) / JOULES_PER_KWH for one in np.diff(load.joules)]
    # Rates of today end before any plan does, so that this decides nothing.
    misfits = [
        note.model_copy(update={"decides": note.code != "rates-ended"})
        for note in billed.notes
        if note.decides
    ]
    return FleetEnergy(kwh, usd, [float(one) / 3600 for one in widths], misfits)


def g_per_kwh(grid: Sequence[tuple[float, float]], time: float) -> float:
    """Emissions at a calendar time in years; even between two stated years, level before and after."""
    years, grams = zip(*grid, strict=True)
    return float(np.interp(time, years, grams))


def sums(parts: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """Parts added up."""
    total = dict.fromkeys(PARTS, 0.0)
    for one in parts:
        for part, usd in one.items():
            total[part] += usd
    return total
