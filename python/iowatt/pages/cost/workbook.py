"""Costs as a workbook that recalculates: assumptions in named cells, a formula for every component.

What cannot follow (tiered bills, monthly peaks) is data, and marked so. Formulas are written with their
values, for readers that do not compute.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

import xlsxwriter

from iowatt.lenses.cost.result import Cost
from iowatt.pages.cost import deciding, live, over_time, totals, words
from iowatt.pages.cost.page import assumptions as assumptions_table
from iowatt.pages.cost.sheets import assumptions, summary, system
from iowatt.pages.cost.sheets.cells import Flows, Styles, sheet_names
from iowatt.render.figure import Cell, Column, Figure, Table
from iowatt.render.sheets import Sheets

_AS_TYPED: Final = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}


def write(found: Cost, path: Path) -> None:
    """Write the workbook of the document ``iowatt.cost/1``; ``path`` is replaced."""
    with xlsxwriter.Workbook(str(path), _AS_TYPED) as book:
        # A fixed moment: the same document gives the same bytes.
        book.set_properties({"title": "iowatt cost", "created": datetime(2000, 1, 1)})
        styles = Styles(book)
        names = sheet_names(words.labels(found))
        front = book.add_worksheet("Summary")
        cells = assumptions.add(book, styles, found)
        sheets = {name: book.add_worksheet(name) for name in names}
        payments = Flows(book, styles, cells, live.numbers(found).get(live.RATE, 0.0))
        making = system.Making(sheets, styles, found, cells, payments)
        places = [system.add(making, name, one) for name, one in zip(names, found.systems, strict=True)]
        payments.finish()
        summary.fill(book, front, styles, found, places)
        tables(Sheets(book), found)


def tables(sheets: Sheets, found: Cost) -> None:
    """Tables of data: the other horizon, bills, ranges, sensitivity, ratios."""
    sheets.table("Other way", totals.other(found).table)
    bills = zip(words.labels(found), found.systems, strict=True)
    sheets.table("Bills", over_time.bill_table(bills))
    for title, made in (
        ("Range of totals", deciding.totals(found)),
        ("Range of differences", deciding.differences(found)),
        ("Views", totals.views(found)),
    ):
        if made is not None:
            sheets.table(title, made.table)
    tornados = deciding.every_tornado(found)
    if tornados:
        sheets.table("Tornado", _below("Of", tornados))
    crossed = deciding.crossovers(found)
    if crossed:
        sheets.table("Crossovers", crossed[0].table)
    sheets.table("Sources", assumptions_table(found).table)


def _below(title: str, figures: Sequence[Figure]) -> Table:
    """Tables of like columns one below another, each row with the title of its figure."""
    columns = max((figure.table.columns for figure in figures), key=len)
    rows: list[list[Cell]] = [
        [figure.title, *row, *[None] * (len(columns) - len(row))]
        for figure in figures
        for row in figure.table.rows
    ]
    return Table([Column(title, text=True), *columns], rows)
