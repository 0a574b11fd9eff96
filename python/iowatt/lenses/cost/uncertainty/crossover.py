"""Where the ranking of two systems changes along repetitions, years or one figure.

Totals are priced over a grid; where the difference of two changes its sign, ``root`` refines the place. Other
assumptions stay at their values; ``rerun`` finds the place again under draws of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import combinations
from typing import Final

import numpy as np

from iowatt.base.errors import InputError
from iowatt.lenses.book import Book
from iowatt.lenses.cost.pricing.case import Horizon
from iowatt.lenses.cost.pricing.total import Pricer
from iowatt.lenses.cost.result.uncertainty import (
    CheapestStretch,
    CostCrossing,
    CostCurve,
    Crossover,
    Elsewhere,
    PairCrossings,
    PlaceRange,
)
from iowatt.lenses.cost.uncertainty.cost_curve import AxisPricer, axis
from iowatt.lenses.cost.uncertainty.root import Function, flips
from iowatt.lenses.cost.uncertainty.sampling import (
    LEAST_DRAWS,
    Dollars,
    difference,
    total,
    varied,
    with_values,
)
from iowatt.lenses.cost.uncertainty.sampling import draws as drawn_values
from iowatt.lenses.cost.uncertainty.spread import rank

#: Draws of the other assumptions by default.
DRAWS: Final = 60


def crossovers(
    pricers: Mapping[str, Pricer],
    book: Book,
    horizon: Horizon,
    of: Sequence[str],
    *,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    pairs: Sequence[tuple[str, str]] | None = None,
    draws: int = DRAWS,
    seed: int = 1,
    work_s: Mapping[str, float] | None = None,
    dollars: Dollars = "present",
) -> list[Crossover]:
    """Where rankings change along each of ``of``: ``alpha``, ``years`` or a key of the book.

    Args:
        bounds: Lowest and highest value by what is varied, in its unit; by default those of ``axis``.
        pairs: Names of the systems compared; by default each later one with the first.
        draws: Draws of all other figures under which each place is found again; 0 for no range.
        work_s: Seconds of each system's work once, to give a place in alpha in years.

    Raises ``InputError`` where nothing along an axis can be priced, and as ``axis``.
    """
    laws = varied(pricers, book, horizon, dollars) if draws else ()
    totals = [total(pricer, book.changed({}), horizon, dollars).usd for pricer in pricers.values()]
    slowest = None if work_s is None else max(work_s[name] for name in pricers)
    first, *later = pricers
    compared = [(first, name) for name in later] if pairs is None else list(pairs)
    found = []
    for name in of:
        along = axis(
            name, book, horizon, (bounds or {}).get(name),
            largest_usd=max(map(abs, totals)), slowest_s=slowest,
        )  # fmt: skip
        others = [law for law in laws if law.key != name]
        under_draws = [
            AxisPricer(along, pricers, with_values(book, values), horizon, dollars)
            for values in (drawn_values(others, draws, seed) if others else ())
        ]
        course = AxisPricer(along, pricers, book, horizon, dollars)
        found.append(_crossover(course, under_draws, compared, work_s, seed))
    return found


def _crossover(
    course: AxisPricer,
    under_draws: Sequence[AxisPricer],
    compared: Sequence[tuple[str, str]],
    work_s: Mapping[str, float] | None,
    seed: int,
) -> Crossover:
    """All of one axis."""
    grid, ended_by = course.priceable()
    pairs = []
    for a, b in compared:
        crossings = _crossings(course, grid, a, b, work_s)
        direction = (1 if crossings[0].cheaper_above == a else -1) if crossings else None
        places = None
        if under_draws:
            places = rerun(
                under_draws, grid, (a, b), direction=direction, several=len(crossings) > 1, seed=seed
            )
        why = None if crossings else _why(course, grid, a, b)
        pairs.append(PairCrossings(a=a, b=b, crossings=crossings, why=why, range=places))
    flipped = [flip.at for a, b in combinations(course.names, 2) for flip in flips(course.apart(a, b), grid)]
    of = course.axis
    return Crossover(
        of=of.of, unit=of.unit, text=of.text, value=of.value, low=grid[0], high=grid[-1], ended_by=ended_by,
        dollars=course.dollars, axis=of.kind,
        course=CostCurve(at=grid, usd={name: [course.usd(name, at) for at in grid] for name in course.names}),
        cheapest=[
            CheapestStretch(start=start, until=end, system=name)
            for start, end, name in course.cheapest(grid, flipped)
        ],
        pairs=pairs,
    )  # fmt: skip


def _crossings(
    course: AxisPricer, grid: Sequence[float], a: str, b: str, work_s: Mapping[str, float] | None
) -> list[CostCrossing]:
    return [
        CostCrossing(
            at=flip.at, lower=flip.lower, upper=flip.upper, kind=flip.kind,
            cheaper_below=b if flip.direction > 0 else a, cheaper_above=a if flip.direction > 0 else b,
            usd_below=flip.below, usd_above=flip.above,
            also=list(elsewhere(course, (a, b), flip.at, work_s)),
        )
        for flip in flips(course.apart(a, b), grid)
    ]  # fmt: skip


def _why(course: AxisPricer, grid: Sequence[float], a: str, b: str) -> str:
    """What holds over the whole grid, which has no crossing."""
    apart = course.apart(a, b)
    sign = next((value for at in grid if (value := apart(at)) != 0.0), 0.0)
    span = f"from {grid[0]:g} to {grid[-1]:g}"
    moved = any(difference(course.usd(name, grid[0]), course.usd(name, at)) for name in (a, b) for at in grid)
    rests = "" if moved else "neither depends on it: "
    if sign == 0.0:
        return f"{rests}they cost the same throughout, {span}"
    return f"{rests}{a if sign > 0.0 else b} is cheaper throughout, {span}"


def elsewhere(
    course: AxisPricer, names: tuple[str, ...], at: float, work_s: Mapping[str, float] | None
) -> Iterator[Elsewhere]:
    """Years of each system at an ``alpha``, repetitions at ``years``, mean prices at an ``energy.factor``."""
    of = course.axis.of
    for name in names:
        if of == "alpha" and work_s is not None:
            years = Horizon("work", at).years(work_s[name])
            yield Elsewhere(text=f"time that {name} takes", value=years, unit="years")
        elif of == "years" and work_s is not None:
            repeats = Horizon("time", at).repeats(work_s[name])
            yield Elsewhere(text=f"repetitions of the work by {name}", value=repeats, unit="times")
        elif of == "energy.factor":
            price = course.usd_per_kwh(name, at)
            if price is not None:
                yield Elsewhere(text=f"mean price of energy and demand, {name}", value=price, unit="USD/kWh")


#: Relative precision of a place under a draw: few draws need no more.
CLOSE: Final = 5e-3


def rerun(
    pricers_by_draw: Sequence[AxisPricer],
    grid: Sequence[float],
    pair: tuple[str, str],
    *,
    direction: int | None,
    several: bool,
    seed: int,
) -> PlaceRange:
    """The range over draws of the first place where a ``pair``'s difference changes sign.

    ``direction`` is that of the place at the book's values (1: the second becomes dearer); with None any
    counts. Coarse points of ``grid`` are priced where there are ``several`` places, or both ends have the
    same sign; between ends of different signs there is a place.
    """
    places: list[float] = []
    otherwise = {"a": 0, "b": 0, "same": 0, "reversed": 0}
    for course in pricers_by_draw:
        place, other = _first(course, grid, pair, direction, several=several)
        if place is None:
            otherwise[other] += 1
        else:
            places.append(place)
    count = len(pricers_by_draw)
    ordered = np.sort(np.array(places, dtype=np.float64))
    p5, p50, p95 = (
        rank(ordered, share) if len(ordered) >= LEAST_DRAWS else None for share in (0.05, 0.50, 0.95)
    )
    shares: Mapping[str, float] = {name: times / count for name, times in otherwise.items()}
    return PlaceRange(
        draws=count, seed=seed, p5=p5, p50=p50, p95=p95, share_crossing=len(places) / count,
        share_a_cheaper=shares["a"], share_b_cheaper=shares["b"], share_same=shares["same"],
        share_reversed=shares["reversed"],
    )  # fmt: skip


def _first(
    course: AxisPricer, grid: Sequence[float], pair: tuple[str, str], direction: int | None, *, several: bool
) -> tuple[float | None, str]:
    """The first place in ``direction``, or what holds instead."""
    apart = course.apart(*pair)
    seen: list[float] = []

    def watched(at: float) -> float:
        seen.append(apart(at))
        return seen[-1]

    other = None
    # Under a draw what can be priced may end earlier.
    with suppress(InputError):
        looked_at: Iterable[float] = (grid[0], grid[-1])
        if several or watched(grid[0]) * watched(grid[-1]) >= 0.0:
            looked_at = _near(course, _coarse(course, grid), pair)
        elif course.axis.in_time:
            looked_at = _cell(watched, grid)
        for flip in flips(watched, looked_at, CLOSE):
            if direction in (None, flip.direction):
                return flip.at, ""
            other = "reversed"
    # Without a change all signs are the same.
    sign = next((value for value in seen if value != 0.0), 0.0)
    return None, other or ("same" if sign == 0.0 else "a" if sign > 0.0 else "b")


def _cell(function: Function, grid: Sequence[float]) -> tuple[float, ...]:
    """Neighbours of ``grid`` with different signs, where its ends differ; or a 0 between such.

    A new point in time is a new bill; those of the grid are known already.
    """
    start, end = 0, len(grid) - 1
    above = function(grid[end]) > 0.0
    while end - start > 1:
        middle = (start + end) // 2
        value = function(grid[middle])
        if value == 0.0:
            return grid[start], grid[middle], grid[end]
        if (value > 0.0) == above:
            end = middle
        else:
            start = middle
    return grid[start], grid[end]


def _coarse(course: AxisPricer, grid: Sequence[float]) -> tuple[float, ...]:
    """The axis's coarse points within ``grid``, and its ends."""
    inner = (at for at in course.axis.coarse if grid[0] < at < grid[-1])
    return grid[0], *inner, grid[-1]


def _near(course: AxisPricer, grid: Sequence[float], pair: tuple[str, str]) -> Iterator[float]:
    """The points of ``grid`` between which the ranking may change, in order.

    Costs are monotonic along an axis: where one system at two points costs less than the other at both,
    nothing changes between them.
    """
    stack = [(0, len(grid) - 1)]
    yield grid[0]
    while stack:
        start, end = stack.pop()
        a, b = ([course.usd(name, grid[index]) for index in (start, end)] for name in pair)
        if end - start == 1 or max(a) < min(b) or max(b) < min(a):
            yield grid[end]
        else:
            middle = (start + end) // 2
            stack += [(middle, end), (start, middle)]
