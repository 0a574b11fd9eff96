"""The controller and its cache in ``run.json``: shares and means from what was counted."""

from __future__ import annotations

from dataclasses import asdict

from iowatt.run.record import CacheCounts, Hits, Record, Station
from iowatt.run.summary_schema import Cache, CacheHits, Controller, ControllerPart, Loss, ReadAhead, Zeros


def controller(record: Record) -> Controller | None:
    """The ``controller`` block; None where no part of it is modelled."""
    parts = (record.processors, record.host_link, record.mirror_link, record.back_end, record.write_path)
    if all(part is None for part in parts) and record.zeros is None and not record.losses:
        return None
    processors, host_link, mirror_link, back_end, write_path = (_part(part) for part in parts)
    return Controller(
        processors=processors,
        host_link=host_link,
        mirror_link=mirror_link,
        back_end=back_end,
        write_path=write_path,
        zeros=None if record.zeros is None else Zeros(**asdict(record.zeros)),
        losses=[Loss(**asdict(loss)) for loss in record.losses],
    )


def hits(found: Hits | None) -> CacheHits | None:
    """What the requests of a workload or a volume found."""
    if found is None:
        return None
    return CacheHits(
        read_hit_ratio=_over(found.read_hits, found.reads),
        read_hit_bytes_ratio=_over(found.read_hit_bytes, found.read_bytes),
        write_hit_ratio=_over(found.write_hits, found.writes),
        write_hit_bytes_ratio=_over(found.write_hit_bytes, found.write_bytes),
        hit_ratio=_over(found.read_hits + found.write_hits, found.reads + found.writes),
        hit_bytes_ratio=_over(
            found.read_hit_bytes + found.write_hit_bytes, found.read_bytes + found.write_bytes
        ),
    )


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
        overwritten_bytes=counts.overwritten_bytes,
        kept_back_lines=counts.kept_back,
        read_ahead=ReadAhead(
            bytes=counts.ahead_bytes,
            used_bytes=counts.ahead_used_bytes,
            wasted_bytes=counts.ahead_wasted_bytes,
            used_ratio=_over(counts.ahead_used_bytes, counts.ahead_bytes),
        )
        if counts.ahead_bytes
        else None,
    )


def _over(above: float, below: int) -> float | None:
    return above / below if below else None
