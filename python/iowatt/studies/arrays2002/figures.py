"""Figures 1, 3 and 7 to 11 of the study, from the points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from iowatt.render import palette, plot
from iowatt.render.figure import Cell, Column, Figure, axis, layout, plain
from iowatt.studies.arrays2002 import labels
from iowatt.studies.arrays2002 import points as design
from iowatt.studies.arrays2002.points import METRICS, STATES, DesignPoint, best, choose
from iowatt.studies.arrays2002.published import PRINTED, TEXT, WORKLOADS
from iowatt.studies.arrays2002.systems import LEVELS, SOURCES
from iowatt.studies.figures import HOVER, sideways, table

COLOURS: Final = dict(zip(LEVELS, palette.RUNS, strict=False))
DASHES: Final = {"captured": "solid", "synthetic": "dot"}
_LOG_FROM: Final = 20.0
_HEADS: Final = {"disks": "Disks", "unit_kib": "Stripe unit (KiB)"}
TITLES: Final = {
    "T": Column("Mean response time", "ms"),
    "E": Column("Energy per request", "J"),
    "ET": Column("Energy-delay", "J·s"),
}


def server_power() -> Figure:
    """Figure 1."""
    counts = sorted({4, 8, 16, 24, PRINTED.disks, 38})
    rows: list[list[Cell]] = [
        [f"Disks ({count})", count, count * PRINTED.idle_w, count * PRINTED.active_w] for count in counts
    ]
    rows.insert(
        0,
        [
            f"Processors ({PRINTED.processors})",
            PRINTED.processors,
            None,
            PRINTED.processors * PRINTED.processor_w,
        ],
    )
    states = palette.STATE_COLOURS
    series = {
        "Least (idle)": ([row[2] for row in rows], states["idle"]),
        "Most (at work)": ([row[3] for row in rows], states["active"]),
    }
    return TEXT.figure(
        "figure-1",
        rows,
        sideways(series, [str(row[0]) for row in rows], "Power (W)", "group"),
        processor=PRINTED.processor,
        processor_w=PRINTED.processor_w,
    )


def energy_split(points: Sequence[DesignPoint]) -> Figure:
    """Figure 3."""
    chosen = choose(points, kind="space", disks=PRINTED.disks, unit_kib=PRINTED.unit_kib)
    chosen.sort(key=lambda one: (SOURCES.index(one.source), one.workload, one.level))
    rows: list[list[Cell]] = [
        [
            labels.work(one.source, one.workload),
            f"RAID-{one.level}",
            *(100 * one.states_j[state] / one.e_j for state in STATES),
            one.e_j,
        ]
        for one in chosen
    ]
    names = [plain(f"{row[0]}, {row[1]}") for row in rows]
    series = {
        palette.state_name(state): ([row[2 + number] for row in rows], palette.state_colour(state))
        for number, state in enumerate(STATES)
    }
    headings = " | ".join(f"{name} (%)" for name in series)
    return TEXT.figure(
        "figure-3",
        table(f"Workload | Level | {headings} | Energy per request (J)", rows),
        sideways(series, names, "Share of energy (%)", "stack"),
        disks=PRINTED.disks,
        unit_kib=PRINTED.unit_kib,
    )


def by_disks(points: Sequence[DesignPoint]) -> list[Figure]:
    """Figure 7, one chart for each workload and metric."""
    chosen = choose(points, kind="space", unit_kib=PRINTED.unit_kib)
    return [
        _curves(
            "figure-7",
            choose(chosen, workload=workload),
            workload,
            metric,
            "disks",
            unit_kib=PRINTED.unit_kib,
        )
        for workload in WORKLOADS
        for metric in METRICS
    ]


def by_unit(points: Sequence[DesignPoint]) -> list[Figure]:
    """Figure 9, one chart for each workload and metric."""
    chosen = at_best_product(points)
    found = []
    for workload in WORKLOADS:
        mine = choose(chosen, workload=workload)
        at = ", ".join(
            f"{labels.SOURCE[source]} RAID-{level} {_disks(mine, source, level)}"
            for source in SOURCES
            for level in LEVELS
            if choose(mine, source=source, level=level)
        )
        found += [_curves("figure-9", mine, workload, metric, "unit_kib", at=at) for metric in METRICS]
    return found


def _disks(points: Sequence[DesignPoint], source: str, level: int) -> int:
    return choose(points, source=source, level=level)[0].disks


def at_best_product(points: Sequence[DesignPoint]) -> list[DesignPoint]:
    """Of each case the points at the disk count that has the best E x T."""
    found: list[DesignPoint] = []
    for _, _, _, mine in design.by_case(points):
        top = best(mine, "ET")
        if top is not None:
            found += choose(mine, disks=top.disks)
    return found


def split_by_disks(points: Sequence[DesignPoint]) -> list[Figure]:
    """Figure 8."""
    chosen = choose(points, kind="space", unit_kib=PRINTED.unit_kib)
    return _splits("figure-8", chosen, "disks")


def split_by_unit(points: Sequence[DesignPoint]) -> list[Figure]:
    """Figure 10."""
    return _splits("figure-10", at_best_product(points), "unit_kib")


def penalties(points: Sequence[DesignPoint]) -> Figure:
    """Figure 11: what the best point under one criterion costs under the other."""
    rows: list[list[Cell]] = []
    for source, workload, level, mine in design.by_case(points):
        fast, frugal, both = best(mine, "T"), best(mine, "E"), best(mine, "ET")
        if fast is None or frugal is None or both is None:
            continue
        rows.append(
            [
                labels.work(source, workload), f"RAID-{level}", labels.place_of(fast),
                labels.place_of(frugal), labels.place_of(both), 100 * (fast.e_j / frugal.e_j - 1),
                100 * (frugal.t_ms / fast.t_ms - 1),
                100 * (both.e_j / frugal.e_j - 1), 100 * (both.t_ms / fast.t_ms - 1),
            ]
        )  # fmt: skip
    names = [plain(f"{row[0]}, {row[1]}") for row in rows]
    series = {
        "Energy at the best for time": ([row[5] for row in rows], palette.RUNS[0]),
        "Time at the best for energy": ([row[6] for row in rows], palette.RUNS[1]),
    }
    return TEXT.figure("figure-11", rows, sideways(series, names, "More than the least (%)", "group"))


def _curves(
    key: str, chosen: Sequence[DesignPoint], workload: str, metric: str, over: str, **values: Any
) -> Figure:
    """A metric over disks or stripe units, a line for each source and level."""
    value = METRICS[metric]
    steady = [one for one in chosen if not one.overloaded]
    lines = {
        (source, level): {
            getattr(one, over): value(one) for one in choose(steady, source=source, level=level)
        }
        for source in SOURCES
        for level in LEVELS
    }
    places = sorted({getattr(one, over) for one in chosen})
    rows = [[place, *(line.get(place) for line in lines.values())] for place in places]
    unit = TITLES[metric].unit
    headings = [f"{labels.SOURCE[source]}, RAID-{level} ({unit})" for source, level in lines]
    traces = [
        plot.line(
            list(line), list(line.values()), name=f"RAID-{level}, "
                                                  f"{labels.SOURCE[source]}", colour=COLOURS[level],
            hover=HOVER, marks=True, dash=DASHES[source], width=2,
        )
        for (source, level), line in lines.items()
        if line
    ]  # fmt: skip
    across = axis(_HEADS[over], tickvals=places, **({"type": "log"} if over == "unit_kib" else {}))
    up = _scaled(TITLES[metric].heading, [one for line in lines.values() for one in line.values()])
    left_out = len(chosen) - len(steady)
    remarks = [f"{left_out} points could not keep up with the load and are left out."] if left_out else []
    drawing = plot.spec(traces, layout(across, up, showlegend=True))
    return TEXT.figure(
        key, table(" | ".join([_HEADS[over], *headings]), rows), drawing, part=f"{workload}-{metric.lower()}",
        remarks=remarks, metric=TITLES[metric].title.lower(), workload=WORKLOADS[workload].name, **values,
    )  # fmt: skip


def _scaled(title: str, values: Sequence[float]) -> dict[str, Any]:
    """From 0, or on a log scale where the least would lie on the axis."""
    if values and min(values) > 0 and max(values) > _LOG_FROM * min(values):
        return axis(f"{title}, log scale", type="log")
    return axis(title, rangemode="tozero")


def _splits(key: str, chosen: Sequence[DesignPoint], over: str) -> list[Figure]:
    """Energy by state over disks or stripe units, a chart for each workload and source."""
    other, suffix = ("unit_kib", "") if over == "disks" else ("disks", "K")
    beside = _HEADS[other] if over == "disks" else "Disks at that point"
    states = {state: palette.state_name(state) for state in STATES}
    headings = f"Level | {_HEADS[over]} | {beside} | " + " | ".join(f"{name} (J)" for name in states.values())
    found = []
    for source in SOURCES:
        for workload in WORKLOADS:
            mine = choose(chosen, source=source, workload=workload)
            mine.sort(key=lambda one: (one.level, getattr(one, over)))
            rows: list[list[Cell]] = [
                [f"RAID-{one.level}", getattr(one, over), getattr(one, other), *one.states_j.values()]
                for one in mine
            ]
            names = [f"{one.level}: {getattr(one, over)}{suffix}" for one in mine]
            traces = [
                plot.bar(names, [one.states_j[state] for one in mine], name=name,
                         colour=palette.state_colour(state), hover=HOVER)
                for state, name in states.items()
            ]  # fmt: skip
            across = axis("", type="category", nticks=max(1, len(names)))
            drawn = layout(across, axis("Energy per request (J)"), barmode="stack", showlegend=True)
            found.append(
                TEXT.figure(
                    key,
                    table(headings, rows),
                    plot.spec(traces, drawn),
                    part=f"{source}-{workload}",
                    workload=labels.work(source, workload),
                )
            )
    return found
