"""Idle periods before they are in a bundle: too many for memory, so they are kept in an unnamed file."""

from __future__ import annotations

import tempfile
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import polars as pl

from iowatt.base import frames
from iowatt.base.errors import InputError
from iowatt.run.tables import IDLE

ROW: Final = np.dtype([("drive", "<u4"), ("start_ns", "<u8"), ("length_ns", "<u8"), ("cut", "?")])
BATCH_ROWS: Final = 262_144


class IdleSpool:
    """Rows of the table ``idle``, 21 bytes each, in the order in which they are added.

    The file has no name: it vanishes with the object, or with the process.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - closed with the object
        self._closed = weakref.finalize(self, self._file.close)
        self.rows = 0

    def add(
        self,
        drive: npt.NDArray[np.uint32],
        start_ns: npt.NDArray[np.uint64],
        length_ns: npt.NDArray[np.uint64],
        cut: npt.NDArray[np.bool_],
    ) -> None:
        """Append columns of equal length.

        Raises ``InputError`` where there is no room for them.
        """
        rows = np.empty(len(drive), dtype=ROW)
        for name, column in zip(ROW.names or (), (drive, start_ns, length_ns, cut), strict=True):
            rows[name] = column
        try:
            self._file.seek(0, 2)
            self._file.write(rows.tobytes())
        except OSError as error:
            raise InputError(
                "unwritable", "observe.idle", f"the idle periods cannot be kept: {error.strerror}"
            ) from None
        self.rows += len(rows)

    def scan(self) -> pl.LazyFrame:
        """The table."""
        return frames.lazy(self._frames, IDLE)

    def _frames(self) -> Iterator[pl.DataFrame]:
        for first in range(0, self.rows, BATCH_ROWS):
            self._file.seek(first * ROW.itemsize)
            count = min(BATCH_ROWS, self.rows - first)
            yield _frame(np.frombuffer(self._file.read(count * ROW.itemsize), dtype=ROW))


def _frame(rows: npt.NDArray[Any]) -> pl.DataFrame:
    return pl.DataFrame({name: np.ascontiguousarray(rows[name]) for name in IDLE}, schema=IDLE)
