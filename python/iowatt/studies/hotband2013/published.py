"""What Paridon and Tanzer (HP) printed at SNIA SDC 2013: cache, tiering, IOPS per watt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from iowatt.studies.text import study_text

TEXT: Final = study_text("hotband2013")


@dataclass(frozen=True)
class Array:
    """A measured array: rates and mean response times under the hot band and under random requests."""

    name: str
    hot_iops: float
    hot_ms: float
    random_iops: float | None = None
    random_ms: float | None = None

    def outstanding(self, workload: str) -> int:
        """Requests in flight by Little's law; neither the load nor the limits of its driver are published."""
        if workload == "hot-band":
            return round(self.hot_iops * self.hot_ms / 1e3)
        assert self.random_iops is not None and self.random_ms is not None
        return round(self.random_iops * self.random_ms / 1e3)


SMALL: Final = Array("small array", 4_330, 32.8, 4_130, 33.4)
CACHED: Final = Array("large array, cache", 39_900, 8.97, 18_410, 22.59)
TIERED: Final = Array("large array, tiered", 42_870, 5.77)

#: Hits of the hot band in the cache of the large array, as the slide prints them.
READ_HITS: Final = 0.60
WRITE_HITS: Final = 0.24

#: The cache of the large array, share of the working set.
CACHE_SHARE: Final = 0.03

#: Slide of IOPS per watt: it divides by the power calculator's BTU/h (docs/models/array-power.md), so
#: ratios hold and watts do not.
BTU_CACHED: Final = 7_491.5
BTU_TIERED: Final = 7_283.0
#: BTU/h to W of that sheet, which multiplies by 3.14 where 3.412 is meant.
SHEET_FACTOR: Final = 3.14

#: Ratios of IOPS per watt as printed.
CACHE_OVER_INITIAL: Final = 2.17
TIERED_OVER_CACHE: Final = 1.105
TIERED_OVER_INITIAL: Final = 2.40
#: Total IOPS, tiered over "initial".
IOPS_OVER_INITIAL: Final = 2.33

#: Speed-up that the slides attribute to tiering alone.
TIERING_ALONE: Final = {"spc-1-like": 1.5, "hot-band": 1.3}

#: Share of the hot bands in requests, and in space.
HOT_REQUESTS: Final = 0.54
HOT_SPACE: Final = 0.32


@dataclass(frozen=True)
class Com:
    """A column of the table of capacity optimisation methods."""

    name: str
    capacity_gb: float
    watts: float
    iops: float

    @property
    def gb_per_w(self) -> float:
        """Capacity over power."""
        return self.capacity_gb / self.watts

    @property
    def iops_per_w(self) -> float:
        """Rate over power."""
        return self.iops / self.watts


COMS: Final = {
    "raid10": Com("RAID-1 baseline", 36_000, 4_046, 57_750),
    "raid5": Com("RAID-5", 45_000, 4_046, 37_310),
    "compressed": Com("2:1 compression", 72_000, 4_046, 115_500),
}

#: What back-end counting gives for RAID-5 over RAID-10 at 70/30: (0.7 + 2 x 0.3) / (0.7 + 4 x 0.3).
RAID5_OVER_RAID10: Final = 1.3 / 1.9
