"""What ``iowatt ls`` shows: Runs with their figures, and the other folders of results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from iowatt.render import plot
from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Cell, Column, Figure, Significant, Table, axis, layout, plain
from iowatt.run.record import observed_how
from iowatt.run.workspace import Workspace, WorkspaceEntry

_NAMED: Final = 12
"""Most Runs whose names stand beside their marks."""
_PLURALS: Final = {"study": "studies"}


def document(
    workspace: Workspace, prices: Mapping[str, tuple[float | None, float | None]] | None = None
) -> Document:
    """The document of a workspace; with ``prices`` its Runs have their dollars."""
    runs = [one for one in workspace.entries if one.kind == "run"]
    others = [one for one in workspace.entries if one.kind != "run"]
    figures = [*([_runs(runs, prices)] if runs else []), *([_others(others)] if others else [])]
    return Document(
        key="workspace",
        kind="workspace",
        title="Workspace",
        meta=workspace.directory,
        verdict=[_verdict(workspace)],
        sections=[Section("entries", "Results", figures)] if figures else [],
        caveats=[Caveat(note.text, note.decides) for note in workspace.notes],
    )


def site_document(
    workspace: Workspace, links: Mapping[str, str], prices: Mapping[str, tuple[float | None, float | None]]
) -> Document:
    """The index of an exported workspace: a chart of its Runs, and tables with ``links`` by their paths.

    ``prices`` are the dollars of Runs and their dollars per usable TB, by path.
    """
    made = document(workspace, prices)
    runs = [one for one in workspace.entries if one.response_p95_ms and one.power_mean_w]
    sections = [
        replace(
            section,
            figures=[
                replace(one, table=replace(one.table, links=links), brief=False) for one in section.figures
            ],
        )
        for section in made.sections
    ]
    return replace(
        made, title=workspace.directory, meta="", chart=_trade(runs) if runs else None, sections=sections
    )


def _trade(entries: list[WorkspaceEntry]) -> Figure:
    """Response time against power, simulated and measured apart."""
    columns = [
        Column("Run", text=True), Column("Source", text=True), Column("Power", "W"), Significant("p95", "ms")
    ]  # fmt: skip
    rows: list[list[Cell]] = [
        [plain(one.path), one.source, one.power_mean_w, one.response_p95_ms] for one in entries
    ]
    traces = []
    named = {"mode": "markers+text", "textposition": "middle right"} if len(rows) <= _NAMED else {}
    for name, symbol, colour in (
        ("Simulated", "circle", "#0072b2"),
        ("Emulated", "square", "#009e73"),
        ("Measured", "diamond", "#d55e00"),
    ):
        some = [row for row in rows if observed_how(str(row[1])) == name.lower()]
        if some:
            traces.append(
                plot.markers(
                    [row[2] for row in some], [row[3] for row in some], name=name, symbol=symbol, size=11,
                    colour=colour, hover="%{text}: %{y:,.4~r} ms, %{x:,.4~r} W<extra></extra>",
                    text=[row[0] for row in some], **named,
                )
            )  # fmt: skip
    drawn = layout(axis("Mean power (W)", type="log"), axis("p95 response time (ms)", type="log"))
    caption = "Every Run that has both. Runs may do different work: compare them at equal work."
    table = Table(columns, rows)
    return Figure("trade", "Response time against power", caption, table, plot.spec(traces, drawn), wide=True)


def _verdict(workspace: Workspace) -> str:
    if not workspace.entries:
        return "There are no results here; `iowatt run` makes the first."
    counts = Counter(one.kind for one in workspace.entries)
    kinds = [f"{n} {kind if n == 1 else _PLURALS.get(kind, f'{kind}s')}" for kind, n in counts.items()]
    newest = workspace.entries[0]
    return f"{', '.join(kinds)}; the newest is {newest.path}."


def _when(entry: WorkspaceEntry) -> str:
    return entry.at[:16].replace("T", " ")


def _runs(
    entries: list[WorkspaceEntry], prices: Mapping[str, tuple[float | None, float | None]] | None
) -> Figure:
    dollars = [Column("Dollars", "USD"), Column("Per usable TB", "USD")] if prices is not None else []
    columns = [
        Column("Run", text=True), Column("Name", text=True, rank=4), Significant("p95", "ms"),
        Column("Power", "W"), *dollars, Column("Throughput", "IOPS", rank=3),
        Column("System", text=True, rank=1), Column("Source", text=True, rank=2),
        Column("When", "UTC", text=True),
    ]  # fmt: skip
    rows: list[list[Cell]] = [
        [
            one.path, one.name, one.response_p95_ms, one.power_mean_w,
            *(prices.get(one.path, (None, None)) if prices is not None else ()), one.iops, one.system,
            one.source, _when(one),
        ]
        for one in entries
    ]  # fmt: skip
    caption = "Power is the mean at the wall where that is known, else of the drives."
    if prices is not None:
        caption += " Dollars are those of five years under the default cost book."
    return Figure("runs", "Runs", caption, Table(columns, rows), wide=True, brief=True)


def _others(entries: list[WorkspaceEntry]) -> Figure:
    columns = [
        Column("Folder", text=True), Column("Kind", text=True), Column("Name", text=True, rank=1),
        Column("When", "UTC", text=True),
    ]  # fmt: skip
    rows: list[list[Cell]] = [[one.path, one.source or one.kind, one.name, _when(one)] for one in entries]
    caption = "When is the time at which the folder's head was written."
    return Figure("folders", "Other results", caption, Table(columns, rows), wide=True, brief=True)
