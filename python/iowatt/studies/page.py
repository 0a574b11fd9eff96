"""The page of a study: one HTML file with verdicts, tables and figures that needs nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from iowatt.render import html
from iowatt.render.figure import Cell, Column, Figure, Table

if TYPE_CHECKING:
    from iowatt.studies.study import Findings, Section, Study
    from iowatt.studies.verdict import Verdict

VERDICTS = "verdicts"


@dataclass(frozen=True)
class Claim:
    """A conclusion of the study over all that it was tried on."""

    text: str
    #: Cases that were tried, and those among them that differ.
    cases: int
    differing: Sequence[Verdict]
    untried: int = 0
    #: What is said of those: not tried, or not judged (see `Verdict.ceiling`).
    left: str = "not tried"

    @property
    def word(self) -> str:
        """The verdict in a word, or in how many cases it agrees."""
        if not self.cases:
            return self.left
        agree = self.cases - len(self.differing)
        said = "agree"
        if self.differing:
            said = f"agree in {agree} of {self.cases}" if agree else "differ"
        return f"{said}, {self.untried} {self.left}" if self.untried else said

    @property
    def agrees(self) -> bool:
        """Whether it was tried and nothing differs."""
        return bool(self.cases) and not self.differing


@dataclass(frozen=True)
class Page:
    """What a page says, before any markup."""

    study: Study
    meta: str
    claims: Sequence[Claim]
    notes: Sequence[str]
    verdicts: Figure
    sections: Sequence[Section]
    provenance: Sequence[tuple[str, str]]


def render(study: Study, findings: Findings, provenance: Sequence[tuple[str, str]]) -> str:
    """The page."""
    agree = sum(one.agrees for one in findings.verdicts)
    tried = sum(one.tried for one in findings.verdicts)
    left = Counter(one.word for one in findings.verdicts if not one.tried)
    page = Page(
        study,
        f"{findings.points.height:,} points · {agree} of {tried} verdicts agree"
        + "".join(f" · {count} {word}" for word, count in left.items()),
        claims(findings.verdicts),
        findings.notes,
        verdict_table(findings.verdicts),
        findings.sections,
        provenance,
    )
    drawn = {figure.key: figure for section in findings.sections for figure in section.figures}
    return html.render_page("study.html", {VERDICTS: page.verdicts, **drawn}, page=page)


def claims(verdicts: Sequence[Verdict]) -> list[Claim]:
    """The conclusions in order."""
    found: dict[str, list[Verdict]] = {}
    for one in verdicts:
        found.setdefault(one.key, []).append(one)
    return [
        Claim(
            cases[0].claim,
            sum(one.tried for one in cases),
            [one for one in cases if one.tried and not one.agrees],
            sum(not one.tried for one in cases),
            next((one.word for one in cases if not one.tried), "not tried"),
        )
        for cases in found.values()
    ]


def verdict_table(verdicts: Sequence[Verdict]) -> Figure:
    """All verdicts."""
    columns = [
        Column(title, text=True)
        for title in (
            "Conclusion",
            "Tried on",
            "Verdict",
            "Published",
            "Ours",
            "Why it differs",
            "Experiment",
        )
    ]
    rows: list[list[Cell]] = [
        [one.claim, one.case, one.word, one.published, one.ours, one.cause, one.experiment]
        for one in verdicts
    ]
    return Figure(
        VERDICTS,
        "Every verdict",
        "Each conclusion of the study on each workload and level that it was tried on.",
        Table(columns, rows),
        wide=True,
    )
