"""What a simulation counted, with the names of its parts: flows, stations, caches, virtual pools, paths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy.typing as npt

from iowatt.model.raid import usable_bytes_of
from iowatt.model.scenario import usable_and_effective
from iowatt.run.record import (
    MOUNT_PARTS,
    REQUEST_PARTS,
    BusCounts,
    CacheCounts,
    Completions,
    HeatGrid,
    HeatGridSpace,
    Hits,
    HopCounts,
    LibraryCounts,
    PathCounts,
    QosCounts,
    ReducedCounts,
    ReplicationCounts,
    RequestFlow,
    ResponseMoments,
    RunWindow,
    StationCounts,
    StorageBytes,
    TierCounts,
    VirtualPoolCounts,
    Waits,
)
from iowatt.run.summary_parts import PathExpress, ReplicationLag, ReplicationSuspension, ShipmentHop
from iowatt.run.summary_schema import ControllerLoss, RebuildSummary

NS_PER_S = 1e9
Columns = Mapping[str, npt.NDArray[Any]]


def window(summary: Mapping[str, Any], warmup_s: float) -> RunWindow:
    """The observed span in seconds."""
    span = summary["window"]
    last_ns = span["last_arrival_ns"]
    # Zero is also the value where nothing arrived.
    arrived = last_ns > 0 or summary["requests_simulated"] > 0
    return RunWindow(
        start_s=span["start_ns"] / NS_PER_S,
        end_s=span["end_ns"] / NS_PER_S,
        warmup_s=warmup_s,
        last_arrival_s=last_ns / NS_PER_S if arrived else None,
    )


def flow(raw: Mapping[str, Any]) -> RequestFlow:
    """A flow of requests, from its JSON."""
    plain = {key: value for key, value in raw.items() if key not in ("response", "completions")}
    return RequestFlow(
        **plain,
        completions=Completions(**raw["completions"]),
        response={kind: ResponseMoments.doubling(**one) for kind, one in raw["response"].items()},
    )


def source_name(source: Mapping[str, Any]) -> str:
    """A source of a plan file for people: the path of its trace, or its profile."""
    return f"profile {source['profile']}" if "synthetic" in source else str(source.get("path", ""))


def doubts(trace: Mapping[str, Any]) -> list[str]:
    """What makes a trace a doubtful load, by what its reader counted."""
    return [*trace["warnings"], *([trace["long_gap"]] if trace["long_gap"] else [])]


def reading(raw: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """What the reader of a trace counted: records that it read ahead and never issued are among them."""
    if raw is None:
        return None
    left_out = (
        "reads",
        "writes",
        "partial_sectors",
        "origin_unix_ns",
        "long_gap",
    )  # counted while reading ahead; the origin is there as text
    found = {
        "records_read" if key == "requests" else key: value
        for key, value in raw.items()
        if key not in left_out
    }
    return {**found, "warnings": doubts(raw)}


def capacity(
    names: Mapping[str, Any], simulation: Mapping[str, Any], summary: Mapping[str, Any] | None = None
) -> StorageBytes:
    """Bytes of all drives; what redundancy leaves of the pools that carry a volume, and virtual pools of
    them; what these are worth where capacity is optimised, less what snapshots keep."""
    pools = [usable_bytes_of(pool) for pool in simulation["pools"]]
    carrying = {volume["pool"] for volume in simulation["volumes"]}
    done = (summary or {}).get("virtual_pools", ())
    kept = [(one.get("reduced") or {}).get("snapshot_bytes", 0) for one in done]
    usable, effective = usable_and_effective(
        pools, names.get("virtual_pools", ()), carrying, kept, names.get("libraries", ())
    )
    raw = sum(device["raw_bytes"] * device.get("drives", 1) for device in names["devices"])
    return StorageBytes(raw_bytes=raw, usable_bytes=usable, effective_bytes=effective)


def space_names(names: Mapping[str, Any]) -> list[str]:
    """Names of pools and, behind them, virtual pools and libraries, as volumes number them."""
    behind = (*names.get("virtual_pools", ()), *names.get("libraries", ()))
    return [*names["pools"], *(one["name"] for one in behind)]


def buses(names: list[str], summary: Mapping[str, Any]) -> list[BusCounts]:
    """The shared buses with their names."""
    return [
        BusCounts(
            name=name,
            transfers=raw["transfers"],
            busy_s=raw["busy_ns"] / NS_PER_S,
            wait_s=raw["wait_ns"] / NS_PER_S,
        )
        for name, raw in zip(names, summary["buses"], strict=True)
    ]


def station(raw: Mapping[str, Any] | None) -> StationCounts | None:
    """A part of the controller, where it is modelled."""
    if raw is None:
        return None
    return StationCounts(raw["visits"], raw["utilisation"], raw["wait_ns"] / NS_PER_S)


def cache(raw: Mapping[str, Any] | None) -> CacheCounts | None:
    """What the cache did, where there is one."""
    if raw is None:
        return None
    plain = {key: value for key, value in raw.items() if key not in ("space_wait_ns", "by_workload")}
    return CacheCounts(**plain, space_wait_s=raw["space_wait_ns"] / NS_PER_S)


def virtual_pools(
    names: Mapping[str, Any], simulation: Mapping[str, Any], summary: Mapping[str, Any]
) -> list[VirtualPoolCounts]:
    """What virtual pools did, with their names and those of their parts."""
    named = names.get("virtual_pools", ())
    plans = simulation.get("virtual_pools", ())
    counted = summary.get("virtual_pools", ())
    return [_virtual_pool(*each) for each in zip(named, plans, counted, strict=True)]


def _virtual_pool(
    name: Mapping[str, Any], plan: Mapping[str, Any], raw: Mapping[str, Any]
) -> VirtualPoolCounts:
    own = {key: raw[key] for key in ("migrations", "postponed", "write_backs", "evictions", "held")}
    parts = zip(name["parts"], plan["parts"], raw["parts"], strict=True)
    return VirtualPoolCounts(
        name=name["name"],
        scheme=name["scheme"],
        capacity_bytes=name["capacity_bytes"],
        requests=_pair(raw["requests"]),
        bytes=_pair(raw["bytes"]),
        **own,
        held_s=raw["held_ns"] / NS_PER_S,
        dirty_bytes_at_end=raw["dirty_bytes_at_end"],
        reduced=None
        if raw.get("reduced") is None
        else ReducedCounts(**raw["reduced"], reclaims=plan["scheme"].get("reclaim") is not None),
        movement=raw.get("movement"),
        tiers=tuple(_tier(*each) for each in parts),
    )


def libraries(names: Mapping[str, Any], summary: Mapping[str, Any]) -> list[LibraryCounts]:
    """What libraries did, with their names."""
    drives: dict[str, list[Mapping[str, Any]]] = {}
    for device, raw in zip(names["devices"], summary["devices"], strict=True):
        if device.get("kind") == "tape_drive":
            drives.setdefault(device["pool"], []).append(raw)
    every = zip(names.get("libraries", ()), summary.get("libraries", ()), strict=True)
    return [_library(name["name"], raw, drives[name["name"]]) for name, raw in every]


def _library(name: str, raw: Mapping[str, Any], drives: Sequence[Mapping[str, Any]]) -> LibraryCounts:
    mounts = raw["mounts"]
    return LibraryCounts(
        name=name,
        drives=len(drives),
        mounts=mounts["count"],
        dismounts=raw["dismounts"],
        wait_s={part: mounts[f"{part}_ns"] / NS_PER_S for part in MOUNT_PARTS},
        wait_p50_s=mounts["p50_s"],
        wait_p95_s=mounts["p95_s"],
        wait_max_s=mounts["max_s"],
        locates=sum(drive["seeks"] for drive in drives),
        repositions=sum(drive.get("repositions", 0) for drive in drives),
        requests={way: raw[way]["requests"] for way in ("read", "write")},
        spent_s={
            way: {part: raw[way][f"{part}_ns"] / NS_PER_S for part in REQUEST_PARTS}
            for way in ("read", "write")
        },
    )


def _tier(part: Mapping[str, Any], place: Mapping[str, Any], raw: Mapping[str, Any]) -> TierCounts:
    counts: dict[str, Any] = {
        key: _pair(value) if isinstance(value, list) else value for key, value in raw.items()
    }
    return TierCounts(part=part["name"], pool=part["pool"], capacity_bytes=place["capacity_bytes"], **counts)


def _pair(values: Sequence[int]) -> tuple[int, int]:
    read, write = values
    return read, write


def hits(raw: Mapping[str, Any] | None, workloads: int) -> list[Hits | None]:
    """What each workload found in the cache, where there is one."""
    return [None] * workloads if raw is None else [Hits(**found) for found in raw["by_workload"]]


def qos(simulation: Mapping[str, Any], summary: Mapping[str, Any]) -> list[QosCounts | None]:
    """What the requests of each volume waited for at the door of the array, where they may have to."""
    counted = summary.get("qos")
    if not counted:
        return [None] * len(simulation["volumes"])

    def waits(raw: Mapping[str, Any]) -> Waits:
        return Waits(raw["requests"], raw["wait_ns"] / NS_PER_S, raw["area_ns"] / NS_PER_S)

    return [
        QosCounts(volume.get("qos") or {}, raw["visits"], waits(raw["limits"]), waits(raw["turns"]))
        for volume, raw in zip(simulation["volumes"], counted, strict=True)
    ]


def losses(raw: Sequence[Mapping[str, Any]]) -> list[ControllerLoss]:
    """Controllers and batteries that failed, and what became of the dirty data."""
    return [
        ControllerLoss(
            of=loss["of"],
            at_s=_seconds(loss["at_ns"]),
            back_s=_seconds(loss["back_ns"]),
            dirty_bytes=loss["dirty_bytes"],
            flushed_s=_seconds(loss["flushed_ns"]),
            written_through=loss["written_through"],
        )
        for loss in raw
    ]


def rebuilds(names: Mapping[str, Any], summary: Mapping[str, Any]) -> list[RebuildSummary]:
    """The drives that failed, with their names, and their rebuilds."""
    drives = drives_of_pools(names) if summary["rebuilds"] else {}
    return [
        RebuildSummary(
            pool=(pool := names["pools"][raw["pool"]]),
            drive=drives[pool][raw["drive"]],
            spare=None if raw["spare"] is None else drives[pool][raw["spare"]],
            failed_s=raw["failed_ns"] / NS_PER_S,
            started_s=_seconds(raw["started_ns"]),
            finished_s=_seconds(raw["finished_ns"]),
            rebuilt_bytes=raw["rebuilt_bytes"],
            lost_bytes=raw["lost_bytes"],
            fraction=raw["rebuilt_bytes"] / raw["lost_bytes"] if raw["lost_bytes"] else 1.0,
        )
        for raw in summary["rebuilds"]
    ]


def drives_of_pools(names: Mapping[str, Any]) -> dict[str, list[str]]:
    """Names of the drives of each pool, those behind a row of several by their numbers."""
    drives: dict[str, list[str]] = {}
    for device in names["devices"]:
        name = device["name"]
        each = [f"{name}.{number}" for number in range(device["drives"])] if "drives" in device else [name]
        drives.setdefault(device["pool"], []).extend(each)
    return drives


def _seconds(ns: int | None) -> float | None:
    return None if ns is None else ns / NS_PER_S


def spinning_up_most(names: Mapping[str, Any], summary: Mapping[str, Any]) -> dict[str, int]:
    """Most drives that spun up at once, by pool; only pools where any did."""
    most = zip(names["pools"], summary.get("spinning_up_most", ()), strict=False)
    return {pool: count for pool, count in most if count}


def unknown_energy(devices: Sequence[Mapping[str, Any]]) -> str | None:
    """Which drives' watts are not known, in a sentence for people; None where all are."""
    lacking = {device["model"]: device["missing_watts"] for device in devices if device.get("missing_watts")}
    if not lacking:
        return None
    figures = (f"{model} has no {', '.join(f'power.{k}' for k in keys)}" for model, keys in lacking.items())
    return f"watts are not known: {'; '.join(figures)}"


def heat(names: Mapping[str, Any], simulation: Mapping[str, Any], raw: Mapping[str, Any]) -> HeatGrid | None:
    """What extents and periods are, and which address spaces were looked at."""
    measures, asked = raw["summary"].get("heat"), simulation["observe"].get("heat")
    if measures is None or asked is None:
        return None
    volumes = simulation["volumes"]
    front = [
        HeatGridSpace("front", name, volume["capacity_bytes"])
        for name, volume in zip(names["volumes"], volumes, strict=True)
    ]
    carrying = sorted({volume["pool"] for volume in volumes})
    named = space_names(names)
    back = [
        HeatGridSpace("back", named[space], _held(space, volumes, measures, raw["heat"]))
        for space in carrying
    ]
    spaces = [*(front if asked["front"] else ()), *(back if asked["back"] else ())]
    return HeatGrid(measures["extent_bytes"], measures["period_ns"] / NS_PER_S, spaces)


def _held(space: int, volumes: Sequence[Mapping[str, Any]], measures: Mapping[str, Any], raw: Columns) -> int:
    """Bytes of a pool that hold data: to the end of its last volume, or of what was read beyond that."""
    end = max(v["offset_bytes"] + v["capacity_bytes"] for v in volumes if v["pool"] == space)
    own = raw["extent"][(raw["point"] == 1) & (raw["space"] == space)]
    if len(own):
        extent_bytes = int(measures["extent_bytes"])
        last = int(own.max())
        end = max(end, last * extent_bytes + 1)
    return int(min(end, measures["space_bytes"][space]))


#: Slots behind the hops, in order: name and place. The name of the port may be its own.
_BEHIND = (
    ("target port", "port"),
    ("controller processors", "controller"),
    ("cache space", "controller"),
    ("mirror link", "controller"),
    ("storage", "storage"),
    ("drive", "drive"),
    ("quality of service", "port"),  # only where volumes have limits or turns
    ("replication", "replication"),
)


def slots(path: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Name, place and way of each slot of a path by its names: the host's queue first, the drive last."""
    # The first hops may be the host's own: its protocol's software, its adapter's bandwidth.
    places = path.get("places") or ["fabric"] * len(path["hops"])
    located = zip(path["hops"], places, strict=True)
    through = [(name, place, way) for name, place in located for way in ("out", "in")]
    (port, place), *behind = _BEHIND
    return [
        ("host queue", "host", ""),
        (path.get("hba") or "HBA", "host", ""),
        *through,
        (path.get("port") or port, place, ""),
        *((name, where, "") for name, where in behind),
    ]


def paths(
    names: Mapping[str, Any], simulation: Mapping[str, Any], summary: Mapping[str, Any]
) -> list[PathCounts]:
    """What the paths of a simulation did, by the plan and the simulator's summary."""
    every = zip(names.get("paths", ()), simulation.get("paths", ()), summary.get("paths", ()), strict=True)
    of = [workload.get("path") for workload in simulation["workloads"]]
    served = list(zip(of, names["workloads"], strict=True))
    return [
        _path(*one, [title for path, title in served if path == number]) for number, one in enumerate(every)
    ]


def replications(
    names: Mapping[str, Any], simulation: Mapping[str, Any], summary: Mapping[str, Any]
) -> list[ReplicationCounts]:
    """What replications did, by the plan and the simulator's summary."""
    every = zip(
        names.get("replications", ()),
        simulation.get("replications", ()),
        summary.get("replications", ()),
        strict=True,
    )
    return [
        ReplicationCounts(
            **{key: named[key] for key in ("name", "mode", "volumes")},
            **{key: did[key] for key in _SHIPPED},
            held_s=did["held_ns"] / NS_PER_S,
            lag=ReplicationLag(**did["lag"]),
            suspensions=[
                ReplicationSuspension(
                    from_s=one["from_ns"] / NS_PER_S,
                    resumed_s=_seconds(one["resumed_ns"]),
                    until_s=_seconds(one["until_ns"]),
                )
                for one in did["suspensions"]
            ],
            path=_path(named["path"], plan["path"], did["path"], []),
            shipment=_shipment(named["path"], did),
        )
        for named, plan, did in every
    ]


_SHIPPED = (
    "writes",
    "written_bytes",
    "shipped",
    "shipped_bytes",
    "resent",
    "held",
    "overflows",
    "cycles",
    "late_cycles",
)


def _shipment(path: Mapping[str, Any], did: Mapping[str, Any]) -> list[ShipmentHop]:
    """Means over the shipments of what each hop took; the remote array's parts are behind the path's."""
    shipped = did["shipped"]
    return [
        ShipmentHop(
            hop=hop,
            place=place,
            way=way,
            wait_mean_ms=wait_ns / shipped / 1e6,
            service_mean_ms=service_ns / shipped / 1e6,
        )
        for (hop, place, way), (wait_ns, service_ns) in zip(slots(path), did["slots"], strict=False)
        if shipped and (wait_ns or service_ns)
    ]


def link_loads(plan: Mapping[str, Any], summary: Mapping[str, Any]) -> dict[str, float]:
    """Busy share of each bus and link by the name that parts of the array give it; of a hop, both ways."""
    names, simulation = plan["names"], plan["simulation"]
    span_s = (summary["window"]["end_ns"] - summary["window"]["start_ns"]) / NS_PER_S
    if not span_s > 0:
        return {}
    loads = {f"bus.{bus.name}": bus.busy_s / span_s for bus in buses(names["buses"], summary)}
    controller = summary.get("controller", {})
    for key, name in (("link", "host_link"), ("mirror", "mirror_link")):
        if controller.get(key):
            loads[f"controller.{name}"] = controller[key]["utilisation"]
    every = [*paths(names, simulation, summary)]
    every += [one.path for one in replications(names, simulation, summary)]
    for path in every:
        ways: dict[str, list[float]] = {}
        for hop in path.hops:
            if hop.servers and (hop.place == "fabric" or not hop.way):
                name = {"host": "hba", "port": "port"}.get(hop.place, hop.hop)
                busy_s = hop.busy_s - (hop.credit_wait_s or 0.0)
                ways.setdefault(name, []).append(busy_s / (hop.servers * span_s))
        loads |= {f"path.{path.name}.{name}": sum(both) / len(both) for name, both in ways.items()}
    return loads


def _path(
    name: Mapping[str, Any], plan: Mapping[str, Any], counted: Mapping[str, Any], workloads: Sequence[str]
) -> PathCounts:
    known, queue = slots(name), counted["queue"]
    classes = plan.get("port", {}).get("express", ())
    return PathCounts(
        name=name["name"],
        protocol=name["protocol"],
        workloads=workloads,
        lanes=plan["lanes"],
        queue_depth=plan["queue_depth"],
        queue_visits=queue["visits"],
        queue_held=queue["held"],
        queue_wait_s=queue["waited_ns"] / NS_PER_S,
        hops=[
            _hop(known[station["slot"]], station, _has_credits(plan, station["slot"]))
            for station in counted["stations"]
        ],
        express=[
            PathExpress(
                up_to_bytes=one["up_to_bytes"],
                buffers=one["buffers"],
                taken=did["taken"],
                refused=did["refused"],
            )
            for one, did in zip(classes, counted["express"], strict=True)
        ],
        not_express=counted["not_express"] if classes else None,
    )


def _has_credits(plan: Mapping[str, Any], slot: int) -> bool:
    """Whether a slot is a direction of a link with buffer credits: two slots a hop, behind queue and HBA."""
    hop = (slot - 2) // 2
    return 0 <= hop < len(plan["hops"]) and plan["hops"][hop].get("credits") is not None


def _hop(slot: tuple[str, str, str], station: Mapping[str, Any], has_credits: bool) -> HopCounts:
    hop, place, way = slot
    return HopCounts(
        hop=hop,
        place=place,
        way=way,
        visits=station["visits"],
        busy_s=station["busy_ns"] / NS_PER_S,
        wait_s=station["waited_ns"] / NS_PER_S,
        servers=station["servers"],
        credit_wait_s=station.get("stalled_ns", 0) / NS_PER_S if has_credits else None,
    )


def response_at(summary: Mapping[str, Any]) -> dict[str, dict[str, ResponseMoments]]:
    """Response times at the points within the paths, by point and direction."""
    return {
        one["point"]: {op: ResponseMoments.doubling(**of) for op, of in one["response"].items()}
        for one in summary.get("points", ())
    }
