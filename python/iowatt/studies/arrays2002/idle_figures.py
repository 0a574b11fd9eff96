"""Figures 4, 5 and 6 of the study, from the idle lens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from iowatt.lenses.idle.result import DriveLengthCurve, LengthCurve
from iowatt.render import palette, plot
from iowatt.render.figure import Cell, Figure, axis, layout
from iowatt.studies.arrays2002 import labels
from iowatt.studies.arrays2002.detail import Idle, OracleGoal, share_of_total
from iowatt.studies.arrays2002.figures import COLOURS
from iowatt.studies.arrays2002.published import TEXT
from iowatt.studies.figures import series_table
from iowatt.studies.stages import TRANSITIONS_S


def figures(idle: Sequence[Idle]) -> list[Figure]:
    """All of them, each for every workload and source."""
    groups: dict[tuple[str, str], list[Idle]] = {}
    for one in idle:
        groups.setdefault((one.source, one.workload), []).append(one)
    found = [
        [
            draw(f"{source}-{workload}", labels.work(source, workload), mine)
            for (source, workload), mine in groups.items()
        ]
        for draw in (_correlations, _lengths, _bound)
    ]
    correlations, lengths, bounds = found
    return [*correlations, *lengths, _oracles(idle), *bounds]


def _correlations(key: str, title: str, idle: Sequence[Idle]) -> Figure:
    """Figure 4: 50 lags, the disks with fewest and with most periods."""
    series: dict[str, Sequence[Cell]] = {}
    traces = []
    for one in idle:
        disks = one.periods.autocorrelation.disks
        for disk, role, dash in zip(disks, ("fewest", "most"), ("solid", "dot"), strict=False):
            name = f"RAID-{one.level}, disk with {role} periods"
            series[name] = disk.r
            traces.append(_line(name, list(range(1, len(disk.r) + 1)), disk.r, one.level, dash))
    lags = list(range(1, 1 + max(map(len, series.values()), default=0)))
    return TEXT.figure(
        "figure-4",
        series_table("Lag", lags, series),
        plot.spec(traces, layout(axis("Lag (periods)"), axis("Autocorrelation"), showlegend=True)),
        part=key,
        title=title,
    )


def _lengths(key: str, title: str, idle: Sequence[Idle]) -> Figure:
    """Figure 5: how long idle periods are."""
    rows: list[list[Cell]] = []
    traces = []
    for one in idle:
        lengths = one.periods.distribution
        curves: Mapping[str, LengthCurve | DriveLengthCurve] = {"all": lengths.all, **lengths.extremes}
        for (disks, curve), dash in zip(curves.items(), ("solid", "dash", "dot"), strict=False):
            percent = [100 * share for share in curve.periods]
            name = f"RAID-{one.level}, {'all disks' if disks == 'all' else f'disk with {disks}'}"
            traces.append(_line(name, curve.length_s, percent, one.level, dash))
            points = zip(curve.length_s[::10], percent[::10], strict=True)
            rows += [[f"RAID-{one.level}", disks, length, share] for length, share in points]
    drawn = layout(axis("Idle period (s, log scale)", type="log"), axis("Periods (%)"), showlegend=True)
    return TEXT.figure("figure-5", rows, plot.spec(traces, drawn), part=key, title=title)


def _oracles(idle: Sequence[Idle]) -> Figure:
    """Figure 6: what perfect knowledge saves."""
    rows: list[list[Cell]] = [
        [
            labels.work(one.source, one.workload), f"RAID-{one.level}", seconds,
            *(100 * one.saved(goal, seconds) for goal in get_args(OracleGoal)),
        ]
        for one in idle
        for seconds in TRANSITIONS_S
    ]  # fmt: skip
    return TEXT.figure("figure-6-at", rows)


def _bound(key: str, title: str, idle: Sequence[Idle]) -> Figure:
    """Figure 6 over the time of a transition."""
    series: dict[str, list[Cell]] = {}
    traces = []
    seconds: list[float] = []
    for one in idle:
        bound = one.periods.oracle_bound
        seconds = [point.transition_s for point in bound]
        for goal, dash in zip(get_args(OracleGoal), ("solid", "dot"), strict=True):
            name = f"RAID-{one.level}, by {goal}"
            shares = [share_of_total(point, goal) for point in bound]
            series[name] = [None if share is None else 100 * share for share in shares]
            traces.append(_line(name, seconds, series[name], one.level, dash))
    drawn = layout(axis("Stop and start (s, log scale)", type="log"), axis("Saved (%)"), showlegend=True)
    return TEXT.figure(
        "figure-6",
        series_table("Stop and start (s)", seconds, series, "%"),
        plot.spec(traces, drawn),
        part=key,
        title=title,
    )


def _line(name: str, x: Sequence[Any], y: Sequence[Any], level: int, dash: str) -> dict[str, Any]:
    hover = "%{x:,.4~r}: %{y:,.4~r}<extra>%{fullData.name}</extra>"
    colour = COLOURS.get(level, palette.ALL)
    return plot.line(list(x), list(y), name=name, colour=colour, hover=hover, dash=dash, width=1.8)
