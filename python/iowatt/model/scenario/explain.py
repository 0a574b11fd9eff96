"""The documentation of one key, or of a table and what is in it."""

from __future__ import annotations

from typing import Any, Final

from iowatt.base import keys
from iowatt.base.errors import InputError
from iowatt.base.keys import Key
from iowatt.base.problems import nearest
from iowatt.model.scenario.model import Scenario

EXPLAIN_SCHEMA: Final = "iowatt.explain/1"
_PARTS_OF_PATHS: Final = {"path.hop.link": "link", "path.hop.switch": "switch", "path.hba": "adapter"}


def find(path: str) -> Key:
    """The key at ``path``; names and indices of list elements (``array.pool.disks.count``) may be in it.

    Raises ``InputError`` where there is none, with the nearest one.
    """
    catalogue = keys.catalogue(Scenario)
    resolved = keys.resolve(Scenario, path)
    if resolved in catalogue:
        return catalogue[resolved]
    last = resolved.rpartition(".")[2]
    near = nearest(path, list(catalogue)) or next((p for p in catalogue if p.endswith(f".{last}")), None)
    hint = f"did you mean {near}?" if near else "`iowatt explain` lists all keys"
    raise InputError("unknown-key", None, f"a scenario has no key {path!r}", hint=hint)


def all_keys() -> list[Key]:
    """Every key of a scenario, tables before what is in them."""
    return list(keys.catalogue(Scenario).values())


def named(path: str) -> str:
    """``path`` with the place of the name of each element that it leads through.

    >>> named("array.pool.raid.level")
    'array.pool.NAME.raid.level'
    """
    catalogue = keys.catalogue(Scenario)
    steps = path.split(".")
    shown = []
    for length, step in enumerate(steps, 1):
        shown.append(step)
        if length < len(steps) and catalogue[".".join(steps[:length])].is_list:
            shown.append("NAME")
    return ".".join(shown)


def as_dict(key: Key) -> dict[str, Any]:
    """A key for ``--json``."""
    return {
        "path": key.path,
        "description": key.description,
        "accepts": key.accepts,
        "unit": key.unit,
        "default": key.default_text,
        "required": key.required,
        "only_with": key.only_with,
        "example": _example(key),
        "keys": [f"{key.path}.{child}" for child in key.children],
        "library": _library(key.path.removesuffix(".name")),
        "variants": [_variant(one) for one in key.variants],
    }


def _library(path: str) -> list[str]:
    """What the library has for a key that takes its names."""
    if path == "array.pool.device":
        from iowatt.model.library import device_names

        return list(device_names())
    if kind := _PARTS_OF_PATHS.get(path):
        from iowatt.model.library.fabric import names

        return list(names(kind))
    return []


def _variant(key: Key) -> dict[str, Any]:
    """What one table of a union says of a key that others have, too."""
    kept = ("only_with", "description", "accepts", "unit", "default", "required", "example")
    return {name: value for name, value in as_dict(key).items() if name in kept}


def _example(key: Key) -> str | None:
    if key.example is None:
        return None
    return f"{key.path.rpartition('.')[2]} = {keys.toml_text(key.example)}"
