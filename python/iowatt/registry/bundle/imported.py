"""How a measured Run was imported: read off the command that its provenance has."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NoReturn

from iowatt.base.errors import InputError
from iowatt.base.units import parse_capacity, parse_duration
from iowatt.registry.bundle.submission import ImportedFrom
from iowatt.run.bundle import Run
from iowatt.sources import meters

RAW: Final = "raw"


class _Words(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise InputError("unsupported", "run.json: provenance.command", f"cannot be done again: {message}")


def imported_from(run: Run, base: Path) -> tuple[ImportedFrom, dict[str, Path]]:
    """What makes a measured Run again, and its raw files by their names in the bundle.

    ``base``: folder that the paths of the command count from. Raises ``InputError``: the Run was not made by
    `iowatt import`, or a raw file is not there or not the one that it was made of.
    """
    origin = run.summary.get("provenance") or {}
    place = f"{run.path}: provenance"
    hint = "import the output of the load generator again, and submit beside it"
    words = shlex.split(origin.get("command") or "")
    if words[:2] != ["iowatt", "import"]:
        text = "the Run was not made by `iowatt import`: there is nothing to make it again from"
        raise InputError("unsupported", place, text, hint=hint)
    given = _parsed(words[2:])
    listed = [base / one["path"] for one in origin.get("inputs", [])]
    if not listed:
        raise InputError("missing", place, "the Run has no raw files", hint=hint)
    top = Path(os.path.commonpath([path.resolve().parent for path in listed]))
    files = {}
    for path in listed:
        if not path.is_file():
            raise InputError("not-found", str(path), "the raw file of the Run is not there", hint=hint)
        files[_name(path, top)] = path
    source = _name(base / given.source, top)
    watts = [_address(text, base, top) for text in given.meter]
    celsius = [_address(text, base, top) for text in given.thermometer]
    return (
        ImportedFrom(
            source=source,
            meters=watts,
            thermometers=celsius,
            name=run.name,
            run=given.run[0] if given.run else None,
            system=given.system,
            interval_s=given.interval and float(parse_duration(given.interval)),
            time_zone=given.time_zone,
            utc_offset=given.utc_offset,
            raw_capacity_bytes=given.raw_capacity and int(parse_capacity(given.raw_capacity)),
        ),
        files,
    )


def _parsed(words: Sequence[str]) -> Any:
    parser = _Words(add_help=False, allow_abbrev=False)
    parser.add_argument("source")
    for name in ("--meter", "--thermometer", "--run"):
        parser.add_argument(name, action="append", default=[])
    for name in ("--interval", "--time-zone", "--utc-offset", "--raw-capacity", "--name"):
        parser.add_argument(name)
    parser.add_argument("--output", "-o")
    parser.add_argument("--system", default="target")
    for name in ("--force", "--json"):
        parser.add_argument(name, action="store_true")
    return parser.parse_args(list(words))


def _name(path: Path, top: Path) -> str:
    try:
        return (Path(RAW) / path.resolve().relative_to(top)).as_posix()
    except ValueError:
        raise InputError("not-found", str(path), "is not among the files that the Run was made of") from None


def _address(text: str, base: Path, top: Path) -> str:
    """An address of a log with its path in the bundle."""
    address, scheme = meters.find(text)
    if scheme.live:
        text = "a live instrument has no log to submit"
        raise InputError("unsupported", address.public, text, hint="record it: `iowatt meter record`")
    return text.replace(address.path, _name(base / address.path, top), 1)
