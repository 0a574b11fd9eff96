"""Figures 1, 3 and 7 to 11 of the study, from the points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from iowatt.render import palette
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout, plain
from iowatt.studies.arrays2002 import points as design
from iowatt.studies.arrays2002 import words
from iowatt.studies.arrays2002.points import METRICS, STATES, Point, best, choose
from iowatt.studies.arrays2002.published import (
    ACTIVE_W,
    DISKS,
    IDLE_W,
    PROCESSOR,
    PROCESSOR_W,
    PROCESSORS,
    UNIT_KIB,
    WORKLOADS,
)
from iowatt.studies.arrays2002.systems import LEVELS, SOURCES

COLOURS: Final = dict(zip(LEVELS, palette.RUNS, strict=False))
DASHES: Final = {"captured": "solid", "synthetic": "dot"}
_LOG_FROM: Final = 20.0
TITLES: Final = {
    "T": Column("Mean response time", "ms"),
    "E": Column("Energy per request", "J"),
    "ET": Column("Energy-delay", "J·s"),
}


def server_power() -> Figure:
    """Figure 1."""
    counts = sorted({4, 8, 16, 24, DISKS, 38})
    rows: list[list[Cell]] = [
        [f"Disks ({count})", count, count * IDLE_W, count * ACTIVE_W] for count in counts
    ]
    rows.insert(0, [f"Processors ({PROCESSORS})", PROCESSORS, None, PROCESSORS * PROCESSOR_W])
    names = [str(row[0]) for row in rows]
    data = [
        _sideways("Least (idle)", names, [row[2] for row in rows], palette.STATE_COLOURS["idle"]),
        _sideways("Most (at work)", names, [row[3] for row in rows], palette.STATE_COLOURS["active"]),
    ]
    return Figure(
        "figure-1",
        "Figure 1: processors and disks of a server",
        "Disks by the watts of the library's arrays2002-disk. Processors by what their maker states as power "
        f"dissipation ({PROCESSOR}: {PROCESSOR_W:g} W each, Intel CS-007550); what they draw at rest is not "
        "published. The servers of the study's own figure are not known to us.",
        table("What | Count | Least (W) | Most (W)", rows),
        {
            "data": data,
            "layout": layout(
                axis("Power (W)"),
                axis("", type="category", autorange="reversed", dtick=1),
                barmode="group",
                showlegend=True,
            ),
        },
        wide=True,
    )


def energy_split(points: Sequence[Point]) -> Figure:
    """Figure 3."""
    chosen = choose(points, kind="space", disks=DISKS, unit_kib=UNIT_KIB)
    chosen.sort(key=lambda one: (SOURCES.index(one.source), one.workload, one.level))
    columns = [
        Column("Workload", text=True),
        Column("Level", text=True),
        *(Column(palette.state_name(state), "%") for state in STATES),
        Column("Energy per request", "J"),
    ]
    rows: list[list[Cell]] = [
        [
            words.work(one.source, one.workload),
            f"RAID-{one.level}",
            *(100 * one.states_j[state] / one.e_j for state in STATES),
            one.e_j,
        ]
        for one in chosen
    ]
    names = [plain(f"{row[0]}, {row[1]}") for row in rows]
    data = [
        _sideways(
            palette.state_name(state), names, [row[2 + at] for row in rows], palette.state_colour(state)
        )
        for at, state in enumerate(STATES)
    ]
    return Figure(
        "figure-3",
        "Figure 3: energy by what disks do",
        f"Shares of all energy at {DISKS} disks and {UNIT_KIB} KiB. The study gave no numbers: idle most, "
        "then positioning, active least.",
        Table(columns, rows),
        {
            "data": data,
            "layout": layout(
                axis("Share of energy (%)"),
                axis("", type="category", autorange="reversed", dtick=1),
                barmode="stack",
                showlegend=True,
            ),
        },
        wide=True,
    )


def by_disks(points: Sequence[Point]) -> list[Figure]:
    """Figure 7, one chart for each workload and metric."""
    chosen = choose(points, kind="space", unit_kib=UNIT_KIB)
    return [
        _curves(
            f"figure-7-{workload}-{metric.lower()}",
            f"Figure 7: {TITLES[metric].title.lower()} by disks, {WORKLOADS[workload].name}",
            f"At a stripe unit of {UNIT_KIB} KiB. Points that cannot keep up with the load are left out.",
            chosen=choose(chosen, workload=workload),
            metric=metric,
            over="disks",
        )
        for workload in WORKLOADS
        for metric in METRICS
    ]


def by_unit(points: Sequence[Point]) -> list[Figure]:
    """Figure 9, one chart for each workload and metric."""
    chosen = at_best_product(points)
    found = []
    for workload in WORKLOADS:
        mine = choose(chosen, workload=workload)
        at = ", ".join(
            f"{words.SOURCE[source]} RAID-{level} {_disks(mine, source, level)}"
            for source in SOURCES
            for level in LEVELS
            if choose(mine, source=source, level=level)
        )
        found += [
            _curves(
                f"figure-9-{workload}-{metric.lower()}",
                f"Figure 9: {TITLES[metric].title.lower()} by stripe unit, {WORKLOADS[workload].name}",
                f"At the disk count with the best E x T: {at}.",
                chosen=mine,
                metric=metric,
                over="unit_kib",
            )
            for metric in METRICS
        ]
    return found


def _disks(points: Sequence[Point], source: str, level: int) -> int:
    return choose(points, source=source, level=level)[0].disks


def at_best_product(points: Sequence[Point]) -> list[Point]:
    """Of each case the points at the disk count that has the best E x T."""
    found: list[Point] = []
    for source, workload, level in design.cases(choose(points, kind="space")):
        mine = choose(points, kind="space", source=source, workload=workload, level=level)
        top = best(mine, "ET")
        if top is not None:
            found += choose(mine, disks=top.disks)
    return found


def split_by_disks(points: Sequence[Point]) -> list[Figure]:
    """Figure 8."""
    chosen = choose(points, kind="space", unit_kib=UNIT_KIB)
    return _splits("figure-8", "Figure 8: energy split by disks", chosen, "disks")


def split_by_unit(points: Sequence[Point]) -> list[Figure]:
    """Figure 10."""
    return _splits("figure-10", "Figure 10: energy split by stripe unit", at_best_product(points), "unit_kib")


def penalties(points: Sequence[Point]) -> Figure:
    """Figure 11: what the best point under one criterion costs under the other."""
    rows: list[list[Cell]] = []
    for source, workload, level in design.cases(choose(points, kind="space")):
        mine = choose(points, kind="space", source=source, workload=workload, level=level)
        fast, frugal, both = best(mine, "T"), best(mine, "E"), best(mine, "ET")
        if fast is None or frugal is None or both is None:
            continue
        rows.append(
            [
                words.work(source, workload), f"RAID-{level}", words.place_of(fast), words.place_of(frugal),
                words.place_of(both), 100 * (fast.e_j / frugal.e_j - 1), 100 * (frugal.t_ms / fast.t_ms - 1),
                100 * (both.e_j / frugal.e_j - 1), 100 * (both.t_ms / fast.t_ms - 1),
            ]
        )  # fmt: skip
    names = [plain(f"{row[0]}, {row[1]}") for row in rows]
    data = [
        _sideways("Energy at the best for time", names, [row[5] for row in rows], palette.RUNS[0]),
        _sideways("Time at the best for energy", names, [row[6] for row in rows], palette.RUNS[1]),
    ]
    return Figure(
        "figure-11",
        "Figure 11: what one optimum costs under the other criterion",
        "How much more energy the fastest array takes than the most frugal one, and how much slower "
        "that one is.",
        table(
            "Workload | Level | Best for time | Best for energy | Best for E x T | Best for time takes more "
            "energy (%) | Best for energy is slower (%) | Best for E x T takes more energy (%) | Best for E "
            "x T is slower (%)",
            rows,
        ),
        {
            "data": data,
            "layout": layout(
                axis("More than the least (%)"),
                axis("", type="category", autorange="reversed", dtick=1),
                barmode="group",
                showlegend=True,
            ),
        },
        wide=True,
    )


def _bars(name: str, x: Sequence[str], y: Sequence[Cell], colour: str) -> dict[str, Any]:
    return {
        "type": "bar",
        "name": name,
        "x": list(x),
        "y": list(y),
        "marker": {"color": colour},
        "hovertemplate": "%{x}: %{y:,.4~r}<extra>%{fullData.name}</extra>",
    }


def _sideways(name: str, y: Sequence[str], x: Sequence[Cell], colour: str) -> dict[str, Any]:
    """Bars that lie, for names too long to stand under one."""
    bars = _bars(name, y, x, colour)
    return {
        **bars,
        "orientation": "h",
        "x": bars["y"],
        "y": bars["x"],
        "hovertemplate": "%{y}: %{x:,.4~r}<extra>%{fullData.name}</extra>",
    }


def _curves(key: str, title: str, caption: str, *, chosen: Sequence[Point], metric: str, over: str) -> Figure:
    value = METRICS[metric]
    groups = [
        (source, level, [one for one in choose(chosen, source=source, level=level) if not one.overloaded])
        for source in SOURCES
        for level in LEVELS
    ]
    left_out = sum(one.overloaded for one in chosen)
    places = sorted({getattr(one, over) for one in chosen})
    head = Column("Disks") if over == "disks" else Column("Stripe unit", "KiB")
    columns = [
        head,
        *(
            Column(f"{words.SOURCE[source]}, RAID-{level}", TITLES[metric].unit)
            for source, level, _ in groups
        ),
    ]
    rows: list[list[Cell]] = []
    for at in places:
        row: list[Cell] = [at]
        for _, _, mine in groups:
            row.append(next((value(one) for one in mine if getattr(one, over) == at), None))
        rows.append(row)
    data = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "name": f"RAID-{level}, {words.SOURCE[source]}",
            "x": [getattr(one, over) for one in mine],
            "y": [value(one) for one in mine],
            "line": {"color": COLOURS[level], "width": 2, "dash": DASHES[source]},
            "hovertemplate": "%{x}: %{y:,.4~r}<extra>%{fullData.name}</extra>",
        }
        for source, level, mine in groups
        if mine
    ]
    scale = {"type": "log"} if over == "unit_kib" else {}
    remarks = [f"{left_out} points could not keep up with the load and are left out."] if left_out else []
    return Figure(
        key,
        title,
        caption,
        Table(columns, rows),
        {
            "data": data,
            "layout": layout(
                axis(head.heading, tickvals=places, **scale),
                _scaled(TITLES[metric].heading, [value(one) for _, _, mine in groups for one in mine]),
                showlegend=True,
            ),
        },
        remarks,
    )


def _scaled(title: str, values: Sequence[float]) -> dict[str, Any]:
    """From 0, or on a log scale where the least would lie on the axis."""
    if values and min(values) > 0 and max(values) > _LOG_FROM * min(values):
        return axis(f"{title}, log scale", type="log")
    return axis(title, rangemode="tozero")


def _splits(key: str, title: str, chosen: Sequence[Point], over: str) -> list[Figure]:
    found = []
    head = Column("Disks") if over == "disks" else Column("Stripe unit", "KiB")
    for source in SOURCES:
        for workload in WORKLOADS:
            mine = choose(chosen, source=source, workload=workload)
            mine.sort(key=lambda one: (one.level, getattr(one, over)))
            columns = [
                Column("Level", text=True),
                head,
                Column("Disks at that point") if over != "disks" else Column("Stripe unit", "KiB"),
                *(Column(palette.state_name(state), "J") for state in STATES),
            ]
            rows: list[list[Cell]] = [
                [
                    f"RAID-{one.level}",
                    getattr(one, over),
                    one.disks if over != "disks" else one.unit_kib,
                    *(one.states_j[state] for state in STATES),
                ]
                for one in mine
            ]
            names = [
                f"{one.level}: {one.disks}" if over == "disks" else f"{one.level}: {one.unit_kib}K"
                for one in mine
            ]
            data = [
                _bars(
                    palette.state_name(state),
                    names,
                    [one.states_j[state] for one in mine],
                    palette.state_colour(state),
                )
                for state in STATES
            ]
            found.append(
                Figure(
                    f"{key}-{source}-{workload}",
                    f"{title}, {words.work(source, workload)}",
                    "Joules a request; below each bar its RAID level and "
                    + ("number of disks." if over == "disks" else "stripe unit."),
                    Table(columns, rows),
                    {
                        "data": data,
                        "layout": layout(
                            axis("", type="category", nticks=max(1, len(names))),
                            axis("Energy per request (J)"),
                            barmode="stack",
                            showlegend=True,
                        ),
                    },
                )
            )
    return found
