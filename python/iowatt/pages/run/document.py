"""The document of a Run, and of several: a comparison first, then each."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from iowatt.base.errors import InputError
from iowatt.lenses.findings import OVERLOAD, findings
from iowatt.pages import budget
from iowatt.pages.run import comparison, drives, energy, latency, outcome, over_time, parts, system
from iowatt.pages.run.answer import answer
from iowatt.pages.run.headlines import headlines, particular
from iowatt.render import numbers
from iowatt.render import write as writer
from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Cell, Column, Figure, Table

if TYPE_CHECKING:
    from iowatt.run.bundle import Run

_SOURCES = {
    "simulation": "Simulated",
    "fio": "Measured with fio",
    "vdbench": "Measured with vdbench",
    "replay": "Measured by replay",
    "trace": "From a trace",
}

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
    ("heat", "Heat", (parts.heat_curve,)),
    ("tiers", "Tiers and copies", (parts.hits, parts.movement)),
    ("drives", "Drives", (drives.utilisation, drives.queues, drives.every_drive)),
    ("wear", "Wear", (parts.wear,)),
    ("flash", "Flash", (drives.flash_writes, drives.flash_energy)),
)  # fmt: skip

_CHARTS = ("energy-by-state", "power-over-time", "response-distribution")
"""What the verdict is shown by: the first of these that a Run has."""


def document(run: Run, *, key: str = "run1", title: str | None = None) -> Document:
    """The document of one Run; ``title`` replaces its name."""
    summary = run.summary
    sections = [*_figures(run), Section("system", "System", _system(run), folded=True)]
    known = {figure.key: figure for section in sections for figure in section.figures}
    chart = next((known[name] for name in _CHARTS if name in known), None)
    notes = findings(run)
    overloaded = [note for note in notes if note.code in OVERLOAD]
    return Document(
        key=key,
        kind="run",
        title=title or run.name,
        meta=_meta(summary),
        verdict=[*(note.text for note in overloaded), *answer(run)],
        chart=chart,
        headlines=[*headlines(summary), *particular(summary)],
        sections=[_without(section, chart) for section in sections],
        caveats=[
            *(Caveat(note.text, note.decides) for note in notes if note not in overloaded),
            *(Caveat(text) for text in summary["notes"]),
        ],
        provenance=provenance(summary),
        scenario=run.scenario_text,
    )


def documents(runs: Sequence[Run]) -> list[Document]:
    """A document of each Run; before those of several one that compares them."""
    names = labels(runs)
    each = [
        document(run, key=f"run{number}", title=name)
        for number, (run, name) in enumerate(zip(runs, names, strict=True), 1)
    ]
    return each if len(runs) == 1 else [comparison.document(runs, names), *each]


def labels(runs: Sequence[Run]) -> list[str]:
    """Names of Runs that tell them apart: the directory is added where names repeat."""
    names = [run.name for run in runs]
    repeated = {name for name, number in Counter(names).items() if number > 1}
    shown = [
        f"{name} ({run.path.name})" if name in repeated and run.path else name
        for name, run in zip(names, runs, strict=True)
    ]
    if len(set(shown)) < len(shown):
        return [f"{number}: {label}" for number, label in enumerate(shown, 1)]
    return shown


def write(runs: Sequence[Run], path: str | os.PathLike[str], force: bool = False) -> Path:
    """Write a report of one or more Runs; several are compared. Returns the path.

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
    title = f"{len(runs)} runs compared" if len(runs) > 1 else None
    return writer.write(shown, target, force=force, title=title, workbook=workbook)


def _figures(run: Run) -> list[Section]:
    """All figures that the Run has data for."""
    sections = []
    for key, title, builders in _SECTIONS:
        figures = [figure for build in builders if (figure := build(run)) is not None]
        if figures:
            sections.append(Section(key, title, figures, folded=key not in _OPEN))
        if key == "response" and (section := budget.section_of_run(run)) is not None:
            sections.append(section)
    return sections


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


def _meta(summary: Mapping[str, Any]) -> str:
    kind = _SOURCES.get(summary["source"], str(summary["source"]))
    window, origin = summary["window"], summary["provenance"]
    span = f"window of {numbers.duration(window['duration_s'])}"
    if window["warmup_s"]:
        span += f" after {numbers.duration(window['warmup_s'])} of warm-up"
    return f"{kind} · {span} · {origin['started_at'][:10]} · iowatt {origin['version']}"


def provenance(summary: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Where a Run came from, as pairs of a title and a value."""
    origin, window = summary["provenance"], summary["window"]
    span = f"{window['start_s']:,.9g} s to {window['end_s']:,.9g} s"
    if window["warmup_s"]:
        span += f", after {window['warmup_s']:,.9g} s of warm-up"
    rows = [
        ("iowatt", str(origin["version"])),
        ("Seed", str(origin["seed"])),
        ("Started", str(origin["started_at"])),
        ("Command", origin.get("command")),
        ("Window of all figures", span),
        ("Scenario SHA-256", origin.get("scenario_sha256")),
        ("Host", _host(origin.get("host"))),
        ("Simulation", _effort(summary.get("simulation"))),
    ]
    return [(title, value) for title, value in rows if value]


def _host(host: Mapping[str, Any] | None) -> str | None:
    return f"{host['name']}: {host['system']}, {host['machine']}, {host['cpus']} CPUs" if host else None


def _effort(cost: Mapping[str, Any] | None) -> str | None:
    if not cost:
        return None
    speed = numbers.significant(cost["requests_per_cpu_s"])
    return (
        f"{numbers.duration(cost['wall_s'])} ({speed} requests per CPU second, "
        f"{numbers.significant(cost['peak_rss_mib'])} MiB of memory at most)"
    )
