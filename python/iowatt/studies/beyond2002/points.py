"""What each point drew and delayed, and what the idle lens says of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from iowatt.studies.stages import StudyPoints, figure, figures

if TYPE_CHECKING:
    from iowatt.lenses.idle.result import IdlePeriods
    from iowatt.run.bundle import Run
    from iowatt.studies.stages import Results, StudyStage

DAY_S: Final = 86_400.0
#: Policies of the idle lens that a load is asked for, by the study's name.
LENS: Final = {
    "oracle": "oracle-energy",
    "two-competitive": "two-competitive",
    "arima": "arima-50",
    "law-driven": "law-driven-50",
}


@dataclass(frozen=True, kw_only=True)
class SleepPoint:
    """A load on drives of one kind under a policy."""

    kind: str = figure("kind")
    work: str = figure("work")
    drive: str = figure("drive")
    policy: str = figure("policy")
    share: float = figure("share")
    iops: float = figure("throughput.iops")
    power_w: float = figure("power_w.mean")
    mean_ms: float = figure("response_time_ms.all.mean")
    p99_ms: float = figure("response_time_ms.all.p99")
    #: Share of requests that took longer than a second: they waited for a drive to start.
    waited: float
    #: Starts of a drive in a day.
    starts: float
    #: Mean idle period in s, and the break-even time; None where not asked.
    idle_s: float | None = None
    break_even_s: float | None = None
    #: Share of all energy that a policy would save by the idle lens, and of arrivals delayed, by ``LENS``.
    saves: dict[str, float]
    delays: dict[str, float]


def read(results: Results) -> StudyPoints[SleepPoint]:
    """All points that were simulated."""
    rows = list(results.rows())
    results.analyse_idle([(stage, row) for stage, row in rows if stage.labels["policy"] == "never"])
    return StudyPoints([_point(results, stage, row) for stage, row in rows])


def _point(results: Results, stage: StudyStage, row: dict[str, Any]) -> SleepPoint:
    run = results.run(stage, row)
    summary, devices = run.summary, run.summary["devices"]
    days = summary["window"]["duration_s"] / DAY_S
    more: dict[str, Any] = {"saves": {}, "delays": {}}
    if stage.labels["policy"] == "never":
        more = _asked(results.idle(stage, row).periods)
    return SleepPoint(
        **figures(SleepPoint, stage.labels, summary),
        waited=longer_than(run, 1000.0),
        starts=sum(device["spin_ups"] for device in devices) / len(devices) / days,
        **more,
    )


def _asked(idle: IdlePeriods) -> dict[str, Any]:
    by_key = {row.policy: row for row in idle.policies}
    outcomes = {name: by_key[key] for name, key in LENS.items()}
    return {
        "idle_s": idle.idle_s / idle.periods if idle.periods else 0.0,
        "break_even_s": idle.drives[0].break_even_s,
        "saves": {name: one.saved_share_of_total or 0.0 for name, one in outcomes.items()},
        "delays": {name: one.delayed_share for name, one in outcomes.items()},
    }


def longer_than(run: Run, ms: float) -> float:
    """Share of requests whose response time was above that, by the histogram's bins."""
    latency = run.table("latency")
    count = int(latency["count"].sum())
    above = int(latency.filter(latency["low_ns"] >= ms * 1e6)["count"].sum())
    return above / count if count else 0.0
