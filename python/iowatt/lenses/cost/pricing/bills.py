"""Bills of a system's load, kept by length and factor.

Uncertainty, tornado and crossovers price a system a thousand times, and most of these prices share a bill.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
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
"""Longest bill by months."""

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
        """The same charge at ``factor`` times the power; fixed charges stay."""
        times = 1.0 if self.kind in FIXED else factor
        return Charge(self.kind, self.year, self.usd * times, self.quantity * times)


@dataclass(frozen=True)
class Bills:
    """The bills of one system's work under one tariff."""

    tariff: Tariff
    start: datetime
    #: The power of the work done once.
    load: ElectricLoad
    _known: dict[tuple[float, float], KnownMonths] = field(default_factory=dict, repr=False, compare=False)
    _charges: dict[tuple[float, float, float], tuple[Charge, ...]] = field(
        default_factory=dict, repr=False, compare=False
    )

    def of(self, repeats: float, factor: float = 1.0, site_kw: float = 0.0) -> Bill:
        """The bill of the work ``repeats`` times at ``factor`` times its power, with ``site_kw`` more.

        Raises ``InputError`` beyond ``LONGEST_YEARS``.
        """
        seconds = repeats * self.load.duration_s
        if seconds > LONGEST_YEARS * SECONDS_PER_YEAR:
            raise InputError(
                "out-of-range",
                None,
                f"the work takes {seconds / SECONDS_PER_YEAR:,.6g} years; expected {LONGEST_YEARS:g} at most",
                hint="give a shorter horizon: a smaller alpha, or fewer years",
            )
        load = self.load.repeated(repeats).scaled(factor)
        if site_kw:
            load = load.plus(1000.0 * site_kw)
        return bill(self.tariff, load, self.start, self._months(factor, site_kw))

    def _months(self, factor: float, site_kw: float) -> KnownMonths:
        """The months read for this factor; the least recently used factor is dropped."""
        known = self._known.pop((factor, site_kw), {})
        self._known[factor, site_kw] = known
        if len(self._known) > _READ:
            del self._known[next(iter(self._known))]
        return known

    def charges(self, repeats: float, factor: float = 1.0, site_kw: float = 0.0) -> tuple[Charge, ...]:
        """Charges by kind and year of the horizon; with a site's load, what the system adds to its bill."""
        key = (repeats, factor, site_kw)
        if key not in self._charges:
            if len(self._charges) >= _KEPT:
                self._charges.clear()
            self._charges[key] = self._charged(repeats, factor, site_kw)
        return self._charges[key]

    def _charged(self, repeats: float, factor: float, site_kw: float) -> tuple[Charge, ...]:
        if site_kw and self._additive:
            # A constant load raises every peak alike, so the system adds what it costs alone.
            alone = self.charges(repeats, factor)
            return tuple(charge for charge in alone if charge.kind not in FIXED)
        if site_kw:
            both, site = (self._by_year(self.of(repeats, f, site_kw).items) for f in (factor, 0.0))
            return tuple(difference(both, site))
        if factor != 1.0 and self._proportional:
            return tuple(charge.scaled(factor) for charge in self.charges(repeats))
        return tuple(self._by_year(self.of(repeats, factor).items))

    @cached_property
    def _proportional(self) -> bool:
        """Whether charges that are not fixed are in proportion to power: no tiers, no minimum bill."""
        tariff = self.tariff
        parts = (tariff.energy, tariff.demand, tariff.flat_demand, tariff.coincident)
        tiers = [tiers for part in parts if part is not None for tiers in part.periods]
        return not tariff.minimum and all(len(period) == 1 for period in tiers)

    @cached_property
    def _additive(self) -> bool:
        """Whether a constant load on the same meter leaves its charges as they are: no ratchet."""
        ratchet = self.tariff.ratchet
        return self._proportional and not any(ratchet.shares) and not ratchet.lookback_share

    def _by_year(self, items: Iterable[BillItem]) -> Iterator[Charge]:
        by_year: dict[tuple[ItemKind, int], list[tuple[float, float]]] = {}
        first = self.start.year * 12 + self.start.month
        for item in items:
            months = int(item.month[:4]) * 12 + int(item.month[5:]) - first
            by_year.setdefault((item.kind, months // 12), []).append((item.usd, item.quantity * item.share))
        for (kind, year), pairs in by_year.items():
            usd, quantity = (math.fsum(values) for values in zip(*pairs, strict=True))
            yield Charge(kind, year, usd, quantity)


def difference(more: Iterable[Charge], less: Iterable[Charge]) -> Iterator[Charge]:
    """``more`` minus ``less`` by kind and year."""
    first, second = ({(charge.kind, charge.year): charge for charge in charges} for charges in (more, less))
    for key in {**first, **second}:
        a, b = (charges.get(key, Charge(*key, 0.0, 0.0)) for charges in (first, second))
        yield Charge(*key, a.usd - b.usd, a.quantity - b.quantity)
