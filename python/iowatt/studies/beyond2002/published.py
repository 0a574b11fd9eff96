"""What arrays2002 says of spinning disks down, and what it left open."""

from __future__ import annotations

from typing import Final

from iowatt.studies.text import StudyFile, printed, study_text

TEXT: Final = study_text("beyond2002")


class OracleFigures(StudyFile):
    """Percent that an oracle saves, and what was expected of the work that was left."""

    tpcc: str
    most: str
    below: float
    expected: str
    laptop: str
    batching: str
    prediction: str


class BeyondFigures(StudyFile):
    """All of it."""

    oracle: OracleFigures


PRINTED: Final = printed("beyond2002", BeyondFigures).oracle
