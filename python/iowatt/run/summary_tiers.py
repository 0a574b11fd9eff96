"""Virtual pools and their parts in ``run.json``: shares and means from what was counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from iowatt.run.record import ReducedCounts, TierCounts, VirtualPoolCounts
from iowatt.run.summary_movement import Maid, Pdc, WriteOffLoading
from iowatt.run.summary_schema import Reduction, Tier, VirtualPool

READ, WRITE = 0, 1


def virtual_pools(counts: Sequence[VirtualPoolCounts]) -> list[VirtualPool] | None:
    """The ``virtual_pools`` block; None where there are none."""
    return [_virtual_pool(pool) for pool in counts] or None


def tiers(counts: Sequence[VirtualPoolCounts]) -> list[Tier] | None:
    """The ``tiers`` block; None where there are none."""
    return [_tier(pool, tier) for pool in counts for tier in pool.tiers] or None


def _virtual_pool(pool: VirtualPoolCounts) -> VirtualPool:
    return VirtualPool(
        name=pool.name,
        scheme=pool.scheme,
        capacity_bytes=pool.capacity_bytes,
        reads=pool.requests[READ],
        writes=pool.requests[WRITE],
        bytes_read=pool.bytes[READ],
        bytes_written=pool.bytes[WRITE],
        migrations=pool.migrations,
        postponed=pool.postponed,
        write_backs=pool.write_backs,
        evictions=pool.evictions,
        held=pool.held,
        held_mean_ms=_over(pool.held_s * 1e3, pool.held),
        dirty_bytes_at_end=pool.dirty_bytes_at_end,
        data_movement=_movement(pool.movement),
        reduction=None if pool.reduced is None else _reduction(pool.reduced),
    )


def _reduction(counts: ReducedCounts) -> Reduction:
    return Reduction(
        pages_written=counts.pages_written,
        duplicate_ratio=_over(counts.duplicates, counts.pages_written),
        pages_allocated=counts.allocated,
        unallocated_bytes_read=counts.unallocated_bytes,
        modify_bytes_read=counts.modify_bytes,
        snapshot_copied_bytes=counts.copied_bytes,
        waited=counts.waited,
        logical_bytes=counts.logical_bytes,
        stored_bytes=counts.stored_bytes,
        snapshot_bytes=counts.snapshot_bytes,
        snapshots=counts.snapshots,
        reduction_ratio=_over(counts.logical_bytes, counts.stored_bytes - counts.snapshot_bytes),
    )


def _movement(counts: Mapping[str, Any] | None) -> Maid | Pdc | WriteOffLoading | None:
    if counts is None:
        return None
    models: dict[str, type[Maid | Pdc | WriteOffLoading]] = {
        "maid": Maid,
        "pdc": Pdc,
        "write-off-loading": WriteOffLoading,
    }
    return models[counts["kind"]](**counts)


def _tier(pool: VirtualPoolCounts, tier: TierCounts) -> Tier:
    # One part has all there is: a share would say 1 of what was never written and read without I/O, too.
    shared = pool.reduced is None
    return Tier(
        name=f"{pool.name}.{tier.part}",
        virtual_pool=pool.name,
        pool=tier.pool,
        capacity_bytes=tier.capacity_bytes,
        hit_ratio=_over(sum(tier.hits), sum(pool.requests)) if shared else None,
        hit_bytes_ratio=_over(sum(tier.hit_bytes), sum(pool.bytes)) if shared else None,
        read_hit_ratio=_over(tier.hits[READ], pool.requests[READ]) if shared else None,
        write_hit_ratio=_over(tier.hits[WRITE], pool.requests[WRITE]) if shared else None,
        promoted_bytes=tier.promoted_bytes,
        demoted_bytes=tier.demoted_bytes,
        occupied_bytes=tier.occupied_bytes_at_end,
        bytes_read=tier.request_bytes[READ],
        bytes_written=tier.request_bytes[WRITE],
        migration_bytes_read=tier.migration_bytes[READ],
        migration_bytes_written=tier.migration_bytes[WRITE],
    )


def _over(above: float, below: int) -> float | None:
    return above / below if below else None
