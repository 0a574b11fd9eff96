"""A row of vdbench's figures, from whichever report: an interval, or the average of a run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Final

from iowatt.sources.vdbench.text import Start

_AVERAGE: Final = re.compile(r"avg_([0-9]{1,9})-([0-9]{1,9})", re.ASCII)


@dataclass(frozen=True)
class Row:
    """Figures as printed: rates in 1/s, MB/s, times in ms, shares in percent; None where they are missing."""

    run: str
    label: str  #: ``7``, or ``avg_2-7``.
    #: When it was printed: the time of day in s, the date and the zone where the report says them.
    time_s: float
    day: date | None
    zone: str | None
    values: Mapping[str, float | None]
    version: str | None
    place: str
    dated: bool = True  #: Whether the date is the row's own, and not that of a header above it.

    @property
    def number(self) -> int | None:
        """The interval's number; None of an average."""
        return int(self.label) if self.label.isdecimal() else None

    @property
    def average(self) -> tuple[int, int] | None:
        """First and last interval of an average, as it says itself; None of an interval."""
        match = _AVERAGE.fullmatch(self.label)
        return (int(match[1]), int(match[2])) if match else None

    def get(self, key: str) -> float | None:
        """A figure; None where it is missing or the report has no such column."""
        return self.values.get(key)


@dataclass
class RunRows:
    """The rows of one run."""

    name: str
    rows: list[Row] = field(default_factory=list)
    average: Row | None = None
    start: Start | None = None
    #: What vdbench says in between, in boxes of asterisks or as sentences.
    said: list[str] = field(default_factory=list)

    @property
    def first(self) -> Row:
        """The first row; the average where there is no other."""
        row = self.rows[0] if self.rows else self.average
        assert row is not None, "a run is made of its rows"
        return row


def is_label(text: str) -> bool:
    """Whether it is an interval's number or an average's name."""
    return (text.isascii() and text.isdecimal() and len(text) <= 9) or _AVERAGE.fullmatch(text) is not None


def runs(rows: list[Row]) -> list[RunRows]:
    """Rows of a report by run: a run ends with its average, where numbers begin again or the name changes."""
    found: list[RunRows] = []
    for row in rows:
        last = found[-1] if found else None
        number = row.number
        fresh = (
            last is None
            or last.name != row.run
            or last.average is not None
            or (number is not None and last.rows and number <= (last.rows[-1].number or 0))
        )
        if fresh:
            last = RunRows(row.run)
            found.append(last)
        assert last is not None
        if number is None:
            last.average = row
        else:
            last.rows.append(row)
    return found
