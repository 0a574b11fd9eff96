"""What the columns of an array's performance log mean: a mapping of the library, or of a TOML file."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

from pydantic import Field

from iowatt.base.document import TomlDocument, read_text
from iowatt.base.problems import Problem
from iowatt.base.quantity import Duration
from iowatt.base.strict import Strict, key
from iowatt.model.library import LibraryFolder

ARRAY_LOGS: Final = LibraryFolder("array_logs", "array log", "docs/reference/array-logs.md")

_COUNTS: Final = {"1/s": 1.0, "count": 1.0}
_SIZES: Final = {
    "B": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 1024.0, "MiB": 1024.0**2, "GiB": 1024.0**3,
}  # fmt: skip
_TIMES: Final = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_SHARES: Final = {"1": 1.0, "%": 0.01}

#: Response times summed over the requests of an interval.
WAIT_SUMS: Final = ("wait_sum", "read_wait_sum", "write_wait_sum")
_RATES: Final = ("requests", "reads", "writes", "bytes", "read_bytes", "write_bytes")

#: Units by figure, with the factor that makes them SI. Rates without ``/s`` are amounts of an interval.
UNITS: Final = {
    **dict.fromkeys(("requests", "reads", "writes"), _COUNTS),
    **dict.fromkeys(
        ("bytes", "read_bytes", "write_bytes"), _SIZES | {f"{u}/s": f for u, f in _SIZES.items()}
    ),
    **dict.fromkeys(("size", "read_size", "write_size"), _SIZES),
    **dict.fromkeys(("wait", "read_wait", "write_wait", *WAIT_SUMS), _TIMES),
    "queue": {"1": 1.0},
    "utilisation": _SHARES,
}

FigureName = Literal[
    "requests", "reads", "writes", "bytes", "read_bytes", "write_bytes", "size", "read_size", "write_size",
    "wait", "read_wait", "write_wait", "wait_sum", "read_wait_sum", "write_wait_sum", "queue",
    "utilisation",
]  # fmt: skip


class ArrayLogColumn(Strict):
    """A column of figures."""

    column: str | list[str] = key("Name in the header, or the names that versions of the tool give it.")
    unit: str = key("Unit of its values; `count` and bytes without `/s` are amounts of an interval.")

    @property
    def names(self) -> list[str]:
        """Names that the column may have."""
        return [self.column] if isinstance(self.column, str) else self.column


class ArrayLogTime(Strict):
    """When a row was."""

    column: str = key("Column of the time stamp.")
    date_column: str | None = key("Column of the day, where it stands apart.", unset="none")
    format: str | None = key(
        "How stamps are written: iso, unix, unix-ms, unix-us, or a pattern such as `%d.%m.%Y %H:%M:%S`.",
        unset="by the first stamp",
    )
    stamp: Literal["end", "start"] = key("Which end of its interval a stamp marks.", default="end")
    interval: Duration | None = key("Length of the intervals.", unset="from one stamp to the next")
    interval_column: str | None = key("Column of the length of the intervals.", unset="none")
    interval_unit: Literal["s", "ms", "us", "ns", "min", "iso8601"] = key("Its unit.", default="s")
    dated: bool = key("Whether stamps count from 1970: else times are relative.", default=True)


class ArrayLogHistogram(Strict):
    """Buckets of response times, one column each: the requests of an interval by their time."""

    read: str = key("Columns of reads, `{}` for the number of the bucket.", example="d_rhist{}")
    write: str = key("Columns of writes.", example="d_whist{}")
    first: int = key("Number of the first bucket.", default=0, within=(0, 1000))
    last: int = key("Number of the last one.", within=(0, 1000))
    upper: Duration = key("Upper end of the first bucket.")
    ratio: float = key("Upper end of a bucket over that of the one before.", default=2.0, gt=1, le=1000)


class ArrayLogRows(Strict):
    """Which rows are figures, where a log has others too."""

    column: str = key("Column that tells them apart.")
    keep: list[str] = key("Its values in the rows to keep.", min_length=1)


class ArrayLogMapping(Strict):
    """The columns of an array's performance log."""

    schema_: Literal["iowatt.array-log/1"] = Field(alias="schema")
    title: str = key("Which array, and which log.")
    source: list[str] = key("Where the names and units of the columns are from.", min_length=1)
    assumed: list[str] = key("What the sources do not say.", default=[])
    tried: bool = key("Whether it was tried on a file of the tool.", default=False)
    time: ArrayLogTime = key("When a row was.")
    object: str | list[str] | None = key(
        "Column of the name of the volume, port or array; several are joined.", unset="one object"
    )
    rows: ArrayLogRows | None = key("Which rows are figures.", unset="all")
    figures: dict[FigureName, ArrayLogColumn] = key("Columns by figure.", min_length=1)
    histogram: ArrayLogHistogram | None = key("Buckets of response times.", unset="none")

    @property
    def objects(self) -> list[str]:
        """Columns of the name of an object."""
        return [] if self.object is None else [self.object] if isinstance(self.object, str) else self.object

    @property
    def has_length(self) -> bool:
        """Whether rows say how long their intervals are."""
        return self.time.interval is not None or self.time.interval_column is not None


def find_mapping(name: str) -> ArrayLogMapping:
    """The mapping of a library name or a file ending in ``.toml``.

    Raises ``InputError`` where there is none (with near names), or for what is wrong in it, with its line.
    """
    if name.endswith(".toml"):
        document = TomlDocument(read_text(Path(name), "the reference page array-logs has one"), name)
    elif name in ARRAY_LOGS.names():
        document = ARRAY_LOGS.document(name)
    else:
        raise ARRAY_LOGS.unknown(name, f"{', '.join(ARRAY_LOGS.names())}, or a file ending in .toml")
    mapping = document.validate(ArrayLogMapping)
    document.fail(_problems(mapping))
    return mapping


def _problems(mapping: ArrayLogMapping) -> list[Problem]:
    found = []
    for figure, column in mapping.figures.items():
        path = ("figures", figure, "unit")
        if column.unit not in UNITS[figure]:
            message = f"{column.unit!r} is not a unit of {figure}; accepted are {', '.join(UNITS[figure])}"
            found.append(Problem("not-accepted", path, message))
        elif is_amount(figure, column.unit) and not mapping.has_length:
            message = f"{column.unit} is an amount of an interval, and time.interval is missing"
            found.append(Problem("missing", path, message))
    time = mapping.time
    if time.interval is not None and time.interval_column is not None:
        message = "interval and interval_column exclude each other"
        found.append(Problem("conflict", ("time", "interval_column"), message))
    buckets = mapping.histogram
    if buckets is not None:
        for name in ("read", "write"):
            if "{}" not in getattr(buckets, name):
                message = "expected {} where the number of the bucket stands"
                found.append(Problem("bad-syntax", ("histogram", name), message))
        if buckets.last < buckets.first:
            found.append(Problem("out-of-range", ("histogram", "last"), f"below first = {buckets.first}"))
    return found


def is_amount(figure: str, unit: str) -> bool:
    """Whether a figure is an amount of an interval: a count, bytes, or a sum of response times."""
    return figure in WAIT_SUMS or (figure in _RATES and not unit.endswith("/s"))
