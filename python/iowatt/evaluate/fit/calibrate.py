"""Calibration: the parameters of a law differ from its effect, because near jumps and reuse also come by
chance.

So some parameters are found by fixed-point iteration: a synthetic trace is made, described as the original
was, and each share of a table is moved by what the synthetic lacks of it. That needs no formula for what
comes by chance, and is the same for every trace.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from iowatt.trace.description import Description

# Most that all shares of a table add up to; the density of extents decides the rest.
_MOST: Final = 0.99
# Shares below are left out.
_LEAST: Final = 1e-5
_WAYS: Final = ("read", "write")

# The octave of depths that represents first touches.
_NEW: Final = 0

Row = tuple[str, int]
K = TypeVar("K")


@dataclass
class FitParameters:
    """Parameters that are found by iteration; shares 0 to 1."""

    stick: float
    # By direction and octave of depth; what is new among them.
    reuse: dict[str, dict[int, float]] = field(default_factory=dict)
    # By way (forward, backward) and octave of distance.
    jumps: dict[Row, float] = field(default_factory=dict)

    def depths(self, description: Description, one: str) -> list[dict[str, Any]]:
        """Rows of reuse for a profile: octaves, divided as the trace's histogram divides them."""
        rows = description.reuse.histogram
        whole = _depths(description, one)
        columns = zip(rows.from_blocks, rows.to_blocks, getattr(rows, f"{one}_share"), strict=True)
        return [
            {"least": low, "most": high, "share": 100 * share * part / whole[octave]}
            for low, high, share in columns
            if (octave := low.bit_length()) in whole
            and share > 0
            and (part := self.reuse.get(one, {}).get(octave, 0.0)) * share / whole[octave] > _LEAST
        ]

    def fresh(self, one: str) -> float:
        """The share of new places, 0 to 1."""
        return self.reuse.get(one, {}).get(_NEW, 0.0)

    def near(self) -> tuple[float, list[dict[str, Any]]]:
        """The share of near jumps, 0 to 1, and their rows."""
        kept = {row: share for row, share in self.jumps.items() if share > _LEAST}
        total = math.fsum(kept.values())
        if total <= 0:
            return 0.0, []
        rows = []
        for (way, octave), share in kept.items():
            sign = 1 if way == "forward" else -1
            low, high = 1 << octave, 1 << (octave + 1)
            rows.append({"least": sign * low, "below": sign * high, "share": 100 * share / total})
        return total, rows


def first_parameters(original: Description) -> FitParameters:
    """Before the first iteration: places by density alone; runs interrupted as often as in the trace."""
    going_on = original.sequential.runs.sequential_request_share
    consecutive = original.sequential.consecutive_request_share
    return FitParameters(stick=min(1.0, consecutive / going_on) if going_on > 0 else 1.0)


def recorded_parameters(original: Description, soon: Description, below: int) -> FitParameters:
    """As recorded, for data so much larger that nothing comes by chance.

    Args:
        soon: Of the part of the trace whose reuse is taken.
        below: Longer jumps are left out, bytes.
    """
    first = first_parameters(original)
    reuse = {one: _moved({}, _depths(soon, one), {}, 1.0) for one in _WAYS}
    jumps = {row: share for row, share in _jumps(original).items() if 2 << row[1] <= below}
    return FitParameters(first.stick, reuse, jumps)


def next_parameters(
    tuned: FitParameters, original: Description, synthetic: Description, gain: float = 1.0
) -> FitParameters:
    """The next parameters, from what came of the last."""
    reuse = {}
    for one in _WAYS:
        want, have = _depths(original, one), _depths(synthetic, one)
        reuse[one] = _moved(tuned.reuse.get(one, {}), want, have, gain)
    jumps = _moved(tuned.jumps, _jumps(original), _jumps(synthetic), gain)
    share, made = (d.sequential.consecutive_request_share for d in (original, synthetic))
    stick = tuned.stick * min(2.0, max(0.5, share / made)) if made > 0 else tuned.stick
    return FitParameters(min(1.0, stick), reuse, jumps)


def _moved(shares: dict[K, float], want: dict[K, float], have: dict[K, float], gain: float) -> dict[K, float]:
    moved = {}
    for row, target in want.items():
        share = shares.get(row, 0.0) + gain * (target - have.get(row, 0.0))
        if share > 0:
            moved[row] = share
    total = math.fsum(moved.values())
    return moved if total <= _MOST else {row: share * _MOST / total for row, share in moved.items()}


def _depths(description: Description, one: str) -> dict[int, float]:
    """Shares of a direction's block references by octave of depth, first touches among them."""
    rows = description.reuse.histogram
    found: dict[int, float] = {}
    for low, share in zip(rows.from_blocks, getattr(rows, f"{one}_share"), strict=True):
        if share > 0:
            found[low.bit_length()] = found.get(low.bit_length(), 0.0) + share
    if found:
        found[_NEW] = max(0.0, 1.0 - math.fsum(found.values()))
    return found


def _jumps(description: Description) -> dict[Row, float]:
    """Shares of requests by way and octave of the distance from the end of the one before."""
    table = description.jumps
    columns = zip(table.direction, table.from_bytes, table.request_share, strict=True)
    return {(way, low.bit_length() - 1): share for way, low, share in columns if way != "zero"}
