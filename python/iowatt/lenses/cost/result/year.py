"""``systems[].year`` of ``iowatt.cost/1``: a year of a duty cycle on one array."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from iowatt.base.printable import PrintableResult
from iowatt.base.results import Note, ResultDocument


class DutyCycle(PrintableResult):
    """The load of each hour of the week, and factors of months and holidays, in ``measure``."""

    name: str
    title: str
    where: str
    measure: str
    #: 7 x 24, Monday first.
    week: list[list[float]]
    mean_day: list[float]
    months: list[float]
    holidays: list[str]
    holiday: list[float] | None
    growth_per_year: float
    source: str
    date: str | None
    quality: str
    notes: list[Note]


class HighestHour(PrintableResult):
    """The hour with the highest load."""

    when: str
    load: float
    watts: float
    response_ms: float | None


class LoadLevel(PrintableResult):
    """A Run and the hours that it represents."""

    where: str
    load: float
    #: Of the highest load.
    share: float
    watts: float
    response_ms: float | None
    hours: float


class LoadBand(PrintableResult):
    """Hours at loads from ``above`` up to ``to``, shares of the highest load."""

    above: float
    to: float
    hours: int
    kwh: float


class MeanWeek(PrintableResult):
    """Means by hour of the week, 7 x 24, Monday first."""

    days: list[str]
    load: list[list[float]]
    watts: list[list[float]]


class MeanDay(PrintableResult):
    """Means by hour of the day."""

    load: list[float]
    watts: list[float]


class CalendarMonth(PrintableResult):
    """A calendar month of all years together."""

    month: int
    hours: int
    kwh: float
    mean_load: float


class DutyYear(ResultDocument, PrintableResult):
    """A year of a duty cycle on one array: loads in ``unit``, power in W."""

    schema_id: Literal["iowatt.year/1"] = Field(default="iowatt.year/1", alias="schema")
    system: str
    cycle: DutyCycle
    start: str
    years: int
    measure: str
    unit: str
    highest: float
    power_basis: str
    modelled: bool
    energy_kwh: float
    mean_w: float
    requests: float
    bytes_moved: float
    response_ms: float | None
    highest_hour: HighestHour
    levels: list[LoadLevel]
    by_load: list[LoadBand]
    week: MeanWeek
    mean_day: MeanDay
    months: list[CalendarMonth]
    notes: list[Note]
