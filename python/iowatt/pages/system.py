"""The system and the work of a run as tables, from the plan, which has every value resolved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from iowatt.model import cache_policies
from iowatt.model.raid import name_of
from iowatt.render import numbers
from iowatt.render.figure import Cell, Column, Table
from iowatt.sources.simulation import source_name

_WRITES = {"back": "write-back", "through": "write-through", "around": "write-around"}
_TRANSFERS = {
    "mixed": [],
    "whole": ["whole lines read and written"],
    "needed": ["only what is needed is read and written"],
}


def tables(plan: Mapping[str, Any]) -> list[tuple[str, Table]]:
    """Titled tables of pools, volumes, workloads, buses and controller; only those that the plan has."""
    simulation, names = plan.get("simulation", {}), plan.get("names", {})
    if not simulation:
        return []
    titled = [
        ("Pools of drives", _pools(simulation, names)), ("Virtual pools", _virtual_pools(simulation, names)),
        ("Libraries", _libraries(simulation, names)), ("Clusters", _clusters(simulation, names)),
        ("Volumes", _volumes(simulation, names)), ("Workloads", _workloads(plan, simulation, names)),
        ("Buses", _buses(simulation, names)), ("Controller", controller_table(simulation.get("controller"))),
        ("Enclosures", _enclosures(plan.get("power"))),
    ]  # fmt: skip
    return [(title, table) for title, table in titled if table.rows]


def _pools(simulation: Mapping[str, Any], names: Mapping[str, Any]) -> Table:
    rows: list[list[Cell]] = []
    placed = {one["name"]: one for cluster in names.get("clusters", ()) for one in cluster["pools"]}
    for name, pool in zip(names["pools"], simulation["pools"], strict=True):
        drives = [drive for drive in names["devices"] if drive["pool"] == name]
        raid, device = pool["raid"], pool["device"]
        rows.append(
            [
                name, f"{pool['count']:,} × {_model(drives)}{_spares(pool)}", _rotation(device),
                _placement(placed[name], pool) if name in placed else _redundancy(pool),
                numbers.binary(raid["stripe_unit_bytes"]),
                f"{pool['scheduler'].upper()}{_commands(pool)}", _policy(pool["power_policy"], device),
                _first(drives, "raw_bytes", "B"), _first(drives, "idle_w", "W"),
            ]
        )  # fmt: skip
    titles = ("Pool", "Drives", "Rotation", "Redundancy", "Stripe unit", "Scheduler", "Power policy")
    columns = [*(Column(title, text=True) for title in titles), Column("Capacity of one", text=True)]
    return Table([*columns, Column("Idle power of one", text=True)], rows)


def _redundancy(pool: Mapping[str, Any]) -> str:
    chunklets = pool.get("chunklets")
    if chunklets is None:
        return f"{name_of(pool['raid'])}{_layout(pool['raid'])}"
    kinds = [f"{name_of(r['raid'])} sets of {r['set_size']}" for r in chunklets["regions"]]
    return f"{', '.join(dict.fromkeys(kinds))}; chunklets of {numbers.binary(chunklets['bytes'])}"


def _placement(named: Mapping[str, Any], pool: Mapping[str, Any]) -> str:
    (region,) = pool["chunklets"]["regions"]
    return f"{named['redundancy']} over {named['failure_domain']}s; {region['sets']:,} placement groups"


def _commands(pool: Mapping[str, Any]) -> str:
    held = pool.get("command_queue")
    return "" if held is None else f"; {held['depth']:,} commands in the drive, {held['scheduler'].upper()}"


def _spares(pool: Mapping[str, Any]) -> str:
    recovery = pool.get("recovery")
    if not recovery or not recovery["spares"]:
        return ""
    return (
        f" and {recovery['spares']:,} {'spare' if recovery['sparing'] == 'dedicated' else 'of spare space'}"
    )


def _virtual_pools(simulation: Mapping[str, Any], names: Mapping[str, Any]) -> Table:
    rows: list[list[Cell]] = []
    for virtual, plan in zip(
        names.get("virtual_pools", ()), simulation.get("virtual_pools", ()), strict=True
    ):
        parts = zip(virtual["parts"], plan["parts"], strict=True)
        said = [
            f"{part['name']}: {numbers.with_unit(place['capacity_bytes'], 'B', 4)} of {part['pool']}"
            for part, place in parts
        ]
        offered = numbers.with_unit(virtual["capacity_bytes"], "B", 4)
        rows.append([virtual["name"], virtual["scheme"], "; ".join(said), offered])
    titles = ("Virtual pool", "Scheme", "Parts", "Capacity")
    return Table([Column(title, text=True) for title in titles], rows)


def _libraries(simulation: Mapping[str, Any], names: Mapping[str, Any]) -> Table:
    rows: list[list[Cell]] = []
    for name, plan in zip(names.get("libraries", ()), simulation.get("libraries", ()), strict=True):
        drive = next(one for one in names["devices"] if one["pool"] == name["name"])
        fastest = plan["drive"]["speed_bytes_per_s"][1]
        rows.append(
            [
                name["name"], f"{plan['drives']:,} × {drive['model']}", f"{plan['robots']:,}",
                f"{plan['cartridges']:,}", numbers.with_unit(plan["cartridge_bytes"], "B", 4),
                numbers.with_unit(fastest, "B/s", 4),
            ]
        )  # fmt: skip
    titles = ("Library", "Drives", "Robots", "Cartridges", "Capacity of one", "Rate of a drive")
    return Table([Column(title, text=True) for title in titles], rows)


def _clusters(simulation: Mapping[str, Any], names: Mapping[str, Any]) -> Table:
    rows: list[list[Cell]] = []
    for named, plan in zip(names.get("clusters", ()), simulation.get("clusters", ()), strict=True):
        for number, kind in enumerate(named["classes"]):
            figures = plan["classes"][number]
            ports = [figures["front_bytes_per_s"], figures["back_bytes_per_s"]]
            shown = [f"{numbers.with_unit(rate, 'B')}/s" for rate in ports if rate is not None]
            rows.append(
                [
                    named["name"], named["preset"] or numbers.NO_VALUE,
                    f"{kind['count']:,} × {kind['server']}",
                    f"{figures['processors']:,}", " and ".join(shown) or numbers.NO_VALUE,
                    f"{named['racks']:,}",
                ]
            )  # fmt: skip
    titles = ("Cluster", "Manner", "Nodes", "Cores of one", "Ports of one, each way", "Racks")
    return Table([Column(title, text=True) for title in titles], rows)


def _volumes(simulation: Mapping[str, Any], names: Mapping[str, Any]) -> Table:
    behind = (*names.get("virtual_pools", ()), *names.get("libraries", ()))
    spaces = [*names["pools"], *(one["name"] for one in behind)]
    rows: list[list[Cell]] = [
        [name, spaces[volume["pool"]], numbers.with_unit(volume["capacity_bytes"], "B", 4)]
        for name, volume in zip(names["volumes"], simulation["volumes"], strict=True)
    ]
    return Table(
        [Column("Volume", text=True), Column("Pool", text=True), Column("Capacity", text=True)], rows
    )


def _workloads(plan: Mapping[str, Any], simulation: Mapping[str, Any], names: Mapping[str, Any]) -> Table:
    sources = plan.get("sources") or [{}] * len(names["workloads"])
    rows: list[list[Cell]] = [
        [name, names["volumes"][work["volume"]], source_name(source), pacing(work["replay"], source)]
        for name, work, source in zip(names["workloads"], simulation["workloads"], sources, strict=True)
    ]
    return Table([Column(title, text=True) for title in ("Workload", "Volume", "Trace", "Replay")], rows)


def _buses(simulation: Mapping[str, Any], names: Mapping[str, Any]) -> Table:
    rows: list[list[Cell]] = [
        [name, f"{numbers.with_unit(bus['bandwidth_bytes_per_s'], 'B')}/s", sum(_drives_on(simulation, at))]
        for at, (name, bus) in enumerate(zip(names["buses"], simulation["buses"], strict=True))
    ]
    return Table([Column("Bus", text=True), Column("Bandwidth", text=True), Column("Drives")], rows)


def _enclosures(power: Mapping[str, Any] | None) -> Table:
    rows: list[list[Cell]] = []
    for enclosure in power["enclosures"] if power else []:
        count = sum(number for number, _ in enclosure["filling"])
        drives = sum(number * sum(mix) for number, mix in enclosure["filling"])
        parts = ", ".join(f"{part['count']:,} × {part['name']}" for part in enclosure["parts"])
        rows.append([enclosure["name"], count, drives, parts, _supplies(enclosure["supplies"])])
    columns = [Column("Enclosure", text=True), Column("Number"), Column("Drives")]
    return Table([*columns, Column("Parts of each", text=True), Column("Supplies of each", text=True)], rows)


def _supplies(supplies: Mapping[str, Any] | None) -> str:
    if supplies is None:
        return "none modelled"
    shared = "active and standby" if supplies["active_standby"] else "sharing the load"
    return (
        f"{supplies['count']} × {numbers.with_unit(supplies['rating_w'], 'W')}, {supplies['needed']} needed, "
        f"{shared}; {supplies['efficiency']}"
    )


def _drives_on(simulation: Mapping[str, Any], bus: int) -> list[int]:
    return [pool["bus_of_drive"].count(bus) for pool in simulation["pools"]]


def _model(drives: list[Mapping[str, Any]]) -> str:
    return drives[0]["model"] if drives else "drive"


def _first(drives: list[Mapping[str, Any]], key: str, unit: str) -> str:
    return numbers.with_unit(drives[0][key], unit) if drives else numbers.NO_VALUE


def _rotation(device: Mapping[str, Any]) -> str:
    return f"{device['rpm']:,.0f}\u00a0rpm" if "rpm" in device else numbers.NO_VALUE


def _layout(raid: Mapping[str, Any]) -> str:
    return f", {raid['layout']}" if str(raid["level"]) in ("5", "6", "ec") else ""


def _policy(policy: Mapping[str, Any], device: Mapping[str, Any]) -> str:
    if policy["policy"] == "never":
        return "always ready" if device.get("kind") == "ssd" else "always spinning"
    if "threshold_s" in policy:
        return f"power saved after {numbers.duration(policy['threshold_s'])} idle"
    return f"power managed: {policy['policy']}"


def pacing(replay: Mapping[str, Any], source: Mapping[str, Any]) -> str:
    """How the requests of a workload are paced; only a trace has recorded times."""
    if replay["mode"] == "open":
        speed = replay["speed"]
        if "synthetic" in source:
            return "open" if speed == 1 else f"open, {speed:.4g} × its speed"
        return "open, recorded times" if speed == 1 else f"open, {speed:.4g} × recorded speed"
    scope = "for each stream" if replay.get("per") == "stream" else "overall"
    think = replay.get("think")
    paused = f", {numbers.duration(think['mean_s'])} think time" if think else ""
    return f"closed, {replay['outstanding']:,} outstanding {scope}{paused}"


def controller_table(controller: Mapping[str, Any] | None) -> Table:
    """The parts of the controller, one row each; no rows where there is none."""
    rows: list[list[Cell]] = []
    if controller:
        if processing := controller.get("processing"):
            times = [numbers.duration(processing[key]) for key in ("read_s", "write_s")]
            rows.append(
                ["Processors", f"{processing['processors']:,}; {times[0]} a read, {times[1]} a write"]
            )
            if taken := _path_costs(processing):
                rows.append(["Requests over paths", taken])
        if bandwidth := controller.get("host_bandwidth_bytes_per_s"):
            rows.append(["Host link", f"{numbers.with_unit(bandwidth, 'B')}/s"])
        if split := controller.get("split"):
            most = f"{split['outstanding']:,} of a request at a time"
            rows.append(["Large requests", f"in pieces of {numbers.binary(split['bytes'])}, {most}"])
        if controller.get("zero_detect"):
            rows.append(["Writes of zeros", "detected, kept from the drives"])
        if cache := controller.get("cache"):
            rows.append(["Cache", _cache(cache)])
            rows.extend(_cache_links(cache))
        rows.extend(_nodes(controller.get("nodes")))
        rows.extend(_back_end(controller.get("back_end")))
        rows.extend(["Loss", _loss(loss)] for loss in controller.get("losses", ()))
    return Table([Column("Part", text=True), Column("What", text=True)], rows)


def _path_costs(processing: Mapping[str, Any]) -> str:
    """What only requests over a path cost the processors."""
    parts = []
    if ready := processing.get("ready_s"):
        parts.append(f"{numbers.duration(ready)} to allocate room for a write")
    if interrupt := processing.get("interrupt_s"):
        parts.append(f"{numbers.duration(interrupt)} an interrupt")
    if held := processing.get("moderation_s"):
        most = processing["moderation_count"]
        parts.append(f"interrupts held back {numbers.duration(held)} or until there are {most}")
    return ", ".join(parts)


def _cache(cache: Mapping[str, Any]) -> str:
    parts = [
        f"{numbers.binary(cache['capacity_bytes'])} in lines of {numbers.binary(cache['line_bytes'])}",
        cache_policies.replacement_text(cache["replacement"]),
        _WRITES[cache["write"]],
    ]
    if not cache["read"]:
        parts.append("misses are not kept")
    if cache["write"] == "back":
        high, low = (numbers.percent(cache[key]) for key in ("high_watermark", "low_watermark"))
        most = numbers.binary(cache["destage_bytes"])
        if cache.get("destage") == "utilisation":
            parts.append(
                f"destaged by utilisation between {low} and {high} dirty, hot lines stay, {most} at most"
            )
        else:
            parts.append(f"destaged from {high} down to {low} dirty, {most} at most at a time")
    parts.extend(_TRANSFERS[cache.get("transfers", "mixed")])
    return ", ".join(parts)


def _cache_links(cache: Mapping[str, Any]) -> list[list[Cell]]:
    rows: list[list[Cell]] = []
    if ahead := cache.get("read_ahead"):
        first, most = (numbers.binary(ahead[f"{which}_bytes"]) for which in ("least", "most"))
        rows.append(["Read-ahead", f"{first} to {most}, of {ahead['streams']:,} streams at most"])
    if mirror := cache.get("mirror"):
        rate = numbers.with_unit(mirror["bandwidth_bytes_per_s"], "B")
        rows.append(["Mirror link", f"{rate}/s, {numbers.duration(mirror['latency_s'])} to the answer"])
    return rows


def _nodes(nodes: Mapping[str, Any] | None) -> list[list[Cell]]:
    if not nodes:
        return []
    rate = numbers.with_unit(nodes["mesh_bytes_per_s"], "B")
    own = nodes["ownership"]
    owned = "volumes" if own["by"] == "volume" else f"extents of {numbers.binary(own['bytes'])}"
    latency = numbers.duration(nodes["mesh_latency_s"])
    return [["Nodes", f"{nodes['count']}, own {owned} in turn; mesh {rate}/s a link, {latency} to arrive"]]


def _back_end(back: Mapping[str, Any] | None) -> list[list[Cell]]:
    rows: list[list[Cell]] = []
    if back and back["write_command_s"]:
        time = numbers.duration(back["write_command_s"])
        rows.append(["Write path", f"{back['write_processors']:,}; {time} a command made for a write"])
    if back and back["command_s"]:
        time = numbers.duration(back["command_s"])
        rows.append(["Back end", f"{back['processors']:,}; {time} a command to a drive"])
    return rows


def _loss(loss: Mapping[str, Any]) -> str:
    back = "" if loss["back_s"] is None else f", back at {numbers.duration(loss['back_s'])}"
    return f"{loss['of']} at {numbers.duration(loss['at_s'])}{back}"
