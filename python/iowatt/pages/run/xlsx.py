"""The report as a workbook: headline figures, percentiles, every table in full, and native charts.

Numbers are numbers with a format, units are in the headers, text is never taken for a formula. Sheets
that hold the rows of several runs start with a column that names the run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import xlsxwriter

from iowatt.lenses.budget import has_hops
from iowatt.pages.budget import figures
from iowatt.pages.run.figures import latency
from iowatt.pages.run.figures.headline import headlines
from iowatt.pages.run.headings import heading
from iowatt.pages.run.page import labels, provenance
from iowatt.pages.run.story import answer
from iowatt.pages.run.xlsx_charts import add_charts
from iowatt.render.figure import Cell, Column, Table
from iowatt.render.sheets import Sheets

if TYPE_CHECKING:
    from iowatt.run.bundle import Run


def write(runs: Sequence[Run], path: Path) -> None:
    """Write a workbook of one or more runs.

    Raises ``InputError`` where a table has more rows than a sheet can hold.
    """
    names = labels(runs)
    as_typed = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    with xlsxwriter.Workbook(str(path), as_typed) as book:
        book.set_properties({"title": "iowatt report", "created": _started(runs[0])})
        sheets = Sheets(book)
        sheets.table_and_prose("Summary", _headlines(runs, names), _prose(runs, names))
        charts = book.add_worksheet("Charts")
        sheets.table("Percentiles", _joined(runs, names, _percentiles))
        sheets.table("Intervals", _joined(runs, names, _bundle_table("intervals")))
        sheets.table("Devices", _joined(runs, names, _bundle_table("devices")))
        sheets.table("Energy", _joined(runs, names, _bundle_table("energy")))
        sheets.table("Latency histogram", _joined(runs, names, _bundle_table("latency")))
        for title, build in (("Latency budget", figures.of_hops), ("Budget by percentile", figures.of_bands)):
            if any(map(has_hops, runs)):
                sheets.table(title, _joined(runs, names, build))
        sheets.table("Provenance", _provenance(runs, names))
        add_charts(book, charts, sheets, runs, names)


def _headlines(runs: Sequence[Run], names: Sequence[str]) -> Table:
    by_run = [headlines(run.summary) for run in runs]
    rows: list[list[Cell]] = [
        [first.title, first.unit, *(mine[at].value for mine in by_run)] for at, first in enumerate(by_run[0])
    ]
    return Table([Column("Figure", text=True), Column("Unit", text=True), *map(Column, names)], rows)


def _prose(runs: Sequence[Run], names: Sequence[str]) -> list[tuple[str, list[str]]]:
    return [
        (name, [" ".join(answer(run)), *(f"Note: {note}" for note in run.summary["notes"])])
        for run, name in zip(runs, names, strict=True)
    ]


def _percentiles(run: Run) -> Table:
    figure = latency.percentiles(run)
    return figure.table if figure else Table([Column("", text=True)], [])


def _bundle_table(name: str) -> Callable[[Run], Table]:
    def table(run: Run) -> Table:
        frame = run.table(name)
        columns = [heading(column, text=dtype == pl.String) for column, dtype in frame.schema.items()]
        return Table(columns, [list(row) for row in frame.iter_rows()])

    return table


def _joined(runs: Sequence[Run], names: Sequence[str], build: Callable[[Run], Table]) -> Table:
    """The tables of all runs below each other; with a column for the run where there are several."""
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
    return Table([Column(title, text=True) for title in ("Run", "Item", "Value")], rows)


def _started(run: Run) -> datetime:
    """When the run started, so that the same runs give the same workbook."""
    return datetime.fromisoformat(run.summary["provenance"]["started_at"]).replace(tzinfo=None)
