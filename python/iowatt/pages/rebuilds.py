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
SHORT: Final = {"run": "of the Run", "simulated": "simulated", "stated": "stated", "given": "given"}


def longest(rebuilds: Sequence[RebuildTime]) -> RebuildTime | None:
    """The longest of them."""
    return max(rebuilds, key=lambda one: one.seconds, default=None)


def in_short(rebuild: RebuildTime) -> str:
    """A rebuild and where it is from, such as ``4.2 days, simulated``."""
    return f"{numbers.duration(rebuild.seconds)}, {SHORT[rebuild.basis]}"
