"""The sheet of payments: which share of a component is due when, and what a dollar of it is worth today."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from xlsxwriter import Workbook

from iowatt.lenses.cost.component import Flow
from iowatt.lenses.cost.result import CostComponent, Payment
from iowatt.lenses.wear import SECONDS_PER_YEAR
from iowatt.pages.cost import live
from iowatt.pages.cost.sheets.place import Cells, absolute, on, span
from iowatt.pages.cost.sheets.styles import Styles, printed

TITLE: Final = "Payments"
_HEADS: Final = (
    "System", "Component", "Share of its dollars", "From (years)", "Until (years)",
    "Worth today of a dollar",
)  # fmt: skip


@dataclass(frozen=True)
class Horizon:
    """Where a system's horizon ends, and the cell that has it in years."""

    seconds: float
    cell: str


class Flows:
    """Payments of all components; rows of one component lie together."""

    def __init__(self, book: Workbook, styles: Styles, cells: Cells, rate: float) -> None:
        self._sheet = book.add_worksheet(TITLE)
        self._styles = styles
        self._rate = cells.names.get(live.RATE)
        self._stated = rate
        self._row = 2

    def add(self, name: str, component: CostComponent, horizon: Horizon) -> str | None:
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
        shares, worth = (on(TITLE, span(column, first, last)) for column in (2, 5))
        return f"SUMPRODUCT({shares},{worth})"

    def _one(self, of: tuple[str, str], flow: Payment, share: float, horizon: Horizon) -> None:
        sheet, row, styles = self._sheet, self._row, self._styles
        begins, ends = flow.at_s / SECONDS_PER_YEAR, flow.until_s
        for column, text in enumerate(of):
            sheet.write_string(row, column, text, styles.text)
        sheet.write_number(row, 2, share, styles.stated())
        if flow.at_s == horizon.seconds:
            sheet.write_formula(row, 3, f"={horizon.cell}", styles.computed(), begins)
        else:
            sheet.write_number(row, 3, begins, styles.stated())
        if ends is not None and ends == horizon.seconds:
            sheet.write_formula(row, 4, f"={horizon.cell}", styles.computed(), ends / SECONDS_PER_YEAR)
        elif ends is not None:
            sheet.write_number(row, 4, ends / SECONDS_PER_YEAR, styles.stated())
        start, end, worth = absolute(row, 3), absolute(row, 4), f"(1+{self._rate})"
        at_once = f"{worth}^(-{start})"
        if ends is None or ends <= flow.at_s:
            formula = at_once
        else:
            even = f"({at_once}-{worth}^(-{end}))/(({end}-{start})*LN{worth})"
            formula = f"IF({self._rate}=0,1,{even})"
        value = Flow(1.0, flow.at_s, ends).present(self._stated)
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
        for at, head in enumerate(_HEADS):
            self._sheet.write_string(1, at, head, self._styles.head)
        for at, width in enumerate((26, 34, 14, 14, 14, 16)):
            self._sheet.set_column(at, at, width)
        self._sheet.freeze_panes(2, 0)
