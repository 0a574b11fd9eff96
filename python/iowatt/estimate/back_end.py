"""What a pool makes of requests: operations of its sets of drives, by kind, and what a request waits for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from iowatt.estimate.operations import Kind, Mix, Place, add
from iowatt.tiers import raid_work


@dataclass(frozen=True)
class Geometry:
    """A pool as its requests see it.

    ``level`` and ``width`` are those that requests are split by; ``sets`` stations of ``mirrored`` drives share
    the operations.
    """

    level: int
    width: int
    sets: int
    mirrored: int
    unit: int
    usable: int
    drives: int

    @classmethod
    def of(cls, pool: Mapping[str, Any], usable: int) -> Geometry:
        """Of a plan's pool."""
        raid, count = pool["raid"], pool["count"]
        spares = (pool["recovery"] or {}).get("spares", 0)
        level, unit = int(raid["level"]), raid["stripe_unit_bytes"]
        if level == 1:
            return cls(1, 1, 1, count, unit, usable, count + spares)
        if level == 10:
            return cls(0, count // 2, count // 2, 2, unit, usable, count + spares)
        return cls(level, count, count, 1, unit, usable, count + spares)


@dataclass(frozen=True)
class Asked:
    """What one request means: operations by kind; ``phases`` one after another, ``abreast`` in each."""

    mix: Mix
    phases: float
    abreast: float


def asked(
    geometry: Geometry, size: int, *, write: bool, places: Sequence[tuple[Place, float]], step: int | None
) -> Asked:
    """The mean request of ``size`` bytes; ``places`` and their shares on each drive."""
    if geometry.level == 1:
        work = raid_work.of_request(0, 1, 1 << 40, size, write=write)
    else:
        work = raid_work.of_request(
            geometry.level, geometry.width, geometry.unit, size, write=write, step=step
        )
    mix: Mix = {}
    for place, share in places:
        for how, (count, bytes_) in (
            ("read", work.plain_reads),
            ("write", work.plain_writes),
            ("update", work.updates),
        ):
            add(mix, Kind(how, round(bytes_), place), share * count)  # type: ignore[arg-type]
    return Asked(mix, work.phases, work.abreast)
