"""An inventory: its file found right, the device files behind it, its parts, prices and capacity."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from iowatt.base.document import Document, read_text
from iowatt.base.errors import InputError
from iowatt.base.problems import Problem
from iowatt.lenses.cost.book.book import Book
from iowatt.lenses.cost.book.figure import Figure
from iowatt.lenses.cost.book.find import SET
from iowatt.lenses.cost.inventory.file import InventoryFile
from iowatt.lenses.cost.system import Drive
from iowatt.model.library.device import DeviceFile
from iowatt.model.library.find import device_file
from iowatt.run.bundle import Run

GB: Final = 1e9
#: Raw, usable and effective GB.
Capacity = tuple[float | None, float | None, float | None]


@dataclass(frozen=True)
class Inventory:
    """A file that was read and found to be right.

    ``devices`` are the device files that its drives name.
    """

    where: str
    file: InventoryFile
    devices: Mapping[str, DeviceFile]

    @property
    def parts(self) -> Mapping[str, int]:
        """Parts that are no drives, by name."""
        return {part.name: part.count for part in self.file.part}

    def priced(self, book: Book) -> Book:
        """``book`` with the prices of parts that the file states; what the command line sets stays.

        Raises ``InputError`` where another inventory states another price of a part of the same name.
        """
        figures: dict[str, Figure] = {}
        for part in self.file.part:
            key = f"purchase.part.{part.name}"
            there = book.figures.get(key)
            if part.usd is None or (there is not None and there.source == SET):
                continue
            if there is not None and there.quality == "given" and there.value != part.usd:
                raise InputError(
                    "conflict",
                    f"{self.where}: part.{part.name}.usd",
                    f"{part.name!r} costs {part.usd:g} USD here and {there.value:g} in {there.source}",
                    hint="parts of one name have one price; give them different names",
                )
            figures[key] = Figure(
                key=key,
                value=part.usd,
                low=part.low,
                high=part.high,
                source=part.source or self.where,
                date=part.date,
                quality="given",
            )
        return replace(book, figures={**book.figures, **figures}) if figures else book

    def capacity_gb(self, run: Run, drives: Sequence[Drive]) -> Capacity:
        """The file's, else the Run's; raw capacity else that of all ``drives``."""
        given, known = self.file.capacity, run.summary["capacity_gb"]
        summed = sum(drive.capacity_gb for drive in drives) or None

        def gb(size: int | None, otherwise: float | None) -> float | None:
            return otherwise if size is None else size / GB

        usable = gb(given.usable, known["usable"])
        effective = gb(given.effective, known["effective"])
        raw = gb(given.raw, known["raw"])
        return summed if raw is None else raw, usable, usable if effective is None else effective


def read_inventory(path: str | Path) -> Inventory:
    """The inventory of a file.

    Raises
    ------
    InputError
        The file cannot be read, or is wrong: with its place, key and what would be accepted.
    """
    path = Path(path)
    document = Document(read_text(path), str(path))
    file = document.validate(InventoryFile)
    devices: dict[str, DeviceFile] = {}
    problems: list[Problem] = []
    for index, entry in enumerate(file.drive):
        if entry.device is not None and entry.device not in devices:
            try:
                devices[entry.device] = device_file(entry.device, path.parent)
            except InputError as error:
                said = f"{error.place}: {error.message}" if error.place else error.message
                problems.append(Problem(error.code, ("drive", index, "device"), said, error.hint))
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
