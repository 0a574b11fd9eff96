"""What SNIA's training prints of its Online-3 family: peaks, idle points, the submission and the baseline.

Metrics are IOPS/W, MB/s/W (sequential) and GB/W (ready idle). ``fitted`` marks the figures to which the
family's constants were fitted (scripts/fit_emerald2012.py); all others are predicted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from iowatt.studies.text import study_text

TEXT: Final = study_text("emerald2012")


@dataclass(frozen=True)
class PrintedFigure:
    """A printed metric of the 15k drives: by so many drives."""

    metric: str
    raid: str
    drives: int
    value: float
    #: Whether that number of drives is printed as the peak, and of which granularity.
    peak: str | None = "shelf"
    fitted: bool = False
    #: Printed in braces.
    braces: bool = False


MIXED: Final = "70/30"

FIGURES: Final = (
    PrintedFigure("MW1", "raid-5", 125, 12.7, fitted=True),
    PrintedFigure("MW1", "raid-5", 120, 13.03, peak="drive", fitted=True),
    PrintedFigure("60/40", "raid-5", 125, 11.5),
    PrintedFigure("80/20", "raid-5", 125, 14.9),
    PrintedFigure("RR", "raid-5", 125, 23.5, fitted=True),
    PrintedFigure("RW", "raid-5", 75, 7.3, fitted=True),
    PrintedFigure("SR", "raid-5", 25, 1.63, fitted=True),
    PrintedFigure("SR", "raid-5", 50, 1.54, peak=None, fitted=True),
    PrintedFigure("SW", "raid-5", 50, 1.00, fitted=True),
    PrintedFigure("MW1", "raid-10", 125, 18.6),
    PrintedFigure("RR", "raid-10", 125, 23.2),
    PrintedFigure("RW", "raid-10", 75, 13.3),
    PrintedFigure("SR", "raid-10", 25, 2.0, braces=True),
    PrintedFigure("SW", "raid-10", 50, 0.68, braces=True),
)

#: RAID-5 over RAID-10 at 70/30, of the printed metrics; counting drive operations gives 1.3/1.9 = 0.684.
RAID5_OVER_RAID10: Final = 12.7 / 18.6
COUNTED_RATIO: Final = 1.3 / 1.9


@dataclass(frozen=True)
class Idle:
    """A ready idle point; watts are printed for the first alone."""

    configuration: str
    title: str
    gb_per_w: float
    watts: float | None = None
    fitted: bool = False


IDLE: Final = (
    Idle("submission", "50 x 146 GB 15k", 12.317, 592.692, fitted=True),
    Idle("idle-450", "450 x 500 GB 7.2k", 76.6, fitted=True),
    Idle("idle-240", "240 x 2 TB 7.2k", 138.8),
    Idle("baseline", "250 x 300 GB 10k, 120 x 600 GB 15k", 35.7, 4_100.0),
)


@dataclass(frozen=True)
class Measured:
    """A line of the measured submission: the metric and its mean response time."""

    metric: str
    value: float
    ms: float


#: 50 drives of 146 GB, 15,000 rpm.
SUBMISSION: Final = (
    Measured("RR", 17.255, 12.0),
    Measured("RW", 9.155, 7.0),
    Measured("SR", 3.01, 6.0),
    Measured("SW", 1.22, 9.0),
    Measured("MW1", 10.501, 13.0),
    Measured("MW2", 3.486, 4.0),
)

#: The untuned baseline: IOPS/W and MB/s/W; random reads are printed as "about 8".
BASELINE: Final = {"MW1": 5.6, "RR": 8.0, "SR": 0.42, "SW": 0.12}

#: Watts of the baseline, idle and under random reads.
BASELINE_IDLE_W: Final = 4_100.0
BASELINE_READ_W: Final = 4_600.0

#: "Power over all workloads varies only about 12 %."
POWER_SWING: Final = 0.12

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
