"""What matters: each figure alone at the ends of its range, all others at their values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from iowatt.lenses.cost.book.book import Book
from iowatt.lenses.cost.horizon import Horizon
from iowatt.lenses.cost.uncertainty.drawn import varied
from iowatt.lenses.cost.uncertainty.law import Law, said
from iowatt.lenses.cost.uncertainty.pricing import SAME, Dollars, Pricer, difference, total

#: Dollars by system.
Totals = Mapping[str, float]


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
    laws = varied(pricers, book, horizon, dollars)

    def totals(changes: Mapping[str, float]) -> dict[str, float]:
        changed = book.changed(changes)
        return {name: total(pricer, changed, horizon, dollars).usd for name, pricer in pricers.items()}

    middle = totals({})
    ends = [(law, totals({law.key: law.low}), totals({law.key: law.high})) for law in laws]

    first, *later = pricers
    shown = [_made(ends, middle, None, name, dollars) for name in pricers]
    return (*shown, *(_made(ends, middle, first, name, dollars) for name in later))


def _made(
    ends: Sequence[tuple[Law, Totals, Totals]], middle: Totals, a: str | None, b: str, dollars: Dollars
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
    if a is None:
        return Tornado("total", b, None, None, usd(middle), dollars, tuple(bars), tuple(without))
    return Tornado("difference", None, a, b, usd(middle), dollars, tuple(bars), tuple(without))


def _bar(law: Law, ends: tuple[float, float, float], *, of_total: bool) -> Bar:
    low, _, high = ends
    flips = not of_total and min(ends) < 0.0 < max(ends)
    return Bar(law.key, law.low, law.mode, law.high, low, high, max(ends) - min(ends), flips)
