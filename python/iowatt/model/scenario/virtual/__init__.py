"""Virtual pools: address spaces that a scheme makes of ranges of pools, one table per scheme."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from iowatt.model.scenario.virtual.caching import Caching, Tiering
from iowatt.model.scenario.virtual.maid import Maid
from iowatt.model.scenario.virtual.pdc import Pdc
from iowatt.model.scenario.virtual.reduced import Reduced
from iowatt.model.scenario.virtual.scheme import Linear
from iowatt.model.scenario.virtual.tiered_pool import TieredPool
from iowatt.model.scenario.virtual.write_off_loading import WriteOffLoading

__all__ = [
    "Caching",
    "Linear",
    "Maid",
    "Pdc",
    "Reduced",
    "TieredPool",
    "Tiering",
    "VirtualPool",
    "WriteOffLoading",
]

VirtualPool = Annotated[
    Tiering | Caching | Linear | TieredPool | Reduced | Maid | Pdc | WriteOffLoading,
    Field(discriminator="scheme"),
]
"""A table ``[[array.virtual_pool]]``, by its scheme."""
