"""Near-ties: systems about as dear as the cheapest or the next that do better in another respect."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from iowatt.evaluate.choose.result import FigureBeside, NearTie, Respect, SystemFigures, TooClose

NEAR: Final = 0.05
"""Dollars above another system's, as a share of them, within which two systems are a near-tie."""
#: How many times smaller a figure has to be to count as better.
BETTER: Final[dict[Respect, float]] = {"watts": 1.1, "p95_ms": 1.5, "loss_per_year": 2.0}


def near_ties(ranked: Sequence[SystemFigures], close: Sequence[TooClose]) -> list[NearTie]:
    """Near-ties with the first system, or else with the second, nearest first.

    Args:
        ranked: Each family's best that keeps all, the cheapest first.
        close: Families that may be cheaper than the first, as far as prices are known.
    """
    return sorted(_found(ranked, {one.family for one in close}), key=lambda one: one.usd / one.beside_usd)


def _found(ranked: Sequence[SystemFigures], close: set[str]) -> Iterator[NearTie]:
    for place, one in enumerate(ranked):
        for beside in ranked[: min(place, 2)]:
            if not one.usd or not beside.usd:
                continue
            better = _better(one, beside)
            may_be_cheaper = beside is ranked[0] and one.family in close
            if better and (may_be_cheaper or one.usd <= (1 + NEAR) * beside.usd):
                yield NearTie(
                    title=one.title, family=one.family, usd=one.usd, beside=beside.title,
                    beside_usd=beside.usd, better=better, worse=_better(beside, one, turned=True),
                )  # fmt: skip
                break


def _better(one: SystemFigures, beside: SystemFigures, *, turned: bool = False) -> list[FigureBeside]:
    """Respects in which a system is better than another; ``turned`` tells them of the other."""
    found = []
    for of, times in BETTER.items():
        own, other = getattr(one, of), getattr(beside, of)
        if own is not None and other is not None and other > times * own:
            value, against = (other, own) if turned else (own, other)
            found.append(FigureBeside(of=of, value=value, beside=against))
    return found
