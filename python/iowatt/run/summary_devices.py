"""The drives in ``run.json``: what each did, what its flash did, and how fast that wears it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from iowatt.run.summary_part import Part


class Flash(Part):
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
    flash_bytes_written: int = Field(description="Programmed: the hosts', those moved, and filling.")
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


class Wear(Part):
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


class Device(Part):
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
    background_accesses: int = Field(description="Of the accesses, those of a rebuild.")
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
    flash: Flash | None = Field(default=None, description="Only of SSDs.")
    wear: list[Wear] = Field(default=[], description="Its ratings, as far as the library knows them.")
