"""What ``iowatt rate`` shows: the highest rate, and every rate that was run against the limit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from iowatt.base.digits import apart
from iowatt.evaluate.search.rate import HighestRate
from iowatt.evaluate.search.rate.result import RatePoint
from iowatt.render import numbers, palette, plot
from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout, plain
from iowatt.render.headline import Headline

Points = Sequence[RatePoint]
_VERDICTS: Final = (
    ("meets", "Within the limit", palette.READ, "circle"),
    ("over", "Over the limit", palette.WRITE, "x"),
    ("saturated", "Overloaded", palette.ALL, "triangle-up-open"),
)
#: A response time above so many limits is off the chart: the table has it.
_MOST_LIMITS: Final = 4.0


def document(found: HighestRate) -> Document:
    """The document of a search for the highest rate."""
    parts = [_limit(found), f"tolerance {numbers.percent(found.tolerance)}", _runs(found)]
    several = len(found.crossing_by_seed_iops) > 1
    return Document(
        key="rate",
        kind="highest rate",
        title=found.scenario,
        meta=" · ".join(parts),
        verdict=list(_verdict(found)),
        chart=_curve(found),
        headlines=_headlines(found),
        sections=[Section("by-seed", "Each seed", [_seeds(found)])] if several else [],
        caveats=[Caveat(note.text, note.decides) for note in found.notes],
        provenance=list(_provenance(found)),
    )


def _verdict(found: HighestRate) -> Iterator[str]:
    """The answer, its interval, and what the system does there."""
    yield f"{_answer(found)}."
    if said := _crossing(found):
        yield said
    yield _there(found)


def _answer(found: HighestRate) -> str:
    whose = f" of {', '.join(found.workloads)}" if found.workloads else ""
    settled = "" if found.settled else ", not converged"
    rate = _shown(found.rate_iops)
    if found.loop == "closed":
        return (
            f"A closed loop of {_shown(found.outstanding)} outstanding requests completes {rate} requests "
            f"per second at the limit{settled}"
        )
    over = found.beyond_iops
    beyond = "" if over is None else f"; {apart(over, found.rate_iops or 0.0, 4)} exceeds it"
    return f"Highest rate within the limit: {rate} requests per second{whose}{beyond}{settled}"


def _crossing(found: HighestRate) -> str:
    """Where the limit is met, and how well that is known; empty where runs do not tell."""
    if found.crossing_iops is None or found.loop == "closed":
        return ""
    said = f"The limit is met at {_shown(found.crossing_iops)} requests per second"
    between = found.crossing_ci95_iops
    if between is None:
        return f"{said}."
    by = (
        f"{found.replications} seeds, Student's t"
        if found.interval_by == "replications"
        else "batch means of one seed"
    )
    return f"{said}, 95 % interval {_shown(between[0])} to {_shown(between[1])} ({by})."


def _there(found: HighestRate) -> str:
    """Response time, power and efficiency at the rate found."""
    half = found.response_half_width_ms
    around = "" if half is None else f" ± {numbers.significant(half, 2)}"
    doubt = f" – {found.doubt}" if found.doubt else ""
    parts = [f"At this rate: response time {_shown(found.response_ms)}{around} ms{doubt}"]
    watts, where = _power(found)
    if watts is not None:
        parts.append(f"{_shown(watts)} W{' at the wall' if where == 'at the wall' else ''}")
    if (efficiency := _figure(found, "efficiency.iops_per_w")) is not None:
        parts.append(f"{_shown(efficiency)} IOPS/W")
    if (busy := _figure(found, "devices.utilisation.mean")) is not None:
        parts.append(f"drives {numbers.percent(busy)} busy")
    return f"{', '.join(parts)}."


def _power(found: HighestRate) -> tuple[float | None, str]:
    """Mean power at the rate, W, and where it is drawn."""
    wall = _figure(found, "power_w.wall_mean")
    if wall is not None:
        return wall, "at the wall"
    return _figure(found, "power_w.mean"), "of the drives"


def _figure(found: HighestRate, key: str) -> float | None:
    value = (found.at_rate or {}).get(key)
    return float(value) if isinstance(value, int | float) else None


def _limit(found: HighestRate) -> str:
    name = "mean response time" if found.statistic == "mean" else f"{found.statistic} of response times"
    also = [
        f"{limit:g} ms of {what}"
        for limit, what in ((found.read_limit_ms, "reads"), (found.write_limit_ms, "writes"))
        if limit is not None
    ]
    return f"{name} within {found.limit_ms:g} ms" + (f", {' and '.join(also)}" if also else "")


def _runs(found: HighestRate) -> str:
    """How many runs it took."""
    if found.loop == "closed":
        return f"{found.runs} runs of closed loops with the same seed"
    said = f"{found.runs} runs"
    if len(found.seeds) > 1:
        last = sum(point.runs > 1 for point in found.points)
        said += f", the last {last} rates with {len(found.seeds)} seeds each"
    return f"{said}, the same seeds at every rate"


def _shown(value: float | None) -> str:
    return numbers.significant(value, 4)


def _headlines(found: HighestRate) -> list[Headline]:
    """The figures that a reader wants first."""
    between, over = found.crossing_ci95_iops, found.beyond_iops
    half = found.response_half_width_ms
    watts, where = _power(found)
    given = [
        Headline(
            "rate", "Highest rate" if found.loop == "open" else "Rate at the limit", found.rate_iops, "IOPS",
            "; ".join([*([] if over is None else [f"{_shown(over)} exceeds the limit"]),
                       *([] if found.settled else ["not converged"])]),
        ),
        Headline("outstanding", "Outstanding", found.outstanding, "", "on average, by Little's law"),
        Headline(
            "crossing", "Limit met at", found.crossing_iops if found.loop == "open" else None, "IOPS",
            "" if between is None else f"95 % interval {_shown(between[0])} to {_shown(between[1])}",
        ),
        Headline(
            "response", "Response time at the rate", found.response_ms, "ms",
            "" if half is None else f"± {numbers.significant(half, 2)} ms (95 %)",
        ),
        Headline("power", "Power at the rate", watts, "W", where),
        Headline("efficiency", "Efficiency", _figure(found, "efficiency.iops_per_w"), "IOPS/W"),
    ]  # fmt: skip
    return [one for one in given if one.value is not None]


def _curve(found: HighestRate) -> Figure:
    """Every rate that was run, with the limit and the answer."""
    closed = found.loop == "closed"
    points = sorted((p for p in found.points if p.verdict is not None), key=lambda p: (_across(p), p.runs))
    # Loops are all of one length, and each is noisy on its own: marks without a line.
    deciding = points if closed else [p for p in points if _decides(p, found)]
    most_ms = _MOST_LIMITS * found.limit_ms
    near = [p for p in points if p.response_ms is not None and p.response_ms <= most_ms]
    traces: list[dict[str, Any]] = []
    line = [p for p in deciding if p in near and p.verdict != "saturated"]
    if len(line) > 1 and not closed:
        rates, times = [_across(p) for p in line], [p.response_ms for p in line]
        traces.append(plot.line(rates, times, name="Curve of the last runs", width=1.5, hoverinfo="skip"))
    for verdict, name, colour, symbol in _VERDICTS:
        for own, said in ((deciding, name), ([p for p in points if p not in deciding], f"{name}, before")):
            kept = [p for p in own if p in near and p.verdict == verdict]
            if kept:
                traces.append(_marks(said, kept, colour, symbol, faint=own is not deciding))
    shapes = [_line("y", found.limit_ms, "dash")]
    if found.rate_iops is not None:
        shapes.append(_line("x", found.rate_iops, "dot"))
        between = found.crossing_ci95_iops
        if between is not None:
            shapes.insert(0, _band(*between))
        elif found.beyond_iops is not None:
            shapes.insert(0, _band(found.rate_iops, found.beyond_iops))
    return Figure(
        "curve",
        "Response time against rate",
        _caption(found),
        _table(found),
        plot.spec(
            traces,
            layout(
                axis("Rate of the loop (IOPS)" if closed else "Offered rate (IOPS)"),
                axis(f"{_statistic(found)} (ms)", rangemode="tozero"),
                shapes=shapes,
            ),
        ),
        remarks=_left_out(points, near),
        wide=True,
        brief=True,
    )


def _seeds(found: HighestRate) -> Figure:
    """The rate at which each seed meets the limit."""
    values = found.crossing_by_seed_iops
    names = [f"seed {seed}" for seed in found.seeds]
    assert found.crossing_ci95_iops is not None
    low, high = found.crossing_ci95_iops
    marks = [plain(name) for name in names]
    trace = plot.markers(values, marks, name="Result of a seed", colour=palette.READ, size=9)
    frame = layout(
        axis("Rate (IOPS)"), axis("Seed", type="category", autorange="reversed"), shapes=[_band(low, high)]
    )
    return Figure(
        "seeds",
        "Result of each seed",
        f"Where the curve of each seed meets the limit. Band: the 95 % interval of their mean, "
        f"{_shown(low)} to {_shown(high)} IOPS, by Student's t over {len(values)} independent seeds.",
        Table(
            [Column("Seed", text=True), Column("Limit met at", "IOPS")],
            [[name, value] for name, value in zip(names, values, strict=True)],
        ),
        plot.spec([trace], frame),
        wide=True,
    )


def _across(point: RatePoint) -> float:
    """Where a point stands: at the rate asked for, a closed loop at its own."""
    return point.achieved_iops if point.rate_iops is None else point.rate_iops


def _decides(point: RatePoint, found: HighestRate) -> bool:
    """Whether the answer follows from this point: its runs are as long, and as many, as the last ones."""
    last = found.points[-1]
    return point.runs == last.runs and abs(point.requests - last.requests) <= 0.2 * last.requests


def _caption(found: HighestRate) -> str:
    if found.loop == "closed":
        return (
            "Each mark is a number of outstanding requests that was run. Dashed: the limit. Dotted: the rate "
            "at it, interpolated. Figures there are those of the nearest run, with rates and power above "
            "idle scaled to the limit."
        )
    said = "Each mark is a rate that was run. Dashed: the limit. Dotted: the rate found."
    if found.crossing_ci95_iops is not None:
        said += " Band: the 95 % interval of the rate at which the limit is met."
    elif found.beyond_iops is not None:
        said += " Band: from the rate found to the lowest one over the limit."
    if any(p.half_width_ms is not None for p in found.points):
        over = "over seeds, or by batch means of one" if len(found.seeds) > 1 else "by batch means"
        said += f" Bars: 95 % intervals of the mean, {over}."
    return said


def _left_out(points: Points, near: Points) -> list[str]:
    gone = len(points) - len(near)
    if not gone:
        return []
    many = "1 rate is" if gone == 1 else f"{gone} rates are"
    return [f"{many} above {_MOST_LIMITS:g} times the limit, or completed nothing: see the table."]


def _table(found: HighestRate) -> Table:
    columns: list[tuple[Column, Sequence[Cell]]] = [
        (Column("Offered", "IOPS"), [p.rate_iops for p in found.points]),
        (Column("Outstanding", rank=1), [p.outstanding for p in found.points]),
        (Column("Achieved", "IOPS"), [p.achieved_iops for p in found.points]),
        (Column("Mean" if found.statistic == "mean" else found.statistic, "ms"),
         [p.response_ms for p in found.points]),
        (Column("± 95 %", "ms"), [p.half_width_ms for p in found.points]),
        (Column("Reads", "ms", rank=4), [p.read_ms for p in found.points]),
        (Column("Writes", "ms", rank=4), [p.write_ms for p in found.points]),
        (Column("Requests"), [p.requests for p in found.points]),
        (Column("Seeds", rank=2), [p.runs for p in found.points]),
        (Column("Verdict", text=True), [p.verdict or p.kind for p in found.points]),
        (Column("Kind", text=True, rank=5), [p.kind for p in found.points]),
    ]  # fmt: skip
    kept = [(column, cells) for column, cells in columns if any(cell is not None for cell in cells)]
    rows: list[list[Cell]] = [list(row) for row in zip(*(cells for _, cells in kept), strict=True)]
    return Table([column for column, _ in kept], rows)


def _statistic(found: HighestRate) -> str:
    return "Mean response time" if found.statistic == "mean" else f"{found.statistic} of response times"


def _marks(name: str, points: Points, colour: str, symbol: str, *, faint: bool) -> dict[str, Any]:
    halves = [p.half_width_ms or 0.0 for p in points]
    return plot.markers(
        [_across(p) for p in points],
        [p.response_ms for p in points],
        name=name,
        colour=colour,
        size=7 if faint else 9,
        symbol=symbol,
        error_y={"type": "data", "array": halves, "visible": any(halves), "thickness": 1},
        opacity=0.45 if faint else 1.0,
    )


def _line(across: str, at: float, dash: str) -> dict[str, Any]:
    """A line across the whole chart at a value of one of its axes."""
    other = "y" if across == "x" else "x"
    return {
        "type": "line", f"{across}0": at, f"{across}1": at, f"{other}0": 0, f"{other}1": 1,
        f"{other}ref": "paper", "line": {"color": palette.ALL, "width": 1, "dash": dash},
    }  # fmt: skip


def _band(low: float, high: float) -> dict[str, Any]:
    """A band of rates over the whole height."""
    return {
        "type": "rect", "x0": low, "x1": high, "y0": 0, "y1": 1, "yref": "paper", "layer": "below",
        "fillcolor": palette.ALL, "opacity": 0.12, "line": {"width": 0},
    }  # fmt: skip


def _provenance(found: HighestRate) -> Iterator[tuple[str, str]]:
    rows = (
        ("Scenario", found.source),
        ("Changed by --set", ", ".join(found.overrides)),
        ("Seeds", ", ".join(map(str, found.seeds))),
        ("Command", found.command or ""),
        ("iowatt", found.version),
    )
    yield from ((title, value) for title, value in rows if value)
