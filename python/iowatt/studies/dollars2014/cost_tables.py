"""What the systems cost, as tables and figures: by component, over alpha, defect by defect."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any, Final

from iowatt.lenses.cost import Horizon
from iowatt.lenses.cost.component import GROUPS
from iowatt.lenses.cost.result_uncertainty import PlaceRange
from iowatt.pages.cost import words
from iowatt.render import palette
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout
from iowatt.studies.dollars2014.conclusions import compared
from iowatt.studies.dollars2014.cost_conclusions import LONG, ONCE_OVER, crossings, differences, five
from iowatt.studies.dollars2014.money import Money, Variant, alphas
from iowatt.studies.dollars2014.points import Point, pairs
from iowatt.studies.dollars2014.published import LONG_RUN
from iowatt.studies.dollars2014.systems import NAMES, WORKS, Scale, Work

YEARS: Final = 5.0
#: What the rows of a table by workload and variant begin with.
_EACH: Final = (Column("Workload", text=True), Column("Equations", text=True))


def stacked(points: list[Point], money: Money, variant: Variant, work: str, scale: Scale) -> list[Figure]:
    """Cost of the five systems by component, once and after 100,000 times the work."""
    return [
        _stacked(points, money, variant, work=WORKS[work], scale=scale, when=(key, title, horizon))
        for key, title, horizon in (
            ("once", "the work done once", ONCE_OVER),
            ("long", "100,000 times", LONG),
        )
    ]


def _stacked(
    points: list[Point],
    money: Money,
    variant: Variant,
    *,
    work: Work,
    scale: Scale,
    when: tuple[str, str, Horizon],
) -> Figure:
    key, title, horizon = when
    found = {
        NAMES[system]: money.groups(one, variant, horizon)
        for system, one in five(points, work.key, scale).items()
    }
    groups = [group for group in GROUPS if any(group in usd for usd in found.values())]
    columns = [
        Column("System", text=True),
        *(Column(words.NAMES[group], "USD") for group in groups),
        Column("Sum", "USD"),
    ]
    rows: list[list[Cell]] = [
        [system, *(usd.get(group) for group in groups), sum(usd.values())] for system, usd in found.items()
    ]
    data: list[dict[str, Any]] = [
        {
            "type": "bar",
            "name": words.NAMES[group],
            "x": list(found),
            "y": [usd.get(group, 0.0) for usd in found.values()],
            "marker": {"color": words.COLOURS[group]},
        }
        for group in groups
    ]
    return Figure(
        f"cost-{work.key}-{variant.key}-{key}",
        f"Cost under {work.title}, {title}: {variant.title}",
        "Hybrids at the configuration of the table of the five systems.",
        Table(columns, rows),
        {"data": data, "layout": layout(axis("", type="category"), axis("Cost (USD)"), barmode="stack")},
    )


def over_alpha(points: list[Point], money: Money, variant: Variant, work: str, scale: Scale) -> Figure:
    """Cost of the five systems against alpha, with the crossing of caching and tiering."""
    by = five(points, work, scale)
    at = list(alphas(max(one.duration_s for one in by.values())))
    columns = [Column("Alpha"), *(Column(NAMES[system], "USD") for system in by)]
    usd = {
        system: [money.usd(one, variant, Horizon("work", alpha)) for alpha in at]
        for system, one in by.items()
    }
    rows: list[list[Cell]] = [
        [alpha, *(usd[system][number] for system in by)] for number, alpha in enumerate(at)
    ]
    data = [_line(NAMES[system], at, usd[system], number) for number, system in enumerate(by)]
    crossed = ""
    if "caching" in by and "tiering" in by:
        found = money.crossings(by["tiering"], by["caching"], variant)
        for one in found:
            cost = money.usd(by["caching"], variant, Horizon("work", one.alpha))
            data.append(
                {
                    "type": "scatter", "mode": "markers", "name": "caching and tiering cross",
                    "x": [one.alpha], "y": [cost],
                    "marker": {"color": palette.ALL, "size": 12, "symbol": "x"},
                }
            )  # fmt: skip
        crossed = (
            "; ".join(
                f"caching and tiering change places at alpha {one.alpha:,.0f} ({one.years[0]:.2g} and "
                f"{one.years[1]:.2g} years)"
                for one in found
            )
            or "caching and tiering do not change places"
        )
    return Figure(
        f"alpha-{work}-{variant.key}",
        f"Cost against alpha: {WORKS[work].title}, {variant.title}",
        f"Equal work; {crossed}.",
        Table(columns, rows),
        {
            "data": data,
            "layout": layout(
                axis("Alpha (times the work)", type="log", dtick=1), axis("Cost (USD)", type="log", dtick=1)
            ),
        },
    )


def difference(
    points: list[Point], money: Money, variants: Sequence[Variant], work: str, scale: Scale
) -> Figure:
    """Cost of caching against tiering over alpha, by variant."""
    by = five(points, work, scale)
    caching, tiering = by["caching"], by["tiering"]
    at = list(alphas(max(caching.duration_s, tiering.duration_s)))
    columns = [
        Column("Alpha"),
        *(Column(variant.title[0].upper() + variant.title[1:], "%") for variant in variants),
    ]
    found = [
        [money.apart(caching, tiering, variant, Horizon("work", alpha)) for alpha in at]
        for variant in variants
    ]
    rows: list[list[Cell]] = [[alpha, *(one[number] for one in found)] for number, alpha in enumerate(at)]
    data = [
        _line(variant.title, at, one, number)
        for number, (variant, one) in enumerate(zip(variants, found, strict=True))
    ]
    return Figure(
        f"difference-{work}",
        f"Caching against tiering over alpha: {WORKS[work].title}",
        "At the configuration of the table of the five systems; below zero caching is cheaper. "
        "Where replacements are charged, wear costs nothing until the first drive is worn out: curves bend "
        "there.",
        Table(columns, rows),
        {
            "data": data,
            "layout": layout(
                axis("Alpha (times the work)", type="log", dtick=1),
                axis("Cost of caching against tiering (%)"),
            ),
        },
        wide=True,
    )


def switches(points: list[Point], money: Money, variants: Sequence[Variant]) -> Figure:
    """Each defect put right by itself: the difference at once, in the long run, and where it changes sign."""
    columns = [
        *_EACH,
        Column("Configurations"),
        Column("Once, median", "%"),
        Column("100,000 times, median", "%"),
        Column("Least", "%"),
        Column("Most", "%"),
        Column("Configurations that cross"),
        Column("At alpha, median"),
        Column("Least alpha"),
        Column("Most alpha"),
        Column("At years, median"),
        Column("Least years"),
        Column("Most years"),
    ]
    rows: list[list[Cell]] = []
    chosen: list[str] = []
    for work in WORKS:
        kept = compared(pairs(points, work), work)
        chosen.append(f"{WORKS[work].title}: {kept.said}")
        for variant in variants:
            once = differences(kept.pairs, money, variant, ONCE_OVER)
            long = differences(kept.pairs, money, variant, LONG)
            crossed = crossings(kept.pairs, money, variant)
            at = [one.alpha for one in crossed]
            lasting = [max(one.years) for one in crossed]
            rows.append(
                [
                    work, variant.title, len(kept.pairs), median(once), median(long), min(long), max(long),
                    len(crossed), *(_spread(at)), *(_spread(lasting)),
                ]
            )  # fmt: skip
    return Figure(
        "switches",
        "Cost of caching against tiering, defect by defect",
        f"{'; '.join(chosen)}. Each row but the last three has one of "
        "the known defects put right and the rest as printed. The disks never stop, so that their limit "
        "of starts changes nothing. Years are those of the slower system. Crossings are looked for at "
        "three alphas a decade; the table of draws looks at 48.",
        Table(columns, rows),
        wide=True,
    )


def ranges(points: list[Point], money: Money, variants: Sequence[Variant], scale: Scale) -> Figure:
    """How sure the crossing in alpha is: under draws of prices, rates and limits within their ranges."""
    columns = [
        *_EACH,
        Column("Crossing", "alpha"),
        Column("Draws"),
        Column("Draws that cross there", "%"),
        Column("Caching cheaper throughout", "%"),
        Column("5 %", "alpha"),
        Column("Median", "alpha"),
        Column("95 %", "alpha"),
        Column("Why none", text=True),
    ]
    rows: list[list[Cell]] = []
    for work, variant, by in _each(points, variants, scale):
        (pair,) = money.ranges(by["tiering"], by["caching"], variant, scale.draws).pairs
        at = pair.crossings[0].at if pair.crossings else None
        rows.append([work, variant.title, at, *_drawn(pair.range), pair.why or ""])
    return Figure(
        "ranges",
        "How sure the crossing is",
        "At the configuration of the table of the five systems: all figures of the book that have a range "
        "drawn within it (Latin hypercube).",
        Table(columns, rows),
        wide=True,
    )


def ssd_only(points: list[Point], money: Money, variants: Sequence[Variant], scale: Scale) -> Figure:
    """From which alpha SSD only is cheaper than each of the others, or no longer is."""
    columns = [
        *_EACH,
        Column("SSD only against", text=True),
        Column("Once", "%"),
        Column("100,000 times", "%"),
        Column("First crossing", "alpha"),
        Column("After it", text=True),
        Column("SSD only until then", "years"),
        Column("The other until then", "years"),
    ]
    rows: list[list[Cell]] = []
    for work, variant, by in _each(points, variants, scale):
        ssd = by.pop("ssd")
        for system, other in by.items():
            shares = [money.apart(ssd, other, variant, one) for one in (ONCE_OVER, LONG)]
            crossed: list[Cell] = [None, "no crossing", None, None]
            for one in money.crossings(other, ssd, variant)[:1]:
                cheaper = NAMES[system if one.cheaper_before is ssd else "ssd"]
                crossed = [one.alpha, f"{cheaper} is cheaper", one.years[1], one.years[0]]
            rows.append([work, variant.title, NAMES[system], *shares, *crossed])
    return Figure(
        "ssd-only",
        "SSD only against the others",
        "Alpha up to a million, or as many repetitions as 190 years hold.",
        Table(columns, rows),
        wide=True,
    )


def equal_time(points: list[Point], money: Money, variants: Sequence[Variant], scale: Scale) -> Figure:
    """Five years of each system, the faster ones doing more; and what a billion requests come to."""
    columns = [
        *_EACH,
        Column("System", text=True),
        Column("Cost of five years", "USD"),
        Column("Requests done", "billions"),
        Column("Cost of a billion requests", "USD"),
        Column("Equal work: 100,000 times", "USD"),
    ]
    rows: list[list[Cell]] = []
    horizon = Horizon("time", YEARS)
    for work, variant, by in _each(points, variants, scale):
        for system, one in by.items():
            usd, long = (money.usd(one, variant, over) for over in (horizon, LONG))
            billions = horizon.repeats(one.duration_s) * one.requests / 1e9
            rows.append([work, variant.title, NAMES[system], usd, billions, usd / billions, long])
    return Figure(
        "equal-time",
        "Equal time beside equal work",
        f"The study repeats the work {LONG_RUN:,.0f} times, which takes a slow system longer. Here each "
        "system works at its own speed for five years, day and night.",
        Table(columns, rows),
        wide=True,
    )


def _each(
    points: list[Point], variants: Sequence[Variant], scale: Scale
) -> Iterator[tuple[str, Variant, dict[str, Point]]]:
    """The five systems of each workload, under each variant."""
    for work in WORKS:
        for variant in variants:
            yield work, variant, five(points, work, scale)


def _drawn(found: PlaceRange | None) -> list[Cell]:
    if found is None:
        return [0, None, None, None, None, None]
    shares = [100 * found.share_crossing, 100 * found.share_b_cheaper]
    return [found.draws, *shares, found.p5, found.p50, found.p95]


def _spread(values: Sequence[float]) -> list[Cell]:
    return [median(values), min(values), max(values)] if values else [None, None, None]


def _line(name: str, x: Sequence[float], y: Sequence[float], number: int) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "x": list(x),
        "y": list(y),
        "line": {"color": palette.RUNS[number % len(palette.RUNS)], "dash": "solid" if number < 8 else "dot"},
    }
