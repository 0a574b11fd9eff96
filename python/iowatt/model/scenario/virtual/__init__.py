"""Virtual pools: address spaces that a scheme makes of ranges of pools, one table per scheme."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from iowatt.model.scenario.virtual.caching import Caching, Tiering
from iowatt.model.scenario.virtual.maid import MaidPool
from iowatt.model.scenario.virtual.pdc import PdcPool
from iowatt.model.scenario.virtual.reduced import Reduced
from iowatt.model.scenario.virtual.scheme import Linear
from iowatt.model.scenario.virtual.tiered_pool import TieredPool
from iowatt.model.scenario.virtual.write_off_loading import WriteOffLoadingPool
from iowatt.model.scenario.virtual.zoned import ZonedPool

__all__ = [
    "Caching",
    "Linear",
    "MaidPool",
    "PdcPool",
    "Reduced",
    "TieredPool",
    "Tiering",
    "VirtualPool",
    "WriteOffLoadingPool",
    "ZonedPool",
]

VirtualPool = Annotated[
    Tiering | Caching | Linear | TieredPool | Reduced | MaidPool | PdcPool | WriteOffLoadingPool | ZonedPool,
    Field(discriminator="scheme"),
]
"""A table ``[[array.virtual_pool]]``, by its scheme."""
