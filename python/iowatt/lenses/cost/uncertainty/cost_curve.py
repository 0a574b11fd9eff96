"""Costs of systems along an assumption: the horizon (alpha, years) or a figure of the book."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

from iowatt.base.errors import Argument, InputError
from iowatt.base.problems import nearest
from iowatt.lenses.book import KEYS, Book, BookKey, key_rule
from iowatt.lenses.cost.pricing.case import Horizon
from iowatt.lenses.cost.pricing.total import Pricer
from iowatt.lenses.cost.uncertainty.root import boundary
from iowatt.lenses.cost.uncertainty.sampling import SAME, Dollars, difference, total, with_values
from iowatt.lenses.wear import SECONDS_PER_YEAR

#: Default bounds. Time: from a day, or the work once, to so many years, or twice the horizon if more. A
#: figure: from a hundredth to a hundred times its value, within the limits of its key.
LONGEST_YEARS: Final = 30.0
SHORTEST_YEARS: Final = 1.0 / 365.0
MOST_REPEATS: Final = 1e8
FAR: Final = 100.0
#: Least of a figure that the book does not have, over the most of it.
SMALLEST: Final = 1e-6
#: Points per factor of ten; more along time, where costs jump.
POINTS: Final = 24
POINTS_IN_TIME: Final = 48
#: Points of a linear axis.
LINEAR_POINTS: Final = 96
#: Every so many of these points are enough for a draw.
COARSE: Final = 6
COARSE_IN_TIME: Final = 12

_TIME: Final = {
    "alpha": ("", "how often the same work is done"),
    "years": ("years", "how long the work goes on"),
}


@dataclass(frozen=True)
class CostAxis:
    """An assumption with its bounds and the points that are priced first."""

    of: str
    unit: str
    text: str
    #: In force; None where nothing is.
    value: float | None
    low: float
    high: float
    kind: Literal["log", "linear"]
    grid: tuple[float, ...]
    #: A part of ``grid``, its ends included.
    coarse: tuple[float, ...]

    @property
    def in_time(self) -> bool:
        """Whether it is the horizon."""
        return self.of in _TIME

    def put(self, book: Book, horizon: Horizon, at: float) -> tuple[Book, Horizon]:
        """The book and the horizon with the assumption at ``at``."""
        if self.of == "alpha":
            return book, Horizon("work", at)
        if self.of == "years":
            return book, Horizon("time", at)
        return with_values(book, {self.of: at}), horizon


def axis(
    of: str,
    book: Book,
    horizon: Horizon,
    bounds: tuple[float, float] | None,
    *,
    largest_usd: float,
    slowest_s: float | None,
) -> CostAxis:
    """The axis of ``alpha``, ``years`` or a numeric key, within ``bounds`` or default ones.

    ``largest_usd``, the highest total, bounds a figure that is 0; ``slowest_s``, the longest time of the work
    once, bounds repetitions. Raises ``InputError``: an unknown key, a key of words, bounds that are not
    accepted.
    """
    if of in _TIME:
        unit, text = _TIME[of]
        value = horizon.amount if horizon.basis == ("work" if of == "alpha" else "time") else None
        least, most = (1.0 if of == "alpha" else 0.0), math.inf
        suits = _suiting_time(of, value, slowest_s)
        points, step = POINTS_IN_TIME, COARSE_IN_TIME
    else:
        rule = _rule(of)
        unit, text, least, most = rule.unit, rule.text, rule.low, rule.high
        value = book.number(of) if of in book.figures else None
        suits = _suiting(value, _top(book, of), least, most, largest_usd)
        points, step = POINTS, COARSE
    low, high = suits if bounds is None else bounds
    if not least <= low < high <= most or not math.isfinite(high):
        raise InputError(
            "out-of-range",
            Argument("crossover", of),
            f"{low:g} to {high:g} is not a range; expected two rising numbers from {least:g} to {most:g}",
        )
    kind: Literal["log", "linear"] = "log" if low > 0.0 and high > 2.0 * low else "linear"
    grid = _grid(low, high, kind, points, step)
    fine = grid if value is None or not low < value < high else tuple(sorted({*grid, value}))
    return CostAxis(of, unit, text, value, low, high, kind, fine, grid[::step])


def _rule(key: str) -> BookKey:
    rule = key_rule(key)
    if rule is None or rule.words or rule.any_word:
        near = nearest(key, ["alpha", "years", *(one.pattern for one in KEYS if not one.words)])
        raise InputError(
            "unknown-name" if rule is None else "not-applicable",
            Argument("crossover", key),
            f"{key!r} cannot be varied; expected alpha, years or an assumption that is a number",
            hint=near and f"did you mean {near!r}?",
        )
    return rule


def _suiting_time(of: str, value: float | None, slowest_s: float | None) -> tuple[float, float]:
    """Default bounds of a horizon."""
    if of == "years":
        low, high = SHORTEST_YEARS, LONGEST_YEARS
    else:
        low, high = 1.0, MOST_REPEATS
        if slowest_s is not None:
            high = max(min(high, LONGEST_YEARS * SECONDS_PER_YEAR / slowest_s), 2.0)
    return low, high if value is None else max(high, 2.0 * value)


def _top(book: Book, key: str) -> float:
    figure = book.figures.get(key)
    return 0.0 if figure is None or figure.high is None else figure.high


def _suiting(
    value: float | None, top: float, least: float, most: float, largest_usd: float
) -> tuple[float, float]:
    """Default bounds of a figure."""
    if value is not None and value > 0.0:
        # A figure with a natural minimum above 0 (PUE) begins there.
        return max(value / FAR, least), min(value * FAR, most)
    high = most if math.isfinite(most) else 10.0 * (top if top > 0.0 else max(largest_usd, 1.0))
    # A figure that the book lacks (a model's price) does not begin at 0.
    return max(least, high * SMALLEST) if value is None else least, high


def _grid(low: float, high: float, kind: str, points: int, step: int) -> tuple[float, ...]:
    """Points from ``low`` to ``high`` inclusive; their number is a multiple of ``step``, plus one."""
    if kind == "log":
        cells = step * max(math.ceil(points * math.log10(high / low) / step - 1e-9), 2)
        inner = [low * (high / low) ** (index / cells) for index in range(1, cells)]
    else:
        cells = LINEAR_POINTS
        inner = [low + (high - low) * index / cells for index in range(1, cells)]
    return (low, *inner, high)


#: Relative precision of the end of what can be priced.
END = 1e-3


class AxisPricer:
    """Totals of systems along an axis, under one book and (where that is not the axis) one horizon."""

    def __init__(
        self, axis: CostAxis, pricers: Mapping[str, Pricer], book: Book, horizon: Horizon, dollars: Dollars
    ) -> None:
        self.axis = axis
        self.names = tuple(pricers)
        self._pricers = pricers
        self._book = book
        self._horizon = horizon
        self.dollars: Dollars = dollars
        self._known: dict[tuple[str, float], float] = {}

    def usd(self, name: str, at: float) -> float:
        """The total of a system with the assumption at ``at``. Raises ``InputError`` where it has none."""
        if (name, at) not in self._known:
            book, horizon = self.axis.put(self._book, self._horizon, at)
            self._known[name, at] = total(self._pricers[name], book, horizon, self.dollars).usd
        return self._known[name, at]

    def usd_per_kwh(self, name: str, at: float) -> float | None:
        """Energy and demand charges per kWh, which ``energy.factor`` multiplies; None of 0 kWh."""
        book, horizon = self.axis.put(self._book, self._horizon, at)
        components = self._pricers[name].components(book, horizon)
        kwh = math.fsum(one.quantity or 0.0 for one in components if one.key == "energy")
        usd = math.fsum(one.usd for one in components if one.group in ("energy", "demand"))
        return usd / kwh if kwh > 0.0 else None

    def apart(self, a: str, b: str) -> Callable[[float], float]:
        """``b - a`` as a function of the assumption; 0 where they are equal but for rounding."""
        return lambda at: difference(self.usd(a, at), self.usd(b, at))

    def priceable(self) -> tuple[tuple[float, ...], str | None]:
        """The part of the grid over which all systems can be priced, and why it ends before the axis.

        It is the part around the value in force, else the lowest. Raises the first ``InputError`` where there
        is none.
        """
        grid = self.axis.grid
        wrong = [self._wrong(at) for at in grid]
        runs = list(_runs([message is None for message in wrong]))
        if not runs:
            raise next(error for error in wrong if error is not None)
        value = self.axis.value
        start, end = next(
            (run for run in runs if value is not None and grid[run[0]] <= value <= grid[run[1] - 1]), runs[0]
        )
        points = list(grid[start:end])
        reasons = []
        if start > 0:
            reasons.append(wrong[start - 1])
            points.insert(0, self._end(grid[start], grid[start - 1]))
        if end < len(grid):
            reasons.append(wrong[end])
            points.append(self._end(grid[end - 1], grid[end]))
        messages = dict.fromkeys(error.message for error in reasons if error is not None)
        return tuple(dict.fromkeys(points)), "; ".join(messages) or None

    def cheapest(
        self, grid: Sequence[float], changes: Sequence[float]
    ) -> tuple[tuple[float, float, str], ...]:
        """The stretches of ``grid`` with the cheapest system of each.

        The ranking changes only at ``changes``. Of equal systems the one that was the cheapest before counts,
        else the first.
        """
        cuts = sorted({grid[0], grid[-1], *(at for at in changes if grid[0] < at < grid[-1])})
        stretches: list[tuple[float, float, str]] = []
        for start, end in pairwise(cuts):
            middle = (start * end) ** 0.5 if self.axis.kind == "log" else 0.5 * (start + end)
            usd = {name: self.usd(name, middle) for name in self._pricers}
            least = min(usd.values())
            same = SAME * max(abs(value) for value in usd.values())
            among = [name for name, value in usd.items() if value - least <= same]
            if stretches and stretches[-1][2] in among:
                stretches[-1] = (stretches[-1][0], end, stretches[-1][2])
            else:
                stretches.append((start, end, among[0]))
        return tuple(stretches)

    def _wrong(self, at: float) -> InputError | None:
        try:
            for name in self._pricers:
                self.usd(name, at)
        except InputError as error:
            return error
        return None

    def _end(self, inside: float, outside: float) -> float:
        return boundary(lambda at: self._wrong(at) is None, inside, outside, END)[0]


def _runs(flags: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """Start and end of each run of true ``flags``."""
    start: int | None = None
    for index, flag in enumerate([*flags, False]):
        if flag and start is None:
            start = index
        elif not flag and start is not None:
            yield start, index
            start = None
