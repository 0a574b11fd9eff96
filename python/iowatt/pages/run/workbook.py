"""Runs as a workbook: headline figures, percentiles, every table in full, and native charts.

Numbers are numbers with a format, units are in the headers, text is never taken for a formula. Sheets that
hold the rows of several Runs start with a column that names the Run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import polars as pl
import xlsxwriter

from iowatt.lenses.budget import has_hops
from iowatt.pages import budget
from iowatt.pages.run import latency
from iowatt.pages.run.answer import answer
from iowatt.pages.run.headlines import headlines
from iowatt.pages.run.provenance import labels, provenance
from iowatt.pages.run.recovery import Recovery
from iowatt.render import palette
from iowatt.render.figure import Cell, Column, Table, text_columns
from iowatt.render.sheets import Sheets

if TYPE_CHECKING:
    from xlsxwriter import Workbook
    from xlsxwriter.chart import Chart
    from xlsxwriter.worksheet import Worksheet

    from iowatt.run.bundle import Run

_SIZE: Final = {"width": 760, "height": 340}
_UNITS: Final = {"s": "s", "ms": "ms", "ns": "ns", "w": "W", "j": "J", "cylinders": "cylinders"}
_HEADINGS: Final = {
    "bytes_read": ("Read", "bytes"),
    "bytes_written": ("Written", "bytes"),
    "in_flight_mean": ("In flight, mean", "requests"),
    "queue_length_mean": ("Queue length, mean", "requests"),
    "queue_length_seen": ("Queue length, seen", "requests"),
    "queue_length_mean_host": ("Queue length, mean, at the host", "requests"),
    "queue_length_mean_drive": ("Queue length, mean, in the drive", "requests"),
    "utilisation": ("Utilisation", "share"),
    "wear_fraction": ("Wear", "share"),
    "op": ("Operation", ""),
}


def heading(name: str, text: bool = False) -> Column:
    """The column of a bundle's table for a reader: ``energy_idle_j`` is ``Energy idle`` in ``J``."""
    if name in _HEADINGS:
        return Column(*_HEADINGS[name], text)
    words = name.split("_")
    unit = _UNITS.get(words[-1], "") if len(words) > 1 and not text else ""
    title = " ".join(words[:-1] if unit else words)
    return Column(title[:1].upper() + title[1:], unit, text)


def write(runs: Sequence[Run], path: Path) -> None:
    """Write a workbook of one or more Runs.

    Raises ``InputError`` where a table has more rows than a sheet can hold.
    """
    names = labels(runs)
    as_typed = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    with xlsxwriter.Workbook(str(path), as_typed) as book:
        # When the Run started, so that the same Runs give the same workbook.
        started = datetime.fromisoformat(runs[0].summary["provenance"]["started_at"]).replace(tzinfo=None)
        book.set_properties({"title": "iowatt report", "created": started})
        sheets = Sheets(book)
        sheets.table_and_prose("Summary", _headlines(runs, names), _prose(runs, names))
        charts = book.add_worksheet("Charts")
        sheets.table("Percentiles", _joined(runs, names, _percentiles))
        for name in ("intervals", "devices", "energy"):
            sheets.table(name.capitalize(), _joined(runs, names, _bundle_table(name)))
        sheets.table("Latency histogram", _joined(runs, names, _bundle_table("latency")))
        if any(map(has_hops, runs)):
            sheets.table("Latency budget", _joined(runs, names, budget.hops_of_run))
            sheets.table("Budget by percentile", _joined(runs, names, budget.bands_of_run))
        sheets.table("Provenance", _provenance(runs, names))
        _charts(book, charts, sheets, runs, names)


def _headlines(runs: Sequence[Run], names: Sequence[str]) -> Table:
    by_run = [headlines(run.summary) for run in runs]
    rows: list[list[Cell]] = [
        [row[0].title, row[0].unit, *(headline.value for headline in row)]
        for row in zip(*by_run, strict=True)
    ]
    return Table([*text_columns("Figure", "Unit"), *map(Column, names)], rows)


def _prose(runs: Sequence[Run], names: Sequence[str]) -> list[tuple[str, list[str]]]:
    def told(run: Run) -> list[str]:
        found = " ".join([*Recovery(run).sentences, *answer(run)])
        return [found, *(f"Note: {note}" for note in run.summary["notes"])]

    return [(name, told(run)) for run, name in zip(runs, names, strict=True)]


def _percentiles(run: Run) -> Table:
    figure = latency.percentiles(run)
    return figure.table if figure else Table(text_columns(""), [])


def _bundle_table(name: str) -> Callable[[Run], Table]:
    def table(run: Run) -> Table:
        frame = run.table(name)
        columns = [heading(column, text=dtype == pl.String) for column, dtype in frame.schema.items()]
        return Table(columns, [list(row) for row in frame.iter_rows()])

    return table


def _joined(runs: Sequence[Run], names: Sequence[str], build: Callable[[Run], Table]) -> Table:
    """The tables of all Runs below each other; with a column for the Run where there are several."""
    tables = [build(run) for run in runs]
    if len(runs) == 1:
        return tables[0]
    columns = max((table.columns for table in tables), key=len)
    rows: list[list[Cell]] = []
    for name, table in zip(names, tables, strict=True):
        rows += [[name, *row, *[None] * (len(columns) - len(row))] for row in table.rows]
    return Table([Column("Run", text=True), *columns], rows)


def _provenance(runs: Sequence[Run], names: Sequence[str]) -> Table:
    rows: list[list[Cell]] = []
    for run, name in zip(runs, names, strict=True):
        rows += [[name, title, value] for title, value in provenance(run.summary)]
        for source in run.summary["provenance"]["inputs"]:
            rows.append([name, f"SHA-256 of {source['path']}", source["sha256"] or "not known"])
    return Table(text_columns("Run", "Item", "Value"), rows)


def _charts(
    book: Workbook, sheet: Worksheet, sheets: Sheets, runs: Sequence[Run], names: Sequence[str]
) -> None:
    """Energy by state and power over time; the sheet ``Intervals`` has the intervals of ``runs`` in order."""
    by_state = [run.summary["energy"]["by_state_j"] for run in runs]
    states = palette.in_order(list({state for part in by_state for state, joules in part.items() if joules}))
    rows: list[list[Cell]] = [
        [palette.state_name(state), *(part.get(state, 0.0) for part in by_state)] for state in states
    ]
    below = sheets.rows(
        sheet, 0, Table([Column("State", text=True), *(Column(name, "J") for name in names)], rows)
    )
    if not rows:
        return
    colours = palette.of_systems(names)
    bars = book.add_chart({"type": "column"})
    points = (
        [{"fill": {"color": palette.state_colour(state)}} for state in states] if len(runs) == 1 else None
    )
    for number, (name, colour) in enumerate(zip(names, colours, strict=True), 1):
        span = _span("Charts", 1, len(rows), 0, number)
        bars.add_series({"name": name, **span, "points": points, "fill": {"color": colour}})
    _finish(bars, "Energy by state", "Energy (J)", len(runs))
    sheet.insert_chart(below + 1, 0, bars)
    lines = book.add_chart({"type": "scatter", "subtype": "straight"})
    first, shift = 1, 0 if len(runs) == 1 else 1
    for run, name, colour in zip(runs, names, colours, strict=True):
        frame = run.table("intervals")
        x, y = (frame.columns.index(column) + shift for column in ("start_s", "power_w"))
        if frame.height:
            span = _span("Intervals", first, first + frame.height - 1, x, y)
            lines.add_series({"name": name, **span, "line": {"width": 1.25, "color": colour}})
        first += frame.height
    if first > 1:
        lines.set_x_axis({"name": "Time (s)", "num_format": "#,##0", "min": 0})
        _finish(lines, "Power over time", "Power (W)", len(runs))
        sheet.insert_chart(below + 19, 0, lines)


def _span(sheet: str, first: int, last: int, x: int, y: int) -> dict[str, Any]:
    return {"categories": [sheet, first, x, last, x], "values": [sheet, first, y, last, y]}


def _finish(chart: Chart, title: str, y_title: str, runs: int) -> None:
    chart.set_title({"name": title, "name_font": {"size": 12}})
    chart.set_y_axis({"name": y_title, "num_format": "#,##0", "min": 0})
    chart.set_legend({"none": True} if runs == 1 else {"position": "bottom"})
    chart.set_size(_SIZE)
