"""Response time over time, both sides on the same scales, with spikes marked; and the spikes as a table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from iowatt.pages.compare import words
from iowatt.pages.compare.words import Found
from iowatt.render import numbers, palette
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout, plain

#: Runs of a group whose course is drawn; all are in the table.
DRAWN = 4
_GREATEST = {"mean": "Greatest mean of a block, ms", "max": "Longest response, ms"}
_HOVER = "%{x:,.6~r} s: %{y:,.4~r} ms<br>%{text}<extra>%{fullData.name}</extra>"


def courses(found: Found) -> list[Figure]:
    """A chart for each side, with the same axes."""
    if found["over_time"]["width_s"] is None:
        return []
    every = [course for key, _ in words.SIDES for course in found["over_time"][key]]
    limit = found["asked"]["spike_ms"]
    values = [
        value
        for course in every
        for name in ("mean_ms", "max_ms")
        for value in course[name]
        if value is not None
    ]
    values = [value for value in [*values, limit] if value > 0]
    low, high = math.log10(min(values)), math.log10(max(values))
    room = 0.04 * max(high - low, 0.5)
    y_range = [low - room, high + room]
    longest = max((course["end_s"][-1] for course in every if course["end_s"]), default=1.0)
    return [
        _course(found, key, title, y_range, longest) for key, title in words.SIDES if found["over_time"][key]
    ]


def _course(found: Found, key: str, title: str, y_range: list[float], longest: float) -> Figure:
    shown = found["over_time"][key]
    limit = found["asked"]["spike_ms"]
    rows: list[list[Cell]] = [
        [course["run"], start, requests, mean, most]
        for course in shown
        for start, requests, mean, most in zip(
            course["start_s"], course["requests"], course["mean_ms"], course["max_ms"], strict=True
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
        more = {"legendgroup": str(at), "showlegend": at == 0, "text": plain(course["run"])}
        x = [(start + end) / 2 for start, end in zip(course["start_s"], course["end_s"], strict=True)]
        if any(value is not None for value in course["max_ms"]):
            data.append(
                _line(
                    x,
                    course["max_ms"],
                    "Longest",
                    {"color": palette.STATE_COLOURS["idle"], "width": 1.2},
                    more,
                )
            )
        data.append(
            _line(
                x,
                course["mean_ms"],
                "Mean",
                {"color": words.COLOURS[key] if at == 0 else palette.RUNS[2 + at], "width": 2},
                more,
            )
        )
        over = [
            (when, mean)
            for when, mean in zip(x, course["mean_ms"], strict=True)
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
        f"Mean and longest response of each block of {numbers.duration(shown[0]['width_s'])}, from the start "
        "of "
        f"the window; triangles are means over the threshold of {numbers.with_unit(limit, 'ms')} (dotted).",
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


def summary(found: Found) -> Figure:
    """Requests and blocks over the threshold, by either view."""
    limit = numbers.with_unit(found["asked"]["spike_ms"], "ms")
    over = found["over_threshold"]
    rows: list[list[Cell]] = [
        ["Requests over it", *(over[key]["requests"] for key, _ in words.SIDES)],
        ["Of all requests, %", *(_percent(over[key]["share"]) for key, _ in words.SIDES)],
    ]
    for view, shown in words.VIEWS.items():
        both = [
            None if found["spikes"][key] is None else found["spikes"][key][view] for key, _ in words.SIDES
        ]
        if any(both):

            def of(name: str, both: Sequence[Any] = both) -> list[Cell]:
                return [None if one is None else one[name] for one in both]

            blocks = [None if one is None else f"{one['blocks_over']:,} of {one['blocks']:,}" for one in both]
            rows += [
                [f"Spikes {shown}", *of("spikes")],
                [f"Blocks over it, {shown}", *blocks],
                ["Time in these spikes, s", *of("seconds")],
                ["Longest of them, s", *of("longest_s")],
                [_GREATEST[view], *of("greatest_block_ms")],
            ]
    return Figure(
        "threshold",
        f"Over {limit}",
        "A spike is consecutive blocks over the threshold: by their means, as an array\u2019s reporter shows "
        "them, or by "
        "their longest response, where one slow request is enough.",
        Table([Column("", text=True), Column("Before"), Column("After")], rows),
    )


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def spikes(found: Found) -> Figure | None:
    """The spikes by means, with times, lengths and the greatest mean."""
    rows: list[list[Cell]] = [
        [
            title,
            shown,
            spike["run"],
            spike["start_s"],
            spike["length_s"],
            spike["greatest_ms"],
            spike["requests"],
        ]
        for key, title in words.SIDES
        if found["spikes"][key]
        for view, shown in (("mean", "means"), ("max", "single requests"))
        for spike in found["spikes"][key][view]["list"]
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
    there = [found["spikes"][key] for key, _ in words.SIDES if found["spikes"][key]]
    total = sum(side[view]["spikes"] for side in there for view in words.VIEWS)
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
