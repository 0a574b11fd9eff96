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
from iowatt.run.record import Hits, Record, SimulationCost, VolumeFlow, WorkloadFlow
from iowatt.run.summary_schema import Zeros
from iowatt.sources.simulation import counts, first_pass, remarks, tables, wall
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
        Folder for what is too long for memory, the system's own for such things where it is None.
    back_end:
        Takes every request that a pool is handed.
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
    cost = _Meter(other_cpu_s, cpu_clock)
    # Always a Python function: signals (Ctrl-C) are seen when one is called.
    report = progress or (lambda _fraction, _requests: None)

    def run_once(
        simulation: Mapping[str, Any],
        foreseen: Any = None,
        spool: IdleSpool | None = None,
        stream: BackEndSpool | None = None,
    ) -> dict[str, Any]:
        opened = [_source(trace) for trace in traces]

        def watch(fraction: float | None, requests: int) -> None:
            report(_fraction(fraction, opened), requests)

        foreseen_periods = () if foreseen is None else (foreseen,)
        spools: dict[str, Any] = {} if spool is None else {"idle": spool.add}
        spools |= {} if stream is None else {"back_end": stream.add}
        raw = run_core(json.dumps(simulation), opened, watch, *foreseen_periods, **spools)
        raw["summary"] = json.loads(raw["summary"])
        cost.requests += raw["summary"]["requests_simulated"]
        return raw

    def simulate(
        simulation: Mapping[str, Any],
        spool: IdleSpool | None = None,
        stream: BackEndSpool | None = None,
    ) -> dict[str, Any]:
        if not _oracles(simulation):
            return run_once(simulation, spool=spool, stream=stream)
        # First without knowledge, to see which idle periods there are; an oracle is up in time, so they stay.
        foreseen = run_once(simulation)["foreseen"]
        return run_once(simulation, foreseen, spool=spool, stream=stream)

    simulation, notes = plan["simulation"], []
    if first_pass.places_hot_extents(simulation):
        _refuse_pipes(traces, "initial = 'hot'", "array.virtual_pool")
        simulation = first_pass.with_hot_extents(simulation, run_once)
    if _oracles(simulation):
        _refuse_pipes(traces, "an oracle", "array.pool.power")
    idle = _spool(scratch) if simulation["observe"].get("idle", False) else None
    if plan.get("warmup") == "auto":
        _refuse_pipes(traces, "an automatic warm-up", "observe.warmup")
        warmup_s, note = first_pass.find_warmup(simulation, simulate)
        simulation = first_pass.observed(simulation, warmup_s=warmup_s)
        notes.append(note)
    try:
        raw = simulate(simulation, idle, back_end)
    except DataLossError as loss:
        raise _named(loss, plan["names"]["pools"]) from None
    _refuse_lack_of_space(raw["summary"], plan["names"])
    _refuse_empty_window(raw["summary"]["window"], simulation["observe"]["warmup_s"])
    for spec, trace in zip(plan["sources"], raw["summary"]["sources"], strict=True):
        if trace is not None:
            trace["warnings"].extend(sector_doubt(spec, trace))
    simulation = first_pass.without_hot_extents(simulation)
    return build_record({**plan, "simulation": simulation}, raw, notes, scenario_text, cost.read(), idle=idle)


def _named(loss: DataLossError, pools: Sequence[str]) -> InputError:
    pool = pools[loss.pool]
    message = (
        f"data is lost at {loss.at_s:g} s, when {pool}.{loss.drive} fails before the drives that failed "
        "earlier are rebuilt"
    )
    hint = "let it fail later, rebuild faster, or tolerate more failures (RAID-6)"
    return InputError("data-loss", f"array.pool.{pool}.failure", message, hint=hint)


def _refuse_lack_of_space(summary: Mapping[str, Any], names: Mapping[str, Any]) -> None:
    for name, counted in zip(names.get("virtual_pools", ()), summary.get("virtual_pools", ()), strict=True):
        if dropped := (counted.get("reduced") or {}).get("no_space", 0):
            message = f"virtual pool {name['name']!r} runs out of space: {dropped} page writes find none"
            hint = "offer less (capacity), give it a larger part, or keep fewer snapshots"
            raise InputError("infeasible", f"array.virtual_pool.{name['name']}", message, hint=hint)


def _oracles(simulation: Mapping[str, Any]) -> bool:
    """Whether a pool's policy must know idle periods beforehand."""
    policies = (pool.get("power_policy", {"policy": "never"}) for pool in simulation["pools"])
    return any(policy["policy"].startswith("oracle-") for policy in policies)


def run_core(
    simulation: str,
    sources: Sequence[tuple[str, Iterable[Any] | None]],
    progress: Progress,
    foreseen: Any = None,
    *,
    idle: Callable[..., None] | None = None,
    back_end: Callable[..., None] | None = None,
) -> dict[str, Any]:
    """The one call into Rust."""
    from iowatt import core  # loaded by those who simulate

    return dict(core.simulate(simulation, list(sources), progress, foreseen, idle, back_end))


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


class _Meter:
    """What the simulation takes, from construction to :meth:`read`."""

    def __init__(self, other_cpu_s: Callable[[], float], cpu_clock: Callable[[], float]) -> None:
        self.requests = 0
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


def build_record(
    plan: Mapping[str, Any],
    raw: Mapping[str, Any],
    notes: Sequence[str],
    scenario_text: str,
    cost: SimulationCost,
    *,
    idle: IdleSpool | None = None,
) -> Record:
    """The record of a run, from the plan that was simulated and what came back."""
    summary, names, simulation = raw["summary"], plan["names"], plan["simulation"]
    controller = summary.get("controller", {})
    volume_of = [workload["volume"] for workload in simulation["workloads"]]
    spaces = counts.space_names(names)
    by_workload = counts.hits(controller.get("cache"), len(volume_of))
    run_tables = tables.tables(names, volume_of, raw, idle)
    array = wall.at_wall(plan, run_tables, controller.get("processors"))
    return Record(
        name=plan["name"],
        source="simulation",
        seed=simulation["seed"],
        window=counts.window(summary, simulation["observe"]["warmup_s"]),
        total=counts.flow(summary["total"]),
        workloads=[
            WorkloadFlow(name, names["volumes"][volume], counts.flow(flow), counts.reading(trace), hits)
            for name, volume, flow, trace, hits in zip(
                names["workloads"],
                volume_of,
                summary["workloads"],
                summary["sources"],
                by_workload,
                strict=True,
            )
        ],
        volumes=[
            VolumeFlow(
                name,
                spaces[volume["pool"]],
                volume["capacity_bytes"],
                counts.flow(flow),
                Hits.summed([hits for at, hits in zip(volume_of, by_workload, strict=True) if at == number]),
            )
            for number, (name, volume, flow) in enumerate(
                zip(names["volumes"], simulation["volumes"], summary["volumes"], strict=True)
            )
        ],
        tables=run_tables if array is None else array.tables,
        idle_w={device["name"]: device["idle_w"] for device in names["devices"]},
        unknown_energy=counts.unknown_energy(names["devices"]),
        capacity=counts.capacity(names, simulation, summary),
        array_idle_w={} if array is None else array.idle_w,
        buses=counts.buses(names["buses"], summary),
        processors=counts.station(controller.get("processors")),
        host_link=counts.station(controller.get("link")),
        mirror_link=counts.station(controller.get("mirror")),
        back_end=counts.station(controller.get("back_end")),
        write_path=counts.station(controller.get("write_path")),
        zeros=None if controller.get("zeros") is None else Zeros(**controller["zeros"]),
        losses=counts.losses(controller.get("losses", [])),
        cache=counts.cache(controller.get("cache")),
        virtual_pools=counts.virtual_pools(names, simulation, summary),
        ratings={device["name"]: device.get("ratings", {}) for device in names["devices"]},
        rebuilds=counts.rebuilds(names, summary),
        paths=counts.paths(names, simulation, summary),
        response_at=counts.response_at(summary),
        heat=counts.heat(names, simulation, raw),
        spinning_up_most=counts.spinning_up_most(names, summary),
        notes=[
            *(note["text"] for note in plan["notes"]),
            *notes,
            *remarks.remarks(
                names,
                raw,
                simulation["observe"]["interval_s"],
                drives_alone=array is None,
                asked_extent_bytes=(simulation["observe"].get("heat") or {}).get("extent_bytes", 0),
                asked_series_s=simulation["observe"].get("series_s"),
            ),
            *([] if array is None else array.notes),
            *remarks.trouble(names, simulation, summary),
        ],
        plan=plan,
        scenario_text=scenario_text,
        simulation=cost,
    )
