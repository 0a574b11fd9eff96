"""Time stamps of logs as Unix time. A stamp without a zone is refused until the zone is given."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta, timezone
from typing import Final

from iowatt.base.errors import Argument, InputError
from iowatt.sources import time_zones as offsets

FORMATS: Final = (
    "iso (2026-11-21 16:25:04.5, with or without a zone), unix, unix-ms, unix-us (numbers since 1970), "
    "or a pattern such as %d.%m.%Y %H:%M:%S"
)
OPTIONS: Final = {
    "utc-offset": "zone of stamps without one: Z, +01:00, -08:00",
    "time-format": f"how stamps are written: {FORMATS}",
    "date": "the day of stamps that are times of day, as 2026-11-21",
}

_STAMP: Final = re.compile(
    r"([0-9]{4})[-/.]([0-9]{1,2})[-/.]([0-9]{1,2})(?:[T ]+|, ?)"
    r"([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:[.,:]([0-9]{1,9}))?)?"
    r" ?(Z|UTC|GMT|[+-][0-9]{2}:?[0-9]{2})?",
    re.ASCII,
)
_DAY_TIME: Final = re.compile(r"([0-9]{1,2}):([0-9]{2}):([0-9]{2})(?:[.,:]([0-9]{1,9}))?", re.ASCII)
_NUMBER: Final = re.compile(r"[0-9]{1,17}(?:\.[0-9]{1,9})?", re.ASCII)
_SCALES: Final = {"unix": 1.0, "unix-ms": 1e-3, "unix-us": 1e-6}
_LONGEST: Final = 64
#: Year 2286 and 1973: what lies outside is in another unit.
_LAST, _FIRST = 1e10, 1e8


class Stamps:
    """Reads the stamps of one log.

    Parameters
    ----------
    time_format:
        One of :data:`FORMATS`; None finds out from the first stamp.
    utc_offset:
        Zone of stamps without one, as in the options; None refuses such stamps.
    day:
        Day of stamps that are times of day only.
    where:
        The log, for errors about the options.

    Raises ``InputError`` where an option is wrong.
    """

    def __init__(
        self, time_format: str | None, utc_offset: str | None, day: str | None = None, *, where: str
    ) -> None:
        if time_format is not None and time_format not in ("iso", *_SCALES) and "%" not in time_format:
            message = f"{time_format[:40]!r} is not a time format; accepted are {FORMATS}"
            raise InputError("not-accepted", f"{where}: time-format", message)
        self._format = time_format
        self._zone = None if utc_offset is None else zone(utc_offset)
        self._day: date | None = None
        self._last_second = 0.0
        if day is not None:
            try:
                self._day = date.fromisoformat(day)
            except ValueError:
                raise InputError(
                    "bad-syntax", f"{where}: date", f"{day[:40]!r} is not a date such as 2026-11-21"
                ) from None

    def seconds(self, text: str, where: str) -> float:
        """Unix time, UTC, in s.

        Raises ``InputError`` at ``where``: no stamp, no zone, or day and month in an ambiguous order.
        """
        text = text.strip()
        if len(text) > _LONGEST:
            raise InputError("bad-syntax", where, f"{text[:30]!r}... is not a time")
        if self._format is None:
            self._format = _found(text)
        try:
            found = self._parsed(text)
        except (ValueError, OverflowError):
            code, hint = "bad-syntax", None
            if re.match(r"[0-9]{1,2}[-/.][0-9]{1,2}[-/.][0-9]{2,4}", text):
                code = "ambiguous"
                hint = "day and month cannot be told apart: add time-format=%d/%m/%Y %H:%M:%S, or %m/%d/..."
            raise InputError(
                code, where, f"{text!r} is not a time; accepted are {FORMATS}", hint=hint
            ) from None
        if found is None:
            raise InputError(
                "no-time-zone",
                where,
                f"the stamp {text!r} has no time zone",
                hint="set the offset of the meter's clock: `utc_offset=+01:00` (or Z for UTC)",
            )
        if not 0 <= found < 1e11:
            raise InputError("out-of-range", where, f"{text!r} is not a time from 1970 to 5138")
        return found

    def _parsed(self, text: str) -> float | None:
        assert self._format is not None
        if self._format in _SCALES:
            return float(text) * _SCALES[self._format]
        if self._format != "iso":
            return self._zoned(datetime.strptime(text, self._format))
        match = _STAMP.fullmatch(text)
        if match is None:
            return self._time_of_day(text)
        year, month, day, hour, minute, second = (int(part or 0) for part in match.groups()[:6])
        stamp = datetime(year, month, day, hour, minute, second)
        if match[8]:
            stamp = stamp.replace(tzinfo=zone(match[8]))
        fraction = float(f"0.{match[7]}") if match[7] else 0.0
        seconds = self._zoned(stamp)
        return None if seconds is None else seconds + fraction

    def _time_of_day(self, text: str) -> float | None:
        match = _DAY_TIME.fullmatch(text)
        if match is None or self._day is None:
            raise ValueError(text)
        hour, minute, second = (int(part) for part in match.groups()[:3])
        fraction = float(f"0.{match[4]}") if match[4] else 0.0
        within = hour * 3600 + minute * 60 + second + fraction
        if within < self._last_second - 43_200:  # past midnight
            self._day += timedelta(days=1)
        self._last_second = within
        seconds = self._zoned(datetime(self._day.year, self._day.month, self._day.day, hour, minute, second))
        return None if seconds is None else seconds + fraction

    def _zoned(self, stamp: datetime) -> float | None:
        if stamp.tzinfo is None:
            if self._zone is None:
                return None
            stamp = stamp.replace(tzinfo=self._zone)
        return stamp.timestamp()


def _found(text: str) -> str:
    """The format of a stamp that is a number by its size, else iso."""
    if _NUMBER.fullmatch(text):
        value = float(text)
        for name, scale in _SCALES.items():
            if _FIRST <= value * scale < _LAST:
                return name
    return "iso"


def zone(text: str) -> timezone:
    """A zone as an offset from UTC. Raises ``InputError``."""
    found = offsets.parse_utc_offset(text)
    if found is not None:
        return found
    message = "not an offset from UTC; accepted are Z, +01:00, -08:00"
    raise InputError("bad-syntax", Argument("utc_offset", text[:40]), message)
