"""Time zones: offsets from UTC as logs and options write them, and the abbreviations of vdbench's stamps.

Abbreviations are no standard: unambiguous ones are known here, the others need a time zone from the user.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from typing import Final
from zoneinfo import ZoneInfo

from iowatt.base.errors import Argument, InputError

_OFFSET: Final = re.compile(r"(?:GMT|UTC)?([+-])([0-9]{1,2})(?::?([0-9]{2}))?", re.ASCII)
_MOST: Final = timedelta(hours=14)
_MINUTES: Final = 60


def parse_utc_offset(text: str) -> timezone | None:
    """The offset; ``None`` where the text is none, or lies beyond 14 hours."""
    text = text.strip()
    if text.upper() in ("Z", "UTC", "GMT"):
        return UTC
    match = _OFFSET.fullmatch(text)
    if match is None or int(match[3] or 0) >= _MINUTES:
        return None
    offset = timedelta(hours=int(match[2]), minutes=int(match[3] or 0))
    if offset > _MOST:
        return None
    return timezone(-offset if match[1] == "-" else offset)


_HOURS: Final = {
    "UTC": 0, "GMT": 0, "Z": 0, "UCT": 0, "WET": 0, "WEST": 1, "CET": 1, "CEST": 2, "MEZ": 1, "MESZ": 2,
    "EET": 2, "EEST": 3, "MSK": 3, "EST": -5, "EDT": -4, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8,
    "PDT": -7, "AKST": -9, "AKDT": -8, "HST": -10, "JST": 9, "KST": 9, "HKT": 8, "SGT": 8, "AEST": 10,
    "AEDT": 11, "NZST": 12, "NZDT": 13,
}  # fmt: skip
#: What else an abbreviation may be.
_SEVERAL: Final = {
    "CST": "America/Chicago or Asia/Shanghai",
    "IST": "Asia/Kolkata, Asia/Jerusalem or Europe/Dublin",
    "BST": "Europe/London or Asia/Dhaka",
    "AST": "America/Halifax or Asia/Riyadh",
}


class StampZones:
    """Turns local times into Unix time; ``named`` (Europe/Berlin, +02:00) goes before the abbreviations."""

    def __init__(self, named: str | None = None) -> None:
        """Raises ``InputError`` where there is no such time zone."""
        self._named = _zone(named) if named is not None else None

    def unix(self, day: date, seconds: float, zone: str | None, place: str) -> float:
        """Unix time of a time of day.

        Raises ``InputError`` where the zone is not known, or means several things.
        """
        midnight = datetime(day.year, day.month, day.day)
        try:
            local = midnight + timedelta(seconds=seconds)
            if self._named is not None:
                # An hour comes twice when the clock is set back: the abbreviation says which it is.
                both = [local.replace(tzinfo=self._named, fold=fold) for fold in (0, 1)]
                said = [moment for moment in both if moment.tzname() == zone]
                return (said or both)[0].timestamp()
            return local.replace(tzinfo=_abbreviated(zone, place)).timestamp()
        except (OverflowError, ValueError):
            raise InputError("out-of-range", place, "the time is outside the calendar") from None


def _zone(name: str) -> tzinfo:
    offset = parse_utc_offset(name)
    if offset is not None:
        return offset
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        message = "no such time zone; examples are Europe/Berlin, America/Chicago, +02:00 and UTC"
        raise InputError("unknown-name", Argument("time_zone", name[:60]), message) from None


def _abbreviated(zone: str | None, place: str) -> tzinfo:
    if zone is None:
        message = "the time stamp has no time zone"
        hint = "give it, such as `time_zone=Europe/Berlin` or `time_zone=UTC`"
        raise InputError("no-time-zone", place, message, hint=hint)
    if zone in _HOURS:
        return timezone(timedelta(hours=_HOURS[zone])) if _HOURS[zone] else UTC
    offset = parse_utc_offset(zone)
    if offset is not None:
        return offset
    several = _SEVERAL.get(zone)
    message = (
        f"the time zone {zone[:20]!r} may be {several}"
        if several
        else f"{zone[:20]!r} is not a known time zone"
    )
    hint = "give it, such as `time_zone=Europe/Berlin`; load generators are best run in UTC"
    raise InputError("ambiguous" if several else "unknown-name", place, message, hint=hint)
