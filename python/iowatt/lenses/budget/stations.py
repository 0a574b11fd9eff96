"""How busy the stations of a path are, and with that the rate at which each of them is saturated.

Utilisation law: a station that is busy for the share rho of the time at the rate X is saturated at X / rho,
if all work grows in proportion. It holds whatever the arrivals and the service times are. The commands that
the host may have outstanding are a station too, of as many servers: at the rate X they are busy for
X x (response time without the wait for them) / (commands outstanding at most), by Little's law.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from iowatt.lenses.budget.ledger import RequestMeans
from iowatt.lenses.budget.result import HopName

if TYPE_CHECKING:
    from iowatt.run.bundle import Run


@dataclass(frozen=True)
class StationLoad:
    """Busy share of a hop's station; None with the reason where none shows its saturation."""

    share: float | None
    why: str = ""
    #: What serves one queue of it side by side.
    servers: int = 1
    #: Seconds for which its visits are held back at most, to share an interrupt. Waiting there is of that:
    #: it is bounded, shrinks as the rate grows, and does not show what the queue takes.
    held_s: float = 0.0


NOT_KNOWN = StationLoad(None, "the Run has no utilisation of it")
LIMITED = StationLoad(None, "limits and turns of the scenario, which volumes[].qos of the Run has")
NO_STATION = StationLoad(None, "no station: a delay, or a wait for what others do")
IN_PARALLEL = StationLoad(
    None, "an SSD works on many commands at a time: its busy share does not show saturation"
)


def of_path(run: Run, name: str) -> Mapping[str, Any] | None:
    """A path in `run.json`; None where it has none."""
    listed = run.summary.get("paths") or ()
    return next((path for path in listed if path["name"] == name), None)


def busy(
    run: Run, name: str, hops: Sequence[HopName], mean: RequestMeans, rate_iops: float
) -> list[StationLoad]:
    """For each hop of a path; ``mean`` and ``rate_iops`` are of all requests that go by it."""
    path = of_path(run, name)
    whole = mean.response_ms
    waits = mean.waiting_ms.tolist()
    return [
        _station_load(run, path, hop, (wait, whole), rate_iops) for hop, wait in zip(hops, waits, strict=True)
    ]


def _station_load(
    run: Run, path: Mapping[str, Any] | None, hop: HopName, queue_ms: tuple[float, float], rate_iops: float
) -> StationLoad:
    for station in path["hops"] if path else ():
        if (station["hop"], station["way"]) == (hop.hop, hop.way):
            share = station["utilisation"]
            return (
                NO_STATION if share is None else StationLoad(float(share), servers=_servers(run, path, hop))
            )
    if hop.hop == "quality of service" or hop.place == "replication":
        return NO_STATION if hop.place == "replication" else LIMITED
    if hop.place == "host":
        return _queue(path, *queue_ms, rate_iops) if "queue" in hop.hop else NOT_KNOWN
    if hop.place == "controller":
        return _controller(run, hop.hop)
    if hop.place == "storage":
        return _most(_back_end(run.summary), _drives(run, path))
    return _drives(run, path) if hop.place == "drive" else NOT_KNOWN


def _queue(path: Mapping[str, Any] | None, waiting_ms: float, response_ms: float, rate: float) -> StationLoad:
    if path is None or not path.get("queue"):
        return NOT_KNOWN
    depth = path["queue"]["depth"]
    if not depth:
        return StationLoad(None, "no limit to the commands outstanding")
    return StationLoad(rate * (response_ms - waiting_ms) / 1e3 / (depth * path["lanes"]), servers=depth)


def _servers(run: Run, path: Mapping[str, Any] | None, hop: HopName) -> int:
    """Processors of the HBA or the target port of one lane, by the plan; a direction of a hop is one."""
    key = {"host": "host", "port": "port"}.get(hop.place)
    names = [path["name"] for path in run.plan.get("names", {}).get("paths", ())]
    if key is None or path is None or path["name"] not in names:
        return 1
    plan = run.plan["simulation"]["paths"][names.index(path["name"])]
    return int((plan.get(key) or {}).get("processors", 1))


def _controller(run: Run, name: str) -> StationLoad:
    parts = run.summary.get("controller") or {}
    key = "mirror_link" if "mirror" in name else "processors" if "processor" in name else None
    if key is None:
        return NO_STATION
    part = parts.get(key)
    if key == "mirror_link" and part is None and parts.get("mesh"):
        return StationLoad(float(parts["mesh_most_utilisation"]))
    if part is None:
        return NOT_KNOWN
    plan = (run.plan.get("simulation") or {}).get("controller") or {}
    share = float(part["utilisation"])
    if key == "mirror_link":
        return StationLoad(share)
    processing = plan.get("processing") or {}
    held = float(processing.get("moderation_s", 0.0)) if processing.get("moderation_count", 1) > 1 else 0.0
    why = "interrupts are held back: waiting there does not grow as a queue does" if held else ""
    return StationLoad(share, why, int(processing.get("processors", 1)), held)


def _back_end(summary: Mapping[str, Any]) -> StationLoad:
    parts = summary.get("controller") or {}
    shares = [parts[key]["utilisation"] for key in ("back_end", "write_path") if parts.get(key)]
    return StationLoad(max(shares)) if shares else NOT_KNOWN


def _drives(run: Run, path: Mapping[str, Any] | None) -> StationLoad:
    """The busiest drive of the pools that the path's workloads go to; of all, where that is not plain."""
    summary = run.summary
    names = set(path["workloads"]) if path else set()
    volumes = {one["volume"] for one in summary["workloads"] if one["name"] in names}
    pools = {one["pool"] for one in summary["volumes"] if one["name"] in volumes}
    drives = [one for one in summary["devices"] if one["pool"] in pools] or summary["devices"]
    if not drives or any(one["utilisation"] is None for one in drives):
        return NOT_KNOWN
    if any("flash" in one for one in drives):
        return IN_PARALLEL
    return StationLoad(float(max(one["utilisation"] for one in drives)))


def _most(*shares: StationLoad) -> StationLoad:
    """The busier one of several; not known where one is not."""
    known = [one.share for one in shares if one.share is not None]
    unknown = [one for one in shares if one is IN_PARALLEL]
    if unknown or not known:
        return unknown[0] if unknown else NOT_KNOWN
    return StationLoad(max(known))
