"""Delimited text of instruments: rows of cells, and which column is which quantity, in which unit."""

from __future__ import annotations

import csv
import math
import re
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from iowatt.base import input_file
from iowatt.base.errors import InputError
from iowatt.sources.meters.address import Address
from iowatt.sources.meters.log.checks import NOT_AVAILABLE, checked
from iowatt.sources.meters.log.instrument import Instrument, InstrumentLog, LogProblem
from iowatt.sources.stamps import OPTIONS as STAMP_OPTIONS
from iowatt.sources.stamps import Stamps

#: Lines before the header, about the instrument.
PREAMBLE: Final = 100
_DELIMITERS: Final = ("\t", ";", ",")

_NUMBER: Final = re.compile(
    r"[+-]?(?:[0-9]{1,300}\.?[0-9]{0,30}|\.[0-9]{1,30})(?:[eE][+-]?[0-9]{1,3})?", re.ASCII
)
_NONE: Final = frozenset({"", "nan", "n/a", "na", "null", "none", "err", "error", "*"})
_OVERFLOW: Final = frozenset((
    "inf", "+inf", "infinity", "of", "o.f", "o.l", "ol", "over", "overflow",
    "-of-", "-ol-", "--of--", "--ol--",
))  # fmt: skip


@dataclass(frozen=True)
class TableRow:
    """A line of the file."""

    line: int
    cells: Sequence[str]


@dataclass(frozen=True)
class TableText:
    """A file as rows."""

    path: Path
    rows: Sequence[TableRow]
    delimiter: str
    ended: bool  #: Whether its last line ends with a line break: else it may have been cut short.

    def where(self, row: TableRow) -> str:
        """The place of a row in an error."""
        return f"{self.path}:{row.line}"

    def number(self, cell: str, row: TableRow) -> float:
        """A cell as a number: NaN for no value, infinite for overflow.

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


def load(path: Path, delimiter: str | None = None) -> TableText:
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
                rows.append(TableRow(reader.line_num, cells))
    except csv.Error as error:
        raise InputError(
            "wrong-format", f"{path}:{reader.line_num}", f"not delimited text: {error}"
        ) from None
    if not rows:
        raise InputError("empty", str(path), "the file is empty")
    return TableText(path, rows, delimiter, text.endswith(("\n", "\r")))


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


#: Quantity -> unit -> factor (and offset for degrees).
UNITS: Final[Mapping[str, Mapping[str, tuple[float, float]]]] = {
    "watts": {"w": (1, 0), "watts": (1, 0), "watt": (1, 0), "kw": (1e3, 0), "mw": (1e-3, 0)},
    "volts": {"v": (1, 0), "volts": (1, 0), "mv": (1e-3, 0), "kv": (1e3, 0)},
    "amperes": {"a": (1, 0), "amps": (1, 0), "ma": (1e-3, 0)},
    "power_factor": {"": (1, 0), "1": (1, 0), "%": (1e-2, 0)},
    "hertz": {"hz": (1, 0)},
    "thd_percent": {"%": (1, 0)},
    "celsius": {"c": (1, 0), "degc": (1, 0), "°c": (1, 0), "f": (5 / 9, -160 / 9), "degf": (5 / 9, -160 / 9),
                "°f": (5 / 9, -160 / 9), "k": (1, -273.15)},
    "joules": {"j": (1, 0), "kj": (1e3, 0), "wh": (3600, 0), "kwh": (3.6e6, 0)},
}  # fmt: skip

STAMP_COLUMNS: Final = {
    **STAMP_OPTIONS,
    "time": "column of the stamps, by name or as #1",
    "start": "stamp of the first row, where rows have none; with interval",
    "interval": "seconds between rows",
    "delimiter": "one character, or tab; found out where left out",
    "range": "top of the power range in W: what reaches it is clipped",
}

#: Names that stamps have.
_TIMES: Final = ("time", "timestamp", "datetime", "date/time", "date time", "time_s", "when")
_IN_BRACKETS: Final = re.compile(r"\s*[\[(]\s*([^\])]*)[\])]\s*$")


@dataclass(frozen=True)
class QuantityColumn:
    """Where a quantity stands."""

    index: int
    factor: float = 1.0
    offset: float = 0.0

    def value(self, quantity: str, figure: float) -> float:
        """A figure of the file in the quantity's own unit; the sign for no value has none and stays."""
        if figure == NOT_AVAILABLE and quantity != "celsius":
            return figure
        return figure * self.factor + self.offset


@dataclass(frozen=True)
class TableLayout:
    """A table's columns."""

    first: int  #: Index in ``Text.rows`` of the first row of samples.
    time: Sequence[int]  #: Columns whose texts, joined by a blank, are the stamp; empty where rows have none.
    milliseconds: int | None  #: A column of milliseconds beside it.
    quantities: Mapping[str, QuantityColumn]


def split_name(name: str) -> tuple[str, str | None]:
    """A column's name in small letters, and the unit in brackets behind it as written (mW is not MW)."""
    match = _IN_BRACKETS.search(name)
    if match is None:
        return name.strip().lower(), None
    return name[: match.start()].strip().lower(), match[1].strip()


def in_unit(quantity: str, index: int, unit: str | None, where: str) -> QuantityColumn:
    """A column in a unit; None is the quantity's own. Raises ``InputError``."""
    if unit is None:
        return QuantityColumn(index)
    found = UNITS[quantity].get(unit.strip().lower())
    if quantity == "watts" and unit.strip() == "MW":
        found = (1e6, 0)
    if found is None:
        message = f"{unit[:20]!r} is not a unit of {quantity}"
        hint = f"accepted are {', '.join(filter(None, UNITS[quantity]))}"
        raise InputError("not-accepted", where, message, hint=hint)
    return QuantityColumn(index, *found)


def time_columns(names: Sequence[str], wanted: str | None, text: TableText, row: TableRow) -> list[int]:
    """The columns of the stamp: as asked, one that is called time, or date and time beside each other.

    Raises ``InputError`` where the asked one is not there; empty where there is none.
    """
    plain = [split_name(name)[0] for name in names]
    if wanted is not None:
        return [index_of(wanted, names, text, row)]
    if "date" in plain and "time" in plain:
        return [plain.index("date"), plain.index("time")]
    for name in _TIMES:
        if name in plain:
            return [plain.index(name)]
    return []


def index_of(wanted: str, names: Sequence[str], text: TableText, row: TableRow) -> int:
    """A column by its name or as #1. Raises ``InputError``."""
    if re.fullmatch(r"#[0-9]{1,4}", wanted) and 0 < int(wanted[1:]) <= len(row.cells):
        return int(wanted[1:]) - 1
    exact = [index for index, name in enumerate(names) if name.strip() == wanted.strip()]
    loose = [index for index, name in enumerate(names) if name.strip().lower() == wanted.strip().lower()]
    found = exact or loose
    if len(found) != 1:
        what = "several columns are" if found else "no column is"
        raise InputError(
            "ambiguous" if found else "unknown-name",
            text.where(row),
            f"{what} called {wanted[:40]!r}; there are {', '.join(name.strip() for name in names)[:300]}",
            hint="a column may be named by its number, #1",
        )
    return found[0]


def to_log(
    text: TableText,
    layout: TableLayout,
    address: Address,
    instrument: Instrument,
) -> InstrumentLog:
    """The log that a table is.

    A last row without a line end is dropped and named: it may be cut within a cell (344.1 to 3). Raises
    ``InputError`` with the place: a row that lacks cells, a cell that is not a number, a stamp that is not a
    time or has no zone.
    """
    options, path = address.options, text.path
    stamps = Stamps(
        options.get("time-format"), options.get("utc-offset"), options.get("date"), where=str(path)
    )
    rows = list(text.rows[layout.first :])
    problems: list[LogProblem] = []
    needed = 1 + max([*layout.time, *(column.index for column in layout.quantities.values())])
    if rows and not text.ended:
        line = rows.pop().line
        said = f"line {line} has no line end, so it may be cut short, and was left out"
        problems.append(LogProblem("failure", None, said))
    if not rows:
        raise InputError("empty", str(path), "the log has no samples")
    times = np.empty(len(rows))
    columns = {name: np.empty(len(rows)) for name in layout.quantities}
    step = _step(options, path) if not layout.time else None
    for k, row in enumerate(rows):
        where = text.where(row)
        if len(row.cells) < needed:
            raise InputError("damaged", where, f"the row has {len(row.cells)} cells, and {needed} are needed")
        if step is None:
            stamp = " ".join(row.cells[index].strip() for index in layout.time)
            times[k] = stamps.seconds(stamp, where)
            if layout.milliseconds is not None:
                ms = text.number(row.cells[layout.milliseconds], row)
                if not 0 <= ms < 1000:
                    raise InputError("out-of-range", where, f"{ms:g} milliseconds are not 0 to 999")
                times[k] += ms * 1e-3
        else:
            times[k] = (times[0] if k else stamps.seconds(options["start"], f"{path}: start")) + k * step
        for name, column in layout.quantities.items():
            columns[name][k] = column.value(name, text.number(row.cells[column.index], row))
    found = checked(instrument, times, columns, problems=problems, range_w=_number(options, "range", path))
    return InstrumentLog(found.instrument, found.time_s, found.quantities, found.problems, path)


def _step(options: Mapping[str, str], path: Path) -> float:
    step = _number(options, "interval", path)
    if "start" not in options or step is None:
        message = "there is no column of time stamps"
        hint = (
            "name it (time=COLUMN), or give the time of the first row and the seconds between rows: "
            "start=2026-11-21T10:00:00Z and interval=1"
        )
        raise InputError("missing", str(path), message, hint=hint)
    return step


def _number(options: Mapping[str, str], name: str, path: Path) -> float | None:
    if name not in options:
        return None
    try:
        value = float(options[name])
    except ValueError:
        value = 0.0
    if not 0 < value < math.inf:
        raise InputError("out-of-range", f"{path}: {name}", f"{options[name][:40]!r} is not a number above 0")
    return value


def header(text: TableText, wanted: Sequence[str]) -> int:
    """Index of the first row that has all of the names ``wanted`` (in small letters), or -1."""
    for index, row in enumerate(text.rows[:PREAMBLE]):
        plain = {cell.strip().lower() for cell in row.cells} | {split_name(cell)[0] for cell in row.cells}
        if all(name in plain for name in wanted):
            return index
    return -1


def interval_option(options: Mapping[str, str], path: Path) -> float | None:
    """The option ``interval``, in s."""
    return _number(options, "interval", path)
