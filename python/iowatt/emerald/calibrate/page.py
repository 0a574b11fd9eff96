"""The page of ``iowatt emerald calibrate``: the rates found, and the curve of each phase."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from iowatt.emerald.calibrate.result import Calibration, PhaseCalibration, Point, ResponseLimit
from iowatt.render import numbers, palette, plot
from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Cell, Column, Exact, Figure, Table, axis, layout, text_columns
from iowatt.render.headline import Headline

_VERDICTS: Final = (
    ("meets", "Within the limit", palette.READ, "circle"),
    ("over", "Over the limit", palette.WRITE, "x"),
    ("saturated", "Not kept up with", palette.ALL, "triangle-up-open"),
    ("generator", "The load generator was the limit", palette.BAR, "diamond-open"),
    (None, "Not judged", palette.BAR, "square"),
)


def document(found: Calibration) -> Document:
    """The document of a calibration."""
    curves = [_throughput(p) if p.method == "throughput" else _response(found, p) for p in found.phases]
    curves = [curve for curve in curves if curve.table.rows]
    runs = numbers.counted(sum(len(phase.points) for phase in found.phases), "run")
    limit = [] if found.limit is None else [_limit(found.limit)]
    return Document(
        key="calibration",
        kind="Emerald calibration",
        title=found.name,
        meta=" · ".join([runs, found.tool, f"rules {found.rules.profile}", *limit]),
        verdict=list(_verdict(found)),
        chart=curves[0] if curves else None,
        headlines=[_headline(phase) for phase in found.phases],
        sections=[
            Section("rates", "What was found", [_rates(found)]),
            Section("curves", "The other phases", curves[1:]),
        ],
        caveats=list(_caveats(found)),
    )


def _verdict(found: Calibration) -> Iterator[str]:
    loads = [
        f"{phase.phase} {_shown(one.mib_per_s)} MiB/s"
        if phase.method == "throughput"
        else f"{phase.phase} {_shown(one.rate_iops)} IOPS"
        for phase in found.phases
        if (one := phase.chosen) is not None
    ]
    missing = [phase.phase for phase in found.phases if phase.chosen is None]
    if loads:
        yield f"{', '.join(loads)}."
    if missing:
        yield f"No load was found for {', '.join(missing)}."
    for deviation in found.deviations:
        yield f"NON-COMPLIANT: {deviation.text}"


def _caveats(found: Calibration) -> Iterator[Caveat]:
    for phase in found.phases:
        for note in phase.notes:
            yield Caveat(f"{phase.phase}: {note.text}", note.decides)
    if found.caveat is not None:
        yield Caveat(found.caveat, decides=True)
    for note in found.notes:
        yield Caveat(note.text, note.decides)


def _limit(limit: ResponseLimit) -> str:
    """The limit and its origin."""
    text = f"limit {limit.response_mean_ms:g} ms"
    if limit.margin:
        text += f", {100 * limit.margin:.3g} % of it kept free"
    if limit.rule is None:
        return f"{text} (set by the user)"
    return f"{text} ({limit.rule}, {'verified' if limit.verified else 'UNVERIFIED'})"


def _streams(number: int | None) -> str:
    return "1 stream" if number == 1 else f"{number} streams"


def _shown(value: float | None) -> str:
    return numbers.significant(value, 4)


def progress(phase: str, point: Point) -> str:
    """A point as it is finished, in a line."""
    if point.rate_iops is None:
        over = "" if point.streams is None else f" over {_streams(point.streams)}"
        load = f"{point.outstanding} outstanding{over}"
    else:
        load = f"{point.rate_iops:g} IOPS"
    response = "no response time" if point.response_ms is None else f"{_shown(point.response_ms)} ms"
    verdict = "" if point.verdict is None else f", {point.verdict}"
    kind = "" if point.kind == "search" else f" ({point.kind})"
    rates = f"{_shown(point.achieved_iops)} IOPS, {_shown(point.mib_per_s)} MiB/s"
    return f"{phase}{kind}: {load} -> {rates}, {response}{verdict}"


def _headline(phase: PhaseCalibration) -> Headline:
    chosen, key, name = phase.chosen, f"chosen-{phase.phase}", phase.phase
    if chosen is None:
        return Headline(key, name, None, "IOPS", "nothing found")
    settled = [] if phase.settled else ["not settled"]
    if phase.method == "throughput":
        loop = f"{chosen.outstanding} outstanding, {_streams(chosen.streams)}"
        return Headline(key, name, chosen.mib_per_s, "MiB/s", "; ".join([loop, *settled]))
    response = [] if chosen.response_ms is None else [f"{_shown(chosen.response_ms)} ms"]
    return Headline(key, name, chosen.rate_iops, "IOPS", "; ".join([*response, *settled]))


def _rates(found: Calibration) -> Figure:
    """What was chosen for each phase."""
    rows: list[list[Cell]] = []
    for phase in found.phases:
        one = phase.chosen
        state = "nothing found" if one is None else "settled" if phase.settled else "not settled"
        figures: list[Cell] = [None] * 7
        if one is not None:
            figures = [
                one.rate_iops, one.achieved_iops, one.mib_per_s, one.outstanding, one.streams,
                one.response_ms, one.response_half_width_ms,
            ]  # fmt: skip
        rows.append([phase.phase, *figures, state, len(phase.points)])
    columns = [
        Column("Phase", text=True), Exact("Asked", "IOPS"), Exact("Achieved", "IOPS", digits=4, rank=1),
        Exact("Throughput", "MiB/s", digits=4), Column("Outstanding"), Column("Streams", rank=1),
        Exact("Response", "ms", digits=4), Exact("± 95 %", "ms", digits=2, rank=2),
        Column("Search", text=True),
        Column("Runs", rank=3),
    ]  # fmt: skip
    caption = "Random phases: the highest rate within the limit. Sequential phases: the most throughput."
    return Figure("rates", "Chosen load", caption, Table(columns, rows), wide=True, brief=True)


def _response(found: Calibration, phase: PhaseCalibration) -> Figure:
    """Response time over the offered rate."""
    open_loop = [p for p in phase.points if p.rate_iops is not None]
    points = sorted(open_loop, key=lambda p: (p.rate_iops or 0.0, p.number))
    traces = [
        _markers(name, own, colour, symbol)
        for verdict, name, colour, symbol in _VERDICTS
        if (own := [p for p in points if p.verdict == verdict and p.response_ms is not None])
    ]
    chosen, limit = phase.chosen, found.limit
    shapes = [] if limit is None else [_line("y", limit.response_mean_ms, "dash")]
    if chosen is not None:
        shapes.append(_line("x", chosen.rate_iops, "dot"))
    columns = [
        *text_columns("Kind"), Column("Asked", "IOPS"), Column("Outstanding"), Column("Achieved", "IOPS"),
        Column("Mean response time", "ms"), Column("95 % half-width", "ms"), Column("Wall power", "W"),
        *text_columns("Verdict"),
    ]  # fmt: skip
    rows: list[list[Cell]] = [
        [p.kind, p.rate_iops, p.outstanding, p.achieved_iops, p.response_ms, p.response_half_width_ms,
         p.wall_w, p.verdict]
        for p in phase.points
    ]  # fmt: skip
    lines = "" if limit is None else " Dashed: the limit. Dotted: the rate found."
    rates, times = [p.rate_iops for p in points], [p.response_ms for p in points]
    return Figure(
        f"curve-{phase.phase}",
        f"{phase.phase}: response time against rate",
        f"Each mark is a run: {phase.point}.{lines}",
        Table(columns, rows),
        plot.spec(
            traces,
            layout(
                axis("Rate asked for (IOPS)", type=_scale(rates, 30)),
                axis("Mean response time (ms)", type=_scale(times, 8), rangemode="tozero"),
                shapes=shapes,
            ),
        ),
        wide=True,
    )


def _throughput(phase: PhaseCalibration) -> Figure:
    """Throughput against outstanding requests, a line for each number of streams."""
    traces = []
    for number, streams in enumerate(dict.fromkeys(p.streams for p in phase.points)):
        own = [p for p in phase.points if p.streams == streams]
        x, y = [p.outstanding for p in own], [p.mib_per_s for p in own]
        colour = palette.RUNS[number % len(palette.RUNS)]
        traces.append(plot.line(x, y, name=_streams(streams), colour=colour, marks=True))
    columns = [
        Column("Streams"), Column("Outstanding"), Column("Throughput", "MiB/s"), Column("Achieved", "IOPS"),
        Column("Mean response time", "ms"), Column("Wall power", "W"),
    ]  # fmt: skip
    rows: list[list[Cell]] = [
        [p.streams, p.outstanding, p.mib_per_s, p.achieved_iops, p.response_ms, p.wall_w]
        for p in phase.points
    ]
    return Figure(
        f"curve-{phase.phase}",
        f"{phase.phase}: throughput against outstanding requests",
        f"Each mark is a run: {phase.point}. Dotted: the choice.",
        Table(columns, rows),
        plot.spec(
            traces,
            layout(
                axis("Outstanding requests", type="log", dtick=0.30102999566398120),
                axis("Throughput (MiB/s)", rangemode="tozero"),
                shapes=[] if phase.chosen is None else [_line("x", phase.chosen.outstanding, "dot")],
            ),
        ),
        wide=True,
    )


def _markers(name: str, points: Sequence[Point], colour: str, symbol: str) -> dict[str, Any]:
    half = [p.response_half_width_ms or 0.0 for p in points]
    bars = {"type": "data", "array": half, "visible": any(half), "thickness": 1}
    rates, times = [p.rate_iops for p in points], [p.response_ms for p in points]
    return plot.markers(rates, times, name=name, colour=colour, symbol=symbol, size=9, error_y=bars)


def _line(across: str, at: float | None, dash: str) -> dict[str, Any]:
    """A line across the whole chart at a value of one of its axes."""
    other = "y" if across == "x" else "x"
    return {
        "type": "line", f"{across}0": at, f"{across}1": at, f"{other}0": 0, f"{other}1": 1,
        f"{other}ref": "paper", "line": {"color": palette.ALL, "width": 1, "dash": dash},
    }  # fmt: skip


def _scale(values: Sequence[float | None], ratio: float) -> str:
    """A logarithmic axis where the largest value is more than ``ratio`` times the smallest."""
    known = [value for value in values if value]
    return "log" if known and max(known) > ratio * min(known) else "linear"
