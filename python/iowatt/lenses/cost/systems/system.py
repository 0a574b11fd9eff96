"""A system as its cost depends on it: drives and their counts, power over time, capacity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from iowatt.base.results import Note
from iowatt.lenses.cost.systems.low_power_state import Low
from iowatt.lenses.kept_up import KeptUp
from iowatt.tariffs.load import ElectricLoad


@dataclass(frozen=True)
class Counts:
    """What one drive did in ``Work.duration_s`` seconds."""

    bytes_read: float
    bytes_written: float
    #: Stops of the spindle, and changes to a deeper power level (each taken to unload the heads once).
    start_stops: float
    load_unloads: float
    #: Share of the rated program and erase cycles; None where its flash was not simulated or counted.
    pe_fraction: float | None
    #: Bytes programmed for each that hosts wrote; None where not known.
    write_amplification: float | None
    #: Share of its life that the drive itself says was used; None where not measured.
    percentage_used: float | None = None
    #: Seconds at power levels below idling and on the way, and joules less than idling for that long; None
    #: where not known.
    low_s: float | None = None
    saved_j: float | None = None

    def scaled(self, factor: float) -> Counts:
        """The same work ``factor`` times; amplification does not change."""

        def times(value: float | None) -> float | None:
            return None if value is None else value * factor

        return Counts(
            self.bytes_read * factor, self.bytes_written * factor, self.start_stops * factor,
            self.load_unloads * factor, times(self.pe_fraction), self.write_amplification,
            times(self.percentage_used), times(self.low_s), times(self.saved_j),
        )  # fmt: skip


@dataclass(frozen=True)
class PricedDrive:
    """One drive: what it is, what was paid for it, what it is rated to last, what it did."""

    name: str
    model: str
    pool: str
    kind: Literal["hdd", "ssd"]
    capacity_gb: float
    #: What volumes take of it, redundancy included; None where not known.
    used_gb: float | None
    #: Key of the book's price per GB, such as ``hdd-nearline``.
    price_class: str
    #: Its own price: USD, date, source; None where only the book has one.
    price: tuple[float, str | None, str] | None
    #: Names as in ``run.json``: bytes_written, pe_cycles, bytes_per_year, load_unload_cycles ...
    ratings: Mapping[str, float]
    counts: Counts
    #: The drive of the library that it equals but for its name; None without any.
    based_on: str | None = None
    #: Its power levels below idling, deepest last; none where it has none or they are not known.
    lows: tuple[Low, ...] = ()
    #: Whether ``price`` is what its owner says was paid, and so comes before the book's.
    paid: bool = False
    #: How many drives this represents, alike in all that is priced.
    count: int = 1

    @property
    def title(self) -> str:
        """Its name with its model."""
        return f"{self.name} ({self.model})"

    @property
    def names(self) -> tuple[str, ...]:
        """Names that the book may have figures of its model under, its own first."""
        return (self.model,) if self.based_on is None else (self.model, self.based_on)

    @property
    def priced_by(self) -> tuple[object, ...]:
        """All that its dollars depend on; bytes wear flash, and disks only stop and unload."""
        counts = self.counts
        cycles = (counts.start_stops, counts.load_unloads)
        return (
            self.names, self.kind, self.capacity_gb, self.used_gb, self.price_class, self.price, self.paid,
            tuple(sorted(self.ratings.items())), counts if self.kind == "ssd" else cycles,
        )  # fmt: skip


@dataclass(frozen=True)
class PricedWork:
    """The work that is repeated: a Run, or a year of a duty cycle."""

    duration_s: float
    load: ElectricLoad
    requests: float
    bytes_moved: float
    #: Mean response time, and its 95th percentile; None where not known, as the percentile of a year.
    response_ms: float | None
    response_p95_ms: float | None = None


@dataclass(frozen=True)
class PricedSystem:
    """The system that is priced."""

    name: str
    #: Where it comes from, for messages.
    where: str
    drives: tuple[PricedDrive, ...]
    #: Parts that are not drives, by name, and how many.
    parts: Mapping[str, int]
    raw_gb: float | None
    usable_gb: float | None
    effective_gb: float | None
    work: PricedWork
    #: ``wall`` or ``device``.
    power_basis: str
    modelled: bool
    notes: tuple[Note, ...] = ()
    #: What must be read before its figures.
    cautions: tuple[Note, ...] = ()
    #: Whether it kept up with its load; None where not known.
    kept_up: KeptUp | None = None
    #: How it misses the service level that is asked for; empty where it keeps it, or none is asked for.
    missed: str = ""

    @property
    def late(self) -> bool:
        """Whether it did not keep up with its load, so that all that is known of it is of a growing queue."""
        return self.kept_up is not None and not self.kept_up.kept_up

    @property
    def candidate(self) -> bool:
        """Whether it may be ranked: it kept up with its load and keeps the service level."""
        return not self.late and not self.missed

    def merged(self) -> PricedSystem:
        """The same with like drives as one with a count: quicker to price many times."""
        alike: dict[tuple[object, ...], PricedDrive] = {}
        for drive in self.drives:
            first = alike.get(drive.priced_by)
            count = drive.count if first is None else first.count + drive.count
            alike[drive.priced_by] = replace(first or drive, count=count)
        return replace(self, drives=tuple(alike.values()))
