"""Time stamps of logs in any locale, and the lengths of intervals between them."""

from __future__ import annotations

import itertools
import math
import re
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

_DAY: Final = 86_400.0
_TIME: Final = re.compile(
    r"(?P<h>[0-9]{1,2})(?::(?P<m>[0-9]{2})(?::(?P<s>[0-9]{2})(?P<f>\.[0-9]{1,9})?)?"
    r"|\.(?P<dotted_m>[0-9]{2})\.(?P<dotted_s>[0-9]{2}))\s*(?P<half>[AaPp]\.?[Mm]\.?)?",
    re.ASCII,
)
# Years to seconds of Chinese, Japanese and Korean locales, which stand where others have signs.
_SIGNS: Final = str.maketrans(
    dict.fromkeys("\u5e74\u6708\ub144\uc6d4", "-")
    | dict.fromkeys("\u65f6\u6642\uc2dc\u5206\ubd84", ":")
    | dict.fromkeys("\u65e5\u79d2\uc77c\ucd08", "")
)
_LONGEST: Final = 64
_DATE: Final = re.compile(r"([0-9]{1,4})[-/.]([0-9]{1,2})[-/.]([0-9]{1,4})", re.ASCII)
_ZONE: Final = re.compile(r"(?:Z|UTC|[+-][0-9]{2}:?[0-9]{2}|[A-Z]{3,5})?", re.ASCII)


@dataclass(frozen=True)
class Stamp:
    """A time of the day in s, and the days that its date may mean; empty without a date."""

    seconds: float
    days: tuple[int, ...] = ()

    def since(self, before: Stamp) -> float:
        """Seconds from ``before``, the least that the dates allow; a time without a date wraps at midnight.

        Negative where the clock was set back.
        """
        passed = self.seconds - before.seconds
        if self.days and before.days:
            # 03/04 may be in March or April: the reading that makes successive stamps close is the right one.
            return min(
                (passed + _DAY * (a - b) for a, b in zip(self.days, before.days, strict=False)), key=abs
            )
        return passed if passed > -_DAY / 2 else passed + _DAY


def time_of_day(text: str) -> float | None:
    """Seconds of the day of ``HH:MM:SS``, with a fraction, AM or PM if there; Finnish ``HH.MM.SS``."""
    match = _TIME.fullmatch(text.strip())
    if match is None:
        return None
    hour, minute, second = int(match["h"]), int(match["m"] or match["dotted_m"]), 0
    if match["s"] or match["dotted_s"]:
        second = int(match["s"] or match["dotted_s"])
    if match["half"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if match["half"][0] in "Pp" else 0)
    if hour > 23 or minute > 59 or second > 60:
        return None
    return hour * 3600.0 + minute * 60 + second + float(match["f"] or 0)


def stamp(text: str) -> Stamp | None:
    """A date and a time as iostat and perfmon write them, or a time alone; ``None`` where it is neither."""
    if len(text) > _LONGEST:
        return None
    text = plain(text).strip().removeprefix("Time: ")
    day, _, rest = text.partition("T" if "T" in text[:11] else " ")
    days = days_of(day)
    if days:
        words = rest.split()
        zone = (
            words.pop() if len(words) > 1 and _ZONE.fullmatch(words[-1]) and words[-1] not in _HALVES else ""
        )
        clock = " ".join(words)
        if not zone:  # an ISO stamp has its zone without a space
            clock = re.sub(r"(?:Z|[+-][0-9]{2}:?[0-9]{2})$", "", clock, flags=re.ASCII)
        seconds = time_of_day(clock)
        return None if seconds is None else Stamp(seconds, days)
    seconds = time_of_day(text)
    return None if seconds is None else Stamp(seconds)


_HALVES: Final = ("AM", "PM")


def plain(text: str, within: int = _LONGEST) -> str:
    """A line whose stamp, in its first ``within`` characters, has signs for words of East Asian locales."""
    if text.isascii():
        return text
    head = re.sub(r"([-:]) ", r"\1", text[:within].translate(_SIGNS))
    return head + text[within:]


def days_of(text: str) -> tuple[int, ...]:
    """Day numbers that a date may mean: month first, then day first, each where it exists."""
    match = _DATE.fullmatch(text)
    if match is None:
        return ()
    a, b, c = (int(part) for part in match.groups())
    year_first = len(match[1]) == 4
    orders = [(a, b, c)] if year_first else [(c, a, b), (c, b, a)]
    if "." in text and not year_first:
        orders = [(c, b, a)]
    found: list[int | None] = []
    for year, month, day in orders:
        try:
            found.append(date(year + 2000 if year < 100 else year, month, day).toordinal())
        except ValueError:
            found.append(None)
    return tuple(day for day in found if day is not None) if len(orders) == 1 else _both(found)


def _both(found: Sequence[int | None]) -> tuple[int, ...]:
    """Both readings, each in its place; where only one exists it stands in both places."""
    known = [day for day in found if day is not None]
    return tuple(day if day is not None else known[0] for day in found) if known else ()


def lengths(start: Stamp | None, stamps: Sequence[Stamp]) -> list[float]:
    """Seconds of the intervals that end at ``stamps``; the first begins at ``start``.

    Stamps are in whole seconds while intervals are not: where all intervals are within a second of their
    median, each gets their mean, so that the log's length is kept and none is empty. Without ``start`` the
    first is taken to be as long as the median; with one stamp alone its length is not known (NaN).

    Raises ``ValueError`` where time steps back by more than rounding explains; ``args[0]`` is the index of
    that stamp.
    """
    before = [start, *stamps] if start is not None else list(stamps)
    passed = [b.since(a) for a, b in itertools.pairwise(before)]
    if not passed:
        return [math.nan] * len(stamps)
    for index, seconds in enumerate(passed):
        if seconds < 0:
            raise ValueError(index + (start is None))
    median = statistics.median(passed)
    if all(abs(seconds - median) <= 1 for seconds in passed) and all(s.is_integer() for s in passed):
        passed = [sum(passed) / len(passed)] * len(passed)
    missing = len(stamps) - len(passed)
    known = statistics.median(passed)
    return [known] * missing + passed
