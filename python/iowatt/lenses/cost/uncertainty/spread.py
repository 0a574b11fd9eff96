"""How far totals may lie from their figure: all ranges at once, by draws."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from iowatt.lenses.cost.book.book import Book
from iowatt.lenses.cost.component import GROUPS, Group
from iowatt.lenses.cost.defaults import SAMPLES
from iowatt.lenses.cost.horizon import Horizon
from iowatt.lenses.cost.uncertainty.drawn import draws, varied
from iowatt.lenses.cost.uncertainty.law import Floats, Law
from iowatt.lenses.cost.uncertainty.pricing import (
    SAME,
    Dollars,
    Pricer,
    Total,
    total,
    with_values,
)

QUANTILES: Final = {"p5": 0.05, "p25": 0.25, "p50": 0.50, "p75": 0.75, "p95": 0.95}
METHOD: Final = (
    "Latin hypercube: every figure with a range that any system rests on, drawn independently of the others "
    "and alike for all systems; triangular over its range with the figure as mode, on a logarithmic scale "
    "where the range spans more than a factor of ten"
)


@dataclass(frozen=True)
class Range:
    """Dollars at the book's values, and over the draws."""

    usd: float
    mean: float
    sd: float
    quantiles: Mapping[str, float]
    #: Those at 1 %, 2 % ... 99 %.
    curve: tuple[float, ...]
    #: Share of the draws above ``usd``; those that are the same count half.
    share_above: float

    @classmethod
    def of(cls, usd: float, values: Floats) -> Range:
        """The range of ``values``, shape (draws,)."""
        ordered = np.sort(values)
        return cls(
            usd, float(ordered.mean()), float(ordered.std(ddof=1)),
            {name: rank(ordered, share) for name, share in QUANTILES.items()},
            tuple(rank(ordered, percent / 100.0) for percent in range(1, 100)),
            _above(usd, values),
        )  # fmt: skip

    def as_dict(self) -> dict[str, object]:
        """For the document."""
        return {
            "usd": self.usd, "mean": self.mean, "sd": self.sd,
            "quantiles": dict(self.quantiles), "curve": list(self.curve), "share_above": self.share_above,
        }  # fmt: skip


@dataclass(frozen=True)
class SystemSpread:
    """A system's total and groups, and how often it is the cheapest."""

    name: str
    total: Range
    groups: Mapping[Group, Range]
    cheapest_share: float
    #: The same per usable TB; None where a capacity is not known.
    cheapest_per_tb_share: float | None

    def as_dict(self) -> dict[str, object]:
        """For the document."""
        return {
            "name": self.name,
            **self.total.as_dict(),
            "groups": [
                {"group": group, "usd": found.usd, "quantiles": dict(found.quantiles)}
                for group, found in self.groups.items()
            ],
            "cheapest_share": self.cheapest_share,
            "cheapest_per_tb_share": self.cheapest_per_tb_share,
        }


@dataclass(frozen=True)
class PairSpread:
    """What ``b`` costs more than ``a``; ties count half."""

    a: str
    b: str
    apart: Range
    share_b_cheaper: float

    def as_dict(self) -> dict[str, object]:
        """For the document."""
        return {"a": self.a, "b": self.b, **self.apart.as_dict(), "share_b_cheaper": self.share_b_cheaper}


@dataclass(frozen=True)
class Spread:
    """What the ranges of a book make of totals and of their differences."""

    samples: int
    seed: int
    dollars: Dollars
    laws: tuple[Law, ...]
    systems: tuple[SystemSpread, ...]
    differences: tuple[PairSpread, ...]

    def as_dict(self) -> dict[str, object]:
        """``uncertainty`` of the document."""
        return {
            "samples": self.samples, "seed": self.seed, "dollars": self.dollars, "method": METHOD,
            "figures": [law.as_dict() for law in self.laws],
            "systems": [one.as_dict() for one in self.systems],
            "differences": [one.as_dict() for one in self.differences],
        }  # fmt: skip


def sample(
    pricers: Mapping[str, Pricer],
    book: Book,
    horizon: Horizon,
    *,
    samples: int = SAMPLES,
    seed: int = 1,
    dollars: Dollars = "present",
    usable_tb: Mapping[str, float] | None = None,
) -> Spread | None:
    """Prices every system under ``samples`` draws of the book; None where no figure used has a range.

    Differences are to the first system; ``usable_tb`` has the usable capacity of each. Raises
    ``InputError`` where a draw cannot be priced.
    """
    laws = varied(pricers, book, horizon, dollars)
    if not laws:
        return None
    at_values = {name: total(pricer, book.changed({}), horizon, dollars) for name, pricer in pricers.items()}
    drawn: dict[str, list[Total]] = {name: [] for name in pricers}
    for values in draws(laws, samples, seed):
        changed = with_values(book, values)
        for name, pricer in pricers.items():
            drawn[name].append(total(pricer, changed, horizon, dollars))
    usd = {name: np.array([one.usd for one in totals]) for name, totals in drawn.items()}
    shares = _cheapest(list(usd.values()))
    known = usable_tb is not None and all(usable_tb[name] for name in pricers)
    per_tb = _cheapest([usd[name] / usable_tb[name] for name in pricers]) if known and usable_tb else None
    first = next(iter(pricers))
    return Spread(
        samples, seed, dollars, laws,
        tuple(
            SystemSpread(
                name, Range.of(at_values[name].usd, usd[name]), _groups(at_values[name], drawn[name]),
                shares[at], None if per_tb is None else per_tb[at],
            )
            for at, name in enumerate(pricers)
        ),
        tuple(
            _pair(first, name, at_values, usd) for name in pricers if name != first
        ),
    )  # fmt: skip


def rank(ordered: Floats, share: float) -> float:
    """The value at rank ceil(share n) of sorted values, as everywhere in iowatt."""
    # Rounded, so that 0.55 x 100 is rank 55.
    return float(ordered[max(math.ceil(round(share * len(ordered), 9)), 1) - 1])


def _above(usd: float, values: Floats) -> float:
    same = SAME * np.maximum(np.abs(values), abs(usd))
    return float((np.where(np.abs(values - usd) <= same, 0.5, values > usd)).mean())


def _groups(at_values: Total, drawn: Sequence[Total]) -> dict[Group, Range]:
    """Ranges of the groups that are not nothing throughout."""
    found = {}
    for group in GROUPS:
        values = np.array([one.groups.get(group, 0.0) for one in drawn])
        usd = at_values.groups.get(group, 0.0)
        if usd != 0.0 or values.any():
            found[group] = Range.of(usd, values)
    return found


def _pair(a: str, b: str, at_values: Mapping[str, Total], usd: Mapping[str, Floats]) -> PairSpread:
    apart = Range.of(at_values[b].usd - at_values[a].usd, usd[b] - usd[a])
    return PairSpread(a, b, apart, _cheapest([usd[a], usd[b]])[1])


def _cheapest(usd: Sequence[Floats]) -> list[float]:
    """Share of the draws that each is cheapest in; those that cost the same share a draw."""
    table = np.array(usd)
    least = table.min(axis=0)
    among = table - least <= SAME * np.abs(table).max(axis=0)
    shares: list[float] = (among / among.sum(axis=0)).mean(axis=1).tolist()
    return shares
