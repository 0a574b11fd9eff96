"""What Gurumurthi et al. 2002 (Penn State CSE-02-014) printed: tables, text, and what follows from them."""

from __future__ import annotations

from typing import Final

from iowatt.studies.text import StudyFile, printed, study_text

TEXT: Final = study_text("arrays2002")


class PublishedWorkload(StudyFile):
    """What the study printed of one workload."""

    profile: str
    name: str
    hours: float
    requests: float
    write_percent: float
    spans: str  # which writes: "one" unit, or "over two"
    span_percent: float
    interarrival_ms: float
    correlation: dict[int, tuple[float, ...]]
    seeks: dict[int, str]
    distance: dict[int, str]
    queue: dict[int, str]
    tail: str
    best: dict[int, dict[str, tuple[int, int]]]
    slope_j: float

    @property
    def iops(self) -> float:
        """Requests per second."""
        return self.requests / (self.hours * 3600)

    @property
    def write_iops(self) -> float:
        """Writes per second."""
        return self.iops * self.write_percent / 100


class ArraysFigures(StudyFile):
    """All published figures; ``published.toml`` says where each was printed."""

    idle_w: float
    active_w: float
    standby_w: float
    spin_up_w: float
    spin_up_s: float
    spin_down_s: float
    disks: int
    unit_kib: int
    processor: str
    processor_w: float
    processors: int
    workloads: dict[str, PublishedWorkload]


PRINTED: Final = printed("arrays2002", ArraysFigures)
WORKLOADS: Final = PRINTED.workloads

LARGEST_CORRELATION: Final = max(
    abs(r) for one in WORKLOADS.values() for series in one.correlation.values() for r in series
)
"""The largest autocorrelation that Table 2 prints, of either sign."""
