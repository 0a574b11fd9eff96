"""``flatfile.html``: the report that is made to be read by programs. Columns are found by their names."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from typing import Final

from iowatt.base.errors import InputError
from iowatt.sources.vdbench import text
from iowatt.sources.vdbench.rows import Row, is_label
from iowatt.sources.vdbench.text import Line

#: Names of columns, in lower case, to those of :class:`Row`.
_COLUMNS: Final = {
    "reqrate": "asked", "rate": "rate", "mb/sec": "mb", "bytes/io": "size", "read%": "reads", "resp": "resp",
    "read_resp": "read_resp", "write_resp": "write_resp", "resp_max": "max", "read_max": "read_max",
    "write_max": "write_max", "resp_std": "std", "read_std": "read_std", "write_std": "write_std",
    "cpu_user": "cpu_user", "cpu_kernel": "cpu_kernel", "threads": "threads", "queue_depth": "queue",
}  # fmt: skip
_NEEDED: Final = ("run", "interval", "rate", "read%")
_STAMP: Final = re.compile(
    r"([0-9]{2})/([0-9]{2})/([0-9]{4})-([0-9]{2}:[0-9]{2}:[0-9]{2})(?:-(\S{1,24}))?", re.ASCII
)


def read(path: Path) -> list[Row]:
    """All rows, in the file's order.

    Raises ``InputError`` where it is no flat file of block workloads, or a row does not fit the header.
    """
    columns: list[str] = []
    rows = []
    for line in text.lines(path):
        words = line.text.split()
        if not words or line.text.startswith("*"):
            continue
        if not columns:
            # The header is the first line that begins with a blank.
            if line.text[0].isspace() and "interval" in (word.lower() for word in words):
                columns = _header([word.lower() for word in words], line)
            continue
        rows.append(_row(words, columns, line))
    if not columns:
        raise InputError(
            "wrong-format",
            str(path),
            "not a flat file of vdbench: no line begins with a blank and names the columns",
        )
    if not rows:
        raise InputError("empty", str(path), "there is no interval: vdbench ended before its first")
    return rows


def _header(columns: list[str], line: Line) -> list[str]:
    if "read_rate" in columns and "read%" not in columns:
        raise line.error(
            "unsupported",
            "a report of file system workloads (FWD), whose operations are not requests; block workloads "
            "(WD) are accepted",
        )
    missing = [name for name in _NEEDED if name not in columns]
    if missing or not {"mb/sec", "bytes/io"} & set(columns):
        raise line.error("missing", f"the header lacks {', '.join(missing) or 'MB/sec'}")
    return columns


def _row(words: list[str], columns: list[str], line: Line) -> Row:
    at = columns.index("run")
    extra = len(words) - len(columns)
    if extra > 0:
        # The one column in which vdbench may print blanks.
        words = [*words[:at], " ".join(words[at : at + extra + 1]), *words[at + extra + 1 :]]
    if extra < 0:
        raise line.error(
            "damaged",
            f"the row has {len(words)} figures, and the header names {len(columns)}: the file was cut short",
        )
    by = dict(zip(reversed(columns), reversed(words), strict=True))  # of two of a name, the first
    if not is_label(by["interval"]):
        raise line.error(
            "damaged", f"{by['interval'][:40]!r} is neither the number of an interval nor an average"
        )
    time_s = text.time_of_day(by.get("tod", ""))
    day, zone, stamped = _stamp(by.get("timestamp", ""))
    if time_s is None:
        time_s = stamped
    if time_s is None:
        raise line.error("damaged", "the row has no time: neither tod nor timestamp can be read")
    values = {ours: text.number(by[theirs], line) for theirs, ours in _COLUMNS.items() if theirs in by}
    for key in ("rate", "mb", "size"):
        if (values.get(key) or 0.0) < 0:
            raise line.error("out-of-range", f"{key} is below 0")
    if not 0 <= (values.get("reads") or 0.0) <= 100:
        raise line.error("out-of-range", "read% is outside 0..100")
    version = by.get("version", "n/a")
    return Row(
        run=by["run"],
        label=by["interval"],
        time_s=time_s,
        day=day,
        zone=zone,
        values=values,
        version=None if version.lower() == "n/a" else version,
        place=line.place,
        dated=day is not None,
    )


def _stamp(stamp: str) -> tuple[date | None, str | None, float | None]:
    match = _STAMP.fullmatch(stamp)
    if match is None:
        return None, None, None
    try:
        day = date(int(match[3]), int(match[1]), int(match[2]))
    except ValueError:
        return None, None, None
    return day, match[5], text.time_of_day(match[4])
