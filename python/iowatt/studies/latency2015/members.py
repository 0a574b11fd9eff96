"""The family of calibrations: answers that all give 0.5 ms before and 0.25 ms after, and what they were
solved for.

What distinguishes them by construction is what a read costs a processor, how many processors serve the
host port, or what is asked beside the two means. Visit, time of a read and latency of the copy are what
``scripts/fit_latency2015.py`` prints: one procedure for all of them (the equations of the station, then the
simulated system's own difference taken from the target, until both means are within 0.2 %).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from iowatt.studies.latency2015.equations import Solved, Station

#: The part of a write's latency at the array besides visits and copy: exchange, port, transfer.
EXCHANGE_US: Final = 17.9


@dataclass(frozen=True)
class Member:
    """One calibration: what was asked, and what was solved; times in us."""

    key: str
    title: str
    why: str
    processors: int
    #: Time of a processor for a read: given, or solved where ``best_us`` is.
    read_us: float
    #: Latency of a write alone, after, where the calibration includes it.
    best_us: float | None
    #: Time of a processor for each visit of a write.
    visit_us: float
    #: From the end of the copy's transfer to the partner's answer.
    copy_us: float

    @property
    def equation(self) -> Solved:
        """What the equations of the station make of it, whose visits know nothing of one another."""
        station = Station(self.read_us * 1e-6, self.visit_us * 1e-6, self.processors)
        return Solved(station, (EXCHANGE_US + self.copy_us) * 1e-6)


MEMBERS: Final = (
    Member("writes-alone", "writes alone", "reads cost the processor nothing", 1, 0.0, None, 152.1, 62.7),
    Member("reads-30", "reads of 30 us", "a read costs a processor 30 us", 1, 30.0, None, 127.2, 85.2),
    Member("reads-60", "reads of 60 us", "a read costs a processor 60 us", 1, 60.0, None, 98.6, 94.9),
    Member("reads-90", "reads of 90 us", "a read costs a processor 90 us", 1, 90.0, None, 58.6, 73.4),
    Member(
        "best-62",
        "62 us at best",
        "a write that meets nobody takes the published 62 us; the time of reads follows",
        1,
        108.0,
        62.0,
        26.7,
        17.4,
    ),
    Member(
        "two-processors",
        "two processors",
        "two processors serve the port, a read costs one 150 us",
        2,
        150.0,
        None,
        138.1,
        49.8,
    ),
)

BY_KEY: Final = {member.key: member for member in MEMBERS}
#: Shown where one has to stand for all: figures over time, contributors, services.
REFERENCE: Final = "reads-30"
