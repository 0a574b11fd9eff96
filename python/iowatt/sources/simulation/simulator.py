"""The simulator as a source: a plan and its traces in, the record of a run out."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from iowatt.base.errors import DataLossError, InputError
from iowatt.model.scenario import traces_of
from iowatt.run.record import Record, SimulationCost
from iowatt.sources.simulation import counts, hot_extents, warmup
from iowatt.sources.simulation.record import build_record
from iowatt.trace.columns import sector_doubt

if TYPE_CHECKING:
    from iowatt.run.idle_spool import IdleSpool
    from iowatt.trace.back_end import BackEndSpool

#: Told how far the work is: fraction (where it can be known) and requests so far. It may raise.
Progress = Callable[[float | None, int], None]

TraceSpec = Mapping[str, Any]


def observe(
    plan: Mapping[str, Any],
    traces: Sequence[TraceSpec],
    *,
    scenario_text: str,
    progress: Progress | None = None,
    scratch: Path | None = None,
    back_end: BackEndSpool | None = None,
    threads: int = 1,
    other_cpu_s: Callable[[], float] = lambda: 0.0,
    cpu_clock: Callable[[], float] = time.process_time,
) -> Record:
    """Simulate a plan.

    Parameters
    ----------
    plan:
        The plan file (``iowatt.model.scenario.compile_plan``).
    traces:
        One trace spec per workload, with paths that exist from here.
    scenario_text:
        The scenario as given, kept in the record.
    progress:
        Called a few times a second. What it raises (``KeyboardInterrupt``) ends the simulation.
    scratch:
        Folder for temporary tables that do not fit in memory; None: the system's temporary folder.
    back_end:
        Collects every request to a pool; None: they are not recorded.
    threads:
        Threads that simulate parts of the run at once, where the plan lets them; the figures are the same
        for any number.
    other_cpu_s:
        Processor time that other threads of this process have spent on other work so far; it is kept
        off the simulation's account.
    cpu_clock:
        What processor time is read from. ``time.thread_time`` where several simulations share a process:
        it leaves out threads that decompress a trace.

    Raises ``InputError``: a trace is missing or wrong, a request lies outside its volume, ``warmup = "auto"``
    is asked for with a trace that can be read once only, or the warm-up leaves nothing of the run.
    """
    _load()
    cost = _Stopwatch(other_cpu_s, cpu_clock)
    simulations = _Simulations(traces, progress, cost, threads)
    simulation, notes = plan["simulation"], []
    if hot_extents.places_hot_extents(simulation):
        _refuse_pipes(traces, "initial = 'hot'", "array.virtual_pool")
        simulation = hot_extents.with_hot_extents(simulation, simulations.run_pass)
    if _foresees(simulation):
        _refuse_pipes(traces, "an oracle", "array.pool.power")
    idle = _spool(scratch) if simulation["observe"].get("idle", False) else None
    if plan.get("warmup") == "auto":
        _refuse_pipes(traces, "an automatic warm-up", "observe.warmup")
        warmup_s, note = warmup.find_warmup(simulation, simulations.run)
        simulation = warmup.observed(simulation, warmup_s=warmup_s)
        notes.append(note)
    try:
        raw = simulations.run(simulation, idle, back_end)
    except DataLossError as loss:
        raise _data_loss(loss, plan["names"]) from None
    _refuse_lack_of_space(raw["summary"], plan["names"])
    _refuse_empty_window(raw["summary"]["window"], simulation["observe"]["warmup_s"])
    for spec, trace in zip(plan["sources"], raw["summary"]["sources"], strict=True):
        if trace is not None:
            trace["warnings"].extend(sector_doubt(spec, trace))
    simulation = hot_extents.without_hot_extents(simulation)
    return build_record({**plan, "simulation": simulation}, raw, notes, scenario_text, cost.read(), idle=idle)


class _Simulations:
    """Runs simulations over the same traces: automatic warm-up, hot extents and oracles take several."""

    def __init__(
        self, traces: Sequence[TraceSpec], progress: Progress | None, cost: _Stopwatch, threads: int
    ) -> None:
        self._traces = traces
        # Always a Python function: signals (Ctrl-C) are seen when one is called.
        self._report = progress or (lambda _fraction, _requests: None)
        self._cost = cost
        self._threads = threads

    def run_pass(
        self,
        simulation: Mapping[str, Any],
        foreseen: Any = None,
        idle: IdleSpool | None = None,
        back_end: BackEndSpool | None = None,
    ) -> dict[str, Any]:
        """Simulate once, with one pass over the traces; ``foreseen``: idle periods that an oracle knows."""
        opened = [_source(trace) for trace in self._traces]

        def watch(fraction: float | None, requests: int) -> None:
            self._report(_fraction(fraction, opened), requests)

        periods = () if foreseen is None else (foreseen,)
        spools: dict[str, Any] = {} if idle is None else {"idle": idle.add}
        spools |= {} if back_end is None else {"back_end": back_end.add}
        raw = run_core(json.dumps(simulation), opened, watch, *periods, threads=self._threads, **spools)
        raw["summary"] = json.loads(raw["summary"])
        self._cost.requests += raw["summary"]["requests_simulated"]
        self._cost.threads, self._cost.serial = raw["summary"]["threads"], raw["summary"]["serial"]
        return raw

    def run(
        self,
        simulation: Mapping[str, Any],
        idle: IdleSpool | None = None,
        back_end: BackEndSpool | None = None,
    ) -> dict[str, Any]:
        """Simulate, with a pass before it where a policy has to know the idle periods.

        An oracle has its drives ready in time, so its idle periods are those of the pass without foresight.
        """
        foreseen = self.run_pass(simulation)["foreseen"] if _foresees(simulation) else None
        return self.run_pass(simulation, foreseen, idle, back_end)


def _data_loss(loss: DataLossError, names: Mapping[str, Any]) -> InputError:
    pool = names["pools"][loss.pool]
    holders = (
        f"cluster.{cluster['name']}"
        for cluster in names.get("clusters", ())
        if any(one["name"] == pool for one in cluster["pools"])
    )
    holder = next(holders, "array")
    drive = counts.drives_of_pools(names)[pool][loss.drive]
    message = (
        f"data is lost at {loss.at_s:g} s, when {drive} fails before the drives that failed earlier are "
        "rebuilt"
    )
    more = "RAID-6" if holder == "array" else "more copies or parity"
    hint = f"let it fail later, rebuild faster, or tolerate more failures ({more})"
    where = f"{holder}.pool.{pool}.failure" if holder == "array" else f"{holder}.failure"
    return InputError("data-loss", where, message, hint=hint)


def _refuse_lack_of_space(summary: Mapping[str, Any], names: Mapping[str, Any]) -> None:
    for name, counted in zip(names.get("virtual_pools", ()), summary.get("virtual_pools", ()), strict=True):
        if dropped := (counted.get("reduced") or {}).get("no_space", 0):
            message = f"virtual pool {name['name']!r} runs out of space: {dropped} page writes find none"
            hint = "offer less (capacity), give it a larger part, or keep fewer snapshots"
            raise InputError("infeasible", f"array.virtual_pool.{name['name']}", message, hint=hint)


def _foresees(simulation: Mapping[str, Any]) -> bool:
    """Whether the policy of a pool has to know idle periods beforehand."""
    from iowatt import core  # loaded by those who simulate

    policies = [pool["power_policy"] for pool in simulation["pools"] if "power_policy" in pool]
    return any(core.policy_foresees(json.dumps(policy)) for policy in policies)


def run_core(
    simulation: str,
    sources: Sequence[tuple[str, Iterable[Any] | None]],
    progress: Progress,
    foreseen: Any = None,
    *,
    idle: Callable[..., None] | None = None,
    back_end: Callable[..., None] | None = None,
    threads: int = 1,
) -> dict[str, Any]:
    """Run a simulation in Rust: the only place that calls ``core.simulate``."""
    from iowatt import core  # loaded by those who simulate

    return dict(core.simulate(simulation, list(sources), progress, foreseen, idle, back_end, threads))


def _spool(scratch: Path | None) -> IdleSpool:
    from iowatt.run.idle_spool import IdleSpool  # loads Polars

    return IdleSpool(scratch)


def _load() -> None:
    """Import what a simulation needs: a start-up cost, which is not on its account."""
    import iowatt.trace.open  # noqa: F401 - Polars and the extension


def _source(trace: TraceSpec) -> tuple[str, Iterable[Any] | None]:
    from iowatt.trace.open import source  # loads Polars and the extension

    return source(trace)


def _fraction(read: float | None, opened: Sequence[tuple[str, Any]]) -> float | None:
    """How far the reading is. Rust sees no ends to batches from Python, which know their own."""
    batches = [rows for _, rows in opened if rows is not None]
    if read is not None or len(batches) < len(opened) or not batches:
        return read
    return float(sum(rows.progress for rows in batches) / len(batches))


def _refuse_pipes(traces: Sequence[TraceSpec], who: str, where: str) -> None:
    for name in (name for trace in traces for name in traces_of(trace)):
        path = Path(name)
        if name == "-" or (path.exists() and not path.is_file()):
            message = f"{who} reads the trace twice, and {name!r} can be read only once"
            raise InputError("read-once", where, message, hint=_HINTS[where])


_HINTS = {
    "observe.warmup": 'give a time (warmup = "5min"), or put the trace in a file',
    "array.virtual_pool": "take another initial placement, or put the trace in a file",
    "array.pool.power": "take another policy, or put the trace in a file",
}


def _refuse_empty_window(window: Mapping[str, Any], warmup_s: float) -> None:
    if window["end_ns"] > window["start_ns"]:
        return
    end_s = window["end_ns"] / counts.NS_PER_S
    message = f"the warm-up ({warmup_s:g} s) leaves nothing of the run, which ended after {end_s:g} s"
    hint = "set a shorter warm-up, or a longer observe.duration"
    raise InputError("out-of-range", "observe.warmup", message, hint=hint)


class _Stopwatch:
    """Measures wall time, processor time and memory from its construction to :meth:`read`."""

    def __init__(self, other_cpu_s: Callable[[], float], cpu_clock: Callable[[], float]) -> None:
        self.requests = 0
        #: Threads of the last simulation, and why it was one.
        self.threads, self.serial = 1, None
        self._other_cpu_s, self._cpu_clock = other_cpu_s, cpu_clock
        self._wall = time.perf_counter()
        self._cpu = cpu_clock() - other_cpu_s()

    def read(self) -> SimulationCost:
        """The cost so far."""
        return SimulationCost(
            wall_s=time.perf_counter() - self._wall,
            cpu_s=max(0.0, self._cpu_clock() - self._other_cpu_s() - self._cpu),
            requests=self.requests,
            peak_rss_mib=peak_rss_mib(),
            threads=self.threads,
            serial=self.serial,
        )


def peak_rss_mib() -> float:
    """Greatest resident memory of this process so far.

    On Linux ``ru_maxrss`` starts at that of the process which started this one; the high-water mark of the
    memory map does not.
    """
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        status = ""
    for line in status.splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / (1 << 10)
    import resource  # absent on some platforms, needed only here

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20) if sys.platform == "darwin" else peak / (1 << 10)
