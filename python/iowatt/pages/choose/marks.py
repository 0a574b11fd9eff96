"""Marks on the charts of an answer: ticks of a logarithmic axis, and places of names beside points."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

from iowatt.render import numbers

_STEPS: Final = ((1.0,), (1.0, 2.0, 5.0), (1.0, 2.0, 3.0, 5.0), (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0))
"""Ticks of a decade, from few to many."""
_FEWEST: Final = 4
_SIZES: Final = ((230.0, 220.0), (1030.0, 220.0))
"""Width and height of a chart in pixels, on a narrow screen and on a wide one."""
_ROUNDS: Final = 4
"""Each name is placed so often: beside those before it, then beside all."""
_WORSE: Final = 3.0
"""How much worse it is to cover a marker than a name."""
_LETTER: Final = 6.6
_LINE: Final = 14.0
_MARK: Final = 8.0
"""Half of a marker, with its distance to a name."""
_PLACES: Final = {
    "middle right": 0.0, "middle left": 5.0, "bottom center": 10.0, "top center": 10.0,
    "bottom right": 20.0, "top right": 20.0, "bottom left": 25.0, "top left": 25.0,
}  # fmt: skip
"""Places of a name, and the area of others that it may rather cover than go there."""

Box = tuple[float, float, float, float]
"""Left, top, right and bottom, in pixels."""


def ticks(values: Sequence[float], prefix: str = "") -> dict[str, Any]:
    """Round values over the range of positive ``values``, few enough for a narrow screen, and their texts."""
    low, high = min(values, default=1.0) / 1.2, max(values, default=1.0) * 1.2
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    found: list[float] = []
    for steps in _STEPS:
        found = [at for decade in decades for step in steps if low <= (at := step * 10.0**decade) <= high]
        if len(found) >= _FEWEST:
            break
    return {"tickvals": found, "ticktext": [f"{prefix}{numbers.figure(at)}" for at in found]}


def places(points: Sequence[tuple[float, float, str]]) -> list[str]:
    """Where the name of each point of a logarithmic chart goes: where it covers the least of the others."""
    charts = [_NamedPoints(points, *size) for size in _SIZES]
    chosen: dict[int, str] = {}
    for _ in range(_ROUNDS):
        for at in range(len(points)):
            costs = {
                place: rather + sum(one.cost(at, place) for one in charts)
                for place, rather in _PLACES.items()
            }
            chosen[at] = min(costs, key=lambda place: costs[place])
            for one in charts:
                one.names[at] = one.box(at, chosen[at])
    return [chosen[at] for at in range(len(points))]


class _NamedPoints:
    """Points on a chart of one size, and the names that have their places."""

    def __init__(self, points: Sequence[tuple[float, float, str]], width: float, height: float) -> None:
        self.width, self.height = width, height
        across = _along([x for x, _, _ in points], width)
        up = [height - one for one in _along([y for _, y, _ in points], height)]
        self.points = list(zip(across, up, (name for _, _, name in points), strict=True))
        self.markers = [(x - _MARK, y - _MARK, x + _MARK, y + _MARK) for x, y, _ in self.points]
        self.names: dict[int, Box] = {}

    def box(self, at: int, place: str) -> Box:
        """Where the name of a point lies."""
        x, y, name = self.points[at]
        vertical, horizontal = place.split()
        width = _LETTER * len(name)
        left = {"right": x + _MARK, "left": x - _MARK - width, "center": x - width / 2}[horizontal]
        top = {"top": y - _MARK - _LINE, "middle": y - _LINE / 2, "bottom": y + _MARK}[vertical]
        return left, top, left + width, top + _LINE

    def cost(self, at: int, place: str) -> float:
        """The area that a name there covers: of other markers and names, and beyond the axes."""
        box = self.box(at, place)
        markers = sum(_common(box, one) for number, one in enumerate(self.markers) if number != at)
        names = sum(_common(box, one) for number, one in self.names.items() if number != at)
        beyond = max(0.0, -box[0]) + max(0.0, box[2] - self.width)
        below = max(0.0, box[3] - self.height) * (box[2] - box[0])
        return _WORSE * markers + names + _LINE * beyond + below


def _along(values: Sequence[float], length: float) -> list[float]:
    """Positions in pixels along a logarithmic axis, with the margin that plotly.js leaves."""
    logs = [math.log10(one) for one in values]
    low = min(logs, default=0.0)
    span = max(logs, default=0.0) - low or 1.0
    return [(0.06 + 0.88 * (one - low) / span) * length for one in logs]


def _common(box: Box, other: Box) -> float:
    """The area that two boxes share."""
    across = min(box[2], other[2]) - max(box[0], other[0])
    down = min(box[3], other[3]) - max(box[1], other[1])
    return max(0.0, across) * max(0.0, down)
