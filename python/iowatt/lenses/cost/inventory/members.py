"""Drives of an inventory: those that it adds to a Run's, and the Run's with other figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Final

from iowatt.base.errors import InputError
from iowatt.lenses.cost.inventory.file import Bought, Change, Counted, DriveEntry, Spread
from iowatt.lenses.cost.inventory.read import GB, Inventory
from iowatt.lenses.cost.system import Counts, Drive
from iowatt.model.library.device import DeviceFile
from iowatt.model.library.find import device_file, device_names
from iowatt.model.library.price_class import Sold, price_class
from iowatt.model.library.uses import file_ratings
from iowatt.run.bundle import Run

Price = tuple[float, str | None, str]


def drives(inventory: Inventory, run: Run) -> tuple[Drive, ...]:
    """The drives that the file adds to those that the Run knows, in the order of the file.

    Counts are those of one pass of the Run's window.
    """
    window_s = float(run.summary["window"]["duration_s"])
    found = [
        _drive(name, entry, inventory, window_s) for entry in inventory.file.drive for name in entry.names()
    ]
    spread = inventory.file.spread
    if spread is None:
        return tuple(found)
    uncounted = {
        name
        for entry in inventory.file.drive
        if entry.pool in spread.pools and (entry.counts is None or entry.counts.bytes_written is None)
        for name in entry.names()
    }
    return tuple(_spread(found, uncounted, spread, run))


def _spread(found: Sequence[Drive], takers: set[str], spread: Spread, run: Run) -> Iterator[Drive]:
    """Bytes of hosts onto drives, evenly by capacity."""
    total_gb = sum(drive.capacity_gb for drive in found if drive.name in takers)
    requests = run.summary["requests"]
    for drive in found:
        if drive.name not in takers:
            yield drive
            continue
        share = drive.capacity_gb / total_gb
        written = requests["bytes_written"] * spread.writes * share
        read = requests["bytes_read"] * spread.reads * share
        yield replace(drive, counts=replace(drive.counts, bytes_written=written, bytes_read=read))


def _drive(name: str, entry: DriveEntry, inventory: Inventory, window_s: float) -> Drive:
    device = inventory.devices.get(entry.device or "")
    kind = entry.kind or (device.kind if device is not None else "hdd")
    size = entry.capacity or (device.capacity if device is not None else None) or 0
    bought, rated = entry.price_class, dict[str, float]()
    own = None
    if device is not None:
        sold = Sold.of(device, size)
        bought = bought or sold.price_class
        rated = file_ratings(device)[0]
        if sold.usd is not None and size == device.capacity:
            own = (sold.usd, sold.date, sold.source or inventory.where)
    return Drive(
        name=name,
        model=entry.name if device is None else device.name,
        pool=entry.pool,
        kind=kind,
        capacity_gb=size / GB,
        used_gb=size / GB * entry.used,
        price_class=bought or price_class(kind, None, None, None, size),
        price=_price(entry.price, inventory.where) or own,
        paid=entry.price.usd is not None,
        ratings={**rated, **entry.ratings.given()},
        counts=_counts(entry.counts, _NOTHING, window_s),
        based_on=_based_on(device, size),
    )


def _based_on(device: DeviceFile | None, size: int) -> str | None:
    """The drive of the library that a file of one's own is in all but name."""
    base = None if device is None else device.based_on
    if base is None or base not in device_names():
        return None
    return base if device_file(base).capacity == size else None


_NOTHING: Final = Counts(0.0, 0.0, 0.0, 0.0, None, None)


def _price(given: Bought, where: str) -> Price | None:
    return None if given.usd is None else (given.usd, given.date, given.source or where)


def _counts(given: Counted | None, known: Counts, window_s: float) -> Counts:
    """``known`` with what was counted in its place: the Run's part of it, by time."""
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
        # Cycles of a simulation are not those of what was counted.
        pe_fraction=known.pe_fraction if given.bytes_written is None else None,
        write_amplification=amplified,
        percentage_used=used,
    )


def changed(inventory: Inventory, known: Sequence[Drive], run: Run) -> tuple[Drive, ...]:
    """The Run's drives with the figures that the file has for them; later changes hold.

    Raises
    ------
    InputError
        A change is of drives that the Run does not have, or a new drive has the name of one that it has.
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
    found = list(known)
    for change in inventory.file.change:
        which = [index for index, drive in enumerate(found) if fnmatchcase(drive.name, change.drives)]
        if not which:
            names = ", ".join(drive.name for drive in found[:8]) or "none"
            raise InputError(
                "unknown-name",
                f"{inventory.where}: change.{change.drives}",
                f"the Run has no drive {change.drives!r}; it has {names}",
                hint="[[drive]] adds drives that the Run does not know",
            )
        for index in which:
            found[index] = _changed(found[index], change, inventory.where, window_s)
    return tuple(found)


def _changed(drive: Drive, change: Change, where: str, window_s: float) -> Drive:
    return replace(
        drive,
        price=_price(change.price, where) or drive.price,
        paid=drive.paid or change.price.usd is not None,
        price_class=change.price_class or drive.price_class,
        ratings={**drive.ratings, **change.ratings.given()},
        used_gb=drive.used_gb if change.used is None else drive.capacity_gb * change.used,
        counts=_counts(change.counts, drive.counts, window_s),
    )
