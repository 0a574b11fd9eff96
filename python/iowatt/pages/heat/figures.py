"""The figures of the heat page, each with its table twin."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from iowatt.lenses.heat import skew_law
from iowatt.lenses.heat.result import HeatResult, HeatSkewPoint, PointHeat
from iowatt.render import numbers, palette, plot
from iowatt.render.figure import Cell, Column, Figure, Table, axis, plain

GB: Final = 1e9
POINTS: Final = {"front": "Front end", "back": "Back end", "trace": "Trace"}
WHERE: Final = {"front": "host requests", "back": "behind the cache", "trace": "as recorded"}

_MOST_BRIEF_SPACES: Final = 16
"""Address spaces beyond which a terminal does not list them."""

COLOURS = {"front": palette.RUNS[0], "back": palette.RUNS[1], "trace": palette.RUNS[0]}
HOT: Final = 0.10
"""Share of the space that a page calls hot."""

_SHARES = (0.01, 0.02, 0.03, 0.05, 0.10, 0.15, 0.20, 0.30, 0.40, 0.50, 0.60, 0.70, 0.80, 0.90, 1.0)


def title(point: PointHeat) -> str:
    """The name of a point."""
    return POINTS[point.point]


def space(heat: HeatResult) -> str:
    """What shares of the space are shares of."""
    return "capacity" if heat.shares_over == "capacity" else "touched space"


def skew_point(point: HeatSkewPoint) -> str:
    """``70/30`` is 70 % of the I/O on 30 % of the space."""
    return f"{100 * point.io_share:.3g}/{100 * point.space_share:.3g}"


def _percent(values: list[float]) -> list[float]:
    return [100 * value for value in values]


def curve(heat: HeatResult) -> Figure:
    """Cumulative share of I/O over share of space."""
    data, columns = [], [Column("Hottest", f"% of {space(heat)}")]
    rows: list[list[Cell]] = [[100 * share] for share in _SHARES]
    for point in heat.points:
        measured, colour, name = point.curve, COLOURS[point.point], title(point)
        x, k = measured.space_share, point.skew.law.k
        fitted = skew_law(k, np.array(x)).tolist()
        data.append(plot.curve(_percent(x), _percent(measured.io_share), name, colour, "%"))
        law = f"{name}: law, k = {numbers.significant(k)}"
        data.append(plot.curve(_percent(x), _percent(fitted), law, colour, "%", dash="dot"))
        columns += [Column(name, "% of I/O"), Column(f"{name}, law", "% of I/O")]
        for row in rows:
            at = float(str(row[0])) / 100
            row += [100 * measured.at(at), 100 * float(skew_law(k, at))]
    data.append(plot.curve([0, 100], [0, 100], "Even", palette.STATE_COLOURS["idle"], "%", dash="dash"))
    return Figure(
        "curve",
        "Share of the I/O on the hottest space",
        "Extents in order of density, the hottest first. Dotted: the law 1 - (1 - c)^k that fits best.",
        Table(columns, rows),
        plot.chart(
            data,
            axis(f"Hottest share of the {space(heat)} (%)", range=[0, 100]),
            axis("Share of the I/O (%)", range=[0, 102]),
            showlegend=True,
        ),
    )


def density(heat: HeatResult) -> Figure:
    """Density of extents, sorted."""
    data = []
    rows: list[list[Cell]] = []
    for point in heat.points:
        density, name = point.density_sorted, title(point)
        x, y = _percent(density.space_share), density.iops_per_gb
        # Each density holds from the share before on, the first one from 0.
        drawn = plot.positive([*y[:1], *y])
        steps = [0.0, *x][: len(drawn)]
        data.append(plot.curve(steps, drawn, name, COLOURS[point.point], "IOPS/GB", shape="vh"))
        rows += [[name, share, value] for share, value in zip(x, y, strict=True)]
    columns = [
        Column("Point", text=True), Column("As hot or hotter", f"% of {space(heat)}"),
        Column("Density", "IOPS/GB"),
    ]  # fmt: skip
    return Figure(
        "density",
        "I/O density, hottest first",
        "I/Os per second and GB of extents, sorted: what a tier for this part of the space must deliver.",
        Table(columns, rows),
        plot.chart(
            data,
            axis(f"Share of the {space(heat)} (%)", range=[0, 100]),
            axis("Density (IOPS/GB, log scale)", type="log", dtick=1),
            showlegend=True,
        ),
    )


def figures_of_skew(heat: HeatResult) -> Figure:
    """Single figures of the curves, a row for each point."""
    others = [row.space_share for row in heat.points[0].skew.hottest if row.space_share != HOT]
    columns = [
        Column("Point", text=True), Column("IOPS"), Column("Density", "IOPS/GB", rank=1),
        Column(f"On hottest {100 * HOT:g} %", "%"), Column("Skew point", text=True), Column("k"),
        Column("Gini"), Column("Gini by chance", rank=2), Column("Touched", "GB", rank=3),
        Column("Capacity", "GB", rank=3), Column("RMS error of the fit", "points", rank=4),
        Column("Maximum error of the fit", "points", rank=4),
        *(Column(f"On hottest {100 * share:g} %", "%", rank=5) for share in others),
    ]  # fmt: skip
    rows: list[list[Cell]] = [
        [
            title(point), point.iops, point.iops_per_gb, 100 * point.skew.on_hottest(HOT),
            skew_point(point.skew.skew_point), point.skew.law.k, point.skew.gini, point.skew.gini_by_chance,
            point.touched_bytes / GB, point.capacity_bytes / GB, 100 * point.skew.law.rms_error,
            100 * point.skew.law.max_error, *(100 * point.skew.on_hottest(share) for share in others),
        ]
        for point in heat.points
    ]  # fmt: skip
    return Figure(
        "skew",
        "Skew in figures",
        f"Hottest and density are of the {space(heat)}. Skew point: 80/20 is 80 % of the I/O on 20 % of "
        "the space. k: of the law 1 - (1 - c)^k, 1 for an even load. Gini coefficient: 0 for an even "
        "load, towards 1 where all I/O goes to one place.",
        Table(columns, rows),
        wide=True,
        brief=True,
    )


def _by_address(heat: HeatResult, point: PointHeat) -> Figure:
    bands = point.density_by_address
    rows: list[list[Cell]] = [
        [band.from_gb, band.until_gb, band.read_iops_per_gb, band.write_iops_per_gb] for band in bands
    ]
    centres = [(band.from_gb + band.until_gb) / 2 for band in bands]
    widths = [band.until_gb - band.from_gb for band in bands]
    data = [
        plot.bar(
            centres, y, name=name, hover="%{x:,.4~r} GB: %{y:,.4~r} IOPS/GB<extra>%{fullData.name}</extra>",
            width=widths, marker={"color": colour, "line": {"width": 0}},
        )
        for name, y, colour in (
            ("Reads", [band.read_iops_per_gb for band in bands], palette.READ),
            ("Writes", [band.write_iops_per_gb for band in bands], palette.WRITE),
        )
    ]  # fmt: skip
    spaces = point.spaces
    several = f"; {len(spaces)} address spaces one after another: {', '.join(one.name for one in spaces)}"
    columns = [
        Column("From", "GB"), Column("Until", "GB"), Column("Reads", "IOPS/GB"), Column("Writes", "IOPS/GB"),
    ]  # fmt: skip
    return Figure(
        f"address-{point.point}",
        f"Density by address, {title(point).lower()}",
        f"Mean over the window, {WHERE[point.point]}{plain(several) if len(spaces) > 1 else ''}.",
        Table(columns, rows),
        plot.chart(
            data, axis("Address (GB)"), axis("Density (IOPS/GB)"), showlegend=True, barmode="stack", bargap=0
        ),
    )


def _over_time(heat: HeatResult, point: PointHeat) -> Figure:
    course = point.over_time
    starts, addresses, cells = course.start_s, course.address_gb, course.iops_per_gb
    rows: list[list[Cell]] = [
        [start, address, cells[y][x]]
        for x, start in enumerate(starts)
        for y, address in enumerate(addresses)
        if cells[y][x] is not None
    ]
    logs = [[None if cell is None else math.log10(cell) for cell in row] for row in cells]
    known = [cell for row in logs for cell in row if cell is not None]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    ticks = [low + step * (high - low) / 4 for step in range(5)] if high > low else [low]
    data = [
        {
            "type": "heatmap",
            "x": [*starts, course.end_s],
            "y": [*addresses, course.end_gb],
            "z": logs,
            "customdata": cells,
            "colorscale": "Viridis",
            "hoverongaps": False,
            "colorbar": {
                "title": {"text": "IOPS/GB", "side": "right"},
                "tickvals": ticks,
                "ticktext": [numbers.significant(10**tick, 2) for tick in ticks],
                "thickness": 12,
                "outlinewidth": 0,
            },
            "hovertemplate": "%{x:,.4~r} s, %{y:,.4~r} GB: %{customdata:,.4~r} IOPS/GB<extra></extra>",
        }
    ]
    return Figure(
        f"time-{point.point}",
        f"Heat over time, {title(point).lower()}",
        "Density of each band of addresses in each period, by colour on a logarithmic scale; empty where "
        "there was no I/O.",
        Table([Column("From", "s"), Column("Address from", "GB"), Column("Density", "IOPS/GB")], rows),
        plot.chart(data, axis("Time (s)"), axis("Address (GB)"), showlegend=False),
        wide=True,
    )


def stability(heat: HeatResult) -> Figure | None:
    """How well a period's hot set predicts the next one's."""
    measured = [(point, point.stability) for point in heat.points if point.stability is not None]
    if not measured:
        return None
    data = []
    rows: list[list[Cell]] = []
    for point, stable in measured:
        name, colour = title(point), COLOURS[point.point]
        starts = [row.start_s for row in stable.by_period]
        caught = [100 * row.caught for row in stable.by_period]
        possible = [100 * row.possible for row in stable.by_period]
        data.append(plot.curve(starts, caught, f"{name}: hot set of the period before", colour, "%"))
        data.append(plot.curve(starts, possible, f"{name}: own hot set", colour, "%", dash="dot"))
        rows += [[name, *row] for row in zip(starts, caught, possible, strict=True)]
    columns = [
        Column("Point", text=True), Column("From", "s"),
        Column("On the hot set of the period before", "% of I/O"), Column("On its own hot set", "% of I/O"),
    ]  # fmt: skip
    return Figure(
        "stability",
        "Stability of the hot set",
        f"Share of each period's I/O on the hottest {100 * measured[0][1].hot_share:g} % of the "
        f"{space(heat)} in the period before: what a fast tier of that size serves when the period before "
        "fills it. Dotted: on the period's own hottest space, the upper limit.",
        Table(columns, rows),
        plot.chart(data, axis("Time (s)"), axis("Share of the I/O (%)", range=[0, 102]), showlegend=True),
        wide=True,
    )


def _directions(heat: HeatResult, point: PointHeat) -> Figure:
    rows: list[list[Cell]] = [
        [
            100 * row.space_share,
            *(
                None if share is None else 100 * share
                for share in (row.read_share, row.write_share, row.writes_of_io)
            ),
        ]
        for row in point.directions
    ]
    columns = [
        Column("Hottest", f"% of {space(heat)}"), Column("Reads there", "% of reads"),
        Column("Writes there", "% of writes"), Column("Writes of the I/O there", "%"),
    ]  # fmt: skip
    labels = [f"{share:g} %" for share in (row[0] for row in rows) if isinstance(share, float | int)]
    data = [
        plot.bar(
            labels, [row[at] for row in rows], name=name, colour=colour,
            hover="hottest %{x}: %{y:,.4~r} %<extra>%{fullData.name}</extra>",
        )
        for at, name, colour in ((1, "Reads", palette.READ), (2, "Writes", palette.WRITE))
    ]  # fmt: skip
    return Figure(
        f"ways-{point.point}",
        f"Reads and writes, {title(point).lower()}",
        "Share of all reads and of all writes that goes to the hottest space, hottest by both together.",
        Table(columns, rows),
        plot.chart(
            data,
            axis(f"Hottest share of the {space(heat)}", type="category", nticks=len(labels)),
            axis("Share (%)", range=[0, 102]),
            showlegend=True,
        ),
    )


def spaces(heat: HeatResult) -> Figure | None:
    """Every address space, where there are several at a point."""
    if all(len(point.spaces) < 2 for point in heat.points):
        return None
    rows: list[list[Cell]] = [
        [
            one.name, title(point), one.capacity_bytes / GB, one.touched_bytes / GB, one.iops,
            one.iops_per_gb, skew_point(one.skew_point), one.k, one.gini,
        ]
        for point in heat.points
        for one in sorted(point.spaces, key=lambda one: -one.iops)
    ]  # fmt: skip
    columns = [
        Column("Address space", text=True), Column("Point", text=True), Column("Capacity", "GB", rank=2),
        Column("Touched", "GB", rank=1), Column("IOPS"), Column("Density", "IOPS/GB"),
        Column("Skew point", text=True), Column("k"), Column("Gini", rank=3),
    ]  # fmt: skip
    traced = heat.points[0].point == "trace"
    caption = "Devices of the trace." if traced else "Volumes in front, pools behind."
    brief = len(rows) <= _MOST_BRIEF_SPACES
    return Figure("spaces", "Address spaces", caption, Table(columns, rows), wide=True, brief=brief)


def by_address(heat: HeatResult) -> list[Figure]:
    """Density by address at each point."""
    return [_by_address(heat, point) for point in heat.points]


def over_time(heat: HeatResult) -> list[Figure]:
    """The picture of address by time at each point."""
    return [_over_time(heat, point) for point in heat.points]


def directions(heat: HeatResult) -> list[Figure]:
    """Reads against writes at each point."""
    return [_directions(heat, point) for point in heat.points]
