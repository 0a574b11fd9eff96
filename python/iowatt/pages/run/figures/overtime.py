"""What changed during the run: response time, throughput, power and queues, by interval."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from iowatt.pages.run.figures import intervals
from iowatt.render import numbers, palette
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout, plain

if TYPE_CHECKING:
    from iowatt.run.bundle import Run

_LOG_FROM = 30.0
"""From this ratio of the highest to the lowest value on, a linear axis hides the low ones."""


def response_time(run: Run) -> Figure | None:
    """Mean, p95 and p99 of the requests completed in each interval."""
    lines = [
        ("p99", "response_p99_ms", palette.P99),
        ("p95", "response_p95_ms", palette.P95),
        ("Mean", "response_mean_ms", palette.MEAN),
    ]
    return _lines(
        run,
        key="response-over-time",
        title="Response time over time",
        caption="Of the requests completed in each interval; a gap is an interval without completions.",
        lines=[(title, "ms", lambda s, c=column: s.values(c), colour) for title, column, colour in lines],
        y_title="Response time (ms)",
        may_be_log=True,
    )


def throughput(run: Run) -> Figure | None:
    """Completed reads and writes and all arrivals, per second."""
    return _lines(
        run,
        key="throughput-over-time",
        title="Throughput over time",
        caption="Completed reads and writes, and all arrivals; work piles up where these exceed both.",
        lines=[
            ("Arrivals", "IOPS", lambda s: s.rate("arrivals"), palette.ALL),
            ("Reads", "IOPS", lambda s: s.rate("reads"), palette.READ),
            ("Writes", "IOPS", lambda s: s.rate("writes"), palette.WRITE),
        ],
        y_title="Requests per second (IOPS)",
    )


def bandwidth(run: Run) -> Figure | None:
    """Bytes read and written, per second."""
    mib = 1024.0**2
    return _lines(
        run,
        key="bandwidth-over-time",
        title="Data rate over time",
        caption="Bytes of the completed requests.",
        lines=[
            ("Read", "MiB/s", lambda s: s.rate("bytes_read", mib), palette.READ),
            ("Written", "MiB/s", lambda s: s.rate("bytes_written", mib), palette.WRITE),
        ],
        y_title="Data rate (MiB/s)",
    )


def queue(run: Run) -> Figure | None:
    """Requests in the system and at the drives."""
    return _lines(
        run,
        key="queue-over-time",
        title="Queue length over time",
        caption="Time averages in each interval: host requests that are not complete yet, and requests at "
        "all drives together, those in service included.",
        lines=[
            ("Host requests in flight", "requests", lambda s: s.values("in_flight_mean"), palette.MEAN),
            ("At the drives", "requests", lambda s: s.values("queue_length_mean"), palette.P95),
        ],
        y_title="Requests",
        may_be_log=True,
        wide=True,
    )


def power(run: Run) -> Figure | None:
    """Mean power of each interval, stacked by state, with the level of an idle system.

    ``None`` without intervals, where no meter measured any of them, and where watts are not known.
    """
    series = intervals.of_run(run.table("intervals"))
    if series is None:
        return None
    drawn = run.summary["power_w"]
    if run.summary["energy"].get("unknown") is not None:
        return None
    metered = drawn["mean"] is None
    if metered and series.table["wall_w"].null_count() == series.table.height:
        return None
    present = [c.removesuffix("_j") for c in series.table.columns if c.endswith("_j")]
    states = palette.in_order([state for state in present if float(series.table[f"{state}_j"].sum()) > 0])
    columns = {state: series.rate(f"{state}_j") for state in states}
    wall = metered or (drawn["wall_mean"] is not None and "wall_w" in series.table.columns)
    total = series.values("wall_w" if wall else "power_w")
    rows: list[list[Cell]] = [
        [*span, *(columns[state][i] for state in states), total[i]] for i, span in enumerate(series.spans())
    ]
    table = Table(
        [*series.span_columns, *(Column(palette.state_name(s), "W") for s in states), Column("Total", "W")],
        rows,
    )
    data = [
        series.line(
            table.column(palette.state_name(state)),
            name=plain(palette.state_name(state)),
            stackgroup="power",
            fillcolor=palette.state_colour(state),
            line={"width": 0, "color": palette.state_colour(state)},
            hovertemplate="%{y:,.4~r} W",
        )
        for state in palette.from_below(states)
    ]
    data.append(
        series.line(
            table.column("Total"),
            name="Total",
            line={"color": palette.ALL, "width": 1},
            hovertemplate="%{y:,.4~r} W",
        )
    )
    if metered:
        return Figure(
            "power-over-time",
            "Power over time",
            "Mean power at the wall in each interval, as metered; a gap is an interval that a meter "
            "missed a part of.",
            table,
            {"data": data, "layout": _layout(series, "Power (W)")},
            series.remarks,
        )
    idle = float((drawn.get("wall_idle") if wall else None) or drawn["idle"])
    data.append(
        series.line(
            [idle] * len(rows),
            name="When idle",
            line={"color": palette.ALL, "width": 1, "dash": "dot"},
            hoverinfo="skip",
        )
    )
    return Figure(
        "power-over-time",
        "Power over time",
        f"Mean power of all components{' at the wall' if wall else ''} in each interval, by state. "
        f"The dotted line is what they draw when idle ({numbers.with_unit(idle, 'W')}).",
        table,
        {"data": data, "layout": _layout(series, "Power (W)")},
        series.remarks,
    )


def _lines(
    run: Run,
    *,
    key: str,
    title: str,
    caption: str,
    lines: list[tuple[str, str, Any, str]],
    y_title: str,
    may_be_log: bool = False,
    wide: bool = False,
) -> Figure | None:
    """A chart of several lines over time; each line is (title, unit, values from the series, colour)."""
    series = intervals.of_run(run.table("intervals"))
    if series is None:
        return None
    # A load generator does not say all that a simulation knows: a line without a value is left out.
    drawn = [(line, line[2](series)) for line in lines]
    drawn = [(line, column) for line, column in drawn if any(v is not None for v in column)] or drawn
    lines, columns = [line for line, _ in drawn], [column for _, column in drawn]
    table = Table(
        [*series.span_columns, *(Column(name, unit) for name, unit, _, _ in lines)],
        [[*span, *(column[i] for column in columns)] for i, span in enumerate(series.spans())],
    )
    found = [v for name, *_ in lines for v in table.column(name) if v]
    if not found:
        return None
    log = may_be_log and max(found) > _LOG_FROM * min(found)
    data = [
        series.line(
            [None if log and not v else v for v in table.column(name)],
            name=name,
            line={"color": colour},
            hovertemplate=f"%{{y:,.4~r}} {unit}",
        )
        for name, unit, _, colour in lines
    ]
    return Figure(
        key,
        title,
        caption,
        table,
        {"data": data, "layout": _layout(series, y_title, log)},
        series.remarks,
        wide,
    )


def _layout(series: intervals.Series, y_title: str, log: bool = False) -> dict[str, Any]:
    if log:
        head, _, unit = y_title.partition(" (")
        title = f"{head} ({unit.removesuffix(')')}, log scale)" if unit else f"{head} (log scale)"
        y = axis(title, type="log")
    else:
        y = axis(y_title, rangemode="tozero")
    return layout(axis(series.axis_title()), y, hovermode="x unified", showlegend=True)
