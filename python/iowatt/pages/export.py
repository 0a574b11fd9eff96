"""What ``iowatt trace export`` shows: the file, what it cannot express, and what fio made of it."""

from __future__ import annotations

from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Cell, Column, Figure, Table
from iowatt.sources.export import describe_omissions
from iowatt.sources.export.result import FioCheck, ProfileExport


def document(found: ProfileExport) -> Document:
    """The document of an export."""
    check, sections = found.check, []
    lines = [f"not expressed: {line}" for line in describe_omissions(found.not_expressed)]
    if lines:
        sections.append(Section("omissions", "Not expressed", [], lines))
    verdict = []
    if check is not None:
        verdict.append(
            f"{check.fio} made {check.requests:,} requests: the share of a stream is off by "
            f"{check.largest_share_difference:.2f} points at most; 1 is accepted."
        )
        sections.append(Section("check", "Check", [_comparison(check)]))
    notes = [*found.notes, *(check.notes if check is not None else ())]
    return Document(
        key="export",
        kind=f"file of {found.to}",
        title=found.path or found.profile,
        meta=f"{len(found.jobs)} jobs of {found.to}, {found.duration_s:g} s, on {found.target}",
        verdict=verdict,
        sections=sections,
        caveats=[Caveat(note.text, note.decides) for note in notes],
    )


def _comparison(check: FioCheck) -> Figure:
    columns = [
        Column("Stream", text=True), Column("Figure", text=True), Column("Unit", text=True),
        Column("Asked"), Column("Observed"), Column("Difference", rank=1),
    ]  # fmt: skip
    rows: list[list[Cell]] = [
        [row.stream, row.figure, row.unit, *(f"{x:.4g}" for x in (row.asked, row.observed, row.difference))]
        for row in check.rows
    ]
    return Figure("check", "Asked and observed", "By stream.", Table(columns, rows), brief=True)
