"""The study's curves: metric against drives, ours as lines and what is published as crosses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from iowatt.render import palette
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout
from iowatt.studies.emerald2012 import compare, published
from iowatt.studies.emerald2012.points import Point, Points
from iowatt.studies.emerald2012.systems import SEQUENTIAL

RANDOM = ("RR", "80/20", "MW1", "60/40", "RW")


def random(points: Points, raid: str) -> Figure:
    """Exercises 1 and 2 of a level."""
    return _curves(
        points,
        [(metric, raid) for metric in RANDOM if points.curve(metric, raid)],
        key=f"curves-{raid}",
        title=f"Random profiles, {compare.named(raid)}",
        caption="By whole shelves of 25. Reads stop at the back end's limit; writes at the destages that are "
        "under way.",
    )


def sequential(points: Points) -> Figure:
    """Exercise 3, both levels."""
    return _curves(
        points,
        [(metric, raid) for metric in SEQUENTIAL for raid in ("raid-5", "raid-10")],
        key="curves-sequential",
        title="Sequential profiles",
        caption="A fixed number of requests outstanding: more drives carry them a little faster, and draw "
        "much more.",
    )


def single(points: Points) -> Figure:
    """Exercise 1.5: the knee."""
    curve = points.of("mw1-single")
    rows: list[list[Cell]] = [
        [
            one.drives, one.value, one.iops, one.wall_w, None if one.back_end is None else 100 * one.back_end,
            1.9 * one.iops / one.drives,
        ]
        for one in curve
    ]  # fmt: skip
    data: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "name": "ours",
            "x": [one.drives for one in curve],
            "y": [one.value for one in curve],
            "line": {"color": palette.RUNS[0]},
        },
        {
            "type": "scatter",
            "mode": "markers",
            "name": "published",
            "x": [120, 125],
            "y": [13.03, 12.7],
            "marker": {"symbol": "x", "size": 10, "color": palette.RUNS[1]},
        },
    ]
    return Figure(
        "curves-single",
        "Mixed 70/30 by single drives",
        "Drives in as few shelves as hold them. The peak is where the drives' own rate meets the back "
        "end's limit.",
        table(
            "Drives | Metric (IOPS/W) | Rate (1/s) | Power (W) | Back end busy (%) | Commands of a drive "
            "(1/s)",
            rows,
        ),
        {"data": data, "layout": layout(axis("Drives"), axis("IOPS per W"), showlegend=True)},
        wide=True,
    )


def _curves(
    points: Points, shown: Sequence[tuple[str, str]], *, key: str, title: str, caption: str
) -> Figure:
    several = len({raid for _, raid in shown}) > 1
    unit = compare.unit(shown[0][0])
    drives = sorted({one.drives for metric, raid in shown for one in points.curve(metric, raid)})
    data: list[dict[str, Any]] = []
    cells: list[list[Cell]] = []
    for number, (metric, raid) in enumerate(shown):
        name = compare.said(metric) + (f", {compare.named(raid)}" if several else "")
        curve, printed = points.curve(metric, raid), _printed(metric, raid)
        columns += [Column(name, unit), Column(f"{name}, published", unit)]
        cells += [_at(drives, {one.drives: one.value for one in each}) for each in (curve, printed)]
        data += _traces(name, curve, printed, palette.RUNS[number])
    rows: list[list[Cell]] = [[count, *(cell[at] for cell in cells)] for at, count in enumerate(drives)]
    y = axis(unit.replace("/W", " per W"), rangemode="tozero")
    spec = {"data": data, "layout": layout(axis("Drives"), y, showlegend=True)}
    return Figure(key, title, caption, table("Drives", rows), spec, wide=True)


def _at(drives: Sequence[int], known: Mapping[int, float]) -> list[Cell]:
    return [known.get(count) for count in drives]


def _printed(metric: str, raid: str) -> list[published.Figure]:
    return [
        one for one in published.FIGURES if (one.metric, one.raid) == (metric, raid) and one.peak != "drive"
    ]


def _traces(
    name: str, curve: Sequence[Point], printed: Sequence[published.Figure], colour: str
) -> list[dict[str, Any]]:
    return [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "name": name,
            "x": [one.drives for one in curve],
            "y": [one.value for one in curve],
            "line": {"color": colour},
        },
        {
            "type": "scatter",
            "mode": "markers",
            "name": f"{name}, published",
            "showlegend": False,
            "x": [one.drives for one in printed],
            "y": [one.value for one in printed],
            "marker": {"symbol": "x", "size": 11, "color": colour},
        },
    ]
