"""What each workload under each scheme drew, saved and cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from iowatt.studies.offloading2008.systems import SCHEMES
from iowatt.studies.stages import figure, figures

if TYPE_CHECKING:
    from iowatt.run.bundle import Run
    from iowatt.studies.stages import Results, StudyStage

DAY_S: Final = 86_400.0


@dataclass(frozen=True, kw_only=True)
class SchemePoint:
    """A workload under a scheme."""

    work: str = figure("work")
    scheme: str = figure("scheme")
    drives: int
    requests: int = figure("requests.count")
    power_w: float = figure("power_w.mean")
    #: Of the mean power of the same volumes on drives that always spin.
    saved: float
    mean_ms: float = figure("response_time_ms.all.mean")
    p99_ms: float = figure("response_time_ms.all.p99")
    #: Share of requests that took longer than a second: they waited for a drive to start.
    waited: float
    #: Starts of a drive in a day, those of a cache included.
    starts: float
    #: Energy of moving data, as a share of all.
    moving: float
    #: What the scheme counted, by the names of ``run.json``.
    movement: Mapping[str, Any]


SchemePoints = dict[tuple[str, str], SchemePoint]
"""By workload and scheme, in the study's order."""


def read(results: Results) -> SchemePoints:
    """All points that were simulated."""
    points: SchemePoints = {}
    for work in dict.fromkeys(str(stage.labels["work"]) for stage in results.stages.values()):
        base_w = None
        for scheme in SCHEMES:
            for stage, row in results.rows(work=work, scheme=scheme):
                run = results.run(stage, row)
                base_w = base_w or run.summary["power_w"]["mean"]
                points[work, scheme] = _point(stage, run, base_w)
    return points


def _point(stage: StudyStage, run: Run, base_w: float) -> SchemePoint:
    summary, devices = run.summary, run.summary["devices"]
    energy = summary["energy"]
    days = summary["window"]["duration_s"] / DAY_S
    pools = summary.get("virtual_pools") or [{}]
    return SchemePoint(
        **figures(SchemePoint, stage.labels, summary),
        drives=len(devices),
        saved=1 - summary["power_w"]["mean"] / base_w,
        waited=_longer_than(run, 1000.0),
        starts=sum(device["spin_ups"] for device in devices) / len(devices) / days,
        moving=energy["by_cause_j"].get("migration", 0.0) / energy["total_j"],
        movement=pools[0].get("data_movement") or {},
    )


def _longer_than(run: Run, ms: float) -> float:
    """Share of requests whose response time was above that, by the histogram's bins."""
    latency = run.table("latency")
    count = int(latency["count"].sum())
    above = int(latency.filter(latency["low_ns"] >= ms * 1e6)["count"].sum())
    return above / count if count else 0.0
