"""Stages as Runs: the load generator's figures joined with the instruments' records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import takewhile
from typing import Any, Final

from iowatt.base.errors import InputError
from iowatt.emerald.finding import Finding
from iowatt.emerald.measurement import Event
from iowatt.emerald.plan import Plan, PlanStage
from iowatt.run.bundle import Run
from iowatt.sources.measured import MeasuredAbout, measured_run
from iowatt.sources.meters.log import InstrumentLog
from iowatt.sources.observation import Interval, Observation

_LONGEST_IDLE_S: Final = 7 * 86_400.0  #: The rules' longest idle stage lasts two hours.
_MOST_INTERVALS: Final = 1_000_000
_LATEST: Final = 1e11  #: Unix time that every calendar can hold.


@dataclass(frozen=True)
class StageRun:
    """A stage of the plan and its Run."""

    stage: PlanStage
    run: Run | None  #: None where the stage left nothing readable; ``findings`` has the reason.
    began: float | None = None  #: By the journal, Unix seconds; None without a journal.
    ended: float | None = None  #: Likewise.
    attempt: int = 1
    findings: Sequence[Finding] = ()  #: From reading it.
    #: Intervals before those that count: vdbench leaves out the first interval of a run.
    lead_in: Run | None = None

    @property
    def start(self) -> float | None:
        """Unix time of its first counted minute by the load generator's clock; None without one."""
        return _start(self.run)

    @property
    def whole(self) -> tuple[float, float] | None:
        """From its first minute to the end of its last, those that do not count included; Unix seconds."""
        start, seconds = self.start, self.seconds
        if start is None or seconds is None:
            return None
        first = _start(self.lead_in)
        return (start if first is None else first), start + seconds

    @property
    def seconds(self) -> float | None:
        """How long its figures last."""
        return None if self.run is None else float(self.run.summary["window"]["duration_s"])


def _start(run: Run | None) -> float | None:
    text = None if run is None else (run.plan.get("measured") or {}).get("start")
    return datetime.fromisoformat(text).timestamp() if isinstance(text, str) else None


def rule_seconds(stage: PlanStage, plan: Plan) -> float | None:
    """The required length of a stage, scaled like the plan's times: one finding names the scale."""
    return None if stage.rule_seconds is None else stage.rule_seconds * plan.time_scale


@dataclass(frozen=True)
class MeasuredStages:
    """A measurement as it was read."""

    plan: Plan
    stages: Sequence[StageRun]  #: In the order of the plan, those that left nothing included.
    events: Sequence[Event] | None = None  #: The journal, oldest first; None without one.
    settings_before: Mapping[str, Any] | None = None
    settings_after: Mapping[str, Any] | None = None
    place: str = ""  #: The folder, or the output of a load generator, that it was read from.
    findings: Sequence[Finding] = field(default_factory=tuple)
    #: Logs of power stamped by another clock than that of the host that ran the measurement.
    foreign: Sequence[InstrumentLog] = ()


@dataclass(frozen=True)
class Logs:
    """Logs of instruments over the whole measurement."""

    power: Sequence[InstrumentLog] = ()
    temperature: Sequence[InstrumentLog] = ()
    missing: Sequence[str] = ()  #: Names of power meters of the plan without a log.


@dataclass(frozen=True)
class IdlePeriod:
    """When an idle stage was, Unix seconds."""

    start: float
    end: float

    def possible(self, interval_s: float) -> bool:
        """Whether its times are finite, in order, and of a length that figures can be computed of."""
        return (
            0 <= self.start < self.end <= _LATEST
            and self.end - self.start <= _LONGEST_IDLE_S
            and (self.end - self.start) / interval_s <= _MOST_INTERVALS
        )


def stage_run(
    plan: Plan,
    stage: PlanStage,
    observed: Observation | Run | IdlePeriod,
    logs: Logs,
    *,
    began: float | None = None,
    ended: float | None = None,
    attempt: int = 1,
    findings: Sequence[Finding] = (),
) -> StageRun:
    """The stage as a Run; where that is not possible, the findings have the reason."""
    whole = StageRun(stage, None, began, ended, attempt, findings)
    if isinstance(observed, Run):
        return replace(whole, run=observed)
    if isinstance(observed, IdlePeriod) and not observed.possible(stage.interval_s):
        text = (
            f"{stage.id} cannot have lasted from {observed.start:g} to {observed.end:g} s: an idle stage has "
            f"finite times in order and lasts at most {_LONGEST_IDLE_S:g} s"
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
        if isinstance(observed, IdlePeriod):
            run, more = made(None, observed.start, observed.end)
            return replace(whole, run=run, findings=[*found, *more])
        before, counted = _counted(observed, stage)
        run, more = made(counted, *_reach(counted))
        found += more
        # Gaps in its minutes show in the averages that they are the history of.
        lead_in = None if before is None else made(before, *_reach(before))[0]
    except InputError as error:
        return replace(whole, findings=[*found, unreadable(stage, error)])
    return replace(whole, run=run, findings=found, lead_in=lead_in)


def unreadable(stage: PlanStage, error: InputError) -> Finding:
    """A stage that cannot be read, with the reader's message."""
    return Finding(
        "unreadable", "invalid", f"{stage.id} cannot be read: {error.place or ''}: {error.message}"
    )


def _counted(observed: Observation, stage: PlanStage) -> tuple[Observation | None, Observation]:
    """The uncounted intervals before those of a measurement, if any, and the whole with its counted ones.

    Averages of other stages are not figures of the test, so all of their intervals count.
    """
    if stage.role != "measurement":
        return None, _as_counted(observed, observed.intervals)
    observed = _without_first(observed, stage)
    before = list(takewhile(lambda interval: not interval.counted, observed.intervals))
    return (_as_counted(observed, before) if before else None), observed


def _without_first(seen: Observation, stage: PlanStage) -> Observation:
    """A measurement without vdbench's first interval, which is run in addition and does not count.

    Averages of some versions (5.04.06) include it; then the figures come from the intervals alone.
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
    """From the first to the last counted interval; all of it where none counts."""
    counted = [interval for interval in seen.intervals if interval.counted]
    return (counted[0].start, counted[-1].end) if counted else (seen.start, seen.end)


def _part(power: Sequence[InstrumentLog], missing: Sequence[str]) -> list[Finding]:
    """Meters without a log, which make the others a part of the power only."""
    if not missing or not power:
        return []
    names = ", ".join(missing)
    text = (
        f"there is no log of {names}, and {', '.join(log.instrument.name for log in power)} "
        f"{'are' if len(power) > 1 else 'is'} only a part of the meters: the power is not known"
    )
    return [Finding("power-in-part", "invalid", text, {"missing": list(missing)})]


def _touching(
    logs: Sequence[InstrumentLog], start: float, end: float, what: str, role: str
) -> tuple[list[InstrumentLog], list[Finding]]:
    """Logs that have a sample within the stage, and findings on the others."""
    there, findings = [], []
    for log in logs:
        if len(log.time_s) and bool(((log.time_s > start) & (log.time_s <= end)).any()):
            there.append(log)
            continue
        name = log.instrument.name
        if not len(log.time_s):
            text = f"the log of {what} {name} holds no sample"
        else:
            text = f"the log of {what} {name} has no sample in this stage"
            away = max(float(log.time_s[0]) - end, start - float(log.time_s[-1]))
            if away > 0:
                text += (
                    f": it ends or begins {away:,.0f} s away, so it is of another run, or its clock is not "
                    "that of the load generator"
                )
        weight = "invalid" if role == "power" else "non-compliant"
        findings.append(Finding(f"{what}-other-time", weight, text, {"instrument": name}))  # type: ignore[arg-type]
    return there, findings
