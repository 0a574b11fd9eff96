"""Groups of an SSD's figures, in SI units: flash, interface, data sheet, wear, and its use in a scenario."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

Points: TypeAlias = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class FlashGeometry:
    """Flash; ``spare`` is the flash beyond the capacity as a share of it, without free and open blocks.

    A *stripe* is a page of each plane of a die, a *superblock* a block of every plane of every die.
    """

    channels: int
    dies_per_channel: int
    planes: int
    page_bytes: int
    pages_per_block: int
    mapping_bytes: int
    spare: float

    @property
    def dies(self) -> int:
        """Dies."""
        return self.channels * self.dies_per_channel

    @property
    def stripe_bytes(self) -> int:
        """Bytes of a stripe."""
        return self.planes * self.page_bytes

    @property
    def superblock_bytes(self) -> int:
        """Bytes of a superblock."""
        return self.dies * self.stripe_bytes * self.pages_per_block


@dataclass(frozen=True)
class Times:
    """Times of operations on flash in seconds; the channel in bytes per second."""

    read_s: float
    program_s: float
    erase_s: float
    channel_bytes_per_s: float
    #: Sensing by page type, of which ``read_s`` is the mean.
    read_by_page_s: tuple[float, ...]
    #: How long a read keeps its die, the mean over page types.
    read_hold_s: float
    #: Share of senses that are repeated.
    retries: float


@dataclass(frozen=True)
class SsdInterface:
    """Host link and controller; latencies are those of a single whole command."""

    link_rate: float
    read_rate: float
    write_rate: float
    command_read_s: float
    command_write_s: float
    commands_per_s: float
    #: How long commands hold the controller, reads and writes: bytes and seconds, linear between.
    read_holds: Points
    write_holds: Points
    queue_depth: int
    #: Commands at a time at which the rates of its data sheet are taken to be measured.
    tested_depth: int
    read_latency_s: float
    write_latency_s: float


@dataclass(frozen=True)
class Sheet:
    """The rates of a data sheet."""

    read_s: float
    write_s: float
    read_iops: float
    write_iops: float
    read_rate: float
    write_rate: float
    write_amplification: float
    #: How long commands hold the drive, reads and writes: bytes and seconds, linear between.
    read_holds: Points
    write_holds: Points
    #: Quantiles of the latency of one request at a time: shares and seconds. Empty: always ``read_s``.
    read_quantiles: Points = ()
    write_quantiles: Points = ()


@dataclass(frozen=True)
class RatedWear:
    """Rated wear: cycles of a block, bytes written by hosts."""

    pe_cycles: int | None
    rated_bytes: float | None

    def ratings(self) -> dict[str, float]:
        """The known ratings by name: ``bytes_written`` and ``pe_cycles``."""
        rated = {"bytes_written": self.rated_bytes, "pe_cycles": self.pe_cycles}
        return {name: float(value) for name, value in rated.items() if value is not None}


@dataclass(frozen=True)
class Traffic:
    """A class of the traffic in a drive's history: shares of space and of writes."""

    space: float
    writes: float


@dataclass(frozen=True)
class Behaviour:
    """The scenario's settings: garbage collection, wear-levelling, initial state, power cap."""

    gc: str = "greedy"
    hot_cold: bool = False
    wear_levelling: int | None = None
    steady: bool = True
    fill: float = 1.0
    traffic: tuple[Traffic, ...] = ()
    run_bytes: int | None = None
    cap_w: float | None = None
    #: Placement handle of writes by their first sector (sector, handle); empty: all alike.
    placement: tuple[tuple[int, int], ...] = ()
