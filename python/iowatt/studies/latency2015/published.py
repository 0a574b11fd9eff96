"""What Demartek printed of HP's Express Writes on a 3PAR StoreServ 7450 in 2015, and others of the same
feature; and the calibrations that give its two means."""

from __future__ import annotations

from typing import Final

from iowatt.studies.latency2015.equations import ProcessorStation, SolvedStation
from iowatt.studies.text import StudyFile, printed, study_text

TEXT: Final = study_text("latency2015")

#: Ours have to be as near as that.
LATENCY_TOLERANCE: Final = 0.05
BANDWIDTH_TOLERANCE: Final = 0.01
#: The part of a write's latency at the array besides visits and copy: exchange, port, transfer.
EXCHANGE_US: Final = 17.9


class HistogramPoint(StudyFile):
    """A point of a published histogram: the shares of the writes within a time, feature off and on."""

    name: str
    within_ms: float
    before: float
    after: float


class CalibrationFigures(StudyFile):
    """One calibration, times in us: what was given, and what was solved."""

    title: str
    why: str
    processors: int = 1
    #: Time of a processor for a read: given, or solved where ``best_us`` is.
    read_us: float
    #: Latency of a write alone, after, where the calibration includes it.
    best_us: float | None = None
    #: Time of a processor for each visit of a write.
    visit_us: float
    #: From the end of the copy's transfer to the partner's answer.
    copy_us: float


class Member(CalibrationFigures):
    """A calibration with its key."""

    key: str

    @property
    def equation(self) -> SolvedStation:
        """What the equations of the station make of it, whose visits are independent of one another."""
        station = ProcessorStation(self.read_us * 1e-6, self.visit_us * 1e-6, self.processors)
        return SolvedStation(station, (EXCHANGE_US + self.copy_us) * 1e-6)


class LatencyFigures(StudyFile):
    """All published figures, and the calibrations."""

    before_ms: float
    after_ms: float
    spike_ms: float
    drives: int
    users: int
    best_case_ms: float
    below_ms: float
    reads_per_write: float
    installed_base: HistogramPoint
    storeserv_10400: HistogramPoint
    members: dict[str, CalibrationFigures]


PRINTED: Final = printed("latency2015", LatencyFigures)

MEMBERS: Final = tuple(Member(key=key, **dict(one)) for key, one in PRINTED.members.items())
"""The family: answers that all give 0.5 ms before and 0.25 ms after. By construction they differ in what a
read costs a processor, how many processors serve the host port, or what is required besides the two means."""
BY_KEY: Final = {member.key: member for member in MEMBERS}
REFERENCE: Final = "reads-30"
"""Shown where one has to stand for all: figures over time, contributors, services."""
