"""From Polars columns to the arrays of a batch: units, ranges, names. Every refusal names the row.

Sizes and addresses of our captures are Int32 and Int64: they are widened before anything is multiplied.
"""

from __future__ import annotations

from typing import Any, Final, NoReturn

import numpy as np
import numpy.typing as npt
import polars as pl

from iowatt.base.errors import InputError

NO_STREAM: Final = 2**32 - 1
NO_RESPONSE: Final = -1

OPS: Final = ("read", "write", "trim", "flush")
_OP_WORDS: Final = {
    "r": 0, "read": 0, "w": 1, "write": 1, "t": 2, "d": 2, "trim": 2, "discard": 2, "unmap": 2,
    "f": 3, "flush": 3,
}  # fmt: skip
_I64_MAX: Final = 2**63 - 1


def refuse(
    column: pl.Series,
    bad: npt.NDArray[np.bool_],
    where: str,
    first_row: int,
    problem: str,
    *,
    code: str = "out-of-range",
) -> None:
    """Raise ``InputError`` for the first row marked in ``bad``, if any."""
    if bad.any():
        at = int(bad.argmax())
        problem = problem.format(value=column[at])
        raise InputError(code, f"{where}: row {first_row + at}", f"{column.name}: {problem}")


def _refuse_type(column: pl.Series, where: str, accepted: str) -> NoReturn:
    raise InputError(
        "wrong-type", where, f"the column {column.name} is {column.dtype}; accepted are {accepted}"
    )


def _refuse_nulls(column: pl.Series, where: str, first_row: int) -> None:
    if column.null_count():
        refuse(column, column.is_null().to_numpy(), where, first_row, "the value is missing", code="missing")


def _whole(column: pl.Series, unit: int, limit: int, where: str, first_row: int) -> npt.NDArray[np.uint64]:
    """A column of non-negative integers times ``unit``, checked against ``limit`` before it is multiplied."""
    if not column.dtype.is_integer():
        _refuse_type(column, where, "integers")
    _refuse_nulls(column, where, first_row)
    if column.dtype.is_signed_integer():
        refuse(column, (column < 0).to_numpy(), where, first_row, "{value} is negative")
    wide = column.cast(pl.UInt64, strict=False)  # what does not fit (128-bit integers) becomes null
    too_big = (wide.is_null() | (wide > limit // unit)).fill_null(True).to_numpy()
    refuse(column, too_big, where, first_row, f"{{value}} is too large; at most {limit // unit} fits")
    values: npt.NDArray[np.uint64] = wide.to_numpy()
    return values * np.uint64(unit) if unit != 1 else values


def times(column: pl.Series, unit_ns: int, where: str, first_row: int) -> npt.NDArray[np.int64]:
    """Nanoseconds: integers times their unit, floats rounded to the nearest nanosecond."""
    if column.dtype.is_integer():
        return _whole(column, unit_ns, _I64_MAX, where, first_row).astype(np.int64)
    if column.dtype not in (pl.Float32, pl.Float64):
        _refuse_type(column, where, "integers and floats")
    _refuse_nulls(column, where, first_row)
    values = column.cast(pl.Float64).to_numpy()
    problem = "{value} is not a time; expected a finite number"
    refuse(column, ~np.isfinite(values), where, first_row, problem)
    refuse(column, values < 0, where, first_row, "{value} is negative")
    ns = values * unit_ns
    refuse(column, ns >= float(2**63), where, first_row, "{value} is beyond 292 years")
    rounded: npt.NDArray[np.int64] = np.rint(ns).astype(np.int64)
    return rounded


def addresses(column: pl.Series, unit_bytes: int, where: str, first_row: int) -> npt.NDArray[np.uint64]:
    """First bytes."""
    return _whole(column, unit_bytes, 2**64 - 1, where, first_row)


def sizes(column: pl.Series, unit_bytes: int, where: str, first_row: int) -> npt.NDArray[np.uint32]:
    """Bytes of each request."""
    return _whole(column, unit_bytes, 2**32 - 1, where, first_row).astype(np.uint32)


def responses(column: pl.Series, unit_ns: int, where: str, first_row: int) -> npt.NDArray[np.int64]:
    """Nanoseconds; null, NaN and -1 mean that the trace does not know."""
    if column.dtype in (pl.Float32, pl.Float64):
        filled = column.fill_null(NO_RESPONSE).fill_nan(NO_RESPONSE)
        unknown = (filled == NO_RESPONSE).to_numpy()
        values = times(filled.set(filled == NO_RESPONSE, 0.0), unit_ns, where, first_row)
    elif column.dtype.is_integer():
        nothing = column.is_null() | (column == NO_RESPONSE).fill_null(True)
        unknown = nothing.to_numpy()
        values = _whole(column.set(nothing, 0), unit_ns, _I64_MAX, where, first_row).astype(np.int64)
    else:
        _refuse_type(column, where, "integers and floats")
    return np.where(unknown, np.int64(NO_RESPONSE), values)


def ops(column: pl.Series, where: str, first_row: int) -> npt.NDArray[np.uint8]:
    """0 read, 1 write, 2 trim, 3 flush, from words and letters in either case.

    Numbers are refused: half of the formats say 0 for a read and the other half 1.
    """
    if column.dtype.is_integer() or column.dtype == pl.Boolean:
        _refuse_type(column, where, "words (read, write, trim, flush), as formats number them differently")
    words = NameCodes([])
    codes = words.codes(column, where, first_row)
    table = np.array([_OP_WORDS.get(word.strip().lower(), 255) for word in words.names], dtype=np.uint8)
    found: npt.NDArray[np.uint8] = table[codes]
    if (table == 255).any():  # of words that rows hold
        accepted = "read, write, trim, flush (also R, W, T, F)"
        problem = f"unknown operation {{value!r}}; accepted are {accepted}"
        refuse(column, found == 255, where, first_row, problem, code="not-accepted")
    return found


class NameCodes:
    """Names numbered in the order in which the rows bring them, across all batches of a file."""

    def __init__(self, names: list[str]) -> None:
        self.names = names
        self._index = {name: code for code, name in enumerate(names)}
        # Polars' code of a category -> our code, NO_STREAM where it was not met yet. Polars numbers its
        # categories anew once no series refers to them any more, so one (empty) series is kept as long as the
        # table is.
        self._anchor: pl.Series | None = None
        self._table: npt.NDArray[np.uint32] = np.full(64, NO_STREAM, dtype=np.uint32)

    def codes(
        self, column: pl.Series, where: str, first_row: int, *, nullable: bool = False
    ) -> npt.NDArray[np.uint32]:
        """The number of each row's name; nulls are `NO_STREAM` where they are allowed."""
        missing: Any = None
        if nullable and column.null_count():
            missing = column.is_null().to_numpy()
        elif not nullable:
            _refuse_nulls(column, where, first_row)
        categories = self._categories(column, where)
        if self._anchor is None:
            self._anchor = categories.head(0)
        codes = categories.to_physical()
        if missing is None:
            return self._translate(codes.to_numpy(), column)
        physical = codes.fill_null(0).to_numpy()[~missing]
        found = self._translate(physical, column.drop_nulls())
        result = np.full(len(column), NO_STREAM, dtype=np.uint32)
        result[~missing] = found
        return result

    def _categories(self, column: pl.Series, where: str) -> pl.Series:
        if column.dtype == pl.Categorical:
            return column
        if column.dtype in (pl.String, pl.Enum):
            return column.cast(pl.Categorical)
        if column.dtype.is_integer():
            return column.cast(pl.String).cast(pl.Categorical)
        _refuse_type(column, where, "strings, categories and integers")

    def _translate(self, physical: npt.NDArray[Any], column: pl.Series) -> npt.NDArray[np.uint32]:
        if len(physical) == 0:
            return np.zeros(0, dtype=np.uint32)
        top = int(physical.max())
        if top >= len(self._table):
            grown = np.full(max(top + 1, 2 * len(self._table)), NO_STREAM, dtype=np.uint32)
            grown[: len(self._table)] = self._table
            self._table = grown
        found: npt.NDArray[np.uint32] = self._table[physical]
        if found.max() == NO_STREAM:
            new = np.flatnonzero(found == NO_STREAM)
            firsts = np.full(top + 1, -1, dtype=np.int64)
            firsts[physical[new[::-1]]] = new[::-1]  # of equal indices the last counts: no sorting of rows
            for row in np.sort(firsts[firsts >= 0]).tolist():
                name = str(column[row])
                code = self._index.setdefault(name, len(self.names))
                if code == len(self.names):
                    self.names.append(name)
                self._table[physical[row]] = code
            found = self._table[physical]
        return found
