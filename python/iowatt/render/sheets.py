"""Tables on the sheets of a workbook: formats, frozen headers, widths that fit."""

from __future__ import annotations

from collections.abc import Sequence

from xlsxwriter import Workbook
from xlsxwriter.format import Format
from xlsxwriter.worksheet import Worksheet

from iowatt.base.errors import InputError
from iowatt.render.figure import Cell, Column, PublishedFigure, Table

MOST_ROWS = 1_048_576
"""Rows of a sheet, header included: the limit of the format."""

_PROSE_COLUMNS = 8


class Sheets:
    """Writes the sheets of one workbook."""

    def __init__(self, book: Workbook) -> None:
        self._book = book
        self._head = book.add_format({"bold": True, "bottom": 1, "text_wrap": True, "valign": "bottom"})
        self._title = book.add_format({"bold": True, "font_size": 13})
        self._text = book.add_format({"valign": "top", "text_wrap": True})
        self._formats: dict[str, Format] = {}

    def table(self, title: str, table: Table) -> None:
        """A sheet with one table, its header and first column frozen, with a filter.

        Raises ``InputError`` where it has more rows than a sheet can hold.
        """
        if len(table.rows) >= MOST_ROWS:
            raise InputError(
                "too-large",
                None,
                f"{title} has {len(table.rows):,} rows and a sheet holds {MOST_ROWS - 1:,}",
                hint="write an .html report; the bundle's Parquet files have all rows",
            )
        sheet = self._book.add_worksheet(title)
        self.rows(sheet, 0, table)
        sheet.freeze_panes(1, 1)
        if table.rows:
            sheet.autofilter(0, 0, len(table.rows), len(table.columns) - 1)

    def table_and_prose(self, title: str, table: Table, prose: Sequence[tuple[str, Sequence[str]]]) -> None:
        """A sheet with a table, and below it titled paragraphs."""
        sheet = self._book.add_worksheet(title)
        row = self.rows(sheet, 0, table) + 1
        sheet.set_column(0, 0, 26)
        sheet.freeze_panes(1, 1)
        for heading, paragraphs in prose:
            sheet.write_string(row, 0, heading, self._title)
            for text in paragraphs:
                row += 1
                sheet.merge_range(row, 0, row, _PROSE_COLUMNS, "", self._text)
                sheet.write_string(row, 0, text, self._text)
                sheet.set_row(row, 16 * (1 + len(text) // 100))
            row += 2

    def rows(self, sheet: Worksheet, top: int, table: Table) -> int:
        """Write header and rows from row ``top`` on; returns the row after the last."""
        for at, column in enumerate(table.columns):
            cells = [row[at] for row in table.rows]
            sheet.write_string(top, at, column.heading, self._head)
            sheet.set_column(at, at, _width(column, cells))
            number = self._number(cells)
            for row, cell in enumerate(cells, top + 1):
                if isinstance(cell, PublishedFigure):
                    sheet.write_number(row, at, cell.as_number, self._fixed(cell.decimals))
                elif isinstance(cell, str):
                    sheet.write_string(row, at, cell)
                elif cell is not None:
                    sheet.write_number(row, at, cell, number)
        return top + 1 + len(table.rows)

    def _number(self, cells: Sequence[Cell]) -> Format:
        """One format for a column: whole numbers whole, else digits that suit its largest value."""
        values = [cell for cell in cells if cell is not None and not isinstance(cell, str)]
        if all(isinstance(value, int) for value in values):
            shown = "#,##0"
        else:
            largest = max(abs(value) for value in values)
            shown = "#,##0.0" if largest >= 1e4 else "#,##0.000" if largest >= 1 else "0.00000"
        return self._format(shown)

    def _fixed(self, decimals: int) -> Format:
        """A format with so many decimals."""
        return self._format(f"#,##0.{'0' * decimals}" if decimals else "#,##0")

    def _format(self, shown: str) -> Format:
        if shown not in self._formats:
            self._formats[shown] = self._book.add_format({"num_format": shown})
        return self._formats[shown]


def _width(column: Column, cells: Sequence[Cell]) -> float:
    texts = [len(cell) for cell in cells if isinstance(cell, str)]
    return min(70, max([12, 0.6 * len(column.heading), *texts])) + 1
