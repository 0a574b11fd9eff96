"""Figures of a fleet's page: classes, one member of each at its loads, and drives."""

from __future__ import annotations

from iowatt.evaluate.fleet.result import Fleet
from iowatt.pages.fleet.over_years import unfit
from iowatt.render import palette, plot
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout, plain


def classes(found: Fleet) -> Figure:
    """Each class in each year."""
    columns = [
        Column("Class", text=True),
        Column("Year", text=True),
        Column("Members"),
        Column("Bought", rank=2),
        Column("Retired", rank=2),
        Column("Mean load", "IOPS", rank=1),
        Column("Busy load", "IOPS"),
        Column("p95", "ms"),
        Column("Beyond", "members"),
        Column("Power of one", "W", rank=1),
        Column("Racks", rank=1),
    ]
    outside = unfit(found)
    rows: list[list[Cell]] = [
        [
            one.name,
            str(year.year),
            one.members,
            one.bought,
            one.retired,
            one.member_iops,
            one.busy_iops,
            one.busy_p95_ms,
            one.members_beyond,
            one.member_w,
            None if one.name in outside else one.racks,
        ]
        for at, _ in enumerate(found.members)
        for year in found.years
        for one in [year.classes[at]]
        if one.members or one.retired
    ]
    caption = (
        "Busy load and p95 are those of the busy hour at the member that most must keep up with; beyond are "
        "members above their highest load."
    )
    return Figure("classes", "Classes by year", caption, Table(columns, rows), wide=True)


def watts(found: Fleet) -> Figure:
    """Watts of one member against its load, as simulated."""
    columns = [Column("Class", text=True), Column("Load", "IOPS"), Column("Power", "W")]
    rows: list[list[Cell]] = []
    traces = []
    names = [one.name for one in found.members]
    for member, colour in zip(found.members, palette.of_systems(names), strict=True):
        first = [] if member.idle_w is None else [(0.0, member.idle_w)]
        points = [*first, *((point.load_iops, point.watts) for point in member.points)]
        rows += [[member.name, load, drawn_w] for load, drawn_w in points]
        traces.append(
            plot.line(
                [load for load, _ in points],
                [drawn_w for _, drawn_w in points],
                name=plain(member.name),
                colour=colour,
                marks=True,
                hover="%{x:,.4~r} IOPS: %{y:,.4~r} W<extra>%{fullData.name}</extra>",
            )
        )
    drawn = layout(
        axis("Load of one member (IOPS)", rangemode="tozero"), axis("Power of one (W)", rangemode="tozero")
    )
    caption = "As simulated or measured; linear between. The first point is idle."
    return Figure("watts", "Power of one member", caption, Table(columns, rows), plot.spec(traces, drawn))


def drives(found: Fleet) -> Figure:
    """Drives that fail, and their spares."""
    columns = [
        Column("Model", text=True),
        Column("Year", text=True),
        Column("Drives"),
        Column("Failures"),
        Column("5 %", rank=1),
        Column("95 %", rank=1),
        Column("Worn out", rank=1),
        Column("Stock"),
        Column("Runs out", rank=1),
        Column("Bought"),
    ]
    rows: list[list[Cell]] = [
        [
            one.model,
            str(year.year),
            one.drives,
            one.failures.expected,
            one.failures.low,
            one.failures.high,
            one.worn,
            one.stock,
            one.stock_out,
            one.bought,
        ]
        for year in found.years
        for one in year.drives
        if one.drives or one.failures.expected
    ]
    caption = (
        "Failures are Poisson; the stock lasts until a used spare is replaced. Bought: for the stock, beyond "
        "the warranty, and for worn-out drives."
    )
    return Figure("drives", "Drives and spares", caption, Table(columns, rows), wide=True)


def members(found: Fleet) -> Figure:
    """One member of each class."""
    columns = [
        Column("Class", text=True),
        Column("Source", text=True),
        Column("Usable", "TB"),
        Column("Highest load", "IOPS"),
        Column("Breaks at", "IOPS"),
        Column("Idle", "W"),
        Column("Price", "USD"),
        Column("Embodied", "kg"),
        Column("In a rack"),
        Column("Its units hold", rank=1),
        Column("Its power carries", rank=1),
        Column("Drives", text=True, rank=1),
    ]
    rows: list[list[Cell]] = [
        [
            one.name,
            one.source,
            one.usable_tb,
            one.most_iops,
            one.breaks_at_iops,
            one.idle_w,
            one.usd,
            one.embodied_kg,
            one.in_rack,
            one.units_hold,
            one.cap_carries,
            ", ".join(f"{drive.count} x {drive.model}" for drive in one.drives),
        ]
        for one in found.members
    ]
    caption = "The highest simulated load that keeps the service level, and the first above it that does not."
    return Figure("members", "Members", caption, Table(columns, rows), wide=True)


def points(found: Fleet) -> Figure:
    """The loads at which members were simulated."""
    columns = [
        Column("Class", text=True),
        Column("Load", "IOPS"),
        Column("Power", "W"),
        Column("Peak", "W"),
        Column("p95", "ms"),
        Column("Busiest drive", "%"),
        Column("Service level", text=True),
    ]
    rows: list[list[Cell]] = [
        [
            one.name,
            point.load_iops,
            point.watts,
            point.peak_w,
            point.p95_ms,
            None if point.utilisation is None else 100 * point.utilisation,
            "kept" if point.within else "broken" if point.kept_up else "overloaded",
        ]
        for one in found.members
        for point in one.points
    ]
    return Figure("points", "Loads simulated", "One member at each load.", Table(columns, rows), wide=True)
