"""A report as a workbook: a sheet for each page, numbers as numbers, native charts of the minutes."""

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

from iowatt.emerald.report.compose import Report
from iowatt.emerald.report.result import NOT_THE_TEMPLATE
from iowatt.render import palette
from iowatt.render.document import Section
from iowatt.render.figure import Cell, Column, Exact, Figure, PublishedFigure

_AS_TYPED: Final = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
_NAME_MOST: Final = 31  #: The format's own limit of a sheet's name, and the characters that it forbids there.
_FORBIDDEN: Final = re.compile(r"[\[\]:*?/\\']")
_WIDEST: Final = 72
_FEW: Final = 4  #: Tables with more columns have none that wide.
_BANNER_MORE: Final = 9  #: Columns of the banner beyond the tables, where charts are.
_LINE: Final = 15  #: Height of a line in points.
_PROSE: Final = 110.0  #: Width of a sentence in characters, and of a column without a table.
_DEFAULT: Final = 8.4
_ONE_SHEET: Final = 60  #: Rows that are still readable when printed on one sheet of paper.
_HEADER_MOST: Final = 200  #: The format's limit of a header is 255 characters with its codes.
_BAD: Final = ("refused", "INVALID", "missing", "invalid")


def write(report: Report, path: Path) -> None:
    """Write the pages; ``path`` is replaced."""
    with xlsxwriter.Workbook(str(path), _AS_TYPED) as book:
        # A fixed time, so that the same report gives the same bytes.
        created = datetime(2000, 1, 1)
        book.set_properties(
            {"title": report.document.title, "comments": report.mark.line, "created": created}
        )
        writer = _Book(book, report)
        for number, page in enumerate(report.document.sections, 1):
            writer.page(number, page)


class _Book:
    def __init__(self, book: Any, report: Report) -> None:
        self._book, self._mark, self._name = book, report.mark, report.document.title
        colour, ground = ("#1F4E79", "#DDEBF7") if report.mark.compliant else ("#9C0006", "#FFC7CE")
        wrapped = {"text_wrap": True, "valign": "top"}
        text = {**wrapped, "align": "left", "indent": 1}
        head = {"bold": True, "bottom": 1, "text_wrap": True, "valign": "bottom"}
        self._banner = book.add_format({"bold": True, "font_color": colour, "bg_color": ground})
        self._title = book.add_format({"bold": True, "font_size": 14})
        self._block = book.add_format({"bold": True, "font_size": 12})
        self._quiet = book.add_format({**wrapped, "italic": True, "font_color": "#555555"})
        self._head = book.add_format({**head, "align": "left", "indent": 1})
        self._head_number = book.add_format({**head, "align": "right"})
        self._text = book.add_format(text)
        self._bad = book.add_format({**text, "font_color": "#9C0006"})
        self._formats: dict[str, Format] = {}
        self._taken: set[str] = set()
        self._wide: dict[int, float] = {}  #: Widths of the columns of the current sheet.

    def page(self, number: int, page: Section) -> None:
        """A sheet."""
        name = self._sheet_name(f"{number} {page.title}")
        sheet = self._book.add_worksheet(name)
        tables = [figure for figure in page.figures if figure.spec is None]
        charts = [figure for figure in page.figures if figure.spec is not None]
        wide = max((len(one.table.columns) for one in tables), default=2)
        for column in range(wide + _BANNER_MORE):
            sheet.write_blank(0, column, None, self._banner)
        sheet.write_string(0, 0, self._mark.line, self._banner)
        sheet.write_string(1, 0, f"{page.title} · {self._name}", self._title)
        sheet.freeze_panes(2, 0)
        self._printing(sheet, tables)
        self._widths(sheet, tables)
        row = 3
        for sentence in page.sentences:
            row = self._prose(sheet, row, sentence)
        row += bool(page.sentences)
        for figure in tables:
            bottom, top = self._table(sheet, row, figure)
            if figure.table.rows:
                self._charts(sheet, name, figure, charts, top)
            row = bottom

    def _prose(self, sheet: Worksheet, row: int, text: str) -> int:
        """A sentence over as many columns as it needs; returns the next row."""
        last, room = 0, 0.0
        while room < _PROSE and last < 30:
            room += self._wide.get(last, _DEFAULT)
            last += 1
        if last > 1:
            sheet.merge_range(row, 0, row, last - 1, "", self._quiet)
        sheet.write_string(row, 0, text, self._quiet)
        sheet.set_row(row, _LINE * math.ceil(len(text) / room))
        return row + 1

    def _printing(self, sheet: Worksheet, tables: Sequence[Figure]) -> None:
        line = self._mark.line.replace("&", "&&")
        shown = line if len(line) <= _HEADER_MOST else f"{line[: _HEADER_MOST - 3]}..."
        sheet.set_header(f"&C&8{shown}")
        sheet.set_footer(f"&L&8Made by iowatt; {NOT_THE_TEMPLATE}&R&8&A, &P of &N")
        sheet.set_landscape()
        sheet.set_paper(9)
        tall = sum(len(figure.table.rows) + 4 for figure in tables)
        sheet.fit_to_pages(1, 1 if tall < _ONE_SHEET else 0)
        sheet.repeat_rows(0, 1)

    def _table(self, sheet: Worksheet, top: int, figure: Figure) -> tuple[int, int]:
        """A titled table; the row where the next one may begin, and that of the table's head."""
        columns, rows = figure.table.columns, figure.table.rows
        sheet.write_string(top, 0, figure.title, self._block)
        top += 1
        if figure.caption:
            top = self._prose(sheet, top, figure.caption)
        lines = [math.ceil(1.2 * len(one.heading) / self._wide[at]) for at, one in enumerate(columns)]
        sheet.set_row(top, _LINE * max(lines, default=1))
        for at, column in enumerate(columns):
            sheet.write_string(top, at, column.heading, self._head if column.text else self._head_number)
            number = self._number([row[at] for row in rows], column)
            for down, row in enumerate(rows, top + 1):
                self._cell(sheet, down, at, row[at], number)
        for down, row in enumerate(rows, top + 1):
            texts = [(at, cell) for at, cell in enumerate(row) if isinstance(cell, str)]
            tall = max((math.ceil(1.1 * len(cell) / self._wide[at]) for at, cell in texts), default=1)
            if tall > 1:
                sheet.set_row(down, _LINE * tall)
        return top + 2 + len(rows), top

    def _cell(self, sheet: Worksheet, row: int, at: int, cell: Cell, number: Format) -> None:
        if isinstance(cell, PublishedFigure):
            digits = f".{'0' * cell.decimals}" if cell.decimals else ""
            sheet.write_number(row, at, cell.as_number, self._format(f"0{digits}"))
        elif isinstance(cell, str):
            bad = cell in _BAD or "NON-COMPLIANT" in cell
            sheet.write_string(row, at, cell, self._bad if bad else self._text)
        elif cell is not None:
            sheet.write_number(row, at, cell, number)

    def _number(self, cells: Sequence[Cell], column: Column) -> Format:
        """One format for a column; the cells have all digits."""
        values = [cell for cell in cells if isinstance(cell, int | float)]
        largest = max(map(abs, values), default=0)
        if largest == 0 or all(isinstance(value, int) for value in values):
            return self._format("#,##0")
        if isinstance(column, Exact):  # seven significant digits of the largest value
            return self._format("0." + "0" * min(9, max(1, 6 - math.floor(math.log10(largest)))))
        return self._format("#,##0.0" if largest >= 1e3 else "0.000" if largest >= 0.1 else "0.00000")

    def _format(self, shown: str) -> Format:
        if shown not in self._formats:
            self._formats[shown] = self._book.add_format({"num_format": shown, "valign": "top"})
        return self._formats[shown]

    def _widths(self, sheet: Worksheet, tables: Sequence[Figure]) -> None:
        """Each column as wide as its longest text, headers wrapped."""
        narrow = any(len(figure.table.columns) > _FEW for figure in tables)
        widest = _WIDEST / 2 if narrow else _WIDEST
        self._wide = {}
        for figure in tables:
            for at, column in enumerate(figure.table.columns):
                texts = [1.1 * len(cell) for row in figure.table.rows if isinstance(cell := row[at], str)]
                own = max([11, 0.7 * len(column.heading), *texts]) + 1
                self._wide[at] = max(self._wide.get(at, 0), min(widest, own))
        for at, width in self._wide.items():
            sheet.set_column(at, at, width)

    def _charts(
        self, sheet: Worksheet, name: str, figure: Figure, charts: Sequence[Figure], head: int
    ) -> None:
        """The charts of the page's figures, drawn from this table, to its right."""
        titles = [column.title for column in figure.table.columns]
        first, last = head + 1, head + len(figure.table.rows)
        ends = [row[0] for row in (figure.table.rows[0], figure.table.rows[-1])]
        minute = {
            "name": "Minute", "num_format": "0", "label_position": "low", "min": ends[0], "max": ends[1],
            "crossing": ends[0], "major_gridlines": {"visible": False},
        }  # fmt: skip
        for number, drawn in enumerate(charts):
            chart = self._book.add_chart({"type": "scatter", "subtype": "straight"})
            series = drawn.table.columns[1:]
            for at, column in enumerate(series):
                place = titles.index(column.title)
                chart.add_series(
                    {
                        "name": column.title,
                        "categories": [name, first, 0, last, 0],
                        "values": [name, first, place, last, place],
                        "line": {"width": 1.5, "color": palette.RUNS[at % len(palette.RUNS)]},
                    }
                )
            from_zero = (drawn.spec or {})["layout"]["yaxis"].get("rangemode") == "tozero"
            y = {"name": series[0].unit, "num_format": "General", **({"min": 0} if from_zero else {})}
            chart.set_title({"name": drawn.title, "name_font": {"size": 11}})
            chart.set_x_axis(minute)
            chart.set_y_axis(y)
            chart.set_legend({"position": "bottom"} if len(series) > 1 else {"none": True})
            chart.show_blanks_as("gap")
            chart.set_size({"width": 720, "height": 300})
            sheet.insert_chart(head + 16 * number, len(titles) + 1, chart)

    def _sheet_name(self, wanted: str) -> str:
        clean = _FORBIDDEN.sub("_", wanted)[:_NAME_MOST]
        name, number = clean, 2
        while name.casefold() in self._taken:
            name, number = f"{clean[: _NAME_MOST - 4]} ({number})", number + 1
        self._taken.add(name.casefold())
        return name
