"""What stands before the cache: processors and links, and the mirror of written data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from iowatt.evaluate.estimate.back_end import Geometry
from iowatt.evaluate.estimate.load import Flow
from iowatt.evaluate.estimate.operation_counts import OperationCounter, Waits
from iowatt.evaluate.estimate.stations import Leg, Servers

_PROCESSORS, _LINK, _MIRROR = "processors", "host link", "mirror link"


def front_stations(controller: Mapping[str, Any], flows: Sequence[Flow]) -> list[Servers]:
    """Those that a controller has, with the work of a request of each flow."""
    found = []
    processing, link = controller.get("processing"), controller.get("host_bandwidth_bytes_per_s")
    mirror = (controller.get("cache") or {}).get("mirror")
    if processing:
        station = Servers(_PROCESSORS, "processor", processing["processors"])
        for number, flow in enumerate(flows):
            station.visit(number, flow.read_share, processing["read_s"])
            station.visit(number, 1 - flow.read_share, processing["write_s"])
        found.append(station)
    if link:
        found.append(_link(_LINK, link, flows, reads=True))
    if mirror:
        found.append(_link(_MIRROR, mirror["bandwidth_bytes_per_s"], flows, reads=False))
    return found


def front_legs(controller: Mapping[str, Any], front: Sequence[Servers], flow: Flow, write: bool) -> list[Leg]:
    """A request's visits to them."""
    found = []
    for station in front:
        if station.name == _PROCESSORS:
            seconds = controller["processing"]["write_s" if write else "read_s"]
        elif station.name == _LINK:
            seconds = flow.mean_bytes_of(write) / controller["host_bandwidth_bytes_per_s"]
        elif write:
            seconds = flow.mean_bytes_of(write) / controller["cache"]["mirror"]["bandwidth_bytes_per_s"]
        else:
            continue
        found.append(Leg(station, 1.0, seconds))
    return found


def front_fixed_s(controller: Mapping[str, Any], write: bool) -> float:
    """What a request waits for besides: the partner's answer."""
    mirror = (controller.get("cache") or {}).get("mirror")
    return float(mirror["latency_s"]) if mirror and write else 0.0


def back_end_stations(controller: Mapping[str, Any], counted: OperationCounter) -> tuple[Servers | None, Servers | None]:
    """The processors that every command to a drive passes, and those that commands made for writes pass
    first."""
    own = controller.get("back_end") or {}
    found: list[Servers | None] = []
    for name, seconds, number, commands in (
        ("back end", own.get("command_s"), own.get("processors", 1), counted.commands),
        ("write path", own.get("write_command_s"), own.get("write_processors", 1), counted.write_commands),
    ):
        if not seconds:
            found.append(None)
            continue
        station = Servers(name, "processor", number)
        for flow, count in commands.items():
            station.visit(flow, count, seconds)
        found.append(station)
    return found[0], found[1]


def command_legs(
    controller: Mapping[str, Any],
    passed: tuple[Servers | None, Servers | None],
    waits: Waits,
    geometries: Sequence[Geometry],
    share: float,
    *,
    write: bool,
) -> list[Leg]:
    """What commands wait for there; those of a phase come together, one behind another."""
    own, found = controller.get("back_end") or {}, []
    for (pool, how, abreast), times in waits.items():
        phases = 2 if how == "update" else 1
        together = abreast * (geometries[pool].mirrored if how == "write" else 1)
        for station, seconds in zip(passed, (own.get("command_s"), own.get("write_command_s")), strict=True):
            if station is not None and seconds and (write or station is passed[0]):
                behind = (together - 1) / 2 / station.number
                found.append(Leg(station, times / share * phases, seconds * (1 + behind)))
    return found


def _link(name: str, bandwidth: float, flows: Sequence[Flow], *, reads: bool) -> Servers:
    station = Servers(name, "link", 1)
    for number, flow in enumerate(flows):
        for stream in flow.streams:
            for write, share, sizes in stream.parts:
                for bytes_, weight in sizes if reads or write else ():
                    station.visit(number, share * weight, bytes_ / bandwidth)
    return station
