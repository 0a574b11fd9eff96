"""Replications in numbers, and contradictions between their keys and those of volumes and paths."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from iowatt.base.problems import KeyPath, Problem, suggestion
from iowatt.model.scenario.keys.replication import Cycles, Journal, Mode, ReplicationKeys
from iowatt.model.scenario.resolved import ResolvedReplication

if TYPE_CHECKING:
    from iowatt.model.scenario.keys.scenario import Scenario
    from iowatt.model.scenario.resolved import ResolvedSystem


def resolve(scenario: Scenario, system: ResolvedSystem) -> None:
    """Put the replications of ``scenario`` into ``system``, whose volumes and paths are resolved."""
    before = len(system.problems)
    system.problems.extend(_between(scenario, system))
    if len(system.problems) == before:
        for one in scenario.replication:
            path = system.paths.replicating.get(one.path)
            if path is not None:  # else its own keys are reported
                system.replications.append(ResolvedReplication(one, _plan(one, path.plan, system), path))


def _plan(one: ReplicationKeys, path: dict[str, Any], system: ResolvedSystem) -> dict[str, Any]:
    """``ReplicationPlan`` of iowatt-sim."""
    numbers = {volume.name: at for at, volume in enumerate(system.volumes)}
    copies: Sequence[str | None] = one.copies or [None] * len(one.volumes)
    return {
        "volumes": [
            {"volume": numbers[volume], "copy": None if copy is None else numbers[copy]}
            for volume, copy in zip(one.volumes, copies, strict=True)
        ],
        "path": path,
        "mode": _mode(one.mode),
        "service_s": one.service,
        "outstanding": one.outstanding,
        "extent_bytes": one.extent,
        "outages": [{"at_s": outage.at, "back_s": outage.back} for outage in one.outage],
    }


def _mode(mode: Mode) -> dict[str, Any]:
    if isinstance(mode, Journal):
        return {"kind": "journal", "bytes": mode.size, "when_full": mode.full}
    if isinstance(mode, Cycles):
        return {"kind": "cycles", "period_s": mode.period}
    return {"kind": "synchronous", "when_lost": mode.lost}


def _between(scenario: Scenario, system: ResolvedSystem) -> Iterator[Problem]:
    used: dict[str, str] = {}
    for index, one in enumerate(scenario.replication):
        at: KeyPath = ("replication", index)
        if any(other.name == one.name for other in scenario.replication[:index]):
            message = f"the name {one.name!r} is taken by another replication"
            yield Problem("duplicate", (*at, "name"), message, "give each a name of its own")
        yield from _path(scenario, one, index)
        yield from _volumes(one, at, system, used)
        yield from _outages(one, at)


def _path(scenario: Scenario, one: ReplicationKeys, index: int) -> Iterator[Problem]:
    at: KeyPath = ("replication", index, "path")
    names = [path.name for path in scenario.path]
    if one.path not in names:
        message = f"there is no path {one.path!r}"
        yield Problem("unknown-name", at, message, suggestion(one.path, names, "paths"))
    elif one.path in (other.path for other in scenario.replication[:index]):
        message = f"the path {one.path!r} is that of another replication"
        yield Problem("conflict", at, message, "name all volumes in one replication, or add a path")
    elif scenario.path[names.index(one.path)].workloads is not None:
        message = f"replication {one.name!r} goes this way, and workloads do not"
        yield Problem("conflict", ("path", names.index(one.path), "workloads"), message, "leave it out")


def _volumes(
    one: ReplicationKeys, at: KeyPath, system: ResolvedSystem, used: dict[str, str]
) -> Iterator[Problem]:
    known = {volume.name: volume for volume in system.volumes}
    if one.copies is not None and len(one.copies) != len(one.volumes):
        message = f"{len(one.copies)} copies of {len(one.volumes)} volumes"
        yield Problem("conflict", (*at, "copies"), message, "name one copy for each volume, in order")
    for key, names in (("volumes", one.volumes), ("copies", one.copies or [])):
        for number, name in enumerate(names):
            where: KeyPath = (*at, key, number)
            if name not in known:
                yield Problem(
                    "unknown-name",
                    where,
                    f"there is no volume {name!r}",
                    suggestion(name, [*known], "volumes"),
                )
            elif name in used:
                message = f"volume {name!r} is {used[name]} already"
                yield Problem("conflict", where, message, "a volume is in one replication, once")
            else:
                used[name] = f"in replication {one.name!r}"
    for number, (volume, copy) in enumerate(zip(one.volumes, one.copies or [], strict=False)):
        if volume in known and copy in known and known[copy].capacity < known[volume].capacity:
            least = known[volume].capacity
            message = f"{copy!r} has {known[copy].capacity} bytes, less than the {least} of {volume!r}"
            yield Problem("conflict", (*at, "copies", number), message, "give both the same capacity")
    for volume in one.volumes:
        sector = _sector(known[volume].pool, system) if volume in known else 1
        if one.extent % sector:
            message = f"{one.extent} bytes are not a whole number of the {sector}-byte sectors of {volume!r}"
            yield Problem("out-of-range", (*at, "extent"), message, "a power of two, such as 64KiB")
            return


def _sector(space: int, system: ResolvedSystem) -> int:
    """Bytes of a sector of a pool; of a virtual pool the largest of all pools'."""
    sectors = [pool.drive.sector_bytes for pool in system.pools]
    return sectors[space] if space < len(sectors) else max(sectors)


def _outages(one: ReplicationKeys, at: KeyPath) -> Iterator[Problem]:
    for number, outage in enumerate(one.outage):
        if outage.back is not None and outage.back <= outage.at:
            message = f"the path is back at {outage.back:g} s, and is lost at {outage.at:g} s"
            yield Problem("out-of-range", (*at, "outage", number, "back"), message)
    for number, (before, after) in enumerate(pairwise(one.outage)):
        if before.back is None or after.at < before.back:
            message = "begins before the one before it has ended"
            yield Problem(
                "conflict", (*at, "outage", number + 1, "at"), message, "list them in order of time"
            )
