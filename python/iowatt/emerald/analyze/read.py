"""Reads a measurement: the folder of `emerald run`, or files that were made elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from iowatt.base import input_file
from iowatt.base.errors import Argument, InputError
from iowatt.emerald import hosts
from iowatt.emerald.analyze.stages import IdlePeriod, Logs, MeasuredStages, StageRun, stage_run, unreadable
from iowatt.emerald.conduct import CALL, call_of, state_of
from iowatt.emerald.conduct.result import Attempt
from iowatt.emerald.finding import Finding, Weight
from iowatt.emerald.measurement import MEASUREMENT_SCHEMA, events
from iowatt.emerald.plan import Plan, PlannedInstrument, PlannedScript, PlanStage
from iowatt.emerald.plan import read as read_plan
from iowatt.emerald.plan.load import run_name
from iowatt.emerald.script import refuse_unknown, run_of
from iowatt.run.bundle import Run
from iowatt.sources import meters
from iowatt.sources.meters.log import InstrumentLog, duplicates, refuse_duplicates
from iowatt.sources.meters.recording import file_name, read_log
from iowatt.sources.observation import Observation

#: Output of each load generator in a stage's folder of `emerald run`.
_OUTPUTS = {"fio": "fio.json", "vdbench": "out", "simulation": "run", "files": "stage.json"}


def measurement(folder: Path) -> MeasuredStages:
    """A measurement of `emerald run`.

    Raises ``InputError``: it is not a measurement, or its plan or journal cannot be read. Unreadable stages
    and logs are findings.
    """
    manifest = input_file.json_object(
        folder / "measurement.json", hint="create one with `iowatt emerald run`"
    )
    if manifest.get("schema") != MEASUREMENT_SCHEMA:
        text = f"is not a measurement: its schema is not {MEASUREMENT_SCHEMA!r}"
        raise InputError("wrong-format", str(folder / "measurement.json"), text)
    plan = read_plan(folder / "plan.json")
    journal = list(events(folder))
    state = state_of(plan, journal)
    logs, findings = _logs(folder / "meters", plan)
    stages = [_stage(folder, plan, one.stage, one.counted, logs) for one in state.stages]
    before = _settings(folder / "settings-before.json")
    after = _settings(folder / "settings-after.json")
    live = {each.name for each in plan.instruments if meters.is_live(each.source)}
    foreign = [log for log in logs.power if log.instrument.name not in live]
    return MeasuredStages(plan, stages, journal, before, after, str(folder), findings, foreign)


def files(
    plan_file: Path,
    output: Path,
    power: Sequence[str],
    temperature: Sequence[str],
    *,
    time_zone: str | None = None,
    runs: Mapping[str, str] | None = None,
) -> MeasuredStages:
    """A measurement from files that a load generator and instruments wrote elsewhere.

    ``output``: directory with a folder for each stage by its name, or of one call of vdbench.
    ``power``, ``temperature``: logs by address, as for `iowatt meter read`, or plain paths of recordings.
    ``time_zone``: of vdbench's stamps, where their abbreviation does not tell (``America/Chicago``,
    ``+05:30``).
    ``runs``: stages by the names of vdbench's runs, where these are not those of the stages.
    Raises ``InputError``: the plan or a log cannot be read, there is no such directory, or the plan is for a
    simulation.
    """
    plan = read_plan(plan_file)
    if runs:
        if plan.source != "vdbench":
            text = f"only vdbench has run definitions, and the plan is for {plan.source}"
            raise InputError("not-applicable", Argument("map"), text)
        plan = plan.model_copy(update={"script": PlannedScript(runs=dict(runs))})
        refuse_unknown(plan)
    if plan.source == "simulation":
        text = "the plan is for a simulation, which has no output of a load generator"
        hint = (
            "`iowatt emerald run` simulates it and `iowatt emerald analyze` reads its directory; a plan for "
            "real storage has the driver fio or vdbench"
        )
        raise InputError("not-applicable", str(plan_file), text, hint=hint)
    if not output.is_dir():
        text = "expected a directory with the output of a load generator"
        raise InputError("wrong-kind", str(output), text)
    logs = Logs(
        [log for text in power for log in _named(text)], [log for text in temperature for log in _named(text)]
    )
    refuse_duplicates(logs.power)
    logs = replace(logs, missing=_not_given(plan, logs.power))
    stages: list[StageRun] = []
    for stage in plan.stages:
        if stage.workload is None:
            stages.append(_assumed_idle(plan, stage, stages, logs))
            continue
        try:
            folder = folder_of(plan, stage, output)
        except InputError as error:
            stages.append(StageRun(stage, None, findings=[unreadable(stage, error)]))
            continue
        stages.append(_read_stage(plan, stage, folder, logs, time_zone=time_zone))
    return MeasuredStages(plan, stages, None, place=str(output), foreign=logs.power)


def _stage(folder: Path, plan: Plan, stage: PlanStage, counted: Attempt | None, logs: Logs) -> StageRun:
    if counted is None:
        finding = Finding("not-run", "warning", f"{stage.id} did not run to its end")
        return StageRun(stage, None, findings=[finding])
    place = folder / counted.folder
    began, ended = counted.started, counted.ended
    times: dict[str, Any] = {"began": began, "ended": ended, "attempt": counted.number}
    if stage.workload is not None or plan.source == "simulation":
        return _read_stage(plan, stage, place, logs, **times)
    idle, findings = _idle_period(place / "rest.json", began, ended, stage.interval_s)
    if idle is None:
        return StageRun(stage, None, **times, findings=findings)
    return stage_run(plan, stage, idle, logs, **times, findings=findings)


def _idle_period(
    file: Path, began: float, ended: float | None, interval_s: float
) -> tuple[IdlePeriod | None, list[Finding]]:
    """When an idle stage was, by its own record, or by the journal."""
    try:
        record = input_file.json_object(file)
        idle = IdlePeriod(float(record["start"]), float(record["end"]))
        if not idle.possible(interval_s):
            raise ValueError
    except (InputError, ValueError, KeyError, TypeError, OverflowError):
        text = f"{file.name} does not have the times of the idle stage"
        if ended is None:
            return None, [Finding("rest-unknown", "invalid", text)]
        finding = Finding("rest-by-journal", "warning", f"{text}: the journal's times are taken")
        return IdlePeriod(began, ended), [finding]
    return idle, []


def _assumed_idle(plan: Plan, stage: PlanStage, before: Sequence[StageRun], logs: Logs) -> StageRun:
    """An idle stage without a record: it is assumed to follow the stage before at once."""
    last = next((one for one in reversed(before) if one.start is not None and one.seconds is not None), None)
    if last is None or stage.seconds is None:
        text = f"the time of {stage.id} is not known: no stage before it can be read"
        return StageRun(stage, None, findings=[Finding("rest-unknown", "invalid", text)])
    assert last.start is not None and last.seconds is not None
    start = last.start + last.seconds
    text = f"no file has the time of {stage.id}: it is assumed to follow {last.stage.id} at once"
    findings = [Finding("rest-assumed", "warning", text)]
    return stage_run(plan, stage, IdlePeriod(start, start + stage.seconds), logs, findings=findings)


def _logs(folder: Path, plan: Plan) -> tuple[Logs, list[Finding]]:
    """The logs of the plan's instruments, and findings on those that cannot be read."""
    found: dict[Literal["power", "temperature"], list[InstrumentLog]] = {"power": [], "temperature": []}
    findings, missing = [], []
    for instrument in plan.instruments:
        try:
            found[instrument.role] += _log(folder, instrument)
        except InputError as error:
            where = f"{error.place}: " if error.place else ""
            if instrument.role == "power":
                missing.append(instrument.name)
            weight: Weight = "invalid" if instrument.role == "power" else "non-compliant"
            text = f"the log of {instrument.name} cannot be read: {where}{error.message}"
            findings.append(Finding("log-unreadable", weight, text, {"instrument": instrument.name}))
    for first, second, why in duplicates(found["power"]):
        text = f"{why}: the power of {second.instrument.name} is left out, as it would be counted twice"
        names = [first.instrument.name, second.instrument.name]
        findings.append(Finding("meter-twice", "invalid", text, {"instruments": names}))
        found["power"] = [log for log in found["power"] if log is not second]
    return Logs(found["power"], found["temperature"], missing), findings


def _not_given(plan: Plan, power: Sequence[InstrumentLog]) -> list[str]:
    """Meters of the plan without a log; where logs made elsewhere have other names, how many."""
    wanted = [one.name for one in plan.instruments if one.role == "power"]
    more = len(wanted) - len(power)
    there = {log.instrument.name for log in power}
    silent = [name for name in wanted if name not in there]
    if more <= 0 or not power:
        return []
    return silent if len(silent) == more else [f"{more} of {', '.join(silent)}"]


def _log(folder: Path, instrument: PlannedInstrument) -> list[InstrumentLog]:
    if meters.is_live(instrument.source):
        return [_renamed(read_log(folder / f"{file_name(instrument.name)}.csv"), instrument.name)]
    address = meters.find(instrument.source)[0]
    copy = folder / f"{file_name(instrument.name)}-log{Path(address.path).suffix}"
    text = instrument.source.replace(address.path, str(copy), 1) if copy.exists() else instrument.source
    found = meters.logs(text)
    return [_renamed(found[0], instrument.name)] if len(found) == 1 else found


def _renamed(log: InstrumentLog, name: str) -> InstrumentLog:
    return replace(log, instrument=replace(log.instrument, name=name))


def _named(text: str) -> list[InstrumentLog]:
    """The logs of an address, or of a plain path to a recording."""
    path = Path(text)
    if path.is_file():
        with path.open("rb") as file:
            if file.read(2) == b"# ":
                return [read_log(path)]
    return meters.logs(text)


def _settings(file: Path) -> dict[str, Any] | None:
    """The settings that must not change; None where they were not recorded."""
    try:
        found = input_file.json_object(file)["settings"]
    except (InputError, KeyError):
        return None
    return found if isinstance(found, dict) else None


def _read_stage(
    plan: Plan,
    stage: PlanStage,
    folder: Path,
    logs: Logs,
    *,
    began: float | None = None,
    ended: float | None = None,
    attempt: int = 1,
    time_zone: str | None = None,
) -> StageRun:
    """The stage from the load generator's output in ``folder``."""
    on_hosts: list[Finding] = []
    try:
        if (folder / hosts.HOSTS).exists():
            on_hosts = list(hosts.findings(plan, stage, folder, _of_host))
        observed = observe(plan, stage, folder, time_zone=time_zone)
    except InputError as error:
        return StageRun(stage, None, began, ended, attempt, [*on_hosts, unreadable(stage, error)])
    return stage_run(
        plan, stage, observed, logs, began=began, ended=ended, attempt=attempt, findings=on_hosts
    )


def _of_host(plan: Plan, stage: PlanStage, folder: Path, origin: float | None) -> Observation | Run:
    """What one load host left of a stage, by its part of the plan."""
    return observe(plan, stage, folder, origin=origin)


def observe(
    plan: Plan,
    stage: PlanStage,
    folder: Path,
    *,
    time_zone: str | None = None,
    origin: float | None = None,
) -> Observation | Run:
    """The observation, or the simulated Run, in a stage's folder.

    ``folder``: as `emerald run` leaves it, or the output of the load generator itself.
    ``time_zone``: of vdbench's stamps, where their abbreviation is ambiguous.
    ``origin``: Unix time from which fio's intervals are counted.
    Raises ``InputError``: it is not there, damaged, or of another stage.
    """
    if (folder / hosts.HOSTS).exists():
        return hosts.observe(plan, stage, folder, _of_host)
    if (folder / CALL).exists():
        output, name = call_of(folder)
        return _vdbench_run(_vdbench(output, _stamp(output), time_zone), plan, stage, output, name)
    place = folder / _OUTPUTS[plan.source]
    if not place.exists():
        place = folder
    if plan.source == "simulation":
        return Run.open(place)
    if plan.source == "files":
        from iowatt.emerald.conduct.drivers import FilesDriver

        return FilesDriver().observe(plan, stage, folder)
    if plan.source == "fio":
        from iowatt.emerald.plan.load import shares_of_streams
        from iowatt.sources import fio

        observation = fio.read(place, interval_s=stage.interval_s, name=stage.id, origin=origin)
        # fio's jobs are directions of streams; the rules have shares of streams.
        return replace(observation, shares=shares_of_streams(stage, observation.shares))
    return _vdbench_run(_vdbench(place, _stamp(place), time_zone), plan, stage, place)


def folder_of(plan: Plan, stage: PlanStage, output: Path) -> Path:
    """The folder of a stage in an output directory made elsewhere.

    A folder or file by the stage's name, or the directory itself where vdbench ran the whole sequence in
    one call.
    """
    names = [stage.id, stage.id.replace("-", "_"), f"{stage.id}.json"]
    for name in names:
        if (output / name).exists():
            return _latest(plan, output / name)
    if plan.source == "vdbench":
        return output
    hint = f"expected a directory or file of this name: {', '.join(names)}"
    raise InputError("not-found", str(output), f"the directory has nothing of stage {stage.id}", hint=hint)


def _latest(plan: Plan, folder: Path) -> Path:
    """The latest attempt at a stage: `emerald run --resume` leaves ``attempt-2`` in the stage's folder.

    Raises ``InputError`` where it left nothing: earlier attempts do not count.
    """
    again = [
        (int(number), path)
        for path in folder.glob("attempt-*")
        if path.is_dir() and (number := path.name.removeprefix("attempt-")).isdecimal()
    ]
    if not again:
        return folder
    latest = max(again)[1]
    if not (latest / _OUTPUTS[plan.source]).exists():
        text = "the latest attempt at the stage has no output, and earlier ones were interrupted"
        raise InputError("not-found", str(latest / _OUTPUTS[plan.source]), text)
    return latest


def _vdbench_run(
    runs: Sequence[Observation], plan: Plan, stage: PlanStage, place: Path, name: str | None = None
) -> Observation:
    """The run of a stage among those of one call of vdbench, by its name where that is known."""
    name = name or run_of(plan, stage, [one.name for one in runs])
    own = [one for one in runs if one.name == name]
    if len(own) == 1:
        return own[0]
    if own:
        raise InputError("ambiguous", str(place), f"the output has {len(own)} runs of stage {stage.id}")
    text = f"the output has no run of stage {stage.id}, only {', '.join(one.name for one in runs)}"
    hint = f"expected a run called {run_name(stage)}; say which it is: `map=NAME={stage.id}`"
    raise InputError("not-found", str(place), text, hint=hint)


@lru_cache(maxsize=4)
def _vdbench(place: Path, stamp: object, time_zone: str | None) -> tuple[Observation, ...]:
    from iowatt.sources import vdbench

    del stamp  # a key of the cache: the files may change
    return tuple(vdbench.read(place, time_zone=time_zone))


def _stamp(place: Path) -> tuple[tuple[str, int, int], ...]:
    """Names, times and sizes of the files of an output."""
    folder = place if place.is_dir() else place.parent
    try:
        found = [(path.name, path.stat()) for path in folder.iterdir()]
    except OSError as error:
        raise InputError("unreadable", str(folder), f"cannot be read: {error.strerror}") from None
    return tuple(sorted((name, stat.st_mtime_ns, stat.st_size) for name, stat in found))
