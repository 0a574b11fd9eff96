"""What stands against the figures, and what they rest on."""

from __future__ import annotations

from typing import Any

from iowatt.emerald.report import blocks
from iowatt.emerald.report.blocks import Page, rows
from iowatt.emerald.report.inputs import Given
from iowatt.render.figure import Column

_ORDER = ("invalid", "non-compliant", "warning")


def findings(given: Given) -> Page:
    """Findings of the analysis, and warnings of load generator and instruments."""
    cells: list[list[Any]] = [
        [title, one.weight, one.text]
        for title, several in given.analysis.by_place()
        for one in sorted(several, key=lambda one: _ORDER.index(one.weight))
    ]
    cells += [["The report", "warning", remark] for remark in given.remarks]
    for stage, run in given.runs.items():
        for one in run.get("instruments") or []:
            for problem in one.get("problems") or [] if isinstance(one, dict) else []:
                if isinstance(problem, dict):
                    cells.append([stage, "warning", f"{one.get('name')}: {problem.get('text')}"])
    meaning = (
        "Invalid: the figure is no measurement. Non-compliant: it is one, but no Emerald result. "
        "Warning: something "
        "to know."
    )
    made = (
        [rows("Findings and warnings", blocks.text("Of", "Weight", "Finding"), cells, meaning)]
        if cells
        else []
    )
    return Page("findings", "Findings", made, [] if cells else ["Nothing was found against the measurement."])


def rules(given: Given) -> Page:
    """Rule values that were used and that nobody has verified."""
    found = given.analysis.rules
    sentences = [
        f"Rules: {found.profile} ({found.title}), SHA-256 {found.sha256}.",
        f"The measurement was {given.analysis.judged}.",
    ]
    cells = [
        [
            one.key, str(one.unknown if one.value is None else one.value), one.unit, one.mark,
            "; ".join(one.sources), one.note,
        ]
        for one in found.unverified
    ]  # fmt: skip
    made = []
    if cells:
        made.append(
            rows(
                "Unverified rule values used",
                blocks.text("Rule", "Value", "Unit", "Mark", "Source", "Note"),
                cells,
                "Nobody has compared these values with the specification.",
            )
        )
    return Page("rules", "Rules", made, sentences)


def files(given: Given) -> Page:
    """Digests of everything that the figures rest on."""
    made = [
        rows(
            "Files",
            [*blocks.text("File"), Column("Size", "bytes"), *blocks.text("SHA-256")],
            [[one.path, one.size, one.sha256] for one in given.files],
        )
    ]
    cells = [
        [stage, str(one.get("path")), one.get("size"), one.get("sha256")]
        for stage, run in given.runs.items()
        for one in (run.get("provenance") or {}).get("inputs") or []
        if isinstance(one, dict)
    ]
    if cells:
        columns = [*blocks.text("Stage", "Input"), Column("Size", "bytes"), *blocks.text("SHA-256")]
        made.append(rows("Inputs of the stages", columns, cells))
    return Page("files", "Files", made)
