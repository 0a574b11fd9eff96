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
        "Length of an extent, the unit of addresses. Extents join pairwise where a Run "
        "would touch more than 1,048,576. Where observe.heat is left out, iowatt run doubles the default "
        f"until workloads reach at most {EXTENTS_MADE:,} extents ({EXTENTS_TRACED:,} with a trace).",
        default=EXTENT,
        example="64MiB",
        within=(LEAST_EXTENT, 2**50),
    )
    points: list[Literal["front", "back"]] = key(
        "Where requests are counted. front: as hosts issue them, by address in their volume. back: as a pool "
        "is handed them, by address in it: what the cache leaves over, its destages included. A virtual pool "
        "counts as one pool, and what it moves inside is not counted.",
        default=["front", "back"],
        example=["front", "back"],
        min_length=1,
    )
    period: Duration | None = key(
        "Length of a period, the unit of time. Periods join pairwise where there would be too many.",
        unset="starts at 1 s and doubles as often as needed to keep 64 at most",
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
