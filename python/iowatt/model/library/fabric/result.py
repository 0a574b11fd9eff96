"""What the library tells of the parts of paths: ``iowatt.fabric/1`` and ``iowatt.fabric-part/1``."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from iowatt.base.results import Result, ResultDocument
from iowatt.model.library.source import Quality


class PathPartSummary(Result):
    """One part in a row."""

    name: str
    kind: Literal[
        "link", "switch", "adapter", "protocol", "server", "network-adapter", "rack-switch"
    ]  # fmt: skip
    title: str
    #: Media that it is for; None where it is for any.
    media: list[str | None]
    in_short: str
    #: Figures that are recalled or assumed.
    unverified: list[str]


class PathPartList(ResultDocument):
    """Parts of the library."""

    schema_id: Literal["iowatt.fabric/1"] = Field(default="iowatt.fabric/1", alias="schema")
    parts: list[PathPartSummary]


class PathPartFigure(Result):
    """A figure of a part, in the unit ``unit``, with its source."""

    figure: str
    value: Any  #: A number, a word, or a list of them.
    unit: str | None
    text: str
    meaning: str
    quality: Quality | None
    date: str | None  #: When the source was published: a year, or year and month.
    source: str | None


class PathPartDescription(PathPartSummary, ResultDocument):
    """All figures of one part."""

    schema_id: Literal["iowatt.fabric-part/1"] = Field(default="iowatt.fabric-part/1", alias="schema")
    figures: list[PathPartFigure]
    assumptions: list[str]
    notes: list[str]
