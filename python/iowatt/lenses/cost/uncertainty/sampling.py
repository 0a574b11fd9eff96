"""Which figures are varied, and draws of them all: a Latin hypercube.

Of ``n`` draws, each figure's values lie one in each n-th of its distribution, in an order of their own
(McKay, Beckman and Conover 1979): means are a good deal surer than by as many independent draws. Each figure
has its own random stream, of the seed and of its key, so that a figure more in the book reshuffles no other,
and neither the order of figures nor of systems matters.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

import numpy as np

from iowatt.base.errors import Argument, InputError
from iowatt.lenses.cost.book.book import Book
from iowatt.lenses.cost.horizon import Horizon
from iowatt.lenses.cost.uncertainty.law import Floats, Law, law_of
from iowatt.lenses.cost.uncertainty.pricing import Dollars, Pricer, rate_of

#: Fewer say nothing about the 5 % at either end.
LEAST_DRAWS = 20


def varied(pricers: Mapping[str, Pricer], book: Book, horizon: Horizon, dollars: Dollars) -> tuple[Law, ...]:
    """Laws of the figures with a range that any of the pricers asks for, sorted by key.

    What is asked for may depend on other figures (nobody asks for the grid's emissions at a carbon price of
    0), so all systems are priced at the values, at the low ends and at the high ends, until nothing new is
    asked for.
    """
    laws: dict[str, Law] = {}
    used: set[str] = set()
    while True:
        probes = [
            {}, {law.key: law.low for law in laws.values()}, {law.key: law.high for law in laws.values()}
        ]  # fmt: skip
        for probe in probes:
            asked = book.changed(probe)
            for pricer in pricers.values():
                pricer(asked, horizon)
            rate_of(asked, dollars)
            used |= asked.used.keys()
        found = {key: law for key in sorted(used) if (law := law_of(book.figures[key])) is not None}
        if found.keys() == laws.keys():
            return tuple(found.values())
        laws = found


def draws(laws: Sequence[Law], count: int, seed: int) -> list[dict[str, float]]:
    """``count`` sets of values by key. The same seed gives the same ones, whatever else is varied.

    Raises ``InputError`` for fewer than ``LEAST_DRAWS`` and for a negative seed.
    """
    if count < LEAST_DRAWS:
        raise InputError(
            "out-of-range",
            Argument("samples"),
            f"{count} draws are too few; expected {LEAST_DRAWS} or more",
        )
    if seed < 0:
        raise InputError("out-of-range", Argument("seed"), f"{seed} is not accepted; expected 0 or more")
    columns = {law.key: law.quantile(strata(law.key, count, seed)).tolist() for law in laws}
    return [{key: column[index] for key, column in columns.items()} for index in range(count)]


def strata(key: str, count: int, seed: int) -> Floats:
    """One number of each of ``count`` equal parts of 0 to 1, shape (count,), in the key's own order."""
    word = int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big")
    # Raw words of PCG-64: NumPy promises these for ever, and those of its distributions not.
    raw = np.random.PCG64(np.random.SeedSequence([seed, word])).random_raw(2 * count)
    order = np.argsort(np.argsort(raw[:count], kind="stable"), kind="stable")
    within = (raw[count:] >> np.uint64(11)).astype(np.float64) * 2.0**-53
    found: Floats = (order + within) / count
    return found
