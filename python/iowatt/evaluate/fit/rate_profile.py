"""Rates over time and bursts: phases as wide as the description's windows, and a cascade inside them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from iowatt.trace.description import Description, HalvingDivisions

WAYS = ("reads", "writes")
# A last window shorter than this part of one is joined to the one before.
_SLIVER = 1e-3
_MOST_HALVINGS = 64


def phases(description: Description, classes: Mapping[str, Description]) -> list[dict[str, Any]]:
    """One phase for each window of the course over time: its rate over the mean, its mix of streams.

    ``classes`` are descriptions of the requests of each class of sizes, by the suffix of their streams.
    Factors have a mean of 1 over the whole trace; neighbours without requests are joined.
    """
    over, span = description.over_time, description.span.duration_s
    width = over.window_s
    names = [(way + suffix, getattr(of.over_time, way)) for suffix, of in classes.items() for way in WAYS]
    windows = len(over.reads)
    counts = [
        {name: column[at] for name, column in names if at < len(column) and column[at]}
        for at in range(windows)
    ]
    lengths = [min(width, span - i * width) for i in range(windows)]
    if windows > 1 and lengths[-1] < _SLIVER * width:
        last = counts.pop()
        lengths[-2] += lengths.pop()
        counts[-1] = {name: counts[-1].get(name, 0) + last.get(name, 0) for name in {**counts[-1], **last}}
    mean = sum(sum(count.values()) for count in counts) / span
    found: list[dict[str, Any]] = []
    idle = False
    for count, length in zip(counts, lengths, strict=True):
        total = sum(count.values())
        if total == 0 and idle:
            found[-1]["length_s"] += length
            continue
        idle = total == 0
        shares = None if idle else {name: 100 * n / total for name, n in count.items()}
        found.append({"length_s": length, "factor": total / length / mean, "shares": shares})
    return found


def unevenness(description: Description) -> list[list[float]]:
    """How unevenly each halving of a window divides its requests, the widest first, by their number.

    The description's divisions are of windows of powers of two of a second; those of the phases' windows lie
    between two of them and take their mean by the logarithm of the width. A class of counts that a scale
    lacks has the unevenness of the nearest it has.
    """
    known = [
        (math.log2(scale.window_s), _filled(scale.divisions))
        for scale in description.burstiness.scales
        if scale.divisions.windows
    ]
    if not known:
        return []
    found: list[list[float]] = []
    width = description.over_time.window_s
    while width / 2 >= 2 ** known[0][0] / 2 * (1 - 1e-9) and len(found) < _MOST_HALVINGS:
        found.append(_between(known, math.log2(width)))
        width /= 2
    return found


def _filled(divisions: HalvingDivisions) -> list[float]:
    """By class of count from 2 on, without gaps."""
    classes = [int(math.log2(least)) - 1 for least in divisions.from_requests]
    values = divisions.unevenness
    return [
        values[min(range(len(classes)), key=lambda i: abs(classes[i] - want))]
        for want in range(classes[-1] + 1)
    ]


def _between(known: list[tuple[float, list[float]]], x: float) -> list[float]:
    index = next((i for i, (at, _) in enumerate(known) if at >= x), len(known) - 1)
    upper_at, upper = known[index]
    lower_at, lower = known[max(index - 1, 0)]
    part = 1.0 if upper_at == lower_at else min(1.0, max(0.0, (x - lower_at) / (upper_at - lower_at)))
    found = []
    for number in range(max(len(lower), len(upper))):
        low, high = (of[min(number, len(of) - 1)] for of in (lower, upper))
        found.append(round(min(1.0, max(-1.0, low + part * (high - low))), 6))
    return found


def stay(description: Description, parts: list[dict[str, Any]]) -> float:
    """Mean requests before the direction is drawn again, so that as many as in the trace repeat the last.

    With the share p of reads, draws alone repeat p^2 + (1-p)^2; with p by phase, on average over requests.
    """
    repeats = description.direction_repeats
    changes = total = 0.0
    for part in parts:
        if part["shares"] is not None:
            weight = part["factor"] * part["length_s"]
            total += weight
            reads = math.fsum(s for name, s in part["shares"].items() if name.startswith("reads")) / 100
            changes += weight * 2 * reads * (1 - reads)
    if repeats is None or repeats >= 1 or total <= 0 or changes <= 0:
        return 1.0
    return max(1.0, changes / total / (1 - repeats))
