"""What stands before the cache: processors and links, and the mirror of written data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from iowatt.estimate.load import Flow
from iowatt.estimate.network import Leg, Servers

_PROCESSORS, _LINK, _MIRROR = "processors", "host link", "mirror link"


def stations(controller: Mapping[str, Any], flows: Sequence[Flow]) -> list[Servers]:
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


def legs(controller: Mapping[str, Any], front: Sequence[Servers], flow: Flow, write: bool) -> list[Leg]:
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


def fixed_s(controller: Mapping[str, Any], write: bool) -> float:
    """What a request waits for besides: the partner's answer."""
    mirror = (controller.get("cache") or {}).get("mirror")
    return float(mirror["latency_s"]) if mirror and write else 0.0


def _link(name: str, bandwidth: float, flows: Sequence[Flow], *, reads: bool) -> Servers:
    station = Servers(name, "link", 1)
    for number, flow in enumerate(flows):
        for stream in flow.streams:
            for write, share, sizes in stream.parts:
                for bytes_, weight in sizes if reads or write else ():
                    station.visit(number, share * weight, bytes_ / bandwidth)
    return station
