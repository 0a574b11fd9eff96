"""Where the ranking of two systems flips: along the work's repetitions, along time, along one figure.

Totals are priced over a grid; wherever the difference of two changes its sign, the place is found by
``root``. Other assumptions stay at their values, and ``rerun`` finds the place again under draws of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Final

from iowatt.lenses.cost.book.book import Book
from iowatt.lenses.cost.horizon import Horizon
from iowatt.lenses.cost.result import CheapestStretch, Crossing, Crossover, Pair
from iowatt.lenses.cost.result import Course as Totals
from iowatt.lenses.cost.uncertainty.axis import axis
from iowatt.lenses.cost.uncertainty.cost_curve import Course
from iowatt.lenses.cost.uncertainty.equivalents import elsewhere
from iowatt.lenses.cost.uncertainty.pricing import Dollars, Pricer, difference, total, with_values
from iowatt.lenses.cost.uncertainty.rerun import rerun
from iowatt.lenses.cost.uncertainty.root import flips
from iowatt.lenses.cost.uncertainty.sampling import draws as drawn_values
from iowatt.lenses.cost.uncertainty.sampling import varied

#: Draws of the other assumptions where nothing is said.
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
    """Where rankings flip along each of ``of``: ``alpha``, ``years`` or a key of the book.

    Parameters
    ----------
    bounds:
        How far is looked, by what is varied, in its unit; ``axis`` says how far where nothing is given.
    pairs:
        Names of the systems compared; each later one with the first where None.
    draws:
        How often each is solved again under draws of all other figures; 0 for no range.
    work_s:
        Seconds that each system's work takes once, so that a place in alpha can be told in years.

    Raises ``InputError`` where nothing along an axis can be priced, and for what ``axis`` refuses.
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
            Course(along, pricers, with_values(book, values), horizon, dollars)
            for values in (drawn_values(others, draws, seed) if others else ())
        ]
        course = Course(along, pricers, book, horizon, dollars)
        found.append(_crossover(course, under_draws, compared, work_s, seed))
    return found


def _crossover(
    course: Course,
    under_draws: Sequence[Course],
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
        pairs.append(Pair(a=a, b=b, crossings=crossings, why=why, range=places))
    flipped = [flip.at for a, b in combinations(course.names, 2) for flip in flips(course.apart(a, b), grid)]
    of = course.axis
    return Crossover(
        of=of.of, unit=of.unit, text=of.text, value=of.value, low=grid[0], high=grid[-1], ended_by=ended_by,
        dollars=course.dollars, axis=of.kind,
        course=Totals(at=grid, usd={name: [course.usd(name, at) for at in grid] for name in course.names}),
        cheapest=[
            CheapestStretch(start=start, until=end, system=name)
            for start, end, name in course.cheapest(grid, flipped)
        ],
        pairs=pairs,
    )  # fmt: skip


def _crossings(
    course: Course, grid: Sequence[float], a: str, b: str, work_s: Mapping[str, float] | None
) -> list[Crossing]:
    return [
        Crossing(
            at=flip.at, lower=flip.lower, upper=flip.upper, kind=flip.kind,
            cheaper_below=b if flip.direction > 0 else a, cheaper_above=a if flip.direction > 0 else b,
            usd_below=flip.below, usd_above=flip.above,
            also=list(elsewhere(course, (a, b), flip.at, work_s)),
        )
        for flip in flips(course.apart(a, b), grid)
    ]  # fmt: skip


def _why(course: Course, grid: Sequence[float], a: str, b: str) -> str:
    """What holds over the whole grid, there being no crossing."""
    apart = course.apart(a, b)
    sign = next((value for at in grid if (value := apart(at)) != 0.0), 0.0)
    span = f"from {grid[0]:g} to {grid[-1]:g}"
    moved = any(difference(course.usd(name, grid[0]), course.usd(name, at)) for name in (a, b) for at in grid)
    rests = "" if moved else "neither rests on it: "
    if sign == 0.0:
        return f"{rests}they cost the same throughout, {span}"
    return f"{rests}{a if sign > 0.0 else b} is cheaper throughout, {span}"
