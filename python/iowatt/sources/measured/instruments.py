"""Logs of instruments cut at the intervals of a Run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Literal

import numpy as np
import polars as pl

from iowatt.base.errors import InputError
from iowatt.run.summary_parts import InstrumentProblem, InstrumentSummary
from iowatt.run.tables import INSTRUMENTS, frame
from iowatt.sources.measured.flow import RunSpan
from iowatt.sources.meters.log import QUANTITIES, AlignedSeries, InstrumentLog, align

Role = Literal["power", "temperature"]

_HINT: Final = "it may be of another run, or a clock may be wrong; iowatt counts in UTC"
#: Remarks about single intervals of an instrument in a run's notes.
_MOST_NOTES: Final = 8


@dataclass(frozen=True)
class Cut:
    """A log by interval."""

    log: InstrumentLog
    role: Role
    parts: Mapping[str, AlignedSeries]  #: By quantity, each over the same intervals.
    seconds: Sequence[float]

    @property
    def name(self) -> str:
        """The instrument's name."""
        return self.log.instrument.name

    @property
    def watts(self) -> list[float | None]:
        """Mean watts by interval; None where samples are missing. Of a thermometer all None."""
        part = self.parts.get("watts") if self.role == "power" else None
        if part is None:
            return [None] * len(self.seconds)
        return [None if math.isnan(value) else float(value) for value in part.usable_mean]

    @property
    def whole(self) -> bool:
        """Whether every interval has its power."""
        return all(value is not None for value in self.watts)

    @property
    def notes(self) -> list[str]:
        """Remarks on this instrument for readers of the figures."""
        instrument, found = self.log.instrument, []
        if instrument.grade != "emerald":
            found.append(f"{instrument.name} is indicative, not of Emerald grade: {instrument.why}")
        part = self.parts.get("watts" if self.role == "power" else "celsius")
        for number, flags in enumerate(() if part is None else part.flags, 1):
            found += [f"{instrument.name}, interval {number}: {flag}" for flag in flags]
        if len(found) > _MOST_NOTES:
            more = len(found) - _MOST_NOTES
            found = [
                *found[:_MOST_NOTES],
                f"{instrument.name}: {more} more such remarks, see the instruments",
            ]
        return found


def cut(log: InstrumentLog, spans: Sequence[RunSpan], role: Role) -> Cut:
    """A log cut at the ends of the spans.

    Raises ``InputError`` where it has not one sample within them (it is of another run, or its clock is
    off), or not the quantity of its role.
    """
    where = str(log.path) if log.path is not None else log.instrument.name
    start, end = np.array([span.start for span in spans]), np.array([span.end for span in spans])
    quantity = "watts" if role == "power" else "celsius"
    if quantity not in log.quantities:
        known = ", ".join(log.quantities) or "nothing"
        raise InputError(
            "missing-figure", where, f"there is no {quantity}, which {role} needs; there is {known}"
        )
    if not bool(((log.time_s > start[0]) & (log.time_s <= end[-1])).any()):
        raise InputError(
            "not-comparable", where, f"no sample lies within the run: {_apart(log, spans)}", hint=_HINT
        )
    parts = {name: align(log, name, start, end) for name in QUANTITIES if name in log.quantities}
    return Cut(log, role, parts, [span.seconds for span in spans])


def _apart(log: InstrumentLog, spans: Sequence[RunSpan]) -> str:
    """Where the log and the run lie."""

    def shown(seconds: float) -> str:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")

    run = f"the run is from {shown(spans[0].start)} to {shown(spans[-1].end)} UTC"
    if not len(log.time_s):
        return f"the log is empty, {run}"
    return f"the log is from {shown(float(log.time_s[0]))} to {shown(float(log.time_s[-1]))} UTC, {run}"


def summed(parts: Sequence[Sequence[float | None]], count: int) -> list[float | None]:
    """The sum of several meters by interval; None where one of them is missing, or there is none."""
    if not parts:
        return [None] * count
    total: list[float | None] = []
    for values in zip(*parts, strict=True):
        known = [value for value in values if value is not None]
        total.append(math.fsum(known) if len(known) == len(values) else None)
    return total


def table(cuts: Sequence[Cut], spans: Sequence[RunSpan]) -> pl.DataFrame | None:
    """The table ``instruments``; None without any."""
    if not cuts:
        return None
    origin = spans[0].start
    columns: dict[str, list[Any]] = {key: [] for key in INSTRUMENTS}
    for one in cuts:
        for quantity, part in one.parts.items():
            columns["instrument"] += [one.name] * len(spans)
            columns["quantity"] += [quantity] * len(spans)
            columns["start_s"] += [span.start - origin for span in spans]
            columns["end_s"] += [span.end - origin for span in spans]
            for key in ("samples", "expected", "not_available", "out_of_range"):
                columns[key] += getattr(part, key).tolist()
            for key in ("longest_gap_s", "mean", "minimum", "maximum"):
                columns[key] += [None if math.isnan(v) else v for v in getattr(part, key).tolist()]
    return frame("instruments", columns)


def described(cuts: Sequence[Cut], spans: Sequence[RunSpan]) -> list[InstrumentSummary]:
    """The instruments of ``run.json``, with problems within the Run and those of the whole log."""
    origin, end = spans[0].start, spans[-1].end
    found = []
    for one in cuts:
        instrument = one.log.instrument
        problems = [
            InstrumentProblem(
                kind=problem.kind,
                at_s=None if problem.at is None else problem.at - origin,
                seconds=problem.seconds,
                text=problem.text,
            )
            for problem in one.log.problems
            if problem.at is None or origin - problem.seconds <= problem.at <= end
        ]
        found.append(
            InstrumentSummary(
                name=instrument.name,
                kind=instrument.kind,
                role=one.role,
                grade=instrument.grade,
                why=instrument.why,
                model=instrument.model,
                serial=instrument.serial,
                calibrated=None if instrument.calibrated is None else instrument.calibrated.isoformat(),
                sample_interval_s=instrument.sample_interval_s,
                uncertainty_percent=instrument.uncertainty_percent,
                details=dict(instrument.details),
                problems=problems,
            )
        )
    return found
