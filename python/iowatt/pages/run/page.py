"""The document of a Run, and of several: side by side first, then each."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from iowatt.base.errors import InputError
from iowatt.pages import heat, system
from iowatt.pages.run import comparison, drives, energy, latency, outcome, over_time, parts
from iowatt.pages.run.brief_document import brief
from iowatt.pages.run.provenance import labels
from iowatt.pages.run.recovery import Recovery
from iowatt.render import write as writer
from iowatt.render.document import Document, Section
from iowatt.render.figure import Cell, Column, Figure, Table

if TYPE_CHECKING:
    from iowatt.run.bundle import Run

Builder = Callable[["Run"], Figure | None]

_OPEN = ("response", "energy")
"""Sections that are not folded."""

_SECTIONS: Sequence[tuple[str, str, Sequence[Builder]]] = (
    (
        "response",
        "Response time",
        (
            latency.percentiles, latency.distribution, latency.tail, over_time.response_time,
            parts.workloads, parts.volumes, latency.by_workload,
        ),
    ),
    (
        "energy",
        "Energy and power",
        (energy.by_state, over_time.power, energy.by_cause, energy.at_wall, energy.by_component),
    ),
    ("load", "Load and queues", (over_time.throughput, over_time.bandwidth, over_time.queue)),
    ("heat", "Heat", (heat.curve_of_run,)),
    ("tiers", "Tiers and copies", (parts.hits, parts.movement)),
    ("drives", "Drives", (drives.utilisation, drives.queues, drives.every_drive)),
    ("wear", "Wear", (parts.wear,)),
    ("flash", "Flash", (drives.flash_writes, drives.flash_energy)),
)  # fmt: skip

_CHARTS = ("energy-by-state", "power-over-time", "response-distribution")
"""What the verdict is shown by: the first of these that a Run has."""


MARKED = "response-over-time"
"""The chart in which failures and recoveries are marked."""


def document(run: Run, *, key: str = "run1", title: str | None = None) -> Document:
    """The document of one Run; ``title`` replaces its name."""
    told = brief(run, key=key, title=title)
    sections = [*_figures(run, told.sections), Section("system", "System", _system(run), folded=True)]
    known = {figure.key: figure for section in sections for figure in section.figures}
    chart = next((known[name] for name in _charts(run) if name in known), None)
    return replace(told, chart=chart, sections=[_without(section, chart) for section in sections])


def documents(runs: Sequence[Run]) -> list[Document]:
    """A document of each Run; before those of several one that has them side by side."""
    names = labels(runs)
    each = [
        document(run, key=f"run{number}", title=name)
        for number, (run, name) in enumerate(zip(runs, names, strict=True), 1)
    ]
    return each if len(runs) == 1 else [comparison.document(runs, names), *each]


def write(runs: Sequence[Run], path: str | os.PathLike[str], force: bool = False) -> Path:
    """Write a report of one or more Runs, several side by side. Returns the path.

    Raises ``InputError`` for a suffix other than .html, .xlsx or .pdf, where the file exists and ``force`` is
    not given, where its directory does not exist, and for a PDF where no Chromium is installed.
    """
    target = Path(path)
    writer.check_target(target, force=force)
    if not runs:
        raise InputError(
            "missing", None, "a report needs at least one Run", hint="iowatt report RUN [RUN ...]"
        )

    def workbook(file: Path) -> None:
        from iowatt.pages.run import workbook

        workbook.write(runs, file)

    shown = [] if target.suffix.lower() == ".xlsx" else documents(runs)
    title = f"{len(runs)} Runs" if len(runs) > 1 else None
    return writer.write(shown, target, force=force, title=title, workbook=workbook)


def _figures(run: Run, told: Sequence[Section]) -> list[Section]:
    """All figures that the Run has data for; ``told`` comes after the response times, failures before."""
    recovery = Recovery(run)
    sections = [section for section in told if section.key == "recovery"]
    told = [section for section in told if section.key != "recovery"]
    for key, title, builders in _SECTIONS:
        figures = [figure for build in builders if (figure := build(run)) is not None]
        if recovery.failures or recovery.moves:
            figures = [recovery.marked(figure) if figure.key == MARKED else figure for figure in figures]
        if figures:
            sections.append(Section(key, title, figures, folded=key not in _OPEN))
        if key == "response":
            sections.extend(told)
    return sections


def _charts(run: Run) -> Sequence[str]:
    """What the verdict is shown by: of a Run with failures or moves, response times over time."""
    moved = any(pool["moves"] for one in run.summary.get("clusters") or () for pool in one["pools"])
    return (MARKED, *_CHARTS) if run.summary.get("rebuilds") or moved else _CHARTS


def _without(section: Section, chart: Figure | None) -> Section:
    figures = [figure for figure in section.figures if figure is not chart]
    return Section(section.key, section.title, figures, section.sentences, section.folded)


def _system(run: Run) -> list[Figure]:
    """What the system is, what its parts did, and the files that the Run read."""
    tables = [*system.tables(run.plan), *outcome.tables(run.summary)]
    if inputs := run.summary["provenance"]["inputs"]:
        rows: list[list[Cell]] = [[file["path"], file["size"], file["sha256"]] for file in inputs]
        columns = [Column("Input", text=True), Column("Size", "bytes"), Column("SHA-256", text=True)]
        tables.append(("Inputs", Table(columns, rows)))
    return [
        Figure(f"system-{'-'.join(title.lower().split())}", title, "", table, wide=True)
        for title, table in tables
    ]
