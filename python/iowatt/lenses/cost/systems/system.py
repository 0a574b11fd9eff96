"""What the cost of a system depends on: its drives and their work, its power over time, its capacity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from iowatt.base.results import Note
from iowatt.lenses.cost.systems.low_power_state import LowPowerState
from iowatt.lenses.durability import DurableSystem
from iowatt.lenses.kept_up import KeptUp
from iowatt.tariffs.load import ElectricLoad


@dataclass(frozen=True)
class Counts:
    """What one drive did in the work done once."""

    bytes_read: float
    bytes_written: float
    #: Stops of the spindle, and changes to a deeper power level (each counts as one unload of the heads).
    start_stops: float
    load_unloads: float
    #: Share of the rated program and erase cycles; None where not simulated or counted.
    pe_fraction: float | None
    #: Bytes programmed per byte that hosts wrote; None where not known.
    write_amplification: float | None
    #: Share of its life used, by the drive's own estimate; None where not measured.
    percentage_used: float | None = None
    #: Seconds at power levels below idle and in transitions, and the joules saved; None where not known.
    low_s: float | None = None
    saved_j: float | None = None

    def scaled(self, factor: float) -> Counts:
        """The counts of ``factor`` times the work; amplification does not change."""
        counts = {
            name: value * factor
            for name, value in vars(self).items()
            if value is not None and name != "write_amplification"
        }
        return replace(self, **counts)


@dataclass(frozen=True)
class PricedDrive:
    """One drive: its model, price, ratings and work."""

    name: str
    model: str
    pool: str
    kind: Literal["hdd", "ssd"]
    capacity_gb: float
    #: Capacity that volumes use, redundancy included; None where not known.
    used_gb: float | None
    #: Key of the book's price per GB, such as ``hdd-nearline``.
    price_class: str
    #: Its own price: USD, date, source; None where the book's applies.
    price: tuple[float, str | None, str] | None
    #: Names as in ``run.json``: bytes_written, pe_cycles, bytes_per_year, load_unload_cycles ...
    ratings: Mapping[str, float]
    counts: Counts
    #: The library's drive that it equals in all but its name.
    based_on: str | None = None
    #: Its power states below idle, deepest last; empty where it has none or they are not known.
    low_power_states: tuple[LowPowerState, ...] = ()
    #: Whether ``price`` was paid by its owner, and so comes before the book's.
    paid: bool = False
    #: Like drives that this one represents.
    count: int = 1

    @property
    def title(self) -> str:
        """Name and model."""
        return f"{self.name} ({self.model})"

    @property
    def names(self) -> tuple[str, ...]:
        """Names of its model in the book, its own first."""
        return (self.model,) if self.based_on is None else (self.model, self.based_on)

    @property
    def priced_by(self) -> tuple[object, ...]:
        """All that its dollars depend on: bytes wear flash, cycles wear disks."""
        counts = self.counts
        cycles = (counts.start_stops, counts.load_unloads)
        return (
            self.names, self.kind, self.capacity_gb, self.used_gb, self.price_class, self.price, self.paid,
            tuple(sorted(self.ratings.items())), counts if self.kind == "ssd" else cycles,
        )  # fmt: skip


@dataclass(frozen=True)
class PricedWork:
    """The work that is repeated: that of a Run, or a year of a duty cycle."""

    duration_s: float
    load: ElectricLoad
    requests: float
    bytes_moved: float
    #: Mean response time and 95th percentile; None where not known (the percentile of a year).
    response_ms: float | None
    response_p95_ms: float | None = None
    #: Why the percentile may not be trusted; None where it may, was measured, or is not known.
    tail_doubt: str | None = None


PartKind = Literal["server", "switch"]


@dataclass(frozen=True)
class PricedSystem:
    """A system to be priced."""

    name: str
    #: Its origin, for messages.
    where: str
    drives: tuple[PricedDrive, ...]
    #: Number of each part other than drives, by name.
    parts: Mapping[str, int]
    raw_gb: float | None
    usable_gb: float | None
    effective_gb: float | None
    work: PricedWork
    #: ``wall`` or ``device``.
    power_basis: str
    modelled: bool
    notes: tuple[Note, ...] = ()
    #: USD of one of them where its scenario says it; a price of the book comes first.
    part_prices: Mapping[str, float] = field(default_factory=dict)
    #: Kind of its parts whose price the book has by kind.
    part_kinds: Mapping[str, PartKind] = field(default_factory=dict)
    #: Notes to read before its figures.
    cautions: tuple[Note, ...] = ()
    #: Whether it kept up with its load; None where not known.
    kept_up: KeptUp | None = None
    #: What its durability is assessed from; None where its drives are not known.
    durable: DurableSystem | None = None
    #: How it misses the requested service level; empty where it meets it or none is requested.
    missed: str = ""

    @property
    def late(self) -> bool:
        """Whether it fell behind its load, so that its figures are those of a growing queue."""
        return self.kept_up is not None and not self.kept_up.kept_up

    @property
    def candidate(self) -> bool:
        """Whether it may be ranked: it kept up with its load and meets the service level."""
        return not self.late and not self.missed

    def merged(self) -> PricedSystem:
        """The system with like drives merged into one with a count, which is quicker to price."""
        alike: dict[tuple[object, ...], PricedDrive] = {}
        for drive in self.drives:
            first = alike.get(drive.priced_by)
            count = drive.count if first is None else first.count + drive.count
            alike[drive.priced_by] = replace(first or drive, count=count)
        return replace(self, drives=tuple(alike.values()))
