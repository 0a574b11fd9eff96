"""What ``iowatt ls`` shows: Runs with their figures, and the other folders of results."""

from __future__ import annotations

from collections import Counter

from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Cell, Column, Figure, Table
from iowatt.run.workspace import Workspace, WorkspaceEntry

_PLURALS = {"study": "studies"}


def document(workspace: Workspace) -> Document:
    """The document of a workspace."""
    runs = [one for one in workspace.entries if one.kind == "run"]
    others = [one for one in workspace.entries if one.kind != "run"]
    figures = [*([_runs(runs)] if runs else []), *([_others(others)] if others else [])]
    return Document(
        key="workspace",
        kind="workspace",
        title="Workspace",
        meta=workspace.directory,
        verdict=[_verdict(workspace)],
        sections=[Section("entries", "Results", figures)] if figures else [],
        caveats=[Caveat(note.text, note.decides) for note in workspace.notes],
    )


def _verdict(workspace: Workspace) -> str:
    if not workspace.entries:
        return "There are no results here; `iowatt run` makes the first."
    counts = Counter(one.kind for one in workspace.entries)
    kinds = [f"{n} {kind if n == 1 else _PLURALS.get(kind, f'{kind}s')}" for kind, n in counts.items()]
    newest = workspace.entries[0]
    return f"{', '.join(kinds)}; the newest is {newest.path}."


def _when(entry: WorkspaceEntry) -> str:
    return entry.at[:16].replace("T", " ")


def _runs(entries: list[WorkspaceEntry]) -> Figure:
    columns = [
        Column("Run", text=True), Column("Name", text=True, rank=4), Column("System", text=True, rank=1),
        Column("Throughput", "IOPS", rank=3), Column("p95", "ms"), Column("Power", "W"),
        Column("Source", text=True, rank=2), Column("When", "UTC", text=True),
    ]  # fmt: skip
    rows: list[list[Cell]] = [
        [
            one.path, one.name, one.system, one.iops, one.response_p95_ms, one.power_mean_w, one.source,
            _when(one),
        ]
        for one in entries
    ]  # fmt: skip
    caption = "Power is the mean at the wall where that is known, else of the drives."
    return Figure("runs", "Runs", caption, Table(columns, rows), wide=True, brief=True)


def _others(entries: list[WorkspaceEntry]) -> Figure:
    columns = [
        Column("Folder", text=True), Column("Kind", text=True), Column("Name", text=True, rank=1),
        Column("When", "UTC", text=True),
    ]  # fmt: skip
    rows: list[list[Cell]] = [[one.path, one.source or one.kind, one.name, _when(one)] for one in entries]
    caption = "When is the time at which the folder's head was written."
    return Figure("folders", "Other results", caption, Table(columns, rows), wide=True, brief=True)
