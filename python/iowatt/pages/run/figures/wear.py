"""The media wear gauge: what a year of this work uses of what drives are rated to last."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from iowatt.render import palette
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout, plain

if TYPE_CHECKING:
    from iowatt.run.bundle import Run

_RATINGS: Final = {
    "bytes_written": "bytes written",
    "pe_cycles": "program and erase cycles",
    "bytes_per_year": "bytes a year",
    "load_unload_cycles": "load and unload cycles",
    "start_stop_cycles": "starts and stops",
}


def gauge(run: Run) -> Figure | None:
    """By pool and rating: the drive that wears fastest, and the mean. None where no rating is known."""
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for device in run.summary["devices"]:
        for wear in device.get("wear", ()):
            found.setdefault((device["pool"], wear["rating"]), []).append(wear)
    if not found:
        return None
    rows: list[list[Cell]] = []
    for (pool, rating), wears in found.items():
        worst = max(wears, key=lambda wear: wear["yearly_fraction"])
        mean = sum(wear["yearly_fraction"] for wear in wears) / len(wears)
        used = worst["used_fraction"]
        rows.append(
            [
                f"{pool}: {_RATINGS[rating]}",
                worst["rated"],
                None if used is None else 100 * used,
                100 * worst["yearly_fraction"],
                100 * mean,
                worst["life_years"],
            ]
        )
    columns = [
        Column("Pool and rating", text=True),
        Column("Rated"),
        Column("Used in the window", "%"),
        Column("A year of this work, worst drive", "%"),
        Column("Mean of the drives", "%"),
        Column("Life at this rate", "years"),
    ]
    bars = [
        {
            "type": "bar",
            "orientation": "h",
            "name": plain(name),
            "y": [plain(str(row[0])) for row in rows],
            "x": [row[at] for row in rows],
            "marker": {"color": colour},
            "hovertemplate": "%{y}: %{x:,.4~r} %<extra>%{fullData.name}</extra>",
        }
        for name, at, colour in (("Worst drive", 3, palette.WRITE), ("Mean", 4, palette.BAR))
    ]
    return Figure(
        "wear",
        "Media wear gauge",
        "What a year of this work uses of what data sheets promise. At 100 % a stock (bytes written, cycles) "
        "is used up in a year, and a disk moves the bytes a year that it is made for. Each change to a "
        "deeper power level counts as an unloading of the heads.",
        Table(columns, rows),
        {
            "data": bars,
            "layout": layout(
                axis("Of the rating, a year of this work (%)", rangemode="tozero"),
                axis("", autorange="reversed", ticks="", ticksuffix=" "),
                barmode="group",
                showlegend=True,
            ),
        },
    )
