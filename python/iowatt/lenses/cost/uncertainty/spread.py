"""Spread of totals: under draws of all assumptions at once, and with each varied alone (a tornado)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from iowatt.lenses.book import Book
from iowatt.lenses.cost import SAMPLES
from iowatt.lenses.cost.pricing.case import Horizon
from iowatt.lenses.cost.pricing.component import GROUPS
from iowatt.lenses.cost.pricing.total import Pricer
from iowatt.lenses.cost.result.uncertainty import (
    DrawnDifference,
    DrawnGroup,
    DrawnSystem,
    Quantiles,
    Tornado,
    TornadoBar,
    Uncertainty,
)
from iowatt.lenses.cost.uncertainty.sampling import (
    SAME,
    Dollars,
    FigureDistribution,
    Floats,
    Total,
    difference,
    draws,
    total,
    unit_and_text,
    varied,
    with_values,
)

QUANTILES: Final = {"p5": 0.05, "p25": 0.25, "p50": 0.50, "p75": 0.75, "p95": 0.95}
METHOD: Final = (
    "Latin hypercube: every figure with a range that any system rests on, drawn independently of the others "
    "and alike for all systems; triangular over its range with the figure as mode, on a logarithmic scale "
    "where the range spans more than a factor of ten"
)


def _drawn(usd: float, values: Floats) -> dict[str, Any]:
    """The fields of a ``DrawnDollars``; ``values`` has shape (draws,)."""
    ordered = np.sort(values)
    return {
        "usd": usd,
        "mean": float(ordered.mean()),
        "sd": float(ordered.std(ddof=1)),
        "quantiles": _quantiles(ordered),
        "curve": [rank(ordered, percent / 100.0) for percent in range(1, 100)],
        "share_above": _above(usd, values),
    }


def _quantiles(ordered: Floats) -> Quantiles:
    return Quantiles(**{name: rank(ordered, share) for name, share in QUANTILES.items()})


def sample(
    pricers: Mapping[str, Pricer],
    book: Book,
    horizon: Horizon,
    *,
    samples: int = SAMPLES,
    seed: int = 1,
    dollars: Dollars = "present",
    usable_tb: Mapping[str, float] | None = None,
    copies: Mapping[str, float] | None = None,
) -> Uncertainty | None:
    """Totals and differences to the first system under ``samples`` draws; None where no figure has a range.

    ``usable_tb`` is the usable capacity by system, ``copies`` how many of each are compared on equal terms
    (one where left out): differences are of so many. Raises ``InputError`` where a draw cannot be priced.
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
    many = {name: 1.0 if copies is None else copies[name] for name in pricers}
    equal = {name: many[name] * usd[name] for name in pricers}
    equal_shares = _cheapest(list(equal.values()))
    middle = {name: many[name] * at_values[name].usd for name in pricers}
    first = next(iter(pricers))
    return Uncertainty(
        samples=samples,
        seed=seed,
        dollars=dollars,
        method=METHOD,
        figures=[law.result() for law in laws],
        systems=[
            DrawnSystem(
                name=name,
                **_drawn(at_values[name].usd, usd[name]),
                groups=_groups(at_values[name], drawn[name]),
                cheapest_share=shares[at],
                cheapest_per_tb_share=None if per_tb is None else per_tb[at],
                cheapest_equal_share=equal_shares[at],
            )
            for at, name in enumerate(pricers)
        ],
        differences=[_pair(first, name, middle, equal) for name in pricers if name != first],
    )


def rank(ordered: Floats, share: float) -> float:
    """The value at rank ceil(share n) of sorted values."""
    # Rounded, so that 0.55 x 100 is rank 55.
    return float(ordered[max(math.ceil(round(share * len(ordered), 9)), 1) - 1])


def _above(usd: float, values: Floats) -> float:
    same = SAME * np.maximum(np.abs(values), abs(usd))
    return float((np.where(np.abs(values - usd) <= same, 0.5, values > usd)).mean())


def _groups(at_values: Total, drawn: Sequence[Total]) -> list[DrawnGroup]:
    """Ranges of the groups that are not 0 in all draws."""
    groups = []
    for group in GROUPS:
        values = np.array([one.groups.get(group, 0.0) for one in drawn])
        usd = at_values.groups.get(group, 0.0)
        if usd != 0.0 or values.any():
            groups.append(DrawnGroup(group=group, usd=usd, quantiles=_quantiles(np.sort(values))))
    return groups


def _pair(a: str, b: str, at_values: Mapping[str, float], usd: Mapping[str, Floats]) -> DrawnDifference:
    apart = _drawn(at_values[b] - at_values[a], usd[b] - usd[a])
    return DrawnDifference(a=a, b=b, **apart, share_b_cheaper=_cheapest([usd[a], usd[b]])[1])


def _cheapest(usd: Sequence[Floats]) -> list[float]:
    """Share of draws in which each is the cheapest; equal costs share a draw."""
    table = np.array(usd)
    least = table.min(axis=0)
    among = table - least <= SAME * np.abs(table).max(axis=0)
    shares: list[float] = (among / among.sum(axis=0)).mean(axis=1).tolist()
    return shares


#: Dollars by system.
Totals = Mapping[str, float]


def tornado(
    pricers: Mapping[str, Pricer], book: Book, horizon: Horizon, *, dollars: Dollars = "present"
) -> list[Tornado]:
    """A tornado of each total, then of each later system's difference to the first.

    Raises ``InputError`` where a system cannot be priced at the end of a range.
    """
    laws = varied(pricers, book, horizon, dollars)

    def totals(changes: Mapping[str, float]) -> dict[str, float]:
        changed = book.changed(changes)
        return {name: total(pricer, changed, horizon, dollars).usd for name, pricer in pricers.items()}

    middle = totals({})
    ends = [(law, totals({law.key: law.low}), totals({law.key: law.high})) for law in laws]

    first, *later = pricers
    shown = [_tornado(ends, middle, None, name, dollars) for name in pricers]
    return [*shown, *(_tornado(ends, middle, first, name, dollars) for name in later)]


def _tornado(
    ends: Sequence[tuple[FigureDistribution, Totals, Totals]],
    middle: Totals,
    a: str | None,
    b: str,
    dollars: Dollars,
) -> Tornado:
    """The tornado of ``b``, or of what it costs more than ``a``."""

    def usd(totals: Totals) -> float:
        return totals[b] if a is None else difference(totals[a], totals[b])

    bars, without = [], []
    for law, low, high in ends:
        bar = _bar(law, (usd(low), usd(middle), usd(high)), of_total=a is None)
        noise = SAME * max(abs(totals[name]) for totals in (low, middle, high) for name in (a or b, b))
        if bar.swing > noise:
            bars.append(bar)
        else:
            without.append(law.key)
    bars.sort(key=lambda bar: (-bar.swing, bar.key))
    return Tornado(
        of="total" if a is None else "difference", system=b if a is None else None, a=a,
        b=None if a is None else b, usd=usd(middle), dollars=dollars, bars=bars, without_effect=without,
    )  # fmt: skip


def _bar(law: FigureDistribution, ends: tuple[float, float, float], *, of_total: bool) -> TornadoBar:
    low, _, high = ends
    flips = not of_total and min(ends) < 0.0 < max(ends)
    unit, text = unit_and_text(law.key)
    return TornadoBar(
        key=law.key, unit=unit, text=text, low=law.low, value=law.mode, high=law.high,
        usd_low=low, usd_high=high, swing=max(ends) - min(ends), flips=flips,
    )  # fmt: skip
