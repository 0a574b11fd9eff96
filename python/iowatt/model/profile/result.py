"""What ``iowatt trace profiles`` returns: the profiles of the library, or one of them."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from iowatt.base.results import Result, ResultDocument


class _ProfileFigures(Result):
    """A profile in a few figures; None where a figure is to be given."""

    name: str
    title: str
    streams: int
    rate_iops: float | None
    span_bytes: int | None
    read_percent: float | None
    mean_bytes: float | None
    #: Key paths of figures from memory, and of assumed ones; a key that several streams have is one entry.
    unverified: list[str]
    assumed: list[str]


class ProfileSummary(_ProfileFigures):
    """A profile of the library, and the figures that it lacks."""

    missing: list[str]


class ProfileListing(ResultDocument):
    """The profiles of the library."""

    schema_id: Literal["iowatt.profiles/1"] = Field(default="iowatt.profiles/1", alias="schema")
    profiles: list[ProfileSummary]


class FigureMark(Result):
    """How good a figure is, and where it comes from."""

    quality: str
    source: str


class MissingFigure(Result):
    """A figure that is not published."""

    figure: str
    why: str


class ShownProfile(_ProfileFigures, ResultDocument):
    """One profile: its tables as its file has them, in SI units, and the source of each figure."""

    schema_id: Literal["iowatt.profile-show/1"] = Field(default="iowatt.profile-show/1", alias="schema")
    notes: list[str]
    size: int | None
    sizes: list[dict[str, Any]] | None
    arrivals: dict[str, Any] | None
    stream: list[dict[str, Any]]
    envelope: list[dict[str, Any]]
    phase: list[dict[str, Any]]
    #: By key path; None for a figure without a source.
    figures: dict[str, FigureMark | None]
    missing: list[MissingFigure]
