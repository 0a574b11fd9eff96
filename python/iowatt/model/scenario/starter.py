"""The scenario that ``iowatt init`` writes: complete, commented, and running as it is."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Final

from iowatt.base import atomic_path
from iowatt.base.errors import InputError
from iowatt.base.keys import toml_text
from iowatt.model.library import find_drive

EXAMPLES: Final = Path(str(resources.files("iowatt"))) / "examples"
"""The examples inside the package; in a source tree, a link to its ``examples``."""

_TRACE: Final = Path("traces") / "pg_tpcc_paced_excerpt.parquet"

_COUNT: Final = 16
_MOST: Final = 10_000
"""Drives; a trace that reaches farther than these hold has its addresses misread."""

# Keys of a trace spec by what a scenario calls them, where that is another name.
_KEYS: Final = {"sector_bytes": "sector_size", "order_tolerance_s": "order_tolerance"}


@dataclass(frozen=True)
class ReadTrace:
    """A trace that was read: its format, its devices, and bytes that they reach together."""

    format: str
    devices: int
    reached_bytes: int


def starter_text(
    target: Path, trace: Path | None, options: Mapping[str, Any], found: ReadTrace | None = None
) -> str:
    """The text of a scenario to be written to ``target``, that replays ``trace`` or the example trace.

    ``options`` are keys of a trace spec (`iowatt.trace.open.spec`). The array is made large enough for
    ``found``. Raises ``InputError`` where the trace reaches farther than any array of this drive.
    """
    given = example_trace() if trace is None else trace
    directory = target.parent.resolve()
    path = str(given) if given.is_absolute() else os.path.relpath(given.resolve(), directory)
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", target.stem).lstrip("._-") or "scenario"
    template = resources.files("iowatt.model.scenario").joinpath("starter.toml").read_text("utf-8")
    return template.format(
        schema=_schema(directory),
        file=target.name,
        name=toml_text(name),
        trace=toml_text({"path": Path(path).as_posix()} | _keys(options, found)),
        count=_COUNT if found is None else _drives(template, given, found),
    )


def _keys(options: Mapping[str, Any], found: ReadTrace | None) -> dict[str, Any]:
    keys = {_KEYS.get(name, name): value for name, value in options.items()}
    if "order_tolerance" in keys:
        keys["order_tolerance"] = f"{keys['order_tolerance']:g}s"
    if found is not None:
        keys = {"format": found.format} | keys
        if found.devices > 1:
            keys["place"] = "end-to-end"
    return keys


def _drives(template: str, trace: Path, found: ReadTrace) -> int:
    """How many drives in mirrored pairs hold all that the trace reaches: the usual number, or more."""
    (name,) = re.findall(r'^device = "([^"]+)"', template, re.MULTILINE)
    each = find_drive(name).raw_bytes
    reached = found.reached_bytes + (found.devices << 20)  # placed end to end, each begins at a MiB
    count = max(_COUNT, 2 * -(-reached // (each - (1 << 20))))
    if count > _MOST:
        raise InputError(
            "too-large",
            str(trace),
            f"the trace reaches byte {reached:,}, more than {_MOST:,} drives of {name} hold",
            hint="check the sector size and the columns",
        )
    return count


def example_trace() -> Path:
    """The example trace: relative to the current directory in a source tree, absolute in an installation."""
    trace = (EXAMPLES / _TRACE).resolve()
    return Path(os.path.relpath(trace)) if _schema_of_tree() else trace


def copy_examples(target: Path) -> None:
    """Copy the examples, scenarios and traces, into a new folder; ``InputError`` where ``target`` exists."""

    def refuse() -> None:
        if target.exists():
            raise InputError("exists", str(target), "already exists; the examples go into a new folder")

    with atomic_path.folder(target, refuse) as folder:
        shutil.copytree(EXAMPLES, folder, dirs_exist_ok=True)


def _schema(directory: Path) -> str:
    """The schema of the source tree where there is one; else the file that ``iowatt schema -o`` writes."""
    schema = _schema_of_tree()
    return "iowatt.schema.json" if schema is None else Path(os.path.relpath(schema, directory)).as_posix()


def _schema_of_tree() -> Path | None:
    schema = EXAMPLES.resolve().parent / "schema" / "iowatt.schema.json"
    return schema if schema.is_file() else None
