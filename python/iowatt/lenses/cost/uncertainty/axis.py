"""What a crossover is looked for along: how long (alpha, years), or one figure of the book, and how far."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal

from iowatt.base.errors import Argument, InputError
from iowatt.base.problems import nearest
from iowatt.lenses.cost.book.book import Book
from iowatt.lenses.cost.book.keys import KEYS, Key, known
from iowatt.lenses.cost.horizon import Horizon
from iowatt.lenses.cost.uncertainty.pricing import with_values
from iowatt.lenses.wear import SECONDS_PER_YEAR

#: How far is looked where nothing is said: from a day or the work once up to so many years, or to twice the
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
class Axis:
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
) -> Axis:
    """The axis of ``alpha``, ``years`` or a numeric key, within ``bounds`` or those that suit it.

    ``largest_usd`` is the dearest system's total, which tells how far to go with a figure that is 0;
    ``slowest_s`` is how long the slowest one takes for the work once, which tells how often is too often.
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
    return Axis(of, unit, text, value, low, high, kind, fine, grid[::step])


def _rule(key: str) -> Key:
    rule = known(key)
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
    # What the book does not have at all (a model's own price) is better not tried at nothing.
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
