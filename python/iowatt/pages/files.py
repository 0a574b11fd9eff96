"""What ``iowatt files`` shows: each kind of operation with its response times; the library's workloads."""

from __future__ import annotations

from iowatt.base.units import format_bytes
from iowatt.model.library.files import NOT_SPEC
from iowatt.render import numbers
from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Cell, Column, Figure, Table, text_columns
from iowatt.sources.files.result import FilesDocument, FileWorkloadList


def document(found: FilesDocument) -> Document:
    """The document of a run."""
    driver = found.summary["driver"]
    verdict = (
        f"{found.achieved_ops:.4g} operations/s of {found.asked_ops:.4g} asked for, {found.errors} failed; "
        f"{found.lateness.text}."
    )
    return Document(
        key="files",
        kind="files",
        title=f"{found.workload}, {NOT_SPEC}",
        verdict=[verdict],
        sections=[Section("operations", "Operations", [_operations(driver["operations"] or [])])],
        caveats=[Caveat(note.text, note.decides) for note in found.notes],
    )


def _operations(counted: list[dict[str, Cell]]) -> Figure:
    columns = [
        Column("Operation", text=True),
        Column("Class", text=True, rank=1),
        *(Column(name) for name in ("Completed", "Failed")),
        *(Column(f"{name}, ms") for name in ("Mean", "p50", "p95", "p99", "Most")),
    ]
    rows = [
        [one[key] for key in ("operation", "kind", "completed", "errors")]
        + [one[f"{key}_ms"] for key in ("mean", "p50", "p95", "p99", "max")]
        for one in counted
    ]
    caption = "Response times from the intended time of each operation to its completion."
    return Figure("operations", "Operations", caption, Table(columns, rows), brief=True)


def workloads(found: FileWorkloadList) -> Document:
    """The document of the library's workloads."""
    columns = [
        *text_columns("Workload", "Operations, %"),
        Column("Mean file", text=True, rank=1),
        Column("Transfer", text=True, rank=1),
        Column("Assumed", text=True, rank=2),
    ]
    rows: list[list[Cell]] = [
        [
            one.name,
            ", ".join(f"{name} {percent:g}" for name, percent in one.operations.items()),
            format_bytes(round(one.mean_file_bytes), binary=True),
            format_bytes(one.transfer_bytes, binary=True),
            ", ".join(one.unverified) or "nothing",
        ]
        for one in found.workloads
    ]
    table = Table(columns, rows)
    title = numbers.counted(len(found.workloads), "workload")
    figure = Figure("workloads", "Workloads", f"All {NOT_SPEC}.", table, brief=True)
    return Document(
        "file-workloads", "workloads", title, sections=[Section("workloads", "Workloads", [figure])]
    )
