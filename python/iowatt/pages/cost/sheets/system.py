"""The sheet of one system: its horizon, its drives' prices, and every component as a formula."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from xlsxwriter.worksheet import Worksheet

from iowatt.lenses.cost.pricing.wear import ROUNDING
from iowatt.lenses.cost.result import Cost, CostComponent, DriveCost, SystemCost
from iowatt.lenses.wear import SECONDS_PER_YEAR
from iowatt.pages.cost import expression, live, words
from iowatt.pages.cost.sheets.cells import (
    PLAIN,
    USD,
    Cells,
    Flows,
    HorizonCell,
    Styles,
    SystemCells,
    absolute,
    on,
    printed,
    span,
    widths,
)

_HEADS: Final = (
    "Component", "Group", "Of", "Quantity as stated", "Unit", "USD/unit as stated", "USD", "USD of today",
    "Follows", "Stays as stated for", "How it is computed", "Source", "Date", "Note", "Key",
)  # fmt: skip
_WIDTHS: Final = (40, 16, 20, 16, 12, 14, 16, 16, 34, 30, 60, 60, 11, 40, 26)
_QUANTITY, _UNIT_PRICE, _USD, _PRESENT = 3, 5, 6, 7
_CAPACITY, _LIVES, _SERVED = 3, 4, 5
_TWO_LINES: Final = 32
UNKNOWN: Final = "not known"
"""In place of dollars that a price is missing for; sums leave text out."""
_DRIVE_HEADS: Final = (
    "Drive", "Kind", "Pool", "Capacity (GB)", "Lives in the horizon", "Drives in its place",
    "Price of one (USD)", "", "By", "Date",
)  # fmt: skip


@dataclass(frozen=True)
class Making:
    """The workbook in the making."""

    sheets: Mapping[str, Worksheet]
    styles: Styles
    found: Cost
    cells: Cells
    payments: Flows


def add(making: Making, name: str, system: SystemCost) -> SystemCells:
    """Add the sheet of a system; returns where the summary finds its figures."""
    return _SystemSheet(making, name, system).write()


class _SystemSheet:
    def __init__(self, making: Making, name: str, system: SystemCost) -> None:
        self._sheet = making.sheets[name]
        self._styles = making.styles
        self._name = name
        self._system = system
        self._cells = making.cells
        self._payments = making.payments
        self._live = live.Live(system, live.numbers(making.found))
        self._places: dict[str, str] = {}
        #: Cells of a drive's price, lives and drives that serve, by what and by its name.
        self._of_drives: dict[tuple[str, str], str] = {}
        components = system.components
        #: Rows: the heading is above the first component, drives follow below the total.
        self._first = 12
        self._last = self._first + max(1, len(components)) - 1
        self._rows = {one.key: self._first + at for at, one in enumerate(components)}

    def write(self) -> SystemCells:
        sheet, styles, system = self._sheet, self._styles, self._system
        printed(sheet)
        widths(sheet, _WIDTHS)
        sheet.write_string(0, 0, str(system.name), styles.title)
        self._horizon()
        self._drives(self._last + 4)
        self._carbon()
        sheet.set_row(self._first - 1, _TWO_LINES)
        styles.heads(sheet, self._first - 1, _HEADS, _QUANTITY, _UNIT_PRICE, _USD, _PRESENT)
        for component in system.components:
            self._component(component)
        total, present = absolute(self._last + 1, _USD), absolute(self._last + 1, _PRESENT)
        sheet.write_string(self._last + 1, 0, "Total", styles.computed(bold=True))
        for column, value in ((_USD, system.usd), (_PRESENT, system.present_usd)):
            formula = f"=SUM({span(column, self._first, self._last)})"
            if value is None:
                sheet.write_string(self._last + 1, column, UNKNOWN, styles.text)
            else:
                sheet.write_formula(self._last + 1, column, formula, styles.computed(USD, bold=True), value)
        sheet.freeze_panes(self._first, 1)
        return SystemCells(
            self._name, span(1, self._first, self._last), span(_USD, self._first, self._last), total, present,
            self._places["repeats"], self._places["years"], self._places["kg.operational"],
            self._places["kg.embodied"],
        )  # fmt: skip

    def _horizon(self) -> None:
        sheet, styles, system, cells = self._sheet, self._styles, self._system, self._cells
        work_s = absolute(2, 1)
        sheet.write_string(2, 0, "The work once (s)", styles.text)
        sheet.write_number(2, 1, system.work.duration_s, styles.stated())
        year = SECONDS_PER_YEAR
        often = f'=IF({cells.basis}="work",{cells.amount},{cells.amount}*{year}/{work_s})'
        rows = (
            ("repeats", "Times that it is done", often, system.repeats),
            ("seconds", "How long that takes (s)", f"={absolute(3, 1)}*{work_s}", system.seconds),
            ("years", "The same in years of 365 days", f"={absolute(4, 1)}/{year}", system.years),
        )
        for row, (key, text, formula, value) in enumerate(rows, 3):
            sheet.write_string(row, 0, text, styles.text)
            sheet.write_formula(row, 1, formula, styles.computed(), value)
            self._places[key] = absolute(row, 1)

    def _carbon(self) -> None:
        carbon = self._system.carbon
        rows = (
            ("operational", "Carbon in operation (kg CO2e)", carbon.operational_kg),
            ("embodied", "Carbon embodied (kg CO2e)", carbon.embodied_kg),
        )
        for row, (which, text, value) in enumerate(rows, 7):
            self._sheet.write_string(row, 0, text, self._styles.text)
            formula = self._formula(self._live.of_carbon(which))
            self._number((row, 1), formula, value, PLAIN)
            self._places[f"kg.{which}"] = absolute(row, 1)

    def _drives(self, top: int) -> None:
        """Prices and lives of the drives; components of a drive refer to them."""
        sheet, styles = self._sheet, self._styles
        sheet.set_row(top, _TWO_LINES)
        styles.heads(sheet, top, _DRIVE_HEADS, *range(_CAPACITY, _USD + 1))
        for row, drive in enumerate(self._system.drives, top + 1):
            texts = {
                0: f"{drive.name} ({drive.model})", 1: drive.kind, 2: drive.pool,
                8: drive.price_source, 9: drive.price_date,
            }  # fmt: skip
            styles.row(sheet, row, texts)
            sheet.write_number(row, _CAPACITY, drive.capacity_gb, styles.stated())
            price = self._live.of_drive(drive)
            if drive.price_usd is None:
                sheet.write_string(row, _USD, UNKNOWN, styles.text)
            elif price is None:
                sheet.write_number(row, _USD, drive.price_usd, styles.given(USD))
            else:
                self._number((row, _USD), self._formula(price), drive.price_usd, USD)
            self._of_drives["price", drive.name] = absolute(row, _USD)
            if drive.lives is not None:
                self._lives(row, drive)

    def _lives(self, row: int, drive: DriveCost) -> None:
        """How often the work and the years use up a drive, and how many serve one after another."""
        lives = absolute(row, _LIVES)
        self._number((row, _LIVES), self._formula(self._live.of_lives(drive)), drive.lives, PLAIN)
        served = f"MAX(1,CEILING({lives}-{ROUNDING!r},1))"
        self._number((row, _SERVED), served, drive.served, PLAIN)
        self._of_drives["lives", drive.name] = lives
        self._of_drives["served", drive.name] = absolute(row, _SERVED)

    def _component(self, component: CostComponent) -> None:
        sheet, styles = self._sheet, self._styles
        row = self._rows[component.key]
        follows, stays = self._live.keys(component)
        texts = {
            0: component.title, 1: words.GROUP_TITLES[component.group], 2: component.device,
            4: component.unit,
            8: ", ".join(sorted(follows)), 9: ", ".join(sorted(stays)),
            10: component.formula, 11: component.source, 12: component.date, 13: component.note,
            14: component.key,
        }  # fmt: skip
        styles.row(sheet, row, texts, 4, _PRESENT + 1)
        for column, value in ((_QUANTITY, component.quantity), (_UNIT_PRICE, component.unit_price)):
            self._number((row, column), None, value, PLAIN)
        formula = self._formula(self._live.of_component(component), component.device)
        self._number((row, _USD), formula, component.usd, USD)
        horizon = HorizonCell(self._system.seconds, on(self._name, self._places["years"]))
        worth = self._payments.add(self._name, component, horizon)
        if component.usd is None:
            for column in (_USD, _PRESENT):
                sheet.write_string(row, column, UNKNOWN, styles.text)
            return
        usd = absolute(row, _USD)
        present = f"={usd}" if worth is None else f"={usd}*{worth}"
        sheet.write_formula(row, _PRESENT, present, styles.computed(USD), component.present_usd)

    def _number(self, place: tuple[int, int], formula: str | None, value: float | None, shown: str) -> None:
        """A formula with its value, or the value as stated."""
        row, column = place
        if formula is not None:
            self._sheet.write_formula(row, column, f"={formula}", self._styles.computed(shown), value)
        elif value is not None:
            self._sheet.write_number(row, column, value, self._styles.stated(shown))

    def _formula(self, text: str | None, device: str | None = None) -> str | None:
        """An expression with cells for its names; ``device`` is the drive that it is of."""
        return None if text is None else expression.written(text, lambda name: self._cell(name, device))

    def _cell(self, name: str, device: str | None) -> str:
        """The cell of a name of an expression."""
        if name in self._cells.names:
            return self._cells.names[name]
        if name in self._places:
            return self._places[name]
        kind, _, other = name.partition(":")
        if kind in live.OF_DRIVE:
            return self._of_drives[kind, other or str(device)]
        return absolute(self._rows[name.removeprefix("usd:")], _USD)
