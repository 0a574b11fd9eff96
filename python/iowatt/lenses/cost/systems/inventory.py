"""An inventory: the drives, parts, prices and capacity that a Run does not have, read from a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from iowatt.base.document import TomlDocument, read_text
from iowatt.base.errors import InputError
from iowatt.base.problems import Problem
from iowatt.base.results import Note
from iowatt.lenses.book import SET, Book, BookFigure
from iowatt.lenses.cost.systems.inventory_file import (
    Bought,
    DriveChange,
    DriveCounters,
    DriveEntry,
    InventoryFile,
    Spread,
)
from iowatt.lenses.cost.systems.system import Counts, PricedDrive
from iowatt.model.library import (
    DeviceFile,
    PurchaseInfo,
    device_file,
    device_names,
    file_ratings,
    price_class_of,
)
from iowatt.run.bundle import Run

GB: Final = 1e9
#: Raw, usable and effective GB.
CapacityGb = tuple[float | None, float | None, float | None]


@dataclass(frozen=True)
class Inventory:
    """A checked inventory file, with the device files that its drives name (``devices``)."""

    where: str
    file: InventoryFile
    devices: Mapping[str, DeviceFile]

    @property
    def parts(self) -> Mapping[str, int]:
        """Parts other than drives, by name."""
        return {part.name: part.count for part in self.file.part}

    def priced(self, book: Book) -> Book:
        """``book`` with the file's prices of parts; prices set on the command line stay.

        Raises ``InputError`` where two inventories give one part different prices.
        """
        figures: dict[str, BookFigure] = {}
        for part in self.file.part:
            key = f"purchase.part.{part.name}"
            known = book.figures.get(key)
            if part.usd is None or (known is not None and known.source == SET):
                continue
            if known is not None and known.quality == "given" and known.value != part.usd:
                raise InputError(
                    "conflict",
                    f"{self.where}: part.{part.name}.usd",
                    f"{part.name!r} costs {part.usd:g} USD here and {known.value:g} in {known.source}",
                    hint="give parts with different prices different names",
                )
            figures[key] = BookFigure(
                key=key, value=part.usd, low=part.low, high=part.high, source=part.source or self.where,
                date=part.date, quality="given",
            )  # fmt: skip
        return replace(book, figures={**book.figures, **figures}) if figures else book

    def capacity_gb(self, run: Run, drives: Sequence[PricedDrive]) -> CapacityGb:
        """The file's capacity, else the Run's; raw capacity else the sum of ``drives``."""
        stated, known = self.file.capacity, run.summary["capacity_gb"]
        summed = sum(drive.capacity_gb for drive in drives) or None

        def gb(size: int | None, otherwise: float | None) -> float | None:
            return otherwise if size is None else size / GB

        usable = gb(stated.usable, known["usable"])
        effective = gb(stated.effective, known["effective"])
        raw = gb(stated.raw, known["raw"])
        return summed if raw is None else raw, usable, usable if effective is None else effective


def read_inventory(path: str | Path) -> Inventory:
    """The inventory of a file. Raises ``InputError`` where it cannot be read or is not accepted."""
    path = Path(path)
    document = TomlDocument(read_text(path), str(path))
    file = document.validate(InventoryFile)
    devices: dict[str, DeviceFile] = {}
    problems: list[Problem] = []
    for index, entry in enumerate(file.drive):
        if entry.device is not None and entry.device not in devices:
            try:
                devices[entry.device] = device_file(entry.device, path.parent)
            except InputError as error:
                message = f"{error.place}: {error.message}" if error.place else error.message
                problems.append(Problem(error.code, ("drive", index, "device"), message, error.hint))
    document.fail([*problems, *_problems(file, devices)])
    return Inventory(str(path), file, devices)


def _problems(file: InventoryFile, devices: Mapping[str, DeviceFile]) -> Iterator[Problem]:
    taken: set[str] = set()
    for index, change in enumerate(file.change):
        yield from change.problems(("change", index))
    for index, entry in enumerate(file.drive):
        yield from entry.problems(("drive", index))
        twice = taken & set(entry.names())
        taken |= set(entry.names())
        if twice:
            yield Problem("duplicate", ("drive", index, "name"), f"there is another drive {min(twice)!r}")
        device = devices.get(entry.device or "")
        if device is None:
            continue
        if entry.kind is not None and entry.kind != device.kind:
            yield Problem("conflict", ("drive", index, "kind"), f"{device.name!r} is an {device.kind}")
        if entry.capacity is None and device.capacity is None:
            yield Problem(
                "missing", ("drive", index, "capacity"), f"{device.name!r} has no capacity; give it here"
            )
    parts = [part.name for part in file.part]
    for index, part in enumerate(file.part):
        yield from part.problems(("part", index))
        if part.name in parts[:index]:
            yield Problem(
                "duplicate",
                ("part", index, "name"),
                f"there is another part {part.name!r}",
                "add up their counts",
            )
    if file.spread is not None:
        pools = {entry.pool for entry in file.drive}
        for index, pool in enumerate(file.spread.pools):
            if pool not in pools:
                known = ", ".join(sorted(pools)) or "none"
                yield Problem(
                    "unknown-name",
                    ("spread", "pools", index),
                    f"no drive is in a pool {pool!r}; there are: {known}",
                )


StatedPrice = tuple[float, str | None, str]


def added_drives(inventory: Inventory, run: Run) -> tuple[PricedDrive, ...]:
    """The drives that the file adds to the Run's, in its order, with counts over the Run's window.

    Host bytes are spread by capacity over the drives of ``spread`` that counted none.
    """
    window_s = float(run.summary["window"]["duration_s"])
    entries = [(name, entry) for entry in inventory.file.drive for name in entry.names()]
    drives = [_drive(name, entry, inventory, window_s) for name, entry in entries]
    spread = inventory.file.spread
    if spread is None:
        return tuple(drives)
    takers = {
        name
        for name, entry in entries
        if entry.pool in spread.pools and (entry.counts is None or entry.counts.bytes_written is None)
    }
    total_gb = sum(drive.capacity_gb for drive in drives if drive.name in takers)
    requests = run.summary["requests"]

    def shared(drive: PricedDrive) -> PricedDrive:
        share = drive.capacity_gb / total_gb
        written = requests["bytes_written"] * spread.writes * share
        read = requests["bytes_read"] * spread.reads * share
        return replace(drive, counts=replace(drive.counts, bytes_written=written, bytes_read=read))

    return tuple(shared(drive) if drive.name in takers else drive for drive in drives)


def _drive(name: str, entry: DriveEntry, inventory: Inventory, window_s: float) -> PricedDrive:
    device = inventory.devices.get(entry.device or "")
    kind = entry.kind or (device.kind if device is not None else "hdd")
    size = entry.capacity or (device.capacity if device is not None else None) or 0
    bought, rated = entry.price_class, dict[str, float]()
    own = None
    if device is not None:
        sold = PurchaseInfo.of(device, size)
        bought = bought or sold.price_class
        rated = file_ratings(device)[0]
        if sold.usd is not None and size == device.capacity:
            own = (sold.usd, sold.date, sold.source or inventory.where)
    return PricedDrive(
        name=name, model=entry.name if device is None else device.name, pool=entry.pool, kind=kind,
        capacity_gb=size / GB, used_gb=size / GB * entry.used,
        price_class=bought or price_class_of(kind, None, None, None, size),
        price=_price(entry.price, inventory.where) or own, paid=entry.price.usd is not None,
        ratings={**rated, **entry.ratings.given()}, counts=_counts(entry.counts, _NOTHING, window_s),
        based_on=_based_on(device, size),
    )  # fmt: skip


def _based_on(device: DeviceFile | None, size: int) -> str | None:
    """The library's drive that a device file equals in all but its name."""
    base = None if device is None else device.based_on
    if base is None or base not in device_names():
        return None
    return base if device_file(base).capacity == size else None


_NOTHING: Final = Counts(0.0, 0.0, 0.0, 0.0, None, None)


def _price(bought: Bought, where: str) -> StatedPrice | None:
    return None if bought.usd is None else (bought.usd, bought.date, bought.source or where)


def _counts(given: DriveCounters | None, known: Counts, window_s: float) -> Counts:
    """``known`` with the Run's part, by time, of what was counted instead."""
    if given is None:
        return known
    part = 1.0 if given.over is None else window_s / given.over

    def counted(value: float | None, otherwise: float) -> float:
        return otherwise if value is None else value * part

    flash = given.flash_bytes_written
    amplified = known.write_amplification
    if flash is not None and given.bytes_written:
        amplified = flash / given.bytes_written
    used = known.percentage_used
    before, after = given.percentage_used_before, given.percentage_used_after
    if before is not None and after is not None:
        used = (after - before) / 100.0 * part
    return replace(
        known,
        bytes_read=counted(given.bytes_read, known.bytes_read),
        bytes_written=counted(given.bytes_written, known.bytes_written),
        start_stops=counted(given.start_stops, known.start_stops),
        load_unloads=counted(given.load_unloads, known.load_unloads),
        # Simulated cycles do not belong to counted bytes.
        pe_fraction=known.pe_fraction if given.bytes_written is None else None,
        write_amplification=amplified,
        percentage_used=used,
    )


def changed_drives(inventory: Inventory, known: Sequence[PricedDrive], run: Run) -> tuple[PricedDrive, ...]:
    """The Run's drives with the file's changes in order.

    Raises ``InputError`` for a change of drives that the Run lacks, and a new drive with a name of the Run.
    """
    window_s = float(run.summary["window"]["duration_s"])
    taken = {name for entry in inventory.file.drive for name in entry.names()}
    twice = sorted(taken & {drive.name for drive in known})
    if twice:
        raise InputError(
            "duplicate",
            f"{inventory.where}: drive.{twice[0]}",
            f"the Run has a drive {twice[0]!r} of its own",
            hint="[[change]] changes the figures of a drive of the Run",
        )
    drives = list(known)
    for change in inventory.file.change:
        which = [index for index, drive in enumerate(drives) if fnmatchcase(drive.name, change.drives)]
        if not which:
            names = ", ".join(drive.name for drive in drives[:8]) or "none"
            raise InputError(
                "unknown-name",
                f"{inventory.where}: change.{change.drives}",
                f"the Run has no drive {change.drives!r}; it has {names}",
                hint="[[drive]] adds drives that the Run does not know",
            )
        for index in which:
            drives[index] = _changed(drives[index], change, inventory.where, window_s)
    return tuple(drives)


def _changed(drive: PricedDrive, change: DriveChange, where: str, window_s: float) -> PricedDrive:
    return replace(
        drive,
        price=_price(change.price, where) or drive.price,
        paid=drive.paid or change.price.usd is not None,
        price_class=change.price_class or drive.price_class,
        ratings={**drive.ratings, **change.ratings.given()},
        used_gb=drive.used_gb if change.used is None else drive.capacity_gb * change.used,
        counts=_counts(change.counts, drive.counts, window_s),
    )


def inventory_notes(inventory: Inventory, added: int = 0, known: int = 0) -> tuple[Note, ...]:
    """The file's notes, assumptions and unknowns, and that it adds drives to those that the Run knows."""
    file = inventory.file
    notes = [Note(code="inventory", text=text) for text in file.notes]
    notes += [
        Note(code="device-file", text=text)
        for device in inventory.devices.values()
        for text in file_ratings(device)[1]
    ]
    spread = file.spread
    if spread is not None:
        text = (
            f"host bytes are spread over the drives of {', '.join(spread.pools)} by capacity, "
            f"{spread.writes:g} written and {spread.reads:g} read per byte: stated, not measured"
        )
        notes.append(Note(code="bytes-spread", text=text))
    for entry in file.drive:
        device = inventory.devices.get(entry.device or "")
        if device is None:
            text = "no model is named; ratings and price are those of the inventory or of its class"
            notes.append(Note(code="no-model", text=text).about(entry.name))
        if not _counted(entry, device.kind if device is not None else str(entry.kind), spread):
            text = "no counter of its wear is stated, so its wear is not known and not charged"
            notes.append(Note(code="wear-unknown", text=text).about(entry.name))
    if added and known:
        text = (
            f"the inventory adds {added} drives to {known} of the Run: they are bought, but take no part in "
            "its power and requests"
        )
        notes.append(Note(code="drives-added", text=text))
    return tuple(notes)


def _counted(entry: DriveEntry, kind: str, spread: Spread | None) -> bool:
    """Whether wear was counted: bytes of an SSD, cycles of a disk."""
    counts = entry.counts or DriveCounters()
    if kind == "hdd":
        return counts.start_stops is not None or counts.load_unloads is not None
    spread_here = spread is not None and entry.pool in spread.pools
    return spread_here or counts.bytes_written is not None or counts.percentage_used_after is not None
