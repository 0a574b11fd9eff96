"""What a study is made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from iowatt.evaluate.search.over import Axis
from iowatt.evaluate.search.rate import Asked
from iowatt.render.figure import Cell, Figure
from iowatt.studies.verdict import Verdict

if TYPE_CHECKING:
    import polars as pl

    from iowatt.studies.results import Results


@dataclass(frozen=True)
class Stage:
    """One sweep of a study: a scenario and what varies in it.

    ``said`` are columns that tell its points from those of other stages in the table of all points.
    """

    key: str
    text: str
    #: What file names in ``text`` are relative to.
    base: Path
    axes: Sequence[Axis]
    said: dict[str, Cell]
    #: Whether the Runs themselves are kept, for what no table of a sweep holds.
    bundles: bool = False
    #: How points are judged at a response limit; None: as their scenarios say.
    within: Asked | None = None


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
