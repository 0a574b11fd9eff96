"""Figures of parts of a system: workloads and volumes, tiers and copies, heat, wear."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from iowatt.render import palette, plot
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout, plain

if TYPE_CHECKING:
    from iowatt.run.bundle import Run

_GB = 1e9
_RATINGS: Final = {
    "bytes_written": "bytes written",
    "pe_cycles": "program and erase cycles",
    "bytes_per_year": "bytes a year",
    "load_unload_cycles": "load and unload cycles",
    "start_stop_cycles": "starts and stops",
}


def workloads(run: Run) -> Figure | None:
    """A row for each workload, where there are several."""
    return _flows(run.summary["workloads"], "workloads", "Workload", "Volume", "volume")


def volumes(run: Run) -> Figure | None:
    """A row for each volume, where there are several."""
    return _flows(run.summary["volumes"], "volumes", "Volume", "Pool", "pool")


def _flows(
    flows: Sequence[Mapping[str, Any]], key: str, title: str, place: str, place_key: str
) -> Figure | None:
    if len(flows) < 2:
        return None
    columns = [
        Column(title, text=True), Column(place, text=True), Column("Requests"), Column("Reads", "%"),
        Column("Throughput", "IOPS"), Column("Data rate", "MiB/s"), Column("Mean", "ms"), Column("p50", "ms"),
        Column("p95", "ms"), Column("p99", "ms"), Column("Maximum", "ms"), Column("In flight, mean"),
        Column("In flight at end"),
    ]  # fmt: skip
    rows: list[list[Cell]] = []
    for flow in flows:
        requests, time = flow["requests"], flow["response_time_ms"]["all"]
        reads = 100 * requests["reads"] / requests["count"] if requests["count"] else None
        work = [requests["count"], reads, flow["throughput"]["iops"], flow["throughput"]["mib_per_s"]]
        times = [time[rank] for rank in ("mean", "p50", "p95", "p99", "max")]
        in_flight = [flow["in_flight_mean"], requests["in_flight_at_end"]]
        rows.append([flow["name"], flow[place_key], *work, *times, *in_flight])
    caption = f"The same figures for each {title.lower()}."
    return Figure(key, f"By {title.lower()}", caption, Table(columns, rows), wide=True)


def hits(run: Run) -> Figure | None:
    """Share of requests and of their bytes that each part of a virtual pool served."""
    parts = [tier for tier in run.summary.get("tiers", ()) if tier["hit_ratio"] is not None]
    if not parts:
        return None
    shares = {
        "All requests": "hit_ratio", "Reads": "read_hit_ratio", "Writes": "write_hit_ratio",
        "Bytes": "hit_bytes_ratio",
    }  # fmt: skip
    rows: list[list[Cell]] = [
        [part["name"], *(None if part[key] is None else 100 * part[key] for key in shares.values())]
        for part in parts
    ]
    table = Table([Column("Part", text=True), *(Column(title, "%") for title in shares)], rows)
    return Figure(
        "tier-hits",
        "Where requests found their data",
        "Share of a virtual pool's requests, and of their bytes, that one part served entirely. Requests "
        "that span two parts count for neither.",
        table,
        _by_part(
            table, "%", {"All requests": palette.BAR, "Bytes": palette.P99}, axis("Share (%)", range=[0, 100])
        ),
    )


def movement(run: Run) -> Figure | None:
    """Bytes that moved between the parts of virtual pools, and the I/O that moved them."""
    parts = run.summary.get("tiers", ())
    if not any(part["migration_bytes_read"] or part["migration_bytes_written"] for part in parts):
        return None
    sizes = {
        "Promoted to it": "promoted_bytes",
        "Demoted or written back to it": "demoted_bytes",
        "Held at the end": "occupied_bytes",
        "Read by moves": "migration_bytes_read",
        "Written by moves": "migration_bytes_written",
    }
    rows: list[list[Cell]] = [
        [part["name"], *(None if part[key] is None else part[key] / _GB for key in sizes.values())]
        for part in parts
    ]
    table = Table([Column("Part", text=True), *(Column(title, "GB") for title in sizes)], rows)
    colours = {"Promoted to it": palette.BAR, "Demoted or written back to it": palette.P99}
    return Figure(
        "tier-movement",
        "Data moved between parts",
        "Data that migrations moved to each part of a virtual pool within the window. Their I/O is in the "
        "load of the drives, their energy under data migration.",
        table,
        _by_part(table, "GB", colours, axis("Data (GB)", rangemode="tozero")),
    )


def _by_part(table: Table, unit: str, colours: Mapping[str, str], y: dict[str, Any]) -> dict[str, Any]:
    """Columns of a table as grouped bars, for each part."""
    names = [plain(name) for name in table.column("Part")]
    hover = f"%{{x}}: %{{y:.4~r}} {unit}<extra>%{{fullData.name}}</extra>"
    bars = [
        plot.bar(names, table.column(title), name=title, colour=colour, hover=hover)
        for title, colour in colours.items()
    ]
    x_axis = axis("", type="category", showgrid=False)
    return plot.spec(bars, layout(x_axis, y, barmode="group", showlegend=True))


def wear(run: Run) -> Figure | None:
    """By pool and rating: the drive that wears fastest, and the mean. None where no rating is known."""
    gauges: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for device in run.summary["devices"]:
        for gauge in device.get("wear", ()):
            gauges.setdefault((device["pool"], gauge["rating"]), []).append(gauge)
    if not gauges:
        return None
    rows: list[list[Cell]] = []
    for (pool, rating), drives in gauges.items():
        worst = max(drives, key=lambda drive: drive["yearly_fraction"])
        mean = sum(drive["yearly_fraction"] for drive in drives) / len(drives)
        used = None if worst["used_fraction"] is None else 100 * worst["used_fraction"]
        yearly = [100 * worst["yearly_fraction"], 100 * mean]
        rows.append([f"{pool}: {_RATINGS[rating]}", worst["rated"], used, *yearly, worst["life_years"]])
    columns = [
        Column("Pool and rating", text=True), Column("Rated"), Column("Used in the window", "%"),
        Column("A year of this work, worst drive", "%"), Column("Mean of the drives", "%"),
        Column("Life at this rate", "years"),
    ]  # fmt: skip
    names = [plain(str(row[0])) for row in rows]
    hover = "%{y}: %{x:,.4~r} %<extra>%{fullData.name}</extra>"
    bars = [
        plot.bar([row[at] for row in rows], names, name=name, colour=colour, hover=hover, orientation="h")
        for name, at, colour in (("Worst drive", 3, palette.WRITE), ("Mean", 4, palette.BAR))
    ]
    x_axis = axis("Of the rating, a year of this work (%)", rangemode="tozero")
    y_axis = axis("", autorange="reversed", ticks="", ticksuffix=" ")
    return Figure(
        "wear",
        "Media wear gauge",
        "Share of the data-sheet ratings that a year of this work uses. At 100 %, endurance (bytes written, "
        "cycles) is used up in a year, and a disk moves the bytes per year that it is rated for. Each "
        "change to a deeper power level counts as a head unload.",
        Table(columns, rows),
        plot.spec(bars, layout(x_axis, y_axis, barmode="group", showlegend=True)),
    )
