"""A drive from DiskSim's files: ``.diskspecs`` (or a ``.parv`` that sources one), ``.model``, seek curve."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from iowatt.base.errors import InputError
from iowatt.model.library.disksim.components import Scheduler, read_scheduler
from iowatt.model.library.disksim.electronics import (
    BUFFER,
    DISKS_OWN,
    OVERHEADS,
    DiskSimBuffer,
    DiskSimInterface,
    Overheads,
)
from iowatt.model.library.disksim.grammar import parse_file
from iowatt.model.library.disksim.layout import Layout, read_g1, read_g4
from iowatt.model.library.disksim.mechanics import DiskSimMechanics, read_mechanics
from iowatt.model.library.disksim.parameter import (
    Table,
    part,
    read_fields,
    stored,
    sub_block,
    table_of,
    whole,
)
from iowatt.model.library.disksim.tree import Assignment, Block, ParameterFile

SECTOR_BYTES = 512


@dataclass(frozen=True, kw_only=True)
class Model:
    """Mechanics and geometry (``dm_disk``); ``sectors`` are blocks of 512 bytes that the drive offers."""

    sectors: int = stored("Block count", whole(1))
    surfaces: int = stored("Number of data surfaces", whole(1, 1000))
    cylinders: int = stored("Number of cylinders", whole(1, 2**31))
    layout: Layout
    mechanics: DiskSimMechanics


@dataclass(frozen=True)
class DiskSimDrive:
    """A disk as DiskSim's files describe it.

    name, path: Name of its specification, and the file that holds it.
    ignored: A sentence with its place for each parameter that iowatt does not use.
    notes: Where iowatt reads the files differently from DiskSim.
    """

    name: str
    path: Path
    model: Model
    interface: DiskSimInterface
    overheads: Overheads
    buffer: DiskSimBuffer
    scheduler: Scheduler
    ignored: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def raw_bytes(self) -> int:
        """Capacity in bytes."""
        return self.model.sectors * SECTOR_BYTES


MODEL: Table = {
    **table_of(Model),
    "Layout Model": part(),
    "Mechanical Model": part(),
}
"""``dm_disk``."""


def read_drive(
    path: Path, name: str | None = None, overrides: Mapping[str, int | float | str] | None = None
) -> DiskSimDrive:
    """The drive that ``path`` specifies.

    ``name`` chooses among several: the specification's, or that of a component made of it. ``overrides``
    replaces parameters of ``disksim_disk`` by name, as DiskSim's command line does (``{"Fast write level":
    0}``).

    Raises ``InputError`` where the files cannot be read or are not of this form, hold no such drive, or a
    parameter that iowatt needs is missing or out of range.
    """
    document = parse_file(path)
    return build_drive(_chosen(document, name), overrides)


def build_drive(block: Block, overrides: Mapping[str, int | float | str] | None = None) -> DiskSimDrive:
    """The drive of one ``disksim_disk`` block. Errors as `read_drive`."""
    block = _overridden(block, overrides or {})
    warnings: list[str] = []
    notes: list[str] = []
    fields = read_fields(block, DISKS_OWN, warnings)
    scale = fields.pop("overhead_scale")
    overheads = {parameter.field: fields.pop(parameter.field) for parameter in OVERHEADS.values()}
    buffer = {parameter.field: fields.pop(parameter.field) for parameter in BUFFER.values()}
    if block.entries["Enable caching in buffer"].value == 2:
        place = block.where("Enable caching in buffer")
        notes.append(f"{place}: {block}: Enable caching in buffer = 2 is read as 1, caching")
    model = build_model(sub_block(block, "Model", "dm_disk"), warnings, notes)
    scheduler = read_scheduler(sub_block(block, "Scheduler", "disksim_ioqueue"), warnings)
    scaled = {key: value if isinstance(value, bool) else value * scale for key, value in overheads.items()}
    return DiskSimDrive(
        name=block.name,
        path=block.path,
        model=model,
        interface=DiskSimInterface(**fields),
        overheads=Overheads(**scaled),
        buffer=DiskSimBuffer(**buffer),
        scheduler=scheduler,
        ignored=tuple(warnings),
        notes=tuple(notes),
    )


def build_model(block: Block, warnings: list[str], notes: list[str]) -> Model:
    """Mechanics and geometry of a ``dm_disk`` block. Errors as `read_drive`."""
    fields = read_fields(block, MODEL, warnings)
    listed = sub_block(block, "Layout Model", "dm_layout_g1", "dm_layout_g4")
    layout: Layout
    if listed.type == "dm_layout_g1":
        layout = read_g1(listed, warnings)
        if layout.cylinders > fields["cylinders"]:
            notes.append(
                f"{block.where('Number of cylinders')}: {block}: "
                f"Number of cylinders is {fields['cylinders']}, "
                f"but the zones have {layout.cylinders}, which the drive gets"
            )
            fields["cylinders"] = layout.cylinders
    else:
        layout = read_g4(listed, fields["surfaces"], warnings)
    held = layout.held(fields["surfaces"])
    if held < fields["sectors"]:
        notes.append(
            f"{block.where('Block count')}: {block}: the layout places {held} of the "
            f"{fields['sectors']} blocks in Block count; the drive has {held}"
        )
        fields["sectors"] = held
    mechanics = read_mechanics(
        sub_block(block, "Mechanical Model", "dm_mech_g1"), fields["cylinders"], warnings, notes
    )
    return Model(**fields, layout=layout, mechanics=mechanics)


def _chosen(document: ParameterFile, name: str | None) -> Block:
    drives = document.of_type("disksim_disk")
    where = str(document.path)
    if not drives:
        hint = None
        if document.of_type("dm_disk"):
            hint = "this is a drive's model alone; give the .diskspecs or .parv file that sources it"
        raise InputError(
            "empty", where, "there is no drive here; expected a 'disksim_disk NAME { ... }'", hint=hint
        )
    specifications = {instance.name: instance.of for instance in document.instances}
    wanted = specifications.get(name, name) if name is not None else None
    matching = [drive for drive in drives if wanted in (None, drive.name)]
    if len(matching) == 1:
        return matching[0]
    known = ", ".join(drive.name for drive in drives)
    if wanted is None:
        raise InputError("ambiguous", where, f"the file specifies {len(drives)} drives; name one of {known}")
    raise InputError("unknown-name", where, f"there is no drive {name!r}; the file specifies {known}")


def _overridden(block: Block, overrides: Mapping[str, int | float | str]) -> Block:
    entries = dict(block.entries)
    for key, value in overrides.items():
        if key not in DISKS_OWN or DISKS_OWN[key].read_elsewhere:
            near = difflib.get_close_matches(key, DISKS_OWN, n=1)
            raise InputError(
                "unknown-name",
                block.where(),
                f"{key!r} is not a parameter of a drive that can be overridden",
                hint=f"did you mean {near[0]!r}?" if near else None,
            )
        line = entries[key].line if key in entries else block.line
        entries[key] = Assignment(value, line)
    return replace(block, entries=entries)
