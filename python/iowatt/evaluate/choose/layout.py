"""The scenario of a design: its pools, shelves, controllers or servers as tables of TOML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from iowatt.evaluate.choose.design import BAYS, CODE_DATA, CODE_PARITY, NAS_BAYS, SERVER, SET, Design, bays_of
from iowatt.evaluate.choose.load import ScaledWorkload
from iowatt.model.library import device_file

STRIPE_BYTES: Final = 64 << 10
STRIPE_UNIT: Final = f"{STRIPE_BYTES}B"
CHUNKLET: Final = "1GiB"
SLEEP_AFTER: Final = "10min"
CACHE_EXTENT: Final = 64 << 10
TIER_EXTENT: Final = 16 << 20
#: Pages of three tiers, placed where there is room from the top on; a run is shorter than a relocation cycle.
PAGE: Final = "256MiB"
#: Most extents: each takes memory of the simulation.
MOST_EXTENTS: Final = 1 << 26
LARGEST_EXTENT: Final = 16 << 20
#: What may be dirty of the write cache. A real one is larger, but a run of seconds would not fill it: drives
#: that do not keep up would go unnoticed.
WRITE_CACHE: Final = "256MiB"
#: The link between two controllers, over which each write is copied. Assumed.
MIRROR: Final = {"bandwidth": "8GB/s", "latency": "5us"}
#: SSDs of a system from which on each is simulated by its data sheet, without its flash inside.
MANY: Final = 96
Chassis = Literal["array", "nas"]
#: Processor time of the controllers for a request. Assumed, as are the watts of ``stand-in-controller``.
PROCESSING: Final = {
    "array": {"read": "50us", "write": "80us", "processors": 16},
    "nas": {"read": "80us", "write": "120us", "processors": 4},
}


def tables(
    design: Design,
    count: int,
    workloads: Sequence[ScaledWorkload],
    *,
    chassis: Chassis = "array",
    plain: bool = False,
) -> dict[str, Any]:
    """A scenario without workloads, seed and what is observed.

    ``plain`` is what the estimator models: one RAID group of all drives in place of chunklets, and no write
    cache. Drives have the same work.
    """
    volumes = [{"name": one.name, "capacity": f"{one.volume_bytes}B"} for one in workloads]
    if design.kind == "cluster":
        return {"cluster": [_cluster(design, count, volumes)]}
    pools = [_pool(design, count, plain=plain)]
    virtual: list[dict[str, Any]] = []
    if design.fast is not None:
        pools.append(_mirrored("flash", design.fast, design.fast_count))
        if design.middle is not None:
            pools.append(_group("middle", design.middle, design.middle_count))
            virtual.append(_three_tiers(workloads))
        else:
            virtual.append(_two_parts(design, workloads))
    on = "both" if virtual else "drives"
    enclosures = [_controllers(), *(_shelf(pool, design) for pool in pools)]
    controller: dict[str, Any] = {"processing": dict(PROCESSING[chassis])}
    if chassis == "nas":
        # Its memory would lose what is dirty with it: writes go through.
        enclosures = [_nas([pool["name"] for pool in pools])]
    elif not plain:
        controller["cache"] = _cache(design, count)
    return {
        "array": {
            "pool": pools,
            **({"virtual_pool": virtual} if virtual else {}),
            "volume": [{**one, "pool": on} for one in volumes],
            "controller": controller,
            "power": {"enclosure": enclosures},
        }
    }


def is_warm(design: Design, workloads: Sequence[ScaledWorkload]) -> bool:
    """Whether fast drives hold all that the workloads ever touch, so that they do after a while.

    Else a run that is shorter than a cache's or a tier's memory cannot say what they would have learned.
    """
    room = design.fast_count / 2 * (device_file(design.fast).capacity or 0) if design.fast is not None else 0
    hot = [one.hot_bytes for one in workloads]
    return None not in hot and sum(one or 0 for one in hot) <= room


def _cache(design: Design, count: int) -> dict[str, Any]:
    return {
        "size": WRITE_CACHE, "read": False, "destage": "utilisation",
        "high_watermark": 0.4, "low_watermark": 0.02, "destage_size": f"{_stripe(design, count)}B",
        "destage_outstanding": max(16, 2 * design.drives(count)), "mirror": dict(MIRROR),
    }  # fmt: skip


def _stripe(design: Design, count: int) -> int:
    """Bytes of data of a stripe, so that sequential writes are destaged without reading first."""
    if design.level == 10:
        return STRIPE_BYTES
    width = SET[design.level] if design.chunked(count) else count
    return STRIPE_BYTES * (width - (1 if design.level == 5 else 2))


def _drives(design: Design, count: int) -> dict[str, Any]:
    """A design's drives as keys of a pool, with power figures that their data sheet lacks."""
    device = {"name": design.device, "power": dict(design.power)} if design.power else design.device
    many = design.drives(count) > MANY and device_file(design.device).kind == "ssd"
    return {"device": device, **({"ssd": {"model": "data-sheet"}} if many else {})}


def _pool(design: Design, count: int, *, plain: bool) -> dict[str, Any]:
    pool: dict[str, Any] = {"name": "drives", "count": count, **_drives(design, count)}
    if design.chunked(count) and not plain:
        pool |= {
            "chunklet": CHUNKLET,
            "spares": design.spares(count),
            "sparing": "distributed",
            "raid": {"level": design.level, "stripe_unit": STRIPE_UNIT, "set_size": SET[design.level]},
        }
    else:
        pool["raid"] = {"level": design.level, "stripe_unit": STRIPE_UNIT}
        if design.hot_spares and not plain:
            pool["spares"] = design.hot_spares
    if design.kind == "sleeping":
        pool["power"] = {"policy": "fixed-threshold", "threshold": SLEEP_AFTER}
    return pool


def _mirrored(name: str, device: str, count: int) -> dict[str, Any]:
    raid = {"level": 1} if count == 2 else {"level": 10, "stripe_unit": STRIPE_UNIT}
    return {"name": name, "device": device, "count": count, "raid": raid}


def _group(name: str, device: str, count: int) -> dict[str, Any]:
    return {"name": name, "device": device, "count": count, "raid": {"level": 6, "stripe_unit": STRIPE_UNIT}}


def _two_parts(design: Design, workloads: Sequence[ScaledWorkload]) -> dict[str, Any]:
    total = sum(one.volume_bytes for one in workloads)
    extent = CACHE_EXTENT if design.kind == "cache" else TIER_EXTENT
    while 2 * total // extent > MOST_EXTENTS and extent < LARGEST_EXTENT:
        extent *= 2
    return {
        "name": "both",
        "scheme": "caching" if design.kind == "cache" else "tiering",
        "fast": {"pool": "flash"},
        "slow": {"pool": "drives", "capacity": f"{total + 2**30}B"},
        "extent": f"{extent}B",
        "initial": "hot" if is_warm(design, workloads) else "random",
    }


def _three_tiers(workloads: Sequence[ScaledWorkload]) -> dict[str, Any]:
    return {
        "name": "both",
        "scheme": "tiered-pool",
        "variant": "fast-vp",
        "tier": [{"pool": name} for name in ("flash", "middle", "drives")],
        "page": PAGE,
    }


def _controllers() -> dict[str, Any]:
    return {
        "name": "controllers",
        "supply": {"rating": "800W", "count": 2, "needed": 1, "efficiency": "80plus-platinum"},
        "part": [{"name": "controller", "model": "stand-in-controller", "count": 2}],
    }


def _nas(pools: Sequence[str]) -> dict[str, Any]:
    return {
        "name": "nas",
        "slots": NAS_BAYS,
        "pools": list(pools),
        "supply": {"rating": "300W", "count": 1, "needed": 1, "efficiency": "80plus-gold"},
        "part": [{"name": "nas", "model": "stand-in-nas", "count": 1}],
    }


def _shelf(pool: Mapping[str, Any], design: Design) -> dict[str, Any]:
    device = pool["device"]
    form = bays_of(device if isinstance(device, str) else design.device)
    return {
        "name": f"{pool['name']}-shelf",
        "slots": BAYS[form],
        "form_factor": form,
        "pools": [pool["name"]],
        "supply": {"rating": "1600W", "count": 2, "needed": 1, "efficiency": "80plus-platinum"},
        "part": [{"name": "io-module", "model": "stand-in-io-module", "count": 2}],
    }


def _cluster(design: Design, nodes: int, volumes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    server, _ = SERVER[bays_of(design.device)]
    node = {
        "name": "node",
        "count": nodes,
        "server": server,
        "adapter": "nvidia-connectx-5-25gbe",
        "adapters": 2,
    }
    code = {"level": "ec", "data": CODE_DATA, "parity": CODE_PARITY}
    return {
        "name": "cluster",
        "preset": "ceph-ec",
        "racks": 1,
        "network": {"front": "eth-25g", "back": "eth-25g"},
        "node": [node],
        "pool": [{"name": "drives", "drives": design.each, "redundancy": code, **_drives(design, nodes)}],
        "volume": [{**one, "pool": "drives"} for one in volumes],
    }
