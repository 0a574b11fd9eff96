"""The phases of the Emerald tests: titles, access and workload profiles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

FILL: Final = "fill"  #: The workload that writes the tested range once, as SW does.


@dataclass(frozen=True)
class TestPhase:
    """A phase of the block tests."""

    __test__ = False  # nothing for pytest

    title: str
    access: Literal["random", "sequential", "idle"]
    profile: str | None = None  #: The library's workload profile; None where there are no requests.
    read_percent: int | None = None  #: Reads in percent, where one stream has them all.

    @property
    def unit(self) -> Literal["IOPS", "MiB/s", "GB"]:
        """The unit of its operations rate; of ready idle, of its capacity."""
        return {"random": "IOPS", "sequential": "MiB/s", "idle": "GB"}[self.access]  # type: ignore[return-value]


PHASES: Final = {
    "HB": TestPhase("Hot band", "random", "hot-band"),
    "MW1": TestPhase("Mixed 70/30", "random", "emerald-1.0-mw1", 70),
    "MW2": TestPhase("Mixed 70/30 at a quarter of the rate", "random", "emerald-1.0-mw2", 70),
    "RR": TestPhase("Random read", "random", "emerald-1.0-rr", 100),
    "RW": TestPhase("Random write", "random", "emerald-1.0-rw", 0),
    "SR": TestPhase("Sequential read", "sequential", "emerald-1.0-sr"),
    "SW": TestPhase("Sequential write", "sequential", "emerald-1.0-sw"),
    "RI": TestPhase("Ready idle", "idle"),
}
RANDOM: Final = tuple(name for name, phase in PHASES.items() if phase.access == "random")
SEQUENTIAL: Final = (*(name for name, phase in PHASES.items() if phase.access == "sequential"), FILL)
