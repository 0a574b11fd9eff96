"""`iowatt replay`: target, trace, fio and meters, the Run, and the same trace simulated."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from iowatt.base.errors import IowattError
from iowatt.evaluate.replay import target, trace
from iowatt.evaluate.replay.fio import (
    LATE_MS,
    OUTPUT,
    lateness_of,
    recorders,
    run_fio,
)
from iowatt.evaluate.replay.result import Lateness, ReplayDocument, SimulatedReplay, compare, comparison_notes
from iowatt.model.heat import EXTENT, LEAST_EXTENT
from iowatt.run import index
from iowatt.run.bundle import TABLES, Run, reserve
from iowatt.run.tables import frame
from iowatt.sources import fio, outputs
from iowatt.sources.measured import MeasuredAbout, measured_run
from iowatt.sources.meters.log import InstrumentLog

#: Extents are halved until the target has at least this many, or they are the smallest possible.
_LEAST_EXTENTS: Final = 1024
_COUNTED: Final = ("reads", "writes", "bytes_read", "bytes_written")


def extent_bytes(capacity: int) -> int:
    """The extent that resolves a target of ``capacity`` bytes."""
    extent = EXTENT
    while extent > LEAST_EXTENT and capacity // extent < _LEAST_EXTENTS:
        extent //= 2
    return extent


def with_heat(run: Run, trace: Path, *, space: str, capacity: int) -> Run:
    """The Run with the table ``heat`` of the trace at ``trace``, whose requests all went to ``space``."""
    from iowatt import core
    from iowatt.trace.open import source

    spec, decoded = source({"path": str(trace)})
    raw = core.trace_heat(decoded, spec, extent_bytes(capacity), None, None)
    measures = json.loads(raw["measures"])
    rows = len(raw["extent"])
    table = frame(
        "heat",
        {
            "point": ["front"] * rows,
            "space": [space] * rows,
            "extent": raw["extent"],
            "start_s": np.asarray(raw["start_ns"]) / 1e9,
            **{name: raw[name] for name in _COUNTED},
        },
    )
    sums = {name: int(table[name].sum()) for name in _COUNTED}
    told = {
        "extent_bytes": measures["extent_bytes"],
        "period_s": measures["period_ns"] / 1e9,
        "spaces": [{"point": "front", "name": space, "capacity_bytes": capacity, **sums}],
    }
    tables = {name: run.table(name) for name in TABLES}
    if run.has("instruments"):
        tables["instruments"] = run.table("instruments")
    return Run(
        summary={**run.summary, "heat": told},
        plan=run.plan,
        scenario_text=run.scenario_text,
        tables={**tables, "heat": table},
    )


TRACE = "trace.parquet"
SIMULATED = "simulated"
PAGE = "comparison.html"


@dataclass(frozen=True)
class ReplayRequest:
    """A replay: trace, target, meters, and the scenario to compare with."""

    #: As `iowatt.trace.open.spec` makes it.
    trace: Mapping[str, Any]
    target: Path
    output: Path
    size: int | None = None
    erase: Path | None = None
    fold: bool = False
    align: bool = False
    depth: int = 64
    meters: Sequence[str] = ()
    meter_interval_s: float = 1.0
    interval_s: float | None = None
    scenario: Path | None = None
    overrides: Sequence[str] = ()
    name: str = "replay"
    raw_bytes: int | None = None
    force: bool = False
    command: str | None = None


def replay(
    request: ReplayRequest,
    *,
    tell: Callable[[str], None] = lambda _text: None,
    page: Callable[[Sequence[Run], Path], object] | None = None,
) -> ReplayDocument:
    """Replay a trace; leaves a Run bundle at ``asked.output``, in it fio's files and the recordings.

    ``page`` writes the comparison of the replayed Run with the simulated one, where there is one.

    Raises ``InputError`` where something that was asked for is wrong; nothing is left then.
    """
    read = trace.read(request.trace)
    with reserve(request.output, force=request.force) as place:
        staging = place.staging
        folders = {name: staging / name for name in ("fio", "meters")}
        for folder in folders.values():
            folder.mkdir()
        meters = recorders(request.meters, folders["meters"], request.meter_interval_s)
        if request.scenario is not None:
            _volume(request.scenario)
        with target.ready(
            request.target, size=request.size, erase=request.erase, writes=bool(read.write.any()), tell=tell
        ) as ready_target:
            fitted = trace.fitted(
                read,
                str(request.trace["path"]),
                capacity=ready_target.capacity,
                block=ready_target.block,
                fold=request.fold,
                align=request.align,
            )
            trace.save(fitted, staging / TRACE)
            # First, because what is wrong with it is then found before storage is worn and time is spent.
            simulated = None if request.scenario is None else _simulated(request, staging / TRACE, tell)
            tell(f"replaying {fitted.time_ns.size} requests of {fitted.seconds:.1f} s on {request.target}")
            with meters.recording():
                run_fio(
                    fitted,
                    ready_target,
                    folders["fio"],
                    depth=request.depth,
                    stop=threading.Event(),
                    mark=f"replay-{os.getpid()}",
                )
        lateness = lateness_of(fitted, folders["fio"])
        run = _measured(
            request, fitted, ready_target, lateness=lateness, folder=folders["fio"], logs=meters.logs()
        )
        run = with_heat(run, staging / TRACE, space=str(request.target), capacity=ready_target.capacity)
        run.write_into(staging)
        if simulated is not None:
            (staging / SIMULATED).mkdir()
            simulated.write_into(staging / SIMULATED)
        _named(staging, request.output)
        if simulated is not None and page is not None:
            page([Run.open(staging), Run.open(staging / SIMULATED)], staging / PAGE)
        if not any(folders["meters"].iterdir()):
            folders["meters"].rmdir()
    done = Run.open(request.output)
    index.register(request.output, done.summary)
    found = ReplayDocument(run=str(request.output), lateness=lateness, summary=done.summary)
    if simulated is None:
        return found
    other = Run.open(request.output / SIMULATED).summary
    beside = SimulatedReplay(
        run=str(request.output / SIMULATED),
        comparison=compare(done.summary, other, lateness.waited_ms),
        notes=comparison_notes(done.summary, other),
        page=str(request.output / PAGE),
    )
    return found.model_copy(update={"simulated": beside})


def _measured(
    request: ReplayRequest,
    fitted: trace.ReplayTrace,
    ready_target: target.ReplayTarget,
    *,
    lateness: Lateness,
    folder: Path,
    logs: Sequence[InstrumentLog],
) -> Run:
    observed = fio.read(folder / OUTPUT, interval_s=request.interval_s or 1.0, name=request.name)
    if observed.errors:
        message = (
            f"fio reports errors: {next((w for w in observed.warnings if 'error' in w), 'see its output')}"
        )
        raise IowattError("tool-failed", str(request.target), message)
    source = Path(str(request.trace["path"]))
    if source.is_file():
        observed = replace(observed, files=[source, *observed.files])
    width = request.interval_s or outputs.interval_s(observed)
    notes = [*fitted.notes, f"replayed by fio, stamps to the millisecond: {lateness.text}"]
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
    from iowatt.base.document import TomlDocument, read_text

    workloads = TomlDocument(read_text(scenario), str(scenario)).raw.get("workload")
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
