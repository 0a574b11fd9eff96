"""`iowatt replay`: target, trace, engine and meters, the Run, and the same trace simulated."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from iowatt.base.errors import IowattError
from iowatt.evaluate.replay import engine, export, target, trace
from iowatt.evaluate.replay.fio import OUTPUT, lateness_of, recorders, run_fio
from iowatt.evaluate.replay.heat import with_heat
from iowatt.evaluate.replay.request import ReplayRequest
from iowatt.evaluate.replay.result import (
    ReplayDocument,
    SimulatedReplay,
    compare,
    comparison_notes,
)
from iowatt.run import index
from iowatt.run.bundle import Run, reserve
from iowatt.sources import fio, outputs
from iowatt.sources.lateness import LATE_MS, Lateness
from iowatt.sources.measured import MeasuredAbout, measured_run
from iowatt.sources.meters.log import InstrumentLog
from iowatt.sources.observation import Observation

TRACE = "trace.parquet"
SIMULATED = "simulated"
PAGE = "comparison.html"


def replay(
    request: ReplayRequest,
    *,
    tell: Callable[[str], None] = lambda _text: None,
    page: Callable[[Sequence[Run], Path], object] | None = None,
    progress: Callable[[float, int], None] | None = None,
) -> ReplayDocument:
    """Replay a trace; leaves a Run bundle at ``request.output``, in it the stamps and the recordings.

    ``page`` writes the comparison of the replayed Run with the simulated one, where there is one.
    ``progress``: of iowatt's own engine.

    Raises ``InputError`` where something that was asked for is wrong; nothing is left then.
    """
    request.check()
    read = trace.read(request.trace)
    with reserve(request.output, force=request.force) as place:
        staging = place.staging
        meter_folder = staging / "meters"
        meter_folder.mkdir()
        meters = recorders(request.meters, meter_folder, request.meter_interval_s)
        if request.scenario is not None:
            _volume(request.scenario)
        with _ready(request, bool(read.write.any()), tell) as ready_target:
            fitted = trace.fitted(
                read,
                str(request.trace["path"]),
                capacity=ready_target.capacity,
                block=ready_target.block,
                fold=request.fold,
                align=request.align,
                most=ready_target.most,
            )
            whole = trace.repeated(fitted, request.repeat)
            trace.save(whole, staging / TRACE)
            # First, because what is wrong with it is then found before storage is worn and time is spent.
            simulated = None if request.scenario is None else _simulated(request, staging / TRACE, tell)
            tell(f"replaying {whole.time_ns.size} requests of {whole.seconds:.1f} s on {request.target}")
            with meters.recording():
                if request.engine == "fio":
                    made = _by_fio(whole, ready_target, request, staging)
                else:
                    made = _by_engine(fitted, ready_target, request, staging, progress)
        run = _measured(request, whole, ready_target, made, logs=meters.logs())
        run = with_heat(run, staging / TRACE, space=str(request.target), capacity=ready_target.capacity)
        run.write_into(staging)
        if simulated is not None:
            (staging / SIMULATED).mkdir()
            simulated.write_into(staging / SIMULATED)
        _named(staging, request.output)
        if simulated is not None and page is not None:
            page([Run.open(staging), Run.open(staging / SIMULATED)], staging / PAGE)
        if not any(meter_folder.iterdir()):
            meter_folder.rmdir()
    done = Run.open(request.output)
    index.register(request.output, done.summary)
    found = ReplayDocument(
        run=str(request.output),
        engine=request.engine,
        driven_by=made.driven_by,
        mode=request.mode,
        requests=int(whole.time_ns.size),
        errors=made.errors,
        lateness=made.lateness,
        summary=done.summary,
    )
    if simulated is None:
        return found
    other = Run.open(request.output / SIMULATED).summary
    beside = SimulatedReplay(
        run=str(request.output / SIMULATED),
        comparison=compare(done.summary, other, made.lateness.waited_ms),
        notes=comparison_notes(done.summary, other),
        page=str(request.output / PAGE),
    )
    return found.model_copy(update={"simulated": beside})


def _ready(
    request: ReplayRequest, writes: bool, tell: Callable[[str], None]
) -> contextlib.AbstractContextManager[target.ReplayTarget]:
    """The target, as a context. Raises ``InputError``."""
    name, erase = str(request.target), request.erase
    if export.is_export(name):
        again = None if erase is None else str(erase)
        connections = request.connections
        return export.ready(
            name, size=request.size, erase=again, writes=writes, connections=connections, tell=tell
        )
    path = Path(target.named(name))
    again_path = None if erase is None else Path(erase)
    return target.ready(path, size=request.size, erase=again_path, writes=writes, tell=tell)


@dataclass(frozen=True)
class _Made:
    """What an engine left."""

    observed: Observation
    lateness: Lateness
    driven_by: str
    #: Requests that failed.
    errors: int
    notes: Sequence[str]


def _by_engine(
    fitted: trace.ReplayTrace,
    ready_target: target.ReplayTarget,
    request: ReplayRequest,
    folder: Path,
    progress: Callable[[float, int], None] | None,
) -> _Made:
    stamps = engine.run_engine(fitted, ready_target, request, progress)
    observed = engine.observed(fitted, stamps, request, folder)
    notes = [f"replayed by iowatt ({stamps.driven_by}): {stamps.lateness.text}"]
    if request.mode == "closed":
        how = "each request when the one before it in its stream had completed"
        if request.outstanding is not None:
            how = f"{request.outstanding} requests outstanding all the time"
        elif fitted.stream is None:
            how = "one request after another, because the trace names no streams"
        notes.append(f"not at the trace's times but {how}; lateness is from that completion")
    if stamps.error_note is not None:
        notes.append(stamps.error_note)
    return _Made(observed, stamps.lateness, stamps.driven_by, int(stamps.failed.sum()), notes)


def _by_fio(
    whole: trace.ReplayTrace, ready_target: target.ReplayTarget, request: ReplayRequest, staging: Path
) -> _Made:
    folder = staging / "fio"
    folder.mkdir()
    mark, stop = f"replay-{os.getpid()}", threading.Event()
    run_fio(whole, ready_target, folder, depth=request.depth, stop=stop, mark=mark)
    late = lateness_of(whole, folder)
    observed = fio.read(folder / OUTPUT, interval_s=request.interval_s or 1.0, name=request.name)
    if observed.errors:
        message = (
            f"fio reports errors: {next((w for w in observed.warnings if 'error' in w), 'see its output')}"
        )
        raise IowattError("tool-failed", str(request.target), message)
    notes = [f"replayed by fio, stamps to the millisecond: {late.text}"]
    return _Made(observed, late, "psync", 0, notes)


def _measured(
    request: ReplayRequest,
    fitted: trace.ReplayTrace,
    ready_target: target.ReplayTarget,
    made: _Made,
    *,
    logs: Sequence[InstrumentLog],
) -> Run:
    observed, lateness = made.observed, made.lateness
    source = Path(str(request.trace["path"]))
    if source.is_file():
        observed = replace(observed, files=[source, *observed.files])
    width = request.interval_s or outputs.interval_s(observed)
    notes = [*fitted.notes, *made.notes]
    if lateness.late > 0.01:
        notes.append(
            f"{100 * lateness.late:.1f} % of the requests were more than {LATE_MS:g} ms late: the "
            "target or the "
            "host did not keep up, and the wait of a late request is not in its response time"
        )
    if not ready_target.direct:
        notes.append("the target takes no direct I/O: the page cache answered, too")
    if ready_target.made:
        notes.append("the target was a file made for this, filled with random bytes, and removed")
    about = MeasuredAbout(
        name=request.name,
        target=str(request.target),
        raw_bytes=request.raw_bytes,
        tested_bytes=ready_target.capacity,
        command=request.command,
        plan={
            "trace": str(request.trace["path"]),
            "speed": float(request.trace.get("speed") or 1.0),
            "depth": request.depth,
            "engine": request.engine,
            "mode": request.mode,
            "outstanding": request.outstanding,
            "think": request.think,
            "repeat": request.repeat,
            "connections": request.connections,
            "late_share": lateness.late,
        },
        notes=notes,
    )
    power = [log for log in logs if "watts" in log.quantities]
    temperature = [log for log in logs if "watts" not in log.quantities]
    return measured_run(
        about, observed, power=power, temperature=temperature, interval_s=width, source="replay"
    )


def _volume(scenario: Path) -> str | None:
    """The volume that the scenario's first workload goes to. Raises ``InputError``."""
    from iowatt.base.document import SCENARIO_HINT, TomlDocument, read_text

    workloads = TomlDocument(read_text(scenario, SCENARIO_HINT), str(scenario)).raw.get("workload")
    first = workloads[0] if isinstance(workloads, list) and workloads else {}
    volume = first.get("volume") if isinstance(first, dict) else None
    return volume if isinstance(volume, str) else None


def _simulated(request: ReplayRequest, saved: Path, tell: Callable[[str], None]) -> Run:
    """The scenario's array under the replayed requests, in place of its own workloads."""
    from iowatt.base.toml_writer import inline
    from iowatt.evaluate.evaluation import run_scenario

    assert request.scenario is not None
    tell(f"simulating {request.scenario}")
    workload: dict[str, Any] = {"name": "replay", "trace": {"path": str(saved.absolute())}}
    volume = _volume(request.scenario)
    if volume is not None:
        workload["volume"] = volume
    # The measured Run has no warm-up, so neither has this one.
    own = [f"workload=[{inline(workload)}]", 'observe.warmup="0s"']
    return run_scenario(request.scenario, [*request.overrides, *own], command=request.command)


def _named(staging: Path, output: Path) -> None:
    """Let the bundles name files by the place where they will be, not by where they were written."""
    for folder in (staging, staging / SIMULATED):
        for name in ("run.json", "plan.json", "scenario.toml"):
            file = folder / name
            if file.is_file():
                text = file.read_text("utf-8")
                for path, final in ((staging.absolute(), output.absolute()), (staging, output)):
                    text = text.replace(str(path), str(final))
                file.write_text(text, "utf-8")
