"""The native charts of a workbook: energy by state and power over time, for each run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from xlsxwriter import Workbook
from xlsxwriter.worksheet import Worksheet

from iowatt.render import palette
from iowatt.render.figure import Cell, Column, Table
from iowatt.render.sheets import Sheets

if TYPE_CHECKING:
    from iowatt.run.bundle import Run

_SIZE = {"width": 760, "height": 340}


def add_charts(
    book: Workbook, sheet: Worksheet, sheets: Sheets, runs: Sequence[Run], names: Sequence[str]
) -> None:
    """Fill the sheet ``Charts``; the sheet ``Intervals`` must hold the intervals of ``runs`` in order."""
    table = _by_state(runs, names)
    below = sheets.rows(sheet, 0, table)
    if not table.rows:
        return
    bars = book.add_chart({"type": "column"})
    for at, name in enumerate(names, 1):
        colours = [palette.state_colour(state) for state in _states(runs)]
        points = [{"fill": {"color": colour}} for colour in colours] if len(runs) == 1 else None
        bars.add_series(
            {
                "name": name,
                "categories": ["Charts", 1, 0, len(table.rows), 0],
                "values": ["Charts", 1, at, len(table.rows), at],
                "points": points,
                "fill": {"color": palette.RUNS[(at - 1) % len(palette.RUNS)]},
            }
        )
    bars.set_title({"name": "Energy by state", "name_font": {"size": 12}})
    bars.set_y_axis({"name": "Energy (J)", "num_format": "#,##0"})
    bars.set_legend({"none": True} if len(runs) == 1 else {"position": "bottom"})
    bars.set_size(_SIZE)
    sheet.insert_chart(below + 1, 0, bars)
    lines = book.add_chart({"type": "scatter", "subtype": "straight"})
    first = 1
    for at, (run, name) in enumerate(zip(runs, names, strict=True)):
        frame = run.table("intervals")
        shift = 0 if len(runs) == 1 else 1
        x, y = (frame.columns.index(column) + shift for column in ("start_s", "power_w"))
        if frame.height:
            lines.add_series(
                {
                    "name": name,
                    "categories": ["Intervals", first, x, first + frame.height - 1, x],
                    "values": ["Intervals", first, y, first + frame.height - 1, y],
                    "line": {"width": 1.25, "color": palette.RUNS[at % len(palette.RUNS)]},
                }
            )
        first += frame.height
    if first == 1:
        return
    lines.set_title({"name": "Power over time", "name_font": {"size": 12}})
    lines.set_x_axis({"name": "Time (s)", "num_format": "#,##0", "min": 0})
    lines.set_y_axis({"name": "Power (W)", "num_format": "#,##0", "min": 0})
    lines.set_legend({"none": True} if len(runs) == 1 else {"position": "bottom"})
    lines.set_size(_SIZE)
    sheet.insert_chart(below + 19, 0, lines)


def _states(runs: Sequence[Run]) -> list[str]:
    """States that hold energy in any run."""
    found = {
        state
        for run in runs
        for state, joules in run.summary["energy"]["by_state_j"].items()
        if joules is not None and joules > 0
    }
    return palette.in_order(list(found))


def _by_state(runs: Sequence[Run], names: Sequence[str]) -> Table:
    rows: list[list[Cell]] = [
        [palette.state_name(state), *(run.summary["energy"]["by_state_j"].get(state, 0.0) for run in runs)]
        for state in _states(runs)
    ]
    return Table([Column("State", text=True), *(Column(name, "J") for name in names)], rows)
