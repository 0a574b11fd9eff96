"""What a page and a terminal show of a study."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Figure
from iowatt.studies.figures import table

if TYPE_CHECKING:
    from iowatt.studies.result import ClaimVerdict, StudyList, StudyResult
    from iowatt.studies.study import Findings


def document(result: StudyResult, findings: Findings) -> Document:
    """The document of a finished study; ``findings`` has the charts, which the result does not."""
    verdicts = result.verdicts
    left = Counter(one.verdict for one in verdicts if not one.tried)
    agreeing, tried = sum(one.agrees for one in verdicts), sum(one.tried for one in verdicts)
    figures = [figure for section in findings.sections for figure in section.figures]
    provenance = [
        ("Command", result.command or ""),
        ("Extent", "reduced (--quick)" if result.quick else "whole"),
        ("iowatt", result.version),
        ("Seed", "1 for all points"),
    ]
    return Document(
        key="study",
        kind="study",
        title=result.title,
        meta=f"{result.source} · {result.points:,} points",
        verdict=[
            f"{agreeing} of {tried} verdicts agree with {findings.against}"
            + "".join(f"; {count} {word}" for word, count in left.items())
            + ".",
            result.question,
        ],
        chart=next((figure for figure in figures if figure.key == findings.chart), None),
        sections=[
            Section("claims", "Conclusions", [_claims(verdicts)]),
            *(
                Section(part.key, part.title, [one for one in part.figures if one.key != findings.chart])
                for part in findings.sections
            ),
            Section("every", "Every verdict", [_verdicts(verdicts)], folded=True),
        ],
        caveats=[Caveat(note.text, note.decides) for note in result.notes],
        provenance=[(title, value) for title, value in provenance if value],
    )


def listing(result: StudyList) -> Document:
    """The document of the studies that can be run."""
    rows = [[one.name, one.title, one.source] for one in result.studies]
    figure = Figure("list", "Studies", "", table("Name | Title | Published", rows), wide=True, brief=True)
    return Document(
        "studies", "studies", "Published studies", sections=[Section("list", "Studies", [figure])]
    )


def claim_verdict(cases: Sequence[ClaimVerdict]) -> str:
    """The verdict on a claim over all cases that it was tried on: in how many of them it agrees."""
    tried = [one for one in cases if one.tried]
    left = [one.verdict for one in cases if not one.tried]
    if not tried:
        return left[0]
    agreeing = sum(one.agrees for one in tried)
    word = "agree" if agreeing == len(tried) else "differ"
    if 0 < agreeing < len(tried):
        word = f"agree in {agreeing} of {len(tried)}"
    return f"{word}, {len(left)} {left[0]}" if left else word


def _claims(verdicts: Sequence[ClaimVerdict]) -> Figure:
    by_key: dict[str, list[ClaimVerdict]] = {}
    for verdict in verdicts:
        by_key.setdefault(verdict.key, []).append(verdict)
    rows = [[cases[0].claim, claim_verdict(cases)] for cases in by_key.values()]
    caption = "Causes and experiments are in the table of every verdict."
    return Figure(
        "claims", "Conclusions", caption, table("Conclusion | Verdict", rows), wide=True, brief=True
    )


def _verdicts(verdicts: Sequence[ClaimVerdict]) -> Figure:
    rows = [
        [one.claim, one.case, one.verdict, one.published, one.ours, one.cause, one.experiment]
        for one in verdicts
    ]
    return Figure(
        "verdicts",
        "Every verdict",
        "Each conclusion of the study on each workload and level that it was tried on.",
        table("Conclusion | Tried on | Verdict | Published | Ours | Why it differs | Experiment", rows),
        wide=True,
    )
