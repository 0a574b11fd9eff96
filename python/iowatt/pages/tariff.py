"""What ``iowatt tariff`` shows: tariffs, what one charges for, and the bill of a load."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from iowatt.render import numbers, palette, plot
from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout
from iowatt.render.headline import Headline
from iowatt.tariffs.charges import ItemKind
from iowatt.tariffs.result import (
    BillDocument,
    BilledMonth,
    MonthlyPrices,
    TariffDocument,
    TariffIdentity,
    TariffList,
    TierPrice,
    TimedPrices,
)
from iowatt.tariffs.structure import Ratchet, Schedule

MOST_MONTHS: Final = 36
"""Months beyond which a bill is shown by years."""

_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_PERIODS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
_KINDS: Final[dict[ItemKind, str]] = {
    "energy": "energy", "fuel": "fuel adjustment", "demand": "demand", "coincident": "coincident demand",
    "fixed": "fixed", "minimum": "up to the minimum", "sell": "credits",
}  # fmt: skip
_SUMS: Final = (
    ("Energy", "energy_usd", palette.RUNS[0]), ("Demand", "demand_usd", palette.RUNS[1]),
    ("Fixed", "fixed_usd", palette.RUNS[2]), ("Credits", "other_usd", palette.RUNS[3]),
)  # fmt: skip


class _Dollars(Column):
    """Dollars and cents."""

    def show(self, cell: Cell) -> str:
        return f"{cell:,.2f}" if isinstance(cell, float) else super().show(cell)


class _Price(Column):
    """Dollars a kWh or kW, with the digits that the tariff has."""

    def show(self, cell: Cell) -> str:
        return f"{cell:.6g}" if isinstance(cell, float) else super().show(cell)


def dollars(value: float | None) -> str:
    """``$1,234.50``."""
    return numbers.NO_VALUE if value is None else f"{'-' if value < 0 else ''}${abs(value):,.2f}"


# --- The list ---


def listing(found: TariffList) -> Document:
    """The document of ``iowatt tariff list``."""
    columns = [
        Column("Tariff", text=True), Column("From", text=True, rank=1), Column("Until", text=True, rank=2),
        Column("Verified", text=True), Column("Charges", text=True),
    ]  # fmt: skip
    rows: list[list[Cell]] = [
        [
            one.key or one.name, *(date or numbers.NO_VALUE for date in one.effective),
            _verified(one), ", ".join(one.charges),
        ]
        for one in found.tariffs
    ]  # fmt: skip
    figure = Figure("tariffs", "Tariffs", "What each charges for.", Table(columns, rows), brief=True)
    title = numbers.counted(len(found.tariffs), "tariff")
    return Document("tariffs", "tariffs", title, sections=[Section("tariffs", "Tariffs", [figure])])


def _verified(tariff: TariffIdentity) -> str:
    return "yes" if tariff.verified else "no"


# --- A tariff ---


def document(found: TariffDocument) -> Document:
    """The document of ``iowatt tariff show``."""
    timed = {
        "energy": ("Energy", "kWh", found.energy),
        "flat_demand": ("Demand at any time", "kW", found.flat_demand),
        "demand": ("Demand by time of use", "kW", found.demand),
        "coincident": ("Coincident demand", "kW", found.coincident),
    }
    sections = [
        Section(key, title, list(_charge(key, title, unit, prices)))
        for key, (title, unit, prices) in timed.items()
        if prices is not None
    ]
    heatmaps = list(schedules(found))
    return Document(
        key="tariff",
        kind="tariff",
        title=found.name,
        meta=found.utility,
        verdict=[f"It charges for {', '.join(found.charges)}." if found.charges else "It charges nothing."],
        chart=heatmaps[0] if heatmaps else None,
        sections=[
            Section("terms", "Terms", [_terms(found)]),
            *sections,
            Section("schedules", "Prices by hour", heatmaps[1:], folded=True),
        ],
        caveats=[Caveat(note) for note in found.notes],
    )


def _terms(found: TariffDocument) -> Figure:
    rows: list[list[Cell]] = [[name, value] for name, value in _term_rows(found)]
    table = Table([Column("Term", text=True), Column("Value", text=True)], rows)
    return Figure("terms", "Terms", "Validity, fixed charges and how demand is metered.", table, brief=True)


def _term_rows(found: TariffDocument) -> Iterator[tuple[str, str]]:
    if found.source:
        yield "source", found.source + (f", {found.date}" if found.date else "")
    yield "effective", " to ".join(date or numbers.NO_VALUE for date in found.effective)
    yield "verified", _verified(found)
    low, high = found.applicable_kw
    if low is not None or high is not None:
        yield "for customers of", f"{_range(low, high)} kW"
    for fixed in found.fixed:
        yield "fixed", f"${fixed.usd:g} a {fixed.per}"
    for least in found.minimum:
        yield "minimum", f"${least.usd:g} a {least.per}"
    yield "demand window", f"{found.demand_window_s / 60:g} min"
    yield from _ratchet(found.ratchet)
    rates = found.fuel_usd_per_kwh
    if any(rates):
        same = len(set(rates)) == 1
        each = f"{rates[0]:g}" if same else " ".join(f"{rate:g}" for rate in rates)
        yield "fuel adjustment", f"${each}/kWh" + ("" if same else " (January to December)")


def _range(low: float | None, high: float | None) -> str:
    if low is None:
        return f"at most {high:g}"
    return f"at least {low:g}" if high is None else f"{low:g} to {high:g}"


def _ratchet(ratchet: Ratchet) -> Iterator[tuple[str, str]]:
    shares = ratchet.shares
    if any(shares):
        share = f"{100 * shares[0]:g} %" if len(set(shares)) == 1 else "by month, a share"
        yield "ratchet", f"{share} of the highest of the eleven months before"
    if ratchet.lookback_share:
        flags = ratchet.lookback_flags
        of = f"the {ratchet.lookback_months} months before"
        if flags is not None:
            of = ", ".join(name for name, flag in zip(_MONTHS, flags, strict=True) if flag)
        yield "look-back", f"{100 * ratchet.lookback_share:g} % of the highest of {of}"


def _charge(key: str, title: str, unit: str, prices: TimedPrices | MonthlyPrices) -> Iterator[Figure]:
    """The tiers of each period, then when each period applies, where there are several."""
    columns = [
        Column("Period", text=True), _Price("Price", f"$/{unit}"), _Price("Rate", f"$/{unit}", rank=1),
        _Price("Adjustment", f"$/{unit}", rank=1), Column("Up to", text=True), _Price("Fed back", "$/kWh"),
    ]  # fmt: skip
    adjusted = any(tier.adjustment for tiers in prices.periods for tier in tiers)
    rows: list[list[Cell]] = [
        [
            _period(number), tier.price, *((tier.rate, tier.adjustment) if adjusted else (None, None)),
            _limit(tier, unit), tier.sell,
        ]
        for number, tiers in enumerate(prices.periods)
        for tier in tiers
    ]  # fmt: skip
    daily = " Each day's peak is charged." if prices.daily else ""
    caption = f"Price = rate + adjustment, by period and tier.{daily}"
    yield Figure(f"{key}-prices", f"{title}: prices", caption, _filled(columns, rows), brief=True)
    if len(prices.periods) > 1:
        yield (
            _by_month(key, title, prices)
            if isinstance(prices, MonthlyPrices)
            else _by_hour(key, title, prices)
        )


def _filled(columns: Sequence[Column], rows: Sequence[list[Cell]]) -> Table:
    """The table without columns that have no value."""
    keep = [at for at in range(len(columns)) if any(row[at] not in (None, "") for row in rows)]
    return Table([columns[at] for at in keep], [[row[at] for at in keep] for row in rows])


def _period(number: int) -> str:
    return _PERIODS[number % len(_PERIODS)]


def _limit(tier: TierPrice, unit: str) -> str:
    if tier.limit is None:
        return ""
    return f"{tier.limit:,g} {tier.unit if unit == 'kWh' else unit}"


def _by_month(key: str, title: str, prices: MonthlyPrices) -> Figure:
    rows: list[list[Cell]] = [
        [month, _period(period)] for month, period in zip(_MONTHS, prices.months, strict=True)
    ]
    table = Table([Column("Month", text=True), Column("Period", text=True)], rows)
    return Figure(f"{key}-periods", f"{title}: periods", "The period of each month.", table, brief=True)


def _by_hour(key: str, title: str, prices: TimedPrices) -> Figure:
    rows: list[list[Cell]] = [
        [month, *("".join(map(_period, hours)) for hours in both)]
        for month, *both in zip(_MONTHS, prices.weekdays, prices.weekends, strict=True)
    ]
    table = Table([Column(name, text=True) for name in ("Month", "Weekdays", "Weekends")], rows)
    caption = "The period of each hour from 0 to 23, a character each."
    return Figure(f"{key}-periods", f"{title}: periods", caption, table, brief=True)


def schedules(tariff: TariffDocument) -> Iterator[Figure]:
    """What a kWh or a kW costs at each hour of each month, where there are several periods."""
    for key, title, unit, prices in (
        ("energy", "Energy", "kWh", tariff.energy),
        ("demand", "Demand", "kW", tariff.demand),
        ("coincident", "Coincident demand", "kW", tariff.coincident),
    ):
        if prices is None or len(prices.periods) < 2:
            continue
        drawn = partial(_schedule, unit=unit, periods=prices.periods)
        yield drawn(f"{key}-weekdays", f"{title} on weekdays", prices.weekdays)
        yield drawn(f"{key}-weekends", f"{title} on weekends", prices.weekends)


def _schedule(
    key: str, title: str, schedule: Schedule, *, unit: str, periods: Sequence[Sequence[TierPrice]]
) -> Figure:
    prices = [tiers[0].price for tiers in periods]
    tiered = any(len(tiers) > 1 for tiers in periods)
    cells: list[list[Cell]] = [
        [month, *(prices[period] for period in row)] for month, row in zip(_MONTHS, schedule, strict=True)
    ]
    table = Table([Column("Month", text=True), *(_Price(f"{hour} h") for hour in range(24))], cells)
    data = [
        {
            "type": "heatmap",
            "x": list(range(24)),
            "y": list(_MONTHS),
            "z": [[prices[period] for period in row] for row in schedule],
            "zmin": min(prices),
            "zmax": max(prices),
            "colorscale": "Viridis",
            "xgap": 1,
            "ygap": 1,
            "colorbar": {"title": {"text": f"$/{unit}", "side": "right"}, "thickness": 12, "outlinewidth": 0},
            "hovertemplate": f"%{{y}}, %{{x}} h: $%{{z:.6~g}}/{unit}<extra></extra>",
        }
    ]
    drawn = layout(
        axis("Hour of the day", dtick=3), axis("", autorange="reversed", type="category"), showlegend=False
    )
    caption = f"US dollars for a {unit} by month and hour of the day, without fuel adjustments" + (
        "; of the first tier." if tiered else "."
    )
    return Figure(key, title, caption, table, plot.spec(data, drawn), wide=True)


# --- A bill ---


def bill(tariff: TariffDocument, found: BillDocument) -> Document:
    """The document of a bill by ``tariff``."""
    named, load = found.tariff, found.load
    span = f"{_clock(found.start)} to {_clock(found.end)}"
    beside = f" beside a site of {numbers.significant(load.site_kw)} kW" if load.site_kw else ""
    each = "" if found.usd_per_kwh is None else f", ${found.usd_per_kwh:.4f} a kWh"
    energy, mean, peak = (
        numbers.significant(value, 4) for value in (load.energy_kwh, load.mean_kw, load.peak_kw)
    )
    known = "verified" if named.verified else "not verified"
    return Document(
        key="bill",
        kind="electricity bill",
        title=f"Electricity of {load.said}",
        meta=" · ".join(part for part in (named.name, named.utility, known, span) if part),
        verdict=[
            f"{load.said}{beside} costs {dollars(found.usd)}{each}: {energy} kWh, mean {mean} kW, "
            f"peak {peak} kW."
        ],
        chart=_bill_months(found),
        headlines=list(_headlines(found)),
        sections=[
            Section("kinds", "What is charged for", [_kinds(found)]),
            Section("tariff", "The tariff", list(schedules(tariff))),
            Section("lines", "Lines of the bill", [_lines(found)], folded=True),
        ],
        caveats=[Caveat(note.text, note.decides) for note in found.notes],
        provenance=[("tariff", named.key), *([("source", named.source)] if named.source else [])],
    )


def _clock(time: str) -> str:
    return time.replace("T", " ").removesuffix(" 00:00")


def _headlines(found: BillDocument) -> Iterator[Headline]:
    load = found.load
    kinds = ", ".join(f"{_KINDS[kind]} {dollars(value)}" for kind, value in found.by_kind.items() if value)
    beside = f"beside a site of {numbers.significant(load.site_kw)} kW" if load.site_kw else ""
    yield Headline("usd", "Total", found.usd, "$", kinds)
    yield Headline("each", "For a kWh", found.usd_per_kwh, "$/kWh", "all charges over the energy")
    yield Headline("energy", "Energy", load.energy_kwh, "kWh", beside)
    yield Headline("peak", "Peak", load.peak_kw, "kW", f"mean {numbers.with_unit(load.mean_kw, 'kW')}")


def shown_months(months: Sequence[BilledMonth]) -> Sequence[BilledMonth]:
    """The months; calendar years where there are more than :data:`MOST_MONTHS`."""
    if len(months) <= MOST_MONTHS:
        return months
    years: dict[str, list[BilledMonth]] = {}
    for month in months:
        years.setdefault(month.month[:4], []).append(month)
    sums = ("kwh", "energy_usd", "demand_usd", "fixed_usd", "other_usd", "usd")
    return [
        BilledMonth(
            month=year,
            share=math.fsum(month.share for month in these) / 12,
            peak_kw=max(month.peak_kw for month in these),
            **{key: math.fsum(getattr(month, key) for month in these) for key in sums},
        )
        for year, these in years.items()
    ]


def _bill_months(found: BillDocument) -> Figure:
    """Dollars of each month, stacked by what they are charged for."""
    shown = shown_months(found.months)
    by_year = len(shown) < len(found.months)
    sums = [one for one in _SUMS if any(getattr(row, one[1]) for row in shown)]
    columns = [
        Column("Year" if by_year else "Month", text=True), Column("Use", "kWh"), Column("Peak", "kW"),
        *(_Dollars(title, "$") for title, _, _ in sums), _Dollars("Total", "$"),
    ]  # fmt: skip
    cells: list[list[Cell]] = [
        [
            row.month, row.kwh, row.peak_kw, *(_cents(getattr(row, key)) for _, key, _ in sums),
            _cents(row.usd),
        ]
        for row in shown
    ]  # fmt: skip
    table = Table(columns, cells)
    data = [
        plot.bar(
            [row.month for row in shown], table.column(title), name=title, colour=colour,
            hover="%{x}: $%{y:,.2f}<extra>%{fullData.name}</extra>",
        )
        for title, key, colour in sums
    ]  # fmt: skip
    drawn = layout(axis("", type="category"), axis("US dollars"), barmode="relative", showlegend=True)
    return Figure(
        "months", "The bill by years" if by_year else "The bill by months",
        "Energy includes fuel adjustments, demand includes coincident demand, fixed includes minimum bills.",
        table, plot.spec(data, drawn), wide=True, brief=True,
    )  # fmt: skip


def _kinds(found: BillDocument) -> Figure:
    rows: list[list[Cell]] = [[_KINDS[kind], _cents(value)] for kind, value in found.by_kind.items()]
    rows.append(["total", _cents(found.usd)])
    table = Table([Column("Charge", text=True), _Dollars("Amount", "$")], rows)
    return Figure("kinds", "Sums by charge", "The whole bill.", table, brief=True)


def _lines(found: BillDocument) -> Figure:
    """Every line of the bill."""
    columns = [
        Column("Month", text=True), Column("Charge", text=True), Column("Period", text=True),
        Column("Tier", text=True), Column("Quantity"), Column("Unit", text=True), _Price("Price", "$"),
        Column("Part of the month"), _Dollars("Amount", "$"),
    ]  # fmt: skip
    cells: list[list[Cell]] = [
        [
            line.month, _KINDS[line.kind], _index(line.period), _index(line.tier),
            line.quantity, line.unit, line.price, line.share, _cents(line.usd),
        ]
        for line in found.items
    ]  # fmt: skip
    caption = (
        "Amount = quantity x price x part of the month. Periods and tiers count from 0, as in the record."
    )
    return Figure("items", "Lines of the bill", caption, Table(columns, cells), wide=True)


def _index(value: int | None) -> str:
    return "" if value is None else str(value)


def _cents(value: float) -> float:
    return round(value, 2) + 0.0
