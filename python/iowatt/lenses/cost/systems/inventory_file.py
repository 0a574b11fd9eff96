"""The file ``iowatt.cost-inventory/1``: drives and parts of a system that its Run does not have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from iowatt.base.problems import KeyPath, Problem
from iowatt.base.quantity import Capacity, Duration
from iowatt.base.strict import Strict, key
from iowatt.model.library import PRICE_CLASSES, DevicePrice

SCHEMA: Final = "iowatt.cost-inventory/1"
MOST_DRIVES: Final = 100_000


def _price_class(given: str | None, at: KeyPath) -> Iterator[Problem]:
    if given is not None and given not in PRICE_CLASSES:
        yield Problem(
            "not-accepted",
            (*at, "price_class"),
            f"{given!r} is not accepted; expected {', '.join(PRICE_CLASSES)}",
        )


class Bought(DevicePrice):
    """A price with its source."""

    source: str | None = key("Offer, invoice or list.", default=None, unset="the inventory itself")


class Ratings(Strict):
    """Ratings of a drive, which come before its device's."""

    tbw: Capacity | None = key("Bytes that hosts may write to it.", default=None, unset="the device's", gt=0)
    pe_cycles: int | None = key(
        "Program and erase cycles of its flash.", default=None, unset="the device's", gt=0
    )
    start_stop_cycles: int | None = key("Starts and stops.", default=None, unset="the device's", gt=0)
    load_unload_cycles: int | None = key("Loads and unloads.", default=None, unset="the device's", gt=0)

    def given(self) -> dict[str, float]:
        """The stated ratings by their names in ``run.json``."""
        ratings = {
            "bytes_written": self.tbw,
            "pe_cycles": self.pe_cycles,
            "start_stop_cycles": self.start_stop_cycles,
            "load_unload_cycles": self.load_unload_cycles,
        }
        return {name: float(value) for name, value in ratings.items() if value is not None}


class DriveCounters(Strict):
    """Counters of each drive over the Run, or over a longer time that includes it."""

    over: Duration | None = key(
        "The time between the two readings of the counters; the Run's part of it counts.",
        default=None,
        unset="the Run",
        unit="s",
        gt=0,
        example="30d",
    )
    bytes_written: Capacity | None = key("Written by the host to the drive.", default=None, unset="not known")
    bytes_read: Capacity | None = key("Read from it.", default=None, unset="not known")
    flash_bytes_written: Capacity | None = key(
        "Programmed into its flash; over bytes_written, this is its write amplification.",
        default=None,
        unset="not known",
    )
    start_stops: float | None = key("Starts of its spindle.", default=None, unset="not known", ge=0)
    load_unloads: float | None = key("Loads of its heads.", default=None, unset="not known", ge=0)
    percentage_used_before: float | None = key(
        "Its own estimate of its life used (NVMe log page 2), at the first reading.",
        default=None,
        unset="not known",
        unit="%",
        ge=0,
        le=255,
    )
    percentage_used_after: float | None = key(
        "The same at the second.", default=None, unset="not known", unit="%", ge=0, le=255
    )

    def problems(self, at: KeyPath) -> Iterator[Problem]:
        """What is wrong between keys; ``at`` is the table's own path."""
        before, after = self.percentage_used_before, self.percentage_used_after
        if (before is None) != (after is None):
            lacking = "percentage_used_before" if before is None else "percentage_used_after"
            yield Problem("missing", (*at, lacking), "expected both readings of percentage_used, or none")
        if before is not None and after is not None and after < before:
            yield Problem(
                "conflict",
                (*at, "percentage_used_after"),
                f"percentage_used falls from {before:g} to {after:g}",
            )
        if self.flash_bytes_written is not None and not self.bytes_written:
            yield Problem(
                "missing", (*at, "bytes_written"), "flash_bytes_written needs bytes_written above 0"
            )


class DriveEntry(Strict):
    """Like drives: a device, or kind, capacity and price class."""

    name: str = key(
        "Their name; several are called NAME.0, NAME.1 and so on.",
        pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$",
        max_length=64,
        example="data",
    )
    count: int = key("How many there are.", default=1, ge=1, le=MOST_DRIVES)
    device: str | None = key(
        "A name of the library, or a device file beside this file.",
        default=None,
        unset="given by kind and capacity",
        example="seagate-exos-x18-18tb",
    )
    kind: Literal["hdd", "ssd"] | None = key("The technology.", default=None, unset="the device's")
    capacity: Capacity | None = key("Of each.", default=None, unset="the device's", unit="bytes", gt=0)
    price_class: str | None = key(
        "The class of the book's prices: " + ", ".join(PRICE_CLASSES) + ".",
        default=None,
        unset="the device's; of a disk, that of its capacity at 7,200 rpm",
    )
    pool: str = key("The pool that they are in.", default="data", min_length=1, max_length=64)
    used: float = key("Part of each that volumes take, redundancy included.", default=1.0, ge=0, le=1)
    price: Bought = key("What each cost.", default=Bought())
    ratings: Ratings = key("What each is rated to last.", default=Ratings())
    counts: DriveCounters | None = key(
        "What each counted.", default=None, unset="not known: no wear is priced"
    )

    def problems(self, at: KeyPath) -> Iterator[Problem]:
        """What is wrong between keys; ``at`` is the table's own path."""
        if self.device is None and (self.kind is None or self.capacity is None):
            lacking = "kind" if self.kind is None else "capacity"
            yield Problem("missing", (*at, lacking), "expected device, or both kind and capacity")
        yield from _price_class(self.price_class, at)
        if self.device is None and self.kind == "ssd" and self.price_class is None:
            yield Problem(
                "missing",
                (*at, "price_class"),
                "an SSD without a device needs it: ssd-sata, ssd-nvme or ssd-u2",
            )
        if self.counts is not None:
            yield from self.counts.problems((*at, "counts"))

    def names(self) -> list[str]:
        """The name of each drive."""
        return [self.name] if self.count == 1 else [f"{self.name}.{number}" for number in range(self.count)]


class DriveChange(Strict):
    """Other figures for drives of the Run."""

    drives: str = key(
        "Names of the drives as in `iowatt report`, with * for any part.", min_length=1, example="ssd.*"
    )
    price: Bought = key("What each cost.", default=Bought())
    ratings: Ratings = key("What each is rated to last.", default=Ratings())
    used: float | None = key(
        "Part of each that volumes take, redundancy included.", default=None, unset="the Run's", ge=0, le=1
    )
    price_class: str | None = key("The class of the book's prices.", default=None, unset="the Run's")
    counts: DriveCounters | None = key("What each counted.", default=None, unset="the Run's")

    def problems(self, at: KeyPath) -> Iterator[Problem]:
        """What is wrong between keys; ``at`` is the table's own path."""
        yield from _price_class(self.price_class, at)
        if self.counts is not None:
            yield from self.counts.problems((*at, "counts"))


class PartEntry(Strict):
    """Parts other than drives: controllers, shelves, memory, licences."""

    name: str = key(
        "Its name. A part of the Run, such as `head.controller`, gets this count and price.",
        pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$",
        max_length=64,
        example="shelf",
    )
    count: int = key("How many there are.", ge=1, le=MOST_DRIVES, example=2)
    usd: float | None = key("What each cost.", default=None, unset="the book's", unit="USD", ge=0)
    low: float | None = key("The lowest likely price.", default=None, unset="usd", unit="USD", ge=0)
    high: float | None = key("The highest likely price.", default=None, unset="usd", unit="USD", ge=0)
    date: str | None = key(
        "Day, month or year of the price.", default=None, unset="not known", pattern=r"^\d{4}(-\d{2}){0,2}$"
    )
    source: str | None = key("Offer, invoice or list.", default=None, unset="the inventory itself")

    def problems(self, at: KeyPath) -> Iterator[Problem]:
        """What is wrong between keys; ``at`` is the table's own path."""
        low, high = (self.usd if end is None else end for end in (self.low, self.high))
        if self.usd is None:
            if self.low is not None or self.high is not None:
                yield Problem(
                    "missing", (*at, "usd"), "low and high are the range of usd, which is not given"
                )
        elif not (low or 0.0) <= self.usd <= (high if high is not None else self.usd):
            yield Problem(
                "conflict", (*at, "usd"), f"{self.usd:g} is outside its own range of {low:g} to {high:g}"
            )


class StatedCapacity(Strict):
    """Capacity of the system."""

    raw: Capacity | None = key("Of all drives for data.", default=None, unset="summed", unit="bytes", gt=0)
    usable: Capacity | None = key("After redundancy.", default=None, unset="the Run's", unit="bytes", gt=0)
    effective: Capacity | None = key(
        "After deduplication and compression.",
        default=None,
        unset="the Run's, else as usable",
        unit="bytes",
        gt=0,
    )


class Spread(Strict):
    """Host bytes of drives that counted none: spread by capacity."""

    pools: list[str] = key("The pools that receive them.", min_length=1, example=["data"])
    writes: float = key(
        "Bytes that drives write per byte that hosts write: 2 with mirrors, 1.33 with four drives of which "
        "one is parity, more with small writes to parity.",
        ge=0,
        example=2.0,
    )
    reads: float = key("The same of reads.", default=1.0, ge=0)


class InventoryFile(Strict):
    """The inventory of a system."""

    schema_: Literal["iowatt.cost-inventory/1"] = key(
        "The version of this format.", alias="schema", accepts=f'"{SCHEMA}"', example=SCHEMA
    )
    notes: list[str] = key("Shown with every result.", default=[])
    capacity: StatedCapacity = key("Capacity of the system.", default=StatedCapacity())
    spread: Spread | None = key("How bytes reach drives.", default=None, unset="not known")
    drive: list[DriveEntry] = key("Drives that the Run does not have.", default=[])
    change: list[DriveChange] = key("Other figures for drives of the Run.", default=[])
    part: list[PartEntry] = key("Parts other than drives.", default=[])
