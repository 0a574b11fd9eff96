"""Clusters of a scenario: parts found, presets filled in, nodes dealt to racks, pools placed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from iowatt.base.errors import InputError
from iowatt.base.problems import KeyPath, Reporter, suggestion
from iowatt.base.results import Note
from iowatt.model.library.clusters import (
    NetworkFigures,
    PresetFile,
    SoftwareFigures,
    preset,
)
from iowatt.model.library.fabric import LinkFigures
from iowatt.model.library.servers import ServerFigures, network_adapter, rack_switch, server
from iowatt.model.scenario import path_hops
from iowatt.model.scenario.cluster_failures import check_failures
from iowatt.model.scenario.cluster_pools import place_pool
from iowatt.model.scenario.keys.cluster import ClusterKeys, NodeKeys
from iowatt.model.scenario.keys.path import LinkChoice
from iowatt.model.scenario.resolved import PlacedVolume, ResolvedSystem
from iowatt.model.scenario.resolved_cluster import (
    MOST_DRIVES_NAMED,
    PlacementAllocator,
    ResolvedCluster,
    ResolvedNodes,
    given,
)

if TYPE_CHECKING:
    from iowatt.model.scenario.keys.scenario import Scenario

_Found = TypeVar("_Found")

#: Figures of a server that a cluster cannot do without.
_NEEDED = ("cores", "bays", "form_factor", "idle", "busy", "rack_units")


def resolve_clusters(scenario: Scenario, base_dir: Path, system: ResolvedSystem) -> None:
    """Append the clusters of ``scenario``, their pools and volumes to ``system``, or report what is wrong."""
    if not scenario.cluster:
        return
    _alone(scenario, system)
    pools: dict[str, str] = {}
    for index, keys in enumerate(scenario.cluster):
        report = system.report.at(f"cluster.{index}")
        if any(other.name == keys.name for other in scenario.cluster[:index]):
            message = f"the name {keys.name!r} is taken by another cluster"
            report("duplicate", "name", message, "give each a name of its own")
        for number, pool in enumerate(keys.pool):
            if pool.name in pools:
                message = f"the name {pool.name!r} is taken by a pool of cluster {pools[pool.name]!r}"
                report("duplicate", f"pool.{number}.name", message, "give each a name of its own")
            pools[pool.name] = keys.name
        _resolve(keys, report, base_dir, system)
    if scenario.observe.idle and any(cluster.by_node for cluster in system.clusters):
        message = f"idle periods are kept of clusters of {MOST_DRIVES_NAMED} drives at most"
        system.report("unsupported", ("observe", "idle"), message, "leave it out, or simulate fewer nodes")


def _alone(scenario: Scenario, system: ResolvedSystem) -> None:
    """Report what cannot stand beside a cluster."""
    array = scenario.array
    there: dict[KeyPath, bool] = {
        ("array", name): bool(getattr(array, name))
        for name in ("pool", "library", "virtual_pool", "volume", "bus", "controller", "power")
    }
    there["replication",] = bool(scenario.replication)
    for path, found in there.items():
        if found:
            message = "a cluster stands beside arrays, not in one"
            system.report("conflict", path, message, "give the array a scenario of its own")


def _resolve(keys: ClusterKeys, report: Reporter, base_dir: Path, system: ResolvedSystem) -> None:
    before = len(report.problems)
    known = None if keys.preset is None else preset(keys.preset)
    nodes = _nodes(keys, report)
    ports, network, uplink = _network(keys, known, report)
    switch = _switch(keys, report)
    software = SoftwareFigures().model_copy(
        update=(given(known.software) if known else {}) | given(keys.software)
    )
    total = sum(kind.count for kind in keys.node)
    if keys.racks > total:
        report("out-of-range", "racks", f"{keys.racks} racks for {total} nodes", f"at most {total}")
    if nodes is None or len(report.problems) > before:
        return
    racks = [at % keys.racks for kind in nodes for at in range(kind.keys.count)]
    if keys.racks > 1 and uplink is None:
        uplink = _uplink(keys, ports, racks)
    cluster = ResolvedCluster(
        keys, known, nodes, racks, network, ports, uplink if keys.racks > 1 else None, switch, software, []
    )
    check_failures(cluster, report)
    for number in range(len(keys.pool)):
        place_pool(cluster, number, report.at(f"pool.{number}"), base_dir, system)
    if len(report.problems) > before:
        return
    _bays(cluster, report, system)
    if len(report.problems) > before:
        return
    system.clusters.append(cluster)
    _volumes(cluster, report, system)
    system.notes.extend(note for note in _notes(cluster) if note not in system.notes)


def _nodes(keys: ClusterKeys, report: Reporter) -> list[ResolvedNodes] | None:
    found: list[ResolvedNodes] = []
    taken: dict[str, str] = {}
    first = 0
    for index, kind in enumerate(keys.node):
        at = report.at(f"node.{index}")
        figures = _server(kind, at.at("server"))
        adapter = None
        if kind.adapter is not None:
            adapter = _find(partial(network_adapter, kind.adapter), at, "adapter")
        if kind.joins is not None and kind.leaves is not None:
            at("conflict", "leaves", "nodes that join cannot leave in the same run", "keep one of the two")
        for number in range(kind.count):
            name = f"{kind.name}{number}"
            if name in taken:
                message = f"a node is called {name!r} already, of the kind {taken[name]!r}"
                at("duplicate", "name", message, "give kinds of nodes names that do not end alike in digits")
                break
            taken[name] = kind.name
        if figures is not None:
            model = kind.server.name or f"{kind.name}-server"
            found.append(ResolvedNodes(kind, figures, model, adapter, first))
        first += kind.count
    if all(kind.joins is not None for kind in keys.node):
        report("missing", "node", "all nodes join later, and none is there", "leave joins out of one kind")
    return found if len(found) == len(keys.node) else None


def _server(kind: NodeKeys, report: Reporter) -> ServerFigures | None:
    choice: ServerFigures = kind.server
    if kind.server.name is not None:
        name = kind.server.name
        file = _find(lambda: server(name), report, "name")
        if file is None:
            return None
        changes = {key: value for key, value in given(kind.server).items() if key != "name"}
        choice = file.model_copy(update=changes)
    missing = [name for name in _NEEDED if getattr(choice, name) is None]
    for name in missing:
        report("missing-figure", name, f"the figure {name} is missing", "give it here, or name a server")
    if missing:
        return None
    if (choice.busy or 0) < (choice.idle or 0):
        message = f"{choice.busy:g} W are less than its idle watts, {choice.idle:g} W"
        report("conflict", "busy", message, "check the two figures")
        return None
    return choice


def _find(find: Callable[[], _Found], report: Reporter, key: str) -> _Found | None:
    try:
        return find()
    except InputError as error:
        report(error.code, key, error.message, error.hint)
        return None


def _network(
    keys: ClusterKeys, known: PresetFile | None, report: Reporter
) -> tuple[tuple[float | None, float | None], NetworkFigures, float | None]:
    """Rates of the ports, latencies, and the uplink where it is given."""
    at = report.at("network")
    front, back = keys.network.front, keys.network.back
    if known is not None:
        front = front or LinkChoice(name=known.network.front)
        back = back or (None if known.network.back is None else LinkChoice(name=known.network.back))
    rates = (_rate(front, at.at("front")), _rate(back, at.at("back")))
    names = tuple(NetworkFigures.model_fields)
    figures = {name: getattr(known.network, name) for name in names} if known else {}
    figures |= {name: value for name in names if (value := getattr(keys.network, name)) is not None}
    if keys.network.uplink is not None and keys.network.oversubscription is not None:
        at("conflict", "uplink", "`uplink` and `oversubscription` both say what it carries", "keep one")
    elif keys.racks == 1:
        for name in ("uplink", "oversubscription"):
            if getattr(keys.network, name) is not None:
                message = "there is one rack, and nothing goes between racks"
                at("not-applicable", name, message, "give more racks, or leave it out")
    return rates, NetworkFigures().model_copy(update=figures), keys.network.uplink


def _rate(choice: LinkChoice | None, report: Reporter) -> float | None:
    """Bytes of data a second that a link carries: its rate, less what frames take."""
    if choice is None:
        return None
    figures: LinkFigures | None = _find(lambda: path_hops.link(choice), report, "")
    if figures is None:
        return None
    if figures.rate is None:
        report("missing-figure", "", "its rate is missing", 'for example name = "eth-25g"')
        return None
    frame = figures.frame or 2048
    return figures.rate * frame / (frame + (figures.overhead or 0))


def _uplink(
    keys: ClusterKeys, ports: tuple[float | None, float | None], racks: Sequence[int]
) -> float | None:
    """What the ports of the fullest rack carry, over the oversubscription."""
    port = ports[1] or ports[0]
    if port is None:
        return None
    return max(map(racks.count, set(racks))) * port / (keys.network.oversubscription or 1.0)


def _switch(keys: ClusterKeys, report: Reporter) -> Any:
    name = keys.network.switch
    return None if name is None else _find(lambda: rack_switch(name), report, "network.switch")


def _bays(cluster: ResolvedCluster, report: Reporter, system: ResolvedSystem) -> None:
    """Report servers with more drives than bays, and drives that are wider than the bays."""
    from iowatt.model.library import device_file

    for kind in cluster.nodes:
        used = 0
        for number, pool in enumerate(cluster.pools):
            if pool.keys.nodes is not None and kind.keys.name not in pool.keys.nodes:
                continue
            used += pool.keys.drives
            at = report.at(f"pool.{number}")
            bays = kind.server.bays or 0
            if used > bays:
                message = f"{used} drives do not fit: {kind.model!r} has {bays} bays"
                at("out-of-range", "drives", message, f"at most {bays}, or a larger server")
            drive = system.pools[pool.index].drive
            file = device_file(drive.name) if _in_library(drive.name) else None
            if file is not None and file.form_factor == "3.5" and kind.server.form_factor == "2.5":
                message = f"{drive.name!r} is 3.5 inches wide, and the bays of {kind.model!r} are 2.5"
                at("conflict", "device", message, "another drive, or another server")


def _in_library(name: str) -> bool:
    from iowatt.model.library import device_names

    return name in device_names()


def _volumes(cluster: ResolvedCluster, report: Reporter, system: ResolvedSystem) -> None:
    """Lay the volumes one after another over the addresses of their pools."""
    allocators: dict[str, tuple[int, PlacementAllocator]] = {}
    for pool in cluster.pools:
        allocator = system.pools[pool.index].chunklets
        assert isinstance(allocator, PlacementAllocator)
        allocators[pool.keys.name] = (pool.index, allocator)
    if not cluster.keys.volume:
        for name, (index, allocator) in allocators.items():
            taken = allocator.allocate(None, f"volume {name!r}", report.at("pool"))
            if taken is not None:
                system.volumes.append(PlacedVolume(name, index, *taken))
        return
    names = [volume.name for volume in cluster.keys.volume]
    for number, volume in enumerate(cluster.keys.volume):
        at = report.at(f"volume.{number}")
        if volume.name in (*names[:number], *(placed.name for placed in system.volumes)):
            message = f"the name {volume.name!r} is taken by another volume"
            at("duplicate", "name", message, "give each a name of its own")
            continue
        if volume.pool is None and len(allocators) > 1:
            hint = f"one of {', '.join(allocators)}"
            at("missing", "", "the key `pool` is missing, and there are several", hint)
            continue
        name = volume.pool or next(iter(allocators))
        if name not in allocators:
            hint = suggestion(name, [*allocators], "pools")
            at("unknown-name", "pool", f"the cluster has no pool {name!r}", hint)
            continue
        index, allocator = allocators[name]
        taken = allocator.allocate(volume.capacity, f"volume {volume.name!r}", at)
        if taken is not None:
            qos = None if volume.qos is None else volume.qos.plan()
            system.volumes.append(PlacedVolume(volume.name, index, *taken, qos))


def _notes(cluster: ResolvedCluster) -> list[Note]:
    """What a reader of the figures must know of presets and parts."""
    notes = []
    if cluster.preset is not None:
        manner = cluster.preset
        notes += [Note(code="assumed-figures", text=f"{manner.name}: {text}") for text in manner.assumptions]
        if left := [name for name in manner.assumed() if not _set(cluster.keys, name)]:
            text = f"{manner.name}: assumed, not published: {', '.join(left)}"
            notes.append(Note(code="assumed-figures", text=text))
    for kind in cluster.nodes:
        for part, name in ((kind.server, kind.model), (kind.adapter, kind.keys.adapter)):
            texts = getattr(part, "assumptions", ())
            notes += [Note(code="assumed-figures", text=f"{name}: {text}") for text in texts]
        if kind.adapter is None:
            text = f"nodes {kind.keys.name!r}: the watts of their network adapters are not counted"
            notes.append(Note(code="no-watts", text=text))
    if cluster.by_node:
        text = (
            f"cluster {cluster.keys.name!r}: results have a row for the drives of each node together; "
            f"clusters of {MOST_DRIVES_NAMED} drives at most have one for each drive"
        )
        notes.append(Note(code="drives-by-node", text=text))
    if cluster.switch is None:
        text = f"cluster {cluster.keys.name!r}: the watts of its switches are not counted (network.switch)"
        notes.append(Note(code="no-watts", text=text))
    return notes


def _set(keys: ClusterKeys, figure: str) -> bool:
    """Whether the scenario gives a figure of the preset itself."""
    table, _, name = figure.partition(".")
    if table in ("network", "software"):
        return getattr(getattr(keys, table), name) is not None
    tables = keys.pool if table == "pool" else [pool.recovery for pool in keys.pool]
    return all(getattr(one, name) is not None for one in tables)
