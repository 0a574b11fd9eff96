"""Figures of a sweep: the Pareto view, the table of points, and each metric by each swept path."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from iowatt.evaluate.search import metrics, short_names, show_value
from iowatt.render import palette, plot
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout, plain

if TYPE_CHECKING:
    import polars as pl

PARETO: Final = "pareto"
POINTS: Final = "points"
MOST_LINES: Final = 8
"""Lines that a chart can tell apart; more combinations become dots around their median."""

_DASHES: Final = ("solid", "dash", "dot", "dashdot")
_LOG_FROM: Final = 20.0


class Sweep:
    """A table with its swept paths, and what figures ask of it."""

    def __init__(self, frame: pl.DataFrame, axes: Sequence[Sequence[str]]) -> None:
        self.frame = frame
        self.axes = [tuple(columns) for columns in axes]
        self.paths = [path for columns in self.axes for path in columns]
        self.names = short_names(self.paths)
        self.rows: list[dict[str, Any]] = frame.to_dicts()
        self.power = metrics.power(frame)

    def steady(self, row: dict[str, Any]) -> bool:
        """Whether a point has figures that stand for a steady state."""
        return row["status"] == "done" and not row["overloaded"]

    def values(self, metric: str) -> list[float | None]:
        """A metric of all points; ``None`` where it stands for no steady state."""
        return [row.get(metric) if self.steady(row) else None for row in self.rows]

    def label(self, row: dict[str, Any], paths: Sequence[str] | None = None) -> str:
        """A point for people."""
        chosen = self.paths if paths is None else paths
        return ", ".join(f"{self.names[path]} {show_value(row[path])}" for path in chosen)

    def axis_name(self, columns: Sequence[str]) -> str:
        """An axis for people."""
        return ", ".join(self.names[path] for path in columns)


def points_table(sweep: Sweep) -> Figure:
    """All points with the common metrics, to be sorted by the reader."""
    keys = [key for key in metrics.COMMON if key in sweep.frame.columns and _any(sweep, key)]
    if sweep.power != "power_w.wall_mean":
        keys = [key for key in keys if key != "power_w.wall_mean"]
    text = [not sweep.frame.schema[path].is_numeric() for path in sweep.paths]
    columns = [
        Column("Point"),
        *(
            metrics.VerbatimColumn(sweep.names[path], text=is_text)
            for path, is_text in zip(sweep.paths, text, strict=True)
        ),
        Column("Verdict", text=True),
        *(_brief(sweep, key) for key in keys),
    ]
    rows: list[list[Cell]] = [
        [
            row["point"],
            *(
                show_value(row[path]) if is_text else row[path]
                for path, is_text in zip(sweep.paths, text, strict=True)
            ),
            verdict(row),
            *(row[key] for key in keys),
        ]
        for row in sweep.rows
    ]
    return Figure(
        POINTS,
        "All points",
        "A click on a heading sorts. Figures of an overloaded point are those of a growing queue. "
        "table.parquet and table.csv have every figure.",
        Table(columns, rows),
        wide=True,
        brief=True,
    )


def _brief(sweep: Sweep, key: str) -> Column:
    """The column of a metric; a narrow table leaves out first what is the same of all points."""
    column = metrics.brief(key)
    if key == metrics.LOSS and {row.get(metrics.REBUILD) for row in sweep.rows} == {"stated"}:
        column = replace(column, unit="stated rebuild rate")
    same = len(sweep.rows) > 1 and len({row[key] for row in sweep.rows}) == 1
    return replace(column, rank=column.rank + len(metrics.COMMON)) if same else column


def verdict(row: Mapping[str, Any]) -> str:
    """Whether a point is ``steady``, ``overloaded`` or ``failed``."""
    if row["status"] == "failed":
        return "failed"
    return "overloaded" if row["overloaded"] else "steady"


def _any(sweep: Sweep, key: str) -> bool:
    return any(row[key] is not None for row in sweep.rows)


def pareto_view(sweep: Sweep) -> Figure:
    """Mean response time against mean power, the front marked; the page lets its reader choose others."""
    x, y = metrics.RESPONSE, sweep.power
    xs, ys = sweep.values(x), sweep.values(y)
    front = metrics.front(xs, ys)
    knee = metrics.knee([_sure(xs[at]) for at in front], [_sure(ys[at]) for at in front])
    best = None if knee is None else front[knee]
    roles = ["knee" if at == best else "front" if at in set(front) else "" for at in range(len(xs))]
    known = [at for at in range(len(xs)) if xs[at] is not None and ys[at] is not None]
    titles = metrics.column(x), metrics.column(y)
    table = Table(
        [Column("Point"), Column("Where", text=True), *titles, Column("On the front", text=True)],
        [[sweep.rows[at]["point"], sweep.label(sweep.rows[at]), xs[at], ys[at], roles[at]] for at in known],
    )
    dots = [at for at in known if not roles[at]]
    data = [
        _dots(sweep, dots, xs, ys, name="Dominated", colour=palette.STATE_COLOURS["idle"], size=7),
        {
            **_dots(sweep, front, xs, ys, name="Pareto front", colour=palette.BAR, size=9),
            "mode": "lines+markers",
            "line": {"color": palette.BAR, "width": 1.5, "shape": "hv"},
        },
    ]
    if best is not None:
        look = {"colour": palette.STATE_COLOURS["spin_up"], "symbol": "diamond"}
        data.append(_dots(sweep, [best], xs, ys, name="Knee", size=14, **look))
    return Figure(
        PARETO,
        "Pareto view",
        "Each dot is a point. On the front nothing else is better in both; past the knee, giving up more "
        "of one gains little of the other. Overloaded points are left out.",
        table,
        plot.spec(data, layout(axis(titles[0].heading), axis(titles[1].heading), showlegend=True)),
        wide=True,
        template="sweep-pareto.html",
    )


def _sure(value: float | None) -> float:
    assert value is not None  # a front has values only
    return value


def _dots(
    sweep: Sweep,
    chosen: Sequence[int],
    xs: Sequence[float | None],
    ys: Sequence[float | None],
    *,
    name: str,
    colour: str,
    symbol: str = "circle",
    size: int,
) -> dict[str, Any]:
    return plot.markers(
        [xs[at] for at in chosen],
        [ys[at] for at in chosen],
        name=name,
        colour=colour,
        size=size,
        symbol=symbol,
        text=[plain(sweep.label(sweep.rows[at])) for at in chosen],
        hover="%{text}<br>%{x:,.4~r}, %{y:,.4~r}<extra></extra>",
    )


def by_axis(sweep: Sweep, at: int) -> list[Figure]:
    """Response time, power, energy per request and efficiency by one axis."""
    asked = [metrics.RESPONSE, sweep.power, metrics.PER_REQUEST, metrics.EFFICIENCY]
    found = (_by(sweep, at, metric) for metric in asked if metric in sweep.frame.columns)
    return [figure for figure in found if figure is not None]


def _by(sweep: Sweep, at: int, metric: str) -> Figure | None:
    columns = sweep.axes[at]
    others = [path for number, axis_ in enumerate(sweep.axes) if number != at for path in axis_]
    ticks = list(dict.fromkeys(_tick(row, columns) for row in sweep.rows))
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in sweep.rows:
        groups.setdefault(sweep.label(row, others), []).append(row)
    steady = [row for row in sweep.rows if sweep.steady(row) and row[metric] is not None]
    if not steady:
        return None
    head = metrics.column(metric)
    named = metrics.VerbatimColumn(sweep.axis_name(columns), text=isinstance(ticks[0], str))
    spread = [Column(title, head.unit) for title in ("Lowest", "Median", "Highest")]
    counts = [Column(title) for title in ("Steady points", "Overloaded", "Failed")]
    table = Table([named, *spread, *counts], [_spread(sweep, metric, tick, columns) for tick in ticks])
    drawn = (
        _lines(sweep, groups, metric, columns)
        if len(groups) <= MOST_LINES
        else _cloud(sweep, ticks, metric, columns)
    )
    over = [row for row in sweep.rows if row["status"] == "done" and row["overloaded"]]
    if over:
        drawn.append(_overloaded(sweep, over, columns, 1.06 * max(row[metric] for row in steady)))
    return Figure(
        f"by-{at}-{metric.replace('.', '-').replace('_', '-')}",
        f"{head.title} by {sweep.axis_name(columns)}",
        _caption(len(groups), bool(over)),
        table,
        plot.spec(
            drawn,
            layout(
                _axis(sweep.axis_name(columns), ticks),
                axis(head.heading, rangemode="tozero"),
                showlegend=len(drawn) > 1,
            ),
        ),
    )


def _caption(groups: int, over: bool) -> str:
    if groups == 1:
        text = "Nothing else was varied."
    elif groups <= MOST_LINES:
        text = "One line for each setting of the others."
    else:
        text = "Dots are single points; the line is their median over all settings of the others."
    return f"{text} Crosses at the top are overloaded points, which have no steady value." if over else text


def _tick(row: dict[str, Any], columns: Sequence[str]) -> Cell:
    if (
        len(columns) == 1
        and isinstance(row[columns[0]], int | float)
        and not isinstance(row[columns[0]], bool)
    ):
        value: Cell = row[columns[0]]
        return value
    return ", ".join(show_value(row[path]) for path in columns)


def _axis(title: str, ticks: Sequence[Cell]) -> dict[str, Any]:
    """Numbers on a scale (a log one where they span it), everything else as categories in the order given."""
    values = [tick for tick in ticks if isinstance(tick, int | float)]
    if len(values) < len(ticks):
        names = [plain(str(tick)) for tick in ticks]
        return axis(title, type="category", categoryorder="array", categoryarray=names, nticks=len(names))
    if len(values) > 2 and min(values) > 0 and max(values) > _LOG_FROM * min(values):
        few = {"tickvals": list(values)} if len(values) <= 12 else {}
        return axis(f"{title} (log scale)", type="log", **few)
    return axis(title, **({"tickvals": list(values)} if len(values) <= 12 else {}))


def _spread(sweep: Sweep, metric: str, tick: Cell, columns: Sequence[str]) -> list[Cell]:
    rows = [row for row in sweep.rows if _tick(row, columns) == tick]
    values = [row[metric] for row in rows if sweep.steady(row) and row[metric] is not None]
    verdicts = [verdict(row) for row in rows]
    return [
        tick,
        min(values, default=None),
        statistics.median(values) if values else None,
        max(values, default=None),
        verdicts.count("steady"),
        verdicts.count("overloaded"),
        verdicts.count("failed"),
    ]


def _mark(tick: Cell) -> Cell:
    return plain(tick) if isinstance(tick, str) else tick


def _lines(
    sweep: Sweep, groups: dict[str, list[dict[str, Any]]], metric: str, columns: Sequence[str]
) -> list[dict[str, Any]]:
    return [
        plot.line(
            [_mark(_tick(row, columns)) for row in rows],
            [row[metric] if sweep.steady(row) else None for row in rows],
            name=plain(name or "All points"),
            colour=palette.RUNS[number % len(palette.RUNS)],
            width=2,
            dash=_DASHES[number % 4],
            marks=True,
            connectgaps=False,
            hover="%{x}: %{y:,.4~r}<extra>%{fullData.name}</extra>",
        )
        for number, (name, rows) in enumerate(groups.items())
        if any(sweep.steady(row) for row in rows)
    ]


def _cloud(sweep: Sweep, ticks: Sequence[Cell], metric: str, columns: Sequence[str]) -> list[dict[str, Any]]:
    rows = [row for row in sweep.rows if sweep.steady(row) and row[metric] is not None]
    medians = [_spread(sweep, metric, tick, columns)[2] for tick in ticks]
    return [
        plot.markers(
            [_mark(_tick(row, columns)) for row in rows],
            [row[metric] for row in rows],
            name="Points",
            text=[plain(sweep.label(row)) for row in rows],
            marker={"color": palette.STATE_COLOURS["idle"], "size": 6, "opacity": 0.7},
            hover="%{text}<br>%{y:,.4~r}<extra></extra>",
        ),
        plot.line(
            [_mark(tick) for tick in ticks],
            medians,
            name="Median",
            width=2.5,
            marks=True,
            hover="median %{y:,.4~r}<extra></extra>",
        ),
    ]


def _overloaded(
    sweep: Sweep, rows: Sequence[dict[str, Any]], columns: Sequence[str], height: float
) -> dict[str, Any]:
    return plot.markers(
        [_mark(_tick(row, columns)) for row in rows],
        [height] * len(rows),
        name="Overloaded",
        colour=palette.STATE_COLOURS["spin_up"],
        size=9,
        symbol="x",
        text=[plain(sweep.label(row)) for row in rows],
        hover="%{text}: overloaded, no steady value<extra></extra>",
    )
