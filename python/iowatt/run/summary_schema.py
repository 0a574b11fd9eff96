"""The shape of ``run.json``, with the meaning of every figure; units are in the names.

``iowatt schema run`` prints its JSON Schema. A bundle is checked against this when it is written.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from iowatt.run.summary_cluster import ClusterSummary
from iowatt.run.summary_parts import (
    DeviceSummary,
    InstrumentSummary,
    LoadGenerator,
    MaidCounts,
    ParityLogSummary,
    PathSummary,
    PdcCounts,
    ReplicationSummary,
    SummaryPart,
    WriteOffLoadingCounts,
    ZonedCounts,
    absent,
)

SCHEMA = "iowatt.run/1"


class Input(SummaryPart):
    """A file that the run read."""

    path: str = Field(
        description="As the user would name it from the directory of the run; '-' is standard input."
    )
    size: int | None = Field(description="Bytes; null for standard input.")
    sha256: str | None = Field(description="Digest of its bytes; null for standard input.")


class HostMachine(SummaryPart):
    """The machine that produced the run."""

    name: str
    system: str
    machine: str
    cpus: int


class Provenance(SummaryPart):
    """Where the run came from. The only part, with `simulation`, that may differ between equal runs."""

    version: str = Field(description="Of iowatt.")
    seed: int
    inputs: list[Input] = Field(
        description="The scenario, traces, and device files of one's own with what they are based on."
    )
    scenario_sha256: str = Field(description="Digest of scenario.toml in this bundle, overrides included.")
    host: HostMachine
    started_at: str = Field(description="UTC, ISO 8601.")
    python: str
    command: str | None = Field(description="The command line; null where run from Python.")


class WindowSummary(SummaryPart):
    """What all figures refer to."""

    start_s: float
    end_s: float
    duration_s: float
    warmup_s: float = Field(description="Cut from the front before the window starts.")
    last_arrival_s: float | None = Field(
        description="The last arrival of any workload; what follows it is draining. Null without arrivals."
    )


class Requests(SummaryPart):
    """Requests that arrived within the window: count = completed + in_flight_at_end.

    Response times are of these; throughput counts all completions instead.
    """

    count: int
    completed: int
    reads: int
    writes: int
    bytes_read: int = Field(description="Of completed requests.")
    bytes_written: int = Field(description="Of completed requests.")
    errors: int
    in_flight_at_end: int


class Throughput(SummaryPart):
    """All that completed within the window, whenever it arrived, over the window."""

    completions: int = Field(description="Requests completed within the window, whenever they arrived.")
    iops: float
    mib_per_s: float


class ResponseTime(SummaryPart):
    """Arrival at the point of observation to completion, in ms; null where there were no requests.

    A percentile is the value at rank ceil(q * count); see iowatt.run.histogram.
    """

    count: int
    mean: float | None
    std: float | None
    p50: float | None
    p90: float | None
    p95: float | None
    p99: float | None
    p999: float | None
    p9999: float | None
    max: float | None
    mean_ci95: tuple[float, float] | None = Field(
        description="95 % confidence interval of the mean by batch means; null under 10 batches of 2, and "
        "where they are too alike or too uneven to tell, as a note then says."
    )


class ResponseTimes(SummaryPart):
    """Response times of all requests and by direction."""

    all: ResponseTime
    read: ResponseTime
    write: ResponseTime


class Energy(SummaryPart):
    """Energy within the window; devices only unless the array's own power is modelled, then at the wall."""

    total_j: float | None = Field(
        description="Null where the watts of a drive are not known, and where measured without a meter, or "
        "with one that missed a part of the window."
    )
    per_request_j: float | None = Field(description="Total over throughput.completions; null without any.")
    energy_delay_js: float | None = Field(description="per_request_j times the mean response time in s.")
    by_state_j: dict[str, float | None] = Field(
        description="Null where the watts of a drive in that state are not known."
    )
    by_component_j: dict[str, float | None] = Field(description="Null where some of its watts are not known.")
    by_cause_j: dict[str, float | None] = Field(
        default={},
        description="What drives worked for: host_read, host_write, redundancy (parity, copies, and what "
        "they are computed from), rebuild, background (what buffers write out and read ahead), migration "
        "(data that moves between the parts of a virtual pool); and power_management (changes of level), "
        "idle (spinning without work), low_power (standby and other levels); parts_idle, parts_active and "
        "supply_loss where the array's own power is modelled. The sum is total_j.",
    )
    above_idle_j: float | None = Field(
        description="Total minus what the same devices use doing nothing; null where only a meter knows."
    )
    unknown: str | None = Field(
        default=None,
        description="Why total_j is null, and with it power_w and efficiency: the drives whose watts are not "
        "known, and the missing figures.",
    )


class Power(SummaryPart):
    """Power within the window: devices, and wall_* of all of the array with its power supplies.

    wall_* are null where the array's own power is neither modelled nor metered.
    """

    mean: float | None = Field(
        description="Of the devices; null where only the wall is metered, or energy.unknown says why."
    )
    max: float | None = Field(
        description="The highest mean over one whole interval of the intervals table, or over the window."
    )
    wall_mean: float | None
    wall_max: float | None
    idle: float | None = Field(
        description="All devices ready and without work; null where measured or not known."
    )
    wall_idle: float | None = Field(
        default=None, description="All of the array ready and without work; null where it is not modelled."
    )


class CapacitySummary(SummaryPart):
    """Decimal gigabytes (1e9 bytes)."""

    raw: float | None = Field(description="All drives; null where measured and not stated.")
    usable: float | None = Field(description="After redundancy, pools that carry a volume.")
    effective: float | None = Field(
        description="After capacity optimisation, at the ratios that the scenario assumes and less what "
        "snapshots kept at the end; equals usable where there is none."
    )


class Efficiency(SummaryPart):
    """Work and capacity per watt of mean power; null where no power was drawn or it is not known."""

    iops_per_w: float | None
    mib_per_s_per_w: float | None
    raw_gb_per_w: float | None
    usable_gb_per_w: float | None = None
    effective_gb_per_w: float | None = None


class PowerManagement(SummaryPart):
    """What changes of power level did, over all drives within the window."""

    spin_ups: int = Field(description="Starts of spindles.")
    spin_downs: int = Field(description="Stops of spindles.")
    level_changes: int = Field(description="Changes to a deeper power level, stops included.")
    delayed_accesses: int = Field(description="Accesses that arrived at a drive that was not ready.")
    added_wait_mean_ms: float | None = Field(
        description="Their wait until it was, over all accesses: the price in response time at the drive."
    )
    batching_wait_mean_ms: float | None = Field(
        description="Of that, the wait for others to be served together with."
    )
    spinning_up_most: dict[str, int] = Field(description="Most drives that spun up at once, by pool.")


class BusSummary(SummaryPart):
    """One bus that drives share, within the window."""

    name: str
    transfers: int
    utilisation: float = Field(description="Share of the window spent transferring or arbitrating.")
    wait_mean_ms: float | None = Field(description="Wait for the bus before a transfer.")


class ControllerPart(SummaryPart):
    """A part of the controller that serves requests (the back end: commands to drives) one after another."""

    requests: int
    utilisation: float = Field(description="Busy share of the window, over all of its servers.")
    wait_mean_ms: float | None = Field(description="Mean wait of a request before it is served.")


class Zeros(SummaryPart):
    """Bytes that were kept from the pools because the controller knew them to be zeros."""

    written_bytes: int
    read_bytes: int
    given_up_bytes: int = Field(
        default=0, description="Zeros written to the pools later: not known any more, or beside data."
    )


class ControllerLoss(SummaryPart):
    """A controller or battery that failed; over the whole run, times from its start."""

    of: str = Field(description="controller or battery.")
    at_s: float | None = Field(description="Null where the run ended before.")
    back_s: float | None = Field(description="Null where it was not back before the end.")
    dirty_bytes: int = Field(description="Written and on no drive when it failed.")
    flushed_s: float | None = Field(description="When all of that was on the drives.")
    written_through: int = Field(description="Writes that went through to the drives because of it.")


class ControllerSummary(SummaryPart):
    """The array controller; a part that takes no time is null."""

    processors: ControllerPart | None
    host_link: ControllerPart | None
    mirror_link: ControllerPart | None = Field(
        default=None, description="The link over which the partner controller gets a copy of writes."
    )
    nodes: list[ControllerPart] | None = absent("The processors of each node, where there are several.")
    mesh: ControllerPart | None = absent("The links between nodes, all together.")
    mesh_most_utilisation: float | None = absent("Of the busiest link of the mesh.")
    back_end: ControllerPart | None = absent(
        "What every command to a drive passes. Only where it takes time."
    )
    write_path: ControllerPart | None = absent(
        "What commands made for writes pass before the back end. Only where it takes time."
    )
    zeros: Zeros | None = Field(default=None, description="Only where zeros are detected.")
    losses: list[ControllerLoss] = Field(default=[])


class CacheHits(SummaryPart):
    """What requests found in the cache; ratios are null where there were no such requests."""

    read_hit_ratio: float | None = Field(description="Reads with all of their data in the cache.")
    read_hit_bytes_ratio: float | None = Field(description="Bytes of reads that were in the cache.")
    write_hit_ratio: float | None = Field(description="Writes with all of their lines in the cache.")
    write_hit_bytes_ratio: float | None = Field(description="Bytes of writes to lines in the cache.")
    hit_ratio: float | None = Field(description="Hits of both directions over all requests.")
    hit_bytes_ratio: float | None


class ReadAheadSummary(SummaryPart):
    """What the cache read before it was asked for; what is neither used nor wasted is there at the end."""

    bytes: int
    used_bytes: int = Field(
        description="Asked for by a read afterwards; what was read ahead in the warm-up is among it."
    )
    wasted_bytes: int = Field(description="Gave way or overwritten before any read asked for it.")
    used_ratio: float | None


class CacheSummary(CacheHits):
    """The controller's cache; ratios are null where there were no such requests."""

    delayed_hit_ratio: float | None = Field(
        description="Reads, no hits, that waited only for what other reads had asked for."
    )
    fetches: int = Field(description="Reads from the drives.")
    fetched_bytes: int
    destages: int = Field(description="Completed writes of dirty data to the drives.")
    destaged_bytes: int
    evictions: int = Field(description="Clean lines that gave way.")
    waits_for_space: int = Field(description="Writes that found no clean or free line.")
    space_wait_mean_ms: float | None = Field(description="How long those waited.")
    dirty_bytes_at_end: int = Field(description="Written by hosts and not on the drives yet.")
    overwritten_bytes: int = Field(
        default=0, description="Of writes that replaced dirty data, which is destaged once."
    )
    kept_back_lines: int = Field(
        default=0,
        description="Times that destaging by utilisation passed over a hot line; the warm-up included.",
    )
    read_ahead: ReadAheadSummary | None = Field(
        default=None, description="Only where anything was read ahead."
    )


class Reduction(SummaryPart):
    """Capacity optimisation: what it did within the window, and what it held at the end."""

    pages_written: int = Field(description="By requests, whole or in part.")
    duplicate_ratio: float | None = Field(
        description="Of the pages written, those whose contents existed; null without any."
    )
    pages_allocated: int = Field(description="Pages that got space by their first write.")
    unallocated_bytes_read: int = Field(description="Read, and never written: answered without I/O.")
    modify_bytes_read: int = Field(description="Read so that a part of a page could be written.")
    snapshot_copied_bytes: int = Field(description="Copied before a write; each read and written once.")
    waited: int = Field(description="Requests that waited for another one to the same page.")
    logical_bytes: int = Field(description="What hosts have stored, at the end.")
    stored_bytes: int = Field(description="What that and snapshots take of the part, at the end.")
    snapshot_bytes: int = Field(description="Of these, what snapshots keep.")
    snapshots: int = Field(description="Taken since the start.")
    pages_discarded: int | None = absent("Given up by trims or writes of zeros. Only with reclaim.")
    zero_bytes_written: int | None = absent("In whole pages, and not stored. Only with reclaim.")
    reclaimed_bytes: int | None = absent("Given back to the pool. Only with reclaim.")
    reclaim_pending_bytes: int | None = absent("Still to be given back at the end. Only with reclaim.")
    reduction_ratio: float | None = Field(
        description="logical_bytes over what is stored for them, snapshots apart; null with nothing stored."
    )


class VirtualPool(SummaryPart):
    """An address space made of parts of pools, and what its scheme did with the requests that reached it."""

    name: str
    scheme: str
    capacity_bytes: int = Field(description="What it offers to volumes.")
    reads: int
    writes: int
    bytes_read: int
    bytes_written: int
    migrations: int = Field(description="Moves that ended: an extent, or a pair that changed places.")
    postponed: int = Field(description="Moves that were due and found no room or too many under way.")
    write_backs: int = Field(description="Copies that were written back.")
    evictions: int = Field(description="Copies that were given up.")
    held: int = Field(description="Pieces of requests that waited for the end of a move.")
    held_mean_ms: float | None = Field(description="How long those waited.")
    dirty_bytes_at_end: int = Field(description="Written to copies or logs and not to their home yet.")
    data_movement: MaidCounts | PdcCounts | WriteOffLoadingCounts | ZonedCounts | None = Field(
        default=None, description="What schemes that move data by themselves count besides."
    )
    reduction: Reduction | None = Field(default=None, description="Only where capacity is optimised.")


class TierSummary(SummaryPart):
    """One part of a virtual pool; ratios are of the requests to the virtual pool.

    They are null without any requests, and with the scheme reduced, whose one part has all there is:
    reduction.unallocated_bytes_read tells what never reached it.
    """

    name: str = Field(description="The virtual pool and the part, such as hybrid.fast.")
    virtual_pool: str
    pool: str
    capacity_bytes: int
    hit_ratio: float | None = Field(description="Requests of which every byte was there.")
    hit_bytes_ratio: float | None = Field(description="Bytes of requests that were there.")
    read_hit_ratio: float | None
    write_hit_ratio: float | None
    promoted_bytes: int = Field(description="Bytes that moves brought from a slower part.")
    demoted_bytes: int = Field(
        description="Bytes that moves brought from a faster part; copies that were written back, too."
    )
    occupied_bytes: int | None = Field(description="Bytes that hold data at the end; null where unknown.")
    bytes_read: int = Field(description="For requests.")
    bytes_written: int = Field(description="For requests.")
    migration_bytes_read: int = Field(description="By moves.")
    migration_bytes_written: int = Field(description="By moves.")


class MountWait(SummaryPart):
    """How long mounts took, from the first request for a cartridge until it was ready; null without any."""

    mean: float | None
    p50: float | None = Field(description="To a thousandth.")
    p95: float | None
    max: float | None
    parts: dict[str, float | None] = Field(
        description="Means that add up to the mean: until a drive was free (drive), until it had rewound and "
        "unloaded what it held (clear), until a robot was free (robot), its moves (move), loading (load)."
    )


class RequestParts(SummaryPart):
    """Mean times of requests in s, which add up to their response time; null without any."""

    requests: int = Field(description="A request over several cartridges is one on each.")
    mount_s: float | None = Field(description="Until the cartridge was in a drive and ready.")
    queue_s: float | None = Field(description="Behind others for the same cartridge.")
    locate_s: float | None = Field(description="Locating, and writing out what was buffered before.")
    transfer_s: float | None = Field(description="Between host, buffer and tape.")


class LibrarySummary(SummaryPart):
    """A library of tape cartridges within the window."""

    name: str
    drives: int = Field(description="Tape drives.")
    mounts: int = Field(description="Cartridges that became ready in a drive.")
    dismounts: int = Field(description="Cartridges put back into their slots.")
    mount_wait_s: MountWait
    locates: int
    repositions: int = Field(
        description="Times that a tape stopped for lack of data to write, or of room for what it read."
    )
    read: RequestParts
    write: RequestParts


class HeatSpaceSummary(SummaryPart):
    """One address space of the table ``heat``."""

    point: Literal["front", "back"] = Field(
        description="front: requests of hosts on a volume; back: what a pool is handed, behind the cache."
    )
    name: str = Field(description="Of the volume, or of the pool.")
    capacity_bytes: int = Field(description="Of the volume; of a pool, what its volumes take of it.")
    reads: int
    writes: int
    bytes_read: int
    bytes_written: int


class HeatSummary(SummaryPart):
    """What the rows of the table ``heat`` are, and their sums."""

    extent_bytes: int = Field(description="Of an extent; a power of two times that asked for.")
    period_s: float
    spaces: list[HeatSpaceSummary]


class RebuildSummary(SummaryPart):
    """A drive that failed, and its rebuild; over the whole run, the warm-up included."""

    pool: str
    drive: str
    spare: str | None = Field(
        description="The spare drive in its place; null without one, or with distributed sparing."
    )
    failed_s: float
    started_s: float | None = Field(description="Null where it was not begun, for want of spare space too.")
    finished_s: float | None
    rebuilt_bytes: int
    lost_bytes: int | None = Field(
        default=None, description="Data that the drive held, in a cluster of volumes; null of older Runs."
    )
    fraction: float = Field(description="Of the data, copies and parity that the drive held.")


class QosWaits(SummaryPart):
    """Waiting for one thing at the door of the array."""

    share: float | None = Field(description="Share of the requests that waited.")
    mean_ms: float | None = Field(description="Mean wait, over all requests of the volume.")
    waiting_mean: float = Field(description="Mean number that waits; by Little's law, rate times mean wait.")


class QosSummary(SummaryPart):
    """What a volume may take of the array, and what its requests waited for that."""

    iops_limit: float | None
    bandwidth_limit_bytes_per_s: float | None
    burst_s: float
    iops_of_limit: float | None = Field(description="Requests completed a second, of the limit.")
    bandwidth_of_limit: float | None = Field(description="Bytes completed a second, of the limit.")
    throttled: QosWaits = Field(description="For the limits of the volume.")
    queued: QosWaits = Field(description="For a turn, where the array takes so many requests at once.")


class VolumeSummary(SummaryPart):
    """One volume: the same figures, of its requests alone."""

    name: str
    pool: str
    capacity_gb: float
    requests: Requests
    throughput: Throughput
    response_time_ms: ResponseTimes
    in_flight_mean: float | None
    cache: CacheHits | None = absent("Only where there is a cache.")
    qos: QosSummary | None = absent("Only where a volume has limits, or volumes take turns.")


class TraceReading(SummaryPart):
    """What the reader of a trace counted; a unit mistake or a damaged file shows here.

    Traces are read ahead of the simulation: all counts include records that were read and, the run ending
    first, never issued.
    """

    format: str
    detected: bool = Field(description="Whether the format was found by looking, not named.")
    records_read: int = Field(description="Reads and writes read, read-ahead included.")
    skipped_bad: int
    first_bad: list[str]
    reordered: int
    equal_stamps: int
    trims: int
    flushes: int
    origin: str | None
    untimed: bool = Field(
        default=False, description="Whether the trace records no times, only an order (all stamps 0)."
    )
    notes: list[str] = Field(
        default_factory=list,
        description="What was assumed, what was passed over and what was done to the trace, in sentences.",
    )
    warnings: list[str] = Field(
        default_factory=list,
        description="What makes the trace a doubtful load, in sentences: far more requests queued than "
        "issued, a long gap.",
    )


class WorkloadSummary(SummaryPart):
    """One workload: the same figures, of its requests alone."""

    name: str
    volume: str
    requests: Requests
    throughput: Throughput
    response_time_ms: ResponseTimes
    in_flight_mean: float | None
    trace: TraceReading | None = Field(description="Null where the requests came from no trace.")
    cache: CacheHits | None = absent("Only where there is a cache.")


Serial = Literal["one-thread", "closed-loops", "layers", "flash", "managed", "short", "states-differ"]
"""Why a run was simulated on one thread."""


class Simulation(SummaryPart):
    """What the simulation itself took, warm-up detection included."""

    wall_s: float
    cpu_s: float = Field(
        description="All threads, from opening the first input to the last completion, decoding included."
    )
    requests_per_cpu_s: float | None
    peak_rss_mib: float
    threads: int = Field(default=1, ge=1, description="Threads that simulated parts of the run at once.")
    serial: Serial | None = Field(
        default=None,
        description="Why it was one thread: no more were given, workloads are closed loops, there are layers "
        "above the pools, flash, or managed drives and pools (policies, failures, command queues), the run "
        "is short, or its parts depend too much on what was before.",
    )


class RunSummary(SummaryPart):
    """Summary of one run, simulated or measured."""

    schema_: Literal["iowatt.run/1"] = Field(alias="schema")
    name: str
    source: Literal[
        "simulation", "emulation", "fio", "vdbench", "iometer", "replay", "trace", "volume", "counters",
        "files", "specstorage",
    ]  # fmt: skip
    notes: list[str] = Field(description="Limits of the figures that a reader must know.")
    provenance: Provenance
    window: WindowSummary
    requests: Requests
    throughput: Throughput
    response_time_ms: ResponseTimes
    energy: Energy
    power_w: Power
    power_basis: Literal["device", "wall"] = Field(description="The power that efficiency is taken over.")
    capacity_gb: CapacitySummary
    efficiency: Efficiency
    devices: list[DeviceSummary]
    buses: list[BusSummary]
    rebuilds: list[RebuildSummary] = Field(
        default=[], description="Drives that failed, in order of pool and time."
    )
    parity_logs: list[ParityLogSummary] | None = absent("Only of pools that log parity updates.")
    volumes: list[VolumeSummary]
    workloads: list[WorkloadSummary]
    paths: list[PathSummary] | None = absent("From hosts to the array, where requests go by any.")
    replications: list[ReplicationSummary] | None = absent("Only where volumes have copies elsewhere.")
    response_time_at: dict[Literal["switch", "array"], ResponseTimes] | None = absent(
        "Response times of the requests that went by a path, as seen within it, in ms: at the "
        "switch that watches, at the array's port. Percentiles are from the table series: at most 0.4 % "
        "above."
    )
    controller: ControllerSummary | None = absent("Only where it takes time.")
    cache: CacheSummary | None = absent("Only where there is one.")
    virtual_pools: list[VirtualPool] | None = absent("Only where there are any.")
    tiers: list[TierSummary] | None = absent("Parts of virtual pools, where there are any.")
    libraries: list[LibrarySummary] | None = absent("Only where there are any.")
    clusters: list[ClusterSummary] | None = absent("Only where there are any.")
    heat: HeatSummary | None = absent("Only where it was asked for.")
    power_management: PowerManagement | None = absent("Only where drives changed their power level.")
    simulation: Simulation | None = absent("Only where simulated.")
    driver: LoadGenerator | None = absent("Only where measured.")
    instruments: list[InstrumentSummary] | None = absent("Only where any recorded.")
