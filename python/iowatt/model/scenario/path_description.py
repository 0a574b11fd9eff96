"""What a path amounts to, in a few figures: its hops, and how long one request takes on it alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from iowatt.base.units import format_bytes, format_duration
from iowatt.model.scenario.path_alone import alone
from iowatt.model.scenario.path_resolve import ResolvedPath

SIZES: Final = (8 * 1024, 64 * 1024)
"""Requests whose time on an idle path is shown, bytes."""


def described(path: ResolvedPath) -> dict[str, Any]:
    """A path for ``iowatt check --json``; times in seconds, rates in bytes a second."""
    names, plan = path.names, path.plan
    return {
        "name": names["name"],
        "protocol": names["protocol"],
        "workloads": names["workloads"],
        "lanes": plan["lanes"],
        "queue_depth": plan["queue_depth"],
        "hba": names["hba"],
        "host": plan["host"],
        "hops": [
            {
                "name": name,
                "kind": kind,
                "part": part,
                **hop,
                "payload_bytes_per_s": _payload_rate(hop),
            }
            for name, kind, part, hop in zip(
                names["hops"], names["kinds"], names["parts"], plan["hops"], strict=True
            )
        ],
        "port": plan["port"],
        "exchange": plan["exchange"],
        "alone": [
            {
                "bytes": size,
                "read_s": alone(plan, size, write=False) * 1e-9,
                "write_s": alone(plan, size, write=True) * 1e-9,
            }
            for size in SIZES
        ],
    }


def _payload_rate(hop: Mapping[str, Any]) -> float | None:
    """Data bytes a second in full frames."""
    rate = hop["bytes_per_s"]
    return None if rate is None else float(rate * hop["frame_payload_bytes"] / hop["frame_wire_bytes"])


def lines(path: Mapping[str, Any]) -> list[str]:
    """The same for people."""
    lanes = "" if path["lanes"] == 1 else f"{path['lanes']} lanes, "
    depth = "no limit" if path["queue_depth"] is None else f"{path['queue_depth']:,}"
    text = [f"  path {path['name']}: {lanes}{path['protocol']}, commands outstanding a lane: {depth}"]
    if host := path["host"]:
        busy = host["submit_s"] + host["complete_s"]
        most = "" if not busy else f", at most {host['processors'] / busy:,.0f} commands a second"
        text.append(f"    {path['hba']}{most}")
    for hop in path["hops"]:
        rate = hop["payload_bytes_per_s"]
        data = "" if rate is None else f" {rate / 1e6:,.4g} MB/s of data,"
        text.append(f"    {hop['name']}:{data} {format_duration(hop['latency_s'])} each way")
    for one in path["port"]["express"]:
        size = format_bytes(one["up_to_bytes"], binary=True)
        text.append(f"    express writes up to {size}: {one['buffers']:,} buffers a lane")
    times = "; ".join(
        f"{format_bytes(one['bytes'], binary=True)} {format_duration(one['read_s'])} a read, "
        f"{format_duration(one['write_s'])} a write"
        for one in path["alone"]
    )
    return [*text, f"    alone on it, without the array: {times}"]
