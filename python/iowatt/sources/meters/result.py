"""Documents of ``iowatt meter``: the kinds of instruments, readings, and what a log holds."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import ConfigDict, Field

from iowatt.base.errors import InputError
from iowatt.base.results import Result, ResultDocument
from iowatt.sources.meters import host, source
from iowatt.sources.meters.address import SCHEMES
from iowatt.sources.meters.log.alignment import align
from iowatt.sources.meters.log.checks import sample_interval
from iowatt.sources.meters.log.instrument import Instrument, InstrumentLog, ProblemKind, Reading


class InstrumentKind(Result):
    """A scheme of addresses."""

    scheme: str
    live: bool
    what: str
    example: str
    grade: str  #: ``emerald``, ``indicative`` or ``as recorded``.
    declarable: bool
    why: str


class InstrumentOptions(InstrumentKind):
    """A scheme with the options of its addresses."""

    options: dict[str, str]


class HostSensor(Result):
    """A sensor of this host."""

    address: str
    what: str


class MeterList(ResultDocument):
    """Kinds of instruments, and the sensors of this host."""

    schema_id: Literal["iowatt.meter-list/1"] = Field(default="iowatt.meter-list/1", alias="schema")
    kinds: list[InstrumentOptions | InstrumentKind]
    here: list[HostSensor]


class LoggedQuantity(Result):
    """The valid samples of a quantity in its own unit. A mean weighs samples by the time they stand for."""

    samples: int
    expected: int
    not_available: int
    out_of_range: int
    longest_gap_s: float
    mean: float | None
    minimum: float | None
    maximum: float | None


class LoggedProblem(Result):
    """Something wrong with a log."""

    kind: ProblemKind
    at: str | None  #: UTC; None where it concerns the whole log.
    seconds: float
    text: str


class LogSummary(Result):
    """What a log holds."""

    instrument: Instrument
    path: str | None
    rows: int
    start: str | None  #: UTC.
    end: str | None
    seconds: float
    sample_interval_s: float | None
    quantities: dict[str, LoggedQuantity]
    problems: list[LoggedProblem]


class LiveReading(Result):
    """A sample: its time, and its quantities by name."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, float]

    time: str  #: UTC.
    time_s: float  #: Unix time.


class ReadLog(Result):
    """A log that was read."""

    address: str
    log: LogSummary


class ReadInstrument(Result):
    """A live instrument that was read."""

    address: str
    instrument: Instrument
    readings: list[LiveReading]


class MeterReadings(ResultDocument):
    """Instruments and logs that were read."""

    schema_id: Literal["iowatt.meter-read/1"] = Field(default="iowatt.meter-read/1", alias="schema")
    instruments: list[ReadInstrument | ReadLog]


class MeterRecordings(ResultDocument):
    """Recordings that were made."""

    schema_id: Literal["iowatt.meter-record/1"] = Field(default="iowatt.meter-record/1", alias="schema")
    recordings: list[LogSummary]


def instrument_kinds() -> list[InstrumentKind]:
    """Every kind of instrument."""
    return [
        InstrumentKind(
            scheme=name,
            live=scheme.live,
            what=scheme.what,
            example=scheme.example,
            grade="as recorded" if name == "recording" else scheme.grade,
            declarable=scheme.declarable,
            why=scheme.why,
        )
        for name, scheme in SCHEMES.items()
    ]


def meter_list() -> MeterList:
    """Every kind of instrument, and the sensors of this host."""
    return MeterList(kinds=instrument_kinds(), here=host_sensors())


def instrument_options(scheme: str) -> MeterList:
    """One kind of instrument with its options. Raises ``InputError`` where there is none."""
    for kind in instrument_kinds():
        if kind.scheme == scheme:
            options = dict(source.known_options(scheme))
            return MeterList(kinds=[InstrumentOptions(**kind.as_dict(), options=options)], here=[])
    message = f"there is no instrument {scheme!r}; expected one of {', '.join(SCHEMES)}"
    raise InputError("unknown-name", None, message)


def host_sensors(powercap: Path = host.ROOTS["rapl"], chips: Path = host.ROOTS["hwmon"]) -> list[HostSensor]:
    """The sensors of this host, by address."""
    found = [(f"rapl:{zone.name}", f"RAPL {zone.name}") for zone in host.rapl_zones(powercap)]
    found += [
        (f"hwmon:{sensor.folder.name}/{sensor.name}", f"{sensor.chip} {sensor.label or sensor.name}")
        for sensor in host.hwmon_sensors(chips)
    ]
    return [HostSensor(address=address, what=what) for address, what in found]


def live_reading(reading: Reading) -> LiveReading:
    """A sample as a result."""
    return LiveReading(time=utc(reading.time_s), time_s=reading.time_s, **reading.quantities)


def summarise_log(log: InstrumentLog) -> LogSummary:
    """A log's span, each quantity's valid samples and figures, and its problems.

    Times that lack samples have no part in the means.
    """
    count = len(log.time_s)
    interval = sample_interval(log.time_s, log.instrument.sample_interval_s)
    start, end = (float(log.time_s[0]), float(log.time_s[-1])) if count else (0.0, 0.0)
    return LogSummary(
        instrument=log.instrument,
        path=None if log.path is None else str(log.path),
        rows=count,
        start=utc(start) if count else None,
        end=utc(end) if count else None,
        seconds=end - start,
        sample_interval_s=interval,
        quantities={
            name: _quantity(log, name, start - (interval or 1.0), end) for name in log.quantities if count
        },
        problems=[
            LoggedProblem(
                kind=problem.kind,
                at=None if problem.at is None else utc(problem.at),
                seconds=problem.seconds,
                text=problem.text,
            )
            for problem in log.problems
        ],
    )


def _quantity(log: InstrumentLog, name: str, start: float, end: float) -> LoggedQuantity:
    series = align(log, name, np.array([start]), np.array([end]))
    counts = ("samples", "expected", "not_available", "out_of_range")
    figures = {key: float(getattr(series, key)[0]) for key in ("mean", "minimum", "maximum")}
    return LoggedQuantity(
        **{key: int(getattr(series, key)[0]) for key in counts},
        longest_gap_s=float(series.longest_gap_s[0]),
        **{key: value if math.isfinite(value) else None for key, value in figures.items()},
    )


def utc(seconds: float) -> str:
    """Unix time as UTC text with milliseconds."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
