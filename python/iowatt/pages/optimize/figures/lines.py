"""Every point as a line over its settings and its figures, so that what goes together is seen."""

from __future__ import annotations

from textwrap import wrap
from typing import Any, Final

from iowatt.evaluate.search import metrics
from iowatt.evaluate.search.axes import show_value
from iowatt.pages.optimize.figures.points import DRAWN, KINDS, WINNER, Points
from iowatt.render import numbers, plot
from iowatt.render.figure import Cell, Column, Figure, Table, layout, plain

LINES: Final = "lines"
MOST_LINES: Final = 300
"""Lines that are drawn, best points first; more hide each other."""
_FEW: Final = 40
"""Lines that do not hide each other, so that none need be faint."""
_HEAD: Final = 13
_NAMED: Final = 9
"""Settings of an axis up to which each is named on it."""


def figure(points: Points) -> Figure | None:
    """The lines of the best points; ``None`` where there is nothing to draw a line between."""
    every = heights(points)
    drawn = [at for at, one in enumerate(every) if one is not None][:MOST_LINES]
    if not drawn or len(_verticals(points)) < 2:
        return None
    data = [_trace(every, [at for at in drawn if points.kinds[at] == kind], kind) for kind in DRAWN]
    if len(drawn) < _FEW:
        data = [{**trace, "opacity": max(trace["opacity"], 0.8)} for trace in data]
    if (winner := points.at(points.explored.winner)) in drawn:
        assert winner is not None
        data.append(_trace(every, [winner], "winner"))
    names = ["<br>".join(map(plain, wrap(name, _HEAD))) for name, _ in _verticals(points)]
    columns = [points.columns[at] for _, at in _verticals(points)]
    across = {
        "tickvals": list(range(len(names))), "ticktext": names, "range": [-0.4, len(names) - 0.6],
        "automargin": True, "tickangle": 0, "showgrid": True, "zeroline": False, "title": {"text": ""},
    }  # fmt: skip
    upwards = {"visible": False, "range": [-0.12, 1.12], "title": {"text": ""}}
    return Figure(
        LINES,
        "Points as lines",
        "Each line is a point: it crosses each upright at its setting or figure. Figures are turned so that "
        "the better end is on top. Filter above to see what goes together.",
        Table(
            [
                metrics.VerbatimColumn("Point"),
                *(given.column for given in columns),
                Column("What it is", text=True),
            ],
            [
                [
                    points.rows[at]["point"],
                    *(given.cells[at] for given in columns),
                    KINDS[points.kinds[at]].name,
                ]
                for at in drawn
            ],
        ),
        plot.spec(data, layout(across, upwards, showlegend=True, annotations=_annotations(points))),
        [f"At most {MOST_LINES} lines are drawn, those of the best points of what is shown."]
        if sum(one is not None for one in every) > MOST_LINES
        else [],
        wide=True,
    )


def uprights(points: Points) -> list[int]:
    """The columns that the lines cross, from left to right."""
    return [at for _, at in _verticals(points)]


def _verticals(points: Points) -> list[tuple[str, int]]:
    """The uprights: the axes with a choice, the objectives, and what is limited; each with its column."""
    explored = points.explored
    axes = [(axis.name, at) for at, axis in enumerate(explored.axes) if len(axis.settings) > 1]
    figures = [
        (explored.column(metric).heading, len(explored.axes) + at)
        for at, metric in enumerate(explored.metrics)
        if _range(points, len(explored.axes) + at) is not None
    ]
    return axes + figures


def _range(points: Points, at: int) -> tuple[float, float] | None:
    """The worse and the better end of a figure."""
    given = points.columns[at]
    values = [cell for cell in given.cells if isinstance(cell, int | float)]
    if not given.numeric or len(set(values)) < 2:
        return None
    metric = points.explored.metrics[at - len(points.explored.axes)]
    up = [goal.maximize for goal in points.explored.goals if goal.metric == metric]
    up += [not limit.operator.startswith("<") for limit in points.explored.limits if limit.metric == metric]
    return (min(values), max(values)) if up[0] else (max(values), min(values))


def heights(points: Points) -> list[list[float] | None]:
    """Of each point where its line crosses each upright, from 0 to 1; ``None`` where a figure is missing."""
    axes = len(points.explored.axes)
    uprights = [
        (at, len(points.explored.axes[at].settings) - 1 if at < axes else _range(points, at))
        for _, at in _verticals(points)
    ]
    found: list[list[float] | None] = []
    for number in range(len(points.rows)):
        one: list[float] = []
        for at, scale in uprights:
            if isinstance(scale, int):
                place = points.places[number][at]
                if place >= 0:
                    one.append(round(place / scale, 4))
            elif scale is not None:
                cell = points.columns[at].cells[number]
                if isinstance(cell, int | float):
                    one.append(round((cell - scale[0]) / (scale[1] - scale[0]), 4))
        whole = len(one) == len(uprights) and points.kinds[number] in DRAWN
        found.append(one if whole else None)
    return found


def _trace(every: list[list[float] | None], chosen: list[int], kind: str) -> dict[str, Any]:
    look = WINNER if kind == "winner" else KINDS[kind]
    xs: list[float | None] = []
    ys: list[float | None] = []
    for at in chosen:
        line = every[at] or []
        xs += [*range(len(line)), None]
        ys += [*line, None]
    faint = {"winner": (3.0, 1.0), "front": (1.6, 0.9), "feasible": (1.0, 0.45)}
    width, opacity = faint.get(kind, (0.8, 0.3))
    more: dict[str, Any] = {"connectgaps": False, "opacity": opacity, "hoverinfo": "skip"}
    return plot.line(xs, ys, name=look.name, colour=look.colour, width=width, **more)


def _annotations(points: Points) -> list[dict[str, Any]]:
    """Settings beside their axis, the ends of a figure above and below it."""
    found = []
    for x, (_, at) in enumerate(_verticals(points)):
        if at < len(points.explored.axes):
            settings = points.explored.axes[at].settings
            last = len(settings) - 1
            named = range(len(settings)) if len(settings) <= _NAMED else (0, last // 2, last)
            found += [_text(x, place / last, _shorten(settings[place]), "left") for place in named]
        elif (ends := _range(points, at)) is not None:
            for y, end in zip((-0.07, 1.07), ends, strict=True):
                found.append(_text(x, y, numbers.significant(end), "center"))
    return found


def _shorten(setting: str) -> str:
    """A setting that leaves room for the next upright."""
    return setting if len(setting) <= _HEAD else f"{setting[: _HEAD - 1]}…"


def _text(x: float, y: float, text: Cell, anchor: str) -> dict[str, Any]:
    staging = {"xshift": 4} if anchor == "left" else {}
    return {
        "x": x, "y": y, "text": plain(show_value(text) if text is not None else ""), "showarrow": False,
        "xanchor": anchor, "yanchor": "middle", "font": {"size": 11}, **staging,
    }  # fmt: skip
