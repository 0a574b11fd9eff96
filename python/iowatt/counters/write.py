"""A profile's tables as TOML, and the file of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from iowatt.base import atomic_path
from iowatt.base.errors import InputError
from iowatt.base.toml_writer import comment, inline

_INLINE: Final = ("phase", "sizes")  # lists of tables that are rows, and read best as such


def toml(tables: Mapping[str, Any], comments: Sequence[str] = ()) -> str:
    """The TOML of a profile: keys, the table of phases, arrivals, streams, what is missing, sources."""
    lines = [comment(text) for text in comments]
    for key, value in tables.items():
        if key not in ("arrivals", "stream", "missing", "source"):
            lines += _entry(key, value)
    lines += ["", "[arrivals]"]
    for key, value in tables["arrivals"].items():
        lines += _entry(key, value)
    for name in ("stream", "missing", "source"):
        for table in tables.get(name, []):
            lines += ["", f"[[{name}]]"]
            for key, value in table.items():
                lines += _entry(key, value)
    return "\n".join(lines) + "\n"


def write(text: str, target: Path, *, force: bool = False) -> None:
    """Write a profile; whole or not at all.

    Raises
    ------
    InputError
        It exists and ``force`` is not set, or cannot be written.
    """
    check_target(target, force=force)
    with atomic_path.file(target) as made:
        made.write_text(text, "utf-8")


def check_target(target: Path, *, force: bool) -> None:
    """Raise an ``InputError`` where ``target`` is no place for a profile."""
    if target.suffix != ".toml":
        raise InputError("not-accepted", str(target), "expected a name that ends in .toml")
    if target.exists() and not force:
        raise InputError("exists", str(target), "the file exists already", hint="`force=True` replaces it")


def _entry(key: str, value: Any) -> list[str]:
    if (key in _INLINE or key == "notes") and value:
        return [f"{key} = [", *(f"    {_text(row)}," for row in value), "]"]
    return [] if value == [] else [f"{key} = {_text(value)}"]


def _text(value: Any) -> str:
    return inline(value, _number)


def _number(value: float) -> str:
    """Whole numbers without a fraction."""
    whole = isinstance(value, float) and value.is_integer() and abs(value) < 1e15
    return repr(int(value) if whole else value)
