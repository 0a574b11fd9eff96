"""Parts of ``run.json``: drives, data movement, paths, and what made and recorded a measured run."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import ConfigDict, Field

from iowatt.base.results import Result, is_none


class SummaryPart(Result):
    """A table of ``run.json``: every figure is a finite number or null."""

    model_config = ConfigDict(allow_inf_nan=False)


def absent(description: str) -> Any:
    """A field that ``run.json`` has only where it has a value."""
    return Field(default=None, exclude_if=is_none, description=description)


class ParityLogSummary(SummaryPart):
    """Small writes of a pool that logs parity updates; over the whole run, the warm-up included."""

    pool: str
    updates: int = Field(description="Small writes logged: one for each stripe that a request touches.")
    update_bytes: int = Field(description="Of their updates of all parity units.")
    log_writes: int = Field(description="Buffers written to the log, each an operation on every drive.")
    log_bytes: int = Field(description="Bytes of these, their own parity apart.")
    reintegrations: int = Field(description="Halves of a region's log that were reintegrated.")
    parity_bytes: int = Field(
        description="Parity that these read, and wrote: of each run of it, first stale unit to last."
    )
    superseded_bytes: int = Field(description="Stale parity that a larger write made anew before.")
    waits: int = Field(
        description="Writes that waited for room in the log, and requests to a degraded pool that waited "
        "until parity was true."
    )
    wait_mean_ms: float | None = Field(description="How long these waited; null where none did.")
    pending_updates: int = Field(description="Updates in buffers and logs at the end.")
    pending_bytes: int = Field(description="Bytes of these.")
    pending_parity_bytes: int = Field(
        description="Parity that is stale at the end, and that a reintegration would read and write: work, "
        "and joules, that the run does not have."
    )


class FlashSummary(SummaryPart):
    """What the flash of an SSD did within the window, and its state at the end.

    Pages are of flash; a unit of the map that is smaller than one counts as a part of it.
    """

    modelled: bool = Field(
        description="Whether the flash is simulated; else amplification and wear are what the data sheet "
        "suggests, and the counts of blocks and pages are 0."
    )
    write_amplification: float | None = Field(
        description="Bytes programmed over bytes that hosts wrote; null where they wrote none."
    )
    host_bytes_written: int
    flash_bytes_written: int = Field(
        description="Programmed: what hosts wrote, what was moved, filling, and the map."
    )
    host_pages_written: float
    flash_pages_written: float
    gc_pages_moved: float = Field(description="By garbage collection, wear-levelling included.")
    wear_levelling_pages_moved: float
    pages_read: int = Field(description="Sensed for reads of hosts.")
    gc_pages_read: int = Field(description="Sensed to be moved, or to complete a unit written in part.")
    erases: int = Field(description="Of blocks, each of one plane.")
    erase_count_mean: float = Field(description="Erases of a block since the start of the run.")
    erase_count_max: int
    erase_count_min: int
    pe_cycles_fraction: float | None = Field(
        description="Share of the rated program and erase cycles used within the window, mean of all blocks."
    )
    free_blocks: int = Field(description="Superblocks (a block of every plane of every die) free at the end.")
    live_bytes: int = Field(description="That hold data at the end.")
    raw_bytes: int = Field(description="Of flash.")
    trims: int
    trimmed_bytes: int
    buffer_hits: int = Field(description="Units that reads found in the write buffer.")
    suspends: int = Field(description="Programs and erases that reads interrupted.")
    energy_by_operation_j: dict[str, float | None] = Field(
        description="Joules of reads (sensing), programs, erases, transfers and commands, beyond what the "
        "drive draws while it is active; part of energy_j.active."
    )


class WearGauge(SummaryPart):
    """A rating of a drive, and how fast this work uses it up."""

    rating: Literal[
        "bytes_written", "pe_cycles", "bytes_per_year", "load_unload_cycles", "start_stop_cycles"
    ] = Field(description="What is rated; bytes_per_year are read and written.")
    rated: float = Field(description="Bytes, cycles, or bytes a year.")
    used: float = Field(description="Within the window.")
    per_year: float = Field(description="The same work for a year of 365 days.")
    used_fraction: float | None = Field(
        description="used over rated; null for bytes_per_year, which are no stock."
    )
    yearly_fraction: float = Field(description="per_year over rated.")
    life_years: float | None = Field(
        description="From new until the rating is used up at this rate; null where it never is, and for "
        "bytes_per_year."
    )


class DeviceSummary(SummaryPart):
    """One drive."""

    name: str
    model: str
    pool: str
    utilisation: float = Field(
        description="Share of the window spent active or positioning; of an SSD, with any command or "
        "operation on flash under way."
    )
    queue_length_mean: float = Field(description="Time average, the access in service included.")
    queue_length_seen: float | None = Field(description="What an arriving access sees, itself included.")
    queue_length_mean_host: float | None = Field(
        description="Time average of the accesses that the host holds back; null with queue_depth 1."
    )
    queue_length_mean_drive: float | None = Field(
        description="Time average of the commands that the drive holds, the one in service included; null "
        "with queue_depth 1."
    )
    accesses: int
    reads: int
    writes: int
    background_accesses: int = Field(description="Of the accesses, those of a rebuild or of a parity log.")
    buffer_hits: int = Field(
        default=0, description="Of the accesses, those that the drive's buffer served without the media."
    )
    seeks: int
    seek_distance_mean_cylinders: float | None
    service_time_mean_ms: float | None
    response_time_mean_ms: float | None
    spin_ups: int = Field(description="Starts of the spindle.")
    spin_downs: int = Field(description="Stops of the spindle.")
    level_changes: int = Field(default=0, description="Changes to a deeper power level, stops included.")
    delayed_accesses: int = Field(
        default=0,
        description="Arrived while the drive was at, or on its way to or from, a lower power level.",
    )
    delay_mean_ms: float | None = Field(
        default=None, description="Mean wait of those until the drive was ready; null without any."
    )
    bytes_read: int
    bytes_written: int
    wear_fraction: float | None = Field(
        description="Share of the rated bytes (TBW) that hosts wrote within the window; null for disks and "
        "where no rating is known."
    )
    state_time_s: dict[str, float] = Field(description="By state; power levels by their names.")
    energy_j: dict[str, float | None]
    energy_by_cause_j: dict[str, float | None] = Field(default={}, description="As energy.by_cause_j.")
    flash: FlashSummary | None = absent("Only of SSDs.")
    wear: list[WearGauge] = Field(default=[], description="Its ratings, as far as the library knows them.")
    drives: int | None = absent(
        "Drives of a node of a large cluster, whose row it is: counts and joules are theirs together, times "
        "and shares their means."
    )


class MaidCounts(SummaryPart):
    """MAID: the cache in front of drives that mostly stand by."""

    kind: Literal["maid"]
    reads: int
    read_hits: int = Field(description="Reads that the cache answered alone.")
    read_bytes: int
    read_hit_bytes: int = Field(description="Bytes of reads that the cache answered.")
    writes: int = Field(description="Each part of one that lies on one data part by itself.")
    logged_writes: int = Field(description="Of those, taken by the cache alone.")
    logged_bytes: int
    copied_bytes: int = Field(description="Copied to the cache after they were read.")
    destaged_bytes: int = Field(description="Logged, and written to data parts.")
    evictions: int = Field(description="Lines that gave way.")
    drains: int = Field(
        description="Times that a data part was brought up because too much of the cache was logged writes."
    )
    dirty_bytes_at_end: int = Field(description="Bytes that only the cache holds.")


class PdcCounts(SummaryPart):
    """Popular data concentration."""

    kind: Literal["pdc"]
    requests_by_part: list[int] = Field(
        description="Requests, each piece that lies in another extent by itself, by the part it was on."
    )
    migrations: int = Field(description="Extents that changed their place.")
    migrated_bytes: int = Field(description="Copied for that, repeated steps included.")
    given_up: int = Field(description="Moves that still waited when the next period began.")
    held_writes: int = Field(description="Writes that waited for a move to end.")


class WriteOffLoadingCounts(SummaryPart):
    """Write off-loading."""

    kind: Literal["write-off-loading"]
    off_loaded_writes: int = Field(
        description="Writes that went to a log; each part of one that lies on one part by itself."
    )
    off_loaded_bytes: int
    refused_writes: int = Field(description="Writes that woke their part because no log could take them.")
    log_reads: int = Field(description="Reads that logs answered at least in part.")
    log_read_bytes: int
    superseded_bytes: int = Field(description="Off-loaded and written anew before they were reclaimed.")
    reclaimed_bytes: int = Field(description="Moved home from logs.")
    reclaims: int = Field(description="Moves that brought them.")
    drains: int = Field(description="Times that a part was brought up because a log filled up.")
    log_bytes_most: int = Field(description="Most that logs held together, before the window too.")
    log_bytes_at_end: int = Field(description="Bytes that only logs hold.")


class ZonedCounts(SummaryPart):
    """A log-structured host over zones."""

    kind: Literal["zoned"]
    host_write_amplification: float | None = Field(
        description="Bytes written to zones, by cleaning too, over those for hosts; null without any."
    )
    written_bytes: int = Field(description="Written to zones for hosts, in whole units.")
    moved_bytes: int = Field(description="Valid bytes that cleaning appended to other zones.")
    cleaning_read_bytes: int = Field(description="Read by cleaning, gaps between valid units included.")
    modify_bytes: int = Field(description="Read so that a part of a unit could be written.")
    unwritten_bytes: int = Field(description="Read where nothing was ever written, without I/O.")
    zone_writes: int = Field(description="Writes of hosts' data to zones, each of one or more requests.")
    read_transfers: int = Field(
        description="Reads of zones for hosts: more than theirs where data are scattered."
    )
    zones_reset: int
    stalls: int = Field(description="Times that writes of hosts waited for a free zone.")
    stalled_ms: float = Field(description="How long, together.")


class PathQueue(SummaryPart):
    """The host's queue in front of a path."""

    depth: int | None = Field(description="Commands outstanding of a lane at most; null: no limit.")
    held: int = Field(description="Requests that waited because so many were outstanding.")
    wait_mean_ms: float | None = Field(description="Over all requests; null without any.")


class PathHop(SummaryPart):
    """A station of a path, in the order in which a request passes them on its way out."""

    hop: str
    place: Literal["host", "fabric", "port"]
    way: Literal["out", "in", ""] = Field(
        description="Away from the host or towards it; empty where both directions use the same station."
    )
    visits: int = Field(description="Commands, messages and bursts of data.")
    utilisation: float | None = Field(description="Busy share of its servers; null where it only takes time.")
    wait_mean_ms: float | None
    service_mean_ms: float | None
    credit_wait_mean_ms: float | None = absent(
        "Of the service, what frames waited for buffer credits. Only of links that have a number of them."
    )


class PathExpress(SummaryPart):
    """Writes of a size class that the target port answers ready by itself."""

    up_to_bytes: int
    buffers: int = Field(description="Of the target port of a lane.")
    taken: int = Field(description="Writes that took one.")
    refused: int = Field(description="Writes that found none free, and went to the controller first.")


class PathSummary(SummaryPart):
    """A path from hosts to the array, its lanes together, within the window."""

    name: str
    protocol: str
    workloads: list[str]
    lanes: int
    queue: PathQueue
    hops: list[PathHop]
    express: list[PathExpress]
    not_express: int | None = Field(description="Writes of no such class; null where there is none.")


class ReplicationLag(SummaryPart):
    """How far a remote array is behind: the age of the oldest write that it lacks, and bytes (the RPO)."""

    mean_s: float = Field(description="Time average; 0 counts while it lacks nothing.")
    max_s: float
    end_s: float = Field(description="At the end of the run.")
    mean_bytes: float
    max_bytes: int
    end_bytes: int


class ReplicationSuspension(SummaryPart):
    """A time in which changes were noted by extents, and then sent; over the whole run."""

    from_s: float
    resumed_s: float | None = Field(description="When they began to be sent; null where they were not.")
    until_s: float | None = Field(description="When all were there; null where they were not at the end.")


class ShipmentHop(SummaryPart):
    """What a hop took of a shipment, on average; place drive and storage are the remote array's."""

    hop: str
    place: str
    way: str
    wait_mean_ms: float
    service_mean_ms: float


class ReplicationSummary(SummaryPart):
    """Volumes with copies on a remote array, within the window."""

    name: str
    mode: Literal["synchronous", "journal", "cycles"]
    volumes: list[str]
    writes: int = Field(description="To the volumes.")
    written_bytes: int
    shipped: int = Field(description="Writes and extents that the remote array got.")
    shipped_bytes: int
    resent: int = Field(description="On their way when the path was lost, and sent again.")
    held: int = Field(description="Writes that waited for the path or for room in the journal.")
    held_mean_ms: float | None = Field(description="How long those waited; null without any.")
    overflows: int = Field(description="Times that the journal was full.")
    cycles: int = Field(description="That the remote array got whole.")
    late_cycles: int = Field(description="Of those, when the next one was due already.")
    lag: ReplicationLag
    suspensions: list[ReplicationSuspension]
    path: PathSummary
    shipment: list[ShipmentHop] = Field(description="Only hops that take time.")


class InstrumentProblem(SummaryPart):
    """Something that an instrument or its log did not do right."""

    kind: str = Field(description="gap, not-available, out-of-range, clipped, uncertain, clock, failure.")
    at_s: float | None = Field(description="From the start of the run; null where it concerns all of it.")
    seconds: float = Field(description="How long it lasted.")
    text: str


class InstrumentSummary(SummaryPart):
    """A meter or thermometer that recorded during the run."""

    name: str
    kind: str = Field(description="The reader: snmp, yokogawa-csv, ptdaemon ...")
    role: Literal["power", "temperature"]
    grade: Literal["emerald", "indicative"] = Field(
        description="Whether its kind can meet the rules of an Emerald measurement."
    )
    why: str = Field(description="The reason for the grade.")
    model: str | None
    serial: str | None
    calibrated: str | None = Field(description="Date, ISO 8601.")
    sample_interval_s: float | None
    uncertainty_percent: float | None = Field(description="Of a power sample, as the instrument says.")
    details: dict[str, str]
    problems: list[InstrumentProblem] = Field(description="Within the window, and of the whole log.")


class StreamShare(SummaryPart):
    """A stream's share of all requests, percent."""

    stream: str
    asked: float
    observed: float
    iops: float | None = Field(default=None, description="Its requests per second, where the tool says it.")
    response_mean_ms: float | None = Field(
        default=None, description="Its mean response time, where the tool says it."
    )


class Reported(SummaryPart):
    """The load generator's own summary, as it printed it."""

    iops: float | None
    mib_per_s: float | None
    response_mean_ms: float | None


class OperationCounts(SummaryPart):
    """All operations on files of one kind. Response times count from the intended time, ms."""

    operation: str
    kind: Literal["metadata", "read", "write"] = Field(description="The workload that counts it.")
    completed: int
    errors: int
    substituted: int = Field(
        description="Those that lacked what they work on, or had too much of it, and made or removed it "
        "first, within their time."
    )
    bytes: int = Field(description="Read, or written where it writes.")
    mean_ms: float | None
    p50_ms: float | None
    p95_ms: float | None
    p99_ms: float | None
    max_ms: float | None


class LoadGenerator(SummaryPart):
    """What made the requests of a measured run, and what it says of itself."""

    tool: Literal["fio", "vdbench", "iometer", "files", "specstorage"]
    version: str
    asked_iops: float | None = Field(description="Null where it ran as fast as it could.")
    achieved_iops: float
    shares: list[StreamShare]
    histogram: str | None = Field(description="Where the response-time histogram comes from.")
    warnings: list[str]
    reported: Reported | None = Field(
        default=None,
        description="The tool's own summary; it may count other intervals, or a short last one as whole.",
    )
    operations: list[OperationCounts] | None = Field(
        default=None, exclude_if=is_none, description="Of operations on files: each kind."
    )
