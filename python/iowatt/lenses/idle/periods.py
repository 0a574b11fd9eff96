"""The idle periods of a Run, read in batches and checked, whoever wrote the table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
import polars as pl

from iowatt.base.errors import InputError
from iowatt.base.parquet import ERRORS
from iowatt.run.tables import IDLE, IDLE_SHORT

if TYPE_CHECKING:
    from iowatt.run.bundle import Run

BATCH_ROWS: Final = 262_144
NS_PER_S: Final = 1e9
#: Window edges are seconds in floating point.
EDGE_NS: Final = 1_000

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class PeriodBatch:
    """Columns of equal length, each drive's periods in order of time.

    ``drive`` indexes the devices, ``length_ns`` is above 0, ``cut`` says that a period is not known whole.
    """

    drive: npt.NDArray[np.int64]
    length_ns: npt.NDArray[np.int64]
    cut: npt.NDArray[np.bool_]

    @property
    def length_s(self) -> Floats:
        """Lengths in seconds."""
        return self.length_ns / NS_PER_S

    def whole(self) -> PeriodBatch:
        """Those that are known whole."""
        kept = ~self.cut
        return PeriodBatch(self.drive[kept], self.length_ns[kept], self.cut[kept])

    @cached_property
    def by_drive(self) -> list[tuple[int, npt.NDArray[np.uint64]]]:
        """Drives that have periods here, each with their lengths in ns, in order of time."""
        if len(self.drive) == 0:
            return []
        order = np.argsort(self.drive, kind="stable")
        drive, length = self.drive[order], self.length_ns[order].astype(np.uint64)
        edges = np.flatnonzero(np.diff(drive)) + 1
        first = drive[np.concatenate(([0], edges))]
        return list(zip(first.tolist(), np.split(length, edges), strict=True))


@dataclass(frozen=True)
class ShortPeriods:
    """Periods that a Run only counts, by drive and length: columns of equal length, one row a bin.

    All of them are known whole, and shorter than any that is known whole and has a row of its own.
    """

    drive: npt.NDArray[np.int64]
    count: npt.NDArray[np.int64]
    sum_ns: npt.NDArray[np.int64]
    #: No period here is longer.
    longest_ns: int

    @property
    def mean_ns(self) -> npt.NDArray[np.int64]:
        """Mean length of each bin, used for all periods in it."""
        return np.maximum(1, np.rint(self.sum_ns / np.maximum(1, self.count))).astype(np.int64)

    @property
    def periods(self) -> int:
        """How many there are."""
        return int(self.count.sum())

    def idle_s(self, drives: int) -> Floats:
        """Seconds in them, by drive."""
        return np.bincount(self.drive, weights=self.sum_ns / NS_PER_S, minlength=drives).astype(np.float64)


class Periods:
    """The table ``idle`` of a Run, and ``idle_short`` if it has one.

    Raises
    ------
    InputError
        Where the Run has no such table (naming the key that asks for it), or it is not what
        docs/reference/run.md says; while reading, with the row (from 1) that is wrong.
    """

    def __init__(self, run: Run) -> None:
        self.where = str(run.path / "idle.parquet") if run.path else f"{run.name}: idle"
        self.devices: list[str] = [device["name"] for device in run.summary["devices"]]
        window = run.summary["window"]
        self.start_ns = round(window["start_s"] * NS_PER_S)
        self.end_ns = round(window["end_s"] * NS_PER_S)
        self._run = run
        self._short_where = str(run.path / "idle_short.parquet") if run.path else f"{run.name}: idle_short"
        self._frame = run.scan("idle")
        self._check_columns()

    @property
    def duration_s(self) -> float:
        """Length of the window in s."""
        return float(self.end_ns - self.start_ns) / NS_PER_S

    def batches(self) -> Iterator[PeriodBatch]:
        """The periods, from the beginning each time it is called."""
        ends = np.full(len(self.devices), self.start_ns - EDGE_NS, dtype=np.int64)
        row = 0
        while True:
            frame = self._read(row)
            if frame.height == 0:
                return
            yield self._checked(frame, row, ends)
            row += frame.height

    @cached_property
    def short(self) -> ShortPeriods:
        """The periods that are only counted; none where every one is a row."""
        nothing = pl.DataFrame(schema=IDLE_SHORT)
        table = self._run.table("idle_short") if self._run.has("idle_short") else nothing
        missing = [name for name in IDLE_SHORT if name not in table.columns]
        if missing or (table["drive"].cast(pl.Int64).to_numpy().max(initial=-1) >= len(self.devices)):
            raise InputError(
                "damaged", self._short_where, "is not the table of counted idle periods of this Run"
            )
        drive, count, sums = (table[name].cast(pl.Int64).to_numpy() for name in ("drive", "count", "sum_ns"))
        longest = int(table["high_ns"].cast(pl.Int64).to_numpy().max(initial=0))
        return ShortPeriods(drive, count, sums, longest)

    def _check_columns(self) -> None:
        try:
            schema = self._frame.collect_schema()
        except ERRORS as error:
            raise self._unreadable(error) from None
        missing = [name for name in IDLE if name not in schema]
        if missing:
            raise InputError(
                "damaged",
                self.where,
                f"lacks the columns {', '.join(missing)}; a table of idle periods has {', '.join(IDLE)}",
            )
        for name in IDLE:
            kind = schema[name]
            right = kind == pl.Boolean if name == "cut" else kind.is_integer()
            if not right:
                wanted = "true or false" if name == "cut" else "whole numbers"
                raise InputError("damaged", f"{self.where}: {name}", f"holds {kind}; expected {wanted}")

    def _read(self, row: int) -> pl.DataFrame:
        try:
            return self._frame.select(*IDLE).slice(row, BATCH_ROWS).collect()
        except ERRORS as error:
            raise self._unreadable(error) from None

    def _unreadable(self, error: BaseException) -> InputError:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        return InputError(
            "damaged", self.where, f"cannot be read as Parquet ({reason})", hint="run the scenario again"
        )

    def _checked(self, frame: pl.DataFrame, first: int, ends: npt.NDArray[np.int64]) -> PeriodBatch:
        """The batch that begins with row ``first`` (from 0); ``ends`` are the drives' last ends so far."""
        most = np.iinfo(np.int64).max // 2
        numbers = ["drive", "start_ns", "length_ns"]
        for name in IDLE:
            column = pl.col(name)
            bad = column.is_null() | ((column < 0) | (column > most) if name in numbers else False)
            wrong = frame.select(bad).to_series().to_numpy()
            self._refuse(wrong, first, name, "the value is missing, negative or too large")
        drive, start, length = (frame[name].cast(pl.Int64).to_numpy() for name in numbers)
        known = len(self.devices)
        self._refuse(
            drive >= known, first, "drive", f"there is no such drive; the Run has {known}, numbered from 0"
        )
        self._refuse(length == 0, first, "length_ns", "the period has a length of 0; expected more")
        outside = (start < self.start_ns - EDGE_NS) | (start + length > self.end_ns + EDGE_NS)
        self._refuse(outside, first, "start_ns", "the period lies outside the Run's window")
        order = np.argsort(drive, kind="stable")
        before = np.empty_like(start)
        sorted_drive, sorted_end = drive[order], (start + length)[order]
        opening = np.ones(len(order), dtype=np.bool_)
        opening[1:] = np.diff(sorted_drive) != 0
        earlier = np.concatenate(([0], sorted_end[:-1]))
        before[order] = np.where(opening, ends[sorted_drive], earlier)
        self._refuse(
            start < before, first, "start_ns", "the period begins before the drive's previous one ends"
        )
        closing = np.append(opening[1:], True)
        ends[sorted_drive[closing]] = sorted_end[closing]
        return PeriodBatch(drive, length, frame["cut"].to_numpy())

    def _refuse(self, bad: npt.NDArray[np.bool_], first: int, column: str, message: str) -> None:
        if bad.any():
            row = first + int(np.argmax(bad)) + 1
            raise InputError("damaged", f"{self.where}: row {row}: {column}", message)
