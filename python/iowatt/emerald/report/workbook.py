"""A report as a workbook: a sheet a page, numbers as numbers, native charts of the minutes."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import xlsxwriter
from xlsxwriter.format import Format
from xlsxwriter.worksheet import Worksheet

from iowatt.emerald.report.blocks import Block, Lines, Page
from iowatt.emerald.report.marks import Mark
from iowatt.render import palette
from iowatt.render.figure import Cell, Column, Exact, Published

_AS_TYPED: Final = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
#: The format's own limit of a sheet's name, and the characters that it forbids there.
_NAME_MOST: Final = 31
_FORBIDDEN: Final = re.compile(r"[\[\]:*?/\\']")
_WIDEST: Final = 72
#: Columns of a table from which on a sheet has none that wide.
_FEW: Final = 4
#: Columns of the banner beyond those of the tables; charts stand beside them.
_BANNER_MORE: Final = 9
#: Height of a line in points.
_LINE: Final = 15
#: Width of a sentence in characters, and of a column that no table has.
_PROSE: Final = 110.0
_DEFAULT: Final = 8.4
#: Rows that still can be read when they are printed on one sheet of paper.
_ONE_SHEET: Final = 60
#: The format's limit of a header is 255 characters with its codes.
_HEADER_MOST: Final = 200
_CHART: Final = {"width": 720, "height": 300}


def write(title: str, mark: Mark, pages: Sequence[Page], path: Path) -> None:
    """Write the pages; ``path`` is replaced."""
    with xlsxwriter.Workbook(str(path), _AS_TYPED) as book:
        # A fixed moment: the same report gives the same bytes.
        book.set_properties({"title": title, "comments": mark.line, "created": datetime(2000, 1, 1)})
        _Book(book, mark, title).pages(pages)


class _Book:
    def __init__(self, book: Any, mark: Mark, title: str) -> None:
        self._book = book
        self._mark = mark
        self._name = title
        colour = "#9C0006" if mark.against else "#1F4E79"
        ground = "#FFC7CE" if mark.against else "#DDEBF7"
        self._banner = book.add_format({"bold": True, "font_color": colour, "bg_color": ground})
        self._title = book.add_format({"bold": True, "font_size": 14})
        self._block = book.add_format({"bold": True, "font_size": 12})
        self._quiet = book.add_format(
            {"italic": True, "font_color": "#555555", "text_wrap": True, "valign": "top"}
        )
        self._head = book.add_format(
            {"bold": True, "bottom": 1, "text_wrap": True, "valign": "bottom", "align": "left", "indent": 1}
        )
        self._head_number = book.add_format(
            {"bold": True, "bottom": 1, "text_wrap": True, "valign": "bottom", "align": "right"}
        )
        self._text = book.add_format({"text_wrap": True, "valign": "top", "align": "left", "indent": 1})
        self._bad = book.add_format(
            {"text_wrap": True, "valign": "top", "align": "left", "indent": 1, "font_color": "#9C0006"}
        )
        self._formats: dict[str, Format] = {}
        self._taken: set[str] = set()
        #: Widths of the columns of the sheet in hand.
        self._wide: dict[int, float] = {}

    def pages(self, pages: Sequence[Page]) -> None:
        for number, page in enumerate(pages, 1):
            self._page(number, page)

    def _page(self, number: int, page: Page) -> None:
        name = self._sheet_name(f"{number} {page.title}")
        sheet = self._book.add_worksheet(name)
        wide = max((len(block.table.columns) for block in page.blocks), default=2)
        for column in range(wide + _BANNER_MORE):
            sheet.write_blank(0, column, None, self._banner)
        sheet.write_string(0, 0, self._mark.line, self._banner)
        sheet.write_string(1, 0, f"{page.title} · {self._name}", self._title)
        sheet.freeze_panes(2, 0)
        self._printing(sheet, page)
        self._widths(sheet, page)
        row = 3
        for sentence in page.sentences:
            row = self._prose(sheet, row, sentence)
        row += bool(page.sentences)
        for block in page.blocks:
            row = self._table(sheet, name, row, block)

    def _prose(self, sheet: Worksheet, row: int, text: str) -> int:
        """A sentence over as many columns as its text needs at most; returns the next row."""
        last, room = 0, 0.0
        while room < _PROSE and last < 30:
            room += self._wide.get(last, _DEFAULT)
            last += 1
        if last > 1:
            sheet.merge_range(row, 0, row, last - 1, "", self._quiet)
        sheet.write_string(row, 0, text, self._quiet)
        sheet.set_row(row, _LINE * math.ceil(len(text) / room))
        return row + 1

    def _printing(self, sheet: Worksheet, page: Page) -> None:
        line = self._mark.line.replace("&", "&&")
        shown = line if len(line) <= _HEADER_MOST else f"{line[: _HEADER_MOST - 3]}..."
        sheet.set_header(f"&C&8{shown}")
        sheet.set_footer("&L&8Made by iowatt; not SNIA's template&R&8&A, &P of &N")
        sheet.set_landscape()
        sheet.set_paper(9)
        tall = sum(len(block.table.rows) + 4 for block in page.blocks)
        sheet.fit_to_pages(1, 1 if tall < _ONE_SHEET else 0)
        sheet.repeat_rows(0, 1)

    def _table(self, sheet: Worksheet, name: str, top: int, block: Block) -> int:
        """A titled table from a row on; returns the row where the next one may begin."""
        sheet.write_string(top, 0, block.title, self._block)
        top += 1
        if block.caption:
            top = self._prose(sheet, top, block.caption)
        heads = [
            math.ceil(1.2 * len(one.heading) / self._wide[at]) for at, one in enumerate(block.table.columns)
        ]
        sheet.set_row(top, _LINE * max(heads, default=1))
        for at, column in enumerate(block.table.columns):
            sheet.write_string(top, at, column.heading, self._head if column.text else self._head_number)
            shown = self._number([row[at] for row in block.table.rows], column)
            for down, row in enumerate(block.table.rows, top + 1):
                self._cell(sheet, down, at, row[at], shown)
        for down, row in enumerate(block.table.rows, top + 1):
            lines = max(
                (
                    math.ceil(1.1 * len(cell) / self._wide[at])
                    for at, cell in enumerate(row)
                    if isinstance(cell, str)
                ),
                default=1,
            )
            if lines > 1:
                sheet.set_row(down, _LINE * lines)
        bottom = top + 1 + len(block.table.rows)
        if block.charts and block.table.rows:
            self._charts(sheet, name, block, top)
        return bottom + 1

    def _cell(self, sheet: Worksheet, row: int, at: int, cell: Cell, number: Format) -> None:
        if isinstance(cell, Published):
            digits = cell.decimals
            sheet.write_number(
                row, at, cell.as_number, self._format("0" + ("." + "0" * digits if digits else ""))
            )
        elif isinstance(cell, str):
            bad = cell in ("refused", "INVALID", "missing", "invalid") or "NON-COMPLIANT" in cell
            sheet.write_string(row, at, cell, self._bad if bad else self._text)
        elif cell is not None:
            sheet.write_number(row, at, cell, number)

    def _number(self, cells: Sequence[Cell], column: Column) -> Format:
        values = [cell for cell in cells if isinstance(cell, int | float)]
        if isinstance(column, Exact):
            return self._format(_precise(values))
        if all(isinstance(value, int) for value in values):
            return self._format("#,##0")
        largest = max(abs(value) for value in values)
        return self._format("#,##0.0" if largest >= 1e3 else "0.000" if largest >= 0.1 else "0.00000")

    def _format(self, shown: str) -> Format:
        if shown not in self._formats:
            self._formats[shown] = self._book.add_format({"num_format": shown, "valign": "top"})
        return self._formats[shown]

    def _widths(self, sheet: Worksheet, page: Page) -> None:
        """Each column as wide as its longest text, headers wrapped."""
        widths: dict[int, float] = {}
        narrow = any(len(block.table.columns) > _FEW for block in page.blocks)
        widest = _WIDEST / 2 if narrow else _WIDEST
        for block in page.blocks:
            for at, column in enumerate(block.table.columns):
                texts = [len(row[at]) for row in block.table.rows if isinstance(row[at], str)]  # type: ignore[arg-type]
                own = max([11, 0.7 * len(column.heading), *(1.1 * length for length in texts)]) + 1
                widths[at] = max(widths.get(at, 0), min(widest, own))
        self._wide = widths
        for at, width in widths.items():
            sheet.set_column(at, at, width)

    def _charts(self, sheet: Worksheet, name: str, block: Block, head: int) -> None:
        """Beside the table, one below the other."""
        titles = [column.title for column in block.table.columns]
        first, last = head + 1, head + len(block.table.rows)
        for number, lines in enumerate(block.charts):
            ends = [row[0] for row in (block.table.rows[0], block.table.rows[-1])]
            chart = self._lines(name, lines, titles, first, last)
            axis = {"name": "Minute", "num_format": "0", "label_position": "low"}
            chart.set_x_axis(
                {
                    **axis,
                    "major_gridlines": {"visible": False},
                    "min": ends[0],
                    "max": ends[1],
                    "crossing": ends[0],
                }
            )
            sheet.insert_chart(head + 16 * number, len(titles) + 1, chart)

    def _lines(self, name: str, lines: Lines, titles: Sequence[str], first: int, last: int) -> Any:
        chart = self._book.add_chart({"type": "scatter", "subtype": "straight"})
        for number, title in enumerate(lines.columns):
            at = titles.index(title)
            chart.add_series(
                {
                    "name": title,
                    "categories": [name, first, 0, last, 0],
                    "values": [name, first, at, last, at],
                    "line": {"width": 1.5, "color": palette.RUNS[number % len(palette.RUNS)]},
                }
            )
        chart.set_title({"name": lines.title, "name_font": {"size": 11}})
        chart.set_y_axis(
            {"name": lines.unit, "num_format": "General", **({"min": 0} if lines.from_zero else {})}
        )
        chart.set_legend({"position": "bottom"} if len(lines.columns) > 1 else {"none": True})
        chart.show_blanks_as("gap")
        chart.set_size(_CHART)
        return chart

    def _sheet_name(self, wanted: str) -> str:
        clean = _FORBIDDEN.sub("_", wanted)[:_NAME_MOST]
        name, number = clean, 2
        while name.casefold() in self._taken:
            name, number = f"{clean[: _NAME_MOST - 4]} ({number})", number + 1
        self._taken.add(name.casefold())
        return name


def _precise(values: Sequence[Cell]) -> str:
    """A number format with seven significant digits of the largest value; the cell has all."""
    numbers = [abs(value) for value in values if isinstance(value, int | float)]
    largest = max(numbers, default=0)
    if largest == 0 or all(isinstance(value, int) for value in values):
        return "#,##0"
    return "0." + "0" * min(9, max(1, 6 - math.floor(math.log10(largest))))
