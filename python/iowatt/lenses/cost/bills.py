"""Bills of a system's load, made once for each length and factor that is asked for.

Uncertainty, tornado and crossovers price a system a thousand times; most of these differ in nothing that
the meter sees.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Final

from iowatt.errors import InputError
from iowatt.lenses.wear import SECONDS_PER_YEAR
from iowatt.tariffs.bill import Bill, Kind, bill
from iowatt.tariffs.load import Load

if TYPE_CHECKING:
    from iowatt.tariffs.structure import Tariff

LONGEST_YEARS: Final = 200.0
"""Beyond that a bill by months says nothing, and takes long."""


@dataclass(frozen=True)
class Charge:
    """Dollars and quantity of one kind of charge within one year of the horizon."""

    kind: Kind
    #: 0 for the first year.
    year: int
    usd: float
    quantity: float


@dataclass(frozen=True)
class Bills:
    """The bills of one system's work under one tariff."""

    tariff: Tariff
    start: datetime
    #: The work, once.
    load: Load
    _made: dict[tuple[float, float, float], Bill] = field(default_factory=dict, repr=False, compare=False)
    _charges: dict[tuple[float, float, float], tuple[Charge, ...]] = field(
        default_factory=dict, repr=False, compare=False
    )

    def of(self, repeats: float, factor: float = 1.0, site_kw: float = 0.0) -> Bill:
        """The bill of the work ``repeats`` times with ``factor`` times its power, beside ``site_kw``.

        Raises ``InputError`` beyond ``LONGEST_YEARS``.
        """
        key = (repeats, factor, site_kw)
        if key not in self._made:
            seconds = repeats * self.load.duration_s
            if seconds > LONGEST_YEARS * SECONDS_PER_YEAR:
                raise InputError(
                    f"the work takes {seconds / SECONDS_PER_YEAR:,.0f} years",
                    where="the horizon",
                    hint=f"bills are made of {LONGEST_YEARS:g} years at most: give a smaller --alpha or --years",
                )
            load = self.load.repeated(repeats).scaled(factor)
            self._made[key] = bill(self.tariff, load.plus(1000.0 * site_kw), self.start)
        return self._made[key]

    def charges(self, repeats: float, factor: float = 1.0, site_kw: float = 0.0) -> tuple[Charge, ...]:
        """The same by kind and year of the horizon; beside a site's load, what comes on top of the site's."""
        key = (repeats, factor, site_kw)
        if key not in self._charges:
            with_site = self._by_year(self.of(repeats, factor, site_kw))
            if site_kw:
                alone = self._by_year(self.of(repeats, 0.0, site_kw))
                nothing = (0.0, 0.0)
                with_site = {
                    at: (usd - alone.get(at, nothing)[0], quantity - alone.get(at, nothing)[1])
                    for at, (usd, quantity) in with_site.items()
                }
            self._charges[key] = tuple(Charge(*at, *found) for at, found in with_site.items())
        return self._charges[key]

    def _by_year(self, made: Bill) -> dict[tuple[Kind, int], tuple[float, float]]:
        """Dollars and quantities by kind and year of the horizon."""
        found: dict[tuple[Kind, int], list[tuple[float, float]]] = {}
        first = self.start.year * 12 + self.start.month
        for item in made.items:
            months = int(item.month[:4]) * 12 + int(item.month[5:]) - first
            found.setdefault((item.kind, months // 12), []).append((item.usd, item.quantity * item.share))
        return {
            at: (math.fsum(usd for usd, _ in pairs), math.fsum(quantity for _, quantity in pairs))
            for at, pairs in found.items()
        }
