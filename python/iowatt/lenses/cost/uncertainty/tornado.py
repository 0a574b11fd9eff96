"""What matters: each figure alone at the ends of its range, all others at their values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from iowatt.lenses.cost.book.book import Book
from iowatt.lenses.cost.horizon import Horizon
from iowatt.lenses.cost.result import Bar, Tornado
from iowatt.lenses.cost.uncertainty.law import Law, said
from iowatt.lenses.cost.uncertainty.pricing import SAME, Dollars, Pricer, difference, total
from iowatt.lenses.cost.uncertainty.sampling import varied

#: Dollars by system.
Totals = Mapping[str, float]


def tornado(
    pricers: Mapping[str, Pricer], book: Book, horizon: Horizon, *, dollars: Dollars = "present"
) -> list[Tornado]:
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
    return [*shown, *(_made(ends, middle, first, name, dollars) for name in later)]


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
    return Tornado(
        of="total" if a is None else "difference",
        system=b if a is None else None,
        a=a,
        b=None if a is None else b,
        usd=usd(middle),
        dollars=dollars,
        bars=bars,
        without_effect=without,
    )


def _bar(law: Law, ends: tuple[float, float, float], *, of_total: bool) -> Bar:
    low, _, high = ends
    flips = not of_total and min(ends) < 0.0 < max(ends)
    unit, text = said(law.key)
    return Bar(
        key=law.key, unit=unit, text=text, low=law.low, value=law.mode, high=law.high,
        usd_low=low, usd_high=high, swing=max(ends) - min(ends), flips=flips,
    )  # fmt: skip
