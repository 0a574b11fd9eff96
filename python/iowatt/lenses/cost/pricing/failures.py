"""Expected failures of drives: the field's annual rate, and what a disk's starts add to it.

With a and n the rate and the starts a year of the fleet that the rate is of, and N the starts a year of this
disk, failures a year are ``a + h max(0, N - n)``. The failures h of one start are what ``failures.starts``
says: none, a stated figure, or one over the rated number of starts and stops.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from iowatt.base.errors import InputError
from iowatt.lenses.cost.pricing import wear
from iowatt.lenses.cost.pricing.case import CostCase
from iowatt.lenses.cost.pricing.component import Component, number
from iowatt.lenses.cost.pricing.wear.ratios import STARTS_STOPS, limit
from iowatt.lenses.cost.result.costs import Payment
from iowatt.lenses.cost.systems.system import PricedDrive
from iowatt.lenses.wear import SECONDS_PER_YEAR

_STARTS = "failures.starts"
_IN_FLEET = "failures.starts_in_fleet"
_PER_START = "failures.per_start"


@dataclass(frozen=True)
class FailureRate:
    """Failures of a drive a year."""

    per_year: float
    #: What its starts add to that of the field.
    by_starts: float
    formula: str
    #: Keys of the book, that of the field's rate first.
    rests_on: tuple[str, ...]
    #: As an expression of the workbook.
    expression: str


def failure_costs(case: CostCase) -> Iterator[Component]:
    """A component for each drive whose annual failure rate is not 0.

    Expected failures are rate x years. A failure costs labour, and beyond the warranty the drive's price; a
    drive that replaced a worn one has its own warranty.
    """
    for drive in case.system.drives:
        rate = failure_rate(case, drive)
        if rate.per_year:
            yield _failures(case, drive, rate)


def failure_rate(case: CostCase, drive: PricedDrive) -> FailureRate:
    """The failure rate of a drive under the work that it does.

    Raises ``InputError`` where starts are to count by a rating that neither the drive nor the book has.
    """
    keys = [f"failures.afr.{name}" for name in (*drive.names, drive.kind)]
    field, key = case.book.number(*keys), case.book.figure(*keys).key
    starts = drive.counts.start_stops * SECONDS_PER_YEAR / case.system.work.duration_s
    how = case.book.word(_STARTS) if drive.kind == "hdd" and starts else "none"
    if how == "none":
        return FailureRate(field, 0.0, "rate", (key,), f"{{{key}}}")
    each, text, rests_on = _of_a_start(case, drive, how)
    more = each * max(0.0, starts - case.book.number(_IN_FLEET))
    return FailureRate(
        field + more, more, f"(rate + {each:.3g} x starts a year beyond the fleet's)",
        (key, _STARTS, _IN_FLEET, *rests_on),
        f"({{{key}}}+{text}*MAX(0,{number(starts)}-{{{_IN_FLEET}}}))",
    )  # fmt: skip


def _of_a_start(case: CostCase, drive: PricedDrive, how: str) -> tuple[float, str, tuple[str, ...]]:
    """Failures of one start, as an expression, and its keys."""
    if how == "stated":
        return case.book.number(_PER_START), f"{{{_PER_START}}}", (_PER_START,)
    most = limit(drive, case.book, STARTS_STOPS, f"wear.{STARTS_STOPS}")
    if most is None:
        raise InputError(
            "missing-figure",
            f"{case.book.name}: {_STARTS}",
            f"rated starts and stops of {drive.model} are not known",
            hint=f"`assume=wear.{STARTS_STOPS}=50000` sets them",
        )
    return 1.0 / most.value, f"1/({most.expression})", ("wear.limits", *most.keys)


def _failures(case: CostCase, drive: PricedDrive, rate: FailureRate) -> Component:
    labour, warranty = case.book.number("failures.labour"), case.book.number("failures.warranty")
    price, figure = case.price_of(drive), case.book.figure(rate.rests_on[0])
    failures, by_starts = rate.per_year * case.years, rate.by_starts * case.years
    late = list(_beyond_warranty(case, drive, warranty * SECONDS_PER_YEAR))
    flows = [Payment(failures * labour, 0.0, case.seconds)]
    flows += [
        Payment(rate.per_year * seconds / SECONDS_PER_YEAR * price.usd, start, end)
        for start, end, seconds in late
    ]
    return Component(
        key=f"failures:{drive.name}", group="failures", title=drive.title, device=drive.name,
        flows=tuple(flows), quantity=failures, unit="failures",
        unit_price=sum(flow.usd for flow in flows) / failures,
        formula=f"{rate.formula} x years x labour + {rate.formula} x years beyond the warranty x price",
        source=figure.source, date=figure.date, scales="time",
        rests_on=(*rate.rests_on, "failures.labour", "failures.warranty"),
        note=f"{by_starts:.3g} of them by its starts" if by_starts else "",
        expression=_failure_expression(case, rate.expression) if price.known else None,
        known=price.known or not late,
    )  # fmt: skip


def _beyond_warranty(
    case: CostCase, drive: PricedDrive, warranty_s: float
) -> Iterator[tuple[float, float, float]]:
    """Start, end and length in s of the times beyond the warranty of the drives in this place."""
    begins_s = 0.0
    if case.book.word("wear.charge") == "replacements":
        place = wear.place(case, drive)
        earlier, life_s = place.drives - 1, place.life_s
        begins_s = earlier * life_s if earlier else 0.0
        if earlier and warranty_s < life_s:
            if earlier > wear.LISTED:
                yield warranty_s, begins_s, earlier * (life_s - warranty_s)
            else:
                for start in (index * life_s for index in range(earlier)):
                    yield start + warranty_s, start + life_s, life_s - warranty_s
    if begins_s + warranty_s < case.seconds:
        yield begins_s + warranty_s, case.seconds, case.seconds - begins_s - warranty_s


def _failure_expression(case: CostCase, rate: str) -> str:
    """Rate x (years x labour + years of each drive beyond its warranty x price)."""
    late = "MAX(0,{years}-{failures.warranty})"
    if case.book.word("wear.charge") == "replacements":
        each = "MAX(0,{years}/{lives}-{failures.warranty})"
        last = "MAX(0,{years}-({served}-1)*{years}/{lives}-{failures.warranty})"
        late = f"IF({{served}}=1,{late},({{served}}-1)*{each}+{last})"
    return f"{rate}*({{years}}*{{failures.labour}}+{late}*{{price}})"
