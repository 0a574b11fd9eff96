"""What the systems cost, as tables and figures: by component, over alpha, defect by defect."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any, Final

from iowatt.lenses.cost import Horizon
from iowatt.lenses.cost.pricing import GROUPS
from iowatt.lenses.cost.result import PlaceRange
from iowatt.pages.cost import GROUP_COLOURS, GROUP_TITLES
from iowatt.render import palette, plot
from iowatt.render.figure import Cell, Figure, axis, layout
from iowatt.studies.dollars2014.conclusions import compared
from iowatt.studies.dollars2014.cost_conclusions import LONG, ONCE_OVER, Priced, crossings, differences
from iowatt.studies.dollars2014.money import Variant, alphas
from iowatt.studies.dollars2014.points import HybridPoint, pairs
from iowatt.studies.dollars2014.published import PRINTED, TEXT
from iowatt.studies.dollars2014.systems import NAMES, WORKS
from iowatt.studies.figures import colour, series_table, table

YEARS: Final = 5.0


def stacked(priced: Priced, variant: Variant, work: str) -> list[Figure]:
    """Cost of the five systems by component, once and after 100,000 times the work."""
    return [
        _stacked(priced, variant, work, ("once", "the work done once"), ONCE_OVER),
        _stacked(priced, variant, work, ("long", "100,000 times"), LONG),
    ]


def _stacked(priced: Priced, variant: Variant, work: str, when: tuple[str, str], horizon: Horizon) -> Figure:
    key, title = when
    found = {
        NAMES[system]: priced.money.groups(one, variant, horizon) for system, one in priced.five(work).items()
    }
    groups = [group for group in GROUPS if any(group in usd for usd in found.values())]
    rows: list[list[Cell]] = [
        [system, *(usd.get(group) for group in groups), sum(usd.values())] for system, usd in found.items()
    ]
    traces = [
        plot.bar(list(found), [usd.get(group, 0.0) for usd in found.values()], name=GROUP_TITLES[group],
                 colour=GROUP_COLOURS[group])
        for group in groups
    ]  # fmt: skip
    headings = ["System", *(f"{GROUP_TITLES[group]} (USD)" for group in groups), "Sum (USD)"]
    return TEXT.figure(
        "cost",
        table(" | ".join(headings), rows),
        plot.spec(traces, layout(axis("", type="category"), axis("Cost (USD)"), barmode="stack")),
        part=f"{work}-{variant.key}-{key}",
        work=WORKS[work].title,
        when=title,
        variant=variant.title,
    )


def over_alpha(priced: Priced, variant: Variant, work: str) -> Figure:
    """Cost of the five systems against alpha, with the crossing of caching and tiering."""
    systems, money = priced.five(work), priced.money
    at = list(alphas(max(one.duration_s for one in systems.values())))
    usd = {
        NAMES[system]: [money.usd(one, variant, Horizon("work", alpha)) for alpha in at]
        for system, one in systems.items()
    }
    traces = [_line(name, at, values, number) for number, (name, values) in enumerate(usd.items())]
    crossed = ""
    if "caching" in systems and "tiering" in systems:
        caching, tiering = systems["caching"], systems["tiering"]
        found = money.crossings(tiering, caching, variant)
        for one in found:
            cost = money.usd(caching, variant, Horizon("work", one.alpha))
            name = "caching and tiering cross"
            traces.append(
                plot.markers([one.alpha], [cost], name=name, colour=palette.ALL, size=12, symbol="x")
            )
        crossed = (
            "; ".join(
                f"caching and tiering cross over at alpha {one.alpha:,.0f} ({one.years[0]:.2g} and "
                f"{one.years[1]:.2g} years)"
                for one in found
            )
            or "caching and tiering do not cross over"
        )
    return TEXT.figure(
        "alpha",
        series_table("Alpha", at, usd, "USD"),
        plot.spec(traces, layout(_alpha(), axis("Cost (USD)", type="log", dtick=1))),
        part=f"{work}-{variant.key}",
        work=WORKS[work].title,
        variant=variant.title,
        crossed=crossed,
    )


def difference(priced: Priced, work: str) -> Figure:
    """Cost of caching against tiering over alpha, by variant."""
    systems = priced.five(work)
    caching, tiering = systems["caching"], systems["tiering"]
    at = list(alphas(max(caching.duration_s, tiering.duration_s)))
    found = {
        variant.title: [priced.money.apart(caching, tiering, variant, Horizon("work", alpha)) for alpha in at]
        for variant in priced.variants
    }
    traces = [_line(title, at, values, number) for number, (title, values) in enumerate(found.items())]
    columns = {title[0].upper() + title[1:]: values for title, values in found.items()}
    return TEXT.figure(
        "difference",
        series_table("Alpha", at, columns, "%"),
        plot.spec(traces, layout(_alpha(), axis("Cost of caching against tiering (%)"))),
        part=work,
        title=WORKS[work].title,
    )


def switches(priced: Priced) -> Figure:
    """Each defect put right alone: the difference at once, in the long run, and where it changes sign."""
    rows: list[list[Cell]] = []
    chosen: list[str] = []
    for work in WORKS:
        kept = compared(pairs(priced.points, work), work)
        chosen.append(f"{WORKS[work].title}: {kept.how}")
        for variant in priced.variants:
            once = differences(kept.pairs, priced.money, variant, ONCE_OVER)
            long = differences(kept.pairs, priced.money, variant, LONG)
            crossed = crossings(kept.pairs, priced.money, variant)
            rows.append(
                [
                    work, variant.title, len(kept.pairs), median(once), median(long), min(long), max(long),
                    len(crossed), *_spread([one.alpha for one in crossed]),
                    *_spread([max(one.years) for one in crossed]),
                ]
            )  # fmt: skip
    return TEXT.figure("switches", rows, chosen="; ".join(chosen))


def ranges(priced: Priced, variants: Sequence[Variant]) -> Figure:
    """How sure the crossing in alpha is: under draws of prices, rates and limits within their ranges."""
    rows: list[list[Cell]] = []
    for work, variant, systems in _each(priced, variants):
        draws = priced.scale.draws
        (pair,) = priced.money.ranges(systems["tiering"], systems["caching"], variant, draws).pairs
        at = pair.crossings[0].at if pair.crossings else None
        rows.append([work, variant.title, at, *_drawn(pair.range), pair.why or ""])
    return TEXT.figure("ranges", rows)


def ssd_only(priced: Priced, variants: Sequence[Variant]) -> Figure:
    """From which alpha SSD only is cheaper than each of the others, or no longer is."""
    rows: list[list[Cell]] = []
    for work, variant, systems in _each(priced, variants):
        ssd = systems.pop("ssd")
        for system, other in systems.items():
            shares = [priced.money.apart(ssd, other, variant, one) for one in (ONCE_OVER, LONG)]
            crossed: list[Cell] = [None, "no crossing", None, None]
            for one in priced.money.crossings(other, ssd, variant)[:1]:
                cheaper = NAMES[system if one.cheaper_before is ssd else "ssd"]
                crossed = [one.alpha, f"{cheaper} is cheaper", one.years[1], one.years[0]]
            rows.append([work, variant.title, NAMES[system], *shares, *crossed])
    return TEXT.figure("ssd-only", rows)


def equal_time(priced: Priced, variants: Sequence[Variant]) -> Figure:
    """Five years of each system, in which faster ones do more work; and the cost of a billion requests."""
    rows: list[list[Cell]] = []
    horizon = Horizon("time", YEARS)
    for work, variant, systems in _each(priced, variants):
        for system, one in systems.items():
            usd, long = (priced.money.usd(one, variant, over) for over in (horizon, LONG))
            billions = horizon.repeats(one.duration_s) * one.requests / 1e9
            rows.append([work, variant.title, NAMES[system], usd, billions, usd / billions, long])
    return TEXT.figure("equal-time", rows, long_run=PRINTED.long_run)


def _each(
    priced: Priced, variants: Sequence[Variant]
) -> Iterator[tuple[str, Variant, dict[str, HybridPoint]]]:
    """The five systems of each workload, under each variant."""
    for work in WORKS:
        for variant in variants:
            yield work, variant, priced.five(work)


def _drawn(found: PlaceRange | None) -> list[Cell]:
    if found is None:
        return [0, None, None, None, None, None]
    shares = [100 * found.share_crossing, 100 * found.share_b_cheaper]
    return [found.draws, *shares, found.p5, found.p50, found.p95]


def _spread(values: Sequence[float]) -> list[Cell]:
    return [median(values), min(values), max(values)] if values else [None, None, None]


def _alpha() -> dict[str, Any]:
    return axis("Alpha (times the work)", type="log", dtick=1)


def _line(name: str, x: Sequence[float], y: Sequence[float], number: int) -> dict[str, Any]:
    return plot.line(x, y, name=name, colour=colour(number), dash="solid" if number < 8 else "dot")
