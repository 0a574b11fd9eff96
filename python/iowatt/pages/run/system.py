"""The system and the work of a run, as tables: read from the plan, which says what was resolved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from iowatt.pages.run import controller
from iowatt.render import numbers
from iowatt.render.figure import Cell, Column, Table
from iowatt.sources.simulation.counts import source_name


def describe(plan: Mapping[str, Any]) -> list[tuple[str, Table]]:
    """Titled tables of pools, volumes, workloads, buses and controller; only those that the plan has."""
    simulation, names = plan.get("simulation", {}), plan.get("names", {})
    if not simulation:
        return []
    tables = [
        ("Pools of drives", _pools(simulation, names)),
        ("Virtual pools", _virtual_pools(simulation, names)),
        ("Volumes", _volumes(simulation, names)),
        ("Workloads", _workloads(plan, simulation, names)),
        ("Buses", _buses(simulation, names)),
        ("Controller", controller.described(simulation.get("controller"))),
        ("Enclosures", _enclosures(plan.get("power"))),
    ]
    return [(title, table) for title, table in tables if table.rows]


def _pools(simulation: Mapping[str, Any], names: Mapping[str, Any]) -> Table:
    rows: list[list[Cell]] = []
    for name, pool in zip(names["pools"], simulation["pools"], strict=True):
        drives = [drive for drive in names["devices"] if drive["pool"] == name]
        raid, device = pool["raid"], pool["device"]
        rows.append(
            [
                name,
                f"{pool['count']:,} × {_model(drives)}{_spares(pool)}",
                _rotation(device),
                _redundancy(pool),
                numbers.binary(raid["stripe_unit_bytes"]),
                f"{pool['scheduler'].upper()}{_commands(pool)}",
                _policy(pool["power_policy"], device),
                _first(drives, "raw_bytes", "B"),
                _first(drives, "idle_w", "W"),
            ]
        )
    titles = ("Pool", "Drives", "Rotation", "Redundancy", "Stripe unit", "Scheduler", "Power policy")
    columns = [*(Column(title, text=True) for title in titles), Column("Capacity of one", text=True)]
    return Table([*columns, Column("Idle power of one", text=True)], rows)


def _redundancy(pool: Mapping[str, Any]) -> str:
    chunklets = pool.get("chunklets")
    if chunklets is None:
        return f"RAID-{pool['raid']['level']}{_layout(pool['raid'])}"
    kinds = [f"RAID-{r['raid']['level']} sets of {r['set_size']}" for r in chunklets["regions"]]
    return f"{', '.join(dict.fromkeys(kinds))}; chunklets of {numbers.binary(chunklets['bytes'])}"


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


def _volumes(simulation: Mapping[str, Any], names: Mapping[str, Any]) -> Table:
    spaces = [*names["pools"], *(virtual["name"] for virtual in names.get("virtual_pools", ()))]
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
        [name, names["volumes"][work["volume"]], source_name(source), replay_in_words(work["replay"])]
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
    return f", {raid['layout']}" if str(raid["level"]) in ("5", "6") else ""


def _policy(policy: Mapping[str, Any], device: Mapping[str, Any]) -> str:
    if policy["policy"] == "never":
        return "always ready" if device.get("kind") == "ssd" else "always spinning"
    if "threshold_s" in policy:
        return f"power saved after {numbers.duration(policy['threshold_s'])} idle"
    return f"power managed: {policy['policy']}"


def replay_in_words(replay: Mapping[str, Any]) -> str:
    """How a workload's requests are paced."""
    if replay["mode"] == "open":
        speed = replay["speed"]
        return "open, recorded times" if speed == 1 else f"open, {speed:.4g} × recorded speed"
    scope = "for each stream" if replay.get("per") == "stream" else "overall"
    think = replay.get("think")
    paused = f", {numbers.duration(think['mean_s'])} think time" if think else ""
    return f"closed, {replay['outstanding']:,} outstanding {scope}{paused}"
