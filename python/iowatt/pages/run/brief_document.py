"""The document of a Run without its charts: what a terminal prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iowatt.lenses.evidence import run_doubt
from iowatt.lenses.findings import OVERLOAD, findings
from iowatt.pages.run.answer import answer
from iowatt.pages.run.headlines import headlines, particular
from iowatt.pages.run.provenance import origin, provenance
from iowatt.pages.run.recovery import Recovery
from iowatt.render.document import Caveat, Document, Section

if TYPE_CHECKING:
    from iowatt.run.bundle import Run


def brief(run: Run, *, key: str = "run1", title: str | None = None) -> Document:
    """The verdict, the first figures and the caveats of one Run; ``title`` replaces its name."""
    summary = run.summary
    notes = findings(run)
    overloaded = [note for note in notes if note.code in OVERLOAD]
    recovery = Recovery(run)
    deciding = {note["text"] for note in run.plan.get("notes") or () if note.get("decides")}
    sections = [recovery.section, budget(run)]
    return Document(
        key=key,
        kind="run",
        title=title or run.name,
        meta=origin(summary),
        verdict=[*recovery.sentences, *(note.text for note in overloaded), *answer(run)],
        headlines=[*headlines(summary, run_doubt(run, "tail")), *recovery.headlines, *particular(summary)],
        sections=[section for section in sections if section is not None],
        caveats=[
            *(Caveat(note.text, note.decides) for note in notes if note not in overloaded),
            *(Caveat(text, text in deciding) for text in summary["notes"]),
        ],
        provenance=provenance(summary),
        scenario=run.scenario_text,
    )


def budget(run: Run) -> Section | None:
    """Where response times go, hop by hop; None of a Run without a path."""
    if not run.has("hops"):
        return None
    from iowatt.pages.budget import section_of_run

    return section_of_run(run)
