"""Volumes are made and checked."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from iowatt import core
from iowatt.base.errors import Argument, InputError
from iowatt.sources import in_use, target
from iowatt.sources.volume.plan import planned_pool
from iowatt.sources.volume.result import MadeVolume, VolumeCheck


@dataclass(frozen=True)
class NewVolume:
    """A volume to be made: a virtual pool of a scenario, and a store for each of its parts."""

    scenario: Path
    #: Files or block devices in the order of the parts: the fast one first. A file that is absent is made.
    stores: Sequence[Path]
    #: Stores named once more, whose content may be lost.
    erase: Sequence[Path] = ()
    overrides: Sequence[str] = ()
    #: Name of the virtual pool; None where the scenario has one only.
    pool: str | None = None


def create(request: NewVolume, *, tell: Callable[[str], None] = lambda _text: None) -> MadeVolume:
    """Make a volume: a label on each store, and the map on the first.

    Raises ``InputError`` where the scenario or a store does not do; nothing is written then.
    """
    pool = planned_pool(request.scenario, request.overrides, request.pool)
    name, plan = pool.name, pool.scheme
    text = json.dumps(plan, separators=(",", ":"))
    needs = core.volume_needs(text)
    stores = [path.absolute() for path in request.stores]
    if len(stores) != len(needs):
        message = f"{len(stores)} given, but {name} has {len(needs)} parts"
        raise InputError("conflict", Argument("store"), message, hint="give one per part, fastest first")
    if len(set(stores)) != len(stores):
        raise InputError("duplicate", Argument("store"), "each part needs a store of its own")
    erase = {path.absolute() for path in request.erase}
    if unknown := erase - set(stores):
        raise InputError("conflict", Argument("erase"), f"{min(unknown)} is not one of the stores")
    made: list[Path] = []
    try:
        for path, needed in zip(stores, needs, strict=True):
            if _prepared(path, needed, path in erase, tell):
                made.append(path)
        identity = uuid.uuid4().hex
        capacity = core.volume_create([str(path) for path in stores], text, name, identity)
    except BaseException:
        for path in made:
            path.unlink(missing_ok=True)
        raise
    return MadeVolume(
        name=name,
        uuid=identity,
        scheme=str(plan["scheme"]["kind"]),
        stores=[str(path) for path in stores],
        capacity_bytes=capacity,
    )


def check(stores: Sequence[Path]) -> VolumeCheck:
    """Check labels and map of a volume that is not in service, and repair what can be.

    Raises ``InputError`` where a store is not of the volume, or its map cannot be read.
    """
    names = [str(path) for path in stores]
    found: dict[str, Any] = json.loads(core.volume_check(names))
    repaired = [names[part] for part in found.pop("labels_repaired")]
    return VolumeCheck.model_validate({**found, "stores": names, "labels_repaired": repaired})


def _prepared(path: Path, needed: int, erase: bool, tell: Callable[[str], None]) -> bool:
    """Whether the store had to be made: a sparse file."""
    found = target.target_kind(path)
    if found == "absent":
        target.create_file(path, needed, "sparse", tell=tell)
        return True
    in_use.refuse(path)
    if not erase:
        what = "is a block device" if found == "device" else "exists"
        raise target.must_be_named_twice(path, f"{what}, and what is on it would be lost")
    target.announce_erasing(path, tell)
    return False
