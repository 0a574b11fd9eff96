"""Tariffs and bills on a terminal."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from iowatt.render.numbers import NO_VALUE, significant

Found = Mapping[str, Any]
MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
LONGEST: Final = 36
"""Months beyond which a bill is shown by years."""

KINDS: Final = {
    "energy": "energy", "fuel": "fuel adjustment", "demand": "demand", "coincident": "coincident demand",
    "fixed": "fixed", "minimum": "up to the minimum", "sell": "credits",
}  # fmt: skip
_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"


def usd(value: float | None) -> str:
    """Dollars and cents."""
    if value is None:
        return NO_VALUE
    return f"{'-' if value < 0 else ''}${abs(value):,.2f}"


def listing(found: Found) -> Iterator[str]:
    """A line for each tariff."""
    width = max((len(one["key"]) for one in found["tariffs"]), default=0)
    yield f"{'name':<{width}}  {'from':<12}{'until':<12}{'verified':<10}charges"
    for one in found["tariffs"]:
        began, ended = (date or NO_VALUE for date in one["effective"])
        known = "yes" if one["verified"] else "no"
        yield f"{one['key']:<{width}}  {began:<12}{ended:<12}{known:<10}{', '.join(one['charges'])}"


def tariff(found: Found) -> Iterator[str]:
    """All that a tariff charges for, with its schedules."""
    yield found["name"] + (f", {found['utility']}" if found["utility"] else "")
    if found["source"]:
        yield f"source    {found['source']}" + (f", {found['date']}" if found["date"] else "")
    began, ended = (date or NO_VALUE for date in found["effective"])
    yield f"effective {began} to {ended}"
    yield f"verified  {'yes' if found['verified'] else 'no'}"
    low, high = found["applicable_kw"]
    if low is not None or high is not None:
        yield f"for       {_limits(low, high)} kW"
    for fixed in found["fixed"]:
        yield f"fixed     ${fixed['usd']:g} a {fixed['per']}"
    for least in found["minimum"]:
        yield f"minimum   ${least['usd']:g} a {least['per']}"
    yield f"window    {found['demand_window_s'] / 60:g} min"
    yield from _ratchet(found["ratchet"])
    if any(found["fuel_usd_per_kwh"]):
        rates = found["fuel_usd_per_kwh"]
        said = f"{rates[0]:g}" if len(set(rates)) == 1 else " ".join(f"{rate:g}" for rate in rates)
        yield f"fuel      ${said}/kWh" + ("" if len(set(rates)) == 1 else " (January to December)")
    for key, title, unit in (
        ("energy", "Energy", "kWh"), ("flat_demand", "Demand at any time", "kW"),
        ("demand", "Demand by time of use", "kW"), ("coincident", "Coincident demand", "kW"),
    ):  # fmt: skip
        if found[key] is not None:
            yield ""
            yield from _charge(title, unit, found[key])
    yield from _notes(found["notes"])


def _limits(low: float | None, high: float | None) -> str:
    if low is None:
        return f"at most {high:g}"
    return f"at least {low:g}" if high is None else f"{low:g} to {high:g}"


def _ratchet(ratchet: Found) -> Iterator[str]:
    shares = ratchet["shares"]
    if any(shares):
        said = f"{100 * shares[0]:g} %" if len(set(shares)) == 1 else "by month"
        yield f"ratchet   {said} of the highest of eleven months before"
    if ratchet["lookback_share"]:
        flags = ratchet["lookback_flags"]
        of = f"{ratchet['lookback_months']} months before"
        if flags is not None:
            of = ", ".join(name for name, flag in zip(MONTHS, flags, strict=True) if flag)
        yield f"look-back {100 * ratchet['lookback_share']:g} % of the highest of {of}"


def _charge(title: str, unit: str, charge: Found) -> Iterator[str]:
    yield f"{title}, $/{unit}{' and day' if charge['daily'] else ''}" if "daily" in charge else title
    for period, tiers in enumerate(charge["periods"]):
        for tier in tiers:
            name = f"period {_DIGITS[period % 36]}" if tier is tiers[0] else ""
            sums = f" = {tier['rate']:g} + {tier['adjustment']:g}" if tier["adjustment"] else ""
            until = ""
            if tier["limit"] is not None:
                until = f"  up to {tier['limit']:,g} {tier['unit'] if unit == 'kWh' else unit}"
            back = f"  fed back ${tier['sell']:g}" if tier["sell"] is not None else ""
            yield f"  {name:<10}{tier['price']:.6g}{sums}{until}{back}"
    if "months" in charge:
        if len(charge["periods"]) > 1:
            yield "  months    " + " ".join(
                f"{name}:{_DIGITS[p % 36]}" for name, p in zip(MONTHS, charge["months"], strict=True)
            )
        return
    if len(charge["periods"]) > 1:
        yield f"            {'weekdays, hours 0 to 23':<26}weekends"
        for name, days, ends in zip(MONTHS, charge["weekdays"], charge["weekends"], strict=True):
            yield f"  {name}       {_row(days)}  {_row(ends)}"


def _row(periods: Sequence[int]) -> str:
    return "".join(_DIGITS[period % 36] for period in periods)


def bill(found: Found) -> Iterator[str]:
    """The months of a bill, its sums and its notes."""
    load, named = found["load"], found["tariff"]
    yield f"{named['name']}" + (f", {named['utility']}" if named["utility"] else "")
    beside = f" beside {significant(load['site_kw'])} kW" if load["site_kw"] else ""
    yield (
        f"{load['said']}{beside}, {found['start'].replace('T', ' ')} to {found['end'].replace('T', ' ')}: "
        f"{significant(load['energy_kwh'], 4)} kWh, mean {significant(load['mean_kw'], 4)} kW, "
        f"peak {significant(load['peak_kw'], 4)} kW"
    )
    yield ""
    columns = (("kWh", "kwh"), ("peak kW", "peak_kw"))
    sums = (
        ("energy", "energy_usd"), ("demand", "demand_usd"), ("fixed", "fixed_usd"),
        ("credits", "other_usd"), ("in all", "usd"),
    )  # fmt: skip
    heads = [f"{head:>12}" for head, _ in columns] + [f"{head:>14}" for head, _ in sums]
    yield f"{'':<9}{''.join(heads)}"
    for row in rows(found["months"]):
        cells = [f"{significant(row[key], 4):>12}" for _, key in columns]
        cells += [f"{usd(row[key]):>14}" for _, key in sums]
        yield f"{row['month']:<9}{''.join(cells)}"
    yield ""
    for kind, value in found["by_kind"].items():
        yield f"{KINDS[kind]:<20}{usd(value):>16}"
    mean = found["usd_per_kwh"]
    each = "" if mean is None else f"  (${mean:.4f} a kWh)"
    yield f"{'in all':<20}{usd(found['usd']):>16}{each}"
    yield from _notes(found["notes"])


def rows(months: Sequence[Found]) -> Sequence[Found]:
    """The months; by calendar years where there are more than ``LONGEST``."""
    if len(months) <= LONGEST:
        return months
    years: dict[str, list[Found]] = {}
    for month in months:
        years.setdefault(month["month"][:4], []).append(month)
    sums = ("kwh", "energy_usd", "demand_usd", "fixed_usd", "other_usd", "usd")
    return [
        {
            "month": year,
            "share": math.fsum(month["share"] for month in these) / 12,
            "peak_kw": max(month["peak_kw"] for month in these),
            **{key: math.fsum(month[key] for month in these) for key in sums},
        }
        for year, these in years.items()
    ]


def _notes(notes: Sequence[str]) -> Iterator[str]:
    if notes:
        yield ""
    for note in notes:
        yield f"note: {note}"
