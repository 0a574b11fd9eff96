"""Figures of a curve: response time, throughput, power, efficiency and utilisation against load.

A point that cannot keep up has no steady values: it is marked in the overloaded range and never drawn as a
value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from iowatt.evaluate.search import metrics
from iowatt.pages.sweep.figures import verdict
from iowatt.render import palette, plot
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout

if TYPE_CHECKING:
    import polars as pl

_LOG_FROM: Final = 30.0
_LOW, _HIGH = (f"{metrics.RESPONSE}_ci95.{end}" for end in ("low", "high"))


class LoadCurve:
    """The table of a curve, in the order of its load."""

    def __init__(self, frame: pl.DataFrame, load: str) -> None:
        self.rows: list[dict[str, Any]] = frame.sort(load).to_dicts()
        self.load, self.is_rate = load, load == metrics.RATE
        self.power = metrics.power(frame)
        self.column = metrics.VerbatimColumn(
            *(("Load", "IOPS") if self.is_rate else ("Outstanding", "requests"))
        )
        self.steady = [row for row in self.rows if row["status"] == "done" and not row["overloaded"]]
        self.over = [row for row in self.rows if row["status"] == "done" and row["overloaded"]]

    @property
    def loads(self) -> list[float]:
        """Loads of the steady points."""
        return [row[self.load] for row in self.steady]

    def knee(self) -> dict[str, Any] | None:
        """The steady point with the most throughput per response time.

        Kleinrock's power ("Power and deterministic rules of thumb for probabilistic problems in computer
        communications", 1979): beyond its maximum, waiting grows faster than work done. ``None`` where the
        maximum is at an end, so that the loads do not span it.
        """
        known = [row for row in self.steady if row[metrics.RESPONSE]]
        if len(known) < 3:
            return None
        powers = [row["throughput.iops"] / row[metrics.RESPONSE] for row in known]
        at = powers.index(max(powers))
        return known[at] if 0 < at < len(known) - 1 else None


def figures(curve: LoadCurve) -> list[Figure]:
    """All figures with something to show."""
    if not curve.steady:
        return []
    found = [
        response(curve),
        response_by_throughput(curve),
        throughput(curve),
        _against_load(
            curve,
            "power",
            title="Power against load",
            caption="Mean power; the dotted line is the power of the drives at idle.",
            lines=[
                ("Mean power", curve.power, palette.BAR, "solid"),
                ("When idle", "power_w.idle", palette.ALL, "dot"),
            ],
            y_title="Power (W)",
            unit="W",
        ),
        _against_load(
            curve,
            "efficiency",
            title="Efficiency against load",
            caption="Work per watt. It grows with the load, because idle power is drawn either way.",
            lines=[("Efficiency", metrics.EFFICIENCY, palette.STATE_COLOURS["standby"], "solid")],
            y_title="Efficiency (IOPS/W)",
            unit="IOPS/W",
        ),
        _against_load(
            curve,
            "energy",
            title="Energy per request against load",
            caption="All energy of the window over all completed requests.",
            lines=[
                ("Energy per request", metrics.PER_REQUEST, palette.STATE_COLOURS["positioning"], "solid")
            ],
            y_title="Energy per request (J)",
            unit="J",
        ),
        _against_load(
            curve,
            "utilisation",
            title="Utilisation of drives against load",
            caption="Busy share of the window: the busiest drive and the mean.",
            lines=[
                ("Busiest drive", "devices.utilisation.max", palette.WRITE, "solid"),
                ("Mean of drives", "devices.utilisation.mean", palette.READ, "dash"),
            ],
            y_title="Utilisation (share)",
            unit="share",
        ),
    ]
    return [figure for figure in found if figure is not None]


def points(curve: LoadCurve) -> Figure:
    """Every point with its verdict."""
    keys = [
        "throughput.iops", metrics.RESPONSE, _LOW, _HIGH, "response_time_ms.all.p95",
        "response_time_ms.all.p99",
        curve.power, metrics.PER_REQUEST, metrics.EFFICIENCY, "devices.utilisation.max",
    ]  # fmt: skip
    named = {_LOW: Column("95 % from", "ms", rank=4), _HIGH: Column("95 % to", "ms", rank=4)}
    columns = [
        curve.column,
        Column("Verdict", text=True),
        *(named.get(key) or metrics.brief(key) for key in keys),
    ]
    rows: list[list[Cell]] = [
        [row[curve.load], verdict(row), *(row.get(key) for key in keys)] for row in curve.rows
    ]
    return Figure(
        "points",
        "All points",
        "A click on a heading sorts. Figures of an overloaded point are those of a growing queue and "
        "depend on the length of the run.",
        Table(columns, rows),
        wide=True,
        brief=True,
    )


def response(curve: LoadCurve) -> Figure | None:
    """Mean with its confidence interval, 95th and 99th percentile."""
    lines = [
        ("p99", "response_time_ms.all.p99", palette.P99, "dash"),
        ("p95", "response_time_ms.all.p95", palette.P95, "dash"),
        ("Mean", metrics.RESPONSE, palette.MEAN, "solid"),
    ]
    return _against_load(
        curve,
        "response",
        title="Response time against load",
        caption="Bars are the 95 % confidence interval of the mean; without one there were too few requests.",
        lines=lines,
        y_title="Response time (ms)",
        unit="ms",
        interval=True,
        wide=True,
    )


def response_by_throughput(curve: LoadCurve) -> Figure | None:
    """Response time against throughput, the usual chart of a closed loop."""
    if curve.is_rate:
        return None
    rows = [row for row in curve.steady if row[metrics.RESPONSE] is not None]
    if not rows:
        return None
    table = Table(
        [curve.column, Column("Throughput", "IOPS"), Column("Mean response time", "ms")],
        [[row[curve.load], row["throughput.iops"], row[metrics.RESPONSE]] for row in rows],
    )
    trace = plot.line(
        table.column("Throughput"),
        table.column("Mean response time"),
        name="Mean",
        colour=palette.MEAN,
        width=2,
        mode="lines+markers+text",
        error_y=_interval(rows),
        text=[f"{load:g}" for load in table.column("Outstanding")],
        textposition="top left",
        hover="%{text} outstanding: %{x:,.4~r} IOPS, %{y:,.4~r} ms<extra></extra>",
    )
    return Figure(
        "response-by-throughput",
        "Response time against throughput",
        "Each dot is a number of requests outstanding. Where the curve turns up, requests wait longer "
        "without more throughput.",
        table,
        plot.spec(
            [trace],
            layout(
                axis("Throughput (IOPS)", rangemode="tozero"),
                axis("Mean response time (ms)", rangemode="tozero"),
                showlegend=False,
            ),
        ),
    )


def throughput(curve: LoadCurve) -> Figure | None:
    """What was completed against what was asked for, overloaded points included: they show capacity."""
    rows = [row for row in curve.rows if row["status"] == "done"]
    table = Table(
        [curve.column, Column("Throughput", "IOPS"), Column("Verdict", text=True)],
        [[row[curve.load], row["throughput.iops"], verdict(row)] for row in rows],
    )
    steady = [row for row in rows if not row["overloaded"]]
    data: list[dict[str, Any]] = []
    if curve.is_rate:
        asked = [row[curve.load] for row in rows]
        data.append(_line("As offered", asked, asked, (palette.ALL, "dot"), "IOPS", mode="lines"))
    done = [row["throughput.iops"] for row in steady]
    data.append(_line("Completed", [r[curve.load] for r in steady], done, (palette.BAR, "solid"), "IOPS"))
    if curve.over:
        over = [row["throughput.iops"] for row in curve.over]
        crosses = _line(
            "Overloaded", [r[curve.load] for r in curve.over], over, (_OVER, "solid"), "IOPS", mode="markers"
        )
        data.append({**crosses, "marker": {"symbol": "x", "size": 10, "color": _OVER}})
    return Figure(
        "throughput",
        "Throughput against load",
        "Completed requests per second."
        + (
            " An overloaded point shows what the array completes while its queue grows." if curve.over else ""
        ),
        table,
        plot.spec(
            data, _framed(curve, axis("Throughput (IOPS)", rangemode="tozero"), shade=False, legend=True)
        ),
    )


_OVER: Final = palette.STATE_COLOURS["spin_up"]


def _against_load(
    curve: LoadCurve,
    key: str,
    *,
    title: str,
    caption: str,
    lines: Sequence[tuple[str, str, str, str]],
    y_title: str,
    unit: str,
    interval: bool = False,
    wide: bool = False,
) -> Figure | None:
    """Lines over the steady points; each is (name, column of the table, colour, dash)."""
    lines = [line for line in lines if any(row.get(line[1]) is not None for row in curve.steady)]
    if not lines:
        return None
    columns = [curve.column, *(Column(name, unit) for name, *_ in lines)]
    cell: Callable[[dict[str, Any], str], Cell] = lambda row, name: (  # noqa: E731
        row.get(name) if row["status"] == "done" and not row["overloaded"] else None
    )
    if interval:
        columns += [Column("95 % from", unit), Column("95 % to", unit)]
    names = [name for _, name, *_ in lines] + ([_LOW, _HIGH] if interval else [])
    table = Table(
        [*columns, Column("Verdict", text=True)],
        [[row[curve.load], *(cell(row, name) for name in names), verdict(row)] for row in curve.rows],
    )
    data = []
    for name, column, colour, dash in lines:
        values = [row[column] for row in curve.steady]
        mode = "lines" if dash == "dot" else "lines+markers"
        drawn = _line(name, curve.loads, values, (colour, dash), unit, mode=mode)
        if interval and column == metrics.RESPONSE:
            drawn["error_y"] = _interval(curve.steady)
        data.append(drawn)
    found = [value for _, column, *_ in lines for row in curve.steady if (value := row[column])]
    log = interval and max(found) > _LOG_FROM * min(found)
    top = max(found) * (1.4 if log else 1.06)
    if curve.over:
        data.append(
            plot.markers(
                [row[curve.load] for row in curve.over],
                [top] * len(curve.over),
                name="Overloaded: no steady value",
                colour=_OVER,
                size=10,
                symbol="x",
                hover="%{x:,.4~r}: cannot keep up<extra></extra>",
            )
        )
    head, _, rest = y_title.partition(" (")
    y = (
        axis(f"{head} ({rest.removesuffix(')')}, log scale)", type="log")
        if log
        else axis(y_title, rangemode="tozero")
    )
    return Figure(
        key,
        title,
        caption + (" In the shaded range the array is overloaded." if curve.over else ""),
        table,
        plot.spec(data, _framed(curve, y, shade=True, legend=len(data) > 1)),
        wide=wide,
    )


def _line(
    name: str,
    x: Sequence[float],
    y: Sequence[Any],
    look: tuple[str, str],
    unit: str,
    *,
    mode: str = "lines+markers",
) -> dict[str, Any]:
    colour, dash = look
    return plot.line(
        list(x),
        list(y),
        name=name,
        mode=mode,
        colour=colour,
        dash=dash,
        width=2,
        hover=f"%{{y:,.4~r}} {unit}",
    )


def _interval(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Error bars from the mean to the ends of its confidence interval; none where there is no interval."""

    def reach(row: dict[str, Any], end: str) -> float:
        at = row.get(end)
        return 0.0 if at is None else abs(at - row[metrics.RESPONSE])

    return {
        "type": "data",
        "symmetric": False,
        "array": [reach(row, _HIGH) for row in rows],
        "arrayminus": [reach(row, _LOW) for row in rows],
        "color": palette.MEAN,
        "thickness": 1.2,
        "width": 5,
    }


def _framed(curve: LoadCurve, y: dict[str, Any], *, shade: bool, legend: bool) -> dict[str, Any]:
    """The layout with load as its x axis, and the range in which nothing keeps up shaded."""
    loads = [row[curve.load] for row in curve.rows]
    title = "Load (IOPS)" if curve.is_rate else "Requests outstanding"
    log = not curve.is_rate and max(loads) > 8 * min(loads)
    few = {"tickvals": loads} if len(loads) <= 12 else {}
    x = axis(f"{title}, log scale", type="log", **few) if log else axis(title, rangemode="tozero")
    shapes = []
    if shade and curve.over:
        first, steady = min(row[curve.load] for row in curve.over), curve.loads
        below = max((load for load in steady if load < first), default=0)
        shapes.append(
            {
                "type": "rect", "xref": "x", "yref": "paper", "x0": (first + below) / 2,
                "x1": max(loads) * 1.04, "y0": 0, "y1": 1, "fillcolor": _OVER, "opacity": 0.09,
                "line": {"width": 0}, "layer": "below",
            }
        )  # fmt: skip
    return layout(x, y, hovermode="x unified", showlegend=legend, shapes=shapes)
