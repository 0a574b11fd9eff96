"""A duty cycle in a TOML file, ``iowatt.duty-cycle/1``."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Annotated, Any, Final, Literal

import numpy as np
from pydantic import AfterValidator, Field

from iowatt.lenses.cost.book.figure import Quality
from iowatt.lenses.cost.year.cycle import Cycle, Holiday, weekday_and_weekend
from iowatt.scenario.document import Document
from iowatt.scenario.problems import Problem
from iowatt.scenario.strict import Strict, key

SCHEMA: Final = "iowatt.duty-cycle/1"
_LEAP: Final = 2000
_MOST: Final = 1e12

Load = Annotated[float, Field(ge=0, le=_MOST)]


def holiday(text: str) -> Holiday:
    """A day written as ``12-25`` (every year) or ``2026-04-03``; a ``ValueError`` where it is neither."""
    parts = text.split("-")
    try:
        if [len(part) for part in parts] not in ([2, 2], [4, 2, 2]) or not text.isascii():
            raise ValueError
        *years, month, day = (int(part) for part in parts)
        date(years[0] if years else _LEAP, month, day)
    except ValueError:
        raise ValueError(
            f"{text[:40]!r} is no day; expected MM-DD (every year) or YYYY-MM-DD, such as 12-25"
        ) from None
    return Holiday(month, day, years[0] if years else None)


def _day(text: str) -> str:
    holiday(text)
    return text


def _hours(text: str, **constraints: Any) -> Any:
    return key(text, min_length=24, max_length=24, accepts="24 numbers, midnight to one first", **constraints)


class CycleFile(Strict):
    """A duty cycle as it is written."""

    schema_: Literal["iowatt.duty-cycle/1"] = key(
        "The version of this format.", example=SCHEMA, alias="schema"
    )
    name: str = key("Its name.", pattern=r"^[a-z0-9][a-z0-9.-]*$", max_length=64, example="office-hours")
    title: str = key("What it is, in a line.", min_length=1, max_length=200)
    load: Literal["share", "iops", "mib_per_s"] = key(
        "What the hours are in. share: of the highest load that there is a Run of, 0 to 1; iops: requests "
        "per second; mib_per_s: MiB per second.",
        example="share",
    )
    weekday: list[Load] = _hours("The load of each hour, Monday to Friday.", example=[0.1] * 24)
    weekend: list[Load] | None = _hours(
        "The load of each hour on Saturday and Sunday.", default=None, unset="as weekday"
    )
    holiday: list[Load] | None = _hours(
        "The load of each hour on holidays.", default=None, unset="as weekend"
    )
    month: list[Annotated[float, Field(ge=0, le=1e6)]] | None = key(
        "What the hours of each month, January first, are multiplied by.",
        default=None,
        unset="1 for all",
        min_length=12,
        max_length=12,
        accepts="12 numbers, January first",
    )
    holidays: list[Annotated[str, AfterValidator(_day)]] = key(
        "Days that have the hours of `holiday`: MM-DD every year, YYYY-MM-DD once.",
        default=[],
        max_length=1000,
        example=["12-25", "2026-04-03"],
    )
    growth_per_year: float = key(
        "By how much the load rises from one year to the next, as a share.",
        default=0.0, gt=-1, le=10, example=0.1,
    )  # fmt: skip
    source: str = key("The publication, file or reason.", min_length=1)
    date: str | None = key(
        "Day, month or year that it is of.", default=None, unset="not known", pattern=r"^\d{4}(-\d{2}){0,2}$"
    )
    quality: Quality = key(
        "measured, stated (published), derived (computed from such figures), recalled, assumed, defined "
        "(a choice of method), given (by the user)."
    )
    notes: list[str] = key("What whoever uses it should know; shown with results.", default=[])

    def problems(self) -> Iterator[Problem]:
        """What is wrong between keys."""
        highest = max(self.month or [1.0])
        for name in ("weekday", "weekend", "holiday"):
            for hour, value in enumerate(getattr(self, name) or []):
                if self.load == "share" and value * highest > 1.0:
                    by = f" times {highest:g} of the highest month" if self.month else ""
                    yield Problem(
                        (name, hour),
                        f"{value:g}{by} is above 1; shares are of the highest load there is a Run of",
                    )
        if not any((*self.weekday, *(self.weekend or []))):
            yield Problem(("weekday",), "no hour has any load")
        if self.month is not None and not any(self.month):
            yield Problem(("month",), "no month has any load")

    def cycle(self, where: str) -> Cycle:
        """The same in arrays."""
        weekday = np.array(self.weekday)
        weekend = weekday if self.weekend is None else np.array(self.weekend)
        return Cycle(
            name=self.name,
            title=self.title,
            where=where,
            measure=self.load,
            week=weekday_and_weekend(weekday, weekend),
            source=self.source,
            quality=self.quality,
            date=self.date,
            months=np.ones(12) if self.month is None else np.array(self.month),
            holidays=tuple(holiday(text) for text in self.holidays),
            holiday=weekend if self.holiday is None else np.array(self.holiday),
            growth=self.growth_per_year,
            notes=tuple(self.notes),
        )


def of_document(document: Document) -> Cycle:
    """The cycle of a TOML text.

    Raises
    ------
    InputError
        A key is unknown, missing or out of bounds (file, line, key); shares above 1; nothing but zeros.
    """
    file = document.validate(CycleFile)
    document.fail(file.problems())
    return file.cycle(document.source)
