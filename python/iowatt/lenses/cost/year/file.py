"""A duty cycle in a TOML file, ``iowatt.duty-cycle/1``: stated hours, or those of a log or a Run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import numpy as np
from pydantic import Field

from iowatt.base.document import TomlDocument
from iowatt.base.errors import InputError
from iowatt.base.problems import Problem
from iowatt.base.results import Note
from iowatt.base.strict import Strict, key
from iowatt.lenses.book import Quality
from iowatt.lenses.cost.year import measured
from iowatt.lenses.cost.year.cycle import Cycle, Holiday, weekday_and_weekend
from iowatt.run.bundle import Run

SCHEMA: Final = "iowatt.duty-cycle/1"
_LEAP: Final = 2000
_MOST: Final = 1e12
_NEXT: Final = 1.0 + 1e-9
_SHOWN: Final = 40

HourLoad = Annotated[float, Field(ge=0, le=_MOST)]


def holiday(text: str) -> Holiday:
    """The day ``12-25`` (every year) or ``2026-04-03``. Raises ``InputError`` for anything else."""
    parts = text.split("-")
    try:
        if [len(part) for part in parts] not in ([2, 2], [4, 2, 2]) or not text.isascii():
            raise ValueError
        *years, month, day = (int(part) for part in parts)
        date(years[0] if years else _LEAP, month, day)
    except ValueError:
        raise InputError(
            "bad-syntax",
            None,
            f"{text[:_SHOWN]!r} is not a day; expected MM-DD (every year) or YYYY-MM-DD, such as 12-25",
        ) from None
    return Holiday(month, day, years[0] if years else None)


def _local(text: str) -> datetime:
    """A local time. Raises ``InputError`` for anything else."""
    with suppress(ValueError):
        time = datetime.fromisoformat(text)
        if time.tzinfo is None:
            return time
    raise InputError(
        "bad-syntax",
        None,
        f"{text[:_SHOWN]!r} is not a local time; expected YYYY-MM-DDTHH:MM, such as 2026-03-02T08:00",
    )


def _hours(text: str, **constraints: Any) -> Any:
    return key(text, min_length=24, max_length=24, accepts="24 numbers, midnight to one first", **constraints)


class _Common(Strict):
    """Keys of both kinds of files."""

    schema_: Literal["iowatt.duty-cycle/1"] = key(
        "The version of this format.", accepts=f'"{SCHEMA}"', example=SCHEMA, alias="schema"
    )
    name: str = key("Its name.", pattern=r"^[a-z0-9][a-z0-9.-]*$", max_length=64, example="office-hours")
    title: str = key("What it is, in a line.", min_length=1, max_length=200)
    month: list[Annotated[float, Field(ge=0, le=1e6)]] | None = key(
        "What the hours of each month, January first, are multiplied by.",
        default=None,
        unset="1 for all",
        min_length=12,
        max_length=12,
        accepts="12 numbers, January first",
    )
    holidays: list[str] = key(
        "Days that have the hours of `holiday`: MM-DD every year, YYYY-MM-DD once.",
        default=[],
        max_length=1000,
        example=["12-25", "2026-04-03"],
    )
    growth_per_year: float = key(
        "By how much the load rises from one year to the next, as a share.",
        default=0.0, gt=-1, le=10, example=0.1,
    )  # fmt: skip
    notes: list[str] = key("Notes for its users, shown with results.", default=[])

    def problems(self) -> Iterator[Problem]:
        """Conflicts between keys."""
        if self.month is not None and not any(self.month):
            yield Problem("out-of-range", ("month",), "no month has any load; expected a number above 0")
        for index, text in enumerate(self.holidays):
            try:
                holiday(text)
            except InputError as error:
                yield Problem(error.code, ("holidays", index), error.message)

    def over_the_year(self, week: Cycle) -> Cycle:
        """``week`` with this file's months, holidays and growth."""
        return replace(
            week, name=self.name, title=self.title,
            months=np.ones(12) if self.month is None else np.array(self.month),
            holidays=tuple(holiday(text) for text in self.holidays), growth=self.growth_per_year,
            notes=(*week.notes, *(Note(code="duty-cycle-file", text=text) for text in self.notes)),
        )  # fmt: skip


class HoursFile(_Common):
    """A duty cycle of stated hours."""

    load: Literal["share", "iops", "mib_per_s"] = key(
        "Unit of the hours. share: of the highest load that has a Run, 0 to 1; iops: requests per second; "
        "mib_per_s: MiB per second.",
        example="share",
    )
    weekday: list[HourLoad] = _hours("The load of each hour, Monday to Friday.", example=[0.1] * 24)
    weekend: list[HourLoad] | None = _hours(
        "The load of each hour on Saturday and Sunday.", default=None, unset="as weekday"
    )
    holiday: list[HourLoad] | None = _hours(
        "The load of each hour on holidays.", default=None, unset="as weekend"
    )
    source: str = key("The publication, file or reason.", min_length=1)
    date: str | None = key(
        "Day, month or year that it is of.", default=None, unset="not known", pattern=r"^\d{4}(-\d{2}){0,2}$"
    )
    quality: Quality = key(
        "measured, stated (published), derived (computed from such figures), recalled, assumed, defined "
        "(a choice of method), given (by the user)."
    )

    def problems(self) -> Iterator[Problem]:
        """What is wrong between keys."""
        yield from super().problems()
        highest = max(self.month or [1.0])
        for name in ("weekday", "weekend", "holiday"):
            for hour, value in enumerate(getattr(self, name) or []):
                if self.load == "share" and value * highest > _NEXT:
                    by = f" times {highest:g} of the highest month" if self.month else ""
                    yield Problem(
                        "out-of-range",
                        (name, hour),
                        f"{value:g}{by} is above 1; a share is of the highest load that has a Run",
                    )
        if not any((*self.weekday, *(self.weekend or []))):
            yield Problem("out-of-range", ("weekday",), "no hour has any load; expected a number above 0")

    def cycle(self, where: str) -> Cycle:
        """The cycle."""
        weekday = np.array(self.weekday)
        weekend = weekday if self.weekend is None else np.array(self.weekend)
        return self.over_the_year(
            Cycle(
                name=self.name, title=self.title, where=where, measure=self.load,
                week=weekday_and_weekend(weekday, weekend), source=self.source, quality=self.quality,
                date=self.date, holiday=weekend if self.holiday is None else np.array(self.holiday),
            )
        )  # fmt: skip


class MeasuredLoad(Strict):
    """The log or Run, and its times."""

    path: str = key(
        "A log of iostat, sar or perfmon, or a Run's folder, relative to this file.",
        min_length=1,
        max_length=4096,
    )
    devices: list[str] = key(
        "Devices of the log, whose load is added up.", default=[], max_length=4096, example=["sda"]
    )
    shift_hours: float = key(
        "Hours from the log's clock to local time: -5 where the log has UTC and the site is on UTC-5.",
        default=0.0, ge=-24, le=24,
    )  # fmt: skip
    begins: str | None = key(
        "The local time of a Run's second 0.",
        default=None,
        unset="midnight; of a Run of a week or more, before a Monday",
        example="2026-03-02T08:00",
    )
    highest: float | None = key(
        "Only the shape counts: its highest hour is at this share of the highest load that has a Run.",
        default=None, unset="the rates are those measured", gt=0, le=1, example=0.8,
    )  # fmt: skip


class MeasuredFile(_Common):
    """A duty cycle with the hours of a log or a Run."""

    measured: MeasuredLoad = key("What was measured.", example={"path": "week.txt", "devices": ["sda"]})

    def problems(self) -> Iterator[Problem]:
        """What is wrong between keys."""
        yield from super().problems()
        if self.measured.begins is not None:
            try:
                _local(self.measured.begins)
            except InputError as error:
                yield Problem(error.code, ("measured", "begins"), error.message)

    def cycle(self, where: str) -> Cycle:
        """The cycle of the log or Run."""
        stated = self.measured
        path = Path(where).parent / stated.path
        if not path.exists():
            raise InputError("not-found", f"{where}: measured.path", f"there is no log or Run {path}")
        if path.is_dir() or path.name == "run.json":
            self._refuse(where, devices=bool(stated.devices), shift_hours=bool(stated.shift_hours))
            begins = None if stated.begins is None else _local(stated.begins)
            week = measured.of_run(Run.open(path), begins)
        else:
            self._refuse(where, begins=stated.begins is not None)
            shift = stated.shift_hours if "shift_hours" in stated.model_fields_set else None
            week = measured.of_log(path, stated.devices, shift)
        # Measured holidays are like Sundays.
        year = self.over_the_year(replace(week, holiday=week.week[-1]))
        return year if stated.highest is None else year.as_share(stated.highest)

    def _refuse(self, where: str, **keys: bool) -> None:
        for name, present in keys.items():
            if present:
                what = "Run, not to a log" if name == "begins" else "log, not to a Run"
                raise InputError("not-applicable", f"{where}: measured.{name}", f"applies to a {what}")


def of_document(document: TomlDocument) -> Cycle:
    """The cycle of a TOML document. Raises ``InputError`` for keys, shares, logs and Runs not accepted."""
    kind: type[MeasuredFile | HoursFile] = MeasuredFile if "measured" in document.raw else HoursFile
    file = document.validate(kind)
    document.fail(file.problems())
    return file.cycle(document.source)
