"""The risk of losing data in words, for verdicts on speed or dollars that would hide it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from iowatt.lenses.durability import ALLOWED_LOSS_PER_YEAR
from iowatt.render import numbers

_NAMED: Final = 4
_MARGIN: Final = 3
"""With rebuilds at the stated rate, systems this near the limit are named: load makes a rebuild longer."""


def often_lost(losses: Sequence[tuple[str, float | None]], *, stated: bool = False) -> list[str]:
    """A sentence on the systems whose probability of losing data in a year exceeds what is usually allowed.

    ``losses``: name and probability of each system, None where it is not known; ``stated``: with rebuilds at
    the stated rate, so that those near the limit are named as well. Empty where none exceeds it.
    """
    limit = ALLOWED_LOSS_PER_YEAR / _MARGIN if stated else ALLOWED_LOSS_PER_YEAR
    often = [(name, loss) for name, loss in losses if loss is not None and loss > limit]
    if not often:
        return []
    each = [f"{name} {numbers.probability(loss)}" for name, loss in often[:_NAMED]]
    if len(often) > _NAMED:
        each.append(numbers.counted(len(often) - _NAMED, "other"))
    what = "Estimated probability" if stated else "Probability"
    more = " `iowatt durability` simulates the rebuild on which it rests." if stated else ""
    allowed = f"`iowatt choose` allows {numbers.probability(ALLOWED_LOSS_PER_YEAR)}"
    return [f"{what} of losing data in a year: {', '.join(each)}; {allowed} by default.{more}"]
