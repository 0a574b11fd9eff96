"""A whole system from a ``.parv`` file: drives, buses, controllers, the driver and the arrays over them.

`read_system` resolves names: components, their specifications and their places. A specification is read once,
however many components have it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from iowatt.base.errors import InputError
from iowatt.model.library.disksim import components
from iowatt.model.library.disksim.components import (
    IGNORED_BLOCKS,
    DiskSimBus,
    DiskSimController,
    DiskSimDriver,
    DriveParents,
    LogicalOrganisation,
    TraceMapping,
)
from iowatt.model.library.disksim.drives import DiskSimDrive, build_drive
from iowatt.model.library.disksim.grammar import parse_file
from iowatt.model.library.disksim.tree import Block, Node, ParameterFile

Read = TypeVar("Read")

_READ = {
    "disksim_disk",
    "disksim_bus",
    "disksim_ctlr",
    "disksim_iodriver",
    "disksim_logorg",
    "disksim_iosim",
    "disksim_syncset",
}


@dataclass(frozen=True)
class DiskSimSystem:
    """What a ``.parv`` file describes. All mappings are by component name, in the order of the file.

    drives: The disks; components of one specification share one `Drive`.
    buses, controllers, driver: What connects them; the driver is None where there is none.
    places: Where each disk hangs.
    arrays: How addresses spread over disks.
    in_phase: Sets of disks that turn in phase. (In DiskSim 4.0 all of them do.)
    trace: How the trace's times and devices are mapped.
    ignored, notes: As in `Drive`, for the system and its drives together.
    """

    path: Path
    drives: Mapping[str, DiskSimDrive]
    buses: Mapping[str, DiskSimBus]
    controllers: Mapping[str, DiskSimController]
    driver: DiskSimDriver | None
    places: Mapping[str, DriveParents]
    arrays: tuple[LogicalOrganisation, ...]
    in_phase: tuple[tuple[str, ...], ...]
    trace: TraceMapping
    ignored: tuple[str, ...]
    notes: tuple[str, ...]


def read_system(path: Path) -> DiskSimSystem:
    """The system that a ``.parv`` file describes.

    Raises ``InputError`` where a file cannot be read or is not of this form, a parameter that iowatt needs is
    missing or out of range, or a name stands for nothing.
    """
    document = parse_file(path)
    return _SystemBuilder(document).build()


class _SystemBuilder:
    """Resolves the names of a document and collects warnings."""

    def __init__(self, document: ParameterFile) -> None:
        self.document = document
        self.warnings: list[str] = []
        self.notes: list[str] = []
        self.specifications = {block.name: block for block in document.blocks}
        self.components: dict[str, Block] = {}
        for instance in document.instances:
            block = self.specifications.get(instance.of)
            if block is None:
                known = ", ".join(name for name in self.specifications if name) or "none"
                raise InputError(
                    "unknown-name",
                    instance.where,
                    f"there is no specification {instance.of!r} in this file; it has {known}",
                )
            if instance.name in self.components:
                raise InputError("duplicate", instance.where, f"{instance.name!r} is instantiated twice")
            self.components[instance.name] = block

    def build(self) -> DiskSimSystem:
        self.warn_of_ignored_blocks()
        drives = self.read("disksim_disk", self.drive)
        buses = self.read("disksim_bus", components.read_bus)
        controllers = self.read("disksim_ctlr", components.read_controller)
        drivers = self.read("disksim_iodriver", components.read_driver)
        places = {name: place for node in self.document.topology for name, place in self.walk(node)}
        return DiskSimSystem(
            path=self.document.path,
            drives=drives,
            buses=buses,
            controllers=controllers,
            driver=next(iter(drivers.values()), None),
            places={name: place for name, place in places.items() if name in drives},
            arrays=self.arrays(),
            in_phase=tuple(
                self.known(components.read_syncset(block, self.warnings), block.where("devices"))
                for block in self.document.of_type("disksim_syncset")
            ),
            trace=self.trace(),
            ignored=tuple(dict.fromkeys(self.warnings)),
            notes=tuple(dict.fromkeys(self.notes)),
        )

    def warn_of_ignored_blocks(self) -> None:
        for block in self.document.blocks:
            if block.type in IGNORED_BLOCKS:
                self.warnings.append(f"{block.where()}: {block} is ignored: {IGNORED_BLOCKS[block.type]}")
            elif block.type not in _READ:
                self.warnings.append(
                    f"{block.where()}: {block} is ignored: iowatt does not read components of this type"
                )

    def drive(self, block: Block, warnings: list[str]) -> DiskSimDrive:
        drive = build_drive(block)
        warnings.extend(drive.ignored)
        self.notes.extend(drive.notes)
        return drive

    def read(self, kind: str, reader: components.Reader[Read]) -> dict[str, Read]:
        """The components of one type, by name; each specification is read once."""
        blocks = {name: block for name, block in self.components.items() if block.type == kind}
        specifications = {block.name: block for block in blocks.values()}
        made = {name: reader(block, self.warnings) for name, block in specifications.items()}
        return {name: made[block.name] for name, block in blocks.items()}

    def walk(
        self, node: Node, driver: str = "", buses: tuple[str, ...] = (), controllers: tuple[str, ...] = ()
    ) -> Iterator[tuple[str, DriveParents]]:
        """The leaves below ``node``, each with its place."""
        block = self.components.get(node.name)
        if block is None or block.type != node.type:
            is_a = f"is a {block.type}" if block else "is not instantiated"
            raise InputError("conflict", node.where, f"{node.name!r} {is_a}; here it is a {node.type}")
        if node.type == "disksim_iodriver":
            driver = node.name
        elif node.type == "disksim_bus":
            buses = (*buses, node.name)
        elif node.type == "disksim_ctlr":
            controllers = (*controllers, node.name)
        else:
            yield node.name, DriveParents(driver, buses, controllers)
        for child in node.children:
            yield from self.walk(child, driver, buses, controllers)

    def known(self, names: tuple[str, ...], where: str) -> tuple[str, ...]:
        missing = [name for name in names if name not in self.components]
        if missing:
            raise InputError("unknown-name", where, f"{missing[0]!r} is not instantiated")
        return names

    def arrays(self) -> tuple[LogicalOrganisation, ...]:
        arrays = []
        for block in self.document.of_type("disksim_logorg"):
            array = components.read_array(block, self.warnings)
            self.known(array.drives, block.where("devices"))
            arrays.append(array)
        return tuple(arrays)

    def trace(self) -> TraceMapping:
        blocks = self.document.of_type("disksim_iosim")
        if not blocks:
            return TraceMapping()
        trace = components.read_trace(blocks[0], self.warnings)
        self.known(tuple(device.drive for device in trace.devices), blocks[0].where("I/O Mappings"))
        return trace
