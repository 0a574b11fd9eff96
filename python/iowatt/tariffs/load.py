"""A load: joules over time as a cumulative function; read from a table of times and watts.

A Run lasts minutes and a bill covers years, so a load can be ``repeated`` end to end, or follow another
(``sequence``). Energy between two instants is a difference of the cumulative function, so that every
partition is exact but for rounding.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from iowatt.base import input_file
from iowatt.base.errors import InputError

Floats = NDArray[np.float64]

JOULES_PER_KWH = 3.6e6


@dataclass(frozen=True)
class ElectricLoad:
    """Cumulative ``joules`` at the instants ``at_s``, linear between them, ``repeats`` times end to end.

    ``at_s`` (seconds, rising) and ``joules`` (falling where energy is fed back) have shape (n + 1,) and begin
    with 0; ``repeats`` may be a fraction.
    """

    at_s: Floats
    joules: Floats
    repeats: float = 1.0

    @classmethod
    def constant(cls, watts: float, seconds: float) -> ElectricLoad:
        """A constant load."""
        return cls(np.array([0.0, seconds]), np.array([0.0, watts * seconds]))

    @classmethod
    def of_powers(cls, widths_s: Floats, watts: Floats) -> ElectricLoad:
        """A load of stretches of ``widths_s`` seconds at mean ``watts``, each of shape (n,)."""
        at = np.concatenate([[0.0], np.cumsum(widths_s)])
        return cls(at, np.concatenate([[0.0], np.cumsum(widths_s * watts)]))

    @cached_property
    def period_s(self) -> float:
        """Seconds of one repetition."""
        return float(self.at_s[-1])

    @property
    def duration_s(self) -> float:
        """Seconds of all repetitions."""
        return self.period_s * self.repeats

    @cached_property
    def total_j(self) -> float:
        """Joules of all repetitions."""
        whole, rest = divmod(self.duration_s, self.period_s)
        return whole * float(self.joules[-1]) + float(np.interp(rest, self.at_s, self.joules))

    def repeated(self, times: float) -> ElectricLoad:
        """The load repeated ``times`` as often."""
        return ElectricLoad(self.at_s, self.joules, self.repeats * times)

    def scaled(self, factor: float) -> ElectricLoad:
        """The load with ``factor`` times the power, such as PUE."""
        return ElectricLoad(self.at_s, self.joules * factor, self.repeats)

    def plus(self, watts: float) -> ElectricLoad:
        """The load with constant ``watts`` added."""
        return ElectricLoad(self.at_s, self.joules + self.at_s * watts, self.repeats)

    def until(self, seconds: Floats) -> Floats:
        """Joules from the start until each of ``seconds``, within 0 and ``duration_s``."""
        whole, rest = np.divmod(np.clip(seconds, 0.0, self.duration_s), self.period_s)
        used: Floats = whole * self.joules[-1] + np.interp(rest, self.at_s, self.joules)
        return used

    def between(self, edges_s: Floats) -> Floats:
        """Joules of each stretch between neighbours of ``edges_s``, shape (n + 1,) to (n,)."""
        return np.diff(self.until(edges_s))


def sequence(loads: Sequence[ElectricLoad]) -> ElectricLoad:
    """One load after another."""
    at, joules = [np.zeros(1)], [np.zeros(1)]
    for load in loads:
        repeats = int(np.ceil(load.repeats))
        edges = (np.arange(repeats)[:, None] * load.period_s + load.at_s[None, 1:]).ravel()
        edges = np.append(edges[edges < load.duration_s], load.duration_s)
        at.append(at[-1][-1] + edges)
        joules.append(joules[-1][-1] + load.until(edges))
    return ElectricLoad(np.concatenate(at), np.concatenate(joules))


#: A year of seconds, and some.
_MOST_BYTES: Final = 1 << 30
_MOST_WATTS: Final = 1e12
#: Some 3,000 years.
_MOST_SECONDS: Final = 1e11


def read_load(path: Path) -> tuple[ElectricLoad, datetime | None]:
    """The load of a file, and its start where its times are local dates.

    A row's watts last until the next row's time, those of the last row as long as the row before. A first row
    of names is skipped; negative watts feed energy back. Raises ``InputError`` with the line.
    """
    widths, watts, start = read_series(path, "watts")
    return ElectricLoad.of_powers(widths, watts), start


def read_series(path: Path, what: str) -> tuple[Floats, Floats, datetime | None]:
    """Lengths in s and values of the rows ``time,what`` of a CSV file, and the start where times are dates.

    A value lasts until the next row's time, the last one as long as the one before. Raises ``InputError``
    with the line.
    """
    expected = f"expected a row time,{what}: seconds or ISO 8601, and mean {what} from then on"
    raw = input_file.whole(path, f"a table of times and {what}", _MOST_BYTES, line=input_file.LOG_LINE_BYTES)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("wrong-format", str(path), "the file is not text in UTF-8") from None
    times: list[float | datetime] = []
    values: list[float] = []
    rows = csv.reader(text.splitlines())
    try:
        for row in rows:
            if not row or (rows.line_num == 1 and not _is_number(row[-1])):
                continue
            place = f"{path}:{rows.line_num}"
            if len(row) != 2:
                raise InputError("wrong-format", place, f"the row has {len(row)} values; {expected}")
            times.append(_time(row[0], place, expected))
            values.append(_value(row[1], place, what))
            if len(times) > 1:
                _refuse_disorder(times[-2], times[-1], place)
    except csv.Error as error:
        raise InputError("wrong-format", f"{path}:{rows.line_num}", f"this is not CSV: {error}") from None
    if len(times) < 2:
        raise InputError("empty", str(path), f"there are fewer than two rows; {expected}")
    first = times[0]
    start = first if isinstance(first, datetime) else None
    widths = np.diff(np.array([_seconds(first, time) for time in times]))
    return np.append(widths, widths[-1]), np.array(values), start


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _value(text: str, place: str, what: str) -> float:
    value = float(text) if _is_number(text) else math.nan
    if not abs(value) <= _MOST_WATTS:
        raise InputError("bad-syntax", place, f"{text.strip()[:40]!r} is not a number of {what}")
    return value


def _time(text: str, place: str, expected: str) -> float | datetime:
    if _is_number(text):
        value = float(text)
        if abs(value) <= _MOST_SECONDS:
            return value
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        raise InputError("bad-syntax", place, f"{text.strip()[:40]!r} is not a time; {expected}") from None
    return found.replace(tzinfo=None)


def _seconds(first: float | datetime, last: float | datetime) -> float:
    if isinstance(first, datetime) and isinstance(last, datetime):
        return (last - first).total_seconds()
    assert isinstance(first, float) and isinstance(last, float)
    return last - first


def _refuse_disorder(before: float | datetime, now: float | datetime, place: str) -> None:
    if isinstance(before, datetime) != isinstance(now, datetime):
        raise InputError(
            "conflict", place, "one row has a date and the other seconds; expected one kind of time"
        )
    if _seconds(before, now) <= 0:
        raise InputError("out-of-order", place, "the time is not later than that of the row before")
