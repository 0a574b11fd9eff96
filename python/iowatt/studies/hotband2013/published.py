"""What Paridon and Tanzer (HP) printed at SNIA SDC 2013: cache, tiering, IOPS per watt."""

from __future__ import annotations

from typing import Final

from iowatt.studies.text import StudyFile, printed, study_text

TEXT: Final = study_text("hotband2013")


class MeasuredArray(StudyFile):
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


class HotBandShares(StudyFile):
    """The hot band on the large array: hits, cache, and the bands' share of requests and space."""

    read_hits: float
    write_hits: float
    cache_share: float
    requests: float
    space: float


class PerWatt(StudyFile):
    """The slide of IOPS per watt."""

    btu_cached: float
    btu_tiered: float
    sheet_factor: float
    cache_over_initial: float
    tiered_over_cache: float
    tiered_over_initial: float
    iops_over_initial: float


class PublishedCom(StudyFile):
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


class HotBandFigures(StudyFile):
    """All published figures."""

    small: MeasuredArray
    cached: MeasuredArray
    tiered: MeasuredArray
    hot_band: HotBandShares
    per_watt: PerWatt
    tiering_alone: dict[str, float]
    coms: dict[str, PublishedCom]


PRINTED: Final = printed("hotband2013", HotBandFigures)

RAID5_OVER_RAID10: Final = 1.3 / 1.9
"""What counting drive operations gives at 70/30: (0.7 + 2 x 0.3) / (0.7 + 4 x 0.3)."""
