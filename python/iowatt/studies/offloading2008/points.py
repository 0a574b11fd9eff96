"""What each workload under each scheme drew, saved and cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from iowatt.studies.offloading2008 import systems

if TYPE_CHECKING:
    from iowatt.studies.results import Results

DAY_S = 86_400.0


@dataclass(frozen=True)
class Point:
    """A workload under a scheme."""

    work: str
    scheme: str
    drives: int
    requests: int
    power_w: float
    #: Of the mean power of the same volumes on drives that always spin.
    saved: float
    mean_ms: float
    p99_ms: float
    #: Share of requests that took longer than a second: they waited for a drive to start.
    waited: float
    #: Starts of a drive in a day, those of a cache included.
    starts: float
    #: Energy of moving data, as a share of all.
    moving: float
    movement: Mapping[str, Any] | None


def of(results: Results) -> list[Point]:
    """All points, by workload and scheme in the study's order."""
    found: list[Point] = []
    works = list(dict.fromkeys(str(stage.said["work"]) for stage in results.stages.values()))
    for work in works:
        base_w = None
        for scheme in systems.SCHEMES:
            for key in results.of(work=work, scheme=scheme):
                for row in results.rows(key):
                    run = results.run(key, row)
                    base_w = base_w or run.summary["power_w"]["mean"]
                    found.append(_point(work, scheme, run, base_w))
    return found


def _point(work: str, scheme: str, run: Any, base_w: float) -> Point:
    summary = run.summary
    devices: Sequence[Mapping[str, Any]] = summary["devices"]
    response, energy = summary["response_time_ms"]["all"], summary["energy"]
    days = summary["window"]["duration_s"] / DAY_S
    pools = summary.get("virtual_pools") or [{}]
    power_w = summary["power_w"]["mean"]
    return Point(
        work=work,
        scheme=scheme,
        drives=len(devices),
        requests=summary["requests"]["count"],
        power_w=power_w,
        saved=1 - power_w / base_w,
        mean_ms=response["mean"],
        p99_ms=response["p99"],
        waited=_longer_than(run, 1000.0),
        starts=sum(device["spin_ups"] for device in devices) / len(devices) / days,
        moving=energy["by_cause_j"].get("migration", 0.0) / energy["total_j"],
        movement=pools[0].get("data_movement"),
    )


def _longer_than(run: Any, ms: float) -> float:
    """Share of requests whose response time was above that, by the histogram's bins."""
    latency = run.table("latency")
    count = latency["count"].sum()
    above = latency.filter(latency["low_ns"] >= ms * 1e6)["count"].sum()
    return above / count if count else 0.0


def choose(points: Sequence[Point], work: str, scheme: str) -> Point | None:
    """The point of a workload under a scheme, where there is one."""
    return next((one for one in points if (one.work, one.scheme) == (work, scheme)), None)
