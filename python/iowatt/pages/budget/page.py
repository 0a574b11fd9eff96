"""What ``iowatt budget`` shows: where the response time goes, and which hop breaks a service level."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from iowatt.base.results import Note
from iowatt.lenses.budget import analyse, has_hops
from iowatt.lenses.budget.result import (
    BetweenLoads,
    BothWays,
    Budget,
    ClassLoad,
    Estimated,
    HopName,
    RequestClass,
)
from iowatt.pages.budget import figures, hops
from iowatt.render import numbers
from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Cell, Column, Figure, Table
from iowatt.render.headline import Headline
from iowatt.render.phrases import listed

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
    levels = [line for one in budget.classes[1:] for line in _against(one, budget)]
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
        verdict=_against(first, budget) or [_where(first, budget)],
        chart=chart,
        headlines=[_headline(one, number, budget) for number, one in enumerate(budget.classes)],
        sections=[
            Section(
                "classes",
                "Each class of requests",
                [_brief(one, budget) for one in budget.classes],
                [*levels, *_findings(budget)],
            ),
            Section("hops", "Hop by hop", others),
            Section("bands", "Fast and slow requests", figures.bands(budget), folded=True),
            Section("against", "Against the service level", figures.against(budget), folded=True),
        ],
        caveats=list(_caveats(budget)),
    )


def _headline(one: RequestClass, number: int, budget: Budget) -> Headline:
    load = one.shown_load
    first = _largest(load, 1)
    most = f"; most at {first[0].hop} {numbers.percent(first[0].share)}" if first else ""
    p99 = numbers.with_unit(load.response_ms["p99"], "ms")
    return Headline(
        f"mean-{number}", f"{budget.title(one)}: mean", load.response_ms["mean"], "ms", f"p99 {p99}{most}"
    )


def _caveats(budget: Budget) -> Iterator[Caveat]:
    for note in (*budget.notes, *_validity(budget)):
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
    return Section("budget", "Latency budget", charts, _findings(budget))


def _largest(load: ClassLoad, most: int = 3) -> list[BothWays]:
    """The hops that take most of a load's mean response time, both ways together, the largest first."""
    ranked = sorted(load.both_ways, key=lambda hop: -hop.total_ms)
    return [hop for hop in ranked[:most] if hop.total_ms > 0]


def _where(one: RequestClass, found: Budget) -> str:
    """Where the mean response time of a class goes, in a sentence."""
    load = one.shown_load
    parts = [f"{hop.hop} {numbers.percent(hop.share)}{_waiting(hop)}" for hop in _largest(load)]
    mean = numbers.with_unit(load.response_ms["mean"], "ms")
    return f"{found.title(one)}: mean {mean}, of which {listed(parts)}."


def _waiting(hop: BothWays) -> str:
    if hop.waiting_ms < 0.01 * hop.total_ms:
        return ""
    return f" ({numbers.with_unit(hop.waiting_ms, 'ms')} waiting)"


def _tail(one: RequestClass, found: Budget) -> str | None:
    """What the slowest 1 % are made of more than all requests are; None where nothing stands out."""
    bands = {band.of: band for band in one.shown_load.made_of}
    if "slowest 1 %" not in bands:
        return None
    every, slow = bands["mean"], bands["slowest 1 %"]
    if slow.anecdote or not every.response_ms or not slow.response_ms:
        return None
    grown = [
        (
            late / slow.response_ms - usual / every.response_ms, at, kind, usual / every.response_ms,
            late / slow.response_ms,
        )
        for kind, (all_times, slow_times) in {
            "waiting for": (every.waiting_ms, slow.waiting_ms),
            "in": (every.service_ms, slow.service_ms),
        }.items()
        for at, (usual, late) in enumerate(zip(all_times, slow_times, strict=True))
    ]  # fmt: skip
    more, at, doing, before, after = max(grown)
    if more < 0.1:
        return None
    return (
        f"{found.title(one)}: the slowest 1 % take {numbers.with_unit(slow.response_ms, 'ms')}, "
        f"{numbers.percent(after)} of it {doing} {_hop_name(one.hops[at])} ({numbers.percent(before)} of all "
        "requests)."
    )


def _hop_name(hop: HopName) -> str:
    """A hop with its way."""
    return f"{hop.hop} ({hop.way})" if hop.way else hop.hop


def _against(one: RequestClass, budget: Budget) -> list[str]:
    """A class against the service level, in a sentence; none without a level."""
    judgement = one.against
    if judgement is None:
        return []
    sentence = _estimated(judgement) if isinstance(judgement, Estimated) else _between_loads(judgement)
    return [f"{budget.title(one)}: {judgement.of} {sentence}"]


def _estimated(judgement: Estimated) -> str:
    seen, room, within = (
        numbers.with_unit(abs(value), "ms")
        for value in (judgement.seen_ms, judgement.slack_ms, judgement.within_ms)
    )
    first = judgement.first
    if not judgement.kept:
        most = f", most of it at {_hop_name(first)}" if first is not None else ""
        kept = f"; estimated to be met up to {_rate(judgement.rate_iops)}" if judgement.rate_iops else ""
        return f"{seen} exceeds {within} by {room}{most}{kept}"
    below = f"{seen} is {room} below {within}"
    if judgement.rate_iops is None:
        return f"{below}; the rate that breaks it cannot be estimated"
    alone = ""
    if first is not None and first.alone_iops is not None:
        alone = f", first by {_hop_name(first)} ({_rate(first.alone_iops)} on its own)"
    return f"{below}; estimated to break at {_rate(judgement.rate_iops)}{alone}"


def _between_loads(judgement: BetweenLoads) -> str:
    first, within = judgement.first, numbers.with_unit(judgement.within_ms, "ms")
    if judgement.between_iops is None or first is None:
        highest = judgement.seen[-1]
        room = numbers.with_unit(highest.slack_ms, "ms")
        return f"stays within {within} at every load; {room} left at {_rate(highest.rate_iops)}"
    low, high = judgement.between_iops
    if not low:
        return f"exceeds {within} even at the lowest load, most of it at {_hop_name(first)}"
    rate = f"at {_rate(judgement.rate_iops)} (" if judgement.rate_iops else "("
    grew = f"{numbers.with_unit(first.unloaded_ms, 'ms')} to {numbers.with_unit(first.there_ms, 'ms')}"
    return (
        f"exceeds {within} {rate}between {_rate(low)} and {_rate(high)}) because of {_hop_name(first)}, "
        f"which grew from {grew}"
    )


def _rate(rate: float) -> str:
    return numbers.with_unit(rate, "IOPS")


def _validity(found: Budget) -> list[Note]:
    """What the comparison with the level rests on; what is not of all classes, with their names."""
    notes = {found.title(one): one.against.validity for one in found.classes if one.against}
    classes: dict[Note, list[str]] = {}
    for name, listed_notes in notes.items():
        for note in listed_notes:
            classes.setdefault(note, []).append(name)
    return [
        note
        if len(names) == len(notes)
        else note.model_copy(update={"text": f"{', '.join(names)}: {note.text}"})
        for note, names in classes.items()
    ]


def _findings(budget: Budget) -> list[str]:
    """Where the time goes, and what the slowest requests are made of."""
    classes = budget.single[: figures.MOST_CLASSES]
    sentences = [text for one in classes for text in (_where(one, budget), _tail(one, budget))]
    return [sentence for sentence in sentences if sentence is not None]
