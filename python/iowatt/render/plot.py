"""Traces of plotly figures: bars, lines and markers with the house's colours and hover texts.

Each function returns one trace, the dict that plotly.js draws (https://plotly.com/javascript/reference/);
``more`` adds or replaces its keys. :func:`spec` joins traces and a layout into what a
:class:`~iowatt.render.figure.Figure` shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from iowatt.render import palette
from iowatt.render.figure import Spec, layout


def bar(
    x: Sequence[Any],
    y: Sequence[Any],
    *,
    name: str = "",
    colour: str | Sequence[str] = palette.BAR,
    hover: str = "",
    **more: Any,
) -> dict[str, Any]:
    """Bars, one for each element of ``x`` and ``y``; ``orientation="h"`` lays them down."""
    return _trace("bar", name, hover, {"x": x, "y": y, "marker": {"color": colour}}, more)


def line(
    x: Sequence[Any],
    y: Sequence[Any],
    *,
    name: str = "",
    colour: str = palette.BAR,
    hover: str = "",
    marks: bool = False,
    dash: str = "",
    shape: str = "",
    width: float | None = None,
    **more: Any,
) -> dict[str, Any]:
    """A line through the points; ``marks`` shows each of them, ``shape="hv"`` makes steps."""
    drawn = {"color": colour, "dash": dash, "shape": shape, "width": width}
    drawn = {key: value for key, value in drawn.items() if value}
    mode = "lines+markers" if marks else "lines"
    return _trace("scatter", name, hover, {"x": x, "y": y, "mode": mode, "line": drawn}, more)


def curve(
    x: Sequence[Any], y: Sequence[Any], name: str, colour: str, unit: str, *, dash: str = "solid", **more: Any
) -> dict[str, Any]:
    """A line whose hover text has both values, that of ``y`` in ``unit``."""
    hover = f"%{{x:,.4~r}}: %{{y:,.4~r}} {unit}<extra>%{{fullData.name}}</extra>"
    return line(x, y, name=name, colour=colour, dash=dash, **{"width": 2, "hover": hover, **more})


def positive(values: Sequence[Any]) -> list[Any]:
    """Values for a logarithmic axis, which has no place for zero."""
    return [value or None for value in values]


def markers(
    x: Sequence[Any],
    y: Sequence[Any],
    *,
    name: str = "",
    colour: str | Sequence[str] = palette.BAR,
    hover: str = "",
    size: float | None = None,
    symbol: str | Sequence[str] = "",
    **more: Any,
) -> dict[str, Any]:
    """Points that no line joins."""
    drawn = {"color": colour, "size": size, "symbol": symbol}
    drawn = {key: value for key, value in drawn.items() if value}
    return _trace("scatter", name, hover, {"x": x, "y": y, "mode": "markers", "marker": drawn}, more)


def chart(traces: Sequence[dict[str, Any]], x: dict[str, Any], y: dict[str, Any], **more: Any) -> Spec:
    """Traces on two axes (:func:`iowatt.render.figure.axis`); ``more`` are other keys of the layout."""
    return spec(traces, layout(x, y, **more))


def spec(traces: Sequence[dict[str, Any]], figure_layout: dict[str, Any]) -> Spec:
    """What plotly.js draws: traces with their layout (:func:`iowatt.render.figure.layout`)."""
    return {"data": list(traces), "layout": figure_layout}


def _trace(kind: str, name: str, hover: str, *parts: dict[str, Any]) -> dict[str, Any]:
    """One trace; without a name or a hover text where it is empty."""
    made: dict[str, Any] = {"type": kind, "name": name, "hovertemplate": hover}
    made = {key: value for key, value in made.items() if value}
    for part in parts:
        made |= part
    return made


def reference_line(
    *,
    x: float | None = None,
    y: float | None = None,
    colour: str = palette.ALL,
    dash: str = "",
    width: float = 1,
) -> dict[str, Any]:
    """A straight line across the whole chart at ``x`` or at ``y``, for a layout's ``shapes``."""
    line = {"color": colour, "width": width} | ({"dash": dash} if dash else {})
    if x is not None:
        return {"type": "line", "x0": x, "x1": x, "yref": "paper", "y0": 0, "y1": 1, "line": line}
    return {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": y, "y1": y, "line": line}
