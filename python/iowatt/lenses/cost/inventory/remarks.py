"""What a reader of costs must know of an inventory."""

from __future__ import annotations

from iowatt.lenses.cost.inventory.file import Counted, DriveEntry, Spread
from iowatt.lenses.cost.inventory.read import Inventory
from iowatt.model.library.rated import of_file


def notes(inventory: Inventory) -> tuple[str, ...]:
    """What a reader of the costs must know: the file's own notes, what was assumed, what is not known."""
    file = inventory.file
    said = [*file.notes]
    for file_ in inventory.devices.values():
        said += of_file(file_)[1]
    spread = file.spread
    if spread is not None:
        said.append(
            f"bytes of hosts are spread over the drives of {', '.join(spread.pools)} by capacity, "
            f"{spread.writes:g} written and {spread.reads:g} read for each: given, not measured"
        )
    for entry in file.drive:
        device = inventory.devices.get(entry.device or "")
        if device is None:
            said.append(
                f"{entry.name}: no model is given; rated and priced as the inventory or its class says"
            )
        if not _counted(entry, device.kind if device is not None else str(entry.kind), spread):
            said.append(
                f"{entry.name}: nothing counted what wears it, so its wear is not known and not charged"
            )
    return tuple(said)


def beside(added: int, known: int) -> str:
    """What to say where drives are added to those that the Run had."""
    return (
        f"{added} drives are of the inventory alone, beside {known} of the Run: they are bought, and neither "
        "its power nor its requests know of them"
    )


def _counted(entry: DriveEntry, kind: str, spread: Spread | None) -> bool:
    """Whether anything tells how the drives wear: bytes of an SSD, cycles of a disk."""
    counts = entry.counts or Counted()
    if kind == "hdd":
        return counts.start_stops is not None or counts.load_unloads is not None
    told = spread is not None and entry.pool in spread.pools
    return told or counts.bytes_written is not None or counts.percentage_used_after is not None
