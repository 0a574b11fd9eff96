"""Figures that compare: levels of redundancy, read/write mixes, drive options, idle watts of the largest."""

from __future__ import annotations

from typing import Any

from iowatt.emerald.bff.result import BestFootForward
from iowatt.render import palette
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout, plain


def levels(found: BestFootForward) -> Figure | None:
    """Peaks by level of redundancy; None where only one is offered."""
    names = list(dict.fromkeys(one.raid for metric in found.metrics for one in metric.by_level))
    metrics = [metric for metric in found.metrics if metric.kind != "idle" and metric.by_level]
    if len(names) < 2 or not metrics:
        return None
    traces: list[dict[str, Any]] = []
    rows: list[list[Cell]] = []
    for number, name in enumerate(names):
        shares = []
        for metric in metrics:
            best = max(one.ep for one in metric.by_level)
            own = next((one for one in metric.by_level if one.raid == name), None)
            share = None if own is None or not best else 100 * own.ep / best
            shares.append(share)
            if own is not None:
                rows.append([metric.title, name, own.label, own.ep, metric.unit, share, own.basis])
        traces.append(
            {
                "type": "bar", "name": plain(name), "x": [metric.name for metric in metrics], "y": shares,
                "marker": {"color": palette.RUNS[number % len(palette.RUNS)]},
            }
        )  # fmt: skip
    columns = [
        Column("Metric", text=True), Column("Level", text=True), Column("Peak at", text=True), Column("EP"),
        Column("Unit", text=True), Column("Share of the best", "%"), Column("Basis", text=True),
    ]  # fmt: skip
    spec = {
        "data": traces,
        "layout": layout(
            axis("Metric", type="category"), axis("Share of the best level (%)"), barmode="group"
        ),
    }
    return Figure(
        "levels", "Levels of redundancy", "Each level at its own peak, as a share of the best level's.",
        Table(columns, rows), spec, wide=True,
    )  # fmt: skip


def mixes(found: BestFootForward) -> Figure | None:
    """Peaks over the share of reads, by level; None with fewer than three mixes."""
    own = [metric for metric in found.metrics if metric.read_percent is not None and metric.name != "MW2"]
    own.sort(key=lambda metric: metric.read_percent or 0)
    if len(own) < 3:
        return None
    traces: list[dict[str, Any]] = []
    rows: list[list[Cell]] = []
    names = list(dict.fromkeys(one.raid for metric in own for one in metric.by_level))
    for number, name in enumerate(names):
        points = [(metric, one) for metric in own for one in metric.by_level if one.raid == name]
        rows += [
            [name, metric.name, metric.read_percent, one.ep, one.drives, one.label, one.basis]
            for metric, one in points
        ]
        traces.append(
            {
                "type": "scatter", "mode": "lines+markers", "name": plain(name),
                "x": [metric.read_percent for metric, _ in points], "y": [one.ep for _, one in points],
                "line": {"color": palette.RUNS[number % len(palette.RUNS)]},
            }
        )  # fmt: skip
    columns = [
        Column("Level", text=True), Column("Metric", text=True), Column("Reads", "%"), Column("EP", "IOPS/W"),
        Column("Drives"), Column("Peak at", text=True), Column("Basis", text=True),
    ]  # fmt: skip
    spec = {"data": traces, "layout": layout(axis("Reads (%)"), axis("IOPS/W", rangemode="tozero"))}
    return Figure(
        "mixes", "Mixes of reads and writes", "Each mix at the peak of its own, from random writes to reads.",
        Table(columns, rows), spec,
    )  # fmt: skip


def options(found: BestFootForward) -> Figure | None:
    """Each drive option at its best in each metric."""
    rows: list[list[Cell]] = [
        [metric.title, one.drive, one.label, one.ep, metric.unit, one.drives, one.wall_w,
         one.basis]
        for metric in found.metrics
        for one in sorted(metric.by_option, key=lambda one: -one.ep)
    ]  # fmt: skip
    if len({row[1] for row in rows}) < 2:
        return None
    columns = [
        Column("Metric", text=True), Column("Drive", text=True), Column("Peak at", text=True), Column("EP"),
        Column("Unit", text=True), Column("Drives"), Column("Wall", "W"), Column("Basis", text=True),
    ]  # fmt: skip
    return Figure(
        "options", "Drive options",
        "Each option at its own peak. Only what comes near the best is simulated.",
        Table(columns, rows), wide=True,
    )  # fmt: skip


def projection(found: BestFootForward) -> Figure | None:
    """Watts of the largest configurations by the calculator."""
    known = [row for row in found.projection if row.idle_w is not None]
    if not known:
        return None
    names = [plain(f"{row.drives} x {row.drive}, {row.controller}") for row in known]
    traces = [
        {
            "type": "bar", "orientation": "h", "name": title, "y": names,
            "x": [getattr(row, key) for row in known],
            "marker": {"color": colour},
        }
        for title, key, colour in (
            ("Ready idle", "idle_w", palette.STATE_COLOURS["idle"]),
            ("All at work", "active_w", palette.STATE_COLOURS["positioning"]),
        )
    ]  # fmt: skip
    rows: list[list[Cell]] = [
        [row.drive, row.controller, row.drives, row.shelves, row.nodes, row.raw_gb,
         row.idle_w, row.active_w, row.gb_per_w]
        for row in known
    ]  # fmt: skip
    columns = [
        Column("Drive", text=True), Column("Controller", text=True), Column("Drives"), Column("Shelves"),
        Column("Nodes"), Column("Raw", "GB"), Column("Ready idle", "W"), Column("All at work", "W"),
        Column("Ready idle", "GB/W"),
    ]  # fmt: skip
    refused = [f"{row.drives} x {row.drive}: {row.error}" for row in found.projection if row.error]
    height = {"height": 120 + 44 * len(known)}
    spec = {
        "data": traces,
        "layout": layout(axis("At the wall (W)"), axis("", autorange="reversed"), barmode="group", **height),
    }
    return Figure(
        "projection", "Largest configurations, projected",
        "By the power calculator: every drive and part at rest, and every one at work, an upper end. A lab "
        "that tests a smaller configuration gives these in its notes.",
        Table(columns, rows), spec, refused, wide=True,
    )  # fmt: skip
