"""The documentation of one key of a scenario, or of all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from iowatt.base import keys
from iowatt.base.errors import InputError
from iowatt.base.keys import Key
from iowatt.base.problems import nearest
from iowatt.model.scenario.keys.scenario import Scenario
from iowatt.model.scenario.result import ExplainedKey, Explanation, KeyFacts

_FABRIC_KINDS: Final = {"path.hop.link": "link", "path.hop.switch": "switch", "path.hba": "adapter"}

_NODE_KINDS: Final = {
    "cluster.node.server": "server",
    "cluster.node.adapter": "network-adapter",
    "cluster.network.switch": "rack-switch",
}
_LINKS: Final = ("cluster.network.front", "cluster.network.back")

_TAPE_KINDS: Final = {"array.library.drive": "tape-drive", "array.library.robotics": "tape-library"}


def explanation(path: str | None = None, others: Sequence[str] = ()) -> Explanation:
    """The key at ``path``, or all keys; raises ``InputError`` as :func:`find_key` does."""
    found = keys.catalogue(Scenario).values() if path is None else [find_key(path, others)]
    return Explanation(keys=[explained(key) for key in found])


def find_key(path: str, others: Sequence[str] = ()) -> Key:
    """The key at ``path``, which may have names and indices of list elements: ``array.pool.disks.count``.

    Raises ``InputError`` with the nearest key, or the nearest of ``others``, where there is no such key.
    """
    catalogue = keys.catalogue(Scenario)
    resolved = keys.resolve(Scenario, path)
    if resolved in catalogue:
        return catalogue[resolved]
    near = _near(path, resolved.rpartition(".")[2], [*catalogue, *others])
    hint = f"did you mean {near}?" if near else "`iowatt explain` lists all keys"
    raise InputError("unknown-key", None, f"a scenario has no key {path!r}", hint=hint)


def _near(path: str, last: str, known: Sequence[str]) -> str | None:
    """The key that ``path`` begins or is nearly, or whose last word is, or is nearly, ``last``."""
    words = {one.rpartition(".")[2]: one for one in reversed(known)}
    word = last if last in words else nearest(last, [*words])
    return (
        next((one for one in known if one.startswith(path)), None)
        or nearest(path, known)
        or (words[word] if word else None)
        or next((one for one in known if f".{last}" in one), None)
    )


def explained(key: Key) -> ExplainedKey:
    """A key with the names of the library that it takes."""
    return ExplainedKey(
        path=key.path,
        named=named(key.path),
        keys=[f"{key.path}.{child}" for child in key.children],
        library=_library(key.path.removesuffix(".name")),
        variants=[KeyFacts(**_facts(variant)) for variant in key.variants],
        **_facts(key),
    )


def named(path: str) -> str:
    """``path`` with NAME in place of the name of each list element that it passes.

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


def _facts(key: Key) -> dict[str, Any]:
    name = key.path.rpartition(".")[2]
    return {
        "description": key.description,
        "accepts": key.accepts,
        "unit": key.unit,
        "default": key.default_text,
        "required": key.required,
        "only_with": key.only_with,
        "example": None if key.example is None else f"{name} = {keys.toml_text(key.example)}",
    }


def _library(path: str) -> list[str]:
    """Names of the library that a key takes."""
    if path in ("array.pool.device", "cluster.pool.device"):
        from iowatt.model.library import device_names

        return list(device_names())
    if kind := _TAPE_KINDS.get(path):
        from iowatt.model.library import tape

        return list(tape.names(kind))
    if kind := _NODE_KINDS.get(path):
        from iowatt.model.library import servers

        return list(servers.names(kind))
    if path == "cluster.preset":
        from iowatt.model.library import clusters

        return list(clusters.names())
    if kind := _FABRIC_KINDS.get(path) or ("link" if path in _LINKS else None):
        from iowatt.model.library.fabric import names

        return list(names(kind))
    return []
