"""The year of a duty cycle on an array, from its Runs at several loads, as work to be priced."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from datetime import MAXYEAR, datetime
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from iowatt.base.errors import Argument, InputError
from iowatt.base.results import Note
from iowatt.lenses.cost.result.year import (
    CalendarMonth,
    DutyYear,
    HighestHour,
    LoadBand,
    LoadLevel,
    MeanDay,
    MeanWeek,
)
from iowatt.lenses.cost.systems.system import Counts, PricedDrive, PricedSystem, PricedWork
from iowatt.lenses.cost.year.cycle import DAYS, DAYS_A_WEEK, HOURS_A_DAY, Cycle, Floats, hour_name
from iowatt.lenses.cost.year.load_curve import HOUR_S, PricedLoadCurve, array_of, load_curve, placed
from iowatt.lenses.one_array import plan_of
from iowatt.tariffs.load import ElectricLoad

if TYPE_CHECKING:
    from iowatt.run.bundle import Run


_BINS: Final = 10
_MOST_YEARS: Final = 200


@dataclass(frozen=True)
class Year:
    """A year of an array; ``loads`` (in the curve's measure) and ``watts`` have a value for each hour."""

    system: PricedSystem
    cycle: Cycle
    curve: PricedLoadCurve
    start: datetime
    years: int
    loads: Floats
    watts: Floats

    def result(self) -> DutyYear:
        """``systems[].year`` of ``iowatt.cost/1``."""
        curve, work = self.curve, self.system.work
        top = int(np.argmax(self.loads))
        response = curve.response(self.loads[top : top + 1])[0]
        hour_of_week = (self.start.weekday() * HOURS_A_DAY + self.start.hour + np.arange(len(self.loads))) % (
            DAYS_A_WEEK * HOURS_A_DAY
        )
        week = [_means(hour_of_week, values) for values in (self.loads, self.watts)]
        day = [_means(hour_of_week % HOURS_A_DAY, values).tolist() for values in (self.loads, self.watts)]
        load, watts = (means.reshape(DAYS_A_WEEK, HOURS_A_DAY).tolist() for means in week)
        return DutyYear(
            system=self.system.name, cycle=self.cycle.result(), start=f"{self.start:%Y-%m-%d}",
            years=self.years, measure=curve.measure, unit=curve.unit, highest=curve.highest,
            power_basis=self.system.power_basis, modelled=self.system.modelled,
            energy_kwh=float(self.watts.sum()) / 1000.0, mean_w=float(self.watts.mean()),
            requests=work.requests, bytes_moved=work.bytes_moved, response_ms=work.response_ms,
            highest_hour=HighestHour(
                when=hour_name(self.start, top), load=float(self.loads[top]), watts=float(self.watts[top]),
                response_ms=float(response) if math.isfinite(response) else None,
            ),
            levels=self._levels(), by_load=self._by_load(),
            week=MeanWeek(days=list(DAYS), load=load, watts=watts),
            mean_day=MeanDay(load=day[0], watts=day[1]),
            months=self._months(), notes=list(self.system.notes),
        )  # fmt: skip

    def _levels(self) -> list[LoadLevel]:
        curve = self.curve
        hours = curve.weights(self.loads) / HOUR_S
        return [
            LoadLevel(
                where=system.where, load=float(curve.loads[index]),
                share=float(curve.loads[index] / curve.highest), watts=float(curve.watts[index]),
                response_ms=system.work.response_ms, hours=float(hours[index]),
            )
            for index, system in enumerate(curve.systems)
        ]  # fmt: skip

    def _by_load(self) -> list[LoadBand]:
        """Hours and kWh at each tenth of the highest load, and without load."""
        tenth = np.ceil(self.loads / self.curve.highest * _BINS - 1e-9).astype(np.int64).clip(0, _BINS)
        tenth[self.loads == 0] = 0
        tenth[(self.loads > 0) & (tenth == 0)] = 1
        hours = np.bincount(tenth, minlength=_BINS + 1).tolist()
        kwh = (np.bincount(tenth, weights=self.watts, minlength=_BINS + 1) / 1000.0).tolist()
        return [
            LoadBand(above=max(at - 1, 0) / _BINS, to=at / _BINS, hours=hours[at], kwh=kwh[at])
            for at in range(_BINS + 1)
        ]

    def _months(self) -> list[CalendarMonth]:
        """Calendar months of all years together, January first."""
        month = np.repeat([day.month - 1 for day in self.cycle.days(self.start, self.years)], HOURS_A_DAY)[
            self.start.hour : self.start.hour + len(self.loads)
        ]
        hours = np.bincount(month, minlength=12)
        loads, watts = (np.bincount(month, weights=v, minlength=12) for v in (self.loads, self.watts))
        return [
            CalendarMonth(
                month=at + 1, hours=int(hours[at]), kwh=float(watts[at] / 1000.0),
                mean_load=float(loads[at] / hours[at]),
            )
            for at in range(12)
        ]  # fmt: skip


def _means(place: NDArray[np.int64], values: Floats) -> Floats:
    """The mean of the values at each place."""
    means: Floats = np.bincount(place, weights=values) / np.bincount(place)
    return means


def make_year(
    systems: Sequence[PricedSystem],
    cycle: Cycle,
    start: datetime,
    *,
    years: int = 1,
    hours: int | None = None,
    name: str | None = None,
) -> Year:
    """``years`` of ``cycle`` from ``start`` on the array whose Runs are ``systems``.

    Its ``system`` has work of ``years`` x 365 days, or of the first ``hours`` of them. A single year that is
    repeated over a longer horizon has no growth, and its weekends drift by a day a year.

    Raises ``InputError`` as ``load_curve`` and ``placed``, and for years that are not accepted.
    """
    if not 1 <= years <= _MOST_YEARS:
        raise InputError(
            "out-of-range", Argument("years"), f"{years} years are not accepted; expected 1 to {_MOST_YEARS}"
        )
    if start.year + years > MAXYEAR - 1:
        raise InputError(
            "out-of-range",
            Argument("start"),
            f"{years} years from {start:%Y-%m-%d} end after the calendar does, in {MAXYEAR}",
        )
    curve = load_curve(systems, cycle.measure)
    loads = placed(cycle, curve, start, years)
    worked = loads[:hours]
    weights = curve.weights(worked)
    watts = curve.power(loads)
    requests, moved = (
        math.fsum(weight * getattr(system.work, field) / system.work.duration_s
                  for weight, system in zip(weights, curve.systems, strict=True))
        for field in ("requests", "bytes_moved")
    )  # fmt: skip
    top = curve.systems[-1]
    used = [system for system, weight in zip(curve.systems, weights, strict=True) if weight > 0]
    system = replace(
        top,
        # A year is no candidate where one of its Runs is none.
        kept_up=next((run.kept_up for run in used if run.late), used[-1].kept_up if used else None),
        missed=next((run.missed for run in used if run.missed), ""),
        name=name or top.name,
        where=", ".join(run.where for run in curve.systems),
        drives=drives_over(curve.systems, weights),
        work=PricedWork(
            duration_s=len(worked) * HOUR_S,
            load=ElectricLoad.of_powers(np.full(len(worked), HOUR_S), watts[: len(worked)]),
            requests=requests,
            bytes_moved=moved,
            response_ms=_response(curve, worked),
        ),
        modelled=all(run.modelled for run in curve.systems),
        notes=_notes(curve, cycle, loads, start, years),
        cautions=tuple(dict.fromkeys(note for run in used for note in run.cautions)),
    )
    return Year(system, cycle, curve, start, years, loads, watts)


def _response(curve: PricedLoadCurve, loads: Floats) -> float | None:
    """Mean response time in ms, weighted by requests."""
    rates = np.array([run.work.requests / run.work.duration_s for run in curve.systems])
    requests = np.interp(loads, curve.loads, rates)
    if not requests.any():
        return None
    busy = requests > 0
    mean = float(np.average(curve.response(loads[busy]), weights=requests[busy]))
    return mean if math.isfinite(mean) else None


def _notes(
    curve: PricedLoadCurve, cycle: Cycle, loads: Floats, start: datetime, years: int
) -> tuple[Note, ...]:
    notes = [note for system in curve.systems for note in system.notes]
    notes += cycle.notes
    shown = ", ".join(f"{load:.4g}" for load in curve.loads)
    text = (
        f"{'' if years == 1 else f'{years} years of '}the duty cycle {cycle.name} ({cycle.quality}): power "
        f"and counts are interpolated linearly between Runs at {shown} {curve.unit}"
    )
    notes.append(Note(code="between-runs", text=text))
    lowest = float(curve.loads[1]) if curve.has_idle else 0.0
    between = int(((loads > 0) & (loads < lowest)).sum())
    if between:
        text = (
            f"{between} of {len(loads)} hours lie between idle and the lowest load, {lowest:.4g} "
            f"{curve.unit}: their power is interpolated, their response times are the lowest load's"
        )
        notes.append(Note(code="below-lowest-load", text=text))
    top = int(np.argmax(loads))
    response = curve.response(loads[top : top + 1])[0]
    slow = f", mean response time {response:.3g} ms" if math.isfinite(response) else ""
    text = f"highest hour: {hour_name(start, top)} at {loads[top]:.4g} {curve.unit}{slow}"
    notes.append(Note(code="highest-hour", text=text))
    text = "power is constant within an hour: demand charges count hourly means, not peaks within an hour"
    notes.append(Note(code="hourly-means", text=text))
    if cycle.growth and years == 1:
        text = f"a growth of {cycle.growth:.3g} a year is left out: this is the first year alone"
        notes.append(Note(code="growth-left-out", text=text))
    elif cycle.growth:
        text = "crossovers over other times use the mean of these years, growth included"
        notes.append(Note(code="growth-in-mean", text=text))
    return tuple(dict.fromkeys(notes))


def drives_over(systems: Sequence[PricedSystem], weights_s: Floats) -> tuple[PricedDrive, ...]:
    """The drives of the last system with the counts of ``weights_s`` seconds of each system's work.

    All systems have the same drives in the same order. A figure is not known where a Run that represents any
    of the year lacks it.
    """
    times = [
        float(weight) / system.work.duration_s for weight, system in zip(weights_s, systems, strict=True)
    ]
    return tuple(
        replace(drive, counts=_summed([system.drives[index].counts for system in systems], times))
        for index, drive in enumerate(systems[-1].drives)
    )


def _summed(counts: Sequence[Counts], times: Sequence[float]) -> Counts:
    used = [count.scaled(factor) for count, factor in zip(counts, times, strict=True) if factor > 0]
    sums: dict[str, Any] = {
        field.name: _sum([getattr(count, field.name) for count in used]) for field in fields(Counts)
    }
    return Counts(**{**sums, "write_amplification": _amplification(used)})


def _sum(values: Sequence[float | None]) -> float | None:
    """The sum; None where a value is not known."""
    known = [value for value in values if value is not None]
    return math.fsum(known) if len(known) == len(values) else None


def _amplification(used: Sequence[Counts]) -> float | None:
    """Bytes programmed over bytes that hosts wrote, of the Runs with writes."""
    writing = [count for count in used if count.bytes_written > 0]
    if not writing or any(count.write_amplification is None for count in writing):
        return None
    programmed = math.fsum((count.write_amplification or 0.0) * count.bytes_written for count in writing)
    return programmed / math.fsum(count.bytes_written for count in writing)


Observed = tuple["Run", PricedSystem]
_RUNS: Final = "runs"
"""The folder of a search's Runs."""


def make_years(
    observed: Sequence[Observed], cycle: Cycle, start: datetime, *, years: int = 1, hours: int | None = None
) -> list[Year]:
    """A year of each array, in order of their first Runs; see ``make_year``.

    Simulated Runs are of one array where their plans describe the same array, measured ones where drives and
    capacities are equal. A year is named after the scenario of its Runs, or their folder where two share it.
    """
    arrays: dict[Any, list[Observed]] = {}
    for run, system in observed:
        arrays.setdefault(array_of(system, plan_of(run)).array, []).append((run, system))
    groups = list(arrays.values())
    return [
        make_year([system for _, system in group], cycle, start, years=years, hours=hours, name=name)
        for group, name in zip(groups, _names(groups), strict=True)
    ]


def _names(groups: Sequence[Sequence[Observed]]) -> list[str]:
    """A name for each, all different."""
    names = [str(group[0][0].summary["name"]) for group in groups]
    if len(set(names)) < len(names):
        names = [_folder(group) for group in groups]
    return [
        name if names.count(name) == 1 else f"{name}-{names[: index + 1].count(name)}"
        for index, name in enumerate(names)
    ]


def _folder(group: Sequence[Observed]) -> str:
    """The folder of the busiest Run, or the one that it was made in."""
    run, _ = max(group, key=lambda one: one[1].work.requests / one[1].work.duration_s)
    if run.path is None:
        return str(run.name)
    parts = PurePath(run.path.resolve()).parts
    return parts[-3] if len(parts) > 2 and parts[-2] == _RUNS else parts[-1]
