"""Figures to be varied, their distributions, and draws of all of them: a Latin hypercube.

A book gives a likely range and a value. A triangular distribution over the range with the value as its mode
is the usual choice in risk analysis (Johnson 1997, "The triangular distribution as a proxy for the beta
distribution"). A range of more than a factor of ten is taken on a logarithmic scale, or its upper end would
outweigh the rest.

In ``n`` draws each figure has one value in each n-th of its distribution, in random order (McKay, Beckman and
Conover 1979): means are more precise than with as many independent draws. Each figure has its own random
stream, from the seed and its key, so another figure changes no draw of the others, and the order of figures
and systems does not matter.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from iowatt.base.errors import Argument, InputError
from iowatt.lenses.book import Book, BookFigure, key_rule
from iowatt.lenses.cost.pricing.case import Horizon
from iowatt.lenses.cost.pricing.component import GROUPS, Group
from iowatt.lenses.cost.pricing.total import Pricer
from iowatt.lenses.cost.result.uncertainty import DrawnFigure

Floats = NDArray[np.float64]

#: The factor between the ends of a range above which it is taken on a logarithmic scale.
WIDE = 10.0


@dataclass(frozen=True)
class FigureDistribution:
    """The distribution of one figure from ``low`` to ``high`` with its ``mode``, in the key's unit."""

    key: str
    kind: Literal["triangular", "log-triangular"]
    low: float
    mode: float
    high: float

    def quantile(self, share: Floats) -> Floats:
        """The quantiles of ``share`` (0 to 1, any shape)."""
        if self.kind == "triangular":
            values = _triangular(share, self.low, self.mode, self.high)
        else:
            values = np.exp(_triangular(share, *map(math.log, (self.low, self.mode, self.high))))
        return np.clip(values, self.low, self.high)

    def result(self) -> DrawnFigure:
        """A row of ``uncertainty.figures`` of ``iowatt.cost/1``."""
        unit, text = unit_and_text(self.key)
        return DrawnFigure(
            key=self.key, unit=unit, text=text, law=self.kind, low=self.low, mode=self.mode, high=self.high
        )


def law_of(figure: BookFigure) -> FigureDistribution | None:
    """The distribution of a figure; None for a word, and without a range."""
    if isinstance(figure.value, str):
        return None
    low = figure.value if figure.low is None else figure.low
    high = figure.value if figure.high is None else figure.high
    # A value that was set, or found by a search, may lie outside the range of the figure it replaces.
    low, high = min(low, figure.value), max(high, figure.value)
    if not low < high:
        return None
    wide = low > 0.0 and high > WIDE * low
    return FigureDistribution(figure.key, "log-triangular" if wide else "triangular", low, figure.value, high)


def unit_and_text(key: str) -> tuple[str, str]:
    """Unit and meaning of a key."""
    rule = key_rule(key)
    return ("", "") if rule is None else (rule.unit, rule.text)


def _triangular(share: Floats, low: float, mode: float, high: float) -> Floats:
    """The inverse of the triangular distribution function."""
    width = high - low
    below = low + np.sqrt(share * width * (mode - low))
    above = high - np.sqrt((1.0 - share) * width * (high - mode))
    values: Floats = np.where(share * width < mode - low, below, above)
    return values


#: ``present``: later dollars are discounted by ``discount.rate``. ``paid``: they are not.
Dollars = Literal["present", "paid"]

RATE = "discount.rate"
#: Relative difference of totals up to which they are equal but for rounding.
SAME = 1e-9


@dataclass(frozen=True)
class Total:
    """A system's dollars in total and by group, without groups that have no component."""

    usd: float
    groups: Mapping[Group, float]


def rate_of(book: Book, dollars: Dollars) -> float:
    """The yearly discount rate; 0 where the book has none."""
    return book.number(RATE) if dollars == "present" and book.find(RATE) is not None else 0.0


def total(pricer: Pricer, book: Book, horizon: Horizon, dollars: Dollars) -> Total:
    """The dollars of one pricing."""
    components = pricer.components(book, horizon)
    rate = rate_of(book, dollars)
    groups: dict[Group, float] = {}
    for component in components:
        groups[component.group] = groups.get(component.group, 0.0) + component.present(rate)
    shown = {group: groups[group] for group in GROUPS if group in groups}
    return Total(sum(shown.values()), shown)


def difference(a_usd: float, b_usd: float) -> float:
    """``b - a``; 0 where they are equal but for rounding."""
    apart = b_usd - a_usd
    return 0.0 if abs(apart) <= SAME * max(abs(a_usd), abs(b_usd)) else apart


def with_values(book: Book, values: Mapping[str, float]) -> Book:
    """The book with other values, including keys that it lacks, and nothing used yet."""
    new = {key: value for key, value in values.items() if key not in book.figures}
    if not new:
        return book.changed(values)
    figures = dict(book.figures) | {
        key: BookFigure(key=key, value=value, source="varied", quality="given") for key, value in new.items()
    }
    return replace(book, figures=figures).changed(values)


#: Fewest draws that tell the 5 % quantiles.
LEAST_DRAWS = 20


def varied(
    pricers: Mapping[str, Pricer], book: Book, horizon: Horizon, dollars: Dollars
) -> tuple[FigureDistribution, ...]:
    """Distributions of the figures with a range that any pricer uses, sorted by key.

    Which figures are used may depend on others (a carbon price of 0 needs no emissions of the grid), so all
    systems are priced at the values, the low ends and the high ends until no new figure is used.
    """
    laws: dict[str, FigureDistribution] = {}
    used: set[str] = set()
    while True:
        probes = [
            {}, {law.key: law.low for law in laws.values()}, {law.key: law.high for law in laws.values()}
        ]  # fmt: skip
        for probe in probes:
            probed = book.changed(probe)
            for pricer in pricers.values():
                pricer(probed, horizon)
            rate_of(probed, dollars)
            used |= probed.used.keys()
        known, laws = laws, {key: law for key in sorted(used) if (law := law_of(book.figures[key]))}
        if laws.keys() == known.keys():
            return tuple(laws.values())


def draws(laws: Sequence[FigureDistribution], count: int, seed: int) -> list[dict[str, float]]:
    """``count`` sets of values by key; a seed gives a key the same values whatever the other keys.

    Raises ``InputError`` for fewer than ``LEAST_DRAWS``, or a negative seed.
    """
    if count < LEAST_DRAWS:
        raise InputError(
            "out-of-range", Argument("samples"), f"{count} draws are too few; expected {LEAST_DRAWS} or more"
        )
    if seed < 0:
        raise InputError("out-of-range", Argument("seed"), f"{seed} is not accepted; expected 0 or more")
    columns = {law.key: law.quantile(strata(law.key, count, seed)).tolist() for law in laws}
    return [{key: column[index] for key, column in columns.items()} for index in range(count)]


def strata(key: str, count: int, seed: int) -> Floats:
    """A number in each of ``count`` equal parts of 0 to 1, shape (count,), in random order."""
    word = int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big")
    # Raw words of PCG-64, which NumPy keeps stable, unlike its distributions.
    raw = np.random.PCG64(np.random.SeedSequence([seed, word])).random_raw(2 * count)
    order = np.argsort(np.argsort(raw[:count], kind="stable"), kind="stable")
    within = (raw[count:] >> np.uint64(11)).astype(np.float64) * 2.0**-53
    values: Floats = (order + within) / count
    return values
