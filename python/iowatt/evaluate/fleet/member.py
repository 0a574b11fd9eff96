"""One member of a class: where it comes from, what it holds, and what it costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from iowatt.base.errors import InputError
from iowatt.evaluate.fleet.curve import MemberCurve
from iowatt.evaluate.fleet.point import MemberPoint, row_of_member
from iowatt.evaluate.search import PointTask, ScenarioInput, rate_overrides, task_of

if TYPE_CHECKING:
    from iowatt.evaluate.fleet.class_keys import FleetClass
    from iowatt.lenses.book import Book
    from iowatt.lenses.cost.pricing import CostCase, DrivePrice
    from iowatt.lenses.cost.systems import PricedSystem
    from iowatt.run.bundle import Run
    from iowatt.tariffs.structure import Tariff

GB: Final = 1e9


@dataclass(frozen=True)
class DriveGroup:
    """Drives of one model in a member."""

    model: str
    kind: str
    count: int
    #: Annual failure rate by year of age; the last goes on.
    afr: tuple[float, ...]
    usd: float
    embodied_kg: float
    #: False where no price of one is known, and ``usd`` is 0.
    priced: bool = True

    def failures(self, start: float, end: float) -> float:
        """Expected failures of one drive between two ages in years."""
        total, at = 0.0, max(0.0, start)
        while at < end:
            year = min(int(at), len(self.afr) - 1)
            until = min(end, year + 1.0) if year < len(self.afr) - 1 else end
            total += self.afr[year] * (until - at)
            at = until
        return total


@dataclass(frozen=True)
class MemberPrice:
    """What one member costs, today's dollars and kg CO2e."""

    usd: float
    drives: tuple[DriveGroup, ...]
    embodied_kg: float
    service_usd: float
    #: Share of its price that a retired member brings.
    residual: float
    #: Parts without a price, which ``usd`` leaves out.
    unpriced: tuple[str, ...]
    #: Whether ``usd`` is that of the drives, since nothing else is known to be there.
    drives_only: bool = False


@dataclass(frozen=True)
class MemberSource:
    """The scenario or the Runs of a class."""

    name: str
    #: In messages: the plan's file and the class's key.
    where: str
    given: ScenarioInput | None
    runs: tuple[Run, ...]

    @classmethod
    def of(cls, member: FleetClass, base: Path, where: str) -> MemberSource:
        """Of a class, whose files are relative to ``base``. Raises ``InputError`` for a file or a Run."""
        if member.scenario is not None:
            return cls(member.name, where, ScenarioInput.read(base / member.scenario, member.set_), ())
        from iowatt.run.bundle import Run

        return cls(member.name, where, None, tuple(Run.open(base / path) for path in member.runs))

    @property
    def identity(self) -> tuple[object, ...]:
        """Equal for classes whose members are one and the same."""
        return (self.given, tuple(str(run.path) for run in self.runs))

    def task(self, overrides: tuple[str, ...] = ()) -> tuple[PointTask, Mapping[str, Any]]:
        """The task of its scenario with more overrides, and its plan. Raises ``InputError`` at the class."""
        assert self.given is not None
        try:
            return task_of(self.given, overrides)
        except InputError as error:
            raise error.at(self.where) from None

    def at_rate(self, rate: float, own: Mapping[str, Any]) -> tuple[str, ...]:
        """Overrides that give its workloads so many requests per second, in the proportions of ``own``."""
        assert self.given is not None
        rates = own_rates(own)
        total = sum(rates.values())
        try:
            found = (
                [
                    override
                    for name, each in rates.items()
                    for override in rate_overrides(self.given, rate * each / total, name)
                ]
                if rates
                else list(rate_overrides(self.given, rate))
            )
        except InputError as error:
            message = f"the load of a member of {self.name!r} cannot be varied: {error.message}"
            raise InputError(error.code, self.where, message, hint=error.hint) from None
        return tuple(found)

    def rows(self) -> Iterator[dict[str, Any]]:
        """The rows of its Runs."""
        yield from map(row_of_member, self.runs)


def own_rates(row: Mapping[str, Any]) -> dict[str, float]:
    """Requests per second of each workload of a row; none where there is only one."""
    begins, ends = "workloads.", ".throughput.iops"
    return {
        name.removeprefix(begins).removesuffix(ends): float(value)
        for name, value in row.items()
        if name.startswith(begins) and name.endswith(ends) and value
    }


def curve_of(points: Mapping[float, Mapping[str, Any]], where: str) -> MemberCurve:
    """The curve of rows by load. Raises ``InputError`` where none has watts."""
    found = [MemberPoint.of_row(row, load) for load, row in points.items()]
    known = [one for one in found if one is not None]
    if not known:
        message = "the watts of a member are not known at any load"
        raise InputError("missing-figure", where, message, hint="a device file or a meter gives them")
    row = next(iter(points.values()))
    kind = "wall_" if row.get("power_w.wall_mean") is not None else ""
    return MemberCurve.of(known, row.get(f"power_w.{kind}idle"))


def usable_bytes(member: FleetClass, row: Mapping[str, Any], where: str) -> float:
    """Usable bytes of one member, after redundancy and capacity optimisation."""
    if member.usable is not None:
        return float(member.usable)
    found = row.get("capacity_gb.effective") or row.get("capacity_gb.usable")
    if not found:
        raise InputError("missing-figure", f"{where}.usable", "the usable capacity of a member is not known")
    return GB * float(found)


def price_of(
    member: FleetClass, system: PricedSystem, book: Book, tariff: Tariff, *, start: date, where: str
) -> MemberPrice:
    """The price of one member, by the plan where it states it, else by the cost lens.

    Raises ``InputError`` where a drive has no price and the plan states none.
    """
    case = _case(system, book, tariff, start)
    prices = {drive.name: case.price_of(drive) for drive in case.system.drives}
    groups = tuple(_groups(case, prices))
    drives = _stated(member, groups, where)
    usd = member.price
    if usd is None:
        unknown = next((one.model for one in case.system.drives if not prices[one.name].known), None)
        if unknown is not None or not prices:
            what = "its drives are not known" if unknown is None else f"no price is known of {unknown}"
            hint = "the key `price` states it"
            raise InputError("missing-figure", f"{where}.price", f"the price of a member: {what}", hint=hint)
        usd = sum(prices[one.name].usd * one.count for one in case.system.drives)
        usd += case.parts_usd + book.number("purchase.other")
    return MemberPrice(
        usd=usd,
        drives=drives,
        embodied_kg=sum(one.count * one.embodied_kg for one in drives)
        if member.embodied is None
        else member.embodied,
        service_usd=book.number("service.per_year") if member.service is None else member.service,
        residual=book.number("disposal.residual") if member.residual is None else member.residual,
        unpriced=() if member.price is not None else tuple(case.unpriced_parts),
        drives_only=member.price is None and not system.parts,
    )


def _case(system: PricedSystem, book: Book, tariff: Tariff, start: date) -> CostCase:
    """One member over its first year: prices, failures and embodied carbon of it are used."""
    from iowatt.lenses.cost import Horizon
    from iowatt.lenses.cost.pricing import CostCase

    begins = datetime(start.year, start.month, start.day)
    return CostCase.of(system.merged(), book.changed({}), tariff, Horizon("time", 1.0), begins)


def _groups(case: CostCase, prices: Mapping[str, DrivePrice]) -> Iterator[DriveGroup]:
    """Its drives by model; those of a measured Run may not be known."""
    from iowatt.lenses.cost.pricing import price

    drives = {drive.name: drive for drive in case.system.drives}
    if not drives:
        return
    costs = price(case)
    failures = {one.device: one.quantity or 0.0 for one in costs.of("failures")}
    raw = sum(drive.capacity_gb * drive.count for drive in drives.values())
    groups: dict[str, DriveGroup] = {}
    for name, drive in drives.items():
        # Embodied carbon is that of all drives; by capacity it is that of each.
        one = DriveGroup(
            model=drive.model,
            kind=drive.kind,
            count=drive.count,
            afr=(failures.get(name, 0.0) / drive.count,),
            usd=prices[name].usd,
            embodied_kg=costs.embodied_kg * drive.capacity_gb / raw,
            priced=prices[name].known,
        )
        before = groups.get(drive.model)
        groups[drive.model] = one if before is None else replace(before, count=before.count + one.count)
    yield from groups.values()


def _stated(member: FleetClass, groups: tuple[DriveGroup, ...], where: str) -> tuple[DriveGroup, ...]:
    """The drives that a class states, completed by those of its scenario."""
    stated = member.drives
    if stated is None:
        return groups
    first = groups[0] if groups else None
    missing = [name for name in ("model", "count", "afr", "price") if getattr(stated, name) is None]
    if first is None and missing:
        message = f"the drives of a member are not known, and {', '.join(missing)} is not given"
        raise InputError("missing-figure", f"{where}.drives", message)
    if len(groups) > 1 and stated.count is None:
        models = ", ".join(group.model for group in groups)
        message = f"a member has drives of several models ({models}): say how many there are in all"
        raise InputError("missing", f"{where}.drives.count", message)
    base = first or DriveGroup("", "stated", 0, (0.0,), 0.0, 0.0)
    afr = base.afr if stated.afr is None else tuple(np.atleast_1d(stated.afr).tolist())
    return (
        DriveGroup(
            model=stated.model or base.model,
            kind=base.kind,
            count=base.count if stated.count is None else stated.count,
            afr=afr,
            usd=base.usd if stated.price is None else stated.price,
            embodied_kg=base.embodied_kg if stated.embodied is None else stated.embodied,
            priced=base.priced or stated.price is not None,
        ),
    )
