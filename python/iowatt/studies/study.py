"""What a study is made of, and the studies by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Final

from iowatt.base.errors import Argument, InputError
from iowatt.base.problems import suggestion
from iowatt.base.results import Note

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

    from iowatt.evaluate.search.axes import Axis
    from iowatt.evaluate.search.rate import Asked
    from iowatt.render.document import Section
    from iowatt.render.figure import Cell
    from iowatt.studies.result import Verdict
    from iowatt.studies.results import Results

NAMES: Final = ("arrays2002", "dollars2014", "emerald2012", "hotband2013", "latency2015", "offloading2008")
"""Packages with a ``STUDY``."""


@dataclass(frozen=True)
class Stage:
    """One sweep of a study: a scenario and what varies in it."""

    key: str
    text: str
    #: Directory that file names in ``text`` are relative to.
    base: Path
    axes: Sequence[Axis]
    #: Columns that tell its points from those of other stages in the table of all points.
    labels: Mapping[str, Cell]
    #: Whether the Runs themselves are kept, for what no table of a sweep holds.
    bundles: bool = False
    #: How points are judged at a response limit; None: as their scenarios say.
    within: Asked | None = None


@dataclass(frozen=True)
class Findings:
    """What a study found."""

    verdicts: Sequence[Verdict]
    sections: Sequence[Section]
    #: What every figure rests on: stand-ins, lengths, sources.
    notes: Sequence[Note]
    #: The table of all points.
    points: pl.DataFrame
    #: Key of the figure that is shown first.
    chart: str


@dataclass(frozen=True)
class Study:
    """A study: its name, and what it asks."""

    name: str
    title: str
    question: str
    source: str
    #: Stages and evaluation by whether the study is the reduced one (``--quick``); left out, those of the
    #: module ``evaluate`` of its package, which is heavy to import.
    stages: Callable[[bool], Sequence[Stage]] | None = None
    evaluate: Callable[[Results, bool], Findings] | None = None

    def loaded(self) -> tuple[Callable[[bool], Sequence[Stage]], Callable[[Results, bool], Findings]]:
        """``stages`` and ``evaluate``."""
        module = import_module(f"iowatt.studies.{self.name}.evaluate")
        return self.stages or module.stages, self.evaluate or module.evaluate


def studies() -> list[Study]:
    """All studies, by name."""
    return [find(name) for name in NAMES]


def find(name: str) -> Study:
    """The study with this name; raises ``InputError`` where there is none."""
    if name not in NAMES:
        hint = suggestion(name, list(NAMES), "studies")
        raise InputError("unknown-name", Argument("study"), f"there is no study {name!r}", hint=hint)
    study: Study = import_module(f"iowatt.studies.{name}").STUDY
    return study


def notes(sentences: Mapping[str, str], *, reduced: str = "") -> list[Note]:
    """Notes by their codes; ``reduced`` warns of a reduced study, first."""
    first = [Note(code="reduced", text=reduced, decides=True)] if reduced else []
    return [*first, *(Note(code=code, text=text) for code, text in sentences.items())]
