"""The result of ``iowatt trace export``: the file, what it cannot express, and fio's run of it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from iowatt.base.results import Note, Result, ResultDocument
from iowatt.sources.export.loads import ExportOmission


class CheckedFigure(Result):
    """A figure of one stream (or of ``all``); ``difference`` is observed less asked."""

    stream: str
    figure: str
    unit: str
    asked: float
    observed: float
    difference: float

    @classmethod
    def of(cls, stream: str, figure: str, unit: str, asked: float, observed: float) -> CheckedFigure:
        """With the difference."""
        difference = observed - asked
        return cls(
            stream=stream, figure=figure, unit=unit, asked=asked, observed=observed, difference=difference
        )


class FioCheck(Result):
    """A run of fio compared with the profile."""

    fio: str  #: Its version.
    target: str
    rows: list[CheckedFigure]
    requests: int
    largest_share_difference: float  #: In points.
    sampling_error: float  #: Standard error of a share of one half, in points.
    within: bool  #: No share is off by more than a point.
    notes: list[Note]


class ExportedJob(Result):
    """A job of the file, and the stream it makes."""

    name: str
    stream: str


class ProfileExport(ResultDocument):
    """A profile as a file for a load generator."""

    schema_id: Literal["iowatt.trace-export/1"] = Field(default="iowatt.trace-export/1", alias="schema")
    profile: str
    to: str
    path: str | None
    text: str
    target: str
    span_bytes: int
    duration_s: float
    seed: int
    streams: list[str]
    jobs: list[ExportedJob]
    not_expressed: list[ExportOmission]
    notes: list[Note]
    check: FioCheck | None
