"""How much an array offers: what redundancy leaves, and what that is worth where capacity is optimised.

`iowatt check` and ``capacity_gb`` of ``run.json`` say the same because both ask here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any


def usable_and_effective(
    pools: Sequence[int],
    virtual: Sequence[Mapping[str, Any]],
    carrying: Collection[int],
    kept: Sequence[int] = (),
) -> tuple[int, int]:
    """Bytes of the pools and virtual pools that carry a volume; parts of virtual pools count as those do.

    Parameters
    ----------
    pools:
        Bytes of each pool after redundancy.
    virtual:
        ``ResolvedVirtualPool.names`` of each virtual pool.
    carrying:
        The numbers of what carries a volume; virtual pools are numbered behind pools.
    kept:
        What snapshots keep of each virtual pool, in bytes of its part; nothing where left out.

    Returns
    -------
    tuple
        Usable bytes; effective bytes, after capacity optimisation.
    """
    usable = sum(size for number, size in enumerate(pools) if number in carrying)
    effective = float(usable)
    for number, one in enumerate(virtual):
        if number + len(pools) not in carrying:
            continue
        offered = one.get("usable_bytes", one["capacity_bytes"])
        usable += offered
        left = offered - (kept[number] if kept else 0)
        effective += left * one.get("capacity_factor", 1.0)
    return usable, round(effective)
