"""The durability lens: how likely a system loses data, how much, and by what.

``system`` is what is assessed, ``groups`` finds its redundancy groups (one function for each kind of pool),
``drives`` and ``domains`` how they fail, ``rebuilds`` how long they take to rebuild, ``caches`` what is in
memory alone. ``engine`` calls the compiled engines, ``analyse`` makes the ``result``, ``changes`` asks what
would be better, ``expected`` and ``rates`` are for tables and prices. Classes and functions are imported on
first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from iowatt.base.lazy import names_from

if TYPE_CHECKING:
    from iowatt.lenses.durability.analysis import analyse
    from iowatt.lenses.durability.engine import METHODS, Precision
    from iowatt.lenses.durability.expected import ExpectedLoss, expected_loss, loss_of_run, rough_loss
    from iowatt.lenses.durability.groups import DataGroup, groups_of
    from iowatt.lenses.durability.rates import LossRates, loss_rates, scale_of
    from iowatt.lenses.durability.rebuilds import rebuild_of_run
    from iowatt.lenses.durability.result import Durability, RebuildTime
    from iowatt.lenses.durability.system import DurableSystem

__all__ = [
    "ALLOWED_LOSS_PER_YEAR",
    "LARGER_STEPS",
    "LONGEST_YEARS",
    "METHODS",
    "SLOW_REBUILD_S",
    "YEARS",
    "DataGroup",
    "Durability",
    "DurableSystem",
    "ExpectedLoss",
    "LossRates",
    "Precision",
    "RebuildTime",
    "analyse",
    "expected_loss",
    "groups_of",
    "loss_of_run",
    "loss_rates",
    "rebuild_of_run",
    "rough_loss",
    "scale_of",
]

YEARS: Final = 5.0
ALLOWED_LOSS_PER_YEAR: Final = 1e-4
"""Probability of a loss in a year that a question allows by default, and beyond which verdicts tell it."""
SLOW_REBUILD_S: Final = 3 * 86_400.0
"""A rebuild that takes longer is told first."""
LONGEST_YEARS: Final = 1000.0


class RebuildSteps(NamedTuple):
    """How much of a rebuild is under way at once."""

    outstanding: int
    step_bytes: int


LARGER_STEPS: Final = RebuildSteps(8, 4 << 20)
"""What a slow rebuild is offered in the table of changes."""

if not TYPE_CHECKING:
    __getattr__ = names_from(
        __name__,
        {
            "analysis": "analyse",
            "engine": "METHODS Precision",
            "expected": "ExpectedLoss expected_loss loss_of_run rough_loss",
            "groups": "DataGroup groups_of",
            "rates": "LossRates loss_rates scale_of",
            "rebuilds": "rebuild_of_run",
            "result": "Durability RebuildTime",
            "system": "DurableSystem",
        },
    )
