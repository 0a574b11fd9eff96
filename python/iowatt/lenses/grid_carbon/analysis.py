"""kg CO2e of a load by a series of intensities: the sum over intervals of kWh x g/kWh.

Work that may wait is moved within its delay to the interval of the lowest intensity, the first of equals:
with the movable share m and intensity g, an interval's energy E saves m E (g - min g). A job of a given
length is best begun at the time of the day with the lowest mean intensity over that length, over all days.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Final

import numpy as np

from iowatt.base.errors import Argument, InputError
from iowatt.base.results import Note
from iowatt.lenses.electricity import LoadToBill, billed
from iowatt.lenses.grid_carbon.result import DayTime, GridCarbon, ShiftedLoad
from iowatt.tariffs.load import JOULES_PER_KWH, ElectricLoad, Floats, read_series
from iowatt.tariffs.structure import Tariff

_DAY_S: Final = 86_400.0
_HOUR_S: Final = 3600.0
_G_PER_KG: Final = 1000.0
#: Intervals may differ so much from the first: stamps of seconds.
_EVEN: Final = 1e-6
_MOST_INTERVALS: Final = 4_000_000
#: No grid emits more: a lignite plant emits some 1,100 g/kWh, one of oil shale 1,500.
_MOST_G_PER_KWH: Final = 2000.0


@dataclass(frozen=True)
class GridIntensity:
    """Intensities in g/kWh of equal intervals; ``start`` where the file has dates."""

    name: str
    interval_s: float
    g_per_kwh: Floats
    start: datetime | None


@dataclass(frozen=True)
class ShiftRequest:
    """What may move: the share (0 to 1) of each interval's energy, and how much later it may be used."""

    movable: float = 0.0
    delay_s: float = 0.0
    job_s: float = _HOUR_S


def read_intensity(path: Path) -> GridIntensity:
    """A series of a CSV file: time, g/kWh; times are seconds or dates of the clock on the wall.

    Raises ``InputError`` with the line: no such rows, an intensity below 0 or above 2,000 g/kWh, intervals of
    unequal length.
    """
    widths, values, start = read_series(path, "g/kWh")
    uneven = np.flatnonzero(np.abs(widths - widths[0]) > _EVEN * widths[0])
    if uneven.size:
        message = f"the {uneven[0] + 1}. interval lasts {widths[uneven[0]]:g} s, the first {widths[0]:g} s"
        hint = "use standard time all year, and fill in what is missing"
        raise InputError("damaged", str(path), message, hint=hint)
    if (values < 0).any():
        raise InputError("out-of-range", str(path), "an intensity is negative")
    if (values > _MOST_G_PER_KWH).any():
        message = f"{values.max():g} g/kWh: no grid emits more than {_MOST_G_PER_KWH:g}"
        raise InputError("out-of-range", str(path), message, hint="give g CO2e/kWh, which is kg/MWh")
    day = _DAY_S / widths[0]
    if abs(day - round(day)) > _EVEN * day:
        raise InputError("not-accepted", str(path), f"intervals of {widths[0]:g} s do not divide a day")
    return GridIntensity(path.name, float(widths[0]), values, start)


def analyse(
    load: LoadToBill, grid: GridIntensity, request: ShiftRequest, tariff: Tariff | None = None
) -> GridCarbon:
    """The carbon of the load over its whole time; a series of whole days that is shorter is repeated.

    Raises ``InputError``: the series does not cover the load and is not of whole days; shares or times that
    are out of range; too many intervals.
    """
    if not 0 <= request.movable <= 1:
        raise InputError("out-of-range", Argument("movable", f"{request.movable:g}"), "a share is 0 to 1")
    step = grid.interval_s
    count = math.ceil(load.load.duration_s / step - 1e-9)
    if count > _MOST_INTERVALS:
        message = f"the load has {count:,} intervals of {step:g} s; expected {_MOST_INTERVALS:,} at most"
        raise InputError("too-large", Argument("load"), message)
    edges = np.minimum(np.arange(count + 1) * step, load.load.duration_s)
    kwh = load.load.between(edges) / JOULES_PER_KWH
    g, repeated = _intensities(load, grid, count)
    kg = float(kwh @ g) / _G_PER_KG
    widths = np.diff(edges)
    mean = float(g @ widths / widths.sum())
    usd = None if tariff is None else billed(tariff, load).usd
    total = float(kwh.sum())
    day = _day(grid, request.job_s)
    best = min(day, key=lambda time: time.job_g_per_kwh)
    any_time = float(np.mean([time.job_g_per_kwh for time in day]))
    return GridCarbon(
        load=load.title,
        series=grid.name,
        start=load.start.isoformat(),
        seconds=load.load.duration_s,
        interval_s=step,
        kwh=total,
        kg=kg,
        g_per_kwh=kg * _G_PER_KG / total if total > 0 else None,
        mean_g_per_kwh=mean,
        kg_by_mean=total * mean / _G_PER_KG,
        lowest_g_per_kwh=float(g.min()),
        highest_g_per_kwh=float(g.max()),
        peak_kw=float((kwh / widths).max()) * _HOUR_S,
        usd=usd,
        job_s=request.job_s,
        best_start_h=best.start_h,
        best_start_saves_share=1 - best.job_g_per_kwh / any_time if any_time > 0 else None,
        day=day,
        shifted=_shifted(load, request, (kwh, g, widths), (kg, usd), tariff) if request.movable else None,
        notes=_notes(repeated),
    )


def _intensities(load: LoadToBill, grid: GridIntensity, count: int) -> tuple[Floats, bool]:
    """The intensity of each interval of the load, and whether the series was repeated."""
    length, step = len(grid.g_per_kwh), grid.interval_s
    midnight = load.start.replace(hour=0, minute=0, second=0, microsecond=0)
    ahead = (load.start - (midnight if grid.start is None else grid.start)).total_seconds() / step
    first = math.floor(ahead + 1e-9)
    if grid.start is not None and first >= 0 and first + count <= length:
        return grid.g_per_kwh[first : first + count], False
    days = length * step / _DAY_S
    if abs(days - round(days)) > _EVEN or round(days) < 1:
        message = f"the series of {days:g} days does not cover the load, and only whole days are repeated"
        raise InputError("not-comparable", grid.name, message)
    return grid.g_per_kwh[(first + np.arange(count)) % length], True


def _day(grid: GridIntensity, job_s: float) -> list[DayTime]:
    """Means by the time of the day; a job that reaches over the end goes on at the start."""
    step, series = grid.interval_s, grid.g_per_kwh
    long = max(1, round(job_s / step))
    if long > len(series):
        message = f"the job is longer than the series of {len(series)} intervals of {step:g} s"
        raise InputError("out-of-range", Argument("task", f"{job_s:g} s"), message)
    sums = np.cumsum(np.concatenate([[0.0], series, series[: long - 1]]))
    of_job = (sums[long:] - sums[:-long]) / long
    per_day = round(_DAY_S / step)
    begin = 0.0 if grid.start is None else (grid.start.hour * 3600 + grid.start.minute * 60) / step
    times = (round(begin) + np.arange(len(series))) % per_day
    return [
        DayTime(
            start_h=time * step / _HOUR_S,
            g_per_kwh=float(series[times == time].mean()),
            job_g_per_kwh=float(of_job[times == time].mean()),
        )
        for time in range(per_day)
        if (times == time).any()
    ]


def _shifted(
    load: LoadToBill,
    request: ShiftRequest,
    course: tuple[Floats, Floats, Floats],
    before: tuple[float, float | None],
    tariff: Tariff | None,
) -> ShiftedLoad:
    """The movable part of each interval at the best one within the delay."""
    kwh, g, widths = course
    reach = int(request.delay_s / widths[0] + 1e-9)
    padded = np.concatenate([g, np.full(reach, np.inf)])
    windows = np.lib.stride_tricks.sliding_window_view(padded, reach + 1)
    target = np.arange(len(g)) + np.argmin(windows, axis=1)
    moved = np.zeros(len(g))
    np.add.at(moved, target, request.movable * kwh)
    after = (1 - request.movable) * kwh + moved
    kg = float(after @ g) / _G_PER_KG
    usd = None
    if tariff is not None:
        shifted = ElectricLoad.of_powers(widths, after * JOULES_PER_KWH / widths)
        usd = billed(tariff, replace(load, load=shifted)).usd
    return ShiftedLoad(
        movable_share=request.movable,
        delay_s=request.delay_s,
        kg=kg,
        saved_kg=before[0] - kg,
        saved_share=1 - kg / before[0] if before[0] > 0 else None,
        peak_kw=float((after / widths).max()) * _HOUR_S,
        usd=usd,
        saved_usd=None if usd is None or before[1] is None else before[1] - usd,
    )


def _notes(repeated: bool) -> list[Note]:
    notes = [
        Note(
            code="average-intensity",
            text="intensities are averages of the grid: a shift of much load changes which plants run, and "
            "marginal intensities are others",
        ),
        Note(
            code="known-ahead",
            text="the shift knows the whole series: a forecast saves less",
        ),
    ]
    if repeated:
        notes.append(Note(code="repeated", text="the series is repeated over the load's time"))
    return notes
