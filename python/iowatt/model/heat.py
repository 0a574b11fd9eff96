"""Counting requests by extent and period (``observe.heat``): its keys, its limits, its part of a plan."""

from __future__ import annotations

from typing import Final, Literal

from iowatt.base.quantity import BlockSize, Duration
from iowatt.base.strict import Strict, key

#: Smallest extent (``LEAST_EXTENT`` of iowatt-trace) and the default.
LEAST_EXTENT = 64 * 1024
EXTENT = 64 * 1024 * 1024

#: Most extents that workloads reach where observe.heat is left out; beyond, extents grow. Counting over
#: 16,384 of them at random takes as long as simulating. A trace touches few of the extents of its volume.
EXTENTS_MADE: Final = 512
EXTENTS_TRACED: Final = 1 << 16


def usual_extent(reach: int, most: int = EXTENTS_MADE) -> int:
    """Length of an extent in bytes: the default, doubled until ``reach`` bytes are at most ``most``."""
    extent = EXTENT
    while reach > most * extent:
        extent *= 2
    return extent


class HeatKeys(Strict):
    """Counts reads, writes and bytes by extent and period, for ``iowatt heat``."""

    extent: BlockSize = key(
        "Extent size. Extents are merged in pairs if a Run would touch more than 1,048,576. If observe.heat "
        "is omitted, `iowatt run` doubles the default "
        f"until workloads reach at most {EXTENTS_MADE:,} extents ({EXTENTS_TRACED:,} with a trace).",
        default=EXTENT,
        example="64MiB",
        within=(LEAST_EXTENT, 2**50),
    )
    points: list[Literal["front", "back"]] = key(
        "Where requests are counted. front: host requests, by volume address. back: requests that reach a "
        "pool, by pool address: cache misses and destages. A virtual pool counts as one pool; its internal "
        "moves are not counted.",
        default=["front", "back"],
        example=["front", "back"],
        min_length=1,
    )
    period: Duration | None = key(
        "Length of a period. Periods are merged in pairs if there are too many.",
        unset="starts at 1 s and doubles as needed for at most 64 periods",
        example="1h",
        ge=1e-3,
    )


def heat_plan(heat: HeatKeys | Literal[False] | None) -> dict[str, dict[str, object]]:
    """``HeatPlan`` of iowatt-sim under its key of the observation; empty where heat is not recorded."""
    if not heat:
        return {}
    plan: dict[str, object] = {
        "extent_bytes": heat.extent,
        "period_s": heat.period,
        "front": "front" in heat.points,
        "back": "back" in heat.points,
    }
    return {"heat": plan}
