"""All points drawn: two figures set against each other, of the reader's choice; and each point as a line."""

from __future__ import annotations

from textwrap import wrap
from typing import Any, Final

from iowatt.evaluate.search import metrics, show_value
from iowatt.pages.optimize.figures.points import (
    DRAWN,
    KINDS,
    KNEE,
    NEAREST,
    WINNER,
    ExploredPoints,
    Given,
    PointKind,
)
from iowatt.render import numbers, palette, plot
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout, plain, text_columns

VIEW: Final = "view"
TWIN_ROWS: Final = 500
"""Rows of the table under the chart; the table of points has all."""


def first(points: ExploredPoints) -> tuple[int, int]:
    """The columns that are set against each other at first, across and upwards.

    Two objectives; of a single one, it over the figure whose limit binds, else over what is limited, else
    over the first axis.
    """
    pairs = _pairs(points)
    known = [pair for pair in pairs if any(_both(points, *pair))]
    return (known or pairs)[0]


def _both(points: ExploredPoints, x: int, y: int) -> list[bool]:
    """Of each point whether it has both."""
    across, upwards = points.columns[x].cells, points.columns[y].cells
    return [a is not None and b is not None for a, b in zip(across, upwards, strict=True)]


def _pairs(points: ExploredPoints) -> list[tuple[int, int]]:
    """What might be set against each other, the most telling first."""
    explored, axes = points.explored, len(points.explored.axes)
    if len(explored.goals) > 1:
        return [(axes, axes + 1), *_over_first_axis(points)]
    binding = [one.binds for one in explored.document.why.constraints]
    limits = sorted(
        (not (at < len(binding) and binding[at]), at, limit.metric)
        for at, limit in enumerate(explored.limits)
        if limit.metric != explored.goals[0].metric
    )
    found = []
    for *_, metric in limits:
        at = axes + explored.metrics.index(metric)
        if points.columns[at].numeric:
            found.append((at, axes))
    return [*found, *_over_first_axis(points)]


def _over_first_axis(points: ExploredPoints) -> list[tuple[int, int]]:
    """What is asked for or limited over the first axis."""
    axes = len(points.explored.axes)
    return [(0, axes + at) for at in range(len(points.explored.metrics))]


def view_figure(points: ExploredPoints) -> Figure:
    """The view as it is before anything is chosen."""
    x, y = first(points)
    explored = points.explored
    across, upwards = points.columns[x], points.columns[y]
    both = _both(points, x, y)
    known = [at for at in range(len(points.rows)) if both[at] and points.kinds[at] in DRAWN]
    data = [
        _dots(points, [at for at in known if points.kinds[at] == kind], x, y, KINDS[kind]) for kind in DRAWN
    ]
    if _is_front(points, x, y):
        data[-1] |= _line(points)
    for marked, row in ((NEAREST, explored.nearest), (KNEE, explored.knee), (WINNER, explored.winner)):
        at = points.at(row)
        if at is not None and at in known and not (marked is KNEE and row is explored.winner):
            data.append(_dots(points, [at], x, y, marked))
    if all(trace["visible"] is not True for trace in data if trace["x"]):
        for trace in data:
            trace["visible"] = True
    several = len(explored.goals) > 1
    point, where, kind = metrics.VerbatimColumn("Point"), *text_columns("Where", "What it is")
    columns = [point, where, across.column, upwards.column, kind]
    return Figure(
        VIEW,
        "The front" if several and explored.front else f"{upwards.column.title} of all points",
        (
            "On the front nothing else is better in all objectives. "
            if several and explored.front
            else "The winner is the best of the feasible points. "
            if explored.winner is not None
            else "No point is feasible. "
        )
        + "Dotted lines are limits. Choose other figures, and which points are shown, above.",
        Table(columns, [_row(points, at, x, y) for at in known[:TWIN_ROWS]]),
        plot.spec(
            data,
            layout(
                _axis(points, across),
                _axis(points, upwards),
                showlegend=True,
                shapes=[*_limit_lines(across, "x"), *_limit_lines(upwards, "y")],
            ),
        ),
        [f"The table has the {TWIN_ROWS} best of what is shown; the table of all points has the rest."]
        if len(known) > TWIN_ROWS
        else [],
        wide=True,
        template="optimize-view.html",
    )


def choices(points: ExploredPoints) -> dict[str, Any]:
    """What the page's script needs to show other figures and fewer points."""
    explored = points.explored
    x, y = first(points)
    front = [points.at(explored.by_number[n]) for n in explored.front]
    return {
        "columns": [
            {
                "at": at + 1,
                "title": given.column.heading,
                "numeric": given.numeric,
                "limits": list(given.limits),
                "axis": given.axis,
                "whole": all(isinstance(cell, int) or cell is None for cell in given.cells),
            }
            for at, given in enumerate(points.columns)
        ],
        "x": x,
        "y": y,
        "pair": [len(explored.axes), len(explored.axes) + 1] if len(explored.goals) == 2 else None,
        "line": _line(points),
        "traces": list(DRAWN),
        "kinds": points.kinds,
        "kindNames": {key: kind.name for key, kind in KINDS.items() if key in points.kinds},
        "marks": {
            mark.name: at
            for mark, row in ((NEAREST, explored.nearest), (KNEE, explored.knee), (WINNER, explored.winner))
            if (at := points.at(row)) is not None
        },
        "front": [at for at in front if at is not None],
        "places": points.places,
        "axes": [
            {"name": one.name, "settings": list(one.settings), "ordered": one.ordered}
            for one in explored.axes
        ],
        "mostRows": TWIN_ROWS,
        "labels": points.labels,
    }


def _is_front(points: ExploredPoints, x: int, y: int) -> bool:
    axes = len(points.explored.axes)
    return len(points.explored.goals) == 2 and (x, y) == (axes, axes + 1)


def _line(points: ExploredPoints) -> dict[str, Any]:
    """The stairs of what can be had: between two points of the front, the one that is not worse across."""
    shape = "vh" if points.explored.goals[0].maximize else "hv"
    colour = KINDS["front"].colour
    return {"mode": "lines+markers", "line": {"color": colour, "width": 1.5, "shape": shape}}


def _dots(points: ExploredPoints, chosen: list[int], x: int, y: int, look: PointKind) -> dict[str, Any]:
    across, upwards = points.columns[x].cells, points.columns[y].cells
    if look is KINDS["front"]:
        chosen = sorted(chosen, key=lambda at: (isinstance(across[at], str), across[at]))
    marker = {"color": look.colour, "size": look.size, "symbol": look.symbol}
    hidden = look in (KINDS["impossible"], KINDS["pruned"], KINDS["unlikely"])
    return plot.markers(
        [_mark(across[at]) for at in chosen],
        [_mark(upwards[at]) for at in chosen],
        name=look.name,
        text=[points.labels[at] for at in chosen],
        marker={**marker, "line": {"color": look.colour, "width": 1}},
        visible="legendonly" if hidden else True,
        hover="%{text}<br>%{x:,.4~r}, %{y:,.4~r}<extra>%{fullData.name}</extra>",
    )


def _mark(cell: Cell) -> Cell:
    return plain(cell) if isinstance(cell, str) else cell


def _row(points: ExploredPoints, at: int, x: int, y: int) -> list[Cell]:
    row = points.rows[at]
    return [
        row["point"],
        points.explored.label(row),
        points.columns[x].cells[at],
        points.columns[y].cells[at],
        WINNER.name if row is points.explored.winner else KINDS[points.kinds[at]].name,
    ]


def _axis(points: ExploredPoints, given: Given) -> dict[str, Any]:
    if given.numeric or given.axis is None:
        return axis(given.column.heading)
    names = [plain(one) for one in points.explored.axes[given.axis].settings]
    return axis(given.column.heading, type="category", categoryorder="array", categoryarray=names)


def _limit_lines(given: Given, way: str) -> list[dict[str, Any]]:
    other = "y" if way == "x" else "x"
    look = {"color": palette.STATE_COLOURS["spin_up"], "width": 1.5, "dash": "dot"}
    return [
        {
            "type": "line", f"{way}ref": way, f"{other}ref": "paper", f"{way}0": limit, f"{way}1": limit,
            f"{other}0": 0, f"{other}1": 1, "line": look,
        }
        for limit in given.limits
    ]  # fmt: skip


LINES: Final = "lines"
MOST_LINES: Final = 300
"""Lines that are drawn, best points first; more hide each other."""
_FEW: Final = 40
"""Lines that do not hide each other, so that none need be faint."""
_HEAD: Final = 13
_NAMED: Final = 9
"""Settings of an axis up to which each is named on it."""


def lines_figure(points: ExploredPoints) -> Figure | None:
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


def uprights(points: ExploredPoints) -> list[int]:
    """The columns that the lines cross, from left to right."""
    return [at for _, at in _verticals(points)]


def _verticals(points: ExploredPoints) -> list[tuple[str, int]]:
    """The uprights: the axes with a choice, the objectives, and what is limited; each with its column."""
    explored = points.explored
    axes = [(axis.name, at) for at, axis in enumerate(explored.axes) if len(axis.settings) > 1]
    figures = [
        (explored.column(metric).heading, len(explored.axes) + at)
        for at, metric in enumerate(explored.metrics)
        if _ends(points, len(explored.axes) + at) is not None
    ]
    return axes + figures


def _ends(points: ExploredPoints, at: int) -> tuple[float, float] | None:
    """The worse and the better end of a figure."""
    given = points.columns[at]
    values = [cell for cell in given.cells if isinstance(cell, int | float)]
    if not given.numeric or len(set(values)) < 2:
        return None
    metric = points.explored.metrics[at - len(points.explored.axes)]
    up = [goal.maximize for goal in points.explored.goals if goal.metric == metric]
    up += [not limit.operator.startswith("<") for limit in points.explored.limits if limit.metric == metric]
    return (min(values), max(values)) if up[0] else (max(values), min(values))


def heights(points: ExploredPoints) -> list[list[float] | None]:
    """Of each point where its line crosses each upright, from 0 to 1; ``None`` where a figure is missing."""
    axes = len(points.explored.axes)
    uprights = [
        (at, len(points.explored.axes[at].settings) - 1 if at < axes else _ends(points, at))
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


def _annotations(points: ExploredPoints) -> list[dict[str, Any]]:
    """Settings beside their axis, the ends of a figure above and below it."""
    found = []
    for x, (_, at) in enumerate(_verticals(points)):
        if at < len(points.explored.axes):
            settings = points.explored.axes[at].settings
            last = len(settings) - 1
            named = range(len(settings)) if len(settings) <= _NAMED else (0, last // 2, last)
            found += [_annotation(x, place / last, _shorten(settings[place]), "left") for place in named]
        elif (ends := _ends(points, at)) is not None:
            for y, end in zip((-0.07, 1.07), ends, strict=True):
                found.append(_annotation(x, y, numbers.significant(end), "center"))
    return found


def _shorten(setting: str) -> str:
    """A setting that leaves room for the next upright."""
    return setting if len(setting) <= _HEAD else f"{setting[: _HEAD - 1]}…"


def _annotation(x: float, y: float, text: Cell, anchor: str) -> dict[str, Any]:
    staging = {"xshift": 4} if anchor == "left" else {}
    return {
        "x": x, "y": y, "text": plain(show_value(text) if text is not None else ""), "showarrow": False,
        "xanchor": anchor, "yanchor": "middle", "font": {"size": 11}, **staging,
    }  # fmt: skip
