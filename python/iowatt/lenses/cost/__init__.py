"""The cost lens: what Runs cost in dollars over their life, component by component.

``iowatt.lenses.book`` holds the assumptions, ``systems`` finds the drives, parts, power and work of a Run,
``pricing`` computes the components of one system, ``uncertainty`` varies the assumptions, ``year`` applies a
duty cycle, ``analyse`` compares systems and ``result`` is the document. Classes and functions are imported on
first use, so that help texts show the defaults quickly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from iowatt.base.lazy import names_from

if TYPE_CHECKING:
    from iowatt.lenses.cost.pricing.case import Horizon
    from iowatt.lenses.cost.request import CostRequest, price_runs
    from iowatt.lenses.cost.result.costs import Cost

__all__ = ["SAMPLES", "START", "YEARS", "Cost", "CostRequest", "Horizon", "price_runs"]

YEARS: Final = 5.0
SAMPLES: Final = 300
START: Final = "2026-01-01"
"""A fixed day, so that the same command gives the same bill next year."""

if not TYPE_CHECKING:
    __getattr__ = names_from(
        __name__,
        {
            "pricing.case": "Horizon",
            "request": "CostRequest price_runs",
            "result.costs": "Cost",
        },
    )
