"""The power of clusters: each kind of nodes is a kind of enclosure, with its server, adapters and drives.

A server's published watts are at the wall, with the loss of its supplies in them. What drives and adapters
add passes the supplies at the efficiency of the server's file.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from iowatt.model.library import FigureSource
from iowatt.model.library.ssd import Ssd
from iowatt.model.power import BTU_FACTORS, ArrayPart, ArrayPlan, Enclosure, PoolDrives, Supplies
from iowatt.model.scenario.array_power import pool_drives
from iowatt.model.scenario.resolved import ResolvedPool, ResolvedSystem
from iowatt.model.scenario.resolved_cluster import ResolvedCluster, ResolvedNodes


def resolve_cluster_power(system: ResolvedSystem, base_dir: Path) -> ArrayPlan:
    """The power of all clusters of ``system``; device files are relative to ``base_dir``.

    Raises ``InputError`` where a device file is wrong.
    """
    drives: dict[str, PoolDrives] = {}
    enclosures: list[Enclosure] = []
    for cluster in system.clusters:
        for pool in cluster.pools:
            drives[pool.keys.name] = _drives(system.pools[pool.index], base_dir)
        enclosures += [_node(cluster, kind) for kind in cluster.nodes]
        if cluster.switch is not None:
            enclosures.append(_rack(cluster))
    return ArrayPlan(
        enclosures=tuple(enclosures),
        drives=drives,
        stagger=None,
        pue=None,
        btu_per_wh=BTU_FACTORS["exact"],
        btu_slip=False,
    )


def _drives(resolved: ResolvedPool, base_dir: Path) -> PoolDrives:
    """The drives of a pool; watts that their file lacks are those that they are simulated with."""
    kind, drive = pool_drives(resolved.pool, base_dir), resolved.drive
    power = drive.power
    idle = power.idle if kind.idle_w is None else kind.idle_w
    busy = power.active if isinstance(drive, Ssd) else power.positioning or power.active
    operating = busy if kind.operating_w is None else kind.operating_w
    if (idle, operating) == (kind.idle_w, kind.operating_w):
        return kind
    source = f"{kind.model}: watts of its class, as simulated"
    return replace(kind, idle_w=idle, operating_w=operating, sources=(*kind.sources, source))


def busy_name(cluster: str, nodes: str) -> str:
    """What the busy share of the cores of a kind of nodes is called among those of links."""
    return f"cluster.{cluster}.{nodes}"


def _node(cluster: ResolvedCluster, kind: ResolvedNodes) -> Enclosure:
    name, server = kind.keys.name, kind.server
    pools = [pool.keys for pool in cluster.pools if pool.keys.nodes is None or name in pool.keys.nodes]
    parts = [
        ArrayPart(
            name="server",
            kind="server",
            count=1,
            law="transfer",
            idle_w=server.idle or 0.0,
            active_w=server.busy or 0.0,
            at_wall=True,
            of=busy_name(cluster.keys.name, name),
            sources=_sources(kind.model, server),
        )
    ]
    if kind.adapter is not None:
        watts = kind.adapter.watts
        parts.append(
            ArrayPart(
                name="adapters",
                kind="adapter",
                count=kind.keys.adapters,
                law="constant",
                idle_w=watts,
                active_w=watts,
                sources=_sources(kind.adapter.name, kind.adapter),
            )
        )
    return Enclosure(
        name=f"{cluster.keys.name}.{name}",
        pools=tuple(pool.name for pool in pools),
        slots=server.bays or 0,
        filling=((kind.keys.count, tuple(pool.drives for pool in pools)),),
        parts=tuple(parts),
        supplies=_supplies(kind),
    )


def _supplies(kind: ResolvedNodes) -> Supplies | None:
    """What feeds drives and adapters: the server's supplies with what the server leaves of them."""
    server = kind.server
    if server.supply_rating is None or server.supply_efficiency is None:
        return None
    count = server.supplies or 2
    needed = -(-count // 2)
    left = max(1.0, server.supply_rating - (server.busy or 0.0) * server.supply_efficiency / needed)
    return Supplies(
        rating_w=left,
        peak_w=left,
        count=count,
        needed=needed,
        active_standby=False,
        standby_w=0.0,
        power_factor=0.95,
        efficiency=f"{server.supply_efficiency:g} of the server's supplies",
        points=((1.0, server.supply_efficiency),),
    )


def _rack(cluster: ResolvedCluster) -> Enclosure:
    switch = cluster.switch
    assert switch is not None
    part = ArrayPart(
        name="switches",
        kind="switch",
        count=cluster.keys.network.switches,
        law="constant",
        idle_w=switch.watts,
        active_w=switch.watts,
        at_wall=True,
        sources=_sources(switch.name, switch),
    )
    return Enclosure(
        name=f"{cluster.keys.name}.rack",
        pools=(),
        slots=0,
        filling=((cluster.keys.racks, ()),),
        parts=(part,),
        supplies=None,
    )


def _sources(name: str, part: object) -> tuple[str, ...]:
    """One sentence for each source of a part's watts, and its assumptions."""
    listed: list[FigureSource] = getattr(part, "source", [])
    watts = {"idle", "busy", "watts"}
    texts = [f"{name}: {text}" for text in getattr(part, "assumptions", ())]
    texts += [
        f"{name}: {', '.join(watts & set(one.figures))}, {one.quality}: {one.text}"
        for one in listed
        if watts & set(one.figures)
    ]
    return tuple(texts) or (f"{name}: given by the scenario",)
