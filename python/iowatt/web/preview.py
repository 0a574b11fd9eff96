"""The first lines of an uploaded text, and which of its columns are recognised: for the form of the rest."""

from __future__ import annotations

import csv
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, get_args

from pydantic import Field

from iowatt.base.results import Result
from iowatt.model.recorded_trace import TraceColumn, TraceFormat

_HEAD_BYTES: Final = 1 << 16
_LINES: Final = 6
_LINE_CHARS: Final = 200
_MOST_COLUMNS: Final = 100
#: Words of headers by the column that they mean, lower case and without a unit.
_WORDS: Final[Mapping[str, str]] = {
    "time": "time timestamp ts when at arrival arrival_time issue_time start_time start date",
    "op": "op rw r_w type kind iotype io_type operation opcode direction command cmd",
    "offset": "offset offset_bytes byte_offset address addr position",
    "lba": "lba lbn blkno sector start_sector offset_sectors block",
    "size": "size bytes length len size_bytes length_bytes io_size nbytes",
    "sectors": "sectors nsectors nr_sectors sector_count bcount size_sectors length_sectors blocks",
    "device": "device dev device_id devno disk disk_number lun asu volume volume_id",
    "stream": "stream stream_id process pid thread tid",
    "response": "response response_time responsetime latency lat",
}
_NEEDED: Final = (("time",), ("op",), ("offset", "lba"), ("size", "sectors"))
_UNIT: Final = re.compile(r"_(s|sec|seconds|ms|us|ns)$")
_NUMBER: Final = re.compile(r"[-+]?[0-9]*\.?[0-9]+(e[-+]?[0-9]+)?", re.IGNORECASE)
_OPS: Final = frozenset({"r", "w", "read", "write", "rd", "wr", "reads", "writes"})


class UploadPreview(Result):
    """An uploaded file before it is read as a trace."""

    path: str  #: Relative to the workspace.
    bytes: int
    lines: list[str]  #: The first ones; none of a file that is no text.
    columns: list[str]  #: Headers of a table; numbers from 0 where it has none.
    headed: bool  #: The first line of the table names its columns.
    #: What is recognised, as keys of `trace` of a workload.
    trace: dict[str, Any]
    needs: list[str]  #: Keys of `trace` that the file does not say.
    formats: list[str] = Field(default_factory=lambda: list(get_args(TraceFormat)))  #: That are known.
    fields: list[str] = Field(
        default_factory=lambda: list(get_args(TraceColumn))
    )  #: Keys of `trace.columns`.


def preview(file: Path, path: str) -> UploadPreview:
    """The preview of a file, which is not read beyond its head. Raises ``OSError``."""
    lines = list(_lines(file))
    size = file.stat().st_size
    shown = [line[:_LINE_CHARS] for line in lines[:_LINES]]
    rows = _rows(lines)
    if not rows:
        return UploadPreview(
            path=path, bytes=size, lines=shown, columns=[], headed=False, trace={}, needs=["format"]
        )
    headed = not any(_NUMBER.fullmatch(cell) for cell in rows[0])
    columns = rows[0] if headed else [str(number) for number in range(len(rows[0]))]
    found = _by_header(columns) if headed else _by_value(rows)
    needs = [] if all(any(one in found for one in either) for either in _NEEDED) else ["columns"]
    time = found.get("time")
    if time is None or not _UNIT.search(_plain(str(time))):
        needs.append("time_unit")
    trace = {"format": "csv", "columns": found} if found else {}
    return UploadPreview(
        path=path, bytes=size, lines=shown, columns=columns, headed=headed, trace=trace, needs=needs
    )


def _lines(file: Path) -> Iterator[str]:
    """Whole lines of the head of a text, unpacked; none of what is no text, nor of packing unknown here."""
    with file.open("rb") as opened:
        head = opened.read(_HEAD_BYTES)
    whole = len(head) < _HEAD_BYTES
    if head.startswith(b"\x1f\x8b"):
        try:
            unpack = zlib.decompressobj(31)
            head = unpack.decompress(head, _HEAD_BYTES)
            whole = unpack.eof
        except zlib.error:
            return
    try:
        text = (head if whole else head[: head.rfind(b"\n") + 1]).decode("utf-8-sig")
    except UnicodeDecodeError:
        return
    if not re.search(r"[\x00-\x08\x0e-\x1f]", text):
        yield from text.splitlines()


def _rows(lines: Sequence[str]) -> list[list[str]]:
    """The first rows of a table with three columns or more; none where the text is no table."""
    lines = [line for line in lines if line.strip() and not line.startswith("#")][:_LINES]
    if not lines:
        return []
    separator = max(",;\t", key=lines[0].count)
    rows = [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=separator)]
    return rows if 3 <= len(rows[0]) <= _MOST_COLUMNS and len({len(row) for row in rows}) == 1 else []


def _plain(header: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", header.lower()).strip("_")


def _by_header(headers: Sequence[str]) -> dict[str, str | int]:
    """Fields of a request by the words of headers; of an address or size that is there twice, the bytes."""
    found: dict[str, str | int] = {}
    for field, words in _WORDS.items():
        known = words.split()
        for header in headers:
            word = _plain(header)
            if header not in found.values() and (word in known or _UNIT.sub("", word) in known):
                found[field] = header
                break
    for bytes_, counted in (("offset", "lba"), ("size", "sectors")):
        if bytes_ in found:
            found.pop(counted, None)
    return found


def _by_value(rows: Sequence[Sequence[str]]) -> dict[str, str | int]:
    """Operation and time of a table without headers, by what stands in its rows."""
    found: dict[str, str | int] = {}
    for number, cells in enumerate(zip(*rows, strict=True)):
        if all(cell.lower() in _OPS for cell in cells):
            found["op"] = number
            break
    if all(_NUMBER.fullmatch(row[0]) for row in rows):
        found["time"] = 0
    return found
