"""A scenario's tables as TOML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def inline(value: Any) -> str:
    """A value on one line."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        return '"' + "".join(map(_escaped, value)) + '"'
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(key)} = {inline(part)}" for key, part in value.items()) + " }"
    return "[" + ", ".join(inline(part) for part in value) + "]"


def document(tables: Mapping[str, Any], comments: Sequence[str] = ()) -> str:
    """A scenario: its own keys, then its tables and each part of its lists of tables."""
    lines = [f"# {''.join(c if c.isprintable() else '?' for c in comment)}" for comment in comments]
    plain = {key: value for key, value in tables.items() if not _is_tables(value)}
    lines += [f"{_key(key)} = {inline(value)}" for key, value in plain.items()]
    for key, value in tables.items():
        if key in plain:
            continue
        if isinstance(value, Mapping):
            lines += _table(key, value)
        else:
            for part in value:
                lines += [
                    "",
                    f"[[{key}]]",
                    *(f"{_key(name)} = {inline(given)}" for name, given in part.items()),
                ]
    return "\n".join(lines) + "\n"


def _table(name: str, table: Mapping[str, Any]) -> list[str]:
    """A table of which lists of tables, and tables, are tables of their own."""
    plain = {key: value for key, value in table.items() if not _is_tables(value)}
    lines = (
        ["", f"[{name}]", *(f"{_key(key)} = {inline(value)}" for key, value in plain.items())]
        if plain
        else []
    )
    for key, value in table.items():
        if key in plain:
            continue
        if isinstance(value, Mapping):
            lines += ["", f"[{name}.{key}]", *(f"{_key(k)} = {inline(v)}" for k, v in value.items())]
            continue
        for part in value:
            lines += ["", f"[[{name}.{key}]]", *(f"{_key(k)} = {inline(v)}" for k, v in part.items())]
    return lines


def _is_tables(value: Any) -> bool:
    if isinstance(value, Mapping):
        return True
    return isinstance(value, list) and bool(value) and all(isinstance(part, Mapping) for part in value)


def _key(name: str) -> str:
    return name if name and all(c.isascii() and (c.isalnum() or c in "_-") for c in name) else inline(name)


def _escaped(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character < " " or character == "\x7f":
        return f"\\u{ord(character):04x}"
    return character
