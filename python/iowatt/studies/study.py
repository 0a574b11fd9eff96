"""What a study is made of, and the studies by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from iowatt.base.errors import Argument, InputError
from iowatt.base.problems import suggestion

if TYPE_CHECKING:
    import polars as pl

    from iowatt.base.results import Note
    from iowatt.render.document import Section
    from iowatt.studies.result import ClaimVerdict
    from iowatt.studies.stages import StudyStage

NAMES: Final = (
    "arrays2002",
    "beyond2002",
    "dollars2014",
    "dollars2014live",
    "durability",
    "emerald2012",
    "hotband2013",
    "latency2015",
    "offloading2008",
)
"""Packages with a ``study.toml`` and a module ``evaluate``."""


@dataclass(frozen=True)
class Findings:
    """What a study found."""

    verdicts: Sequence[ClaimVerdict]
    sections: Sequence[Section]
    #: What every figure rests on: stand-ins, lengths, sources.
    notes: Sequence[Note]
    #: The table of all points.
    points: pl.DataFrame
    #: Key of the figure that is shown first.
    chart: str
    #: What the verdicts agree with.
    against: str = "what was published"


@dataclass(frozen=True)
class Study:
    """A study: its name and its question.

    The module ``evaluate`` of its package has the scales ``FULL`` and ``QUICK`` (how much is simulated, and
    how long), ``stages(scale)``, its sweeps, and ``findings(results, scale)``.
    """

    name: str
    title: str
    question: str
    source: str
    #: In place of ``FULL`` and ``QUICK``.
    scale: Any = None
    #: Which of the stages are run.
    keep: Callable[[StudyStage], bool] = lambda _stage: True


def studies() -> list[Study]:
    """All studies, by name."""
    return [find(name) for name in NAMES]


def find(name: str) -> Study:
    """The study with this name; raises ``InputError`` where there is none."""
    if name not in NAMES:
        hint = suggestion(name, list(NAMES), "studies")
        raise InputError("unknown-name", Argument("study"), f"there is no study {name!r}", hint=hint)
    from iowatt.studies.text import study_text

    text = study_text(name)
    return Study(name, text.title, text.question, text.source)
