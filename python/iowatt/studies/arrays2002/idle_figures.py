"""Figures 4, 5 and 6 of the study, from the idle lens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from iowatt.lenses.idle.result import DriveLengthCurve, LengthCurve
from iowatt.render import palette
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout
from iowatt.studies.arrays2002 import words
from iowatt.studies.arrays2002.detail import Idle, Rule, share_of_total
from iowatt.studies.arrays2002.figures import COLOURS
from iowatt.studies.results import TRANSITIONS_S


def _groups(idle: Sequence[Idle]) -> dict[tuple[str, str], list[Idle]]:
    found: dict[tuple[str, str], list[Idle]] = {}
    for one in idle:
        found.setdefault((one.source, one.workload), []).append(one)
    return found


def correlations(idle: Sequence[Idle]) -> list[Figure]:
    """Figure 4: 50 lags, the disks with fewest and with most periods."""
    found = []
    for (source, workload), mine in _groups(idle).items():
        columns, series, data = [Column("Lag")], [], []
        for one in mine:
            for disk, role, dash in zip(
                one.found.autocorrelation.disks, ("fewest", "most"), ("solid", "dot"), strict=False
            ):
                name = f"RAID-{one.level}, disk with {role} periods"
                columns.append(Column(name))
                series.append(disk.r)
                data.append(_line(name, list(range(1, len(disk.r) + 1)), disk.r, one.level, dash))
        lags = max((len(r) for r in series), default=0)
        rows: list[list[Cell]] = [
            [lag + 1, *(r[lag] if lag < len(r) else None for r in series)] for lag in range(lags)
        ]
        found.append(
            Figure(
                f"figure-4-{source}-{workload}",
                f"Figure 4: autocorrelation of idle periods, {words.work(source, workload)}",
                "Successive idle periods of one disk, lags 1 to 50, at 32 disks and 16 KiB.",
                Table(columns, rows),
                {
                    "data": data,
                    "layout": layout(axis("Lag (periods)"), axis("Autocorrelation"), showlegend=True),
                },
            )
        )
    return found


def lengths(idle: Sequence[Idle]) -> list[Figure]:
    """Figure 5: how long idle periods are."""
    found = []
    for (source, workload), mine in _groups(idle).items():
        columns = [
            Column("Level", text=True),
            Column("Disks", text=True),
            Column("Up to", "s"),
            Column("Periods", "%"),
        ]
        rows: list[list[Cell]] = []
        data = []
        for one in mine:
            lengths = one.found.distribution
            curves: dict[str, LengthCurve | DriveLengthCurve] = {"all": lengths.all, **lengths.extremes}
            for (which, curve), dash in zip(curves.items(), ("solid", "dash", "dot"), strict=False):
                percent = [100 * share for share in curve.periods]
                name = f"RAID-{one.level}, {'all disks' if which == 'all' else f'disk with {which}'}"
                data.append(_line(name, curve.length_s, percent, one.level, dash))
                rows += [
                    [f"RAID-{one.level}", which, length, share]
                    for length, share in zip(curve.length_s[::10], percent[::10], strict=True)
                ]
        for row in data:
            row["mode"] = "lines"
        found.append(
            Figure(
                f"figure-5-{source}-{workload}",
                f"Figure 5: lengths of idle periods, {words.work(source, workload)}",
                "Share of the idle periods up to a length: of all disks, and of the disks with fewest and "
                "most periods.",
                Table(columns, rows),
                {
                    "data": data,
                    "layout": layout(
                        axis("Idle period (s, log scale)", type="log"), axis("Periods (%)"), showlegend=True
                    ),
                },
            )
        )
    return found


def oracles(idle: Sequence[Idle]) -> list[Figure]:
    """Figure 6: what perfect knowledge saves."""
    rows: list[list[Cell]] = [
        [
            words.work(one.source, one.workload), f"RAID-{one.level}", seconds,
            100 * one.saved("energy", seconds), 100 * one.saved("latency", seconds),
        ]
        for one in idle
        for seconds in TRANSITIONS_S
    ]  # fmt: skip
    table = Figure(
        "figure-6-at",
        "Figure 6: what an oracle saves at 41, 9 and 2 s",
        "41 s are the study's drive, 9 s its laptop drive (here: the same watts, quicker). By latency: "
        "wherever there is time to be up again. Published: TPC-C loses at 41 s, RAID-4 TPC-H saves under "
        "0.5 %, under 1 % even below 2 s.",
        table(
            "Workload | Level | Stop and start (s) | By energy saves (% of all energy) | By latency saves (% "
            "of all energy)",
            rows,
        ),
        wide=True,
    )
    return [table, *(_bound(source, workload, mine) for (source, workload), mine in _groups(idle).items())]


def _bound(source: str, workload: str, mine: Sequence[Idle]) -> Figure:
    columns, data = [Column("Stop and start", "s")], []
    curves: list[list[float | None]] = []
    seconds: list[float] = []
    for one in mine:
        points = one.found.oracle_bound
        seconds = [row.transition_s for row in points]
        rules: tuple[tuple[Rule, str], ...] = (("energy", "solid"), ("latency", "dot"))
        for rule, dash in rules:
            name = f"RAID-{one.level}, by {rule}"
            shares = [share_of_total(row, rule) for row in points]
            values = [None if share is None else 100 * share for share in shares]
            columns.append(Column(name, "%"))
            curves.append(values)
            data.append(_line(name, seconds, values, one.level, dash))
    rows: list[list[Cell]] = [[at, *(curve[number] for curve in curves)] for number, at in enumerate(seconds)]
    return Figure(
        f"figure-6-{source}-{workload}",
        f"Figure 6: oracles by transition time, {words.work(source, workload)}",
        "Share of all energy saved, against the time that stopping and starting takes together, at "
        "the same watts.",
        Table(columns, rows),
        {
            "data": data,
            "layout": layout(
                axis("Stop and start (s, log scale)", type="log"), axis("Saved (%)"), showlegend=True
            ),
        },
    )


def _line(name: str, x: Sequence[Any], y: Sequence[Any], level: int, dash: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "x": list(x),
        "y": list(y),
        "line": {"color": COLOURS.get(level, palette.ALL), "width": 1.8, "dash": dash},
        "hovertemplate": "%{x:,.4~r}: %{y:,.4~r}<extra>%{fullData.name}</extra>",
    }
