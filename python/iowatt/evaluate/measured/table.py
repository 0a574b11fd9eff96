"""Tables of measured cells (CSV): a row for each cell, its work and its figures by columns.

Needed are ``op``, ``size``, ``depth``, ``processes`` and ``iops``; times are completion times in us.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from iowatt.base import input_file
from iowatt.base.errors import InputError
from iowatt.evaluate.measured import act
from iowatt.evaluate.measured.cell import SHARES, Cell, Measured
from iowatt.evaluate.measured.fio_json import KINDS, bytes_of

NEEDED: Final = ("op", "size", "depth", "processes", "iops")
_KNOWN: Final = (
    *NEEDED, "name", "rate_per_s", "duration_s", "span", "mean_us", *(f"{name}_us" for name in SHARES),
    "watts",
)  # fmt: skip
_NUMBER: Final = re.compile(
    r"[+-]?[0-9]{1,30}(?:\.[0-9]{0,30})?(?:e[+-]?[0-9]{1,3})?", re.ASCII | re.IGNORECASE
)
_MOST_ROWS: Final = 100_000


def read(path: Path) -> list[Measured]:
    """The cells of a table. Raises ``InputError`` with the line and the column."""
    text = input_file.text(path, "a table of measured cells").removeprefix("\ufeff")
    reader = csv.reader(io.StringIO(text))
    try:
        lines = [(reader.line_num, cells) for cells in reader if any(cell.strip() for cell in cells)]
    except csv.Error as error:
        raise InputError(
            "wrong-format", f"{path}:{reader.line_num}", f"not delimited text: {error}"
        ) from None
    if len(lines) < 2:
        raise InputError("empty", str(path), "the table has no rows")
    if len(lines) > _MOST_ROWS:
        raise InputError("too-large", str(path), f"more than {_MOST_ROWS:,} rows")
    names = [name.strip() for name in lines[0][1]]
    rows = []
    for line, cells in lines[1:]:
        if len(cells) != len(names):
            message = (
                f"{len(cells)} cells where the head has {len(names)}: the row was cut, or has a comma more"
            )
            raise InputError("damaged", f"{path}:{line}", message)
        rows.append((line, dict(zip(names, (cell.strip() for cell in cells), strict=True))))
    if set(act.COLUMNS) <= set(names):
        return act.read_table(rows, path)
    missing = [name for name in NEEDED if name not in names]
    if missing:
        accepted = f"a table of cells has {', '.join(NEEDED)}; one of ACT {', '.join(act.COLUMNS)}"
        raise InputError("wrong-format", f"{path}:1", f"no column {missing[0]}; {accepted}")
    unknown = [name for name in names if name not in _KNOWN]
    if unknown:
        raise InputError("unknown-key", f"{path}:1: {unknown[0][:40]}", f"accepted are {', '.join(_KNOWN)}")
    return [_cell(row, f"{path}:{line}") for line, row in rows]


def is_table(head: str) -> bool:
    """Whether a first line is that of a table of cells, or of ACT's counts."""
    names = {name.strip() for name in head.removeprefix("\ufeff").split(",")}
    return {"op", "iops"} <= names or {"kind", "reads_per_s"} <= names


def _cell(row: Mapping[str, str], where: str) -> Measured:
    if row["op"] not in KINDS:
        raise InputError("not-accepted", f"{where}: op", f"{row['op'][:40]!r}; expected {', '.join(KINDS)}")
    op, pattern = KINDS[row["op"]]
    if op == "mixed":
        message = "a row has one set of times; of a mix, reads and writes have their own: give fio's JSON"
        raise InputError("unsupported", f"{where}: op", message)
    size = bytes_of(row["size"])
    if not size:
        raise InputError("bad-syntax", f"{where}: size", f"{row['size'][:40]!r} is not a size such as 4k")
    span = None
    if row.get("span"):
        span = bytes_of(row["span"])
        if not span or span < size:
            message = f"{row['span'][:40]!r} is not a size such as 4g, of one request at least"
            raise InputError("bad-syntax", f"{where}: span", message)
    depth, processes = (_number(row, name, where, least=1.0) for name in ("depth", "processes"))
    iops = _number(row, "iops", where)
    if depth is None or processes is None or not iops or depth % 1 or processes % 1:
        raise InputError("bad-syntax", where, "depth and processes are whole numbers, and iops is above 0")
    mean = _number(row, "mean_us", where)
    shares = {
        share: value / 1e6
        for name, share in SHARES.items()
        if (value := _number(row, f"{name}_us", where)) is not None
    }
    duration = _number(row, "duration_s", where)
    kind = f"{'' if pattern == 'random' else 'sequential '}{op}s"
    given = row.get("name") or f"{kind} {row['size']} x {int(depth)} x {int(processes)}"
    mean_s = None if mean is None else mean / 1e6
    return Measured(
        cell=Cell(
            name=given,
            op=op,
            read_share=float(op == "read"),
            pattern=pattern,
            size_bytes=size,
            depth=int(depth),
            processes=int(processes),
            rate_per_s=_number(row, "rate_per_s", where),
            duration_s=duration,
            span_bytes=span,
            source=where,
        ),
        iops=iops,
        mean_s=mean_s,
        reads=shares if op == "read" else {},
        writes=shares if op == "write" else {},
        read_mean_s=mean_s if op == "read" else None,
        write_mean_s=mean_s if op == "write" else None,
        watts=_number(row, "watts", where),
        samples=round(iops * duration) if duration else 0,
    )


def _number(row: Mapping[str, str], name: str, where: str, least: float = 0.0) -> float | None:
    text = row.get(name, "")
    if not text:
        return None
    if not _NUMBER.fullmatch(text):
        raise InputError("bad-syntax", f"{where}: {name}", f"{text[:40]!r} is not a number")
    value = float(text)
    if not math.isfinite(value) or not least <= value <= 1e12:
        raise InputError("out-of-range", f"{where}: {name}", f"{text[:40]} is not from {least:g} to 1e12")
    return value
