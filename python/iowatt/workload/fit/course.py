"""Rates over time and bursts: phases as wide as the description's windows, and a cascade inside them."""

from __future__ import annotations

import math
from typing import Any

# A last window shorter than this part of one is joined to the one before.
_SLIVER = 1e-3
# The finest windows of the description, seconds.
_FINEST = 2.0**-16


def phases(description: dict[str, Any]) -> list[dict[str, Any]]:
    """One phase for each window of the course over time: its rate as a multiple of the mean, its mix.

    Factors have a mean of 1 over the whole trace; neighbours without requests are joined.
    """
    over, span = description["over_time"], description["span"]["duration_s"]
    width = over["window_s"]
    counts = [[r, w] for r, w in zip(over["reads"], over["writes"], strict=True)]
    lengths = [min(width, span - i * width) for i in range(len(counts))]
    if len(lengths) > 1 and lengths[-1] < _SLIVER * width:
        last = counts.pop()
        lengths[-2] += lengths.pop()
        counts[-1] = [a + b for a, b in zip(counts[-1], last, strict=True)]
    mean = sum(map(sum, counts)) / span
    found: list[dict[str, Any]] = []
    idle = False
    for (reads, writes), length in zip(counts, lengths, strict=True):
        total = reads + writes
        if total == 0 and idle:
            found[-1]["length_s"] += length
            continue
        idle = total == 0
        shares = None if idle else {"reads": 100 * reads / total, "writes": 100 * writes / total}
        found.append({"length_s": length, "factor": total / length / mean, "shares": shares})
    return found


def unevenness(description: dict[str, Any]) -> list[float]:
    """How unevenly each halving of a window divides its requests, the widest first, 0 to 1.

    For counts N over windows of T, F(T) = E[N (N-1)] = variance + mean^2 - mean. A cascade whose halves get
    each request with the probability A has F(T/2) = F(T) E[A^2] = F(T) (1 + u) / 4; so u = 4 F(T/2)/F(T) - 1,
    from the description's dyadic scales, between which log F is interpolated over log T. Scales with
    u < 0 (requests that keep apart) are taken as even.
    """
    scales = [
        (math.log2(s["window_s"]), math.log2(f))
        for s in description["burstiness"]["scales"]
        if (f := s["variance"] + s["mean"] ** 2 - s["mean"]) > 0
    ]
    if len(scales) < 2:
        return []
    width = description["over_time"]["window_s"]
    found = []
    while width / 2 >= 2 ** scales[0][0] * (1 - 1e-9) and width / 2 >= _FINEST * (1 - 1e-9):
        ratio = 2 ** (_at(scales, math.log2(width / 2)) - _at(scales, math.log2(width)))
        found.append(round(min(1.0, max(0.0, 4 * ratio - 1)), 6))
        width /= 2
    return found


def _at(points: list[tuple[float, float]], x: float) -> float:
    """Linear interpolation; beyond the ends along the last piece."""
    index = max(1, next((i for i, (at, _) in enumerate(points) if at >= x), len(points) - 1))
    (x0, y0), (x1, y1) = points[index - 1], points[index]
    return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
