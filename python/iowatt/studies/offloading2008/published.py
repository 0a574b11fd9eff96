"""What was published of the savings of schemes that move data, and of the volumes of an office's servers."""

from __future__ import annotations

from typing import Final

from iowatt.studies.text import StudyFile, printed, study_text

TEXT: Final = study_text("offloading2008")
WEEK_S: Final = 604_800


class PublishedSaving(StudyFile):
    """A published saving, and its range in percent where it has one."""

    work: str
    saving: str
    low: float = 0.0
    high: float = 100.0


class ServerVolume(StudyFile):
    """Requests of a volume in a week, how many of a hundred write, and which of the two is known."""

    requests: int
    writes: float
    known: str

    @property
    def rate(self) -> float:
        """Requests per second."""
        return self.requests / WEEK_S


class OffloadingFigures(StudyFile):
    """All published figures; volumes by their names."""

    savings: dict[str, PublishedSaving]
    volumes: dict[str, ServerVolume]


PRINTED: Final = printed("offloading2008", OffloadingFigures)
