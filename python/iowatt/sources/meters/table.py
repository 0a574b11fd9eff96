"""Delimited text of instruments: lines of cells, numbers as instruments write them."""

from __future__ import annotations

import csv
import math
import re
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from iowatt.base import input_file
from iowatt.base.errors import InputError

#: Lines before the header: what instruments say of themselves.
PREAMBLE: Final = 100
_DELIMITERS: Final = ("\t", ";", ",")

_NUMBER: Final = re.compile(
    r"[+-]?(?:[0-9]{1,300}\.?[0-9]{0,30}|\.[0-9]{1,30})(?:[eE][+-]?[0-9]{1,3})?", re.ASCII
)
_NONE: Final = frozenset({"", "nan", "n/a", "na", "null", "none", "err", "error", "*"})
_OVERFLOW: Final = frozenset(
    {
        "inf",
        "+inf",
        "infinity",
        "of",
        "o.f",
        "o.l",
        "ol",
        "over",
        "overflow",
        "-of-",
        "-ol-",
        "--of--",
        "--ol--",
    }
)


@dataclass(frozen=True)
class Row:
    """A line of the file."""

    line: int
    cells: Sequence[str]


@dataclass(frozen=True)
class Text:
    """A file as rows."""

    path: Path
    rows: Sequence[Row]
    delimiter: str
    ended: bool  #: Whether its last line ends with a line break: else it may have been cut short.

    def where(self, row: Row) -> str:
        """The place of a row in an error."""
        return f"{self.path}:{row.line}"

    def number(self, cell: str, row: Row) -> float:
        """A cell as a number: NaN where it says that there is none, infinite where it says overflow.

        Raises ``InputError`` with the place.
        """
        text = cell.strip()
        if self.delimiter != "," and text.count(",") == 1 and "." not in text:
            text = text.replace(",", ".")
        if _NUMBER.fullmatch(text):
            return float(text)
        word = text.lower()
        if word in _OVERFLOW:
            return math.inf
        if word in _NONE or not word.strip("-"):
            return math.nan
        raise InputError("bad-syntax", self.where(row), f"{cell.strip()[:30]!r} is not a number")


def load(path: Path, delimiter: str | None = None) -> Text:
    """Read a file. Raises ``InputError`` where it cannot be read or holds nothing."""
    text = decoded(path)
    if delimiter is None:
        head = text[: 1 << 14].splitlines()[: PREAMBLE + 1]
        # A comma may be a decimal sign beside the others, so they are asked first.
        delimiter = next(
            (sign for sign in _DELIMITERS if statistics.median(line.count(sign) for line in head) > 0), ","
        )
    elif delimiter in ("tab", "\\t"):
        delimiter = "\t"
    elif len(delimiter) != 1 or delimiter in '"\r\n':
        raise InputError(
            "bad-syntax", f"{path}: delimiter", f"{delimiter[:20]!r} is neither one character nor tab"
        )
    rows = []
    reader = csv.reader(text.splitlines(), delimiter=delimiter, skipinitialspace=True)
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                rows.append(Row(reader.line_num, cells))
    except csv.Error as error:
        raise InputError(
            "wrong-format", f"{path}:{reader.line_num}", f"not delimited text: {error}"
        ) from None
    if not rows:
        raise InputError("empty", str(path), "the file is empty")
    return Text(path, rows, delimiter, text.endswith(("\n", "\r")))


def decoded(path: Path) -> str:
    """The text of a file: UTF-8, UTF-16 with its mark, or a Western code page as instruments write.

    Raises ``InputError`` where it cannot be read, is empty, is longer than 1 GiB or has a line of over 1 MiB.
    """
    data = input_file.whole(
        path, "a log of an instrument", input_file.LOG_BYTES, line=input_file.LOG_LINE_BYTES
    )
    if not data.strip():
        raise InputError("empty", str(path), "the file is empty")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")
