"""The first sheet: systems side by side by group, all of it from the systems' sheets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from xlsxwriter import Workbook
from xlsxwriter.worksheet import Worksheet

from iowatt.lenses.cost.pricing import GROUPS, Group
from iowatt.lenses.cost.result import Cost, SystemCost
from iowatt.pages.cost import words
from iowatt.pages.cost.page import caveats, rests
from iowatt.pages.cost.sentences import verdict
from iowatt.pages.cost.sheets.cells import TIMES, USD, Styles, SystemCells, absolute, on, printed
from iowatt.pages.cost.sheets.system import UNKNOWN

_TOP: Final = 6


def fill(book: Workbook, sheet: Worksheet, styles: Styles, cost: Cost, places: Sequence[SystemCells]) -> None:
    """Write the sheet and its chart."""
    names, systems = words.labels(cost), cost.systems
    printed(sheet)
    sheet.set_column(0, 0, 34)
    sheet.set_column(1, max(len(names), 6), 18)
    sheet.write_string(0, 0, "What each system costs", styles.title)
    texts = (
        *verdict(cost),
        f"As stated: {cost.horizon.said}, from {cost.start}; {words.basis(cost)}. The "
        "horizon, and the figures that the sheet Assumptions marks as live, can be changed there.",
        *(f"{name}: {text}" for name, text in rests(cost)),
    )
    for row, text in enumerate(texts, 1):
        sheet.write_string(row, 0, text, styles.text)
    top = max(_TOP, len(texts) + 2)
    sheet.write_string(top, 0, "USD", styles.head)
    for at, (name, system) in enumerate(zip(names, systems, strict=True), 1):
        late = " (not a candidate)" if words.no_candidate(cost, system) else ""
        sheet.write_string(top, at, f"{name}{late}", styles.head_number)
    groups = [group for group in GROUPS if any(one.group == group for s in systems for one in s.components)]
    rows = dict(enumerate(groups, top + 1))
    _groups(sheet, styles, cost, places, rows)
    row = _totals(sheet, styles, cost, places, top + 1 + len(groups))
    row = _carbon(sheet, styles, systems, places, row + 1)
    for caveat in caveats(cost):
        row += 1
        sheet.write_string(row, 0, f"Note: {caveat.text}", styles.text)
    sheet.freeze_panes(top + 1, 1)
    _chart(book, sheet, rows, len(names), row + 2)


def _groups(
    sheet: Worksheet, styles: Styles, cost: Cost, places: Sequence[SystemCells], rows: Mapping[int, Group]
) -> None:
    for row, group in rows.items():
        sheet.write_string(row, 0, words.GROUP_TITLES[group], styles.text)
        for at, (system, place) in enumerate(zip(cost.systems, places, strict=True), 1):
            if words.withheld(cost, system):
                continue
            where, usd = on(place.sheet, place.groups), on(place.sheet, place.usd)
            formula = f'=SUMIF({where},"{words.GROUP_TITLES[group]}",{usd})'
            value = system.by_group.get(group, 0.0)
            if value is None:
                sheet.write_string(row, at, UNKNOWN, styles.text)
            else:
                sheet.write_formula(row, at, formula, styles.computed(USD), value)


def _totals(sheet: Worksheet, styles: Styles, cost: Cost, places: Sequence[SystemCells], row: int) -> int:
    """Totals, today's dollars, against the first, and how long; returns the next free row."""
    systems, baseline = cost.systems, cost.choice.baseline
    names = [one.name for one in systems]
    first = systems[names.index(baseline)] if baseline in names else systems[0]
    whose = "the first" if first is systems[0] else first.name
    sheet.write_string(row, 0, "Total", styles.computed(bold=True))
    equal = words.at_equal(cost)
    texts = (
        "In USD of today", f"More than {whose}", f"Share of {whose}", "Times the work",
        "Years", "Usable capacity (TB)", "Total per usable TB",
        *((f"How many {equal}", f"Total {equal}", f"Share of {whose} {equal}") if equal else ()),
    )  # fmt: skip
    for down, text in enumerate(texts, 1):
        sheet.write_string(row + down, 0, text, styles.text)
    base = absolute(row, 1 + systems.index(first))
    for at, (system, place) in enumerate(zip(systems, places, strict=True), 1):
        here = absolute(row, at)
        terabytes, size = (system.capacity_gb.usable or 0.0) / 1000, absolute(row + 6, at)
        dollars, ranked = not words.withheld(cost, system), not words.no_candidate(cost, system)
        more = share = None
        if system.usd is not None and first.usd is not None:
            more = system.usd - first.usd
            share = more / first.usd if first.usd else 0.0
        cells: tuple[tuple[str, float | None, str, bool], ...] = (
            (on(place.sheet, place.total), system.usd, USD, dollars),
            (on(place.sheet, place.present), system.present_usd, USD, dollars),
            (f"{here}-{base}", more, USD, ranked),
            (f"IF({base}=0,0,({here}-{base})/{base})", share, "0.0%", ranked),
            (on(place.sheet, place.repeats), system.repeats, TIMES, True),
            (on(place.sheet, place.years), system.years, "0.00", True),
            (f"{terabytes!r}", terabytes, "0.000", terabytes > 0),
            (f"{here}/{size}", system.usd_per_usable_tb, USD, dollars and terabytes > 0),
        )
        if equal:
            many, all_of, first_of = (
                absolute(row + down, column)
                for down, column in ((8, at), (9, at), (9, 1 + systems.index(first)))
            )
            shares = {pair.b: pair.share_equal for pair in cost.comparison}
            there = ranked and system.copies is not None
            cells += (
                (f"{system.copies!r}", system.copies, TIMES, there),
                (f"{here}*{many}", system.usd_equal, USD, there),
                (f"({all_of}-{first_of})/{first_of}", shares.get(system.name, 0.0), "0.0%", there),
            )
        for down, (formula, value, shown, there) in enumerate(cells):
            if not there:
                continue
            if value is None:
                sheet.write_string(row + down, at, UNKNOWN, styles.text)
                continue
            style = styles.computed(shown, bold=down == 0)
            sheet.write_formula(row + down, at, f"={formula}", style, value)
    return row + len(texts) + 1


def _carbon(
    sheet: Worksheet, styles: Styles, systems: Sequence[SystemCost], places: Sequence[SystemCells], row: int
) -> int:
    for down, text in enumerate(("Carbon in operation (kg CO2e)", "Carbon embodied (kg CO2e)")):
        sheet.write_string(row + down, 0, text, styles.text)
    for at, (system, place) in enumerate(zip(systems, places, strict=True), 1):
        carbon = system.carbon
        for down, (cell, kg) in enumerate(
            ((place.operational, carbon.operational_kg), (place.embodied, carbon.embodied_kg))
        ):
            formula = f"={on(place.sheet, cell)}"
            sheet.write_formula(row + down, at, formula, styles.computed("#,##0.0"), kg or 0)
    return row + 2


def _chart(book: Workbook, sheet: Worksheet, rows: Mapping[int, Group], systems: int, below: int) -> None:
    """Stacked bars of the groups, which follow the cells."""
    if not rows:
        return
    top = min(rows) - 1
    chart = book.add_chart({"type": "bar", "subtype": "stacked"})
    for row, group in rows.items():
        chart.add_series(
            {
                "name": ["Summary", row, 0],
                "categories": ["Summary", top, 1, top, systems],
                "values": ["Summary", row, 1, row, systems],
                "fill": {"color": words.GROUP_COLOURS[group]},
            }
        )
    chart.set_title({"name": "USD by group", "name_font": {"size": 12}})
    chart.set_y_axis({"reverse": True})
    # With the first system on top the axis is there too; its labels belong below.
    chart.set_x_axis({"num_format": "#,##0", "label_position": "high"})
    chart.set_legend({"position": "bottom"})
    chart.set_size({"width": 900, "height": max(260, 120 + 50 * systems)})
    sheet.insert_chart(below, 0, chart)
