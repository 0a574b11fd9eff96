"""A measurement as it lies: the folder of `emerald run`, or files that were made elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from iowatt.base import input_file
from iowatt.base.errors import InputError
from iowatt.emerald.analyze.observe import folder_of
from iowatt.emerald.analyze.stage_run import Measured, StageRun
from iowatt.emerald.analyze.stages import Logs, Rest, read_stage, stage_run, unreadable
from iowatt.emerald.conduct.recorders import file_name
from iowatt.emerald.conduct.state import Attempt, state_of
from iowatt.emerald.judge.finding import Finding
from iowatt.emerald.measurement import MEASUREMENT_SCHEMA, events
from iowatt.emerald.plan import folder as plans
from iowatt.emerald.plan.model import Instrument, Plan, Stage
from iowatt.sources.meters import source
from iowatt.sources.meters.align import duplicates, refuse_duplicates
from iowatt.sources.meters.instrument import InstrumentLog
from iowatt.sources.meters.recording import read_log


def measurement(folder: Path) -> Measured:
    """What `emerald run` left.

    Raises
    ------
    iowatt.base.errors.InputError
        It is no measurement, or its plan or journal cannot be read. Stages and logs that cannot be read
        are findings.
    """
    manifest = _object(folder / "measurement.json", "`iowatt emerald run` makes a measurement")
    if manifest.get("schema") != MEASUREMENT_SCHEMA:
        raise InputError(
            "wrong-format",
            str(folder / "measurement.json"),
            f"is not a measurement: its schema is not {MEASUREMENT_SCHEMA!r}",
        )
    plan = read_plan(folder / "plan.json")
    journal = list(events(folder))
    state = state_of(plan, journal)
    logs, findings = _logs(folder / "meters", plan)
    stages = [_stage(folder, plan, one.stage, one.counted, logs) for one in state.stages]
    before = _settings(folder / "settings-before.json")
    after = _settings(folder / "settings-after.json")
    live = {each.name for each in plan.instruments if source.is_live(each.source)}
    foreign = [log for log in logs.power if log.instrument.name not in live]
    return Measured(plan, stages, journal, before, after, str(folder), findings, foreign)


def files(
    plan_file: Path,
    output: Path,
    power: Sequence[str],
    temperature: Sequence[str],
    *,
    time_zone: str | None = None,
) -> Measured:
    """Files that a load generator and instruments wrote elsewhere.

    Parameters
    ----------
    output:
        Directory with a folder for each stage by its name, or of one call of vdbench.
    power, temperature:
        Logs by address, as for `iowatt meter read`, or plain paths of recordings.
    time_zone:
        Of vdbench's stamps, where their abbreviation does not tell (``America/Chicago``, ``+05:30``).

    Raises
    ------
    iowatt.base.errors.InputError
        The plan or a log cannot be read, there is no such directory, or the plan is of a simulation.
    """
    plan = read_plan(plan_file)
    if plan.source == "simulation":
        raise InputError(
            "not-applicable",
            str(plan_file),
            "the plan is for a simulation, which has no output of a load generator",
            hint="`iowatt emerald run` simulates it and `iowatt emerald analyze` reads its directory; "
            "a plan for real storage has the driver fio or vdbench",
        )
    if not output.is_dir():
        raise InputError(
            "wrong-kind", str(output), "expected a directory with the output of a load generator"
        )
    logs = Logs(
        [log for text in power for log in _named(text)],
        [log for text in temperature for log in _named(text)],
    )
    refuse_duplicates(logs.power)
    logs = replace(logs, missing=_not_given(plan, logs.power))
    stages: list[StageRun] = []
    for stage in plan.stages:
        if stage.workload is None:
            stages.append(_rest_behind(plan, stage, stages, logs))
            continue
        try:
            folder = folder_of(plan, stage, output)
        except InputError as error:
            stages.append(StageRun(stage, None, findings=[unreadable(stage, error)]))
            continue
        stages.append(read_stage(plan, stage, folder, logs, time_zone=time_zone))
    return Measured(plan, stages, None, place=str(output), foreign=logs.power)


def read_plan(file: Path) -> Plan:
    """A plan. Raises ``InputError`` with what is wrong with it."""
    return plans.read(file)


def _stage(folder: Path, plan: Plan, stage: Stage, counted: Attempt | None, logs: Logs) -> StageRun:
    if counted is None:
        return StageRun(
            stage, None, findings=[Finding("not-run", "warning", f"{stage.id} did not run to its end")]
        )
    place = folder / counted.folder
    began, ended = counted.started, counted.ended
    times: dict[str, Any] = {"began": began, "ended": ended, "attempt": counted.number}
    if stage.workload is not None or plan.source == "simulation":
        return read_stage(plan, stage, place, logs, **times)
    rest, findings = _rest(place / "rest.json", began, ended, stage.interval_s)
    if rest is None:
        return StageRun(stage, None, **times, findings=findings)
    return stage_run(plan, stage, rest, logs, **times, findings=findings)


def _rest(
    file: Path, began: float, ended: float | None, interval_s: float
) -> tuple[Rest | None, list[Finding]]:
    """When a stage rested, by its own record, or by the journal."""
    try:
        found = input_file.json_object(file)
        rest = Rest(float(found["start"]), float(found["end"]))
        if not rest.possible(interval_s):
            raise ValueError
    except (InputError, ValueError, KeyError, TypeError, OverflowError):
        text = f"{file.name} does not say when the rest was"
        if ended is None:
            return None, [Finding("rest-unknown", "invalid", text)]
        return Rest(began, ended), [
            Finding("rest-by-journal", "warning", f"{text}: the journal's times are taken")
        ]
    return rest, []


def _rest_behind(plan: Plan, stage: Stage, before: Sequence[StageRun], logs: Logs) -> StageRun:
    """A rest of which no file tells: it is taken to follow what went before at once."""
    last = next((one for one in reversed(before) if one.start is not None and one.seconds is not None), None)
    if last is None or stage.seconds is None:
        text = f"when {stage.id} was is not known: no stage before it can be read"
        return StageRun(stage, None, findings=[Finding("rest-unknown", "invalid", text)])
    assert last.start is not None and last.seconds is not None
    start = last.start + last.seconds
    text = f"no file says when {stage.id} was: it is taken to have followed {last.stage.id} at once"
    findings = [Finding("rest-assumed", "warning", text)]
    return stage_run(plan, stage, Rest(start, start + stage.seconds), logs, findings=findings)


def _logs(folder: Path, plan: Plan) -> tuple[Logs, list[Finding]]:
    """What the plan's instruments recorded; one that cannot be read is named."""
    found: dict[Literal["power", "temperature"], list[InstrumentLog]] = {"power": [], "temperature": []}
    findings, missing = [], []
    for instrument in plan.instruments:
        try:
            found[instrument.role] += _log(folder, instrument)
        except InputError as error:
            where = f"{error.place}: " if error.place else ""
            if instrument.role == "power":
                missing.append(instrument.name)
            findings.append(
                Finding(
                    "log-unreadable",
                    "invalid" if instrument.role == "power" else "non-compliant",
                    f"what {instrument.name} recorded cannot be read: {where}{error.message}",
                    {"instrument": instrument.name},
                )
            )
    for first, second, why in duplicates(found["power"]):
        text = f"{why}: the power of {second.instrument.name} is left out, as it would be counted twice"
        findings.append(
            Finding(
                "meter-twice",
                "invalid",
                text,
                {"instruments": [first.instrument.name, second.instrument.name]},
            )
        )
        found["power"] = [log for log in found["power"] if log is not second]
    return Logs(found["power"], found["temperature"], missing), findings


def _not_given(plan: Plan, power: Sequence[InstrumentLog]) -> list[str]:
    """Meters of the plan without a log; logs made elsewhere may have names of their own, then how many."""
    wanted = [one.name for one in plan.instruments if one.role == "power"]
    more = len(wanted) - len(power)
    there = {log.instrument.name for log in power}
    silent = [name for name in wanted if name not in there]
    if more <= 0 or not power:
        return []
    return silent if len(silent) == more else [f"{more} of {', '.join(silent)}"]


def _log(folder: Path, instrument: Instrument) -> list[InstrumentLog]:
    if source.is_live(instrument.source):
        return [_called(read_log(folder / f"{file_name(instrument)}.csv"), instrument.name)]
    address = source.find(instrument.source)[0]
    copy = folder / f"{file_name(instrument)}-log{Path(address.path).suffix}"
    text = instrument.source.replace(address.path, str(copy), 1) if copy.exists() else instrument.source
    found = source.logs(text)
    return [_called(found[0], instrument.name)] if len(found) == 1 else found


def _called(log: InstrumentLog, name: str) -> InstrumentLog:
    return replace(log, instrument=replace(log.instrument, name=name))


def _named(text: str) -> list[InstrumentLog]:
    """The log of an address, or of a plain path to a recording."""
    path = Path(text)
    if path.is_file():
        with path.open("rb") as file:
            if file.read(2) == b"# ":
                return [read_log(path)]
    return source.logs(text)


def _settings(file: Path) -> dict[str, Any] | None:
    """The settings that may not change; None where they were not recorded."""
    try:
        found = input_file.json_object(file)["settings"]
    except (InputError, KeyError):
        return None
    return found if isinstance(found, dict) else None


def _object(file: Path, hint: str) -> dict[str, Any]:
    return input_file.json_object(file, hint=hint)


def _text(file: Path, hint: str) -> str:
    try:
        return file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        said = getattr(error, "strerror", None) or "is not UTF-8 text"
        raise InputError("unreadable", str(file), f"cannot be read: {said}", hint=hint) from None
