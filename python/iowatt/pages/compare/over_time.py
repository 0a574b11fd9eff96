"""Response time over time, both sides on the same scales, with spikes marked; and the spikes as a table."""

from __future__ import annotations

import math
from typing import Any

from iowatt.lenses.compare.result import BeforeAfter, SideKey, SpikesByView
from iowatt.pages.compare import words
from iowatt.render import numbers, palette
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout, plain

#: Runs of a group whose course is drawn; all are in the table.
DRAWN = 4
_HOVER = "%{x:,.6~r} s: %{y:,.4~r} ms<br>%{text}<extra>%{fullData.name}</extra>"


def courses(found: BeforeAfter) -> list[Figure]:
    """A chart for each side, with the same axes."""
    if found.over_time.width_s is None:
        return []
    every = [course for key, _ in words.SIDES for course in found.over_time.of(key)]
    limit = found.asked.spike_ms
    values = [
        value
        for course in every
        for blocks in (course.mean_ms, course.max_ms)
        for value in blocks
        if value is not None
    ]
    values = [value for value in [*values, limit] if value > 0]
    low, high = math.log10(min(values)), math.log10(max(values))
    room = 0.04 * max(high - low, 0.5)
    y_range = [low - room, high + room]
    longest = max((course.end_s[-1] for course in every if course.end_s), default=1.0)
    return [
        _course(found, key, title, y_range, longest) for key, title in words.SIDES if found.over_time.of(key)
    ]


def _course(found: BeforeAfter, key: SideKey, title: str, y_range: list[float], longest: float) -> Figure:
    shown = found.over_time.of(key)
    limit = found.asked.spike_ms
    rows: list[list[Cell]] = [
        [course.run, start, requests, mean, most]
        for course in shown
        for start, requests, mean, most in zip(
            course.start_s, course.requests, course.mean_ms, course.max_ms, strict=True
        )
    ]
    columns = [
        Column("Run", text=True),
        Column("From", "s"),
        Column("Requests"),
        Column("Mean", "ms"),
        Column("Longest", "ms"),
    ]
    data: list[dict[str, Any]] = []
    for at, course in enumerate(shown[:DRAWN]):
        # One legend for all Runs of a group: their colours tell them apart, the hover names them.
        more = {"legendgroup": str(at), "showlegend": at == 0, "text": plain(course.run)}
        x = [(start + end) / 2 for start, end in zip(course.start_s, course.end_s, strict=True)]
        if any(value is not None for value in course.max_ms):
            data.append(
                _line(
                    x, course.max_ms, "Longest", {"color": palette.STATE_COLOURS["idle"], "width": 1.2}, more
                )
            )
        data.append(
            _line(
                x,
                course.mean_ms,
                "Mean",
                {"color": words.COLOURS[key] if at == 0 else palette.RUNS[2 + at], "width": 2},
                more,
            )
        )
        over = [
            (when, mean)
            for when, mean in zip(x, course.mean_ms, strict=True)
            if mean is not None and mean > limit
        ]
        if over:
            data.append(
                {
                    "type": "scatter",
                    "mode": "markers",
                    "name": f"Mean over {numbers.with_unit(limit, 'ms')}",
                    "x": [when for when, _ in over],
                    "y": [mean for _, mean in over],
                    "marker": {"color": palette.WRITE, "size": 6, "symbol": "triangle-up"},
                    "hovertemplate": _HOVER,
                    **more,
                }
            )
    line = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": limit, "y1": limit}
    line["line"] = {"color": palette.ALL, "width": 1, "dash": "dot"}
    remarks = [] if len(shown) <= DRAWN else [f"The first {DRAWN} of {len(shown)} Runs are drawn."]
    return Figure(
        f"over-time-{key}",
        f"{title}, over time",
        f"Mean and longest response of each block of {numbers.duration(shown[0].width_s)}, from the start "
        f"of the window; triangles are means over the threshold of {numbers.with_unit(limit, 'ms')} "
        "(dotted).",
        Table(columns, rows),
        {
            "data": data,
            "layout": layout(
                axis("Time (s)", range=[0, longest]),
                axis("Response time (ms, log scale)", type="log", range=y_range, dtick="D2"),
                showlegend=True,
                shapes=[line],
            ),
        },
        remarks,
    )


def _line(
    x: list[float], y: list[float | None], name: str, line: dict[str, Any], more: dict[str, Any]
) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "x": x,
        "y": y,
        "line": line,
        "hovertemplate": _HOVER,
        **more,
    }


def summary(found: BeforeAfter) -> Figure:
    """Requests and blocks over the threshold, by either view."""
    limit = numbers.with_unit(found.asked.spike_ms, "ms")
    rows: list[list[Cell]] = []
    for key, title in words.SIDES:
        over, by_view = found.over_threshold.of(key), found.spikes.of(key)
        mine: list[Cell] = [title, over.requests, _percent(over.share)]
        if by_view is None:
            rows.append([*mine, *[None] * 7])
            continue
        for view, shown in words.VIEWS:
            one = by_view.mean if view == "mean" else by_view.max
            counts: list[Cell] = [one.spikes, one.blocks_over, one.blocks]
            rows.append([*mine, shown, *counts, one.seconds, one.longest_s, one.greatest_block_ms])
    columns = [
        Column("Side", text=True),
        Column("Requests over it"),
        Column("Of all requests", "%"),
        Column("Spikes", text=True),
        Column("Number"),
        Column("Blocks over it"),
        Column("Blocks"),
        Column("Time in spikes", "s"),
        Column("Longest spike", "s"),
        Column("Greatest block", "ms"),
    ]
    return Figure(
        "threshold",
        f"Over {limit}",
        "A spike is consecutive blocks over the threshold: by their means, as an array\u2019s reporter shows "
        "them, or by their longest response, where one slow request is enough.",
        Table(columns, rows),
        wide=True,
    )


def sentences(found: BeforeAfter) -> list[str]:
    """How many requests and spikes are over the threshold."""
    limit = numbers.with_unit(found.asked.spike_ms, "ms")
    over = [(key, found.over_threshold.of(key)) for key, _ in words.SIDES]
    said = [
        f"Requests over {limit}: "
        + ", ".join(
            f"{key} {numbers.count(one.requests)} ({numbers.percent(one.share)})" for key, one in over
        )
        + "."
    ]
    width_s = found.over_time.width_s
    if width_s is None:
        return said
    for view, shown in words.VIEWS:
        sides = [(key, found.spikes.of(key)) for key, _ in words.SIDES]
        each = [
            f"{key} {_spikes(one.mean if view == 'mean' else one.max)}"
            for key, one in sides
            if one is not None
        ]
        said.append(f"Spikes over {limit} {shown}, blocks of {numbers.duration(width_s)}: {'; '.join(each)}.")
    return said


def _spikes(one: SpikesByView) -> str:
    if not one.blocks:
        return "not known"
    if not one.spikes:
        return f"none in {numbers.counted(one.blocks, 'block')}"
    return (
        f"{numbers.count(one.spikes)} in {numbers.duration(one.seconds)}, longest "
        f"{numbers.duration(one.longest_s)}, greatest {numbers.with_unit(one.greatest_ms, 'ms')}"
    )


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def spikes(found: BeforeAfter) -> Figure | None:
    """The spikes by means, with times, lengths and the greatest mean."""
    rows: list[list[Cell]] = []
    total = 0
    for key, title in words.SIDES:
        by_view = found.spikes.of(key)
        if by_view is None:
            continue
        for one, shown in ((by_view.mean, "means"), (by_view.max, "single requests")):
            total += one.spikes
            rows += [
                [title, shown, spike.run, spike.start_s, spike.length_s, spike.greatest_ms, spike.requests]
                for spike in one.listed
            ]
    if not rows:
        return None
    columns = [
        Column("Side", text=True),
        Column("By", text=True),
        Column("Run", text=True),
        Column("From", "s"),
        Column("Length", "s"),
        Column("Greatest", "ms"),
        Column("Requests"),
    ]
    left = total - len(rows)
    return Figure(
        "spikes",
        "Spikes",
        "When they began, from the start of the window, how long they were, and their greatest mean or "
        "response.",
        Table(columns, rows),
        remarks=[f"The highest are listed; {numbers.count(left)} more are not."] if left else [],
        wide=True,
    )
