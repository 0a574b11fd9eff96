"""The chosen tiers as a scenario that can be run."""

from __future__ import annotations

import copy
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from iowatt.base.document import TomlDocument
from iowatt.base.results import Note
from iowatt.base.toml_writer import toml_document
from iowatt.evaluate.tiers.choose import LaidOutTier
from iowatt.evaluate.tiers.one_pool import ExtentLoad, left_out
from iowatt.model.scenario import file_keys

#: Accesses after which an extent would move: more than any run has, so that placement never changes.
NEVER = 65_535
#: Keys of the array that belong to the drives of the one pool, or to the enclosures that hold them.
LEFT_OUT = ("pool", "volume", "virtual_pool", "bus", "power")


def tiers_scenario(
    document: TomlDocument,
    base: Path,
    target: Path,
    *,
    volumes: Sequence[tuple[str, int]],
    tiers: Sequence[LaidOutTier],
    pools: Mapping[str, tuple[dict[str, Any], Path]],
    load: ExtentLoad,
    name: str,
) -> tuple[str, list[Note]]:
    """The text of the scenario, for a file in ``target``, and what was left out of the given one.

    Args:
        document, base: The scenario of the one pool, overrides applied, and what its paths are relative to.
        volumes: Names and bytes of its volumes, in the order in which they lie in the pool.
        pools: By the name of a technology, the table of a pool and what its paths are relative to.
    """
    raw = copy.deepcopy(document.raw)
    for _, table, key in file_keys(raw):
        given = table[key]
        if isinstance(given, str):
            table[key] = _moved(given, base, target)
        elif isinstance(given, list):
            table[key] = [_moved(part, base, target) if isinstance(part, str) else part for part in given]
    array = raw.get("array", {})
    left_out_keys = [
        left_out(f"array.{key} of the one pool is left out") for key in ("bus", "power") if array.get(key)
    ]
    kept = {key: value for key, value in array.items() if key not in LEFT_OUT}
    listed = [_pool(tier, *pools[tier.technology.name], target) for tier in tiers]
    over = "tiers" if len(tiers) > 1 else tiers[0].technology.name
    kept["pool"] = listed
    if len(tiers) > 1:
        kept["virtual_pool"] = [_virtual(over, tiers, load)]
    kept["volume"] = [{"name": title, "pool": over, "capacity": f"{size}B"} for title, size in volumes]
    raw["name"], raw["array"] = name, kept
    observe = dict(raw.get("observe", {}))
    observe["heat"] = {"extent": f"{load.extent_bytes}B", "points": ["back"]}
    raw["observe"] = observe
    comment = "Derived by `iowatt tier`: the work of the one pool on the tiers that were chosen for it."
    return toml_document(raw, [comment]), left_out_keys


def _pool(tier: LaidOutTier, table: dict[str, Any], base: Path, target: Path) -> dict[str, Any]:
    found = {"name": tier.technology.name, **copy.deepcopy(table), "count": tier.count}
    device = found["device"]
    if isinstance(device, str):
        found["device"] = _device(device, base, target)
    else:
        device["name"] = _device(device["name"], base, target)
    return found


def _device(name: str, base: Path, target: Path) -> str:
    return _moved(name, base, target) if Path(name).suffix in (".toml", ".diskspecs", ".parv") else name


def _virtual(name: str, tiers: Sequence[LaidOutTier], load: ExtentLoad) -> dict[str, Any]:
    """A virtual pool with every extent in its tier from the start; nothing moves."""
    fast, slow = tiers[0], tiers[-1]
    held = round(fast.held_bytes(load) / load.extent_bytes) * load.extent_bytes
    return {
        "name": name,
        "scheme": "tiering",
        "fast": {"pool": fast.technology.name, "capacity": f"{max(held, load.extent_bytes)}B"},
        "slow": {"pool": slow.technology.name},
        "extent": f"{load.extent_bytes}B",
        "promotion_threshold": NEVER,
        "max_migrations": 1,
        "initial": "hot",
    }


def _moved(name: str, base: Path, target: Path) -> str:
    """A path that was relative to ``base``, relative to ``target``."""
    if name in ("", "-") or Path(name).is_absolute():
        return name
    return os.path.relpath((base / name).resolve(), target.resolve())
