"""The controller and its cache in ``run.json``: shares and means from what was counted."""

from __future__ import annotations

from iowatt.run.record import CacheCounts, Station
from iowatt.run.summary_schema import Cache, Controller, ControllerPart


def controller(processors: Station | None, host_link: Station | None) -> Controller | None:
    """The ``controller`` block; None where neither part is modelled."""
    if processors is None and host_link is None:
        return None
    return Controller(processors=_part(processors), host_link=_part(host_link))


def _part(station: Station | None) -> ControllerPart | None:
    if station is None:
        return None
    return ControllerPart(
        requests=station.visits,
        utilisation=station.utilisation,
        wait_mean_ms=_over(station.wait_s * 1e3, station.visits),
    )


def cache(counts: CacheCounts | None) -> Cache | None:
    """The ``cache`` block."""
    if counts is None:
        return None
    return Cache(
        read_hit_ratio=_over(counts.read_hits, counts.reads),
        read_hit_bytes_ratio=_over(counts.read_hit_bytes, counts.read_bytes),
        write_hit_ratio=_over(counts.write_hits, counts.writes),
        write_hit_bytes_ratio=_over(counts.write_hit_bytes, counts.write_bytes),
        hit_ratio=_over(counts.read_hits + counts.write_hits, counts.reads + counts.writes),
        hit_bytes_ratio=_over(
            counts.read_hit_bytes + counts.write_hit_bytes, counts.read_bytes + counts.write_bytes
        ),
        delayed_hit_ratio=_over(counts.delayed_hits, counts.reads),
        fetches=counts.fetches,
        fetched_bytes=counts.fetched_bytes,
        destages=counts.destages,
        destaged_bytes=counts.destaged_bytes,
        evictions=counts.evictions,
        waits_for_space=counts.waits_for_space,
        space_wait_mean_ms=_over(counts.space_wait_s * 1e3, counts.waits_for_space),
        dirty_bytes_at_end=counts.dirty_bytes_at_end,
    )


def _over(above: float, below: int) -> float | None:
    return above / below if below else None
