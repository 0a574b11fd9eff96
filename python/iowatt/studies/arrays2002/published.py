"""What Gurumurthi et al. 2002 (Penn State CSE-02-014) printed: tables, text, and what follows from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from iowatt.studies.text import study_text

TEXT: Final = study_text("arrays2002")

#: Table 1, W: the drive idle, at work or seeking, in standby; 15 s down and 26 s up.
IDLE_W: Final = 22.3
ACTIVE_W: Final = 39.0
STANDBY_W: Final = 12.72
SPIN_UP_W: Final = 34.8
SPIN_UP_S: Final = 26.0
SPIN_DOWN_S: Final = 15.0

#: Table 1: the array that is left unless something varies.
DISKS: Final = 32
UNIT_KIB: Final = 16


@dataclass(frozen=True)
class Published:
    """What the study printed of one workload."""

    profile: str
    name: str
    hours: float
    requests: float
    write_percent: float
    spans: str  # which writes: "one" unit, or "over two"
    span_percent: float
    interarrival_ms: float
    #: Table 2: autocorrelation of idle periods at lags 1 to 5, by level.
    correlation: dict[int, tuple[float, ...]]
    #: Table 3, at 30 disks.
    seeks: dict[int, str]
    distance: dict[int, str]
    #: Table 4.
    queue: dict[int, str]
    tail: str
    #: Table 5: disks and stripe unit (KiB) that are best for T, E and E x T, by level.
    best: dict[int, dict[str, tuple[int, int]]]
    #: Derived: idle watts x mean inter-arrival time of the array, J per request and disk.
    slope_j: float

    @property
    def iops(self) -> float:
        """Requests per second."""
        return self.requests / (self.hours * 3600)

    @property
    def write_iops(self) -> float:
        """Writes per second."""
        return self.iops * self.write_percent / 100


TPCC: Final = Published(
    "arrays2002-tpcc", "TPC-C", 12.06, 6.15e6, 14.56, "one", 98.17, 119.78,
    {4: (-0.064, 0.070, 0.037, 0.045, 0.031), 5: (-0.044, 0.087, 0.058, 0.057, 0.050),
     10: (0.014, 0.076, 0.057, 0.043, 0.049)},
    {4: "3.6 M", 5: "3.5 M", 10: "4.55 M"},
    {4: "0.316", 5: "0.309", 10: "0.999"},
    {4: "1.01", 5: "1.01", 10: "1.01"},
    "under 1 % over 2 s",
    {4: {"T": (32, 4), "E": (24, 256), "ET": (24, 4)},
     5: {"T": (32, 4), "E": (24, 256), "ET": (24, 4)},
     10: {"T": (32, 4), "E": (30, 256), "ET": (30, 256)}},
    0.1574,
)  # fmt: skip
TPCH: Final = Published(
    "arrays2002-tpch", "TPC-H", 45.9, 18e6, 8.76, "over two", 99.97, 59.01,
    {4: (0.066, 0.101, 0.083, 0.090, 0.085), 5: (0.085, 0.130, 0.115, 0.120, 0.116),
     10: (0.092, 0.139, 0.118, 0.125, 0.121)},
    {4: "70 to 82 M", 5: "70 to 82 M", 10: "70 to 82 M"},
    {4: "266 to 540", 5: "266 to 540", 10: "266 to 540"},
    {4: "1.01 to 1.40, parity disk 47 to 75", 5: "not told apart", 10: "not told apart"},
    "none visible over 1 s",
    {4: {"T": (38, 8), "E": (24, 256), "ET": (38, 8)},
     5: {"T": (38, 32), "E": (24, 256), "ET": (32, 32)},
     10: {"T": (38, 8), "E": (30, 256), "ET": (30, 64)}},
    0.2047,
)  # fmt: skip

WORKLOADS: Final = {"tpcc": TPCC, "tpch": TPCH}

#: The largest autocorrelation that Table 2 prints, of either sign.
LARGEST_CORRELATION: Final = max(
    abs(r) for one in WORKLOADS.values() for series in one.correlation.values() for r in series
)

#: Figure 1 sets processors against disks. The watts of a processor of those servers, as its maker states
#: them: power dissipation of the boxed Pentium III Xeon, 700 MHz, 2 MB (Intel support page CS-007550).
PROCESSOR: Final = "Pentium III Xeon 700 MHz, 2 MB"
PROCESSOR_W: Final = 32.0
PROCESSORS: Final = 8
