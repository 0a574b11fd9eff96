"""Response time over time, both sides on the same scales, with spikes marked; and the spikes as a table."""

from __future__ import annotations

import math
from typing import Any

from iowatt.lenses.compare.result import BeforeAfter, SideKey, SpikesByView
from iowatt.pages.compare import words
from iowatt.render import numbers, palette, plot
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout, plain, text_columns

#: Runs of a group whose course is drawn; all are in the table.
DRAWN = 4
_HOVER = "%{x:,.6~r} s: %{y:,.4~r} ms<br>%{text}<extra>%{fullData.name}</extra>"


def courses(found: BeforeAfter) -> list[Figure]:
    """A chart for each side, with the same axes."""
    if found.over_time.width_s is None:
        return []
    every = [course for key, _ in words.SIDES for course in found.over_time.of(key)]
    blocks = [value for course in every for value in (*course.mean_ms, *course.max_ms) if value is not None]
    values = [math.log10(value) for value in (*blocks, found.asked.spike_ms) if value > 0]
    low, high = min(values), max(values)
    room = 0.04 * max(high - low, 0.5)
    longest = max((course.end_s[-1] for course in every if course.end_s), default=1.0)
    return [
        _course(found, key, title, [low - room, high + room], longest)
        for key, title in words.SIDES
        if found.over_time.of(key)
    ]


def _course(found: BeforeAfter, key: SideKey, title: str, y_range: list[float], longest: float) -> Figure:
    shown, limit = found.over_time.of(key), found.asked.spike_ms
    rows: list[list[Cell]] = [
        [course.run, *block]
        for course in shown
        for block in zip(course.start_s, course.requests, course.mean_ms, course.max_ms, strict=True)
    ]
    columns = [
        *text_columns("Run"), Column("From", "s"), Column("Requests"), Column("Mean", "ms"),
        Column("Longest", "ms"),
    ]  # fmt: skip
    traces: list[dict[str, Any]] = []
    for at, course in enumerate(shown[:DRAWN]):
        # One legend for all Runs of a group: their colours tell them apart, the hover names them.
        more: dict[str, Any] = {
            "legendgroup": str(at),
            "showlegend": at == 0,
            "text": plain(course.run),
            "hover": _HOVER,
        }
        x = [(start + end) / 2 for start, end in zip(course.start_s, course.end_s, strict=True)]
        if any(value is not None for value in course.max_ms):
            grey = palette.STATE_COLOURS["idle"]
            traces.append(plot.line(x, course.max_ms, name="Longest", colour=grey, width=1.2, **more))
        colour = words.COLOURS[key] if at == 0 else palette.RUNS[2 + at]
        traces.append(plot.line(x, course.mean_ms, name="Mean", colour=colour, width=2, **more))
        means = zip(x, course.mean_ms, strict=True)
        over = [(when, mean) for when, mean in means if mean is not None and mean > limit]
        if over:
            traces.append(
                plot.markers(
                    [when for when, _ in over], [mean for _, mean in over],
                    name=f"Mean over {numbers.with_unit(limit, 'ms')}", colour=palette.WRITE, size=6,
                    symbol="triangle-up", **more,
                )
            )  # fmt: skip
    drawn = layout(
        axis("Time (s)", range=[0, longest]),
        axis("Response time (ms, log scale)", type="log", range=y_range, dtick="D2"),
        showlegend=True, shapes=[plot.reference_line(y=limit, dash="dot")],
    )  # fmt: skip
    return Figure(
        f"over-time-{key}", f"{title}, over time",
        f"Mean and longest response of each block of {numbers.duration(shown[0].width_s)}, from the start "
        f"of the window; triangles are means over the threshold of {numbers.with_unit(limit, 'ms')} "
        "(dotted).",
        Table(columns, rows), plot.spec(traces, drawn),
        [] if len(shown) <= DRAWN else [f"The first {DRAWN} of {len(shown)} Runs are drawn."],
    )  # fmt: skip


def summary(found: BeforeAfter) -> Figure:
    """Requests and blocks over the threshold, by either view."""
    rows: list[list[Cell]] = []
    for key, title in words.SIDES:
        over, by_view = found.over_threshold.of(key), found.spikes.of(key)
        known = None if over.share is None else over.requests
        first: list[Cell] = [title, known, words.percent(over.share)]
        if by_view is None:
            rows.append([*first, *[None] * 7])
            continue
        for view, shown in words.VIEWS:
            one = by_view.of(view)
            rows.append(
                [
                    *first, shown, one.spikes, one.blocks_over, one.blocks, one.seconds, one.longest_s,
                    one.greatest_block_ms,
                ]
            )  # fmt: skip
    columns = [
        *text_columns("Side"), Column("Requests over it"), Column("Of all requests", "%"),
        *text_columns("Spikes"), Column("Number"), Column("Blocks over it"), Column("Blocks"),
        Column("Time in spikes", "s"), Column("Longest spike", "s"), Column("Greatest block", "ms"),
    ]  # fmt: skip
    return Figure(
        "threshold", f"Over {numbers.with_unit(found.asked.spike_ms, 'ms')}",
        "A spike is consecutive blocks over the threshold: by their means, as an array\u2019s reporter shows "
        "them, or by their longest response, where one slow request is enough.",
        Table(columns, rows), wide=True,
    )  # fmt: skip


def sentences(found: BeforeAfter) -> list[str]:
    """How many requests and spikes are over the threshold."""
    limit = numbers.with_unit(found.asked.spike_ms, "ms")
    over = [(key, found.over_threshold.of(key)) for key, _ in words.SIDES]
    texts = [
        f"Requests over {limit}: "
        + ", ".join(
            f"{key} not known"
            if one.share is None
            else f"{key} {numbers.count(one.requests)} ({numbers.percent(one.share)})"
            for key, one in over
        )
        + "."
    ]
    width_s = found.over_time.width_s
    if width_s is None:
        return texts
    sides = [(key, found.spikes.of(key)) for key, _ in words.SIDES]
    for view, shown in words.VIEWS:
        each = [f"{key} {_spikes(one.of(view))}" for key, one in sides if one is not None]
        texts.append(
            f"Spikes over {limit} {shown}, blocks of {numbers.duration(width_s)}: {'; '.join(each)}."
        )
    return texts


def _spikes(one: SpikesByView) -> str:
    if not one.blocks:
        return "not known"
    if not one.spikes:
        return f"none in {numbers.counted(one.blocks, 'block')}"
    return (
        f"{numbers.count(one.spikes)} in {numbers.duration(one.seconds)}, longest "
        f"{numbers.duration(one.longest_s)}, greatest {numbers.with_unit(one.greatest_ms, 'ms')}"
    )


def spikes(found: BeforeAfter) -> Figure | None:
    """The spikes with times, lengths and the greatest value."""
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
        *text_columns("Side", "By", "Run"), Column("From", "s"), Column("Length", "s"),
        Column("Greatest", "ms"), Column("Requests"),
    ]  # fmt: skip
    left = total - len(rows)
    return Figure(
        "spikes", "Spikes",
        "When they began, from the start of the window, their length, and their greatest mean or response.",
        Table(columns, rows), wide=True,
        remarks=[f"The highest are listed; {numbers.count(left)} more are not."] if left else [],
    )  # fmt: skip
