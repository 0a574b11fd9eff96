"""The time of a rebuild in words, on every page that tells a probability of data loss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from iowatt.lenses.durability.result import RebuildTime
from iowatt.render import numbers

HOW: Final = {
    "run": "as in the Run",
    "simulated": "simulated under the load",
    "stated": "at the stated rate",
    "given": "as given",
}
_SHORT: Final = {"run": "of the Run", "simulated": "simulated", "stated": "stated", "given": "given"}


def slowest(rebuilds: Sequence[RebuildTime]) -> str:
    """The longest rebuild and where it is from, such as ``4.2 days, simulated``; empty without any."""
    if not rebuilds:
        return ""
    longest = max(rebuilds, key=lambda one: one.seconds)
    return f"{numbers.duration(longest.seconds)}, {_SHORT[longest.basis]}"
