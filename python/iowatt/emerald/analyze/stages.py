"""Stages as Runs: what the load generator saw, joined with what the instruments recorded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path
from typing import Final

from iowatt.base.errors import InputError
from iowatt.emerald.analyze.observe import observe
from iowatt.emerald.analyze.stage_run import StageRun
from iowatt.emerald.judge.finding import Finding
from iowatt.emerald.plan.model import Plan, Stage
from iowatt.run.bundle import Run
from iowatt.sources.measured import MeasuredAbout, measured_run
from iowatt.sources.meters.instrument import InstrumentLog
from iowatt.sources.observation import Interval, Observation

#: The rules' longest rest is of two hours.
_LONGEST_REST_S: Final = 7 * 86_400.0
_MOST_INTERVALS: Final = 1_000_000
#: Unix time that every calendar holds.
_LATEST: Final = 1e11


@dataclass(frozen=True)
class Logs:
    """What instruments recorded, over the whole measurement."""

    power: Sequence[InstrumentLog] = ()
    temperature: Sequence[InstrumentLog] = ()
    #: Names of power meters of the plan of which there is no log.
    missing: Sequence[str] = ()


@dataclass(frozen=True)
class Rest:
    """A stage without requests: when, in Unix seconds."""

    start: float
    end: float

    def possible(self, interval_s: float) -> bool:
        """Whether it can have been: finite, in order, and of a length that figures can be made of."""
        return (
            0 <= self.start < self.end <= _LATEST
            and self.end - self.start <= _LONGEST_REST_S
            and (self.end - self.start) / interval_s <= _MOST_INTERVALS
        )


def stage_run(
    plan: Plan,
    stage: Stage,
    seen: Observation | Run | Rest,
    logs: Logs,
    *,
    began: float | None = None,
    ended: float | None = None,
    attempt: int = 1,
    findings: Sequence[Finding] = (),
) -> StageRun:
    """The stage as a Run. What cannot be made into one is named in the findings instead."""
    whole = StageRun(stage, None, began, ended, attempt, findings)
    if isinstance(seen, Run):
        return replace(whole, run=seen)
    if isinstance(seen, Rest) and not seen.possible(stage.interval_s):
        text = (
            f"{stage.id} cannot have lasted from {seen.start:g} to {seen.end:g} s: a rest has finite times "
            f"in order and lasts at most {_LONGEST_REST_S:g} s"
        )
        return replace(whole, findings=[*findings, Finding("rest-impossible", "invalid", text)])
    about = MeasuredAbout(
        name=stage.id,
        target=plan.target.path or "target",
        raw_bytes=plan.raw_capacity_bytes,
        tested_bytes=plan.target.size_bytes,
        seed=plan.seed,
        plan={"measurement": plan.name, "stage": stage.id, "phase": stage.phase},
    )
    found = list(findings)

    def made(observation: Observation | None, start: float, end: float) -> tuple[Run, list[Finding]]:
        power, without = _touching(logs.power, start, end, "meter", "power")
        temperature, cold = _touching(logs.temperature, start, end, "thermometer", "temperature")
        silent = [log.instrument.name for log in logs.power if not any(log is one for one in power)]
        run = measured_run(
            about,
            observation,
            power=power,
            temperature=temperature,
            missing=[*logs.missing, *silent],
            start=start,
            end=end,
            interval_s=stage.interval_s,
            source=plan.source,
        )
        return run, [*without, *_part(power, [*logs.missing, *silent]), *cold]

    try:
        if isinstance(seen, Rest):
            run, more = made(None, seen.start, seen.end)
            return replace(whole, run=run, findings=[*found, *more])
        before, counted = _counted(seen, stage)
        run, more = made(counted, *_reach(counted))
        found += more
        # What its minutes lack shows in the averages that they are the history of.
        lead_in = None if before is None else made(before, *_reach(before))[0]
    except InputError as error:
        return replace(whole, findings=[*found, unreadable(stage, error)])
    return replace(whole, run=run, findings=found, lead_in=lead_in)


def read_stage(
    plan: Plan,
    stage: Stage,
    folder: Path,
    logs: Logs,
    *,
    began: float | None = None,
    ended: float | None = None,
    attempt: int = 1,
    time_zone: str | None = None,
) -> StageRun:
    """The stage from what the load generator left in ``folder``."""
    try:
        seen = observe(plan, stage, folder, time_zone=time_zone)
    except InputError as error:
        return StageRun(stage, None, began, ended, attempt, [unreadable(stage, error)])
    return stage_run(plan, stage, seen, logs, began=began, ended=ended, attempt=attempt)


def unreadable(stage: Stage, error: InputError) -> Finding:
    """What cannot be read, with the reader's own words."""
    return Finding(
        "unreadable", "invalid", f"{stage.id} cannot be read: {error.place or ''}: {error.message}"
    )


def _counted(seen: Observation, stage: Stage) -> tuple[Observation | None, Observation]:
    """What was run before the counted figures of a measurement, if anything, and what counts.

    Averages of other stages are no figures of the test, so all of their intervals count.
    """
    if stage.role != "measurement":
        return None, _as_counted(seen, seen.intervals)
    seen = _without_first(seen, stage)
    before = list(takewhile(lambda interval: not interval.counted, seen.intervals))
    return (_as_counted(seen, before) if before else None), seen


def _without_first(seen: Observation, stage: Stage) -> Observation:
    """A measurement of vdbench is told one interval more than it lasts, and the first one does not count.

    Its own averages hold it nevertheless in some versions (5.04.06), so that the figures come from the
    intervals alone where these are as many.
    """
    planned = None if stage.seconds is None else round(stage.seconds / stage.interval_s)
    first = seen.intervals[0]
    if seen.tool != "vdbench" or not first.counted or planned is None or len(seen.intervals) <= planned:
        return seen
    return replace(
        seen,
        intervals=[replace(first, counted=False), *seen.intervals[1:]],
        totals=None,
        total=None,
        reported=None,
        warnings=[
            *seen.warnings,
            f"vdbench's averages hold {len(seen.intervals)} intervals; {planned} are measured, from the "
            "second on",
        ],
    )


def _as_counted(seen: Observation, intervals: Sequence[Interval]) -> Observation:
    return replace(seen, intervals=[replace(interval, counted=True) for interval in intervals])


def _reach(seen: Observation) -> tuple[float, float]:
    """From the first to the last of its intervals that count; all of it where none does."""
    counted = [interval for interval in seen.intervals if interval.counted]
    return (counted[0].start, counted[-1].end) if counted else (seen.start, seen.end)


def _part(power: Sequence[InstrumentLog], missing: Sequence[str]) -> list[Finding]:
    """That some of the meters have nothing, so that the others are a part of the power only."""
    if not missing or not power:
        return []
    names = ", ".join(missing)
    text = (
        f"nothing of {names} is there, and {', '.join(log.instrument.name for log in power)} "
        f"{'are' if len(power) > 1 else 'is'} only a part of the meters: the power is not known"
    )
    return [Finding("power-in-part", "invalid", text, {"missing": list(missing)})]


def _touching(
    logs: Sequence[InstrumentLog], start: float, end: float, what: str, role: str
) -> tuple[list[InstrumentLog], list[Finding]]:
    """Logs that have a sample within the stage, and what is to be said of the others."""
    there, findings = [], []
    for log in logs:
        if len(log.time_s) and bool(((log.time_s > start) & (log.time_s <= end)).any()):
            there.append(log)
            continue
        name = log.instrument.name
        if not len(log.time_s):
            text = f"the log of {what} {name} holds no sample"
        else:
            away = max(float(log.time_s[0]) - end, start - float(log.time_s[-1]))
            text = (
                f"the log of {what} {name} has no sample in this stage: it ends or begins {away:,.0f} s "
                "away, so it is "
                "of another run, or its clock is not that of the load generator"
                if away > 0
                else f"the log of {what} {name} has no sample in this stage"
            )
        weight = "invalid" if role == "power" else "non-compliant"
        findings.append(Finding(f"{what}-other-time", weight, text, {"instrument": name}))  # type: ignore[arg-type]
    return there, findings
