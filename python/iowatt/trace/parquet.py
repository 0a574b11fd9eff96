"""Parquet traces, read in bounded memory: Polars decodes a slice of rows, NumPy arrays go out in batches.

Slices of 262,144 rows rather than Polars' own streaming of batches: the row numbers of errors are exact, no
background thread reads ahead of a slow simulation, and nothing is left running when the reader stops early.
Memory is one slice plus what Parquet itself demands, the compressed columns of one row group; a file written
as a single huge row group therefore costs about its own size, and ``iowatt trace convert`` mends that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NoReturn

import numpy as np
import polars as pl

from iowatt.base.errors import InputError
from iowatt.base.parquet import ERRORS, MAGIC, scan
from iowatt.trace import shared
from iowatt.trace.columns import TraceLayout, recognise
from iowatt.trace.decode import NameCodes, addresses, ops, responses, sizes, times
from iowatt.trace.shared import Slice, Slices

SLICE_ROWS: Final = 262_144

Batch = dict[str, Any]


def batches(
    path: str | Path,
    *,
    rows: int = 65_536,
    columns: Mapping[str, str] | None = None,
    time_unit: str | None = None,
    sector_bytes: int | None = None,
) -> ParquetBatches:
    """Open a Parquet trace for reading by batches of at most ``rows`` requests.

    Raises ``InputError``: the file is missing, is not Parquet, is truncated, is empty or lacks a column.
    """
    file = Path(path)
    _refuse_unreadable(file)
    asked = (columns, time_unit, sector_bytes)
    stat = file.stat()
    named = tuple(sorted((columns or {}).items()))
    key = (file.resolve(), stat.st_size, stat.st_mtime_ns, named, time_unit, sector_bytes)
    trace = shared.opened(key, lambda: _opened(file, *asked))
    kept = shared.slices(key, trace.total, lambda: ParquetBatches(trace, rows).decode_next)
    return ParquetBatches(trace, rows, kept)


def is_parquet(path: Path) -> bool:
    """Whether the file says by its name or by its first bytes that it is Parquet."""
    if path.suffix.lower() in (".parquet", ".pq"):
        return True
    if not path.is_file():  # what is read of a pipe is gone
        return False
    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


@dataclass(frozen=True)
class ParquetTrace:
    """A file whose directory has been read: the columns that a trace has, row by row."""

    path: Path
    rows: pl.LazyFrame
    #: Number of rows.
    total: int
    layout: TraceLayout


def _opened(
    path: Path, columns: Mapping[str, str] | None, time_unit: str | None, sector_bytes: int | None
) -> ParquetTrace:
    try:
        frame = scan(path)
        headers, total = frame.collect_schema().names(), int(frame.select(pl.len()).collect().item())
    except ERRORS as error:
        _undecodable(path, error)
    if total == 0:
        raise InputError("empty", str(path), "the trace is empty: it has no rows")
    layout = recognise(
        headers, where=str(path), columns=columns, time_unit=time_unit, sector_bytes=sector_bytes
    )
    return ParquetTrace(path, frame.select(layout.names), total, layout)


class ParquetBatches(Iterator[Batch]):
    """The requests of a Parquet file as dicts of arrays, in file order.

    Each dict has ``time_ns`` int64, ``device`` uint32, ``op`` uint8 (0 read, 1 write, 2 trim, 3 flush),
    ``offset`` uint64 (bytes), ``size`` uint32 (bytes), ``response_ns`` int64 (-1 where not known) and
    ``stream`` uint32 (2**32 - 1 where there is none). Device and stream index `devices` and `streams`, which
    the dicts bring along as lists (``devices``, ``streams``) whenever they may have grown.

    Raises ``InputError`` on iteration, with file and row (from 1): a null, NaN or negative time, an unknown
    operation, a negative address or size, a number that does not fit, a page that does not decode.
    """

    def __init__(self, trace: ParquetTrace, rows: int, kept: Slices | None = None) -> None:
        if rows < 1:
            raise ValueError("a batch needs at least one row")
        self._trace = trace
        self._rows = rows
        self._kept = kept
        self._slice_start = 0
        self._next_slice = 0
        self._given = 0
        # A trace without a device column has one device without a name.
        self._devices = NameCodes([] if trace.layout.device else ["0"])
        self._streams = NameCodes([])
        self._pending = Slice({}, self._devices.names.copy(), [])

    @property
    def devices(self) -> list[str]:
        """Names of the devices seen so far."""
        return self._pending.devices

    @property
    def streams(self) -> list[str]:
        """Names of the streams seen so far."""
        return self._pending.streams

    @property
    def progress(self) -> float:
        """Fraction of the rows handed out so far, 0 to 1."""
        return self._given / self._trace.total

    def reopened(self) -> ParquetBatches:
        """The same rows from their beginning."""
        return ParquetBatches(self._trace, self._rows, self._kept)

    def __iter__(self) -> ParquetBatches:
        return self

    def __next__(self) -> Batch:
        start = self._given - self._slice_start
        columns = self._pending.columns
        if not columns or start >= len(columns["time_ns"]):
            if self._next_slice >= self._trace.total:
                self._pending = self._pending._replace(columns={})
                raise StopIteration
            self._slice_start = self._next_slice
            if self._kept is None:
                self._pending = self.decode_next()
            else:
                self._pending = self._kept.at(self._next_slice // SLICE_ROWS)
                self._next_slice += SLICE_ROWS
            columns, start = self._pending.columns, 0
        batch: Batch = {name: array[start : start + self._rows] for name, array in columns.items()}
        if start == 0:
            batch |= {"devices": self.devices.copy(), "streams": self.streams.copy()}
        self._given += len(batch["time_ns"])
        return batch

    def decode_next(self) -> Slice:
        """The next ``SLICE_ROWS`` rows, decoded; not to be mixed with iterating."""
        self._slice_start = self._next_slice
        columns = self._decode(self._read_slice())
        self._next_slice += SLICE_ROWS
        return Slice(columns, self._devices.names.copy(), self._streams.names.copy())

    def _read_slice(self) -> pl.DataFrame:
        expected = min(SLICE_ROWS, self._trace.total - self._next_slice)
        try:
            frame = self._trace.rows.slice(self._next_slice, expected).collect()
        except ERRORS as error:
            _undecodable(self._trace.path, error)
        if frame.height != expected:
            message = f"the file says it has {self._trace.total} rows, but holds fewer"
            raise InputError(
                "damaged", f"{self._trace.path}: row {self._next_slice + frame.height + 1}", message
            )
        return frame

    def _decode(self, frame: pl.DataFrame) -> dict[str, np.ndarray]:
        layout, first, where = self._trace.layout, self._slice_start + 1, str(self._trace.path)

        def column(name: str) -> pl.Series:
            return frame.get_column(name)

        nothing = np.zeros(frame.height, dtype=np.uint32)
        return {
            "time_ns": times(column(layout.time.name), layout.time.unit, where, first),
            "device": (
                self._devices.codes(column(layout.device.name), where, first) if layout.device else nothing
            ),
            "op": ops(column(layout.op.name), where, first),
            "offset": addresses(column(layout.offset.name), layout.offset.unit, where, first),
            "size": sizes(column(layout.size.name), layout.size.unit, where, first),
            "response_ns": (
                responses(column(layout.response.name), layout.response.unit, where, first)
                if layout.response
                else np.full(frame.height, -1, dtype=np.int64)
            ),
            "stream": (
                self._streams.codes(column(layout.stream.name), where, first, nullable=True)
                if layout.stream
                else ~nothing
            ),
        }


def _undecodable(path: Path, error: BaseException) -> NoReturn:
    reason = str(error).splitlines()[0] if str(error) else type(error).__name__
    message = f"the file does not decode as Parquet ({reason})"
    hint = "it may be damaged or cut short: copy it again, or write it again with its own tool"
    raise InputError("damaged", str(path), message, hint=hint) from None


def _refuse_unreadable(path: Path) -> None:
    """Refuse, in plain words, files that Polars cannot open."""
    if str(path) == "-":
        message = "Parquet cannot be read from standard input: its directory is at its end"
        raise InputError("unsupported", "-", message, hint="give a file name")
    try:
        with path.open("rb") as file:
            head = file.read(len(MAGIC))
            length = file.seek(0, 2)
            file.seek(max(0, length - len(MAGIC)))
            tail = file.read(len(MAGIC))
    except FileNotFoundError:
        raise InputError("not-found", str(path), "no such file") from None
    except IsADirectoryError:
        raise InputError("wrong-kind", str(path), "this is a directory; expected a Parquet file") from None
    except OSError as error:
        raise InputError(
            "unreadable", str(path), f"the file cannot be read ({error.strerror or error})"
        ) from None
    if head != MAGIC:
        if length == 0:
            raise InputError("empty", str(path), "the file is empty")
        message = "this is not a Parquet file: it does not begin with PAR1"
        hint = "name the format of a text trace: `format=csv`"
        raise InputError("wrong-format", str(path), message, hint=hint)
    if length < 2 * len(MAGIC) or tail != MAGIC:
        message = "the Parquet file is truncated: it begins with PAR1 but does not end with it"
        raise InputError("damaged", str(path), message, hint="copy it again in full")
