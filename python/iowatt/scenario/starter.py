"""The scenario that ``iowatt init`` writes: complete, commented, and running as it is."""

from __future__ import annotations

import os
import re
from importlib import resources
from pathlib import Path
from typing import Final

from iowatt.errors import InputError
from iowatt.scenario.keys import toml_text

_TREE: Final = Path(__file__).resolve().parents[3]
EXAMPLE_TRACE: Final = Path("examples") / "traces" / "pg_tpcc_paced_excerpt.parquet"


def starter(target: Path, trace: Path | None) -> str:
    """The text of a scenario to be written to ``target``.

    Parameters
    ----------
    trace:
        The trace to replay; left out, the example trace of the source tree.

    Raises
    ------
    InputError
        Where the trace does not exist.
    """
    given = example_trace() if trace is None else trace
    if not given.is_file():
        raise InputError("there is no such trace file", where=str(given))
    directory = target.parent.resolve()
    path = str(given) if given.is_absolute() else os.path.relpath(given.resolve(), directory)
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", target.stem).lstrip("._-") or "scenario"
    template = resources.files("iowatt.scenario").joinpath("starter.toml").read_text("utf-8")
    return template.format(
        schema=_schema(directory),
        file=target.name,
        name=toml_text(name),
        trace=toml_text(Path(path).as_posix()),
    )


def example_trace() -> Path:
    """The example trace of the source tree that this package runs from, relative to the current directory."""
    if (_TREE / EXAMPLE_TRACE).is_file():
        return Path(os.path.relpath(_TREE / EXAMPLE_TRACE))
    raise InputError(
        "this installation has no example trace", hint="name a trace of your own: iowatt init --trace FILE"
    )


def _schema(directory: Path) -> str:
    """The schema of the source tree where there is one; else the file that ``iowatt schema -o`` writes."""
    schema = _TREE / "schema" / "iowatt.schema.json"
    return Path(os.path.relpath(schema, directory)).as_posix() if schema.is_file() else "iowatt.schema.json"
