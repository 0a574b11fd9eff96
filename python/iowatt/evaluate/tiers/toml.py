"""A scenario's tables as TOML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from iowatt.base.toml_writer import comment, inline
from iowatt.base.toml_writer import key as bare


def toml_document(tables: Mapping[str, Any], comments: Sequence[str] = ()) -> str:
    """A scenario: its own keys, then its tables and each part of its lists of tables."""
    lines = [comment(text) for text in comments]
    plain = {key: value for key, value in tables.items() if not _is_tables(value)}
    lines += [f"{bare(key)} = {inline(value)}" for key, value in plain.items()]
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
                    *(f"{bare(name)} = {inline(given)}" for name, given in part.items()),
                ]
    return "\n".join(lines) + "\n"


def _table(name: str, table: Mapping[str, Any]) -> list[str]:
    """A table of which lists of tables, and tables, are tables of their own."""
    plain = {key: value for key, value in table.items() if not _is_tables(value)}
    lines = (
        ["", f"[{name}]", *(f"{bare(key)} = {inline(value)}" for key, value in plain.items())]
        if plain
        else []
    )
    for key, value in table.items():
        if key in plain:
            continue
        if isinstance(value, Mapping):
            lines += ["", f"[{name}.{key}]", *(f"{bare(k)} = {inline(v)}" for k, v in value.items())]
            continue
        for part in value:
            lines += ["", f"[[{name}.{key}]]", *(f"{bare(k)} = {inline(v)}" for k, v in part.items())]
    return lines


def _is_tables(value: Any) -> bool:
    if isinstance(value, Mapping):
        return True
    return isinstance(value, list) and bool(value) and all(isinstance(part, Mapping) for part in value)
