"""The phases of the Emerald tests: titles, access and workload profiles.

Those of file access are in the manner of SPEC SFS 2014's workloads, by iowatt's own generator, and have names
of their own, so that none of their figures passes for one of SPEC SFS.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

FILL: Final = "fill"  #: The workload that writes the tested range once, as SW does.


@dataclass(frozen=True)
class EmeraldPhase:
    """A phase of the tests."""

    title: str
    access: Literal["random", "sequential", "idle", "file"]
    profile: str | None = (
        None  #: The library's workload profile, or mix of file operations; None where there are no requests.
    )
    read_percent: int | None = None  #: Reads in percent, where one stream has them all.

    @property
    def unit(self) -> Literal["IOPS", "MiB/s", "GB", "ops/s"]:
        """The unit of its operations rate; of ready idle, of its capacity."""
        units: dict[str, Literal["IOPS", "MiB/s", "GB", "ops/s"]] = {
            "random": "IOPS", "sequential": "MiB/s", "idle": "GB", "file": "ops/s",
        }  # fmt: skip
        return units[self.access]


PHASES: Final = {
    "HB": EmeraldPhase("Hot band", "random", "hot-band"),
    "MW1": EmeraldPhase("Mixed 70/30", "random", "emerald-1.0-mw1", 70),
    "MW2": EmeraldPhase("Mixed 70/30 at a quarter of the rate", "random", "emerald-1.0-mw2", 70),
    "RR": EmeraldPhase("Random read", "random", "emerald-1.0-rr", 100),
    "RW": EmeraldPhase("Random write", "random", "emerald-1.0-rw", 0),
    "SR": EmeraldPhase("Sequential read", "sequential", "emerald-1.0-sr"),
    "SW": EmeraldPhase("Sequential write", "sequential", "emerald-1.0-sw"),
    "FDB": EmeraldPhase("Database, file access", "file", "database"),
    "FSB": EmeraldPhase("Software build, file access", "file", "swbuild"),
    "FVA": EmeraldPhase("Video data acquisition, file access", "file", "vda"),
    "RI": EmeraldPhase("Ready idle", "idle"),
}
FILE_ACCESS: Final = tuple(name for name, phase in PHASES.items() if phase.access == "file")
RANDOM: Final = tuple(name for name, phase in PHASES.items() if phase.access == "random")
SEQUENTIAL: Final = (*(name for name, phase in PHASES.items() if phase.access == "sequential"), FILL)
