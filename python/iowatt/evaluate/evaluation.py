"""One scenario into one Run, in memory or as a bundle: what `iowatt run` and every point of a search do."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from iowatt.base.errors import Argument, InputError
from iowatt.base.overrides import with_overrides
from iowatt.base.processors import cores
from iowatt.lenses.summary import summarise
from iowatt.model.scenario import compile_plan, load, resolve_sources
from iowatt.run import bundle, index, provenance
from iowatt.run.bundle import Run
from iowatt.run.record import IDLE_ROWS
from iowatt.run.summary_schema import Input

if TYPE_CHECKING:
    from iowatt.model.scenario import Scenario
    from iowatt.sources.simulation import Progress
    from iowatt.trace.back_end import BackEndSpool


@dataclass(frozen=True)
class Prepared:
    """A checked scenario, resolved: all that a simulation needs but the content of its traces."""

    scenario: Scenario
    plan: Mapping[str, Any]
    #: One trace spec for each workload, with paths that open from anywhere.
    traces: Sequence[Mapping[str, Any]]
    #: The scenario as given, kept in the bundle.
    text: str


def prepare(scenario: Scenario, base: Path, text: str, *, traces_must_exist: bool = False) -> Prepared:
    """Resolve a checked scenario; its paths are relative to ``base``.

    Raises :class:`iowatt.base.problems.DocumentError` where keys contradict one another, and where a trace
    that must exist is missing.
    """
    plan = compile_plan(scenario, base, traces_must_exist=traces_must_exist)
    return Prepared(scenario, plan, resolve_sources(plan, base), text)


def files(work: Prepared, base: Path) -> list[tuple[str, Path]]:
    """Files that a run reads besides the scenario, each with its name from the current directory.

    Standard input is ``-``.
    """
    from iowatt.model.scenario import input_files

    return [(name, Path(name)) for name in input_files(work.scenario, work.plan["sources"], base)]


def simulate(
    work: Prepared,
    *,
    inputs: Callable[[], Sequence[Input]],
    started_at: str,
    command: str | None = None,
    progress: Progress | None = None,
    scratch: Path | None = None,
    back_end: BackEndSpool | None = None,
    lens_tables: bool = False,
    threads: int = 1,
    other_cpu_s: Callable[[], float] = lambda: 0.0,
    cpu_clock: Callable[[], float] = time.process_time,
) -> Run:
    """The Run of a prepared scenario, in memory.

    Args:
        inputs: Asked for after the simulation: the files that were read, with their digests.
        started_at: As :func:`iowatt.run.provenance.now` has it.
        lens_tables: Whether the Run keeps, in bounded memory, what `iowatt idle` and `iowatt heat` read,
            unless the scenario says otherwise.
        progress, scratch, back_end, threads, other_cpu_s, cpu_clock: As for
            :func:`iowatt.sources.simulation.observe`.

    Raises ``InputError``: a trace is missing or wrong, or the run has nothing to observe.
    """
    from iowatt.sources.simulation import observe

    record = observe(
        _with_lens_tables(work) if lens_tables else work.plan,
        work.traces,
        scenario_text=work.text,
        progress=progress,
        scratch=scratch,
        back_end=back_end,
        threads=threads,
        other_cpu_s=other_cpu_s,
        cpu_clock=cpu_clock,
    )
    origin = provenance.gather(
        seed=record.seed, inputs=inputs(), scenario_text=work.text, started_at=started_at, command=command
    )
    summary = summarise(record, origin).as_dict()
    return Run.of(record, summary)


def _with_lens_tables(work: Prepared) -> dict[str, Any]:
    """The plan, which keeps idle periods and heat where its scenario leaves that open."""
    from iowatt.model import heat

    simulation, asked = work.plan["simulation"], work.scenario.observe
    kept: dict[str, Any] = {}
    # Rows that are of several drives have no idle periods of their own.
    if asked.idle is None and not any("drives" in one for one in work.plan["names"]["devices"]):
        kept["idle_rows"] = IDLE_ROWS
    if asked.heat is None:
        # Without a cache in between, a pool is handed what hosts ask; a virtual pool counts as one pool.
        between = (simulation["controller"] or {}).get("cache")
        points: list[Any] = ["front", "back"] if between else ["front"]
        kept |= heat.heat_plan(heat.HeatKeys(extent=_extent_bytes(work.plan), points=points))
    return {**work.plan, "simulation": {**simulation, "observe": {**simulation["observe"], **kept}}}


def _extent_bytes(plan: Mapping[str, Any]) -> int:
    """Length of an extent: the usual one, doubled until the workloads reach few enough of them."""
    from iowatt.model.heat import EXTENTS_MADE, EXTENTS_TRACED, usual_extent

    simulation, reach, most = plan["simulation"], 0, EXTENTS_MADE
    for workload, source in zip(simulation["workloads"], plan["sources"], strict=True):
        if "synthetic" in source:
            reach += max(stream["end_bytes"] for stream in source["synthetic"]["streams"])
        else:
            reach += simulation["volumes"][workload["volume"]]["capacity_bytes"]
            most = EXTENTS_TRACED
    return usual_extent(reach, most)


def run_scenario(
    scenario: str | os.PathLike[str],
    overrides: Sequence[str] = (),
    *,
    base: Path | None = None,
    output: str | os.PathLike[str] | None = None,
    force: bool = False,
    save_back_end: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    command: str | None = None,
) -> Run:
    """Simulate a scenario; parameters and errors are those of :func:`iowatt.run`.

    ``base``: the folder that the paths of a text are relative to; the current one where it is None.
    """
    if threads is not None and threads < 1:
        raise InputError("out-of-range", Argument("threads"), f"expected at least one thread, not {threads}")
    started_at = provenance.now()
    given, folder, text = located(scenario)
    base = base or folder
    work = prepare(load(given, overrides, base_dir=base), base, with_overrides(text, overrides))
    inputs = files(work, base)
    if isinstance(given, Path):
        inputs.insert(0, (str(given), given))

    place = bundle.reserve(output, force=force) if output is not None else nullcontext()
    with place as reservation, _back_end(save_back_end, work.plan, force=force) as back_end:
        result = simulate_with_digests(
            work,
            inputs,
            scratch=None if reservation is None else reservation.staging,
            back_end=back_end,
            lens_tables=True,
            threads=min(threads or cores(), cores()),
            started_at=started_at,
            command=command,
            progress=progress,
        )
        if reservation is None:
            return result
        result.write_into(reservation.staging)
    index.register(reservation.target, result.summary)
    return result.at(reservation.target)


def simulate_with_digests(work: Prepared, inputs: Sequence[tuple[str, Path]], **options: Any) -> Run:
    """The Run of a prepared scenario, its input files digested meanwhile; options of :func:`simulate`."""
    digest = provenance.Digest(inputs)
    digest.start()
    try:
        return simulate(work, inputs=digest.inputs, other_cpu_s=lambda: digest.cpu_s, **options)
    except BaseException:
        digest.cancel()
        raise


@contextmanager
def _back_end(
    target: str | os.PathLike[str] | None, plan: Mapping[str, Any], *, force: bool
) -> Iterator[BackEndSpool | None]:
    """The sink of the back-end stream, written to ``target`` when the block ends without an error."""
    if target is None:
        yield None
        return
    from iowatt.sources.simulation import space_names
    from iowatt.trace.back_end import BackEndSpool

    file = Path(target)
    with BackEndSpool(file, space_names(plan["names"]), force=force) as spool:
        yield spool


def located(scenario: str | os.PathLike[str]) -> tuple[Path | str, Path, str]:
    """What to load, the directory that its paths are relative to, and its text."""
    from iowatt.base.document import SCENARIO_HINT, read_text

    if isinstance(scenario, str) and "\n" in scenario:
        return scenario, Path(), scenario
    path = Path(scenario)
    return path, path.parent, read_text(path, SCENARIO_HINT)
