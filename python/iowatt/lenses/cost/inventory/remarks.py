"""What a reader of costs must know of an inventory."""

from __future__ import annotations

from iowatt.base.results import Note
from iowatt.lenses.cost.inventory.file import Counted, DriveEntry, Spread
from iowatt.lenses.cost.inventory.read import Inventory
from iowatt.model.library.uses import file_ratings


def notes(inventory: Inventory) -> tuple[Note, ...]:
    """What a reader of the costs must know: the file's own notes, what was assumed, what is not known."""
    file = inventory.file
    said = [Note(code="inventory", text=text) for text in file.notes]
    for file_ in inventory.devices.values():
        said += [Note(code="device-file", text=text) for text in file_ratings(file_)[1]]
    spread = file.spread
    if spread is not None:
        said.append(
            Note(
                code="bytes-spread",
                text=f"host bytes are spread over the drives of {', '.join(spread.pools)} by capacity, "
                f"{spread.writes:g} written and {spread.reads:g} read for each: given, not measured",
            )
        )
    for entry in file.drive:
        device = inventory.devices.get(entry.device or "")
        if device is None:
            said.append(
                Note(
                    code="no-model",
                    text=f"{entry.name}: no model is given; ratings and price are those of the inventory or "
                    "of its class",
                )
            )
        if not _counted(entry, device.kind if device is not None else str(entry.kind), spread):
            said.append(
                Note(
                    code="wear-unknown",
                    text=f"{entry.name}: nothing counted what wears it, so its wear is not known and not "
                    "charged",
                )
            )
    return tuple(said)


def beside(added: int, known: int) -> Note:
    """What to say where drives are added to those that the Run had."""
    return Note(
        code="drives-added",
        text=f"{added} drives are in the inventory alone, beside {known} of the Run: they are bought, but "
        "are "
        "in neither its power nor its requests",
    )


def _counted(entry: DriveEntry, kind: str, spread: Spread | None) -> bool:
    """Whether anything tells how the drives wear: bytes of an SSD, cycles of a disk."""
    counts = entry.counts or Counted()
    if kind == "hdd":
        return counts.start_stops is not None or counts.load_unloads is not None
    told = spread is not None and entry.pool in spread.pools
    return told or counts.bytes_written is not None or counts.percentage_used_after is not None
