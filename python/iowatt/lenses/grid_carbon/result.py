"""Carbon of a load under a series of grid intensities, ``iowatt.grid-carbon/1``."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from iowatt.base.results import Note, Result, ResultDocument


class DayTime(Result):
    """A time of the day over all days: mean intensity, and that over a job that begins then."""

    start_h: float  #: Hours after midnight.
    g_per_kwh: float
    job_g_per_kwh: float


class ShiftedLoad(Result):
    """The load with its movable part at better times."""

    movable_share: float
    delay_s: float  #: How much later work may be done at most.
    kg: float
    saved_kg: float
    saved_share: float | None
    peak_kw: float  #: Highest mean power of an interval: moved work piles up.
    usd: float | None  #: The bill of the shifted load; None without a tariff.
    saved_usd: float | None


class GridCarbon(ResultDocument):
    """kg CO2e of a load, interval by interval; local times as those of the series."""

    schema_id: Literal["iowatt.grid-carbon/1"] = Field(default="iowatt.grid-carbon/1", alias="schema")
    load: str
    series: str
    start: str
    seconds: float
    interval_s: float
    kwh: float
    kg: float
    g_per_kwh: float | None  #: Of the load's energy.
    mean_g_per_kwh: float  #: Of the series over the same time.
    kg_by_mean: float  #: What the mean alone would give.
    lowest_g_per_kwh: float
    highest_g_per_kwh: float
    peak_kw: float
    usd: float | None
    job_s: float
    best_start_h: float  #: When a job of ``job_s`` is to begin, hours after midnight.
    best_start_saves_share: float | None  #: Against beginning at any time.
    day: list[DayTime]
    shifted: ShiftedLoad | None
    notes: list[Note]
