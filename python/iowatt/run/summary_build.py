"""Parts of ``run.json`` from what was counted: controller, cache, virtual pools, paths, load generator."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from iowatt.run.record import (
    CacheCounts,
    Hits,
    HopCounts,
    LibraryCounts,
    PathCounts,
    Record,
    ReducedCounts,
    ReplicationCounts,
    StationCounts,
    TierCounts,
    VirtualPoolCounts,
    VolumeFlow,
    Waits,
)
from iowatt.run.summary_parts import (
    MaidCounts,
    PathHop,
    PathQueue,
    PathSummary,
    PdcCounts,
    ReplicationSummary,
    SummaryPart,
    WriteOffLoadingCounts,
    ZonedCounts,
)
from iowatt.run.summary_schema import (
    CacheHits,
    CacheSummary,
    ControllerPart,
    ControllerSummary,
    LibrarySummary,
    MountWait,
    QosSummary,
    QosWaits,
    ReadAheadSummary,
    Reduction,
    RequestParts,
    TierSummary,
    VirtualPool,
)

READ, WRITE = 0, 1


def controller(record: Record) -> ControllerSummary | None:
    """The ``controller`` block; None where no part of it is modelled."""
    parts = (record.processors, record.host_link, record.mirror_link, record.back_end, record.write_path)
    if all(part is None for part in (*parts, record.mesh)) and record.zeros is None and not record.losses:
        return None
    processors, host_link, mirror_link, back_end, write_path = (_part(part) for part in parts)
    return ControllerSummary(
        processors=processors,
        host_link=host_link,
        mirror_link=mirror_link,
        nodes=[part for node in record.nodes if (part := _part(node)) is not None] or None,
        mesh=_part(record.mesh),
        mesh_most_utilisation=record.mesh_most,
        back_end=back_end,
        write_path=write_path,
        zeros=record.zeros,
        losses=list(record.losses),
    )


def qos(volume: VolumeFlow, duration_s: float) -> QosSummary | None:
    """What a volume waited at the door of the array."""
    counts = volume.qos
    if counts is None:
        return None
    iops, bandwidth = counts.limits.get("iops"), counts.limits.get("bytes_per_s")
    done = volume.flow.completions

    def waits(of: Waits) -> QosWaits:
        return QosWaits(
            share=of.requests / counts.requests if counts.requests else None,
            mean_ms=of.wait_s * 1e3 / counts.requests if counts.requests else None,
            waiting_mean=of.area_s / duration_s if duration_s > 0 else 0.0,
        )

    def of_limit(amount: float, limit: float | None) -> float | None:
        return amount / duration_s / limit if limit and duration_s > 0 else None

    return QosSummary(
        iops_limit=iops,
        bandwidth_limit_bytes_per_s=bandwidth,
        burst_s=counts.limits.get("burst_s", 0.0),
        iops_of_limit=of_limit(done.requests, iops),
        bandwidth_of_limit=of_limit(done.bytes_read + done.bytes_written, bandwidth),
        throttled=waits(counts.throttled),
        queued=waits(counts.queued),
    )


def hits(found: Hits | None) -> CacheHits | None:
    """What the requests of a workload or a volume found."""
    if found is None:
        return None
    return CacheHits(**_hit_ratios(found))


def _hit_ratios(found: Hits) -> dict[str, float | None]:
    requests, byte_count = found.reads + found.writes, found.read_bytes + found.write_bytes
    return {
        "read_hit_ratio": _over(found.read_hits, found.reads),
        "read_hit_bytes_ratio": _over(found.read_hit_bytes, found.read_bytes),
        "write_hit_ratio": _over(found.write_hits, found.writes),
        "write_hit_bytes_ratio": _over(found.write_hit_bytes, found.write_bytes),
        "hit_ratio": _over(found.read_hits + found.write_hits, requests),
        "hit_bytes_ratio": _over(found.read_hit_bytes + found.write_hit_bytes, byte_count),
    }


def _part(station: StationCounts | None) -> ControllerPart | None:
    if station is None:
        return None
    return ControllerPart(
        requests=station.visits,
        utilisation=station.utilisation,
        wait_mean_ms=_mean_ms(station.wait_s, station.visits),
    )


def cache(counts: CacheCounts | None) -> CacheSummary | None:
    """The ``cache`` block."""
    if counts is None:
        return None
    ahead = ReadAheadSummary(
        bytes=counts.ahead_bytes,
        used_bytes=counts.ahead_used_bytes,
        wasted_bytes=counts.ahead_wasted_bytes,
        used_ratio=_over(counts.ahead_used_bytes, counts.ahead_bytes),
    )
    return CacheSummary(
        **_hit_ratios(counts),
        delayed_hit_ratio=_over(counts.delayed_hits, counts.reads),
        **_same(CacheSummary, counts),
        space_wait_mean_ms=_mean_ms(counts.space_wait_s, counts.waits_for_space),
        kept_back_lines=counts.kept_back,
        read_ahead=ahead if counts.ahead_bytes else None,
    )


def virtual_pools(counts: Sequence[VirtualPoolCounts]) -> list[VirtualPool] | None:
    """The ``virtual_pools`` block; None where there are none."""
    return [_virtual_pool(pool) for pool in counts] or None


def tiers(counts: Sequence[VirtualPoolCounts]) -> list[TierSummary] | None:
    """The ``tiers`` block; None where there are none."""
    return [_tier(pool, tier) for pool in counts for tier in pool.tiers] or None


def libraries(counts: Sequence[LibraryCounts]) -> list[LibrarySummary] | None:
    """The ``libraries`` block; None where there are none."""
    return [_media_library(one) for one in counts] or None


def _media_library(one: LibraryCounts) -> LibrarySummary:
    waited = math.fsum(one.wait_s.values())
    known = one.mounts > 0
    return LibrarySummary(
        **_same(LibrarySummary, one),
        mount_wait_s=MountWait(
            mean=_over(waited, one.mounts),
            p50=one.wait_p50_s if known else None,
            p95=one.wait_p95_s if known else None,
            max=one.wait_max_s if known else None,
            parts={part: _over(spent, one.mounts) for part, spent in one.wait_s.items()},
        ),
        read=_request_parts(one, "read"),
        write=_request_parts(one, "write"),
    )


def _request_parts(one: LibraryCounts, way: str) -> RequestParts:
    count = one.requests[way]
    means = {f"{part}_s": _over(spent, count) for part, spent in one.spent_s[way].items()}
    return RequestParts(requests=count, **means)


def _virtual_pool(pool: VirtualPoolCounts) -> VirtualPool:
    return VirtualPool(
        **_same(VirtualPool, pool),
        reads=pool.requests[READ],
        writes=pool.requests[WRITE],
        bytes_read=pool.bytes[READ],
        bytes_written=pool.bytes[WRITE],
        held_mean_ms=_mean_ms(pool.held_s, pool.held),
        data_movement=None if pool.movement is None else _data_movement(pool.movement),
        reduction=None if pool.reduced is None else _reduction(pool.reduced),
    )


def _data_movement(counts: Mapping[str, Any]) -> MaidCounts | PdcCounts | WriteOffLoadingCounts | ZonedCounts:
    if counts["kind"] != "zoned":
        return _MOVEMENT[counts["kind"]](**counts)
    named = {name: value for name, value in counts.items() if name != "stalled_ns"}
    written = counts["written_bytes"]
    return ZonedCounts(
        **named,
        host_write_amplification=_over(written + counts["moved_bytes"], written),
        stalled_ms=counts["stalled_ns"] / 1e6,
    )


def _reduction(counts: ReducedCounts) -> Reduction:
    same = _same(Reduction, counts)
    if counts.reclaims:
        same |= {
            "pages_discarded": counts.discarded,
            "zero_bytes_written": counts.zero_bytes,
            "reclaimed_bytes": counts.reclaimed_bytes,
            "reclaim_pending_bytes": counts.leaving_bytes,
        }
    else:
        same.pop("reclaimed_bytes", None)
    return Reduction(
        **same,
        duplicate_ratio=_over(counts.duplicates, counts.pages_written),
        pages_allocated=counts.allocated,
        unallocated_bytes_read=counts.unallocated_bytes,
        modify_bytes_read=counts.modify_bytes,
        snapshot_copied_bytes=counts.copied_bytes,
        reduction_ratio=_over(counts.logical_bytes, counts.stored_bytes - counts.snapshot_bytes),
    )


_MOVEMENT: Final[dict[str, type[MaidCounts | PdcCounts | WriteOffLoadingCounts]]] = {
    "maid": MaidCounts,
    "pdc": PdcCounts,
    "write-off-loading": WriteOffLoadingCounts,
}


def _tier(pool: VirtualPoolCounts, tier: TierCounts) -> TierSummary:
    # One part has all there is: a share would say 1 of what was never written and read without I/O, too.
    requests, byte_counts = (pool.requests, pool.bytes) if pool.reduced is None else ((0, 0), (0, 0))
    return TierSummary(
        name=f"{pool.name}.{tier.part}",
        virtual_pool=pool.name,
        pool=tier.pool,
        capacity_bytes=tier.capacity_bytes,
        hit_ratio=_over(sum(tier.hits), sum(requests)),
        hit_bytes_ratio=_over(sum(tier.hit_bytes), sum(byte_counts)),
        read_hit_ratio=_over(tier.hits[READ], requests[READ]),
        write_hit_ratio=_over(tier.hits[WRITE], requests[WRITE]),
        promoted_bytes=tier.promoted_bytes,
        demoted_bytes=tier.demoted_bytes,
        occupied_bytes=tier.occupied_bytes_at_end,
        bytes_read=tier.request_bytes[READ],
        bytes_written=tier.request_bytes[WRITE],
        migration_bytes_read=tier.migration_bytes[READ],
        migration_bytes_written=tier.migration_bytes[WRITE],
    )


def paths(counted: Sequence[PathCounts], span_s: float) -> list[PathSummary] | None:
    """What paths did in a window of ``span_s``; None without any."""
    return [_path(one, span_s) for one in counted] or None


def _path(path: PathCounts, span_s: float) -> PathSummary:
    return PathSummary(
        **_same(PathSummary, path, but=("hops",)),
        queue=PathQueue(
            depth=path.queue_depth,
            held=path.queue_held,
            wait_mean_ms=_ms(_over(path.queue_wait_s, path.queue_visits)),
        ),
        hops=[_hop(hop, span_s) for hop in path.hops],
    )


def replications(counted: Sequence[ReplicationCounts], span_s: float) -> list[ReplicationSummary] | None:
    """What replications did in a window of ``span_s``; None without any."""
    return [
        ReplicationSummary(
            **_same(ReplicationSummary, one, but=("path",)),
            held_mean_ms=_mean_ms(one.held_s, one.held),
            path=_path(one.path, span_s),
        )
        for one in counted
    ] or None


def _hop(hop: HopCounts, span_s: float) -> PathHop:
    offered_s = hop.servers * span_s
    return PathHop(
        **_same(PathHop, hop),
        utilisation=hop.busy_s / offered_s if offered_s > 0 else None,
        wait_mean_ms=_ms(_over(hop.wait_s, hop.visits)),
        service_mean_ms=_ms(_over(hop.busy_s, hop.visits)),
        credit_wait_mean_ms=None if hop.credit_wait_s is None else _mean_ms(hop.credit_wait_s, hop.visits),
    )


def _same(model: type[SummaryPart], counts: object, *, but: Sequence[str] = ()) -> dict[str, Any]:
    """The fields of ``model`` that the counts have under the same name."""
    names = [name for name in model.model_fields if name not in but and hasattr(counts, name)]
    return {name: getattr(counts, name) for name in names}


def _mean_ms(sum_s: float, count: int) -> float | None:
    """The mean in ms of a sum in s."""
    return _over(sum_s * 1e3, count)


def _ms(seconds: float | None) -> float | None:
    return None if seconds is None else seconds * 1e3


def _over(above: float, below: float) -> float | None:
    return above / below if below else None
