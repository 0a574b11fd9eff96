"""A load of a CSV file of times and watts, as a meter's export is."""

from __future__ import annotations

import csv
import math
from datetime import datetime
from pathlib import Path
from typing import Final

import numpy as np

from iowatt.base import input_file
from iowatt.base.errors import InputError
from iowatt.tariffs.load import Load

_EXPECTED: Final = "expected a row time,watts: seconds or ISO 8601, and mean watts from then on"
#: A year of seconds, and some.
_MOST_BYTES: Final = 1 << 30
_MOST_WATTS: Final = 1e12
#: Some 3,000 years.
_MOST_SECONDS: Final = 1e11


def read(path: Path) -> tuple[Load, datetime | None]:
    """The load of a file, and when it begins where its times are dates.

    Each row's watts last until the next row's time, those of the last row as long as those before. A first
    row of names is skipped. Watts may be negative: energy fed back. Dates are of the clock on the wall.

    Raises ``InputError``, with the line, where times do not rise or a value is none.
    """
    raw = input_file.whole(path, "a table of times and watts", _MOST_BYTES, line=input_file.LOG_LINE_BYTES)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("wrong-format", str(path), "the file is not text in UTF-8") from None
    times: list[float | datetime] = []
    watts: list[float] = []
    rows = csv.reader(text.splitlines())
    try:
        for row in rows:
            if not row or (rows.line_num == 1 and not _is_number(row[-1])):
                continue
            place = f"{path}:{rows.line_num}"
            if len(row) != 2:
                raise InputError("wrong-format", place, f"the row has {len(row)} values; {_EXPECTED}")
            times.append(_time(row[0], place))
            watts.append(_watts(row[1], place))
            if len(times) > 1:
                _refuse_disorder(times[-2], times[-1], place)
    except csv.Error as error:
        raise InputError("wrong-format", f"{path}:{rows.line_num}", f"this is not CSV: {error}") from None
    if len(times) < 2:
        raise InputError("empty", str(path), f"there are fewer than two rows; {_EXPECTED}")
    first = times[0]
    start = first if isinstance(first, datetime) else None
    widths = np.diff(np.array([_seconds(first, one) for one in times]))
    return Load.of_powers(np.append(widths, widths[-1]), np.array(watts)), start


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _watts(text: str, place: str) -> float:
    value = float(text) if _is_number(text) else math.nan
    if not abs(value) <= _MOST_WATTS:
        raise InputError("bad-syntax", place, f"{text.strip()[:40]!r} is not a power in watts")
    return value


def _time(text: str, place: str) -> float | datetime:
    if _is_number(text):
        value = float(text)
        if abs(value) <= _MOST_SECONDS:
            return value
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        raise InputError("bad-syntax", place, f"{text.strip()[:40]!r} is not a time; {_EXPECTED}") from None
    return found.replace(tzinfo=None)


def _seconds(first: float | datetime, one: float | datetime) -> float:
    if isinstance(first, datetime) and isinstance(one, datetime):
        return (one - first).total_seconds()
    assert isinstance(first, float) and isinstance(one, float)
    return one - first


def _refuse_disorder(before: float | datetime, now: float | datetime, place: str) -> None:
    if isinstance(before, datetime) != isinstance(now, datetime):
        raise InputError(
            "conflict", place, "one row has a date and the other seconds; expected one kind of time"
        )
    if _seconds(before, now) <= 0:
        raise InputError("out-of-order", place, "the time is not later than that of the row before")
