"""Two figures of all points set against each other: the front; the reader may choose others."""

from __future__ import annotations

from typing import Any, Final

from iowatt.evaluate.search import metrics
from iowatt.pages.optimize.figures.points import DRAWN, KINDS, KNEE, NEAREST, WINNER, Given, Kind, Points
from iowatt.render import palette, plot
from iowatt.render.figure import Cell, Figure, Table, axis, layout, plain, text_columns

VIEW: Final = "view"
TWIN_ROWS: Final = 500
"""Rows of the table under the chart; the table of points has all."""


def first(points: Points) -> tuple[int, int]:
    """The columns that are set against each other at first, across and upwards.

    Two objectives; of a single one, it over the figure whose limit binds, else over what is limited, else
    over the first axis.
    """
    pairs = _pairs(points)
    known = [pair for pair in pairs if any(_both(points, *pair))]
    return (known or pairs)[0]


def _both(points: Points, x: int, y: int) -> list[bool]:
    """Of each point whether it has both."""
    across, upwards = points.columns[x].cells, points.columns[y].cells
    return [a is not None and b is not None for a, b in zip(across, upwards, strict=True)]


def _pairs(points: Points) -> list[tuple[int, int]]:
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


def _over_first_axis(points: Points) -> list[tuple[int, int]]:
    """What is asked for or limited over the first axis."""
    axes = len(points.explored.axes)
    return [(0, axes + at) for at in range(len(points.explored.metrics))]


def figure(points: Points) -> Figure:
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
                shapes=[*_limits(across, "x"), *_limits(upwards, "y")],
            ),
        ),
        [f"The table has the {TWIN_ROWS} best of what is shown; the table of all points has the rest."]
        if len(known) > TWIN_ROWS
        else [],
        wide=True,
        template="optimize-view.html",
    )


def choices(points: Points) -> dict[str, Any]:
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


def _is_front(points: Points, x: int, y: int) -> bool:
    axes = len(points.explored.axes)
    return len(points.explored.goals) == 2 and (x, y) == (axes, axes + 1)


def _line(points: Points) -> dict[str, Any]:
    """The stairs of what can be had: between two points of the front, the one that is not worse across."""
    shape = "vh" if points.explored.goals[0].maximize else "hv"
    colour = KINDS["front"].colour
    return {"mode": "lines+markers", "line": {"color": colour, "width": 1.5, "shape": shape}}


def _dots(points: Points, chosen: list[int], x: int, y: int, look: Kind) -> dict[str, Any]:
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


def _row(points: Points, at: int, x: int, y: int) -> list[Cell]:
    row = points.rows[at]
    return [
        row["point"],
        points.explored.label(row),
        points.columns[x].cells[at],
        points.columns[y].cells[at],
        WINNER.name if row is points.explored.winner else KINDS[points.kinds[at]].name,
    ]


def _axis(points: Points, given: Given) -> dict[str, Any]:
    if given.numeric or given.axis is None:
        return axis(given.column.heading)
    names = [plain(one) for one in points.explored.axes[given.axis].settings]
    return axis(given.column.heading, type="category", categoryorder="array", categoryarray=names)


def _limits(given: Given, way: str) -> list[dict[str, Any]]:
    other = "y" if way == "x" else "x"
    look = {"color": palette.STATE_COLOURS["spin_up"], "width": 1.5, "dash": "dot"}
    return [
        {
            "type": "line", f"{way}ref": way, f"{other}ref": "paper", f"{way}0": limit, f"{way}1": limit,
            f"{other}0": 0, f"{other}1": 1, "line": look,
        }
        for limit in given.limits
    ]  # fmt: skip
