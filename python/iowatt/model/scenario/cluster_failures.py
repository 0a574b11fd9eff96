"""Nodes, racks and drives of a cluster that fail: that they exist, are there, and fail once."""

from __future__ import annotations

from collections.abc import Iterator

from iowatt.base.problems import Reporter, suggestion
from iowatt.base.units import format_duration
from iowatt.model.scenario.keys.array import Failure
from iowatt.model.scenario.keys.cluster import ClusterFailure, ClusterPoolKeys
from iowatt.model.scenario.resolved_cluster import ResolvedCluster

_STAYS = "what has failed stays failed: leave one of them out"


def check_failures(cluster: ResolvedCluster, report: Reporter) -> None:
    """Report failures of nodes and racks that do not exist, or that have failed by then."""
    names = cluster.node_names()
    sound: list[tuple[int, ClusterFailure]] = []
    for index, failure in enumerate(cluster.keys.failure):
        at = report.at(f"failure.{index}")
        if (failure.node is None) == (failure.rack is None):
            code = "missing" if failure.node is None else "conflict"
            at(code, "", "a node or a rack fails, one of the two", 'for example node = "osd3"')
        elif failure.node is not None and failure.node not in names:
            hint = suggestion(failure.node, sorted(names)[:20], "nodes")
            at("unknown-name", "node", f"there is no node {failure.node!r}", hint)
        elif failure.rack is not None and failure.rack >= cluster.keys.racks:
            at(
                "unknown-name",
                "rack",
                f"there is no rack {failure.rack}: there are the racks 0 to {cluster.keys.racks - 1}",
            )
        else:
            _once(failure, at, [one for _, one in sound])
            sound.append((index, failure))
    racks = {one.rack: one.at for _, one in sound if one.rack is not None}
    joins = dict(zip(names, (kind.keys.joins for kind in cluster.nodes for _ in kind.numbers), strict=True))
    for index, failure in sound:
        if failure.node is None:
            continue
        at = report.at(f"failure.{index}")
        rack = cluster.racks[names.index(failure.node)]
        if rack in racks and racks[rack] <= failure.at:
            message = f"{failure.node!r} is in rack {rack}, which fails at {format_duration(racks[rack])}"
            at("duplicate", "node", message, _STAYS)
        joined = joins[failure.node]
        if joined is not None and failure.at < joined:
            message = f"{failure.node!r} joins at {format_duration(joined)} and fails before"
            at("conflict", "at", message, f"after {format_duration(joined)}")


def _once(failure: ClusterFailure, at: Reporter, before: list[ClusterFailure]) -> None:
    for key, value in (("node", failure.node), ("rack", failure.rack)):
        if value is not None and any(getattr(one, key) == value for one in before):
            at("duplicate", key, f"{key} {value!r} fails twice", _STAYS)


def failing_drives(cluster: ResolvedCluster, keys: ClusterPoolKeys, report: Reporter) -> list[Failure]:
    """Drives of a pool that fail by themselves, by their numbers in the pool."""
    names = cluster.node_names()
    having = [
        node
        for kind in cluster.nodes
        if keys.nodes is None or kind.keys.name in keys.nodes
        for node in kind.numbers
    ]
    fails = dict(_nodes_that_fail(cluster))
    found: list[Failure] = []
    for number, failure in enumerate(keys.failure):
        at = report.at(f"failure.{number}")
        if failure.node not in (names[node] for node in having):
            hint = suggestion(failure.node, [names[node] for node in having[:20]], "nodes")
            at("unknown-name", "node", f"no node {failure.node!r} has drives of the pool", hint)
        elif failure.drive >= keys.drives:
            message = f"{failure.node!r} has the drives 0 to {keys.drives - 1} of this pool"
            at("unknown-name", "drive", message)
        else:
            node = names.index(failure.node)
            drive = having.index(node) * keys.drives + failure.drive
            if any(one.drive == drive for one in found):
                message = f"drive {failure.drive} of {failure.node!r} fails twice"
                at("duplicate", "drive", message, _STAYS)
            elif node in fails and fails[node] <= failure.at:
                message = f"{failure.node!r} fails at {format_duration(fails[node])}, its drives with it"
                at("duplicate", "node", message, _STAYS)
            found.append(Failure.model_construct(drive=drive, at=failure.at))
    return found


def _nodes_that_fail(cluster: ResolvedCluster) -> Iterator[tuple[int, float]]:
    """Nodes that fail, with their racks too, and when; the earliest time of each last."""
    for failure in sorted(cluster.keys.failure, key=lambda one: one.at, reverse=True):
        for node, name in enumerate(cluster.node_names()):
            if name == failure.node or cluster.racks[node] == failure.rack:
                yield node, failure.at
