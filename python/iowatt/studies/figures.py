"""Tables and charts that all studies draw alike."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from iowatt.render import palette, plot
from iowatt.render.figure import Cell, Column, Spec, Table, axis, layout

HOVER: Final = "%{x}: %{y:,.4~r}<extra>%{fullData.name}</extra>"
_HEADING: Final = re.compile(r"(.+?)(?: \(([^()]*)\))?")


def table(headings: str, rows: Sequence[Sequence[Cell]]) -> Table:
    """A table by its headings: ``"Workload | Rate (1/s)"``. Columns with text in them are text."""
    columns = []
    for number, heading in enumerate(headings.split(" | ")):
        match = _HEADING.fullmatch(heading)
        assert match is not None
        text = any(isinstance(row[number], str) for row in rows)
        columns.append(Column(match[1], match[2] or "", text=text))
    return Table(columns, [list(row) for row in rows])


def series_table(
    heading: str, x: Sequence[Cell], series: Mapping[str, Sequence[Cell]], unit: str = ""
) -> Table:
    """Series over ``x``, one a column; a shorter series has no values at the end."""
    suffix = f" ({unit})" if unit else ""
    rows = [
        [at, *(values[number] if number < len(values) else None for values in series.values())]
        for number, at in enumerate(x)
    ]
    return table(" | ".join([heading, *(f"{name}{suffix}" for name in series)]), rows)


def colour(number: int) -> str:
    """The colour of the series with this number."""
    return palette.RUNS[number % len(palette.RUNS)]


def crosses(name: str, points: Sequence[tuple[Cell, Cell]], series: int, **more: Any) -> dict[str, Any]:
    """Published figures, in the colour of the series that they are beside."""
    x, y = [at for at, _ in points], [value for _, value in points]
    return plot.markers(x, y, name=name, colour=colour(series), symbol="x", size=11, **more)


def bars(series: Mapping[str, Sequence[Cell]], names: Sequence[str], title: str, mode: str = "group") -> Spec:
    """Bars of each series over ``names``; ``title`` is that of the axis of values."""
    traces = [plot.bar(list(names), list(values), name=name, colour=colour(number))
              for number, (name, values) in enumerate(series.items())]  # fmt: skip
    return plot.spec(traces, layout(axis("", type="category"), axis(title), barmode=mode))


def sideways(
    series: Mapping[str, tuple[Sequence[Cell], str]], names: Sequence[str], title: str, mode: str
) -> Spec:
    """Bars that lie, for names too long to stand under one: values and colour of each series."""
    hover = "%{y}: %{x:,.4~r}<extra>%{fullData.name}</extra>"
    traces = [
        plot.bar(list(values), list(names), name=name, colour=shade, hover=hover, orientation="h")
        for name, (values, shade) in series.items()
    ]
    down = axis("", type="category", autorange="reversed", dtick=1)
    return plot.spec(traces, layout(axis(title), down, barmode=mode, showlegend=True))
