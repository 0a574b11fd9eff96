"""Where the sectors of a drive are: zones, or a tree of runs from a layout file.

A layout file is JSON, gzipped or not: ``{"schema": "iowatt.layout/1", "tracks", "nodes", "slips", "remaps"}``
with the lists of the simulator's ``IndexedPlan``, the entries of a node as lists in the order of `ENTRY`.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeAlias

from iowatt.base.errors import BadValueError, InputError
from iowatt.base.packed_file import read_text
from iowatt.model.library.geometry import ZonedGeometry
from iowatt.model.library.mechanics import TrackZone

SCHEMA: Final = "iowatt.layout/1"
ENTRY: Final = (
    "lbn", "cylinder", "offset_rev", "len", "cylinder_len", "skew_rev", "run", "descending", "child", "head",
)  # fmt: skip
MOST_BYTES: Final = 64 << 20


@dataclass(frozen=True)
class Zones:
    """Zones of like cylinders; ``all_cylinders`` is 0 where there are none beyond the zones."""

    zones: tuple[TrackZone, ...]
    mapping: str = "normal"
    sparing: str = "none"
    range_cylinders: int = 0
    all_cylinders: int = 0

    @classmethod
    def of(cls, geometry: ZonedGeometry) -> Zones:
        """The layout of a device file's geometry."""
        zones = []
        for zone in geometry.zones:
            fields = zone.model_dump(exclude={"first_cylinder", "slips", "remaps"})
            first = -1 if zone.first_cylinder is None else zone.first_cylinder
            slips, remaps = tuple(zone.slips), tuple(zone.remaps)
            zones.append(TrackZone(first_cylinder=first, slips=slips, remaps=remaps, **fields))
        return cls(
            tuple(zones),
            geometry.mapping,
            geometry.sparing,
            geometry.range_cylinders or 0,
            geometry.cylinders or 0,
        )

    @property
    def cylinders(self) -> int:
        """All cylinders."""
        return max(self.all_cylinders, self.firsts()[-1] + self.zones[-1].cylinders)

    def firsts(self) -> list[int]:
        """First cylinder of each zone."""
        firsts, free = [], 0
        for zone in self.zones:
            firsts.append(free if zone.first_cylinder < 0 else zone.first_cylinder)
            free = firsts[-1] + zone.cylinders
        return firsts

    def held(self, surfaces: int) -> int:
        """All sectors of all tracks, spares included."""
        return surfaces * sum(zone.cylinders * zone.sectors_per_track for zone in self.zones)

    def at_speed(self, ratio: float) -> Zones:
        """The layout at ``ratio`` times the speed: angles keep their time."""

        def turned(zone: TrackZone) -> TrackZone:
            spt = zone.sectors_per_track
            return replace(
                zone,
                first_sector_offset=zone.first_sector_offset * ratio % spt,
                track_skew=zone.track_skew * ratio % spt,
                cylinder_skew=zone.cylinder_skew * ratio % spt,
            )

        return replace(self, zones=tuple(map(turned, self.zones)))

    def plan(self) -> dict[str, Any]:
        """``LayoutPlan``."""
        sparing: Any = self.sparing
        if sparing == "per-range":
            sparing = {"per-range": self.range_cylinders}
        elif sparing.startswith("per-cylinder"):
            sparing = {"per-cylinder": {"front": "front" in sparing, "to_end": sparing.endswith("to-end")}}
        zones = [zone.plan(first) for zone, first in zip(self.zones, self.firsts(), strict=True)]
        return {"zoned": {"mapping": self.mapping, "sparing": sparing, "zones": zones}}


@dataclass(frozen=True)
class Tree:
    """An irregular layout: ``indexed`` is ``IndexedPlan``, which `read_layout` has checked."""

    cylinders: int
    indexed: dict[str, Any]

    def held(self, surfaces: int) -> int:
        """Sectors that the root places."""
        last = self.indexed["nodes"][-1][-1]
        return int(last["lbn"] + last["run"])

    def sectors_per_track(self, *, last: bool) -> int:
        """Of the first track, or of the last one."""
        entry = self.indexed["nodes"][-1][-1 if last else 0]
        while entry["head"] is None:
            entry = self.indexed["nodes"][entry["child"]][-1 if last else 0]
        return int(self.indexed["tracks"][entry["child"]][2])

    def at_speed(self, ratio: float) -> Tree:
        """Raise ``BadValueError``: its angles are sums that are known at one speed only."""
        raise BadValueError(
            "unsupported", None, "the speed of a drive with an irregular layout cannot be changed"
        )

    def plan(self) -> dict[str, Any]:
        """``LayoutPlan``."""
        return {"indexed": self.indexed}


Layout: TypeAlias = Zones | Tree


def layout_bytes(indexed: Mapping[str, Any]) -> bytes:
    """A layout file, gzipped, the same bytes each time."""
    nodes = [[[entry[name] for name in ENTRY] for entry in node] for node in indexed["nodes"]]
    text = json.dumps({"schema": SCHEMA, **indexed, "nodes": nodes}, separators=(",", ":"))
    return gzip.compress(text.encode(), 9, mtime=0)


def read_layout(path: Path) -> dict[str, Any]:
    """``IndexedPlan`` out of a layout file.

    Raises ``InputError`` where it cannot be read or is no layout file.
    """
    where = str(path)
    try:
        file = json.loads(read_text(path, MOST_BYTES))
        if file.pop("schema") != SCHEMA:
            raise ValueError
        nodes = [[dict(zip(ENTRY, entry, strict=True)) for entry in node] for node in file["nodes"]]
        indexed = {**{name: file.pop(name) for name in ("tracks", "slips", "remaps")}, "nodes": nodes}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise InputError(
            "wrong-format",
            where,
            f"expected a layout file of schema {SCHEMA}",
            hint="`iowatt devices import` writes one beside the device file",
        ) from None
    tracks = len(indexed["tracks"])
    for number, node in enumerate(nodes):
        for entry in node:
            children = number if entry["head"] is None else tracks
            if not isinstance(entry["child"], int) or not 0 <= entry["child"] < children:
                raise InputError(
                    "damaged", where, f"node {number} names a child that does not come before it"
                )
    if not nodes or not all(nodes):
        raise InputError("damaged", where, "a layout needs nodes, and each of them entries")
    return indexed
