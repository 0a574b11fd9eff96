"""The phases of the Emerald tests: titles, access and workload profiles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

FILL: Final = "fill"  #: The workload that writes the tested range once, as SW does.


@dataclass(frozen=True)
class EmeraldPhase:
    """A phase of the block tests."""

    title: str
    access: Literal["random", "sequential", "idle"]
    profile: str | None = None  #: The library's workload profile; None where there are no requests.
    read_percent: int | None = None  #: Reads in percent, where one stream has them all.

    @property
    def unit(self) -> Literal["IOPS", "MiB/s", "GB"]:
        """The unit of its operations rate; of ready idle, of its capacity."""
        return {"random": "IOPS", "sequential": "MiB/s", "idle": "GB"}[self.access]  # type: ignore[return-value]


PHASES: Final = {
    "HB": EmeraldPhase("Hot band", "random", "hot-band"),
    "MW1": EmeraldPhase("Mixed 70/30", "random", "emerald-1.0-mw1", 70),
    "MW2": EmeraldPhase("Mixed 70/30 at a quarter of the rate", "random", "emerald-1.0-mw2", 70),
    "RR": EmeraldPhase("Random read", "random", "emerald-1.0-rr", 100),
    "RW": EmeraldPhase("Random write", "random", "emerald-1.0-rw", 0),
    "SR": EmeraldPhase("Sequential read", "sequential", "emerald-1.0-sr"),
    "SW": EmeraldPhase("Sequential write", "sequential", "emerald-1.0-sw"),
    "RI": EmeraldPhase("Ready idle", "idle"),
}
RANDOM: Final = tuple(name for name, phase in PHASES.items() if phase.access == "random")
SEQUENTIAL: Final = (*(name for name, phase in PHASES.items() if phase.access == "sequential"), FILL)
