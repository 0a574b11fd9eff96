"""Pieces that the figures of a description share."""

from __future__ import annotations

from typing import Any

from iowatt.render import palette

OPS = (("Reads", "read", palette.READ), ("Writes", "write", palette.WRITE))
REQUESTS, BYTES = palette.RUNS[0], palette.RUNS[1]
SHARE_OF = (("Requests", "request", REQUESTS, "solid"), ("Bytes", "byte", BYTES, "dash"))
"""Request and byte ratios, always both: their titles, keys, colours and dashes."""


def line(x: list[Any], y: list[Any], name: str, colour: str, unit: str, **more: Any) -> dict[str, Any]:
    """A line of a chart."""
    dash = more.pop("dash", "solid")
    return {
        "type": "scatter",
        "mode": more.pop("mode", "lines"),
        "name": name,
        "x": x,
        "y": y,
        "line": {"color": colour, "width": 2, "dash": dash, **more.pop("line", {})},
        "hovertemplate": f"%{{x:,.4~r}}: %{{y:,.4~r}} {unit}<extra>%{{fullData.name}}</extra>",
        **more,
    }


def positive(values: list[Any]) -> list[Any]:
    """Values for a logarithmic axis, which has no place for zero."""
    return [value or None for value in values]


def cumulated(values: list[float]) -> list[float]:
    """Running sums."""
    total, sums = 0.0, []
    for value in values:
        total += value
        sums.append(total)
    return sums
