"""The risk of losing data in words, for verdicts on speed or dollars that would hide it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from iowatt.lenses.durability import ALLOWED_LOSS_PER_YEAR
from iowatt.render import numbers

_NAMED: Final = 4


def often_lost(losses: Sequence[tuple[str, float | None]]) -> list[str]:
    """A sentence on the systems whose probability of losing data in a year exceeds what is usually allowed.

    ``losses``: name and probability of each system, None where it is not known. Empty where none exceeds it.
    """
    often = [(name, loss) for name, loss in losses if loss is not None and loss > ALLOWED_LOSS_PER_YEAR]
    if not often:
        return []
    each = [f"{name} {numbers.probability(loss)}" for name, loss in often[:_NAMED]]
    if len(often) > _NAMED:
        each.append(numbers.counted(len(often) - _NAMED, "other"))
    allowed = f"`iowatt choose` allows {100 * ALLOWED_LOSS_PER_YEAR:g}\u00a0%"
    return [f"Probability of losing data in a year: {', '.join(each)}; {allowed} by default."]
