"""Values as TOML text: what everything that writes TOML files is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any


def inline(value: Any, number: Callable[[float], str] = repr) -> str:
    """A value on one line: strings, truth values, lists and tables; ``number`` writes its numbers."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return number(value)
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, Mapping):
        pairs = (f"{key(name)} = {inline(part, number)}" for name, part in value.items())
        return "{ " + ", ".join(pairs) + " }"
    if isinstance(value, Iterable):
        return "[" + ", ".join(inline(part, number) for part in value) + "]"
    return str(value)


def quoted(text: str) -> str:
    """A basic string: control characters escaped, halves of surrogate pairs replaced."""
    return '"' + "".join(map(_escaped, text)) + '"'


def key(name: str) -> str:
    """A key, bare where TOML allows it."""
    return name if name and all(c.isascii() and (c.isalnum() or c in "_-") for c in name) else quoted(name)


def comment(text: str) -> str:
    """A comment of one line."""
    return f"# {''.join(c if c.isprintable() else '?' for c in text)}"


def toml_document(tables: Mapping[str, Any], comments: Iterable[str] = ()) -> str:
    """A document: its keys, then tables (``[name]``) and lists of tables (``[[name]]``), two levels deep."""
    lines = [*map(comment, comments), *_pairs(_plain(tables))]
    for name, table in _nested(tables):
        if not isinstance(table, Mapping):
            lines += _table(name, table)
            continue
        if plain := _plain(table):
            lines += _table(name, plain)
        for inner, part in _nested(table):
            lines += _table(f"{name}.{inner}", part)
    return "\n".join(lines) + "\n"


def _table(name: str, tables: Mapping[str, Any] | list[Mapping[str, Any]]) -> list[str]:
    if isinstance(tables, Mapping):
        return ["", f"[{name}]", *_pairs(tables)]
    return [line for table in tables for line in ("", f"[[{name}]]", *_pairs(table))]


def _pairs(table: Mapping[str, Any]) -> list[str]:
    return [f"{key(name)} = {inline(value)}" for name, value in table.items()]


def _plain(table: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in table.items() if not _is_tables(value)}


def _nested(table: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return [(name, value) for name, value in table.items() if _is_tables(value)]


def _is_tables(value: Any) -> bool:
    if isinstance(value, Mapping):
        return True
    return isinstance(value, list) and bool(value) and all(isinstance(part, Mapping) for part in value)


def _escaped(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character < " " or character == "\x7f":
        return f"\\u{ord(character):04x}"
    return "\N{REPLACEMENT CHARACTER}" if "\ud800" <= character <= "\udfff" else character
