"""The words and published figures of a study, from ``study.toml`` and ``published.toml`` in its package.

Every text of ``study.toml`` is a format string (``{drives:,} drives``); the code that computes a figure
passes the values.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict

from iowatt.base.results import Note
from iowatt.render.figure import Cell, Figure, Spec, Table
from iowatt.studies.figures import table
from iowatt.studies.result import ClaimVerdict
from iowatt.studies.stages import filled


class StudyFile(BaseModel):
    """A table of a file of a study."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class FigureText(StudyFile):
    """The words of a table, and of the chart above it."""

    title: str
    caption: str = ""
    #: Headings as :func:`iowatt.studies.figures.table` reads them; empty where the code makes the table.
    columns: str = ""
    #: Of a table whose rows are words.
    rows: Sequence[Sequence[str]] = ()
    wide: bool = False


class ClaimText(StudyFile):
    """A published claim, what was published, and why ours may differ."""

    claim: str
    published: str = ""
    cause: str = ""
    experiment: str = ""


class Reason(StudyFile):
    """Why a figure of ours differs, and the runs that show it."""

    cause: str
    experiment: str


class StudyText(StudyFile):
    """All words of a study."""

    title: str
    question: str
    #: Who published it, and where.
    source: str
    #: How ``--quick`` reduces the study.
    reduced: str
    #: What the figures rest on, by code.
    notes: Mapping[str, str]
    tables: Mapping[str, FigureText]
    claims: Mapping[str, ClaimText]
    #: Causes that the code chooses from, by name.
    causes: Mapping[str, str] = {}
    reasons: Mapping[str, Reason] = {}
    #: Parts of scenarios with ``${names}``, by name.
    fragments: Mapping[str, str] = {}

    def figure(
        self,
        key: str,
        rows: Table | Sequence[Sequence[Cell]] | None = None,
        chart: Spec | None = None,
        *,
        part: str = "",
        remarks: Sequence[str] = (),
        **values: Any,
    ) -> Figure:
        """A table with its words, and a chart; ``part`` distinguishes figures that share their words."""
        words = self.tables[key]
        if rows is None:
            rows = [[cell.format(**values) for cell in row] for row in words.rows]
        if not isinstance(rows, Table):
            rows = table(words.columns, rows)
        title, caption = words.title.format(**values), words.caption.format(**values)
        name = f"{key}-{part}" if part else key
        return Figure(name, title, caption, rows, chart, list(remarks), wide=words.wide)

    def judge(
        self,
        key: str,
        case: str,
        *,
        ours: str,
        agrees: bool = False,
        tried: bool = True,
        ceiling: str = "",
        why: Callable[[], tuple[str, str]] | None = None,
        **values: Any,
    ) -> ClaimVerdict:
        """The verdict on a claim; it says why ours differs only where it does.

        ``why`` finds cause and experiment of a difference. ``published``, ``cause`` and ``experiment`` among
        the values stand for those of the file. A claim that is not ``tried`` neither agrees nor differs.
        """
        words = self.claims[key]

        def text(name: str) -> str:
            return values[name] if name in values else str(getattr(words, name)).format(**values)

        cause = experiment = ""
        if ceiling:
            cause, experiment = ceiling, text("experiment")
        elif tried and not agrees:
            cause, experiment = why() if why is not None else (text("cause"), text("experiment"))
        return ClaimVerdict(
            key=key, claim=text("claim"), case=case, published=text("published"), ours=ours, agrees=agrees,
            cause=cause, experiment=experiment, tried=tried and not ceiling, ceiling=ceiling,
        )  # fmt: skip

    def fragment(self, key: str, /, **values: str | float) -> str:
        """A part of a scenario with these values for its ``${names}``."""
        return filled(self.fragments[key], values)

    def noted(self, *, reduced: bool, left_out: Sequence[str] = (), **values: Any) -> list[Note]:
        """The notes, but those with the codes ``left_out``; of a reduced study first how it is reduced."""
        warning = f"This is the reduced run (--quick): {self.reduced}, for a look, not for figures."
        first = [Note(code="reduced", text=warning, decides=True)] if reduced else []
        kept = {code: text for code, text in self.notes.items() if code not in left_out}
        return [*first, *(Note(code=code, text=text.format(**values)) for code, text in kept.items())]


Figures = TypeVar("Figures", bound=StudyFile)


def printed(name: str, model: type[Figures]) -> Figures:
    """The published figures of a study, from ``published.toml`` in its package."""
    return model.model_validate(_read(name, "published.toml"))


@cache
def study_text(name: str) -> StudyText:
    """The words of the study with this name."""
    return StudyText.model_validate(_read(name, "study.toml"))


def _read(name: str, file: str) -> dict[str, Any]:
    return tomllib.loads((files("iowatt.studies") / name / file).read_text("utf-8"))
