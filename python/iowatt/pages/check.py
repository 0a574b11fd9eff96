"""What ``iowatt check`` shows: the system of a scenario, its warnings and its notes."""

from __future__ import annotations

from collections.abc import Iterator

from iowatt.base.units import format_bytes as size
from iowatt.base.units import format_duration
from iowatt.model.erasure_code import Code
from iowatt.model.raid import level_name, name_of
from iowatt.model.scenario.result import (
    CheckedCluster,
    CheckedPath,
    CheckedReplication,
    CheckedScenario,
    DiskPool,
    SsdPool,
)
from iowatt.render.document import Document, Section, caveats


def document(found: CheckedScenario) -> Document:
    """The document of a scenario without problems."""
    space = [f"{size(found.raw_bytes)} raw", f"{size(found.usable_bytes)} usable"]
    if found.effective_bytes != found.usable_bytes:
        space.append(f"{size(found.effective_bytes)} effective")
    idle = "idle watts not known" if found.idle_w is None else f"{found.idle_w:.4g} W idle"
    return Document(
        key="check",
        kind="check",
        title=found.name,
        meta="ok",
        verdict=[f"{found.drives} drives, {', '.join(space)}, {idle}"],
        sections=[
            Section("system", "System", [], list(_system(found))),
            Section("warnings", "Warnings", [], [f"warning: {w.where}: {w.message}" for w in found.warnings]),
        ],
        caveats=caveats([], deciding=[note.text for note in found.notes]),
    )


def _system(found: CheckedScenario) -> Iterator[str]:
    for pool in found.pools:
        yield _pool(pool)
        yield f"  {_disk(pool) if isinstance(pool, DiskPool) else _ssd(pool)}"
    for virtual in found.virtual_pools:
        parts = ", ".join(f"{part['name']} on {part['pool']}" for part in virtual["parts"])
        offered = size(virtual["capacity_bytes"])
        yield f"virtual pool {virtual['name']}: {offered}, {virtual['scheme']}, {parts}"
    for library in found.libraries:
        yield (
            f"library {library.name}: {library.drives} × {library.drive} at "
            f"{library.bytes_per_s / 1e6:.4g} MB/s, {library.robots} "
            f"{'robot' if library.robots == 1 else 'robots'}, {library.cartridges} cartridges of "
            f"{size(library.cartridge_bytes)}"
        )
    for cluster in found.clusters:
        yield from _cluster(cluster)
    for volume in found.volumes:
        yield f"volume {volume.name}: {size(volume.capacity_bytes)} on {volume.pool}"
    for bus in found.buses:
        yield f"bus {bus.name}: {bus.bandwidth_bytes_per_s / 1e6:.4g} MB/s"
    if found.controller:
        from iowatt.pages.system import controller_table

        yield from (f"{str(part).lower()}: {what}" for part, what in controller_table(found.controller).rows)
    for path in found.paths:
        yield from _path(path)
    for replication in found.replications:
        yield from _replication(replication)
    if power := found.power:
        yield (
            f"at the wall: {power.wall_idle_w:.5g} W idle, {power.wall_active_w:.5g} W active (details: "
            "`iowatt power`)"
        )
    for workload in found.workloads:
        yield f"workload {workload.name}: {workload.trace}, {workload.replay}, to volume {workload.volume}"


def _cluster(cluster: CheckedCluster) -> Iterator[str]:
    manner = f" in the manner of {cluster.preset}" if cluster.preset else ""
    racks = "1 rack" if cluster.racks == 1 else f"{cluster.racks} racks"
    yield f"cluster {cluster.name}{manner}: {racks}, {cluster.rack_units} rack units of servers and switches"
    for kind in cluster.nodes:
        price = "price by the cost book" if kind.price_usd is None else f"{kind.price_usd:,.0f} USD"
        yield (
            f"  {kind.count} x {kind.server}: {kind.cores} cores, {kind.idle_w:g} W idle to "
            f"{kind.busy_w:g} W busy without drives, {price}"
        )
    ports = [
        f"{name} {rate / 1e6:,.4g} MB/s"
        for name, rate in (("front", cluster.front_bytes_per_s), ("back", cluster.back_bytes_per_s))
        if rate is not None
    ]
    uplink = cluster.network["uplink_bytes_per_s"]
    ports += [] if uplink is None else [f"uplink of a rack {uplink / 1e6:,.4g} MB/s"]
    yield f"  each way: {', '.join(ports) or 'networks take no time'}"


def _pool(pool: DiskPool | SsdPool) -> str:
    code = None if pool.raid_code is None else Code(**pool.raid_code)
    level = "no RAID" if pool.raid_level is None else level_name(pool.raid_level, code)
    if pool.stripe_unit_bytes and pool.raid_level != 1:
        level += f" in units of {size(pool.stripe_unit_bytes, binary=True)}"
    if pool.placement and pool.chunklets:
        groups, piece = pool.chunklets["regions"][0]["sets"], size(pool.chunklets["bytes"])
        level = f"{pool.placement}, {groups:,} placement groups of {piece} a member"
    elif chunklets := pool.chunklets:
        sets = [f"{name_of(r['raid'])} sets of {r['set_size']}" for r in chunklets["regions"]]
        piece = size(chunklets["bytes"], binary=True)
        level = f"{', '.join(dict.fromkeys(sets))} over chunklets of {piece}"
    spares = f" and {pool.spares} spares" if pool.spares else ""
    held = (
        f", {pool.queue_depth} commands in the drive by {pool.drive_scheduler}"
        if pool.queue_depth > 1
        else ""
    )
    return (
        f"pool {pool.name}: {pool.count} x {pool.device}{spares}, {level}, scheduler {pool.scheduler}{held}, "
        f"write cache {'on' if pool.write_cache else 'off'}, power policy {pool.power_policy}"
    )


def _disk(pool: DiskPool) -> str:
    return (
        f"{pool.rpm:g} rpm, average seek {pool.average_seek_s * 1e3:.2f} ms, "
        f"{pool.outer_bytes_per_s / 1e6:.4g} to {pool.inner_bytes_per_s / 1e6:.4g} MB/s per drive"
    )


def _ssd(pool: SsdPool) -> str:
    flash = "by its data sheet"
    if pool.dies is not None:
        flash = f"{pool.dies} dies of flash, over-provisioned by {pool.over_provisioning:.3g}"
    cap = "" if pool.power_cap_w is None else f", capped at {pool.power_cap_w:g} W"
    return (
        f"SSD, {flash}: {pool.read_iops:,.0f} random reads and {pool.write_iops:,.0f} writes a second, "
        f"{pool.read_bytes_per_s / 1e6:,.4g} and {pool.write_bytes_per_s / 1e6:,.4g} MB/s per drive{cap}"
    )


def _replication(one: CheckedReplication) -> Iterator[str]:
    mode = one.mode
    details = {
        "synchronous": lambda: f"while the path is lost: {mode['when_lost']}",
        "journal": lambda: f"{size(mode['bytes'], binary=True)}, when it is full: {mode['when_full']}",
        "cycles": lambda: f"of {format_duration(mode['period_s'])}",
    }
    copies = "" if one.copies is None else f" to {', '.join(one.copies)}"
    service = f", {format_duration(one.service_s)} at the remote array" if one.service_s else ""
    kind = mode["kind"]
    yield f"replication {one.name}: {', '.join(one.volumes)}{copies}, {kind} ({details[kind]()}){service}"
    yield from _path(one.path)


def _path(path: CheckedPath) -> Iterator[str]:
    lanes = "" if path.lanes == 1 else f"{path.lanes} lanes, "
    depth = "no limit" if path.queue_depth is None else f"{path.queue_depth:,}"
    yield f"path {path.name}: {lanes}{path.protocol}, outstanding commands per lane: {depth}"
    if host := path.host:
        busy = host["submit_s"] + host["complete_s"]
        most = f", at most {host['processors'] / busy:,.0f} commands a second" if busy else ""
        yield f"  {path.hba}{most}"
    for hop in path.hops:
        rate = hop["payload_bytes_per_s"]
        data = "" if rate is None else f" {rate / 1e6:,.4g} MB/s of data,"
        yield f"  {hop['name']}:{data} {format_duration(hop['latency_s'])} each way"
    for express in path.port["express"]:
        largest = size(express["up_to_bytes"], binary=True)
        yield f"  express writes up to {largest}: {express['buffers']:,} buffers per lane"
    times = "; ".join(
        f"{size(one.size, binary=True)} {format_duration(one.read_s)} a read, "
        f"{format_duration(one.write_s)} a write"
        for one in path.alone
    )
    yield f"  one request at a time, without the array: {times}"
