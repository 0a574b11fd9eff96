"""Parquet files that another program wrote, or that are damaged: the one place that opens them.

Polars believes the counts and sizes in a file's headers. Some wrong ones abort the process: for a page of
-6 values it asks for 2**61 bytes. So they are compared with each other and with the length of the file first.

Format: ``parquet.thrift`` of Apache Parquet, in the compact protocol of Apache Thrift; the numbers below are
its field numbers. Encrypted files are refused: they have another magic number.
"""

from __future__ import annotations

import mmap
import os
from pathlib import Path
from typing import Any, Final

import polars as pl

MAGIC: Final = b"PAR1"
_REPEATED: Final = 2
_DATA, _DICTIONARY, _DATA_V2 = 0, 2, 3
#: Where a page's own header has the number of its values.
_OF_PAGE: Final = {_DATA: 5, _DICTIONARY: 7, _DATA_V2: 8}
#: Bytes that a page's own header has at most, and how deep values lie in each other.
_HEADER_BYTES, _DEEPEST = 16 << 20, 16


class DamagedError(ValueError):
    """The file contradicts itself."""


#: Exceptions of opening and reading a Parquet file that is damaged.
ERRORS: Final = (OSError, DamagedError, pl.exceptions.PolarsError, pl.exceptions.PanicException)


def scan(path: Path) -> pl.LazyFrame:
    """The rows of a file, to be read piece by piece. Raises one of ``ERRORS``, and so may reading."""
    _check(path)
    # A file name with brackets is a file name, and a directory called "device=1" no column.
    return pl.scan_parquet(path, glob=False, hive_partitioning=False)


def _check(path: Path) -> None:
    with path.open("rb") as file:
        if not os.fstat(file.fileno()).st_size:
            raise DamagedError("it is empty, or no file")
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped, memoryview(mapped) as data:
            try:
                _check_bytes(data)
            except (KeyError, IndexError, TypeError, AttributeError):  # of the fields that it should have
                raise DamagedError("a header is not readable") from None


def _check_bytes(data: memoryview) -> None:
    length = int.from_bytes(data[-8:-4], "little")
    end = len(data) - 8 - length
    if bytes(data[:4]) != MAGIC or bytes(data[-4:]) != MAGIC or end < len(MAGIC):
        raise DamagedError("it has no footer: it is cut short, or not Parquet")
    footer = _Thrift(bytes(data[end:-8])).structure()
    schema, rows, groups = footer[2], footer[3], footer[4]
    leaves = [element for element in schema[1:] if not element.get(5)]
    flat = all(element.get(3) != _REPEATED for element in schema[1:])
    if rows < 0 or rows != sum(group[3] for group in groups):
        raise DamagedError(f"it says that it has {rows} rows, and its row groups have others")
    for group in groups:
        if group[3] < 0 or len(group[1]) != len(leaves):
            raise DamagedError(
                f"a row group has {group[3]} rows and {len(group[1])} of {len(leaves)} columns"
            )
        for chunk in group[1]:
            column = chunk[3]
            if flat and column[5] != group[3]:
                raise DamagedError(f"a column has {column[5]} values in {group[3]} rows")
            _check_pages(data, end, column)


def _check_pages(data: memoryview, end: int, column: dict[int, Any]) -> None:
    """Whether the pages of a column's part of a row group lie before ``end`` and have its values."""
    left, first, dictionary = column[5], column[9], column.get(11, 0)
    at = dictionary if len(MAGIC) <= dictionary < first else first
    while left > 0:
        if not len(MAGIC) <= at < end:
            raise DamagedError(f"a page at byte {at} is not within its data")
        with data[at : at + _HEADER_BYTES] as rest:
            reader = _Thrift(rest)
            page = reader.structure()
        kind, raw, stored = page[1], page[2], page[3]
        at += reader.at + stored
        count = page[_OF_PAGE[kind]][1] if kind in _OF_PAGE else 0
        if min(raw, stored, count) < 0 or at > end or (kind == _DICTIONARY and count > raw):
            raise DamagedError(f"a page of {count} values in {stored} bytes, {raw} uncompressed")
        left -= 0 if kind == _DICTIONARY else count
    if left:
        raise DamagedError(f"the pages of a column have {column[5] - left} values, and it has {column[5]}")


class _Thrift:
    """Values in the compact protocol. Raises ``IndexError`` at the end of the data."""

    def __init__(self, data: bytes | memoryview) -> None:
        self._data, self.at = data, 0

    def structure(self, depth: int = 0) -> dict[int, Any]:
        """Its fields by number."""
        fields: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._signed()
            fields[number] = head & 15 == 1 if head & 15 in (1, 2) else self._value(head & 15, depth + 1)
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if depth > _DEEPEST:
            raise DamagedError("a header is nested too deeply")
        if kind in (1, 2, 3):
            return self._byte()
        if kind in (4, 5, 6):
            return self._signed()
        if kind in (7, 8):  # floating point; text, whose length precedes it
            length = 8 if kind == 7 else self._unsigned()
            self.at += length
            return None
        if kind in (9, 10):
            head = self._byte()
            count = head >> 4 if head >> 4 < 15 else self._unsigned()
            return [self._value(head & 15, depth + 1) for _ in range(count)]
        if kind == 12:
            return self.structure(depth)
        raise DamagedError(f"a header has a field of no known type ({kind})")

    def _byte(self) -> int:
        value = self._data[self.at]
        self.at += 1
        return value

    def _unsigned(self) -> int:
        value = shift = 0
        while (byte := self._byte()) & 0x80:
            value |= (byte & 0x7F) << shift
            shift += 7
            if shift > 63:
                raise DamagedError("a header has a number of more than 64 bits")
        return value | byte << shift

    def _signed(self) -> int:
        value = self._unsigned()
        return value >> 1 ^ -(value & 1)
