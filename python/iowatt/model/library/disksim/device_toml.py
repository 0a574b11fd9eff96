"""The TOML of an imported device file."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import Any, Final

from iowatt.base.toml_writer import inline

_WIDTH: Final = 116


def device_toml(tables: dict[str, Any], comments: Sequence[str] = ()) -> str:
    """The TOML of ``tables`` under ``comments``: keys first, then tables, then lists of tables."""
    lines = [f"# {line}" for text in comments for line in textwrap.wrap(text, _WIDTH)]
    plain = {key: value for key, value in tables.items() if not _is_table(value)}
    for key, value in plain.items():
        lines += _entry(key, value)
    for key, value in tables.items():
        if isinstance(value, dict):
            lines += ["", f"[{key}]"]
            for inner, figure in value.items():
                lines += _entry(inner, figure)
        elif _is_table(value):
            for item in value:
                lines += ["", f"[[{key}]]"]
                for inner, figure in item.items():
                    lines += _entry(inner, figure)
    return "\n".join(lines) + "\n"


def _is_table(value: Any) -> bool:
    return isinstance(value, dict) or (
        isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)
    )


def _entry(key: str, value: Any) -> Iterator[str]:
    line = f"{key} = {inline(value, _number)}"
    if not isinstance(value, list) or len(line) <= _WIDTH:
        yield line
        return
    yield f"{key} = ["
    if any(isinstance(item, dict | str) for item in value):
        yield from (part for item in value for part in _wrapped(inline(item, _number)))
    else:
        row = "   "
        for item in value:
            text = f" {inline(item, _number)},"
            if len(row) + len(text) > _WIDTH and row.strip():
                yield row
                row = "   "
            row += text
        yield row
    yield "]"


def _wrapped(text: str) -> Iterator[str]:
    """One item of a list; TOML's inline tables may not be broken but inside their lists."""
    if not text.startswith("{") or len(text) < _WIDTH or "slips = [" not in text:
        yield f"    {text},"
        return
    before, slips, after = text.partition("slips = [")
    numbers, bracket, rest = after.partition("]")
    yield f"    {before}{slips}"
    yield from textwrap.wrap(numbers, _WIDTH, initial_indent=" " * 8, subsequent_indent=" " * 8)
    yield f"    {bracket}{rest},"


def _number(value: float) -> str:
    """Whole numbers without a point."""
    integral = isinstance(value, float) and value.is_integer() and abs(value) < 1e15
    return str(int(value)) if integral else repr(value)
