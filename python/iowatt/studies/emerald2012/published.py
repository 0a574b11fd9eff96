"""What SNIA's training prints of its Online-3 family: peaks, idle points, the submission and the baseline."""

from __future__ import annotations

from typing import Final, Literal

from iowatt.studies.text import StudyFile, printed, study_text

TEXT: Final = study_text("emerald2012")


class PrintedFigure(StudyFile):
    """A printed metric of the 15k drives at a number of them."""

    metric: str
    raid: str
    drives: int
    value: float
    #: Whether that number of drives is printed as the peak, and of which granularity.
    peak: Literal["shelf", "drive", "none"] = "shelf"
    fitted: bool = False
    braces: bool = False


class PrintedIdle(StudyFile):
    """A ready idle point."""

    configuration: str
    title: str
    gb_per_w: float
    watts: float | None = None
    fitted: bool = False


class SubmittedFigure(StudyFile):
    """A line of the measured submission: the metric and its mean response time."""

    metric: str
    value: float
    ms: float


class EmeraldFigures(StudyFile):
    """All published figures; the baseline by metric."""

    figures: tuple[PrintedFigure, ...]
    idle: tuple[PrintedIdle, ...]
    submission: tuple[SubmittedFigure, ...]
    baseline: dict[str, float]
    baseline_read_w: float
    power_swing: float


PRINTED: Final = printed("emerald2012", EmeraldFigures)

#: RAID-5 over RAID-10 at 70/30, of the printed metrics, and by counting drive operations.
RAID5_OVER_RAID10: Final = 12.7 / 18.6
COUNTED_RATIO: Final = 1.3 / 1.9
#: MB over MiB: the training uses both words for the same unit.
MIB: Final = 1.048576

UNITS: Final = {"RI": "GB/W", "SR": "MB/s/W", "SW": "MB/s/W"}
NAMES: Final = {
    "MW1": "mixed 70/30",
    "60/40": "mixed 60/40",
    "80/20": "mixed 80/20",
    "MW2": "mixed 70/30 at 25 %",
    "RR": "random read",
    "RW": "random write",
    "SR": "sequential read",
    "SW": "sequential write",
    "RI": "ready idle",
}


def unit(metric: str) -> str:
    """Of a metric as the training prints it."""
    return UNITS.get(metric, "IOPS/W")


def metric_name(metric: str) -> str:
    """A metric in words."""
    return NAMES[metric]


def level_name(raid: str) -> str:
    """A level in words."""
    return raid.upper()
