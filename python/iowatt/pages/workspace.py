"""What ``iowatt ls`` shows: Runs with their figures, and the other folders of results."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Final

from iowatt.render import plot
from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Cell, Column, Figure, Significant, Table, axis, layout, plain
from iowatt.run.record import observed_how
from iowatt.run.workspace import Workspace, WorkspaceEntry

_NAMED: Final = 12
"""Most Runs whose names stand beside their marks."""
_PLURALS: Final = {"study": "studies"}
_ABOVE: Final = 2.0
"""Overloaded Runs are drawn at most this factor above the others: their times grow with run length."""


@dataclass(frozen=True)
class RunPrice:
    """What a Run costs over five years; None where it has no price."""

    usd: float | None
    usd_per_tb: float | None
    late: bool  #: Requests come faster than they are served.


_NO_PRICE: Final = RunPrice(None, None, late=False)


def document(workspace: Workspace, prices: Mapping[str, RunPrice] | None = None) -> Document:
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


def site_document(workspace: Workspace, links: Mapping[str, str], prices: Mapping[str, RunPrice]) -> Document:
    """The index of an exported workspace: a chart of its Runs, and tables with ``links``.

    ``links`` and ``prices`` are by the paths of results.
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
    late = {path for path, price in prices.items() if price.late}
    verdict = made.verdict
    if late:
        number = f"{len(late)} Run{' does' if len(late) == 1 else 's do'}"
        verdict = [
            *verdict,
            f"{number} not keep up with the load: their response times grow as long as it lasts, and their "
            "dollars per TB are left out.",
        ]
    return replace(
        made, title=workspace.directory, meta="", verdict=verdict, sections=sections,
        chart=_trade(runs, late) if runs else None,
    )  # fmt: skip


def _trade(entries: list[WorkspaceEntry], late: Collection[str]) -> Figure:
    """Response time against power; simulated, measured and overloaded Runs apart."""
    columns = [
        Column("Run", text=True), Column("Name", text=True), Column("Source", text=True),
        Column("Power", "W"), Significant("p95", "ms"),
    ]  # fmt: skip
    rows: list[list[Cell]] = [
        [plain(one.path), plain(one.name), one.source, one.power_mean_w, one.response_p95_ms]
        for one in entries
    ]
    kept = [one.response_p95_ms or 0 for one in entries if one.path not in late]
    ceiling = _ABOVE * max(kept) if kept else float("inf")
    times = Counter(one.name for one in entries)
    watts = [one.power_mean_w or 0 for one in entries]
    middle = math.sqrt(min(watts) * max(watts))
    traces = []
    for title, symbol, colour in (
        ("Simulated", "circle", "#0072b2"),
        ("Emulated", "square", "#009e73"),
        ("Measured", "diamond", "#d55e00"),
        ("Overloaded", "triangle-up-open", "#6b7280"),
    ):
        some = [one for one in entries if _series(one, late) == title]
        if not some:
            continue
        high = sum((one.response_p95_ms or 0) > ceiling for one in some)
        # Names lie towards the middle, where there is room for them.
        sides = ["middle left" if (one.power_mean_w or 0) > middle else "middle right" for one in some]
        named = {"mode": "markers+text", "textposition": sides} if len(entries) <= _NAMED else {}
        traces.append(
            plot.markers(
                [one.power_mean_w for one in some],
                [min(one.response_p95_ms or 0, ceiling) for one in some],
                name=f"{title}, above the scale: {high}" if high else title, symbol=symbol, size=11,
                colour=colour, hover="%{text}: %{customdata:,.4~r} ms, %{x:,.4~r} W<extra></extra>",
                text=[one.name if times[one.name] == 1 else one.path for one in some],
                customdata=[one.response_p95_ms for one in some], **named,
            )
        )  # fmt: skip
    drawn = layout(axis("Mean power (W)", type="log"), axis("p95 response time (ms)", type="log"))
    caption = "Every Run that has both. Runs may do different work: compare them at equal work."
    table = Table(columns, rows)
    return Figure("trade", "Response time against power", caption, table, plot.spec(traces, drawn), wide=True)


def _series(entry: WorkspaceEntry, late: Collection[str]) -> str:
    return "Overloaded" if entry.path in late else observed_how(entry.source or "").capitalize()


def _verdict(workspace: Workspace) -> str:
    if not workspace.entries:
        return "There are no results here; `iowatt run` makes the first."
    counts = Counter(one.kind for one in workspace.entries)
    kinds = [f"{n} {kind if n == 1 else _PLURALS.get(kind, f'{kind}s')}" for kind, n in counts.items()]
    newest = workspace.entries[0]
    return f"{', '.join(kinds)}; the newest is {newest.path}."


def _when(entry: WorkspaceEntry) -> str:
    return entry.at[:16].replace("T", " ")


def _runs(entries: list[WorkspaceEntry], prices: Mapping[str, RunPrice] | None) -> Figure:
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
            *_dollars(prices, one.path), one.iops, one.system,
            one.source, _when(one),
        ]
        for one in entries
    ]  # fmt: skip
    caption = "Power is the mean at the wall where that is known, else of the drives."
    if prices is not None:
        caption += " Dollars are those of five years under the default cost book."
    return Figure("runs", "Runs", caption, Table(columns, rows), wide=True, brief=True)


def _dollars(prices: Mapping[str, RunPrice] | None, path: str) -> list[Cell]:
    """Cells of a Run; dollars per TB say nothing of one that does not keep up."""
    if prices is None:
        return []
    price = prices.get(path, _NO_PRICE)
    return [price.usd, None if price.late else price.usd_per_tb]


def _others(entries: list[WorkspaceEntry]) -> Figure:
    columns = [
        Column("Folder", text=True), Column("Kind", text=True), Column("Name", text=True, rank=1),
        Column("When", "UTC", text=True),
    ]  # fmt: skip
    rows: list[list[Cell]] = [[one.path, one.source or one.kind, one.name, _when(one)] for one in entries]
    caption = "When is the time at which the folder's head was written."
    return Figure("folders", "Other results", caption, Table(columns, rows), wide=True, brief=True)
