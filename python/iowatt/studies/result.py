"""What a study found, ``iowatt.study/1``, and the list of the studies, ``iowatt.studies/1``."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, computed_field, model_validator

from iowatt.base.results import Note, Result, ResultDocument
from iowatt.render.figure import Cell


class ClaimVerdict(Result):
    """Whether a published claim holds here.

    A verdict that differs has a cause and an experiment. A claim that a reduced study cannot judge is not
    tried, and neither agrees nor differs; nor does one that an assumed ``ceiling`` decides: a figure that
    stops at an assumed limit is no evidence.
    """

    key: str
    claim: str
    #: What it was tried on: workload, source, RAID level.
    case: str
    published: str
    ours: str
    agrees: bool
    #: Why it differs.
    cause: str = ""
    #: What was measured that shows the cause.
    experiment: str = ""
    tried: bool = True
    #: The assumed limit that decides the figure; empty where none does.
    ceiling: str = ""

    @model_validator(mode="after")
    def _check(self) -> ClaimVerdict:
        if self.ceiling and self.tried:
            raise ValueError(f"{self.key} ({self.case}) is judged though an assumption decides it")
        if self.agrees and not self.tried:
            raise ValueError(f"{self.key} ({self.case}) agrees though it was not tried")
        if self.tried and not self.agrees and not (self.cause and self.experiment):
            raise ValueError(f"{self.key} ({self.case}) differs without a cause and an experiment")
        return self

    @computed_field  # type: ignore[prop-decorator]
    @property
    def verdict(self) -> Literal["agree", "differ", "not tried", "not judged"]:
        """The verdict in a word."""
        if self.ceiling:
            return "not judged"
        if not self.tried:
            return "not tried"
        return "agree" if self.agrees else "differ"


class StudyFigure(Result):
    """A figure as the rows of its table."""

    key: str
    title: str
    caption: str
    remarks: list[str]
    columns: list[str]
    rows: list[list[Cell]]


class StudyFiles(Result):
    """Names of the files in the directory of a study."""

    page: str = "report.html"
    parquet: str = "points.parquet"
    csv: str = "points.csv"
    sweeps: str = "sweeps"
    live: str = "live"


class StudyResult(ResultDocument):
    """What a finished study found."""

    schema_id: Literal["iowatt.study/1"] = Field(default="iowatt.study/1", alias="schema")
    study: str
    version: str  # of iowatt
    quick: bool
    command: str | None
    finished: Literal[True] = True
    title: str
    question: str
    source: str
    notes: list[Note]
    verdicts: list[ClaimVerdict]
    figures: list[StudyFigure]
    points: int
    files: StudyFiles = StudyFiles()


class StudyEntry(Result):
    """A study that can be run."""

    name: str
    title: str
    question: str
    source: str


class StudyList(ResultDocument):
    """The studies that can be run."""

    schema_id: Literal["iowatt.studies/1"] = Field(default="iowatt.studies/1", alias="schema")
    studies: list[StudyEntry]
