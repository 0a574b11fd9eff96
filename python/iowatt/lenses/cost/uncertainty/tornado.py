"""What matters: each figure alone at the ends of its range, all others at their values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from iowatt.lenses.cost.book.book import Book
from iowatt.lenses.cost.horizon import Horizon
from iowatt.lenses.cost.uncertainty.drawn import varied
from iowatt.lenses.cost.uncertainty.law import Law, said
from iowatt.lenses.cost.uncertainty.pricing import SAME, Dollars, Pricer, difference, total


@dataclass(frozen=True)
class Bar:
    """One figure: its range in the key's unit, and the dollars at either end of it."""

    key: str
    low: float
    value: float
    high: float
    usd_low: float
    usd_high: float
    #: Dollars between the least and the most of the three.
    swing: float
    #: Whether a difference changes its sign.
    flips: bool

    def as_dict(self) -> dict[str, object]:
        """For the document."""
        unit, text = said(self.key)
        return {
            "key": self.key, "unit": unit, "text": text,
            "low": self.low, "value": self.value, "high": self.high,
            "usd_low": self.usd_low, "usd_high": self.usd_high, "swing": self.swing, "flips": self.flips,
        }  # fmt: skip


@dataclass(frozen=True)
class Tornado:
    """Bars of a system's total, or of what ``b`` costs more than ``a``; the largest swing first."""

    of: Literal["total", "difference"]
    system: str | None
    a: str | None
    b: str | None
    #: At the book's values.
    usd: float
    dollars: Dollars
    bars: tuple[Bar, ...]
    #: Keys of figures with a range that change nothing here.
    without_effect: tuple[str, ...]

    def as_dict(self) -> dict[str, object]:
        """An element of ``tornado`` of the document."""
        return {
            "of": self.of, "system": self.system, "a": self.a, "b": self.b, "usd": self.usd,
            "dollars": self.dollars, "bars": [bar.as_dict() for bar in self.bars],
            "without_effect": list(self.without_effect),
        }  # fmt: skip


def tornado(
    pricers: Mapping[str, Pricer], book: Book, horizon: Horizon, *, dollars: Dollars = "present"
) -> tuple[Tornado, ...]:
    """One of each system's total, then one of each later system's difference to the first.

    Raises ``InputError`` where a system cannot be priced at the end of a range.
    """
    laws, _ = varied(pricers, book, horizon, dollars)

    def totals(changes: Mapping[str, float]) -> dict[str, float]:
        changed = book.changed(changes)
        return {name: total(pricer, changed, horizon, dollars).usd for name, pricer in pricers.items()}

    middle = totals({})
    ends = [(law, totals({law.key: law.low}), totals({law.key: law.high})) for law in laws]

    def bars(
        usd_of: Callable[[Mapping[str, float]], float], names: tuple[str, ...], of_total: bool
    ) -> tuple[tuple[Bar, ...], tuple[str, ...]]:
        found, without = [], []
        for law, low, high in ends:
            bar = _bar(law, usd_of(low), usd_of(middle), usd_of(high), of_total)
            noise = SAME * max(abs(one[name]) for one in (low, middle, high) for name in names)
            if bar.swing > noise:
                found.append(bar)
            else:
                without.append(law.key)
        return tuple(sorted(found, key=lambda bar: (-bar.swing, bar.key))), tuple(without)

    first, *later = pricers
    shown = [
        Tornado("total", name, None, None, middle[name], dollars, *bars(lambda usd, n=name: usd[n], (name,), True))
        for name in pricers
    ]
    for name in later:
        found = bars(lambda usd, n=name: difference(usd[first], usd[n]), (first, name), False)
        apart = middle[name] - middle[first]
        shown.append(Tornado("difference", None, first, name, apart, dollars, *found))
    return tuple(shown)


def _bar(law: Law, low: float, middle: float, high: float, of_total: bool) -> Bar:
    ends = (low, middle, high)
    return Bar(
        law.key, law.low, law.mode, law.high, low, high, max(ends) - min(ends),
        not of_total and min(ends) < 0.0 < max(ends),
    )  # fmt: skip
