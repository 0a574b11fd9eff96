"""The compiled core: JSON in, NumPy out, the GIL released while it works."""

from collections.abc import Callable, Iterable
from typing import Any, NotRequired, TypedDict

import numpy as np
from numpy.typing import NDArray

__version__: str

# --- traces (crates/iowatt-py/src/trace.rs) ---

class Batch(TypedDict):
    """Requests in columns of equal length."""

    time_ns: NDArray[np.int64]
    """Arrival, nanoseconds from the origin of the trace; never decreasing."""
    device: NDArray[np.uint32]
    """Index into ``TraceReader.devices()``."""
    op: NDArray[np.uint8]
    """0 read, 1 write, 2 trim, 3 flush."""
    offset: NDArray[np.uint64]
    """First byte on the device."""
    size: NDArray[np.uint32]
    """Bytes."""
    response_ns: NDArray[np.int64]
    """Response time recorded in the trace, -1 for none."""
    stream: NDArray[np.uint32]
    """Index into ``TraceReader.streams()``, 2**32-1 for none."""

class TraceReader:
    """A trace being read, in bounded memory. Made by ``open_trace``."""

    def read(self, limit: int) -> Batch | None:
        """The next requests, at most ``limit`` (at least 1); ``None`` at the end.

        Raises ``iowatt.base.errors.InputError`` with file and line where the trace is wrong.
        """

    def devices(self) -> list[str]:
        """Names of the devices so far, by index."""

    def streams(self) -> list[str]:
        """Names of the streams so far, by index."""

    def progress(self) -> float | None:
        """Fraction of the file's bytes consumed; ``None`` where it cannot be known (a pipe)."""

    def summary(self) -> str:
        """What was read so far, as a JSON object.

        Keys: format, detected, requests, reads, writes, skipped_bad, first_bad, reordered, equal_stamps,
        trims, flushes, origin, origin_unix_ns, untimed, notes.
        """

def open_trace(spec_json: str, source: Iterable[Any] | None = None) -> TraceReader:
    """Open the file of a JSON ``TraceSpec``, or read ``source`` (see ``trace_info``) by its rules.

    Where the specification has ``parts``, ``source`` is a list with an item for each, ``None`` for a file. A
    source has a method ``reopened`` where it has to be read twice (``place`` without offsets).

    Raises ``iowatt.base.errors.InputError`` where the file or the specification cannot be used.
    """

def trace_info(
    source: Iterable[Any] | None,
    spec_json: str,
    progress: Callable[[float | None, int], object] | None = None,
) -> str:
    """Read a whole trace and describe it, as JSON (schema ``iowatt.trace-info/1``).

    ``source`` is ``None`` for the file of the specification, or an iterable of dicts like ``Batch``, where
    ``device``, ``response_ns`` and ``stream`` may be left out and ``devices`` and ``streams`` (lists of
    names) may be added. Without a ``device`` in the specification all devices are read. ``progress`` is
    called a few times a second with the fraction read and the requests so far; what it raises ends the
    reading.
    """

def trace_describe(
    source: Iterable[Any] | None,
    spec_json: str,
    options_json: str,
    progress: Callable[[float | None, int], object] | None = None,
) -> str:
    """Read a whole trace and measure it as a workload, as JSON (schema ``iowatt.description/1``).

    ``source``, ``device`` and ``progress`` as for ``trace_info``. Options: block_bytes, extent_bytes,
    samples, lookback, gap_bytes, cache_bytes (see ``iowatt.trace.measure``).
    """

class TraceHeat(TypedDict):
    """Where a trace is hot, one row by device, extent and period that was asked for anything."""

    measures: str
    """JSON: extent_bytes, period_ns, span_ns (first and last stamp, or null), devices, end_bytes, untimed."""
    space: NDArray[np.uint64]
    """Index into ``devices``."""
    extent: NDArray[np.uint64]
    start_ns: NDArray[np.uint64]
    reads: NDArray[np.uint64]
    writes: NDArray[np.uint64]
    bytes_read: NDArray[np.uint64]
    bytes_written: NDArray[np.uint64]

def trace_heat(
    source: Iterable[Any] | None,
    spec_json: str,
    extent_bytes: int,
    period_ns: int | None = None,
    progress: Callable[[float | None, int], object] | None = None,
) -> TraceHeat:
    """Read a whole trace and count reads, writes and bytes by device, extent and period.

    ``source``, ``device`` and ``progress`` as for ``trace_info``. Extents have 64 KiB at least; a request
    counts where it begins, its bytes where they lie. Where there would be more than 2**20 rows, periods join
    pairwise, and then extents: ``measures`` says what they became.
    """

def cache_simulate(
    source: Iterable[Any] | None,
    spec_json: str,
    plan_json: str,
    progress: Callable[[float | None, int], object] | None = None,
) -> str:
    """Simulate caches alone over a whole trace, as JSON; without caches, count what passes by.

    ``source``, ``device`` and ``progress`` as for ``trace_info``. Plan: block_bytes (or null), writes,
    warm_up, caches (see ``iowatt.evaluate.caches.simulate`` and ``SimulationPlan`` of iowatt-cache).
    """

class StageBatch(TypedDict):
    """Requests of a recording in columns of equal length, in the order of their completion; -1: not known."""

    queued_ns: NDArray[np.int64]
    issued_ns: NDArray[np.int64]
    """When its first part went to the device."""
    completed_ns: NDArray[np.int64]
    size: NDArray[np.int64]
    """Bytes."""
    op: NDArray[np.uint8]
    """0 read, 1 write."""
    device: NDArray[np.uint32]
    """Index into ``StagesReader.devices()``."""

class StagesReader:
    """A recording of blktrace: requests with the times at which they were queued, issued and completed.

    ``path``: the recording without ``.blktrace.N``, or one file. ``devices``: names wanted (``8,16``); all
    without any. Raises ``iowatt.base.errors.InputError`` where it cannot be opened.
    """

    def __init__(self, path: str, devices: list[str] = ...) -> None: ...
    def read(self, limit: int) -> StageBatch | None:
        """The next requests, about ``limit`` at most (at least 1); ``None`` at the end.

        Raises ``iowatt.base.errors.InputError`` with file and record where the recording is wrong.
        """

    def devices(self) -> list[str]:
        """Names of the devices so far, by index."""

    def summary(self) -> str:
        """Counts so far, as a JSON object (``StagesSummary`` in crates/iowatt-trace/src/stages)."""

def trace_formats() -> str:
    """The trace formats, a JSON list of {name, title, columns, compressions, order_tolerance_s, options}."""

# --- simulation (crates/iowatt-py/src/simulate.rs) ---

class Outcome(TypedDict):
    """All that a simulation leaves behind."""

    summary: str
    """Figures as a JSON object (``Summary`` in crates/iowatt-sim/src/results.rs), and wall_s and sources."""
    intervals: dict[str, NDArray[Any]]
    """The course over time, in columns."""
    latency: dict[str, NDArray[Any]]
    """Response-time histograms: workload, op, low_ns, high_ns, count."""
    foreseen: dict[str, NDArray[Any]]
    """Idle periods of drives whose policy is an oracle that was told nothing: drive, start_ns, length_ns."""
    heat: NotRequired[dict[str, NDArray[Any]]]
    """Only where asked for: point (0 front, 1 back), space, extent, start_ns, reads, writes, bytes."""

def simulate(
    plan_json: str,
    sources: list[tuple[str, Iterable[Any] | None]],
    progress: Callable[[float | None, int], object] | None = None,
    foreseen: dict[str, NDArray[Any]] | None = None,
    idle: Callable[[NDArray[np.uint32], NDArray[np.uint64], NDArray[np.uint64], NDArray[np.bool_]], object]
    | None = None,
    back_end: Callable[
        [
            NDArray[np.int64],
            NDArray[np.uint32],
            NDArray[np.uint32],
            NDArray[np.uint64],
            NDArray[np.uint32],
            NDArray[np.uint32],
        ],
        object,
    ]
    | None = None,
    threads: int = 1,
) -> Outcome:
    """Run the simulation part of a plan; one (TraceSpec JSON, rows or None) for each workload.

    An oracle is told ``foreseen``, which is that of a first run with the same plan and sources; told
    nothing, it does nothing. ``idle`` is given the idle periods in batches (drive, start and length in
    nanoseconds, whether it is cut) where the plan asks for them; what it raises ends the simulation.
    ``back_end`` is given every request that a pool is handed, in batches in order of time: nanoseconds, pool,
    whether it writes, offset and size in bytes, and what it is for (``iowatt.trace.back_end.PURPOSES``).

    ``progress`` is called a few times a second; what it raises ends the simulation. Raises
    ``iowatt.base.errors.InputError`` where a trace is wrong, ``IowattError`` where the plan is.
    """

# --- durability (crates/iowatt-py/src/durability.rs) ---

def durability(
    plan_json: str,
    progress: Callable[[float, int], object] | None = None,
    threads: int = 1,
) -> str:
    """Assess the durability of groups of drives; JSON: ``Results``, crates/iowatt-durability/src/results.rs.

    Parameters
    ----------
    plan_json:
        ``Plan`` of crates/iowatt-durability/src/plan: SI units, rates per second.
    progress:
        Called a few times a second with the fraction done and the trials so far; what it raises ends it.
    threads:
        Change nothing but the time it takes; ``cpu_s`` alone differs between runs, unless trials ended by it.

    Raises
    ------
    IowattError
        The plan is wrong.
    """

# --- one drive against measurements (crates/iowatt-py/src/replay.rs) ---

class Replayed(TypedDict):
    """Request by request."""

    response_ns: NDArray[np.uint64]
    """Issue to completion."""
    hit: NDArray[np.uint8]
    """How the request met the buffer."""

def replay_one(
    hdd_plan_json: str,
    offset: NDArray[np.uint64],
    size: NDArray[np.uint32],
    op: NDArray[np.uint8],
    think_ns: NDArray[np.uint64],
    phase: float = 0.0,
) -> Replayed:
    """Requests (sectors; op 1 writes) on one drive, each a think time after the completion before it.

    ``phase`` is the rotational position at time zero, in turns.
    """

class Queued(TypedDict):
    """Request by request, in the order of the input."""

    response_ns: NDArray[np.uint64]
    """Arrival to completion."""
    service_ns: NDArray[np.uint64]
    """Start of service to completion."""

def replay_open(
    hdd_plan_json: str,
    scheduler: str,
    offset: NDArray[np.uint64],
    size: NDArray[np.uint32],
    op: NDArray[np.uint8],
    time_ns: NDArray[np.uint64],
    phase: float = 0.0,
) -> Queued:
    """Requests (sectors; op 1 writes) that arrive at ``time_ns``, in order, and queue in front of one drive.

    ``scheduler`` is a discipline of a plan's pool, such as ``c-look``; ``phase`` is as for ``replay_one``.
    """

class Managed(TypedDict):
    """What a power policy makes of a list of idle periods. Seconds and joules are sums over all of them."""

    periods: int
    length_s: float
    """Lengths of the periods."""
    baseline_j: float
    """What idling through all of them draws."""
    energy_j: float
    """What the policy draws until the drive is ready for the arrival that ends each period."""
    delayed: int
    """Periods whose arrival waited."""
    added_s: float
    """Time that those arrivals waited."""
    longest_wait_s: float
    spin_downs: int
    """Stops of the spindle."""
    descents: int
    """Changes to a deeper level, stops included."""
    level_s: list[float]
    """Time at each level, idling first."""
    descending_s: float
    """Time on the way to a deeper level."""
    ascending_s: float
    """Time on the way back."""

def evaluate_policy(
    idle_ns: NDArray[np.uint64], levels_json: str, policy_json: str, seed: int = 0
) -> Managed:
    """Let a policy manage one drive through idle periods of the given lengths.

    Parameters
    ----------
    idle_ns:
        Lengths of the periods, in order, shape (n,), contiguous.
    levels_json:
        ``Levels`` of iowatt-power: ``{"idle_w", "below": [{"watts", "enter": {"seconds", "joules"}, "leave":
        {...}, "stopped", "serves_at"}, ...]}``, each level below drawing no more than the one before.
    policy_json:
        ``PolicyPlan`` of iowatt-power, such as ``{"policy": "fixed-threshold",
        "threshold_s": 10.0, "level": 1}``; levels are numbered from 1, the first below idling.
    seed:
        What a randomised policy draws from.

    Each period is taken as long as it is given: the wait of an arrival moves no later one.

    Raises
    ------
    IowattError
        The levels or the policy are not possible.
    """

class PolicyTrial:
    """A policy that manages one drive through idle periods that come in batches; two levels only.

    What it learns goes from batch to batch. Arguments and errors are those of ``evaluate_policy``; more
    than one level below idling is refused.
    """

    def __init__(self, levels_json: str, policy_json: str, seed: int = 0) -> None: ...
    def add(self, idle_ns: NDArray[np.uint64]) -> None:
        """The next periods, shape (n,), contiguous."""

    def result(self) -> Managed:
        """Sums over all periods so far."""

def policy_foresees(policy_json: str) -> bool:
    """Whether a ``PolicyPlan`` must be told the lengths of idle periods beforehand: an oracle."""

def break_even(levels_json: str) -> list[float]:
    """Break-even time of each level below idling in s; infinite where it saves nothing."""

class Export(TypedDict):
    """An NBD export."""

    size: int
    """Bytes."""
    flags: int
    """Transmission flags of the protocol."""
    minimum: int
    """Requests begin and end at multiples of so many bytes."""
    maximum: int
    """Longest request in bytes."""

def nbd_export(uri: str) -> Export:
    """Connect to ``nbd://HOST[:PORT]/EXPORT`` or ``nbd+unix:///EXPORT?socket=PATH`` and ask for the export.

    Raises
    ------
    InputError
        It is no address, there is no server, or it refuses the export.
    """

class ReplayColumns(TypedDict):
    """Requests to be made, shape (n,), contiguous."""

    due_ns: NDArray[np.uint64]
    """From the beginning, ascending."""
    write: NDArray[np.bool_]
    offset: NDArray[np.uint64]
    size: NDArray[np.uint32]
    """Bytes, above 0."""
    stream: NDArray[np.uint32]
    """Numbers from 0 on; empty: all are of one."""
    think_ns: NDArray[np.uint64]
    """From the completion of the stream's previous request to this one; empty: none."""

class ReplayStamps(TypedDict):
    """What happened to each request, shape (repeat * n,); 2**64-1 where it did not happen."""

    due_ns: NDArray[np.uint64]
    """At its time, or when the completion came (and the think time was over) that it waited for."""
    sent_ns: NDArray[np.uint64]
    done_ns: NDArray[np.uint64]
    error: NDArray[np.int32]
    """Error number of the system, 0 for none."""
    driven_by: str
    """"io_uring", "threads" or "nbd"."""
    began_unix_ns: int
    """Unix time of the beginning, ns."""

class FileStamps(TypedDict):
    """What happened to file operations, in their order; times in ns from the beginning."""

    due_ns: NDArray[np.uint64]
    """2**64 - 1 where it did not happen, as of the next two."""
    sent_ns: NDArray[np.uint64]
    """When a thread began with it."""
    done_ns: NDArray[np.uint64]
    error: NDArray[np.int32]
    """Error number of the system, 0 for none."""
    bytes: NDArray[np.uint64]
    """Read, or written where it writes."""
    substituted: NDArray[np.bool_]
    """Whether what it works on was made or removed first."""
    began_unix_ns: int
    complete: bool
    full: int
    """The error number for which it ended early (no space), 0 for none."""

def file_operations() -> list[tuple[str, str]]:
    """Name and class ("read", "write", "ask", "change") of each file operation, by code."""

class FileSet:
    """A set of files that was made in a directory of its own. One run at a time."""

    @property
    def bytes(self) -> int:
        """Bytes written to make it; 0 where it was opened."""

    @staticmethod
    def at(
        path: str,
        *,
        threads: int,
        files: int,
        sizes: list[tuple[int, int]],
        transfer: int,
        durable: bool,
        seed: int,
        create: bool,
    ) -> FileSet:
        """Make the directory ``path`` and fill it, or open a set that was made with the same arguments.

        Parameters
        ----------
        threads:
            1 to 256; each has files of its own.
        files:
            Of a thread.
        sizes:
            Bytes and weights.
        transfer:
            Bytes of a read or write within a file.
        durable:
            Whether writes are durable when they return.

        Raises ``InputError``: it exists, does not fit, is no such set, or cannot be written; nothing is left.
        """

    def run(
        self,
        due_ns: NDArray[np.uint64],
        ops: NDArray[np.uint8],
        *,
        progress: Callable[[float, int], None] | None = None,
    ) -> FileStamps:
        """Do operations (codes) when they are due, as many at once as the set has threads.

        ``progress`` is told the share that is done, and the number; what it raises ends the run.
        """

    def remove(self) -> int:
        """Remove what was made. Gives how many things of others were left, and the directory with them."""

def replay_run(
    target: str,
    columns: ReplayColumns,
    *,
    mode: str,
    outstanding: int,
    depth: int,
    repeat: int,
    connections: int,
    direct: bool,
    threads: bool = False,
    progress: Callable[[float, int], None] | None = None,
) -> ReplayStamps:
    """Make requests on a file, a block device or an NBD export, and stamp each.

    Writes write random bytes. A request that fails is stamped with its error.

    Parameters
    ----------
    target:
        A path, or an address as ``nbd_export`` takes.
    mode:
        "open": each when it is due. "closed": each after the previous one of its stream, or, with
        ``outstanding`` above 0, so many all the time.
    depth:
        Requests outstanding at most.
    repeat:
        How many times the columns are replayed.
    connections:
        To an NBD export.
    direct:
        Past the page cache; sizes, offsets must suit the target.
    threads:
        By threads, even where there is io_uring.
    progress:
        Called with the fraction and the number of requests that completed.

    Raises
    ------
    InputError
        The target cannot be opened.
    """

# --- live volumes (crates/iowatt-py/src/live.rs) ---

def volume_needs(plan_json: str) -> list[int]:
    """Bytes that each store of a volume needs, label and map included.

    ``plan_json`` is a ``VirtualPoolPlan`` of iowatt-volume. Raises ``InputError`` where it cannot be live.
    """

def volume_create(paths: list[str], plan_json: str, name: str, uuid: str) -> int:
    """Make a volume on stores whose content is lost; its bytes.

    ``uuid`` has 32 hexadecimal digits.

    Raises ``InputError`` at a store that is too small, in use, or fails.
    """

def volume_check(paths: list[str]) -> str:
    """Check labels and map of a volume, and repair what can be; what was found, as JSON.

    Raises ``InputError`` at a store that is not of the volume, in use, or damaged.
    """

class VolumeServer:
    """A volume in service over NBD, until ``stop``. Its threads do not need the GIL."""

    name: str
    uuid: str
    capacity_bytes: int
    #: What NBD clients connect to.
    uri: str

    #: When the recording began, in nanoseconds of Unix time; None where nothing is recorded.
    began_unix_ns: int | None

    def __init__(
        self,
        paths: list[str],
        *,
        socket: str | None = None,
        port: int | None = None,
        threads: int = 8,
        emulate: str | None = None,
        record: bool = False,
    ) -> None:
        """Serve the volume on ``paths`` on a Unix socket, or on a port of 127.0.0.1 (0: any).

        ``emulate``: a plan with its virtual pool, one volume and one workload, whose drives pace it.
        ``record``: every request is kept for ``take_rows``, without emulated media.
        """

    def status(self) -> str:
        """Counts and state, as JSON: the ``Status`` of iowatt-live, ``clients``, and how late ``emulated``
        transfers were told."""

    def take_rows(self) -> dict[str, NDArray[Any]]:
        """Requests answered since the last call, in order of the answers: ``arrived_ns``, ``answered_ns``,
        ``offset``, ``size`` (uint64), ``write``, ``ok`` (bool)."""

    def outcome(self) -> dict[str, Any] | None:
        """After ``stop``, once: of emulated media, what ``simulate`` returns; else None."""

    def stop(self) -> None:
        """Disconnect clients, make everything durable, mark the volume as stopped in order.

        Raises ``OSError`` where a store has failed.
        """
