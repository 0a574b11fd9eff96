"""What ``iowatt trace fit`` shows: every figure of the trace and of its synthetic traces."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from iowatt.evaluate.fit import FidelityFigure, FitDocument
from iowatt.render import numbers
from iowatt.render.document import Document, Section
from iowatt.render.figure import Cell, Column, Figure, Table, text_columns


def document(found: FitDocument) -> Document:
    """The document of a fit."""
    size = f"{numbers.counted(found.streams, 'stream')}, {numbers.counted(found.phases, 'phase')}"
    return Document(
        key="fit",
        kind="fitted profile",
        title=found.profile,
        meta=f"{size}, fitted to {numbers.counted(found.requests, 'request')}",
        sections=[Section("fidelity", "Fidelity", list(_figures([*found.fidelity, *found.simulated])))],
    )


def _figures(found: list[FidelityFigure]) -> Iterator[Figure]:
    for group, members in groupby(found, key=lambda one: one.group):
        columns = [
            Column("Figure", text=True),
            Column("Original"),
            Column("Synthetic"),
            *text_columns("Off by"),
        ]
        rows: list[list[Cell]] = [
            [f"{one.name}, {one.unit}" if one.unit else one.name, one.original, one.synthetic, _off(one)]
            for one in members
        ]
        title = f"{group[:1].upper()}{group[1:]}"
        yield Figure(
            group.replace(" ", "-"), title, "Synthetic against original.", Table(columns, rows), brief=True
        )


def _off(one: FidelityFigure) -> str | None:
    """The difference: of shares in points, else relative, with the range over several seeds."""
    if one.difference is None:
        return None
    if one.unit == "%":
        return f"{one.difference:+.2f} points"
    if one.relative is None:
        return f"{one.difference:+.4g}"
    off = f"{100 * one.relative:+.1f} %"
    if one.spread is None or not one.original:
        return off
    low, high = (100 * (value / one.original - 1) for value in one.spread)
    return f"{off} ({low:+.1f} to {high:+.1f})"
