"""What changed during the run: response time, throughput, power and queues, by interval.

Intervals are joined where there are more than a chart can show. Joining keeps sums exact (requests, bytes,
joules), weights means by what they are means of, and takes the highest of percentiles and maxima, because
percentiles cannot be averaged. A remark always says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import polars as pl

from iowatt.render import numbers, palette, plot
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout, plain

if TYPE_CHECKING:
    from iowatt.run.bundle import Run

MOST_POINTS = 600
"""Points of one line; more cannot be told apart at the width of a page."""

_LABELS, _LABEL_PX, _CHART_PX = 3, 17, 215
"""Labels of marks one below the other; the height of one, and of what is drawn."""

_LEFT_OVER = 0.02
"""Share of a Run after the last arrival from which it is marked."""

_BELOW = 0.1
"""Decades of a log axis below the lowest value."""

_LOG_FROM = 30.0
"""Ratio of the highest to the lowest value from which a linear axis hides the low ones."""

_BY_TIME = ("in_flight_mean", "queue_length_mean", "power_w", "wall_w")
_BY_COMPLETIONS = ("response_mean_ms", "response_p50_ms")
_HIGHEST = ("response_p95_ms", "response_p99_ms", "response_max_ms")
_TIME_UNITS = ((2 * 86400.0, 86400.0, "days"), (2 * 3600.0, 3600.0, "h"), (600.0, 60.0, "min"))

Values = list[float | None]


@dataclass(frozen=True)
class IntervalSeries:
    """Intervals ready to draw; ``remarks`` say how they were joined. Times are shown in ``unit``."""

    table: pl.DataFrame
    remarks: list[str]
    divisor: float
    unit: str

    def spans(self) -> list[list[Cell]]:
        """Start and end of each interval, seconds: how each row of a table over time begins."""
        return [
            [float(start), float(end)] for start, end in self.table.select("start_s", "end_s").iter_rows()
        ]

    def values(self, column: str) -> Values:
        """A column with NaN as ``None``."""
        return _finite(self.table[column])

    def rate(self, column: str, divisor: float = 1.0) -> Values:
        """A summed column per second, divided by ``divisor``."""
        rates = self.table.select(pl.col(column) / (pl.col("end_s") - pl.col("start_s")) / divisor)
        return _finite(rates.to_series())

    def line(self, values: Sequence[float | None], **style: Any) -> dict[str, Any]:
        """A trace that holds each value over its interval: a step, closed at the end of the last one."""
        edges = [*self.table["start_s"].to_list(), self.table["end_s"].to_list()[-1]]
        x = [edge / self.divisor for edge in edges]
        return plot.line(x, [*values, values[-1]], **{"shape": "hv", "width": 1.5, **style})

    def figure(self, key: str, title: str, caption: str, **parts: Any) -> Figure:
        """A figure over time: ``columns`` of the table by title and unit, ``traces``, and the ``y`` axis."""
        columns: dict[Column, Values] = parts.pop("columns")
        rows: list[list[Cell]] = [
            [*span, *cells]
            for span, cells in zip(self.spans(), zip(*columns.values(), strict=True), strict=True)
        ]
        shape = layout(axis(f"Time ({self.unit})"), parts.pop("y"), hovermode="x unified", showlegend=True)
        return Figure(
            key,
            title,
            caption,
            Table([Column("From", "s"), Column("To", "s"), *columns], rows),
            plot.spec(parts.pop("traces"), shape),
            self.remarks,
            **parts,
        )


def series_of(table: pl.DataFrame, most: int = MOST_POINTS) -> IntervalSeries | None:
    """The intervals of a run, joined to at most ``most``; ``None`` where there is none."""
    if table.height == 0:
        return None
    joined = math.ceil(table.height / most)
    remarks = []
    if joined > 1:
        width = numbers.duration(float(table["end_s"][0] - table["start_s"][0]))
        remarks.append(
            f"Each point joins {joined} intervals of {width} (means weighted, percentiles the highest); "
            f"intervals.parquet and the XLSX report have all {table.height:,}."
        )
        table = _join(table, joined)
    end = float(table["end_s"].to_list()[-1])
    divisor, unit = next(((d, u) for least, d, u in _TIME_UNITS if end >= least), (1.0, "s"))
    return IntervalSeries(table, remarks, divisor, unit)


def _finite(values: pl.Series) -> Values:
    return [None if v is None or not math.isfinite(v) else float(v) for v in values.to_list()]


def _join(table: pl.DataFrame, by: int) -> pl.DataFrame:
    width = pl.col("end_s") - pl.col("start_s")

    def joined(name: str) -> pl.Expr:
        column = pl.col(name)
        if name in ("start_s", "end_s"):
            return column.first() if name == "start_s" else column.last()
        if name in _BY_TIME:
            # One unknown part makes the whole unknown: a null counted as zero would lower the mean.
            mean = (column * width).sum() / width.sum()
            return pl.when(column.null_count() == 0).then(mean).alias(name)
        if name in _BY_COMPLETIONS:
            weight = pl.when(column.is_not_null() & column.is_not_nan()).then(pl.col("completions"))
            return ((column.fill_nan(None) * weight).sum() / weight.sum()).alias(name)
        return column.fill_nan(None).max() if name in _HIGHEST else column.sum()

    group = (pl.int_range(pl.len()) // by).alias("_group")
    grouped = table.with_columns(group).group_by("_group", maintain_order=True)
    return grouped.agg([joined(name) for name in table.columns]).drop("_group")


@dataclass(frozen=True)
class _Chart:
    """Lines over time: their names with colours and how their values come from a series."""

    key: str
    title: str
    caption: str
    quantity: str
    unit: str
    lines: dict[str, tuple[str, Callable[[IntervalSeries], Values]]]
    column_unit: str = ""
    may_be_log: bool = False
    more: dict[str, Any] = field(default_factory=dict)

    def __call__(self, run: Run) -> Figure | None:
        """The figure of a run; ``None`` where nothing of it is known."""
        series = series_of(run.table("intervals"))
        if series is None:
            return None
        every = {name: (colour, values(series)) for name, (colour, values) in self.lines.items()}
        # A load generator does not report all that a simulation knows: a line without a value is left out.
        known = {name: line for name, line in every.items() if any(v is not None for v in line[1])} or every
        nonzero = [value for _, values in known.values() for value in values if value]
        if not nonzero:
            return None
        log = self.may_be_log and max(nonzero) > _LOG_FROM * min(nonzero)
        unit = self.column_unit or self.unit
        traces = [
            series.line(
                [None if log and not value else value for value in values],
                name=name, colour=colour, hover=f"%{{y:,.4~r}} {unit}",
            )
            for name, (colour, values) in known.items()
        ]  # fmt: skip
        scale = ", ".join(filter(None, [self.unit, "log scale" if log else ""]))
        y_title = f"{self.quantity} ({scale})" if scale else self.quantity
        return series.figure(
            self.key,
            self.title,
            self.caption,
            columns={Column(name, unit): values for name, (_, values) in known.items()},
            traces=traces,
            y=axis(y_title, type="log") if log else axis(y_title, rangemode="tozero"),
            **self.more,
        )


def _column(name: str) -> Callable[[IntervalSeries], Values]:
    return lambda series: series.values(name)


def _rate(name: str, divisor: float = 1.0) -> Callable[[IntervalSeries], Values]:
    return lambda series: series.rate(name, divisor)


_response_time = _Chart(
    "response-over-time",
    "Response time over time",
    "Of the requests completed in each interval; a gap is an interval without completions.",
    "Response time",
    "ms",
    {
        "p99": (palette.P99, _column("response_p99_ms")),
        "p95": (palette.P95, _column("response_p95_ms")),
        "Mean": (palette.MEAN, _column("response_mean_ms")),
    },
    may_be_log=True,
)


def response_time(run: Run) -> Figure | None:
    """Response times of each interval, with a mark where arrivals ended and what was left completed."""
    figure, series = _response_time(run), series_of(run.table("intervals"))
    if figure is None or series is None:
        return figure
    arrived = [start for start, count in series.table.select("end_s", "arrivals").iter_rows() if count]
    last = float(series.table["end_s"][-1])
    if not arrived or series.table["arrivals"].null_count():
        return figure
    left = last - arrived[-1] > _LEFT_OVER * (last - float(series.table["start_s"][0]))
    return marked(figure, series, [(arrived[-1], "arrivals end")]) if left else figure


def marked(figure: Figure, series: IntervalSeries, times: Sequence[tuple[float, str]]) -> Figure:
    """A figure over a series with an upright line and a label at each time (in s), beside those that it has.

    Labels stand above what is drawn, in turn one below the other, and left of their lines in the last third.
    """
    if figure.spec is None or not times:
        return figure
    drawn = figure.spec["layout"]
    shapes, texts = list(drawn.get("shapes", ())), list(drawn.get("annotations", ()))
    start, end = (float(series.table[name][at]) for name, at in (("start_s", 0), ("end_s", -1)))
    for time, text in times:
        late = time > start + (end - start) * 2 / 3
        down = _LABEL_PX * (len(texts) % _LABELS)
        line = plot.reference_line(x=time / series.divisor, dash="dot")
        shapes.append({**line, "y1": 1 - down / _CHART_PX})
        texts.append(
            {"x": time / series.divisor, "y": 1, "yref": "paper", "yanchor": "top", "showarrow": False,
             "xanchor": "right" if late else "left", "yshift": -down,
             "text": plain(text)}
        )  # fmt: skip
    room = _LABEL_PX * min(len(texts), _LABELS) / _CHART_PX
    y_axis = {**drawn["yaxis"], "range": _with_room(figure.spec["data"], drawn["yaxis"], room)}
    marks = {"shapes": shapes, "annotations": texts, "yaxis": y_axis}
    return replace(figure, spec={**figure.spec, "layout": {**drawn, **marks}})


def _with_room(traces: Sequence[Mapping[str, Any]], scale: Mapping[str, Any], room: float) -> list[float]:
    """The range of an axis that leaves the share ``room`` above all values."""
    values = [value for trace in traces for value in trace["y"] if value]
    low, high = 0.0, max(values, default=1.0)
    if scale.get("type") == "log":
        low, high = (math.log10(value) for value in (min(values), high))
        low -= _BELOW
    return [low, low + (high - low) / (1 - room)]


throughput = _Chart(
    "throughput-over-time",
    "Throughput over time",
    "Completed reads and writes, and all arrivals; a backlog builds where arrivals exceed both.",
    "Requests per second",
    "IOPS",
    {
        "Arrivals": (palette.ALL, _rate("arrivals")),
        "Reads": (palette.READ, _rate("reads")),
        "Writes": (palette.WRITE, _rate("writes")),
    },
)
bandwidth = _Chart(
    "bandwidth-over-time",
    "Data rate over time",
    "Bytes of the completed requests.",
    "Data rate",
    "MiB/s",
    {
        "Read": (palette.READ, _rate("bytes_read", 1024.0**2)),
        "Written": (palette.WRITE, _rate("bytes_written", 1024.0**2)),
    },
)
queue = _Chart(
    "queue-over-time",
    "Queue length over time",
    "Time averages per interval: outstanding host requests, and requests at all drives, including those in "
    "service.",
    "Requests",
    "",
    {
        "Host requests in flight": (palette.MEAN, _column("in_flight_mean")),
        "At the drives": (palette.P95, _column("queue_length_mean")),
    },
    column_unit="requests",
    may_be_log=True,
    more={"wide": True},
)


def power(run: Run) -> Figure | None:
    """Mean power of each interval, stacked by state, with the level of an idle system.

    ``None`` without intervals, where no meter measured any of them, and where watts are not known.
    """
    series = series_of(run.table("intervals"))
    watts = run.summary["power_w"]
    if series is None or run.summary["energy"].get("unknown") is not None:
        return None
    table = series.table
    metered = watts["mean"] is None
    if metered and table["wall_w"].null_count() == table.height:
        return None
    joules = [column for column in table.columns if column.endswith("_j") and float(table[column].sum()) > 0]
    states = palette.in_order([column.removesuffix("_j") for column in joules])
    by_state = {state: series.rate(f"{state}_j") for state in states}
    wall = metered or (watts["wall_mean"] is not None and "wall_w" in table.columns)
    total = series.values("wall_w" if wall else "power_w")
    hover = "%{y:,.4~r} W"
    traces = [
        series.line(
            by_state[state], name=plain(palette.state_name(state)), stackgroup="power", hover=hover,
            fillcolor=palette.state_colour(state),
            line={"color": palette.state_colour(state), "width": 0, "shape": "hv"},
        )
        for state in palette.from_below(states)
    ]  # fmt: skip
    traces.append(series.line(total, name="Total", colour=palette.ALL, width=1, hover=hover))
    if metered:
        caption = "Mean power at the wall in each interval, as metered; a gap is where a meter missed a part."
    else:
        idle = float((watts.get("wall_idle") if wall else None) or watts["idle"])
        level = [idle] * table.height
        traces.append(
            series.line(level, name="When idle", colour=palette.ALL, width=1, dash="dot", hoverinfo="skip")
        )
        caption = (
            f"Mean power of all components{' at the wall' if wall else ''} in each interval, by state. "
            f"The dotted line is their idle power ({numbers.with_unit(idle, 'W')})."
        )
    columns = {Column(palette.state_name(state), "W"): values for state, values in by_state.items()}
    return series.figure(
        "power-over-time",
        "Power over time",
        caption,
        columns={**columns, Column("Total", "W"): total},
        traces=traces,
        y=axis("Power (W)", rangemode="tozero"),
    )
