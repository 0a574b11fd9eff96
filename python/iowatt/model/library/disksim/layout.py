"""Where the blocks of a DiskSim drive lie: zones with skews, slips and spares (G1), or track runs (G4)."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Final, TypeAlias

from iowatt.base.errors import InputError
from iowatt.model.library.disksim.parameter import (
    Table,
    one_of,
    part,
    read_fields,
    real,
    used,
    whole,
    whole_numbers,
)
from iowatt.model.library.disksim.tree import Block, Value

G1: Table = {
    "LBN-to-PBN mapping scheme": used("mapping", whole(0, 2)),
    "Sparing scheme used": used("sparing", whole(0, 10)),
    "Rangesize for sparing": used("range_cylinders", whole()),
    "Skew units": used("skew_units", one_of("sectors", "revolutions"), required=False),
    "Zones": part(),
}
"""``dm_layout_g1``."""

G1_ZONE: Table = {
    "First cylinder number": used("first_cylinder", whole(0, 2**31)),
    "Last cylinder number": used("last_cylinder", whole(0, 2**31)),
    "Blocks per track": used("sectors_per_track", whole(1, 2**31)),
    "Offset of first block": used("first_sector_offset", real()),
    "Skew units": used("skew_units", one_of("sectors", "revolutions"), required=False),
    "Empty space at zone front": used("reserved_sectors", whole()),
    "Skew for track switch": used("track_skew", real(), required=False),
    "Skew for cylinder switch": used("cylinder_skew", real(), required=False),
    "Number of spares": used("spares", whole()),
    "slips": used("slips", whole_numbers),
    "defects": used("defects", whole_numbers),
}
"""``dm_layout_g1_zone``."""

G4: Table = {"TP": part(), "IDX": part(), "Slips": part(required=False), "Remaps": part(required=False)}
"""``dm_layout_g4``."""


SPARING: Final = (
    "none", "tracks", "per-cylinder", "per-track", "per-cylinder-to-end", "per-cylinder-front",
    "per-cylinder-front-to-end", "at-end", "per-range", "per-zone", "per-zone",
)  # fmt: skip
"""Sparing schemes of device files, by DiskSim's number."""
MAPPING: Final = ("normal", "serpentine-by-zone", "serpentine-by-disk")
"""Mappings of device files, by DiskSim's number."""


@dataclass(frozen=True)
class G1Zone:
    """Cylinders with tracks of one length; ``last_cylinder`` is the last one in it.

    The other fields are those of a device file's zone.
    """

    first_cylinder: int
    last_cylinder: int
    sectors_per_track: int
    first_sector_offset: float
    track_skew: float
    cylinder_skew: float
    reserved_sectors: int
    spares: int
    slips: tuple[int, ...]
    remaps: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class G1Layout:
    """``dm_layout_g1``: zones from the outside in, in the words of device files (`SPARING`, `MAPPING`)."""

    mapping: str
    sparing: str
    range_cylinders: int
    zones: tuple[G1Zone, ...]

    @property
    def cylinders(self) -> int:
        """Cylinders up to the end of the last zone."""
        return self.zones[-1].last_cylinder + 1

    def held(self, surfaces: int) -> int:
        """All sectors of all tracks, spares and empty ones included."""
        return surfaces * sum(
            (zone.last_cylinder - zone.first_cylinder + 1) * zone.sectors_per_track for zone in self.zones
        )


@dataclass(frozen=True)
class TrackPattern:
    """Sectors ``first`` to ``last`` of a track of ``sectors_per_track``: what a run of tracks holds."""

    first: int
    last: int
    sectors_per_track: int


@dataclass(frozen=True)
class G4Run:
    """Equal elements, one after the other: tracks, or repetitions of a smaller index.

    lbn, cylinder, angle: Start of the first element, relative to what holds the run; angle in turns.
    sectors, cylinders, angle_step: Each element's length in blocks, in cylinders, and its turn against the
        one before, in turns.
    run_sectors, run_cylinders: The whole run; negative cylinders: the run goes towards the outside.
    head: The head of the tracks; None where the elements are indices.
    child: Index of the `TrackPattern`, or of the node.
    """

    lbn: int
    cylinder: int
    angle: float
    sectors: int
    cylinders: int
    angle_step: float
    run_sectors: int
    run_cylinders: int
    head: int | None
    child: int


@dataclass(frozen=True)
class G4Remap:
    """``sectors`` blocks from ``lbn`` lie elsewhere: from ``sector`` of a track of ``sectors_per_track``."""

    lbn: int
    sectors: int
    cylinder: int
    head: int
    sector: int
    sectors_per_track: int


@dataclass(frozen=True)
class G4Layout:
    """``dm_layout_g4``: a tree of runs; the last node is its root, and children come before their parents.

    patterns, nodes: What tracks hold, and the tree.
    slips: (position, count), in order: a block at or behind ``position`` lies ``count`` further. Positions
        are those of the tree: blocks with all earlier slips added.
    remaps: Blocks that lie elsewhere.
    """

    patterns: tuple[TrackPattern, ...]
    nodes: tuple[tuple[G4Run, ...], ...]
    slips: tuple[tuple[int, int], ...]
    remaps: tuple[G4Remap, ...]

    def held(self, surfaces: int) -> int:
        """Blocks that the root places, slipped ones included."""
        last = self.nodes[-1][-1]
        return last.lbn + last.run_sectors


Layout: TypeAlias = G1Layout | G4Layout


def read_g1(block: Block, warnings: list[str]) -> G1Layout:
    """The zones of a ``dm_layout_g1`` block.

    Raises ``InputError`` where a parameter is missing or out of range, or zones overlap.
    """
    fields = read_fields(block, G1, warnings)
    listed = block.entries["Zones"].value
    if not isinstance(listed, list) or not listed:
        raise InputError(
            "wrong-type", block.where("Zones"), "'Zones' must be a list of dm_layout_g1_zone { ... }"
        )
    zones: list[G1Zone] = []
    for item in listed:
        if not isinstance(item, Block) or item.type != "dm_layout_g1_zone":
            where = item.where() if isinstance(item, Block) else block.where("Zones")
            raise InputError("wrong-type", where, "a zone must be a dm_layout_g1_zone { ... }")
        zone = _zone(item, fields.get("skew_units", "sectors"), warnings)
        free = zones[-1].last_cylinder + 1 if zones else 0
        if not free <= zone.first_cylinder <= zone.last_cylinder:
            raise InputError(
                "out-of-order",
                item.where("First cylinder number"),
                f"the zone has cylinders {zone.first_cylinder} to {zone.last_cylinder}; "
                f"expected a range from {free} on",
            )
        zones.append(zone)
    return G1Layout(
        MAPPING[fields["mapping"]], SPARING[fields["sparing"]], fields["range_cylinders"], tuple(zones)
    )


def _zone(block: Block, units: str, warnings: list[str]) -> G1Zone:
    fields = read_fields(block, G1_ZONE, warnings)
    in_sectors = fields["sectors_per_track"] if fields.pop("skew_units", units) == "revolutions" else 1
    for skew in ("first_sector_offset", "track_skew", "cylinder_skew"):
        fields[skew] = fields.get(skew, 0.0) * in_sectors
    flat = fields.pop("defects")
    if len(flat) % 2:
        raise InputError(
            "wrong-type", block.where("defects"), "'defects' must be pairs: the defect and what replaces it"
        )
    pairs = tuple(zip(flat[::2], flat[1::2], strict=True))
    return G1Zone(**{**fields, "slips": tuple(sorted(fields["slips"]))}, remaps=pairs)


_LIMIT = 2**62
_ENTRY = (
    "an entry must be 'lbn, cylinder, angle, length, cylinders, angle step, run length, run cylinders, "
    "TRACK, pattern, head' or the same with 'IDX, node'"
)


def read_g4(block: Block, surfaces: int, warnings: list[str]) -> G4Layout:
    """The tree of a ``dm_layout_g4`` block.

    Raises ``InputError`` where a list is not of this form, or an entry names what is not there.
    """
    read_fields(block, G4, warnings)
    patterns = tuple(TrackPattern(*row) for row in _rows(block, "TP", 3))
    for number, pattern in enumerate(patterns):
        if not pattern.first <= pattern.last < _LIMIT or pattern.sectors_per_track < 1:
            raise InputError(
                "out-of-range",
                block.where("TP"),
                f"TP {number} must be: first sector, last sector, sectors per track",
            )
    listed = _list(block, "IDX")
    nodes: list[tuple[G4Run, ...]] = []
    for node in listed:
        nodes.append(_node(block, node, len(nodes), patterns, surfaces))
    if not nodes:
        raise InputError("empty", block.where("IDX"), "'IDX' must hold at least one node")
    slips = tuple((row[0], row[1]) for row in _rows(block, "Slips", 2))
    if any(after[0] < before[0] for before, after in itertools.pairwise(slips)):
        raise InputError("out-of-order", block.where("Slips"), "'Slips' must be ordered by LBN")
    remaps = tuple(G4Remap(*row) for row in _rows(block, "Remaps", 6))
    return G4Layout(patterns, tuple(nodes), slips, remaps)


def _list(block: Block, key: str) -> list[Value]:
    entry = block.entries.get(key)
    if entry is None:
        return []
    if not isinstance(entry.value, list):
        raise InputError("wrong-type", block.where(key), f"{key!r} must be a list")
    return entry.value


def _rows(block: Block, key: str, width: int) -> list[list[int]]:
    flat = _list(block, key)
    integers = [item for item in flat if isinstance(item, int) and 0 <= item < _LIMIT]
    if len(integers) != len(flat) or len(flat) % width:
        raise InputError(
            "wrong-type",
            block.where(key),
            f"{key!r} must be whole numbers, {width} for each entry; it has {len(flat)} items",
        )
    return [integers[at : at + width] for at in range(0, len(integers), width)]


def _node(
    block: Block, node: Value, number: int, patterns: tuple[TrackPattern, ...], surfaces: int
) -> tuple[G4Run, ...]:
    runs: list[G4Run] = []

    def wrong(code: str, reason: str) -> InputError:
        return InputError(code, block.where("IDX"), f"IDX node {number}, entry {len(runs)}: {reason}")

    if not isinstance(node, list) or not node:
        raise wrong("wrong-type", "a node must be a list of entries")
    at = 0
    while at < len(node):
        figures = _figures(node[at : at + 8])
        kind = node[at + 8] if at + 8 < len(node) else None
        width = {"TRACK": 2, "IDX": 1}.get(kind, 0) if isinstance(kind, str) else 0
        links = node[at + 9 : at + 9 + width]
        integers = [item for item in links if isinstance(item, int)]
        if not width or len(integers) != width or figures is None:
            raise wrong("wrong-type", _ENTRY)
        run = G4Run(*figures, head=integers[1] if width == 2 else None, child=integers[0])
        accepted = len(patterns) if run.head is not None else number
        if not 0 <= run.child < accepted:
            raise wrong("unknown-name", f"{kind} {run.child} is not one of the {accepted} before it")
        if run.head is not None and not 0 <= run.head < surfaces:
            raise wrong("out-of-range", f"head {run.head} is not one of the {surfaces} surfaces")
        free = runs[-1].lbn + runs[-1].run_sectors if runs else 0
        if run.lbn != free:
            raise wrong("out-of-order", f"it starts at LBN {run.lbn}, and the run before ends at {free}")
        runs.append(run)
        at += 9 + width
    return tuple(runs)


def _figures(items: list[Value]) -> tuple[int, int, float, int, int, float, int, int] | None:
    """The eight numbers of an entry, whole ones except for the two angles; None where they are not."""
    integers = [item for item in (*items[:2], *items[3:5], *items[6:]) if isinstance(item, int)]
    angles = [float(item) for item in (*items[2:3], *items[5:6]) if isinstance(item, int | float)]
    if len(integers) != 6 or len(angles) != 2 or max(map(abs, integers)) >= _LIMIT:
        return None
    lbn, cylinder, sectors, cylinders, run_sectors, run_cylinders = integers
    if min(lbn, cylinder, cylinders) < 0 or not 1 <= sectors <= run_sectors:
        return None
    return lbn, cylinder, angles[0], sectors, cylinders, angles[1], run_sectors, run_cylinders
