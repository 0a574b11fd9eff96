"""The back-end stream of a simulation as a trace: what the pools were handed, in native columns.

Rows come in batches while the simulation runs and wait in an unnamed file; the Parquet file is written from
it when all went well. So memory does not grow with the run, and a run that fails leaves no trace.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import polars as pl

from iowatt.base import frames
from iowatt.base.errors import InputError
from iowatt.trace.convert import ROW_GROUP_ROWS, SCHEMA, staging

#: What a request is for, by number (``Reason`` in crates/iowatt-sim/src/back_end_log.rs): the column
#: ``stream``. ``host``: a request, or a part of one, as hosts asked for it; ``volume``: what a virtual pool
#: makes of the controller's requests.
PURPOSES: Final = ("host", "fetch", "read-ahead", "fill", "destage", "migration", "volume", "replication")

ROW: Final = np.dtype(
    [
        ("time_ns", "<i8"),
        ("pool", "<u4"),
        ("write", "u1"),
        ("offset", "<u8"),
        ("size", "<u4"),
        ("purpose", "u1"),
    ]
)
BATCH_ROWS: Final = 262_144


class BackEndSpool:
    """Requests to pools, 26 bytes each; a context that writes ``target`` when left without an exception.

    Raises :class:`iowatt.base.errors.InputError` where ``target`` cannot be written: its name does not end in
    .parquet, its folder is not there, or it exists and ``force`` is not given.
    """

    def __init__(self, target: Path, pools: Sequence[str], *, force: bool = False) -> None:
        if target.suffix.lower() not in (".parquet", ".pq"):
            message = "expected a name that ends in .parquet: the back-end stream is saved as Parquet"
            raise InputError("not-accepted", str(target), message)
        self._target, self._pools, self._force = target, list(pools), force
        self._open = ExitStack()
        self.rows = 0

    def __enter__(self) -> BackEndSpool:
        with ExitStack() as stack:
            self._partial = stack.enter_context(staging(self._target, self._force))
            self._file = stack.enter_context(tempfile.TemporaryFile(dir=self._target.parent))
            self._open = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        if raised is not None:
            self._open.__exit__(kind, raised, trace)
            return
        with self._open:
            try:
                frames.lazy(self._frames, SCHEMA).sink_parquet(
                    self._partial, compression="zstd", row_group_size=ROW_GROUP_ROWS
                )
            except (pl.exceptions.PolarsError, OSError) as error:
                raise InputError("unwritable", str(self._target), f"cannot be written ({error})") from None

    def add(self, *columns: npt.NDArray[Any]) -> None:
        """Append columns of equal length, in the order of ``ROW``.

        Raises ``InputError`` where there is no room for them.
        """
        rows = np.empty(len(columns[0]), dtype=ROW)
        for name, column in zip(ROW.names or (), columns, strict=True):
            rows[name] = column
        try:
            self._file.seek(0, 2)
            self._file.write(rows.tobytes())
        except OSError as error:
            raise InputError("unwritable", str(self._target), f"cannot be kept: {error.strerror}") from None
        self.rows += len(rows)

    def _frames(self) -> Iterator[pl.DataFrame]:
        if self.rows == 0:
            yield pl.DataFrame(schema=SCHEMA)
        for first in range(0, self.rows, BATCH_ROWS):
            self._file.seek(first * ROW.itemsize)
            count = min(BATCH_ROWS, self.rows - first)
            yield self._frame(np.frombuffer(self._file.read(count * ROW.itemsize), dtype=ROW))

    def _frame(self, rows: npt.NDArray[Any]) -> pl.DataFrame:
        def column(name: str) -> npt.NDArray[Any]:
            return np.ascontiguousarray(rows[name])

        def named(name: str, names: Sequence[str]) -> pl.Series:
            return pl.Series(names, dtype=pl.Categorical()).gather(column(name).astype(np.uint32))

        return pl.DataFrame(
            {
                "time_ns": column("time_ns"),
                "device": named("pool", self._pools),
                "op": pl.Series(["read", "write"]).gather(column("write").astype(np.uint32)),
                "offset": column("offset"),
                "size": column("size"),
                "response_ns": pl.repeat(None, len(rows), eager=True, dtype=pl.Int64),
                "stream": named("purpose", PURPOSES),
            },
            schema_overrides=SCHEMA,
        )
