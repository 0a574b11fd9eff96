"""The first sheet: systems side by side by group, all of it from the systems' sheets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from xlsxwriter import Workbook
from xlsxwriter.worksheet import Worksheet

from iowatt.lenses.cost.component import GROUPS, Group
from iowatt.report.cost import words
from iowatt.report.cost.sheets.place import Place, absolute, on
from iowatt.report.cost.sheets.styles import TIMES, USD, Styles, printed
from iowatt.report.cost.sheets.system import UNKNOWN

Found = dict[str, Any]

_TOP: Final = 6


def fill(book: Workbook, sheet: Worksheet, styles: Styles, found: Found, places: Sequence[Place]) -> None:
    """Write the sheet and its chart."""
    names, systems = words.labels(found), found["systems"]
    printed(sheet)
    sheet.set_column(0, 0, 34)
    sheet.set_column(1, max(len(names), 6), 18)
    sheet.write_string(0, 0, "What each system costs", styles.title)
    for row, text in enumerate(
        (
            f"As stated: {found['horizon']['said']}, from {found['start']}; {words.basis(found)}. The "
            "horizon, and the figures that the sheet Assumptions marks as live, can be changed there.",
            *words.rests(found),
        ),
        1,
    ):
        sheet.write_string(row, 0, text, styles.text)
    sheet.write_string(_TOP, 0, "USD", styles.head)
    for at, name in enumerate(names, 1):
        sheet.write_string(_TOP, at, name, styles.head_number)
    groups = [
        group for group in GROUPS if any(one["group"] == group for s in systems for one in s["components"])
    ]
    _groups(sheet, styles, systems, places, groups)
    row = _totals(sheet, styles, found, places, _TOP + 1 + len(groups))
    row = _carbon(sheet, styles, systems, places, row + 1)
    for text in [*words.cautions(found), *words.notes(found)]:
        row += 1
        sheet.write_string(row, 0, f"Note: {text}", styles.text)
    sheet.freeze_panes(_TOP + 1, 1)
    _chart(book, sheet, groups, len(names), row + 2)


def _groups(
    sheet: Worksheet,
    styles: Styles,
    systems: Sequence[Found],
    places: Sequence[Place],
    groups: Sequence[Group],
) -> None:
    for row, group in enumerate(groups, _TOP + 1):
        sheet.write_string(row, 0, words.NAMES[group], styles.text)
        for at, (system, place) in enumerate(zip(systems, places, strict=True), 1):
            where, usd = on(place.sheet, place.groups), on(place.sheet, place.usd)
            formula = f'=SUMIF({where},"{words.NAMES[group]}",{usd})'
            value = system["by_group"].get(group, 0.0)
            if value is None:
                sheet.write_string(row, at, UNKNOWN, styles.text)
            else:
                sheet.write_formula(row, at, formula, styles.computed(USD), value)


def _totals(sheet: Worksheet, styles: Styles, found: Found, places: Sequence[Place], row: int) -> int:
    """Totals, today's dollars, against the first, and how long; returns the next free row."""
    systems = found["systems"]
    first = systems[0]
    sheet.write_string(row, 0, "Total", styles.computed(bold=True))
    texts = (
        "In USD of today", "More than the first", "Share of the first", "Times the work", "Years",
    )  # fmt: skip
    for down, text in enumerate(texts, 1):
        sheet.write_string(row + down, 0, text, styles.text)
    base = absolute(row, 1)
    for at, (system, place) in enumerate(zip(systems, places, strict=True), 1):
        here = absolute(row, at)
        known = system["usd"] is not None and first["usd"] is not None
        more = system["usd"] - first["usd"] if known else None
        share = more / first["usd"] if more is not None and first["usd"] else None if more is None else 0.0
        cells: tuple[tuple[str, Any, str], ...] = (
            (on(place.sheet, place.total), system["usd"], USD),
            (on(place.sheet, place.present), system["present_usd"], USD),
            (f"{here}-{base}", more, USD),
            (f"IF({base}=0,0,({here}-{base})/{base})", share, "0.0%"),
            (on(place.sheet, place.repeats), system["repeats"], TIMES),
            (on(place.sheet, place.years), system["years"], "0.00"),
        )
        for down, (formula, value, shown) in enumerate(cells):
            if value is None:
                sheet.write_string(row + down, at, UNKNOWN, styles.text)
                continue
            style = styles.computed(shown, bold=down == 0)
            sheet.write_formula(row + down, at, f"={formula}", style, value)
    return row + len(texts) + 1


def _carbon(
    sheet: Worksheet, styles: Styles, systems: Sequence[Found], places: Sequence[Place], row: int
) -> int:
    for down, text in enumerate(("Carbon in operation (kg CO2e)", "Carbon embodied (kg CO2e)")):
        sheet.write_string(row + down, 0, text, styles.text)
    for at, (system, place) in enumerate(zip(systems, places, strict=True), 1):
        for down, (cell, key) in enumerate(
            ((place.operational, "operational_kg"), (place.embodied, "embodied_kg"))
        ):
            value = system["carbon"][key]
            formula = f"={on(place.sheet, cell)}"
            sheet.write_formula(
                row + down, at, formula, styles.computed("#,##0.0"), 0 if value is None else value
            )
    return row + 2


def _chart(book: Workbook, sheet: Worksheet, groups: Sequence[Group], systems: int, below: int) -> None:
    """Stacked bars of the groups, which follow the cells."""
    if not groups:
        return
    chart = book.add_chart({"type": "bar", "subtype": "stacked"})
    for row, group in enumerate(groups, _TOP + 1):
        chart.add_series(
            {
                "name": ["Summary", row, 0],
                "categories": ["Summary", _TOP, 1, _TOP, systems],
                "values": ["Summary", row, 1, row, systems],
                "fill": {"color": words.COLOURS[group]},
            }
        )
    chart.set_title({"name": "USD by group", "name_font": {"size": 12}})
    chart.set_y_axis({"reverse": True})
    # With the first system on top the axis is there too; its labels belong below.
    chart.set_x_axis({"num_format": "#,##0", "label_position": "high"})
    chart.set_legend({"position": "bottom"})
    chart.set_size({"width": 900, "height": max(260, 120 + 50 * systems)})
    sheet.insert_chart(below, 0, chart)
