"""A run as a source observed it, before any lens.

The simulator fills it from one call into Rust; a measurement fills it from a load generator's
output and a meter. Everything that ``run.json`` says is derived from this record in
:mod:`iowatt.lenses.summary`, so that a figure has one definition whatever its source.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import polars as pl

    from iowatt.run.idle_spool import IdleSpool
    from iowatt.run.summary_cluster import ClusterSummary
    from iowatt.run.summary_parts import (
        InstrumentSummary,
        LoadGenerator,
        ParityLogSummary,
        PathExpress,
        ReplicationLag,
        ReplicationSuspension,
        ShipmentHop,
    )
    from iowatt.run.summary_schema import ControllerLoss, RebuildSummary, Zeros

SourceKind = Literal[
    "simulation", "emulation", "fio", "vdbench", "iometer", "replay", "trace", "volume", "counters", "files",
    "specstorage",
]  # fmt: skip
"""``emulation``: a live volume on emulated media. ``volume``: one on real stores, as it saw its requests.
``counters``: rates of an array's log or of a host's tool, and no single request. ``files``: operations on
files by iowatt. ``specstorage``: results of SPECstorage or SPEC SFS."""

#: Idle periods that a Run keeps one by one unless its scenario says otherwise: 24 bytes each in memory.
IDLE_ROWS = 131_072

#: Sources whose drives, and so whose watts, are modelled.
MODELLED: frozenset[str] = frozenset(("simulation", "emulation"))


def has_own_arrivals(source: str, plan: Mapping[str, Any]) -> bool:
    """Whether a Run's plan says how its requests came: not where hosts of a live volume brought them."""
    return source == "simulation" or (source == "emulation" and bool(plan.get("sources")))


def observed_how(source: str) -> str:
    """``simulated``, ``emulated`` or ``measured``, by the source of a Run."""
    return {"simulation": "simulated", "emulation": "emulated"}.get(source, "measured")


@dataclass(frozen=True)
class RunWindow:
    """The span that all figures refer to, in seconds from the start of the run."""

    start_s: float
    end_s: float
    #: Cut from the front of the run before the window starts.
    warmup_s: float
    #: The last arrival of any workload; what follows it is draining. None where nothing arrived.
    last_arrival_s: float | None = None

    @property
    def duration_s(self) -> float:
        """Length of the window."""
        return self.end_s - self.start_s


@dataclass(frozen=True)
class ResponseMoments:
    """Response times of one kind of request, in seconds; zero and meaningless where ``count`` is 0."""

    count: int
    mean_s: float
    #: None where the load generator does not report it.
    std_s: float | None
    max_s: float | None
    #: Means of successive batches, for the confidence interval of the mean.
    batch_means_s: Sequence[float] = ()
    #: Requests of each batch; empty where all hold the same number.
    batch_requests: Sequence[int] = ()

    @classmethod
    def doubling(
        cls, count: int, mean_s: float, std_s: float, max_s: float, batch_means_s: Sequence[float]
    ) -> ResponseMoments:
        """With equal batches whose size has doubled as they grew in number, so that it is a power of two.

        Requests behind the last whole batch are a batch of their own, so that all make up the mean.
        """
        means = list(batch_means_s)
        size = 1 << ((count // len(means)).bit_length() - 1) if means else 0
        requests = [size] * len(means)
        if means and (rest := count - size * len(means)) > 0:
            means.append(max(0.0, (count * mean_s - size * math.fsum(means)) / rest))
            requests.append(rest)
        return cls(count, mean_s, std_s, max_s, means, requests)

    @property
    def batches(self) -> Sequence[tuple[int, float]]:
        """Requests and mean in s of each batch, in order."""
        means = self.batch_means_s
        counts = self.batch_requests or [self.count // max(1, len(means))] * len(means)
        return list(zip(counts, means, strict=True))


@dataclass(frozen=True)
class Completions:
    """All that completed inside the window, whenever it arrived: the work that its energy paid for."""

    requests: int
    bytes_read: int
    bytes_written: int


@dataclass(frozen=True)
class RequestFlow:
    """A stream of requests through the point of observation.

    ``completions`` counts what completed inside the window; everything else is about the requests that
    arrived inside it.
    """

    #: Requests that arrived; ``reads + writes`` are these.
    arrived: int
    completed: int
    in_flight_at_end: int
    reads: int
    writes: int
    #: Bytes of completed requests.
    bytes_read: int
    bytes_written: int
    completions: Completions
    #: Time average of requests in flight; None where response times are not known.
    in_flight_mean: float | None
    #: Keys ``all``, ``read``, ``write``.
    response: Mapping[str, ResponseMoments]
    errors: int = 0


@dataclass(frozen=True)
class WorkloadFlow:
    """One stream of requests and the volume it went to."""

    name: str
    volume: str
    flow: RequestFlow
    #: What the reader of its trace counted (format, skipped, reordered ...), reading ahead included; where
    #: there was a trace.
    trace: Mapping[str, Any] | None = None
    #: What its requests found in the cache, where there is one.
    hits: Hits | None = None


@dataclass(frozen=True)
class Waits:
    """Requests that waited for one thing at the door of the array, within the window."""

    requests: int
    wait_s: float
    #: Integral of the number that waits.
    area_s: float


@dataclass(frozen=True)
class QosCounts:
    """What a volume may take of the array (as in the plan), and what its requests waited for that."""

    limits: Mapping[str, float]
    requests: int
    #: For the limits of the volume, for a turn.
    throttled: Waits
    queued: Waits


@dataclass(frozen=True)
class VolumeFlow:
    """An address range that workloads see."""

    name: str
    pool: str
    capacity_bytes: int
    flow: RequestFlow
    #: What its requests found in the cache, where there is one.
    hits: Hits | None = None
    qos: QosCounts | None = None


@dataclass(frozen=True)
class BusCounts:
    """A bus that drives share, within the window."""

    name: str
    transfers: int
    busy_s: float
    #: Sum over transfers of the time spent waiting for the bus.
    wait_s: float


@dataclass(frozen=True)
class StationCounts:
    """A part of the controller that serves requests one after another, within the window."""

    visits: int
    #: Busy share of its servers.
    utilisation: float
    #: Sum over visits of the time spent waiting.
    wait_s: float


@dataclass(frozen=True)
class Hits:
    """What the requests of a workload or a volume found in the cache."""

    reads: int = 0
    read_hits: int = 0
    writes: int = 0
    write_hits: int = 0
    read_bytes: int = 0
    read_hit_bytes: int = 0
    write_bytes: int = 0
    write_hit_bytes: int = 0

    @staticmethod
    def summed(parts: Sequence[Hits | None]) -> Hits | None:
        """Sums over the parts; None where one has no cache, or there are no parts."""
        known = [part for part in parts if part is not None]
        if not known or len(known) < len(parts):
            return None
        return Hits(*(sum(getattr(part, one.name) for part in known) for one in fields(Hits)))


@dataclass(frozen=True, kw_only=True)
class CacheCounts(Hits):
    """What a cache did within the window."""

    #: Reads that waited only for data that other reads were fetching; not hits.
    delayed_hits: int
    #: Reads from the drives.
    fetches: int
    fetched_bytes: int
    #: Writes of dirty data to the drives.
    destages: int
    destaged_bytes: int
    evictions: int
    #: Writes that found no clean or free line, and how long they waited for one.
    waits_for_space: int
    space_wait_s: float
    dirty_bytes_at_end: int
    #: Bytes of writes that replaced dirty ones.
    overwritten_bytes: int = 0
    #: Hot lines that the destager passed over, the warm-up included.
    kept_back: int = 0
    #: Bytes asked for ahead of reads; of those, asked for by a read later, and lost before any was.
    ahead_bytes: int = 0
    ahead_used_bytes: int = 0
    ahead_wasted_bytes: int = 0


@dataclass(frozen=True)
class TierCounts:
    """One part of a virtual pool. Pairs are of reads and writes; hits are of those of its virtual pool."""

    part: str
    pool: str
    capacity_bytes: int
    hits: tuple[int, int]
    hit_bytes: tuple[int, int]
    promoted_bytes: int
    demoted_bytes: int
    request_bytes: tuple[int, int]
    migration_bytes: tuple[int, int]
    occupied_bytes_at_end: int | None


@dataclass(frozen=True)
class ReducedCounts:
    """What capacity optimisation did within the window, and what it held at the end."""

    pages_written: int
    duplicates: int
    allocated: int
    unallocated_bytes: int
    modify_bytes: int
    copied_bytes: int
    waited: int
    no_space: int
    logical_bytes: int
    stored_bytes: int
    snapshot_bytes: int
    snapshots: int
    #: Where space is given back: pages given up, zeros written, bytes given back and still to be.
    reclaims: bool = False
    discarded: int = 0
    zero_bytes: int = 0
    reclaimed_bytes: int = 0
    leaving_bytes: int = 0


@dataclass(frozen=True)
class VirtualPoolCounts:
    """What a virtual pool did within the window."""

    name: str
    scheme: str
    capacity_bytes: int
    requests: tuple[int, int]
    bytes: tuple[int, int]
    #: Moves that ended, and those that were due and could not start then.
    migrations: int
    postponed: int
    write_backs: int
    evictions: int
    #: Pieces of requests that moves held up, and for how long.
    held: int
    held_s: float
    dirty_bytes_at_end: int
    tiers: tuple[TierCounts, ...]
    reduced: ReducedCounts | None = None
    #: What a scheme that moves data for the sake of power counts besides, by the names of ``run.json``.
    movement: Mapping[str, Any] | None = None


#: What the wait for a mount is made of: for a drive, for that to unload what it holds, for a robot, the moves
#: of cartridges, and loading.
MOUNT_PARTS = ("drive", "clear", "robot", "move", "load")

#: What the response time of a request to a library is made of.
REQUEST_PARTS = ("mount", "queue", "locate", "transfer")


@dataclass(frozen=True)
class LibraryCounts:
    """What a library did within the window."""

    name: str
    drives: int
    mounts: int
    dismounts: int
    #: Sums over mounts by :data:`MOUNT_PARTS`; together they are the waits.
    wait_s: Mapping[str, float]
    wait_p50_s: float
    wait_p95_s: float
    wait_max_s: float
    locates: int
    #: Times that a tape ran out of data, or of room for it, and went back.
    repositions: int
    #: By ``read`` and ``write``; a request over several cartridges is one on each.
    requests: Mapping[str, int]
    #: Sums over these by :data:`REQUEST_PARTS`; together they are the response times.
    spent_s: Mapping[str, Mapping[str, float]]


@dataclass(frozen=True)
class StorageBytes:
    """Bytes of storage: bought, left after redundancy, and after capacity optimisation."""

    #: None where measured and not stated.
    raw_bytes: int | None
    usable_bytes: int | None
    effective_bytes: int | None


@dataclass(frozen=True)
class HeatGridSpace:
    """An address space whose requests are counted by extent: a volume (front) or a pool (back)."""

    point: str
    name: str
    capacity_bytes: int


@dataclass(frozen=True)
class HeatGrid:
    """What the rows of the table ``heat`` are."""

    extent_bytes: int
    period_s: float
    spaces: Sequence[HeatGridSpace]


@dataclass(frozen=True)
class SimulationCost:
    """What the simulation itself took."""

    wall_s: float
    #: Processor time of all threads from opening the first input to the last completion.
    cpu_s: float
    requests: int
    peak_rss_mib: float
    #: Threads that simulated, and why it was one (a code of ``iowatt.run.summary_schema.Serial``).
    threads: int = 1
    serial: str | None = None


@dataclass(frozen=True)
class HopCounts:
    """A station that requests of a path pass: part of the host, a direction of a hop, the target port."""

    hop: str
    #: ``host``, ``fabric`` or ``port``.
    place: str
    #: ``out`` (away from the host), ``in`` or, where both use it, empty.
    way: str
    visits: int
    busy_s: float
    #: Sum over visits of the time spent waiting.
    wait_s: float
    #: How many serve at once, all lanes together; 0 of what only takes time (distance).
    servers: int
    #: Of the busy time, what frames waited for buffer credits; None where there are as many as are needed.
    credit_wait_s: float | None = None


@dataclass(frozen=True)
class PathCounts:
    """A path: its lanes are equal, and counted together."""

    name: str
    protocol: str
    workloads: Sequence[str]
    lanes: int
    #: Commands outstanding of a lane at most; None: no limit.
    queue_depth: int | None
    #: Requests that came to the host's queue, those that it held back, and how long in all.
    queue_visits: int
    queue_held: int
    queue_wait_s: float
    hops: Sequence[HopCounts]
    express: Sequence[PathExpress] = ()
    #: Writes of no express class; None where there is none.
    not_express: int | None = None


@dataclass(frozen=True)
class ReplicationCounts:
    """A replication; its path as any path's, of shipments."""

    name: str
    mode: str
    volumes: Sequence[str]
    path: PathCounts
    writes: int
    written_bytes: int
    shipped: int
    shipped_bytes: int
    resent: int
    #: Writes that waited for the path or for room, and how long in all.
    held: int
    held_s: float
    overflows: int
    cycles: int
    late_cycles: int
    lag: ReplicationLag
    suspensions: Sequence[ReplicationSuspension]
    shipment: Sequence[ShipmentHop]


@dataclass(frozen=True)
class Tables:
    """The Parquet tables of a bundle; columns and types in :mod:`iowatt.run.tables`."""

    intervals: pl.DataFrame
    latency: pl.DataFrame
    energy: pl.DataFrame
    devices: pl.DataFrame
    #: Idle periods: every one where that was asked for, else as many as there was room for.
    idle: IdleSpool | pl.DataFrame | None = None
    #: Idle periods that are counted by length, where there was no room for every one.
    idle_short: pl.DataFrame | None = None
    #: Requests by extent and period, where they were counted.
    heat: pl.DataFrame | None = None
    #: What instruments read, by quantity and interval, where there were any.
    instruments: pl.DataFrame | None = None
    #: Response times in blocks of time, where it is known when requests completed.
    series: pl.DataFrame | pl.LazyFrame | None = None
    #: Where the time of requests went, where they went by a path or it was measured.
    hops: pl.DataFrame | None = None


@dataclass(frozen=True)
class Record:
    """A run as observed."""

    name: str
    source: SourceKind
    seed: int
    window: RunWindow
    total: RequestFlow
    workloads: Sequence[WorkloadFlow]
    volumes: Sequence[VolumeFlow]
    tables: Tables
    #: Watts of each drive that is ready and without work, by name; None where they are not known.
    idle_w: Mapping[str, float | None]
    capacity: StorageBytes
    #: The same of the array's parts and its supplies' losses, where they are modelled.
    array_idle_w: Mapping[str, float] = field(default_factory=dict)
    #: Why joules are null, where the watts of a drive are not known.
    unknown_energy: str | None = None
    buses: Sequence[BusCounts] = ()
    #: Parts of the controller and its cache, where they are modelled.
    processors: StationCounts | None = None
    host_link: StationCounts | None = None
    mirror_link: StationCounts | None = None
    #: Of each controller node its processors; the links between them together, and the share of the busiest.
    nodes: Sequence[StationCounts] = ()
    mesh: StationCounts | None = None
    mesh_most: float | None = None
    #: What commands to drives pass: all of them, and before it those made for writes.
    back_end: StationCounts | None = None
    write_path: StationCounts | None = None
    zeros: Zeros | None = None
    losses: Sequence[ControllerLoss] = ()
    cache: CacheCounts | None = None
    virtual_pools: Sequence[VirtualPoolCounts] = ()
    libraries: Sequence[LibraryCounts] = ()
    clusters: Sequence[ClusterSummary] = ()
    #: What each drive is rated to last, by its name and by what is counted (see lenses/wear.py).
    ratings: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    rebuilds: Sequence[RebuildSummary] = ()
    parity_logs: Sequence[ParityLogSummary] = ()
    #: Paths from hosts to the array, where they are modelled.
    paths: Sequence[PathCounts] = ()
    replications: Sequence[ReplicationCounts] = ()
    #: Response times of all requests as seen at other points than the host, by point and direction (``all``,
    #: ``read``, ``write``); their histograms are in the table ``series``.
    response_at: Mapping[str, Mapping[str, ResponseMoments]] = field(default_factory=dict)
    heat: HeatGrid | None = None
    #: Most drives that spun up at once, by pool; only pools where any did.
    spinning_up_most: Mapping[str, int] = field(default_factory=dict)
    #: What a reader must know before believing the figures: stand-ins, assumptions, what was left out.
    notes: Sequence[str] = ()
    #: The scenario as resolved; kept for the reader, and to run it again.
    plan: Mapping[str, Any] = field(default_factory=dict)
    #: The scenario as given.
    scenario_text: str = ""
    simulation: SimulationCost | None = None
    #: Only of measured Runs: the load generator, and the instruments.
    driver: LoadGenerator | None = None
    instruments: Sequence[InstrumentSummary] | None = None

    @property
    def measured(self) -> bool:
        """Whether real storage did the work, so that only a meter knows its power."""
        return self.source not in MODELLED
