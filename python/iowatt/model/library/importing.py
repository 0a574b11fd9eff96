"""Writing an imported drive: the device file, and beside it the layout file where the layout is irregular."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from iowatt.base import atomic_path
from iowatt.base.errors import InputError
from iowatt.base.toml_writer import inline
from iowatt.model.library.disksim.convert import Imported
from iowatt.model.library.layout import layout_bytes

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
    whole = isinstance(value, float) and value.is_integer() and abs(value) < 1e15
    return str(int(value)) if whole else repr(value)


def written(imported: Imported, comments: Sequence[str] = ()) -> str:
    """The text of the device file; ``comments`` at its head take the place of where it comes from."""
    origin = (
        f"Imported from {imported.path.name} by `iowatt devices import`. "
        "What was read otherwise than DiskSim does, or not used, is under notes."
    )
    return device_toml(imported.tables, comments or [origin])


def write(
    imported: Imported, target: Path, *, force: bool = False, comments: Sequence[str] = ()
) -> list[Path]:
    """Write the device file to ``target``, and its layout file into the same folder; all that was written.

    Raises ``InputError`` where a file is there already and ``force`` is not set, or cannot be written.
    """
    files = {target: written(imported, comments).encode()}
    if imported.indexed is not None:
        files[target.parent / imported.tables["geometry"]["layout"]] = layout_bytes(imported.indexed)
    for path in files:
        if path.exists() and not force:
            raise InputError("exists", str(path), "the file exists already", hint="`force=True` replaces it")
    for path, content in files.items():
        with atomic_path.file(path) as made:
            made.write_bytes(content)
    return list(files)
