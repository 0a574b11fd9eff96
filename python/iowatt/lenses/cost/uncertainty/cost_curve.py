"""What systems cost along an axis, each point priced once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise

from iowatt.base.errors import InputError
from iowatt.lenses.cost.book.book import Book
from iowatt.lenses.cost.horizon import Horizon
from iowatt.lenses.cost.uncertainty.axis import Axis
from iowatt.lenses.cost.uncertainty.pricing import SAME, Dollars, Pricer, difference, total
from iowatt.lenses.cost.uncertainty.root import boundary

#: How near the end of what can be priced is found, over itself.
END = 1e-3


class Course:
    """Totals of systems along an axis, under one book and (where that is not the axis) one horizon."""

    def __init__(
        self, axis: Axis, pricers: Mapping[str, Pricer], book: Book, horizon: Horizon, dollars: Dollars
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
        said = dict.fromkeys(error.message for error in reasons if error is not None)
        return tuple(dict.fromkeys(points)), "; ".join(said) or None

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
