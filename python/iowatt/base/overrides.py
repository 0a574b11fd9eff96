"""``--set path=value``: keys of a scenario changed before it is checked.

List elements are addressed by their ``name`` or index (``array.pool.disks.count``, ``array.pool.0.count``);
where there is one element only, it may be left out (``array.pool.count``), so that every path that
``iowatt explain`` prints can be set.
Values are TOML where they parse as TOML, else strings, so that ``count=24``, ``raid.stripe_unit=16KiB`` and
``power={policy="never"}`` all read as meant.
"""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from iowatt.base.errors import Argument, InputError
from iowatt.base.keys import catalogue
from iowatt.base.problems import KeyPath, nearest, suggestion

# Keys whose short form (a string) stands for a table with that one key.
_SHORT_FORMS = {
    "device": "name",
    "fast": "pool",
    "slow": "pool",
    "protocol": "name",
    "hba": "name",
    "link": "name",
    "switch": "name",
}


CHANGED = "# Changed by --set, in this order:"
"""Begins the comment of a bundle's scenario that lists its changes."""


def parse_value(text: str) -> Any:
    """``text`` as a TOML value, or as it stands."""
    try:
        document = tomllib.loads(f"value = {text}")
    except ValueError:
        return text
    except RecursionError:
        raise InputError("too-large", None, f"{text[:40]!r}... is nested too deeply for a value") from None
    value = document["value"]
    plain = isinstance(value, str | int | float | bool | list | dict)
    return value if plain and len(document) == 1 else text


def apply(
    raw: dict[str, Any], overrides: Sequence[str], model: type[BaseModel] | None = None
) -> dict[KeyPath, str]:
    """Change ``raw``, a document of type ``model``, in place; the model's keys are named in errors.

    Returns
    -------
    dict
        The override (``path=value``) by the key path that it set, for error messages.

    Raises ``InputError`` where an override is not ``path=value``, or its path leads through something that is
    not a table.
    """
    places: dict[KeyPath, str] = {}
    for override in overrides:
        place = Argument("set", override)
        path, equals, text = override.partition("=")
        parts = [part.strip() for part in path.split(".")]
        if not equals or not all(parts):
            raise InputError(
                "bad-syntax", place, "expected path=value", hint="for example array.pool.disks.count=24"
            )
        try:
            value = parse_value(text.strip())
            if isinstance(value, str) and text.lstrip().startswith("{"):
                raise InputError(
                    "bad-syntax",
                    place,
                    f"{text.strip()} is not a TOML table",
                    hint='braces that close and quotes around text, {policy="never"}; or each key by itself, '
                    f"{path.strip()}.KEY=VALUE",
                )
            places[_assign(raw, parts, value, place, model)] = override
        except InputError as error:
            raise error.at(place) from None
    return places


def _assign(
    raw: dict[str, Any], parts: list[str], value: Any, place: str, model: type[BaseModel] | None
) -> KeyPath:
    here: Any = raw
    done: KeyPath = ()
    for position, part in enumerate(parts):
        last = position == len(parts) - 1
        key: str | int = part
        if isinstance(here, list):
            index = _index(here, part, place, done, model)
            if index is None:
                here, done = here[0], (*done, 0)
            else:
                key = index
        done = (*done, key)
        if last:
            here[key] = value
            break
        if isinstance(here, dict):
            here.setdefault(part, {})
        below = here[key]
        if isinstance(below, str) and part in _SHORT_FORMS:
            below = here[key] = {_SHORT_FORMS[part]: below}
        if not isinstance(below, dict | list):
            raise InputError(
                "wrong-type", place, f"{'.'.join(parts[: position + 1])} is {below!r}, which has no keys"
            )
        here = below
    return done


def _index(
    elements: list[Any], part: str, place: str, done: KeyPath, model: type[BaseModel] | None
) -> int | None:
    """The element that ``part`` names; None where it is left out, and ``part`` is a key of the only one."""
    names = [str(e["name"]) for e in elements if isinstance(e, dict) and "name" in e]
    for index, element in enumerate(elements):
        if isinstance(element, dict) and element.get("name") == part:
            return index
    if part.isdecimal() and int(part) < len(elements):
        return int(part)
    inside = ".".join(str(step) for step in done)
    tables = [element for element in elements if isinstance(element, dict)]
    keys = set[str]().union(_keys_of(done, model), *tables)
    if part in keys and len(tables) == len(elements) > 0:
        if len(elements) == 1:
            return None
        ways = [f"{inside}.{name}.{part}" for name in (names if len(names) == len(elements) else ())]
        raise InputError(
            "ambiguous",
            place,
            f"{inside} has {len(elements)} elements; select the {part!r} of one by name or index",
            hint=" or ".join(ways or (f"{inside}.{index}.{part}" for index in range(len(elements)))),
        )
    raise InputError(
        "unknown-name",
        place,
        f"{inside} has no element {part!r}; expected an element's name or an index below {len(elements)}",
        hint=suggestion(part, names, "names")
        if nearest(part, names) or not nearest(part, keys)
        else suggestion(part, sorted(keys), "keys"),
    )


def _keys_of(listed: KeyPath, model: type[BaseModel] | None) -> list[str]:
    """The keys that elements of a list may have; none where the model has no such list."""
    if model is None:
        return []
    path = ".".join(step for step in listed if isinstance(step, str))
    found = catalogue(model).get(path)
    return [] if found is None else list(found.children)


def key_path(raw: dict[str, Any], path: str, place: str, model: type[BaseModel] | None = None) -> KeyPath:
    """Where ``path`` leads in ``raw``, whichever way it names the elements of lists."""
    return _assign(copy.deepcopy(raw), [part.strip() for part in path.split(".")], None, place, model)


def with_overrides(text: str, overrides: Iterable[str]) -> str:
    """The scenario's text with a comment at its end that lists what was changed on the command line."""
    listed = list(overrides)
    if not listed:
        return text
    # An override that spans lines must not escape from its comment.
    lines = [CHANGED, *("#   " + " ".join(item.split()) for item in listed)]
    return text.rstrip("\n") + "\n\n" + "\n".join(lines) + "\n"


def without_overrides(text: str) -> tuple[str, list[str]]:
    """A scenario's text without the comment of :func:`with_overrides`, and what that lists."""
    before, found, after = text.rpartition(f"\n\n{CHANGED}\n")
    lines = after.splitlines()
    if not found or not all(line.startswith("#   ") for line in lines):
        return text, []
    return before + "\n", [line.removeprefix("#   ") for line in lines]


def as_overrides(given: Iterable[str] | Mapping[str, object], seed: int | None) -> list[str]:
    """Overrides as ``path=value`` strings: of a mapping of paths to values, or as listed; then the seed."""
    if isinstance(given, str):
        given = [given]
    listed = (
        [f"{path}={_toml(value)}" for path, value in given.items()]
        if isinstance(given, Mapping)
        else list(given)
    )
    return listed if seed is None else [*listed, f"seed={seed}"]


def _toml(value: object) -> str:
    """A Python value as the right side of an override."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
