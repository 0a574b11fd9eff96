"""The whole of `iowatt replay`: target, trace, fio and meters, the Run, and the same trace simulated."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from iowatt.base.errors import IowattError
from iowatt.evaluate.replay import compare, conduct, heat, job, lateness, target, trace
from iowatt.evaluate.replay.conduct import MeterAddress
from iowatt.run import index
from iowatt.run.bundle import Run, reserve
from iowatt.sources import fio, outputs
from iowatt.sources.measured import MeasuredAbout, measured_run
from iowatt.sources.meters.instrument import InstrumentLog

SCHEMA = "iowatt.replay/1"
TRACE = "trace.parquet"
SIMULATED = "simulated"
PAGE = "comparison.html"


@dataclass(frozen=True)
class Asked:
    """What is to be done."""

    #: Of `iowatt.trace.open.spec`.
    trace: Mapping[str, Any]
    target: Path
    output: Path
    size: int | None = None
    erase: Path | None = None
    fold: bool = False
    align: bool = False
    depth: int = 64
    meters: Sequence[MeterAddress] = ()
    meter_interval_s: float = 1.0
    interval_s: float | None = None
    scenario: Path | None = None
    overrides: Sequence[str] = ()
    name: str = "replay"
    raw_bytes: int | None = None
    force: bool = False
    command: str | None = None


@dataclass(frozen=True)
class Replay:
    """What came of it."""

    measured: Run
    lateness: lateness.Lateness
    simulated: Run | None = None
    rows: Sequence[compare.Row] = ()
    notes: Sequence[str] = field(default_factory=tuple)


def replay(
    asked: Asked,
    *,
    tell: Callable[[str], None] = lambda _text: None,
    page: Callable[[Sequence[Run], Path], object] | None = None,
) -> Replay:
    """Replay a trace; leaves a Run bundle at ``asked.output``, in it fio's files and the recordings.

    ``page`` writes the comparison of the replayed Run with the simulated one, where there is one.

    Raises ``InputError`` where something that was asked for is wrong; nothing is left then.
    """
    read = trace.read(asked.trace)
    with reserve(asked.output, force=asked.force) as place:
        staging = place.staging
        folders = {name: staging / name for name in ("fio", "meters")}
        for folder in folders.values():
            folder.mkdir()
        meters = conduct.recorders(asked.meters, folders["meters"], asked.meter_interval_s)
        if asked.scenario is not None:
            _volume(asked.scenario)
        with target.ready(
            asked.target, size=asked.size, erase=asked.erase, writes=bool(read.write.any()), tell=tell
        ) as there:
            fitted = trace.fitted(
                read,
                str(asked.trace["path"]),
                capacity=there.capacity,
                block=there.block,
                fold=asked.fold,
                align=asked.align,
            )
            trace.save(fitted, staging / TRACE)
            # First, because what is wrong with it is then found before storage is worn and time is spent.
            simulated = None if asked.scenario is None else _simulated(asked, staging / TRACE, tell)
            tell(f"replaying {fitted.time_ns.size} requests of {fitted.seconds:.1f} s on {asked.target}")
            with meters.recording():
                conduct.run_fio(
                    fitted,
                    there,
                    folders["fio"],
                    depth=asked.depth,
                    stop=threading.Event(),
                    mark=f"replay-{os.getpid()}",
                )
        kept = lateness.of(fitted, folders["fio"])
        run = _measured(asked, fitted, there, kept=kept, folder=folders["fio"], logs=meters.logs())
        run = heat.added(run, staging / TRACE, space=str(asked.target), capacity=there.capacity)
        run.write_into(staging)
        if simulated is not None:
            (staging / SIMULATED).mkdir()
            simulated.write_into(staging / SIMULATED)
        _named(staging, asked.output)
        if simulated is not None and page is not None:
            page([Run.open(staging), Run.open(staging / SIMULATED)], staging / PAGE)
        if not any(folders["meters"].iterdir()):
            folders["meters"].rmdir()
    done = Run.open(asked.output)
    index.register(asked.output, done.summary)
    if simulated is None:
        return Replay(done, kept)
    other = Run.open(asked.output / SIMULATED)
    return Replay(
        done,
        kept,
        other,
        compare.rows(done.summary, other.summary, kept.waited_ms),
        compare.notes(done.summary, other.summary),
    )


def _measured(
    asked: Asked,
    fitted: trace.Replayed,
    there: target.Target,
    *,
    kept: lateness.Lateness,
    folder: Path,
    logs: Sequence[InstrumentLog],
) -> Run:
    observed = fio.read(folder / job.OUTPUT, interval_s=asked.interval_s or 1.0, name=asked.name)
    if observed.errors:
        raise IowattError(
            "tool-failed",
            str(asked.target),
            f"fio reports errors: {next((w for w in observed.warnings if 'error' in w), 'see its output')}",
        )
    source = Path(str(asked.trace["path"]))
    if source.is_file():
        observed = replace(observed, files=[source, *observed.files])
    width = asked.interval_s or outputs.interval_s(observed)
    notes = [*fitted.notes, f"replayed by fio, stamps to the millisecond: {kept.text}"]
    if kept.late > 0.01:
        notes.append(
            f"{100 * kept.late:.1f} % of the requests were more than {lateness.LATE_MS:g} ms late: the "
            "target or the "
            "host did not keep up, and the wait of a late request is not in its response time"
        )
    if not there.direct:
        notes.append("the target takes no direct I/O: the page cache answered, too")
    if there.made:
        notes.append("the target was a file made for this, filled with random bytes, and removed")
    about = MeasuredAbout(
        name=asked.name,
        target=str(asked.target),
        raw_bytes=asked.raw_bytes,
        tested_bytes=there.capacity,
        command=asked.command,
        plan={
            "trace": str(asked.trace["path"]),
            "speed": float(asked.trace.get("speed") or 1.0),
            "depth": asked.depth,
            "late_share": kept.late,
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
    from iowatt.base.document import Document, read_text

    workloads = Document(read_text(scenario), str(scenario)).raw.get("workload")
    first = workloads[0] if isinstance(workloads, list) and workloads else {}
    volume = first.get("volume") if isinstance(first, dict) else None
    return volume if isinstance(volume, str) else None


def _simulated(asked: Asked, saved: Path, tell: Callable[[str], None]) -> Run:
    """The scenario's array under the very requests that were replayed, in place of its own workloads."""
    from iowatt.base.toml_writer import inline
    from iowatt.evaluate.run_scenario import run_scenario

    assert asked.scenario is not None
    tell(f"simulating {asked.scenario}")
    workload: dict[str, Any] = {"name": "replay", "trace": {"path": str(saved.absolute())}}
    volume = _volume(asked.scenario)
    if volume is not None:
        workload["volume"] = volume
    # What is cut from one cannot be cut from the other.
    own = [f"workload=[{inline(workload)}]", 'observe.warmup="0s"']
    return run_scenario(asked.scenario, [*asked.overrides, *own], command=asked.command)


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
