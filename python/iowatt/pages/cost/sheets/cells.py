"""Cells of the workbook: addresses and names, formats, and the sheet of payments."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from xlsxwriter import Workbook
from xlsxwriter.format import Format
from xlsxwriter.utility import xl_rowcol_to_cell
from xlsxwriter.worksheet import Worksheet

from iowatt.lenses.cost.result import CostComponent, Payment
from iowatt.lenses.wear import SECONDS_PER_YEAR
from iowatt.pages.cost import live

#: The format's own limit of a sheet's name, in units of UTF-16, and the characters that it forbids there.
_NAME_MOST: Final = 31
_FORBIDDEN: Final = re.compile(r"[\[\]:*?/\\'\x00-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True)
class Cells:
    """Names of cells of the sheet of assumptions, by key of the book."""

    names: Mapping[str, str]
    basis: str = "horizon_basis"
    amount: str = "horizon_amount"


@dataclass(frozen=True)
class SystemCells:
    """Cells of the sheet of one system that the summary refers to."""

    sheet: str
    groups: str
    usd: str
    total: str
    present: str
    repeats: str
    years: str
    operational: str
    embodied: str


def absolute(row: int, column: int) -> str:
    """``$B$3``."""
    return str(xl_rowcol_to_cell(row, column, row_abs=True, col_abs=True))


def span(column: int, first: int, last: int) -> str:
    """Cells of one column."""
    return f"{absolute(first, column)}:{absolute(last, column)}"


def on(sheet: str, cells: str) -> str:
    """Cells of another sheet."""
    return f"'{sheet}'!{cells}"


def sheet_names(labels: Sequence[str]) -> list[str]:
    """Names of the systems' sheets: numbered, so that none is another's or one of ours."""
    return [_short(f"{at} {_FORBIDDEN.sub('_', label)}") for at, label in enumerate(labels, 1)]


def _short(name: str) -> str:
    while len(name.encode("utf-16-le")) > 2 * _NAME_MOST:
        name = name[:-1]
    return name.strip()


def cell_names(keys: Sequence[str]) -> dict[str, str]:
    """A name of a cell for each key: ``cooling.pue`` is ``cooling_pue``."""
    made: dict[str, str] = {}
    for key in keys:
        # An underscore always follows the first word of a key, so that no name is read as a cell (A1, R1C1).
        wanted = re.sub(r"[^A-Za-z0-9]", "_", key)[:120]
        name, number = wanted, 2
        while name.casefold() in {one.casefold() for one in made.values()}:
            name, number = f"{wanted}_{number}", number + 1
        made[key] = name
    return made


USD: Final = "#,##0.00;-#,##0.00;0.00"
PLAIN: Final = "#,##0.00####"
TIMES: Final = "#,##0.0"
_GIVEN: Final = {"font_color": "#0000c0", "bg_color": "#fff8d6"}
_STATED: Final = {"bg_color": "#ececec"}


def printed(sheet: Worksheet) -> None:
    """On paper as wide as the sheet is."""
    sheet.set_landscape()
    sheet.set_paper(9)
    sheet.fit_to_pages(1, 0)


class Styles:
    """The formats of one workbook, each made once."""

    def __init__(self, book: Workbook) -> None:
        self._book = book
        self._formats: dict[tuple[tuple[str, Any], ...], Format] = {}
        self.title = self._format(bold=True, font_size=13)
        self.head = self._format(bold=True, bottom=1, text_wrap=True)
        self.head_number = self._format(bold=True, bottom=1, text_wrap=True, align="right")
        self.text = self._format()
        #: Words right of a number.
        self.beside = self._format(indent=1, align="left")
        self.wrapped = self._format(text_wrap=True)
        #: A word that may be changed.
        self.given_word = self._format(**_GIVEN)

    def _format(self, **keys: Any) -> Format:
        key = tuple(sorted(keys.items()))
        if key not in self._formats:
            self._formats[key] = self._book.add_format({"valign": "top", **keys})
        return self._formats[key]

    def given(self, shown: str = "General") -> Format:
        """A number that may be changed."""
        return self._format(num_format=shown, **_GIVEN)

    def stated(self, shown: str = PLAIN) -> Format:
        """A number that follows nothing."""
        return self._format(num_format=shown, **_STATED)

    def computed(self, shown: str = PLAIN, *, bold: bool = False) -> Format:
        """A formula."""
        return self._format(num_format=shown, **({"bold": True, "top": 1} if bold else {}))

    def row(self, sheet: Worksheet, row: int, texts: Mapping[int, str | None], *beside: int) -> None:
        """Write texts by column; those of ``beside`` are right of a number."""
        for column, text in texts.items():
            sheet.write_string(row, column, text or "", self.beside if column in beside else self.text)

    def heads(self, sheet: Worksheet, row: int, heads: Sequence[str], *numbers: int) -> None:
        """Write the headings of columns; those of ``numbers`` to the right."""
        for column, head in enumerate(heads):
            sheet.write_string(row, column, head, self.head_number if column in numbers else self.head)


def widths(sheet: Worksheet, values: Sequence[float]) -> None:
    """Set the widths of the first columns."""
    for column, width in enumerate(values):
        sheet.set_column(column, column, width)


PAYMENTS: Final = "Payments"
_HEADS: Final = (
    "System", "Component", "Share of its dollars", "From (years)", "Until (years)",
    "Worth today of a dollar",
)  # fmt: skip


@dataclass(frozen=True)
class HorizonCell:
    """Where a system's horizon ends, and the cell that has it in years."""

    seconds: float
    cell: str


class Flows:
    """Payments of all components; rows of one component lie together."""

    def __init__(self, book: Workbook, styles: Styles, cells: Cells, rate: float) -> None:
        self._sheet = book.add_worksheet(PAYMENTS)
        self._styles = styles
        self._rate = cells.names.get(live.RATE)
        self._stated = rate
        self._row = 2

    def add(self, name: str, component: CostComponent, horizon: HorizonCell) -> str | None:
        """Write a component's payments; returns the formula of what a dollar of it is worth today.

        What lasts until the end of the horizon follows it. None: as paid.
        """
        usd = component.usd
        if self._rate is None or not usd or not component.flows:
            return None
        first = self._row
        for flow in component.flows:
            self._one((name, component.key), flow, flow.usd / usd, horizon)
        last = self._row - 1
        shares, worth = (on(PAYMENTS, span(column, first, last)) for column in (2, 5))
        return f"SUMPRODUCT({shares},{worth})"

    def _one(self, of: tuple[str, str], flow: Payment, share: float, horizon: HorizonCell) -> None:
        sheet, row, styles = self._sheet, self._row, self._styles
        styles.row(sheet, row, dict(enumerate(of)))
        sheet.write_number(row, 2, share, styles.stated())
        for column, time_s in ((3, flow.at_s), (4, flow.until_s)):
            years = None if time_s is None else time_s / SECONDS_PER_YEAR
            if time_s == horizon.seconds:
                sheet.write_formula(row, column, f"={horizon.cell}", styles.computed(), years)
            elif years is not None:
                sheet.write_number(row, column, years, styles.stated())
        start, end, worth = absolute(row, 3), absolute(row, 4), f"(1+{self._rate})"
        formula = f"{worth}^(-{start})"
        if flow.until_s is not None and flow.until_s > flow.at_s:
            even = f"({formula}-{worth}^(-{end}))/(({end}-{start})*LN{worth})"
            formula = f"IF({self._rate}=0,1,{even})"
        value = replace(flow, usd=1.0).present(self._stated)
        sheet.write_formula(row, 5, f"={formula}", styles.computed(), value)
        self._row += 1

    def finish(self) -> None:
        """The heading and the widths."""
        text = (
            "Shares and times are as stated: with another horizon, life or price they keep their shape; what "
            "lasts until the end of the horizon, or is due then, follows it."
        )
        self._sheet.write_string(0, 0, text, self._styles.text)
        printed(self._sheet)
        self._styles.heads(self._sheet, 1, _HEADS)
        widths(self._sheet, (26, 34, 14, 14, 14, 16))
        self._sheet.freeze_panes(2, 0)
