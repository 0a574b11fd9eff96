"""When each stage of a plan starts and ends."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from pydantic import Field

from iowatt.base.results import Result
from iowatt.emerald.plan import vdbench
from iowatt.emerald.plan.model import Plan, Stage
from iowatt.emerald.plan.workloads import FILL, span


class Entry(Result):
    """A stage in time. Seconds count from the start, or, behind a stage of unknown length, from its end."""

    stage: str
    role: str
    workload: str | None
    #: How long it takes; None where that is not known.
    seconds: float | None
    #: Whether that is computed from a rate that was given.
    estimated: bool
    start_s: float
    end_s: float | None
    #: The stage from whose end the seconds count; None for the start of all.
    since: str | None
    #: ISO 8601, where a start was given and nothing before is of unknown length.
    starts: str | None
    ends: str | None


class Uninterrupted(Result):
    """The part without a break: warm-ups, measurements and ready idle."""

    from_: str = Field(alias="from")
    to: str
    seconds: float


class Calendar(Result):
    """When the stages of a plan are run; ``unknown`` are those whose length is not known."""

    stages: list[Entry]
    known_seconds: float
    unknown: list[str]
    uninterrupted: Uninterrupted


def lasting(plan: Plan, stage: Stage) -> float | None:
    """How long a stage takes in s: with vdbench, whole seconds and the interval that it does not count."""
    if stage.seconds is None:
        return None
    if plan.source == "vdbench" and stage.workload is not None:
        return float(vdbench.seconds(stage)[0])
    return stage.seconds


def entries(plan: Plan, start: datetime | None = None, fill_rate: float | None = None) -> list[Entry]:
    """The stages of a plan in time.

    Parameters
    ----------
    start:
        When the first one begins.
    fill_rate:
        Bytes per second at which the pre-fill is expected to write.
    """
    found: list[Entry] = []
    at, since = 0.0, None
    for stage in plan.stages:
        length, estimated = lasting(plan, stage), False
        if length is None and stage.workload == FILL and fill_rate is not None:
            tested = span(plan)
            length, estimated = tested.bytes_each * len(tested.paths) / fill_rate, True
        end = None if length is None else at + length
        known = start is not None and since is None
        found.append(
            Entry(
                stage=stage.id,
                role=stage.role,
                workload=stage.workload,
                seconds=length,
                estimated=estimated,
                start_s=at,
                end_s=end,
                since=since,
                starts=_when(start, at) if known else None,
                ends=_when(start, end) if known and end is not None else None,
            )
        )
        at, since = (0.0, stage.id) if end is None else (end, since)
    return found


def calendar(found: Sequence[Entry]) -> Calendar:
    """The stages in time, the length of the whole as far as it is known, and of the uninterrupted part."""
    active = [one for one in found if one.role in ("warmup", "measurement", "idle")]
    return Calendar(
        stages=list(found),
        known_seconds=sum(one.seconds for one in found if one.seconds is not None),
        unknown=[one.stage for one in found if one.seconds is None],
        uninterrupted=Uninterrupted(
            from_=active[0].stage, to=active[-1].stage, seconds=sum(one.seconds or 0.0 for one in active)
        ),
    )


def _when(start: datetime | None, seconds: float) -> str:
    assert start is not None, "asked for only where it is"
    return (start + timedelta(seconds=seconds)).isoformat(sep=" ", timespec="seconds")


def span_text(seconds: float) -> str:
    """A length of time as a planner reads it: 1 d 3 h 25 min, 31 min, 6 s, 0.6 s."""
    if seconds < 60:
        return f"{seconds:.3g} s"
    left = round(seconds)
    words = []
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60), ("s", 1)):
        count, left = divmod(left, size)
        if count:
            words.append(f"{count} {unit}")
    return " ".join(words)


def clock_text(seconds: float) -> str:
    """A time since the start: 1 d 03:25:00."""
    whole = int(seconds)
    days, rest = divmod(whole, 86400)
    part = f"{seconds - whole:.1f}"[1:] if seconds - whole >= 0.05 else ""
    text = f"{rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}{part if part != '.0' else ''}"
    return f"{days} d {text}" if days else text
