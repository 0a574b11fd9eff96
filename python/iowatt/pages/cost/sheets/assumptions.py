"""The sheet of assumptions: the horizon and every figure, in named cells that may be changed."""

from __future__ import annotations

from typing import Final

from xlsxwriter import Workbook

from iowatt.lenses.book import key_rule
from iowatt.lenses.book.result import Assumption
from iowatt.lenses.cost.result import Cost
from iowatt.pages.cost import live
from iowatt.pages.cost.sheets.cells import Cells, Styles, absolute, cell_names, printed, widths

TITLE: Final = "Assumptions"
_HEADS: Final = (
    "Figure", "Value", "Unit", "Low", "High", "Name of the cell", "Does the workbook follow it?", "Quality",
    "Date", "Source", "What it is", "Note",
)  # fmt: skip
#: The row of the first figure.
_FIRST: Final = 7
_LEGEND: Final = (
    "Blue on yellow may be changed: everything else follows as far as the column says. Grey is stated: it "
    "comes from the Run or from a bill that does not follow here. A change of what stays as stated needs "
    "iowatt cost --assume KEY=VALUE."
)


def add(book: Workbook, styles: Styles, cost: Cost) -> Cells:
    """Add the sheet; returns the names of its cells."""
    return _Sheet(book, styles, cost).write()


class _Sheet:
    def __init__(self, book: Workbook, styles: Styles, cost: Cost) -> None:
        self._book = book
        self._sheet = book.add_worksheet(TITLE)
        self._styles = styles
        self._cost = cost
        self._cells = Cells(cell_names(list(live.numbers(cost))))
        self._follows = live.follows(cost)

    def write(self) -> Cells:
        sheet, styles = self._sheet, self._styles
        printed(sheet)
        widths(sheet, (34, 24, 10, 10, 10, 32, 34, 10, 11, 60, 60, 40))
        sheet.write_string(0, 0, "What is assumed", styles.title)
        sheet.merge_range(1, 0, 1, 6, "", styles.wrapped)
        sheet.write_string(1, 0, _LEGEND, styles.wrapped)
        sheet.set_row(1, 45)
        self._horizon(3)
        styles.heads(sheet, _FIRST - 1, _HEADS, 1, 3, 4)
        sheet.freeze_panes(_FIRST, 1)
        for row, one in enumerate(self._cost.assumptions, _FIRST):
            self._figure(row, one)
        return self._cells

    def _horizon(self, top: int) -> None:
        """How long the work goes on."""
        sheet, styles, horizon = self._sheet, self._styles, self._cost.horizon
        basis, amount = self._cells.basis, self._cells.amount
        sheet.write_string(top, 1, horizon.basis, styles.given_word)
        sheet.data_validation(top, 1, top, 1, {"validate": "list", "source": ["work", "time"]})
        sheet.write_number(top + 1, 1, horizon.amount, styles.given())
        above_0 = {"validate": "decimal", "criteria": ">", "value": 0}
        sheet.data_validation(top + 1, 1, top + 1, 1, above_0)
        texts = {
            basis: "work: the same work so often; time: so many years",
            amount: "alpha (times the work), or years of 365 days",
        }
        for row, (name, text) in enumerate(texts.items(), top):
            titles = {0: name.replace("_", " "), 5: name, 6: self._follows[live.HORIZON], 10: text}
            styles.row(sheet, row, titles)
            self._book.define_name(name, f"={TITLE}!{absolute(row, 1)}")

    def _figure(self, row: int, one: Assumption) -> None:
        sheet, styles, key, value = self._sheet, self._styles, one.key, one.value
        texts = {0: key, 2: one.unit, 7: one.quality, 8: one.date, 9: one.source, 10: one.text, 11: one.note}
        styles.row(sheet, row, texts, 2)
        for at, end in ((3, one.low), (4, one.high)):
            if end is not None:
                sheet.write_number(row, at, end, styles.computed("General"))
        if isinstance(value, str):
            sheet.write_string(row, 1, value, styles.stated())
            sheet.write_string(row, 6, "a choice of method: stays as stated", styles.text)
            return
        name, follows = self._cells.names[key], self._follows[key]
        live_here = follows.startswith("live")
        sheet.write_number(row, 1, value, styles.given() if live_here else styles.stated("General"))
        styles.row(sheet, row, {5: name, 6: follows}, 5)
        self._book.define_name(name, f"={TITLE}!{absolute(row, 1)}")
        rule = key_rule(key)
        if rule is not None:
            within = {"criteria": ">=", "value": rule.low}
            if rule.high < float("inf"):
                within = {"criteria": "between", "minimum": rule.low, "maximum": rule.high}
            sheet.data_validation(row, 1, row, 1, {"validate": "decimal", **within})
