"""Figures of a latency budget, from its document: hop by hop, by percentile, over load."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from iowatt.lenses.budget.result import (
    BetweenLoads,
    Budget,
    ClassLoad,
    Estimated,
    HopName,
    PercentileBand,
    RequestClass,
    ServiceLevel,
)
from iowatt.pages.budget import hops as drawn
from iowatt.render import numbers, palette, plot
from iowatt.render.figure import Cell, Column, Figure, Table, axis, plain

if TYPE_CHECKING:
    from iowatt.run.bundle import Run

_HATCHED: Final = "Solid is service, hatched is waiting, in order from the host to the media and back."

#: Share of a bar from which a hop is shown on its own where room is short.
_SHOWN_IN_BANDS: Final = 0.02

#: Classes whose percentiles a report shows; the page of `iowatt budget` has all.
MOST_CLASSES: Final = 6


def hops_of_run(run: Run) -> Table:
    """Hop by hop what the mean is made of, for a workbook; no rows where the Run has none."""
    found = _analysed(run)
    classes = [] if found is None else [(found.title(one), one.shown_load) for one in found.classes]
    return _hop_table(classes, 1.0, "ms")


def bands_of_run(run: Run) -> Table:
    """The same around percentiles and for the slowest requests, a row for each hop."""
    found = _analysed(run)
    columns = [
        Column("Requests", text=True), Column("Of", text=True), Column("Hop", text=True),
        Column("Waiting", "ms"), Column("Service", "ms"), Column("Response time", "ms"), Column("Counted"),
    ]  # fmt: skip
    rows: list[list[Cell]] = [] if found is None else [
        [
            found.title(one), band.of, hop.label, band.waiting_ms[at], band.service_ms[at],
            band.response_ms, band.requests,
        ]
        for one in found.classes
        for band in one.shown_load.made_of
        for at, hop in enumerate(one.hops)
    ]  # fmt: skip
    return Table(columns, rows)


def _analysed(run: Run) -> Budget | None:
    from iowatt.lenses.budget import analyse, has_hops

    return analyse([run]) if has_hops(run) else None


def _at_load(one: RequestClass) -> str:
    """Which of several loads is shown."""
    rate = numbers.with_unit(one.shown_load.rate_iops, "IOPS")
    return f" At {rate}, the highest load that was sustained." if len(one.loads) > 1 else ""


def bars(found: Budget) -> list[Figure]:
    """Mean response time hop by hop, a bar for each class; a figure for each path."""
    paths = list(dict.fromkeys(one.path for one in found.classes))
    return [
        _bars([one for one in found.classes if one.path == path], path, number, len(paths))
        for number, path in enumerate(paths)
    ]


def _bars(classes: Sequence[RequestClass], path: str, number: int, paths: int) -> Figure:
    every = [(one, one.shown_load) for one in classes]
    longest = max(load.response_ms["mean"] for _, load in every)
    factor, unit = numbers.scale_for(longest, "ms")
    listed = list({_key(hop): hop for one, _ in every for hop in one.hops}.values())
    values = [_aligned(listed, one, load, factor) for one, load in every]
    names = [plain(one.name) for one, _ in every]
    data, chosen = drawn.marks(listed, values, along="x", places=names, unit=unit)
    every_name = {"dtick": 1} if len(names) <= MOST_CLASSES else {}
    return Figure(
        f"budget-hops-{number}",
        f"Where the response time goes{f': {path}' if paths > 1 else ''}",
        f"Mean response time of each kind of request. {_HATCHED} Busy and saturated at are of all requests "
        f"together.{_at_load(classes[0])}",
        _hop_table([(str(one.name), load) for one, load in every], factor, unit),
        plot.chart(
            data,
            axis(f"Mean response time ({unit})", rangemode="tozero"),
            axis("", autorange="reversed", ticks="", ticksuffix=" ", **every_name),
            barmode="stack",
            showlegend=True,
        ),
        remarks=chosen.remarks,
        wide=True,
    )


def _hop_table(loads: Sequence[tuple[str, ClassLoad]], factor: float, unit: str) -> Table:
    """A row for each hop of named classes."""
    columns = [
        Column("Requests", text=True), Column("Hop", text=True), Column("Waiting", unit),
        Column("Service", unit), Column("Both", unit), Column("Share", "%"), Column("Busy", "%"),
        Column("Saturated at", "IOPS"),
    ]  # fmt: skip
    rows: list[list[Cell]] = []
    for name, load in loads:
        for hop in load.hops:
            times = [hop.waiting_ms / factor, hop.service_ms / factor, hop.total_ms / factor]
            shares = [_percent(hop.share), _percent(hop.utilisation)]
            rows.append([name, hop.label, *times, *shares, hop.saturation_iops])
    return Table(columns, rows)


def _key(hop: HopName) -> tuple[str, str, str]:
    return hop.hop, hop.place, hop.way


def _aligned(
    listed: Sequence[HopName], one: RequestClass, load: ClassLoad, factor: float
) -> tuple[list[float], list[float]]:
    place = {_key(hop): number for number, hop in enumerate(one.hops)}
    found: tuple[list[float], list[float]] = ([], [])
    for hop in listed:
        number = place.get(_key(hop))
        hop_time = None if number is None else load.hops[number]
        found[0].append(0.0 if hop_time is None else hop_time.waiting_ms / factor)
        found[1].append(0.0 if hop_time is None else hop_time.service_ms / factor)
    return found


def bands(found: Budget) -> list[Figure]:
    """What the percentiles of each class are made of; none where only means are known."""
    return [
        _bands(one, found.title(one), number)
        for number, one in enumerate(found.single)
        if len(one.shown_load.made_of) > 2
    ]


def _bands(one: RequestClass, name: str, number: int) -> Figure:
    every = one.shown_load.made_of
    longest = max(band.response_ms for band in every)
    factor, unit = numbers.scale_for(longest, "ms")
    charted = [band for band in every if not band.of.startswith("slowest")]
    places = [f"{band.of}<br>{numbers.with_unit(band.response_ms, 'ms')}" for band in charted]
    shares = [(_shares(band, band.waiting_ms), _shares(band, band.service_ms)) for band in charted]
    data, chosen = drawn.marks(one.hops, shares, along="y", places=places, unit="%", least=_SHOWN_IN_BANDS)
    columns = [
        Column("Hop", text=True),
        *(
            Column(f"{band.of.capitalize() if band.of == 'mean' else band.of}: {kind}", unit)
            for band in every
            for kind in ("waiting", "service")
        ),
    ]
    rows: list[list[Cell]] = [
        [
            hop.label,
            *(times[at] / factor for band in every for times in (band.waiting_ms, band.service_ms)),
        ]
        for at, hop in enumerate(one.hops)
    ]
    rows.append(["Response time", *_sums(every, factor)])
    rows.append(["Requests", *(cell for band in every for cell in (None, band.requests))])
    thin = [band.of for band in every if band.anecdote]
    remarks = [*chosen.remarks, "The table also has the slowest 10 %, 1 % and 0.1 %."]
    if thin:
        remarks.append(f"On fewer than 10 requests: {', '.join(thin)}: anecdotal.")
    return Figure(
        f"budget-bands-{number}",
        f"What percentiles are made of: {name}",
        "Shares of the response time: of all requests, and of those around each percentile (as many as lie "
        f"beyond it). {_HATCHED}{_at_load(one)}",
        Table(columns, rows),
        plot.chart(
            data,
            axis("", type="category", showgrid=False),
            axis("Share of the response time (%)", range=[0, 100]),
            barmode="stack",
            showlegend=True,
        ),
        remarks=remarks,
        wide=True,
    )


def _shares(band: PercentileBand, times: Sequence[float]) -> list[float]:
    """Of each hop, in percent of the response time."""
    return [100 * value / (band.response_ms or 1) for value in times]


def _sums(every: Sequence[PercentileBand], factor: float) -> list[Cell]:
    return [sum(times) / factor for band in every for times in (band.waiting_ms, band.service_ms)]


def over_load(found: Budget) -> list[Figure]:
    """Hops stacked over the loads, with the service level; a figure for each class, none of a single load."""
    return [
        _over_load(one, found.title(one), number, found.level)
        for number, one in enumerate(found.classes)
        if sum(not load.overloaded for load in one.loads) > 1
    ]


def _over_load(one: RequestClass, name: str, number: int, level: ServiceLevel | None) -> Figure:
    of = "mean" if level is None else level.of
    loads = [load for load in one.loads if not load.overloaded]
    parts = [next(band for band in load.made_of if band.of == of) for load in loads]
    longest = max([part.response_ms for part in parts] + ([] if level is None else [level.within_ms]))
    factor, unit = numbers.scale_for(longest, "ms")
    rates = [load.rate_iops for load in loads]
    chosen = drawn.shown([(part.waiting_ms, part.service_ms) for part in parts])
    every = [
        [
            (waiting + service) / factor
            for waiting, service in zip(part.waiting_ms, part.service_ms, strict=True)
        ]
        for part in parts
    ]
    colours = drawn.colours(one.hops)
    series = [(one.hops[at].label, colours[at], [hops[at] for hops in every]) for at in chosen.alone]
    if chosen.others:
        rest = [sum(hops[at] for at in chosen.others) for hops in every]
        series.append((drawn.OTHERS, palette.STATE_COLOURS["idle"], rest))
    data: list[dict[str, Any]] = [
        plot.line(
            rates, values, name=plain(label), colour=colour, width=1,
            hover=f"%{{y:,.4~r}} {unit} at %{{x:,.4~r}} IOPS<extra>{plain(label)}</extra>",
            stackgroup="hops", fillcolor=colour,
        )
        for label, colour, values in series
    ]  # fmt: skip
    held = one.against
    if level is not None:
        at = level.within_ms / factor
        data.append(_line("Service level", [rates[0], rates[-1]], [at, at], "dash"))
        if held and held.rate_iops:
            data.append(_line("Broken at", [held.rate_iops] * 2, [0, at], "dot"))
    columns = [Column("Load", "IOPS"), Column("Verdict", text=True), Column("Response time", unit)]
    columns += [Column(hop.label, unit) for hop in one.hops]
    rows: list[list[Cell]] = []
    for load in one.loads:
        band = next(band for band in load.made_of if band.of == of)
        both = zip(band.waiting_ms, band.service_ms, strict=True)
        verdict = "overloaded" if load.overloaded else "steady"
        rows.append(
            [load.rate_iops, verdict, band.response_ms / factor, *((w + s) / factor for w, s in both)]
        )
    what = "mean" if of == "mean" else of
    return Figure(
        f"budget-load-{number}",
        f"Hops over load, {what}: {name}",
        "Waiting and service of each hop, stacked in path order. Overloaded loads are in the table only.",
        Table(columns, rows),
        plot.chart(
            data,
            axis("Load, all requests (IOPS)"),
            axis(f"Response time, {what} ({unit})", rangemode="tozero"),
            showlegend=True,
        ),
        remarks=chosen.remarks,
        wide=True,
    )


def _line(name: str, x: list[float], y: list[float], dash: str) -> dict[str, Any]:
    return plot.line(
        x, y, name=name, colour=palette.WRITE, dash=dash, width=2,
        hover=f"%{{x:,.4~r}} IOPS<extra>{name}</extra>",
    )  # fmt: skip


def against(found: Budget) -> list[Figure]:
    """For each class, the effect of each hop alone on the level; tables only."""
    return [
        _against(one, one.against, found.title(one), number)
        for number, one in enumerate(found.classes)
        if one.against is not None
    ]


def _against(one: RequestClass, held: Estimated | BetweenLoads, name: str, number: int) -> Figure:
    if isinstance(held, Estimated):
        columns = [
            Column("Hop", text=True), Column("Saturated at", "IOPS"), Column("Alone breaks it at", "IOPS"),
        ]  # fmt: skip
        rows: list[list[Cell]] = [[hop.label, hop.saturation_iops, hop.alone_iops] for hop in held.hops]
        caption = "Estimated from one load: each hop growing while the others stay as seen."
    else:
        columns = [
            Column("Hop", text=True), Column("At the lowest load", "ms"), Column("Where it breaks", "ms"),
            Column("Growth", "ms"), Column("Alone breaks it at", "IOPS"),
        ]  # fmt: skip
        rows = [
            [hop.label, hop.unloaded_ms, hop.there_ms, hop.growth_ms, hop.alone_iops] for hop in held.hops
        ]
        caption = "Each hop between the loads; alone: growing while the others stay as at the lowest load."
        if held.between_iops is None:
            columns[2] = Column("At the highest load", "ms")
    return Figure(
        f"budget-against-{number}",
        f"Which hop breaks it: {name}",
        caption,
        Table(columns, rows),
        remarks=[note.text for note in held.validity],
    )


def _percent(share: float | None) -> Cell:
    return None if share is None else 100 * share
