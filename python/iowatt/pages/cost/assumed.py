"""The table of assumptions."""

from __future__ import annotations

from iowatt.lenses.cost.result import Cost
from iowatt.render.figure import Cell, Column, Figure, Table


def assumptions(found: Cost) -> Figure:
    """Every figure used: its value, range, source, date and quality."""
    columns = [
        Column("Figure", text=True), Column("Value", text=True), Column("Unit", text=True), Column("Low"),
        Column("High"), Column("Quality", text=True), Column("Date", text=True), Column("Source", text=True),
        Column("What it is", text=True), Column("Note", text=True),
    ]  # fmt: skip
    rows: list[list[Cell]] = [
        [
            one.key,
            one.value if isinstance(one.value, str) else f"{one.value:,.6g}",
            one.unit, one.low, one.high, one.quality, one.date or "", one.source,
            one.text, one.note,
        ]
        for one in found.assumptions
    ]  # fmt: skip
    return Figure(
        "assumptions", "Every figure used",
        "Of the book of assumptions, as far as these dollars rest on it. Each can be set: --set KEY=VALUE.",
        Table(columns, rows), wide=True,
    )  # fmt: skip
