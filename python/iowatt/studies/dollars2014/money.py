"""What each Run costs: the study's equations as printed, and with their defects put right one at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Final

from iowatt.lenses.book import Book, find_book
from iowatt.lenses.cost import START, Horizon, uncertainty
from iowatt.lenses.cost.pricing import Costs, Pricer, pricer
from iowatt.lenses.cost.result import Crossover
from iowatt.lenses.cost.systems import observe
from iowatt.lenses.wear import SECONDS_PER_YEAR
from iowatt.studies.dollars2014.published import PRINTED
from iowatt.tariffs.find import find_tariff

if TYPE_CHECKING:
    from iowatt.run.bundle import Run
    from iowatt.studies.dollars2014.points import HybridPoint

#: The study used the Long Island Power Authority's rates; which class and year is not known. This is
#: its rate with a demand charge for small sites, of today.
TARIFF: Final = "lipa-281-2026"
BOOK: Final = "dollars2014"

#: A desktop computer of the study's kind at the meter, besides its drives; assumed.
HOST_W: Final = 70.0

#: Alphas between which crossings are looked for; ten million would be centuries.
FEWEST: Final = 1.0
MOST: Final = 1e6
_LONGEST_YEARS: Final = 190.0
_PER_DECADE: Final = 3
_CLOSE: Final = 1e-4


@dataclass(frozen=True)
class Variant:
    """The book of the study with something changed."""

    #: Names it: no two books have the same.
    key: str
    title: str
    book: Book
    #: Watts at the meter besides the drives.
    beside_w: float = 0.0


def variants() -> list[Variant]:
    """The study's equations as printed, each defect corrected alone, then all of them."""
    printed = find_book(BOOK)
    switches: list[tuple[str, str, Mapping[str, float | str]]] = [
        ("demand", "demand charged by months, not alpha times a month's", {"energy.demand": "months"}),
        ("wear", "wear pays for replacements only", {"wear.charge": "replacements"}),
        ("reads", "reads wear nothing", {"wear.reads": 0.0}),
        ("cycles", "10,000 starts and stops, not 300,000", {"wear.start_stop_cycles": 10_000.0}),
        ("device", "whole drives, not used GB", {"purchase.charge": "device"}),
        ("pue", "PUE 1.54", {"cooling.pue": 1.54}),
    ]
    together: dict[str, float | str] = {}
    for _, _, changes in switches:
        together |= changes
    own = ["purchase.model.intel-320-300gb", "purchase.model.seagate-barracuda-xt-2tb"]
    # Customer charges are of a meter, and the drives are a small part of what is behind one.
    sane = find_book("default").changed({"energy.fixed": "none"})
    sane = replace(sane, figures={**sane.figures, **{key: printed.figures[key] for key in own}})
    return [
        Variant("printed", "as printed", printed),
        *(Variant(key, title, printed.changed(changes)) for key, title, changes in switches),
        Variant("all", "all six defects put right", printed.changed(together)),
        Variant("default", "the book default: rated limits, failures and a service life besides", sane),
        Variant("host", f"as printed, with the computer's {HOST_W:g} W at the meter", printed, HOST_W),
    ]


class Money:
    """Costs of points; meter readings and prices are kept between calls."""

    def __init__(self, runs: Mapping[HybridPoint, Run]) -> None:
        self._runs = runs
        self._tariff = find_tariff(TARIFF)
        self._pricers: dict[tuple[HybridPoint, float], Pricer] = {}
        #: By point, key of the variant, horizon: verdicts and tables ask for the same more than once.
        self._usd: dict[tuple[HybridPoint, str, Horizon], float] = {}

    def pricer(self, point: HybridPoint, beside_w: float = 0.0) -> Pricer:
        """The cost of a point as a function of book and horizon."""
        key = (point, beside_w)
        if key not in self._pricers:
            system = replace(observe(self._runs[point]), name=name(point))
            if beside_w:
                work = replace(system.work, load=system.work.load.plus(beside_w))
                system = replace(system, work=work)
            self._pricers[key] = pricer(system, self._tariff, datetime.fromisoformat(START))
        return self._pricers[key]

    def costs(self, point: HybridPoint, variant: Variant, horizon: Horizon) -> Costs:
        """All components."""
        return self.pricer(point, variant.beside_w)(variant.book.changed({}), horizon)

    def usd(self, point: HybridPoint, variant: Variant, horizon: Horizon) -> float:
        """Dollars in all."""
        key = (point, variant.key, horizon)
        if key not in self._usd:
            self._usd[key] = self.costs(point, variant, horizon).usd
        return self._usd[key]

    def groups(self, point: HybridPoint, variant: Variant, horizon: Horizon) -> dict[str, float]:
        """Dollars by group of components."""
        by_group = self.costs(point, variant, horizon).by_group
        return {group: usd for group, usd in by_group.items() if usd}

    def apart(self, caching: HybridPoint, tiering: HybridPoint, variant: Variant, horizon: Horizon) -> float:
        """Cost of the first against the second, percent."""
        return 100 * (self.usd(caching, variant, horizon) / self.usd(tiering, variant, horizon) - 1)

    def crossings(self, a: HybridPoint, b: HybridPoint, variant: Variant) -> list[StudyCrossing]:
        """Alphas from 1 to a million (or as many as 190 years hold) at which the cheaper of two changes.

        The search is the lens's (``root.flips``), on a grid of the study's own. That of
        ``uncertainty.crossovers``, which :meth:`ranges` asks, looks at 48 alphas a factor of ten, not 3: it
        would price every configuration under every variant some ten times as often. Tables show the first.
        """

        def apart(alpha: float) -> float:
            horizon = Horizon("work", alpha)
            return self.usd(b, variant, horizon) - self.usd(a, variant, horizon)

        longest_s = max(a.duration_s, b.duration_s)
        return [
            StudyCrossing(flip.at, (years(a, flip.at), years(b, flip.at)), b if flip.direction > 0 else a)
            for flip in uncertainty.flips(apart, list(alphas(longest_s)), _CLOSE)
        ]

    def ranges(self, a: HybridPoint, b: HybridPoint, variant: Variant, draws: int) -> Crossover:
        """The crossing in alpha again under draws of all figures of the book within their ranges."""
        pricers = {name(one): self.pricer(one, variant.beside_w) for one in (a, b)}
        (found,) = uncertainty.crossovers(
            pricers, variant.book.changed({}), Horizon("work", PRINTED.long_run), ["alpha"],
            bounds={"alpha": (FEWEST, MOST)}, draws=draws, seed=1,
            work_s={name(one): one.duration_s for one in (a, b)}, dollars="paid",
        )  # fmt: skip
        return found


@dataclass(frozen=True)
class StudyCrossing:
    """Where the cheaper of two systems changes."""

    alpha: float
    #: How long that much work takes the first, and the second.
    years: tuple[float, float]
    cheaper_before: HybridPoint


def years(point: HybridPoint, alpha: float) -> float:
    """How long the work takes ``alpha`` times over: alpha x seconds / 31,536,000."""
    return alpha * point.duration_s / SECONDS_PER_YEAR


def name(point: HybridPoint) -> str:
    """A point in a word, with its configuration."""
    at = "" if point.at is None else "-{}KiB-{}-{}".format(*point.at)
    more = "".join(f"-{part}" for part in (point.experiment, point.variation) if part)
    return f"{point.work}-{point.system}{at}{more}"


@cache
def stated(key: str) -> float:
    """A figure of the study as its book has it, in the key's unit."""
    return find_book(BOOK).number(key)


def alphas(seconds: float) -> Iterator[float]:
    """Repetitions from 1 on at which costs are computed, evenly on a logarithmic scale."""
    most = min(MOST, _LONGEST_YEARS * SECONDS_PER_YEAR / seconds)
    steps = max(1, math.ceil(_PER_DECADE * math.log10(most / FEWEST)))
    for step in range(steps + 1):
        yield FEWEST * (most / FEWEST) ** (step / steps)
