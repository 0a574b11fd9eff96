"""What a study is made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from iowatt.render.figure import Figure
from iowatt.studies.stage import Stage
from iowatt.studies.verdict import Verdict

if TYPE_CHECKING:
    import polars as pl

    from iowatt.studies.results import Results


@dataclass(frozen=True)
class Section:
    """Figures under a heading."""

    key: str
    title: str
    figures: Sequence[Figure]


@dataclass(frozen=True)
class Findings:
    """What a study found."""

    verdicts: Sequence[Verdict]
    sections: Sequence[Section]
    #: What every figure rests on: stand-ins, lengths, sources.
    notes: Sequence[str]
    #: The table of all points.
    points: pl.DataFrame


@dataclass(frozen=True)
class Study:
    """A study: its name, what it asks, its stages and how they are evaluated."""

    name: str
    title: str
    question: str
    source: str
    stages: Callable[[bool], Sequence[Stage]]
    evaluate: Callable[[Results, bool], Findings]
    about: dict[str, Any] = field(default_factory=dict)
