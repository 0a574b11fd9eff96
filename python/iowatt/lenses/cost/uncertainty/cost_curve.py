"""What systems cost along an assumption: how long (alpha, years) or one figure of the book."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

from iowatt.base.errors import Argument, InputError
from iowatt.base.problems import nearest
from iowatt.lenses.cost.book.book import Book
from iowatt.lenses.cost.book.keys import KEYS, BookKey, key_rule
from iowatt.lenses.cost.pricing.case import Horizon
from iowatt.lenses.cost.pricing.total import Pricer
from iowatt.lenses.cost.uncertainty.root import boundary
from iowatt.lenses.cost.uncertainty.sampling import SAME, Dollars, difference, total, with_values
from iowatt.lenses.wear import SECONDS_PER_YEAR

#: Bounds where none are given: from a day or the work once up to so many years, or to twice the
#: horizon where that is more; and of a figure from a hundredth to a hundred times its value, within what its
#: key may be.
LONGEST_YEARS: Final = 30.0
SHORTEST_YEARS: Final = 1.0 / 365.0
MOST_REPEATS: Final = 1e8
FAR: Final = 100.0
#: Least of a figure that the book does not have, over the most of it.
SMALLEST: Final = 1e-6
#: Points of a factor of ten; more where time passes, because there costs jump.
POINTS: Final = 24
POINTS_IN_TIME: Final = 48
#: Points of a linear axis.
LINEAR_POINTS: Final = 96
#: Of those, every so-manieth is enough for a draw.
COARSE: Final = 6
COARSE_IN_TIME: Final = 12

_TIME: Final = {
    "alpha": ("", "how often the same work is done"),
    "years": ("years", "how long the work goes on"),
}


@dataclass(frozen=True)
class CostAxis:
    """An assumption, the bounds that it is varied within, and the points that are looked at first."""

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
        """Whether it is how long the work goes on."""
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
    """The axis of ``alpha``, ``years`` or a numeric key, within ``bounds`` or those that suit it.

    ``largest_usd`` is the dearest system's total, which bounds a figure that is 0;
    ``slowest_s`` is how long the slowest one takes for the work once, which bounds the repetitions.
    Raises ``InputError``: no such key, a key of words, bounds out of order or beyond what a key may be.
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
    """Bounds of a horizon where none are given."""
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
    """Bounds of a figure where none are given."""
    if value is not None and value > 0.0:
        # A figure that has a natural least other than 0 (PUE) is looked at from there on.
        return max(value / FAR, least), min(value * FAR, most)
    high = most if math.isfinite(most) else 10.0 * (top if top > 0.0 else max(largest_usd, 1.0))
    # A figure that the book lacks (a model's own price) is not tried at 0.
    return max(least, high * SMALLEST) if value is None else least, high


def _grid(low: float, high: float, kind: str, points: int, step: int) -> tuple[float, ...]:
    """Points from ``low`` to ``high``, both among them, a multiple of ``step`` and one."""
    if kind == "log":
        cells = step * max(math.ceil(points * math.log10(high / low) / step - 1e-9), 2)
        inner = [low * (high / low) ** (index / cells) for index in range(1, cells)]
    else:
        cells = LINEAR_POINTS
        inner = [low + (high - low) * index / cells for index in range(1, cells)]
    return (low, *inner, high)


#: How near the end of what can be priced is found, over itself.
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
        found = self._known.get((name, at))
        if found is None:
            book, horizon = self.axis.put(self._book, self._horizon, at)
            found = total(self._pricers[name], book, horizon, self.dollars).usd
            self._known[name, at] = found
        return found

    def usd_per_kwh(self, name: str, at: float) -> float | None:
        """Charges for energy and demand over the kWh: what ``energy.factor`` multiplies. None without any."""
        book, horizon = self.axis.put(self._book, self._horizon, at)
        components = self._pricers[name](book, horizon).components
        kwh = math.fsum(one.quantity or 0.0 for one in components if one.key == "energy")
        usd = math.fsum(one.usd for one in components if one.group in ("energy", "demand"))
        return usd / kwh if kwh > 0.0 else None

    def apart(self, a: str, b: str) -> Callable[[float], float]:
        """``b - a`` as a function of the assumption; 0 where they are the same but for rounding."""
        return lambda at: difference(self.usd(a, at), self.usd(b, at))

    def priceable(self) -> tuple[tuple[float, ...], str | None]:
        """The part of the axis's grid that all systems can be priced over, and why it ends before the axis.

        It is the part around the value in force, else the lowest one; its ends are as far as it goes.
        Raises the first ``InputError`` where there is none.
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
        """Who is the cheapest from where to where over ``grid``.

        Between neighbours of ``changes`` no ranking flips. Of systems that cost the same it is the one that
        was the cheapest before, else the first.
        """
        cuts = sorted({grid[0], grid[-1], *(at for at in changes if grid[0] < at < grid[-1])})
        found: list[tuple[float, float, str]] = []
        for start, end in pairwise(cuts):
            middle = (start * end) ** 0.5 if self.axis.kind == "log" else 0.5 * (start + end)
            usd = {name: self.usd(name, middle) for name in self._pricers}
            least = min(usd.values())
            same = SAME * max(abs(value) for value in usd.values())
            among = [name for name, value in usd.items() if value - least <= same]
            if found and found[-1][2] in among:
                found[-1] = (found[-1][0], end, found[-1][2])
            else:
                found.append((start, end, among[0]))
        return tuple(found)

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
    """From where until where ``flags`` hold, one after another."""
    start: int | None = None
    for index, flag in enumerate([*flags, False]):
        if flag and start is None:
            start = index
        elif not flag and start is not None:
            yield start, index
            start = None
