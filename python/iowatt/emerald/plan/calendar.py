"""When each stage of a plan starts and ends."""

from __future__ import annotations

from datetime import datetime, timedelta

from iowatt.emerald.phases import FILL
from iowatt.emerald.plan.load.vdbench import elapsed_s
from iowatt.emerald.plan.load.workloads import span
from iowatt.emerald.plan.model import Plan, PlanStage
from iowatt.emerald.plan.result import Calendar, CalendarEntry, Uninterrupted


def length_s(plan: Plan, stage: PlanStage) -> float | None:
    """Length of a stage in s: with vdbench, whole seconds and the interval that it does not count."""
    if stage.seconds is None:
        return None
    if plan.source == "vdbench" and stage.workload is not None:
        return elapsed_s(stage)
    return stage.seconds


def calendar(plan: Plan, start: datetime | None = None, fill_rate: float | None = None) -> Calendar:
    """The stages of a plan in time.

    ``start``: when the first one begins.
    ``fill_rate``: bytes per second at which the pre-fill is expected to write.
    """

    def when(seconds: float | None) -> str | None:
        if start is None or since is not None or seconds is None:
            return None
        return (start + timedelta(seconds=seconds)).isoformat(sep=" ", timespec="seconds")

    entries: list[CalendarEntry] = []
    at, since = 0.0, None
    for stage in plan.stages:
        length, estimated = length_s(plan, stage), False
        if length is None and stage.workload == FILL and fill_rate is not None:
            tested = span(plan)
            length, estimated = tested.bytes_each * len(tested.paths) / fill_rate, True
        end = None if length is None else at + length
        entries.append(
            CalendarEntry(
                stage=stage.id,
                role=stage.role,
                workload=stage.workload,
                seconds=length,
                estimated=estimated,
                start_s=at,
                end_s=end,
                since=since,
                starts=when(at),
                ends=when(end),
            )
        )
        at, since = (0.0, stage.id) if end is None else (end, since)
    active = [one for one in entries if one.role in ("warmup", "measurement", "idle")]
    seconds = sum(one.seconds or 0.0 for one in active)
    return Calendar(
        stages=entries,
        known_seconds=sum(one.seconds for one in entries if one.seconds is not None),
        unknown=[one.stage for one in entries if one.seconds is None],
        uninterrupted=Uninterrupted(from_=active[0].stage, to=active[-1].stage, seconds=seconds),
    )


def span_text(seconds: float) -> str:
    """A length of time in words: 1 d 3 h 25 min, 31 min, 6 s, 0.6 s."""
    if seconds < 60:
        return f"{seconds:.3g} s"
    left = round(seconds)
    words = []
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60), ("s", 1)):
        count, left = divmod(left, size)
        if count:
            words.append(f"{count} {unit}")
    return " ".join(words)
