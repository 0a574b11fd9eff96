"""What the nodes and networks of clusters did, with their names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any

import numpy as np
import numpy.typing as npt

from iowatt.run.summary_cluster import (
    ClusterPoolSummary,
    ClusterSummary,
    MoveSummary,
    NodeDrives,
    NodeSummary,
    PortSummary,
)
from iowatt.sources.simulation.counts import Columns

NS_PER_S = 1e9
Floats = npt.NDArray[np.float64]


def clusters(
    names: Mapping[str, Any], simulation: Mapping[str, Any], summary: Mapping[str, Any]
) -> list[ClusterSummary]:
    """What each cluster did within the window."""
    span = summary["window"]["end_ns"] - summary["window"]["start_ns"]
    every = zip(
        names.get("clusters", ()), simulation.get("clusters", ()), summary.get("clusters", ()), strict=True
    )
    busy = _busy_drives(simulation["pools"], summary["devices"], span)
    return [_cluster(named, plan, done, span, (names["pools"], busy)) for named, plan, done in every]


def _busy_drives(
    pools: Sequence[Mapping[str, Any]], devices: Sequence[Mapping[str, Any]], span: int
) -> list[list[float]]:
    """Busy share of each drive of each pool."""
    shares = [
        (one["state_ns"]["active"] + one["state_ns"]["positioning"]) / span if span else 0.0
        for one in devices
    ]
    ends = list(accumulate(pool["count"] for pool in pools))
    return [shares[end - pool["count"] : end] for pool, end in zip(pools, ends, strict=True)]


def busy_courses(plan: Mapping[str, Any], intervals: Columns) -> dict[str, Floats]:
    """Busy share of the cores of each kind of nodes by interval, by the name that its server follows.

    ``intervals`` is the core's table, with the work of each kind. Shares are of all nodes of the kind, those
    that have failed or have not joined included.
    """
    names, simulation = plan["names"].get("clusters", ()), plan["simulation"].get("clusters", ())
    span = intervals["end_ns"] - intervals["start_ns"]
    courses: dict[str, Floats] = {}
    number = 0
    for named, cluster in zip(names, simulation, strict=True):
        for kind, figures in zip(named["classes"], cluster["classes"], strict=True):
            cores = figures["processors"] * kind["count"]
            busy = intervals[f"node_busy_{number}_ns"] / np.where(span > 0, cores * span, 1.0)
            courses[f"cluster.{named['name']}.{kind['name']}"] = busy
            number += 1
    return courses


def node_names(named: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Name and kind of each node of a cluster, in order."""
    for kind in named["classes"]:
        yield from ((f"{kind['name']}{number}", kind["name"]) for number in range(kind["count"]))


def _cluster(
    named: Mapping[str, Any],
    plan: Mapping[str, Any],
    done: Mapping[str, Any],
    span: int,
    pools: tuple[list[str], list[list[float]]],
) -> ClusterSummary:
    nodes = list(node_names(named))
    of_node: dict[int, list[float]] = {}
    for pool in plan["pools"]:
        for node, share in zip(pool["node_of_drive"], pools[1][pool["pool"]], strict=True):
            of_node.setdefault(node, []).append(share)
    uplink = plan["network"]["uplink_bytes_per_s"] is not None
    return ClusterSummary(
        name=named["name"],
        preset=named["preset"],
        nodes=[
            _node(nodes[number], plan, plan["nodes"][number], raw, span).model_copy(
                update={"drives": _range(of_node.get(number, []))}
            )
            for number, raw in enumerate(done["nodes"])
        ],
        uplinks=[_port(raw, span, timed=uplink) for raw in done["uplinks"]],
        pools=[
            ClusterPoolSummary(
                name=pools[0][raw["pool"]],
                redundancy=known["redundancy"],
                failure_domain=known["failure_domain"],
                **{key: raw[key] for key in ("members", "least_of_drive", "most_of_drive", "drives")},
                moves=[_move(move, nodes) for move in raw["moves"]],
            )
            for known, raw in zip(named["pools"], done["pools"], strict=True)
        ],
    )


def _node(
    name: tuple[str, str], plan: Mapping[str, Any], node: Mapping[str, Any], raw: Mapping[str, Any], span: int
) -> NodeSummary:
    kind = plan["classes"][node["class"]]
    worked = raw["requests"] + raw["operations"]
    back = raw.get("back")
    return NodeSummary(
        name=name[0],
        kind=name[1],
        rack=node["rack"],
        requests=raw["requests"],
        operations=raw["operations"],
        utilisation=raw["processor_busy_ns"] / (kind["processors"] * span) if span else 0.0,
        wait_mean_ms=raw["processor_wait_ns"] / worked / 1e6 if worked else None,
        front=_port(raw["front"], span, timed=kind["front_bytes_per_s"] is not None),
        back=None if back is None else _port(back, span, timed=True),
    )


def _range(shares: list[float]) -> NodeDrives | None:
    if not shares:
        return None
    return NodeDrives(count=len(shares), mean=sum(shares) / len(shares), least=min(shares), most=max(shares))


def _port(raw: Mapping[str, Any], span: int, *, timed: bool) -> PortSummary:
    def share(way: str) -> float | None:
        return raw[f"busy_{way}_ns"] / span if timed and span else None

    return PortSummary(
        bytes_in=raw["bytes_in"],
        bytes_out=raw["bytes_out"],
        utilisation_in=share("in"),
        utilisation_out=share("out"),
        wait_s=raw["wait_ns"] / NS_PER_S,
    )


def _move(raw: Mapping[str, Any], nodes: list[tuple[str, str]]) -> MoveSummary:
    return MoveSummary(
        node=nodes[raw["node"]][0],
        at_s=raw["at_ns"] / NS_PER_S,
        finished_s=None if raw["finished_ns"] is None else raw["finished_ns"] / NS_PER_S,
        members=raw["members"],
        moved=raw["moved"],
        moved_bytes=raw["moved_bytes"],
    )
