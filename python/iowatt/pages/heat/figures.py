"""The figures of the heat page, each with its table twin."""

from __future__ import annotations

import math
from typing import Any

from iowatt.lenses.heat import skew
from iowatt.pages.description.figures.draw import line, positive
from iowatt.pages.heat import words
from iowatt.render import numbers, palette
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout, plain

Found = dict[str, Any]

COLOURS = {"front": palette.RUNS[0], "back": palette.RUNS[1], "trace": palette.RUNS[0]}
_TOLD = (0.01, 0.02, 0.03, 0.05, 0.10, 0.15, 0.20, 0.30, 0.40, 0.50, 0.60, 0.70, 0.80, 0.90, 1.0)


def _percent(values: list[float]) -> list[float]:
    return [100 * value for value in values]


def curve(found: Found) -> Figure:
    """Cumulative share of I/O over share of space."""
    data, columns = [], [Column("Hottest", f"% of {words.space(found)}")]
    rows: list[list[Cell]] = [[100 * share] for share in _TOLD]
    for point in found["points"]:
        told, colour, name = point["curve"], COLOURS[point["point"]], words.title(point)
        x, k = told["space_share"], point["skew"]["law"]["k"]
        fitted = skew.law(k, x).tolist()
        data.append(line(_percent(x), _percent(told["io_share"]), name, colour, "%"))
        title = f"{name}: law, k = {numbers.significant(k)}"
        data.append(line(_percent(x), _percent(fitted), title, colour, "%", dash="dot"))
        columns += [Column(name, "% of I/O"), Column(f"{name}, law", "% of I/O")]
        for row in rows:
            at = float(str(row[0])) / 100
            row += [100 * _at(told, at), 100 * float(skew.law(k, at))]
    data.append(line([0, 100], [0, 100], "Even", palette.STATE_COLOURS["idle"], "%", dash="dash"))
    return Figure(
        "curve",
        "Share of the I/O on the hottest space",
        "Extents in order of density, the hottest first. Dotted: the law 1 - (1 - c)^k that fits best.",
        Table(columns, rows),
        {
            "data": data,
            "layout": layout(
                axis(f"Hottest share of the {words.space(found)} (%)", range=[0, 100]),
                axis("Share of the I/O (%)", range=[0, 102]),
                showlegend=True,
            ),
        },
    )


def _at(told: Found, share: float) -> float:
    """The curve at one of its points."""
    nearest = min(range(len(told["space_share"])), key=lambda at: abs(told["space_share"][at] - share))
    return float(told["io_share"][nearest])


def density(found: Found) -> Figure:
    """Density of extents, sorted."""
    data, rows = [], []
    for point in found["points"]:
        told, name = point["density_sorted"], words.title(point)
        x, y = _percent(told["space_share"]), told["iops_per_gb"]
        # Each density holds from the share before on, the first one from 0.
        drawn = positive([*y[:1], *y])
        shape = {"line": {"shape": "vh"}}
        data.append(line([0.0, *x][: len(drawn)], drawn, name, COLOURS[point["point"]], "IOPS/GB", **shape))
        rows += [[name, share, value] for share, value in zip(x, y, strict=True)]
    columns = [
        Column("Point", text=True),
        Column("As hot or hotter", f"% of {words.space(found)}"),
        Column("Density", "IOPS/GB"),
    ]
    return Figure(
        "density",
        "I/O density, hottest first",
        "I/Os per second and GB of extents, sorted: what a tier for this part of the space must give.",
        Table(columns, list(rows)),
        {
            "data": data,
            "layout": layout(
                axis(f"Share of the {words.space(found)} (%)", range=[0, 100]),
                axis("Density (IOPS/GB, log scale)", type="log", dtick=1),
                showlegend=True,
            ),
        },
    )


def figures_of_skew(found: Found) -> Figure:
    """Single figures of the curves, as a table."""
    points = found["points"]
    rows: list[list[Cell]] = []

    def add(title: str, value: Any) -> None:
        rows.append([title, *(value(point) for point in points)])

    add("I/Os per second", lambda p: p["iops"])
    add(f"I/Os per second and GB of {words.space(found)}", lambda p: p["iops_per_gb"])
    add("Touched", lambda p: words.size(p["touched_bytes"]))
    add("of a capacity of", lambda p: words.size(p["capacity_bytes"]))
    add("Gini coefficient", lambda p: p["skew"]["gini"])
    add("that an even load would show by chance", lambda p: p["skew"]["gini_by_chance"])
    add(
        "Skew point (% of I/O / % of space, adding to 100)",
        lambda p: words.skew_point(p["skew"]["skew_point"]),
    )
    add("k of the law", lambda p: p["skew"]["law"]["k"])
    add("its distance, root mean square (points)", lambda p: 100 * p["skew"]["law"]["rms_error"])
    add("its greatest distance (points)", lambda p: 100 * p["skew"]["law"]["max_error"])
    for at, hot in enumerate(skew.HOTTEST):
        add(
            f"I/O on the hottest {100 * hot:g} % (%)",
            lambda p, at=at: 100 * p["skew"]["hottest"][at]["io_share"],
        )
    return Figure(
        "skew",
        "Skew in figures",
        "Gini coefficient: 0 for an even load, towards 1 where all goes to one place.",
        Table([Column("", text=True), *(Column(words.title(point)) for point in points)], rows),
        wide=True,
    )


def _by_address(found: Found, point: Found) -> Figure:
    bands = point["density_by_address"]
    rows: list[list[Cell]] = [
        [band["from_gb"], band["until_gb"], band["read_iops_per_gb"], band["write_iops_per_gb"]]
        for band in bands
    ]
    centres = [(band["from_gb"] + band["until_gb"]) / 2 for band in bands]
    widths = [band["until_gb"] - band["from_gb"] for band in bands]
    data = [
        {
            "type": "bar",
            "name": name,
            "x": centres,
            "width": widths,
            "y": [band[key] for band in bands],
            "marker": {"color": colour, "line": {"width": 0}},
            "hovertemplate": "%{x:,.4~r} GB: %{y:,.4~r} IOPS/GB<extra>%{fullData.name}</extra>",
        }
        for name, key, colour in (
            ("Reads", "read_iops_per_gb", palette.READ),
            ("Writes", "write_iops_per_gb", palette.WRITE),
        )
    ]
    spaces = point["spaces"]
    several = f"; {len(spaces)} address spaces one after another: {', '.join(s['name'] for s in spaces)}"
    columns = [
        Column("From", "GB"),
        Column("Until", "GB"),
        Column("Reads", "IOPS/GB"),
        Column("Writes", "IOPS/GB"),
    ]
    return Figure(
        f"address-{point['point']}",
        f"Density by address, {words.title(point).lower()}",
        f"Mean over the window, {words.WHERE[point['point']]}{plain(several) if len(spaces) > 1 else ''}.",
        Table(columns, rows),
        {
            "data": data,
            "layout": layout(
                axis("Address (GB)"), axis("Density (IOPS/GB)"), showlegend=True, barmode="stack", bargap=0
            ),
        },
    )


def _over_time(found: Found, point: Found) -> Figure:
    told = point["over_time"]
    starts, addresses, cells = told["start_s"], told["address_gb"], told["iops_per_gb"]
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
            "x": [*starts, told["end_s"]],
            "y": [*addresses, told["end_gb"]],
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
        f"time-{point['point']}",
        f"Heat over time, {words.title(point).lower()}",
        "Density of each band of addresses in each period, by colour on a logarithmic scale; empty "
        "where nothing "
        "was asked for.",
        Table([Column("From", "s"), Column("Address from", "GB"), Column("Density", "IOPS/GB")], rows),
        {"data": data, "layout": layout(axis("Time (s)"), axis("Address (GB)"), showlegend=False)},
        wide=True,
    )


def stability(found: Found) -> Figure | None:
    """How well a period's hot set foretells the next's."""
    points = [point for point in found["points"] if point["stability"] is not None]
    if not points:
        return None
    data, rows = [], []
    for point in points:
        told, name, colour = point["stability"], words.title(point), COLOURS[point["point"]]
        starts = [row["start_s"] for row in told["by_period"]]
        caught = [100 * row["caught"] for row in told["by_period"]]
        possible = [100 * row["possible"] for row in told["by_period"]]
        data.append(line(starts, caught, f"{name}: hot set of the period before", colour, "%"))
        data.append(line(starts, possible, f"{name}: own hot set", colour, "%", dash="dot"))
        rows += [[name, *row] for row in zip(starts, caught, possible, strict=True)]
    first = points[0]["stability"]
    columns = [
        Column("Point", text=True),
        Column("From", "s"),
        Column("On the hot set of the period before", "% of I/O"),
        Column("On its own hot set", "% of I/O"),
    ]
    return Figure(
        "stability",
        "Does the hot set stay?",
        f"Share of each period's I/O on the hottest {100 * first['hot_share']:g} % of the "
        f"{words.space(found)} in the "
        "period before: what a fast tier of that size, filled by what was, would serve. Dotted: the "
        "most there is.",
        Table(columns, list(rows)),
        {
            "data": data,
            "layout": layout(axis("Time (s)"), axis("Share of the I/O (%)", range=[0, 102]), showlegend=True),
        },
        wide=True,
    )


def _directions(found: Found, point: Found) -> Figure:
    rows: list[list[Cell]] = [
        [
            100 * row["space_share"],
            *(
                None if row[key] is None else 100 * row[key]
                for key in ("read_share", "write_share", "writes_of_io")
            ),
        ]
        for row in point["directions"]
    ]
    columns = [
        Column("Hottest", f"% of {words.space(found)}"),
        Column("Reads there", "% of reads"),
        Column("Writes there", "% of writes"),
        Column("Writes of the I/O there", "%"),
    ]
    labels = [f"{share:g} %" for share in (row[0] for row in rows) if isinstance(share, float | int)]
    data = [
        {
            "type": "bar",
            "name": name,
            "x": labels,
            "y": [row[at] for row in rows],
            "marker": {"color": colour},
            "hovertemplate": "hottest %{x}: %{y:,.4~r} %<extra>%{fullData.name}</extra>",
        }
        for at, name, colour in ((1, "Reads", palette.READ), (2, "Writes", palette.WRITE))
    ]
    return Figure(
        f"ways-{point['point']}",
        f"Reads and writes, {words.title(point).lower()}",
        "Share of all reads and of all writes that goes to the hottest space, hottest by both together.",
        Table(columns, rows),
        {
            "data": data,
            "layout": layout(
                axis(f"Hottest share of the {words.space(found)}", type="category", nticks=len(labels)),
                axis("Share (%)", range=[0, 102]),
                showlegend=True,
            ),
        },
    )


def spaces(found: Found) -> Figure | None:
    """Every address space, where there are several at a point."""
    if all(len(point["spaces"]) < 2 for point in found["points"]):
        return None
    rows: list[list[Cell]] = [
        [
            words.title(point),
            space["name"],
            words.size(space["capacity_bytes"]),
            words.size(space["touched_bytes"]),
            space["iops"],
            space["iops_per_gb"],
            space["gini"],
            words.skew_point(space["skew_point"]),
            space["k"],
        ]
        for point in found["points"]
        for space in point["spaces"]
    ]
    columns = [
        Column("Point", text=True),
        Column("Address space", text=True),
        Column("Capacity", text=True),
        Column("Touched", text=True),
        Column("IOPS"),
        Column("Density", "IOPS/GB"),
        Column("Gini"),
        Column("Skew point", text=True),
        Column("k"),
    ]
    traced = found["points"][0]["point"] == "trace"
    caption = "Devices of the trace." if traced else "Volumes in front, pools behind."
    return Figure("spaces", "Address spaces", caption, Table(columns, rows), wide=True)


def by_address(found: Found) -> list[Figure]:
    """Density by address at each point."""
    return [_by_address(found, point) for point in found["points"]]


def over_time(found: Found) -> list[Figure]:
    """The picture of address by time at each point."""
    return [_over_time(found, point) for point in found["points"]]


def directions(found: Found) -> list[Figure]:
    """Reads against writes at each point."""
    return [_directions(found, point) for point in found["points"]]
