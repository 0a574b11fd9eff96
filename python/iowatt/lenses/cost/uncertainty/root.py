"""Sign changes of a function of one number: on a grid first, then refined between two of its points.

Costs jump: one more drive is bought on one day, one more month begins. So the refinement (inverse quadratic
interpolation where the function is smooth, else bisection: Chandrupatla 1997) always keeps a bracket; the
final bracket tells a crossing from a jump.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

Function = Callable[[float], float]
#: An argument and the function's value there.
Point = tuple[float, float]

#: Width to which a bracket is closed, over its upper end.
CLOSE: Final = 1e-9
#: Share of the change over a cell of the grid that, left over a closed bracket, is a jump.
JUMP: Final = 1e-5
_LONGEST: Final = 200


@dataclass(frozen=True)
class Flip:
    """A change of sign between ``lower`` and ``upper``.

    ``cross``: the function is 0 at ``at``, which equals both ends. ``jump``: it changes at once between the
    ends, which are as close as can be resolved. ``tie``: it is 0 from ``lower`` to ``upper``. ``at`` is the
    upper end.
    """

    at: float
    lower: float
    upper: float
    kind: Literal["cross", "jump", "tie"]
    #: The function on both sides; 0 at a cross and a tie.
    below: float
    above: float
    #: 1 from negative to positive, -1 from positive to negative.
    direction: int


def flips(function: Function, grid: Iterable[float], close: float = CLOSE) -> Iterator[Flip]:
    """Sign changes over a rising ``grid``, in order; two changes within a cell go unseen."""
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
    """Two points next to a sign change, from two points with different signs.

    They coincide where the function is 0; otherwise they are at most ``close`` x the upper one apart.
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
    """The next argument, as a share of the way from the newest point to the other (Chandrupatla)."""
    (x1, f1), (x2, f2), (x3, f3) = newest, other, before
    xi = (x1 - x2) / (x3 - x2)
    phi = (f1 - f2) / (f3 - f2)
    if phi**2 < xi and (1.0 - phi) ** 2 < 1.0 - xi:
        return f1 / (f2 - f1) * f3 / (f2 - f3) + (x3 - x1) / (x2 - x1) * f1 / (f3 - f1) * f2 / (f3 - f2)
    return 0.5


def boundary(
    holds: Callable[[float], bool], inside: float, outside: float, close: float
) -> tuple[float, float]:
    """The last argument where ``holds`` and the first where it does not, by bisection."""
    for _ in range(_LONGEST):
        if abs(outside - inside) <= close * max(abs(inside), abs(outside)):
            break
        middle = 0.5 * (inside + outside)
        if holds(middle):
            inside = middle
        else:
            outside = middle
    return inside, outside
