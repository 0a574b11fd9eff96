"""Where a function of one number changes its sign: on a grid first, then between two of its points.

Costs are not smooth: a drive more is bought on one day, a month more is begun. So the refinement (inverse
quadratic interpolation where the function is tame, bisection where it is not: Chandrupatla 1997) always keeps
a bracket, and what is left of it says whether the function crosses or jumps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

Function = Callable[[float], float]
#: A place and the function there.
Point = tuple[float, float]

#: Width to which a bracket is closed, over its upper end.
CLOSE: Final = 1e-9
#: Of what changes over a cell of the grid, so much left over a closed bracket is a jump.
JUMP: Final = 1e-5
_LONGEST: Final = 200


@dataclass(frozen=True)
class Flip:
    """A change of sign between ``lower`` and ``upper``.

    ``cross``: it is 0 at ``at`` (which both ends are). ``jump``: it changes all at once, somewhere between
    the two, which are as near as they could be told apart; ``at`` is the upper one. ``tie``: it is 0 from
    ``lower`` to ``upper``; ``at`` is the upper one, from which the sign is the new one.
    """

    at: float
    lower: float
    upper: float
    kind: Literal["cross", "jump", "tie"]
    #: The function on both sides; 0 at a cross and a tie.
    below: float
    above: float
    #: From below 0 to above it (1), or the other way (-1).
    direction: int


def flips(function: Function, grid: Iterable[float], close: float = CLOSE) -> Iterator[Flip]:
    """Changes of sign over a rising ``grid``, in order; two between neighbours of it go unseen."""
    last: Point | None = None
    zeros: list[float] = []
    for x in grid:
        value = function(x)
        if value == 0.0:
            zeros.append(x)
            continue
        if last is not None and (value > 0.0) != (last[1] > 0.0):
            yield _flip(function, last, zeros, (x, value), close)
        last, zeros = (x, value), []


def _flip(function: Function, low: Point, zeros: Sequence[float], high: Point, close: float) -> Flip:
    direction = 1 if high[1] > 0.0 else -1
    if len(zeros) == 1:
        return Flip(zeros[0], zeros[0], zeros[0], "cross", 0.0, 0.0, direction)
    if zeros:
        lower = boundary(lambda x: function(x) != 0.0, low[0], zeros[0], close)[1]
        upper = boundary(lambda x: function(x) == 0.0, zeros[-1], high[0], close)[0]
        return Flip(upper, lower, upper, "tie", 0.0, 0.0, direction)
    below, above = refine(function, low, high, close)
    if below[0] == above[0]:
        return Flip(below[0], below[0], below[0], "cross", 0.0, 0.0, direction)
    if abs(above[1] - below[1]) > JUMP * abs(high[1] - low[1]):
        return Flip(above[0], below[0], above[0], "jump", below[1], above[1], direction)
    at = min(below, above, key=lambda point: abs(point[1]))[0]
    return Flip(at, at, at, "cross", 0.0, 0.0, direction)


def refine(function: Function, low: Point, high: Point, close: float) -> tuple[Point, Point]:
    """The points (x, function) next to a change of sign, from two with different signs.

    They are one and the same where the function is 0; else at most ``close`` x the upper one apart.
    """
    (x1, f1), (x2, f2) = high, low
    share = 0.5
    for _ in range(_LONGEST):
        x = x1 + share * (x2 - x1)
        f = function(x)
        if f == 0.0:
            return (x, 0.0), (x, 0.0)
        # x1 is the newest, x2 has the other sign, x3 is what the newest replaced.
        if (f > 0.0) == (f1 > 0.0):
            x3, f3 = x1, f1
        else:
            x3, f3, x2, f2 = x2, f2, x1, f1
        x1, f1 = x, f
        width = abs(x2 - x1)
        aim = close * max(abs(x1), abs(x2))
        if width <= aim:
            break
        share = min(max(_step((x1, f1), (x2, f2), (x3, f3)), 0.5 * aim / width), 1.0 - 0.5 * aim / width)
    points = sorted([(x1, f1), (x2, f2)])
    return points[0], points[1]


def _step(newest: Point, other: Point, before: Point) -> float:
    """Where to look next, as a share of the way from the newest to the other one: Chandrupatla's choice."""
    (x1, f1), (x2, f2), (x3, f3) = newest, other, before
    xi = (x1 - x2) / (x3 - x2)
    phi = (f1 - f2) / (f3 - f2)
    if phi**2 < xi and (1.0 - phi) ** 2 < 1.0 - xi:
        return f1 / (f2 - f1) * f3 / (f2 - f3) + (x3 - x1) / (x2 - x1) * f1 / (f3 - f1) * f2 / (f3 - f2)
    return 0.5


def boundary(
    holds: Callable[[float], bool], inside: float, outside: float, close: float
) -> tuple[float, float]:
    """The last place where ``holds`` and the first where it does not, by bisection between the two."""
    for _ in range(_LONGEST):
        if abs(outside - inside) <= close * max(abs(inside), abs(outside)):
            break
        middle = 0.5 * (inside + outside)
        if holds(middle):
            inside = middle
        else:
            outside = middle
    return inside, outside
