"""What ``iowatt budget`` shows: where the response time goes, and which hop breaks a service level."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from iowatt.lenses.budget import analyse, has_hops
from iowatt.lenses.budget.result import Budget, ClassLoad, RequestClass
from iowatt.pages.budget import figures, hops, words
from iowatt.render import numbers
from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Cell, Column, Figure, Table
from iowatt.render.headline import Headline

if TYPE_CHECKING:
    from iowatt.run.bundle import Run

_BRIEF_BANDS = ("p50", "p99", "p99.9")
"""What a table of a terminal breaks down."""


def document(budget: Budget) -> Document:
    """The document of a budget."""
    bars = figures.bars(budget)
    over_load = figures.over_load(budget)
    chart, *others = [*over_load, *bars]
    first = budget.classes[0]
    levels = [line for one in budget.classes[1:] for line in words.against(one, budget)]
    loads = max(len(one.loads) for one in budget.classes)
    level = budget.level
    parts = [
        "modelled" if budget.modelled else "measured",
        numbers.counted(loads, "load"),
        *([f"{level.of} within {numbers.with_unit(level.within_ms, 'ms')}"] if level else []),
    ]
    return Document(
        key="budget",
        kind="latency budget",
        title=budget.name,
        meta=" · ".join(parts),
        verdict=words.against(first, budget) or [words.where(first, budget)],
        chart=chart,
        headlines=[_headline(one, number, budget) for number, one in enumerate(budget.classes)],
        sections=[
            Section(
                "classes",
                "Each class of requests",
                [_brief(one, budget) for one in budget.classes],
                [*levels, *words.findings(budget)],
            ),
            Section("hops", "Hop by hop", others),
            Section("bands", "Fast and slow requests", figures.bands(budget), folded=True),
            Section("against", "Against the service level", figures.against(budget), folded=True),
        ],
        caveats=list(_caveats(budget)),
    )


def _headline(one: RequestClass, number: int, budget: Budget) -> Headline:
    load = one.shown_load
    first = words.largest(load, 1)
    most = f"; most at {first[0].hop} {numbers.percent(first[0].share)}" if first else ""
    p99 = numbers.with_unit(load.response_ms["p99"], "ms")
    return Headline(
        f"mean-{number}", f"{budget.title(one)}: mean", load.response_ms["mean"], "ms", f"p99 {p99}{most}"
    )


def _caveats(budget: Budget) -> Iterator[Caveat]:
    for note in (*budget.notes, *words.validity(budget)):
        yield Caveat(note.text, note.decides)


def _brief(one: RequestClass, budget: Budget) -> Figure:
    """The class in one table: its hops, or over several loads their sums."""
    load = one.shown_load
    times = ", ".join(f"{name} {numbers.with_unit(value, 'ms')}" for name, value in load.response_ms.items())
    rate = numbers.with_unit(load.own_iops, "IOPS")
    return Figure(
        f"class-{one.path}-{one.name}".replace(" ", "-"),
        budget.title(one),
        f"{times}; {numbers.count(load.requests)} requests at {rate}",
        _by_load(one) if len(one.loads) > 1 else _by_hop(load),
        brief=True,
    )


def _by_hop(load: ClassLoad) -> Table:
    bands = [band for band in load.made_of if band.of in _BRIEF_BANDS]
    factor, unit = numbers.scale_for(load.response_ms["mean"], "ms")
    columns = [
        Column("Hop", text=True), Column("Busy", "%", rank=1), Column("Waiting", unit),
        Column("Service", unit), Column("Share", "%"),
        *(Column(f"of {band.of}", "%", rank=2) for band in bands),
    ]  # fmt: skip
    rows: list[list[Cell]] = [
        [
            hop.label,
            None if hop.utilisation is None else 100 * hop.utilisation,
            hop.waiting_ms / factor,
            hop.service_ms / factor,
            None if hop.share is None else 100 * hop.share,
            *(
                100 * (band.waiting_ms[at] + band.service_ms[at]) / band.response_ms
                if band.response_ms
                else None
                for band in bands
            ),
        ]
        for at, hop in enumerate(load.hops)
        if hop.total_ms
    ]
    return Table(columns, rows)


def _by_load(one: RequestClass) -> Table:
    """Waiting and service of each hop over the loads, in the mean; small ones together."""
    factor, unit = numbers.scale_for(max(load.response_ms["mean"] for load in one.loads), "ms")
    sums = [[hop.total_ms / factor for hop in load.hops] for load in one.loads]
    chosen = hops.shown([(each, [0.0] * len(each)) for each in sums])
    columns = [
        Column("Hop", text=True),
        *(
            Column(
                f"{unit} at {numbers.significant(load.rate_iops)}{' (overload)' if load.overloaded else ''}",
                "IOPS",
            )
            for load in one.loads
        ),
    ]
    rows: list[list[Cell]] = [[one.hops[at].label, *(each[at] for each in sums)] for at in chosen.alone]
    if chosen.others:
        rows.append([hops.OTHERS, *(sum(each[at] for at in chosen.others) for each in sums)])
    rows.append(["Response time", *(load.response_ms["mean"] / factor for load in one.loads)])
    return Table(columns, rows)


def section_of_run(run: Run) -> Section | None:
    """The budget in the document of a Run; None where the Run has no hops."""
    if not has_hops(run):
        return None
    budget = analyse([run])
    charts = [*figures.bars(budget), *figures.bands(budget)[: figures.MOST_CLASSES]]
    return Section("budget", "Latency budget", charts, words.findings(budget))
