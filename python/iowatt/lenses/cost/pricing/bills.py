"""Bills of a system's load, made once for each length and factor that is asked for.

Uncertainty, tornado and crossovers price a system a thousand times; most of these differ in nothing that
the meter sees.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Final

from iowatt.base.errors import InputError
from iowatt.lenses.wear import SECONDS_PER_YEAR
from iowatt.tariffs.bill import Bill, KnownMonths, bill
from iowatt.tariffs.charges import BillItem, ItemKind
from iowatt.tariffs.load import ElectricLoad

if TYPE_CHECKING:
    from iowatt.tariffs.structure import Tariff

LONGEST_YEARS: Final = 200.0
"""Beyond that a bill by months says nothing, and takes long."""

_READ: Final = 8
"""Factors whose months are kept."""

_KEPT: Final = 4096
"""Horizons and factors whose charges are kept."""

FIXED: Final[tuple[ItemKind, ...]] = ("fixed", "minimum")
"""Charges that more power does not change."""


@dataclass(frozen=True)
class Charge:
    """Dollars and quantity of one kind of charge within one year of the horizon."""

    kind: ItemKind
    #: 0 for the first year.
    year: int
    usd: float
    quantity: float

    def scaled(self, factor: float) -> Charge:
        """Of ``factor`` times the power; what is fixed stays."""
        times = 1.0 if self.kind in FIXED else factor
        return replace(self, usd=self.usd * times, quantity=self.quantity * times)


@dataclass(frozen=True)
class Bills:
    """The bills of one system's work under one tariff."""

    tariff: Tariff
    start: datetime
    #: The work, once.
    load: ElectricLoad
    _known: dict[tuple[float, float], KnownMonths] = field(default_factory=dict, repr=False, compare=False)
    _charges: dict[tuple[float, float, float], tuple[Charge, ...]] = field(
        default_factory=dict, repr=False, compare=False
    )

    def of(self, repeats: float, factor: float = 1.0, site_kw: float = 0.0) -> Bill:
        """The bill of the work ``repeats`` times with ``factor`` times its power, beside ``site_kw``.

        Raises ``InputError`` beyond ``LONGEST_YEARS``.
        """
        seconds = repeats * self.load.duration_s
        if seconds > LONGEST_YEARS * SECONDS_PER_YEAR:
            raise InputError(
                "out-of-range",
                None,
                f"the work takes {seconds / SECONDS_PER_YEAR:,.0f} years; expected {LONGEST_YEARS:g} at most",
                hint="give a shorter horizon: a smaller alpha, or fewer years",
            )
        load = self.load.repeated(repeats).scaled(factor)
        if site_kw:
            load = load.plus(1000.0 * site_kw)
        return bill(self.tariff, load, self.start, self._months(factor, site_kw))

    def _months(self, factor: float, site_kw: float) -> KnownMonths:
        """Months that were read for this factor; those of the factors not asked for longest are forgotten."""
        known = self._known.pop((factor, site_kw), {})
        self._known[factor, site_kw] = known
        if len(self._known) > _READ:
            del self._known[next(iter(self._known))]
        return known

    def charges(self, repeats: float, factor: float = 1.0, site_kw: float = 0.0) -> tuple[Charge, ...]:
        """The same by kind and year of the horizon; beside a site's load, what comes on top of the site's."""
        key = (repeats, factor, site_kw)
        if key not in self._charges:
            if len(self._charges) >= _KEPT:
                self._charges.clear()
            self._charges[key] = self._charged(repeats, factor, site_kw)
        return self._charges[key]

    def _charged(self, repeats: float, factor: float, site_kw: float) -> tuple[Charge, ...]:
        if site_kw and self._additive:
            # A constant beside it adds the same to every peak: what comes on top is the load's own.
            alone = self.charges(repeats, factor)
            return tuple(charge for charge in alone if charge.kind not in FIXED)
        if site_kw:
            return tuple(self._beside(repeats, factor, site_kw))
        if factor != 1.0 and self._proportional:
            return tuple(charge.scaled(factor) for charge in self.charges(repeats))
        return tuple(self._by_year(self.of(repeats, factor).items))

    def _beside(self, repeats: float, factor: float, site_kw: float) -> Iterator[Charge]:
        """What comes on top of a site's own bill: the difference of both."""
        both = {(one.kind, one.year): one for one in self._by_year(self.of(repeats, factor, site_kw).items)}
        alone = {(one.kind, one.year): one for one in self._by_year(self.of(repeats, 0.0, site_kw).items)}
        for at in {**both, **alone}:
            here, there = both.get(at, Charge(*at, 0.0, 0.0)), alone.get(at, Charge(*at, 0.0, 0.0))
            yield Charge(*at, here.usd - there.usd, here.quantity - there.quantity)

    @cached_property
    def _proportional(self) -> bool:
        """Whether twice the power is twice the bill, fixed charges aside: no tiers, and no least bill."""
        tariff = self.tariff
        parts = (tariff.energy, tariff.demand, tariff.flat_demand, tariff.coincident)
        tiers = [tiers for part in parts if part is not None for tiers in part.periods]
        return not tariff.minimum and all(len(one) == 1 for one in tiers)

    @cached_property
    def _additive(self) -> bool:
        """Whether a constant load beside it changes nothing of its own charges: no earlier peak counts."""
        ratchet = self.tariff.ratchet
        return self._proportional and not any(ratchet.shares) and not ratchet.lookback_share

    def _by_year(self, items: Iterable[BillItem]) -> Iterator[Charge]:
        found: dict[tuple[ItemKind, int], list[tuple[float, float]]] = {}
        first = self.start.year * 12 + self.start.month
        for item in items:
            months = int(item.month[:4]) * 12 + int(item.month[5:]) - first
            found.setdefault((item.kind, months // 12), []).append((item.usd, item.quantity * item.share))
        for (kind, year), pairs in found.items():
            usd = math.fsum(one for one, _ in pairs)
            yield Charge(kind, year, usd, math.fsum(quantity for _, quantity in pairs))
