"""A tree as TOML that a person would write: tables with headers, small tables in lists on one line each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from iowatt.base.toml_writer import inline, key

_WIDTH: Final = 100


def tree_as_toml(tree: Mapping[str, Any]) -> str:
    """The tree as a TOML document. Its values are texts, numbers, truth values, lists and tables."""
    lines = list(_table(tree, ()))
    return "\n".join(lines[1:] if lines and not lines[0] else lines) + "\n"


def _table(table: Mapping[str, Any], above: tuple[str, ...]) -> Iterator[str]:
    """The keys of a table, then the tables in it."""
    nested = {name: part for name, part in table.items() if _is_nested(part)}
    for name, part in table.items():
        if name not in nested:
            yield f"{key(name)} = {inline(part)}"
    for name, part in nested.items():
        path = (*above, key(name))
        if isinstance(part, Mapping):
            if not part or any(not _is_nested(one) for one in part.values()):
                yield from ("", f"[{'.'.join(path)}]")
            yield from _table(part, path)
        else:
            for one in part:
                yield from ("", f"[[{'.'.join(path)}]]")
                yield from _element(one)


def _element(table: Mapping[str, Any]) -> Iterator[str]:
    """The keys of a table in a list of tables; what is nested in it stays with it."""
    for name, part in table.items():
        line = f"{key(name)} = {inline(part)}"
        if isinstance(part, list) and part and (_is_tables(part) or len(line) > _WIDTH):
            yield f"{key(name)} = ["
            yield from (f"    {inline(one)}," for one in part)
            yield "]"
        else:
            yield line


def _is_nested(value: Any) -> bool:
    return isinstance(value, Mapping) or _is_tables(value)


def _is_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(part, Mapping) for part in value)
