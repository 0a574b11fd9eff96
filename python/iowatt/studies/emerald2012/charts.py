"""The study's curves: metric against drives, ours as lines and what is published as crosses."""

from __future__ import annotations

from collections.abc import Sequence

from iowatt.render import plot
from iowatt.render.figure import Cell, Figure, axis, layout
from iowatt.studies.emerald2012 import published
from iowatt.studies.emerald2012.points import FamilyPoints
from iowatt.studies.emerald2012.published import PRINTED, TEXT
from iowatt.studies.emerald2012.systems import SEQUENTIAL
from iowatt.studies.figures import colour, crosses, series_table

RANDOM = ("RR", "80/20", "MW1", "60/40", "RW")


def random(points: FamilyPoints, raid: str) -> Figure:
    """Exercises 1 and 2 of a level."""
    shown = [(metric, raid) for metric in RANDOM if points.curve(metric, raid)]
    return _curves(points, shown, "curves", raid)


def sequential(points: FamilyPoints) -> Figure:
    """Exercise 3, both levels."""
    shown = [(metric, raid) for metric in SEQUENTIAL for raid in ("raid-5", "raid-10")]
    return _curves(points, shown, "curves-sequential")


def single(points: FamilyPoints) -> Figure:
    """Exercise 1.5: the knee."""
    curve = points.of("mw1-single")
    rows: list[list[Cell]] = [
        [
            one.drives, one.value, one.iops, one.wall_w, None if one.back_end is None else 100 * one.back_end,
            1.9 * one.iops / one.drives,
        ]
        for one in curve
    ]  # fmt: skip
    drives, values = [one.drives for one in curve], [one.value for one in curve]
    traces = [
        plot.line(drives, values, name="ours", colour=colour(0), marks=True),
        crosses("published", [(120, 13.03), (125, 12.7)], 1),
    ]
    return TEXT.figure(
        "curves-single", rows, plot.spec(traces, layout(axis("Drives"), axis("IOPS per W"), showlegend=True))
    )


def _curves(points: FamilyPoints, shown: Sequence[tuple[str, str]], words: str, raid: str = "") -> Figure:
    several = len({raid for _, raid in shown}) > 1
    unit = published.unit(shown[0][0])
    drives = sorted({one.drives for metric, raid in shown for one in points.curve(metric, raid)})
    series: dict[str, list[Cell]] = {}
    traces = []
    for number, (metric, level) in enumerate(shown):
        name = published.metric_name(metric) + (f", {published.level_name(level)}" if several else "")
        ours = {one.drives: one.value for one in points.curve(metric, level)}
        printed = {
            one.drives: one.value
            for one in PRINTED.figures
            if (one.metric, one.raid) == (metric, level) and one.peak != "drive"
        }
        series[name] = [ours.get(count) for count in drives]
        series[f"{name}, published"] = [printed.get(count) for count in drives]
        traces.append(plot.line([*ours], [*ours.values()], name=name, colour=colour(number), marks=True))
        traces.append(crosses(f"{name}, published", [*printed.items()], number, showlegend=False))
    y = axis(unit.replace("/W", " per W"), rangemode="tozero")
    drawing = plot.spec(traces, layout(axis("Drives"), y, showlegend=True))
    rows = series_table("Drives", drives, series, unit)
    return TEXT.figure(words, rows, drawing, part=raid, level=published.level_name(raid))
