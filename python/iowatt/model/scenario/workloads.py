"""The workloads of a scenario on their volumes: traces found, profiles compiled."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from iowatt.base.problems import Reporter, nearest, suggestion
from iowatt.model.recorded_trace import TraceKeys, recorded
from iowatt.model.scenario.keys.scenario import Scenario
from iowatt.model.scenario.keys.workload import OpenReplay, WorkloadKeys
from iowatt.model.scenario.paths import as_named
from iowatt.model.scenario.resolved import ResolvedSystem


def resolve_workloads(
    scenario: Scenario, base_dir: Path, system: ResolvedSystem, *, traces_must_exist: bool
) -> None:
    """Set ``volume_of_workload`` and ``synthetic``."""
    placed = {extent.name: index for index, extent in enumerate(system.volumes)}
    standard_input = ""
    for index, workload in enumerate(scenario.workload):
        report = system.report.at(f"workload.{index}")
        if workload.end is not None and workload.end <= workload.start:
            message = f"the end at {workload.end:g} s is not after the start at {workload.start:g} s"
            report("conflict", "end", message, "give a later `end`")
        _volume(workload, scenario.volume_names, placed, report, system)
        if (workload.trace is None) == (workload.profile is None):
            code = "conflict" if workload.trace else "missing"
            both = "both `trace` and `profile` are" if workload.trace else "neither `trace` nor `profile` is"
            hint = 'trace = { path = "oltp.csv.gz" }, or profile = { name = "hot-band", rate_iops = 500 }'
            report(code, "", f"{both} given; a workload has one of them", hint)
        elif workload.trace is None:
            _synthetic(scenario, index, base_dir, report, system)
        else:
            trace = report.at("trace")
            for key, name in _files(workload.trace):
                if name != "-":
                    if traces_must_exist:
                        _must_exist(name, base_dir, trace.at(key))
                    continue
                if standard_input:
                    message = f"workload {standard_input!r} already reads standard input"
                    trace("read-once", key, message, "name a file for one of them")
                standard_input = workload.name
            _contradictions(workload.trace, trace)
            if isinstance(workload.replay, OpenReplay) and workload.replay.speed != 1:
                text = (
                    f"workload {workload.name!r}: its trace is replayed at {workload.replay.speed:g} times "
                    "the recorded speed (replay.speed)"
                )
                system.note("replay-speed", text, decides=True)


def _volume(
    workload: WorkloadKeys,
    volumes: list[str],
    placed: dict[str, int],
    report: Reporter,
    system: ResolvedSystem,
) -> None:
    if workload.volume is None and len(volumes) > 1:
        message = f"the key `volume` is missing, and there are {len(volumes)} to choose from"
        report("missing", "", message, f"one of {', '.join(volumes)}")
    elif workload.volume is not None and workload.volume not in volumes:
        hint = suggestion(workload.volume, volumes, "volumes")
        report("unknown-name", "volume", f"there is no volume {workload.volume!r}", hint)
    else:
        system.volume_of_workload.append(placed.get(workload.volume or volumes[0], -1))


def _files(trace: TraceKeys) -> Iterator[tuple[str, str]]:
    """Keys and names of the files of a trace."""
    yield "path", trace.path
    for number, name in enumerate(trace.more):
        yield f"more.{number}", name


def _must_exist(name: str, base_dir: Path, report: Reporter) -> None:
    if all(part.is_file() for part in recorded(base_dir / name)):
        return
    file = Path(as_named(base_dir, name))
    if file.is_dir():
        report("wrong-kind", "", f"{file} is a directory; expected a trace file")
        return
    siblings = [p.name for p in file.parent.iterdir() if p.is_file()] if file.parent.is_dir() else []
    near = nearest(file.name, siblings)
    hint = "trace paths are relative to the scenario's directory; in `set=`, first to the current directory"
    report("not-found", "", f"there is no trace file {file}", f"did you mean {near!r}?" if near else hint)


def _contradictions(trace: TraceKeys, report: Reporter) -> None:
    if trace.device is not None and trace.devices is not None:
        report("conflict", "devices", "`device` and `devices` are both given", "keep one")
    if trace.end is not None and trace.end <= (trace.start or 0.0):
        report("conflict", "end", "the end is not after the start", "give a later `end`")
    if "-" in (trace.path, *trace.more) and trace.place == "end-to-end":
        message = "end-to-end reads the trace twice, and standard input can be read once only"
        hint = "give each device its offset, or name a file"
        report("read-once", "place", message, hint)


def _synthetic(
    scenario: Scenario, index: int, base_dir: Path, report: Reporter, system: ResolvedSystem
) -> None:
    from iowatt.model.scenario.synthetic import synthetic  # with the models of profiles, which few need

    workload = scenario.workload[index]
    name = workload.volume or scenario.volume_names[0]
    capacity = next((volume.capacity for volume in system.volumes if volume.name == name), None)
    ends = scenario.observe.duration is not None or workload.end is not None
    found = synthetic(
        workload, index, report, base_dir=base_dir, seed=scenario.seed, capacity=capacity, ends=ends
    )
    system.synthetic[index] = found
    system.notes.extend(found.notes)
