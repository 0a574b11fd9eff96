"""Validations as documents: ``iowatt.validation/1`` and ``iowatt.data-sheets/1``."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from iowatt.base.results import Note, Result, ResultDocument

Arrivals = Literal["paced by think time", "open"]


class TimesComparison(Result):
    """Measured against simulated, milliseconds; fractions are of the measured mean.

    ``measured_percentiles`` and ``simulated_percentiles`` have the keys p50, p90, p95, p99 and max.
    """

    requests: int
    measured_mean_ms: float
    simulated_mean_ms: float
    mean_error: float
    demerit_ms: float
    demerit_fraction: float
    paired_rmse_ms: float
    measured_percentiles: dict[str, float]
    simulated_percentiles: dict[str, float]


class ComparedTimes(TimesComparison):
    """All requests, and reads and writes apart; None where there are none."""

    read: TimesComparison | None
    write: TimesComparison | None


class DiskSimFigures(Result):
    """DiskSim's figures of the same trace, milliseconds; fractions are of the measured mean."""

    mean_ms: float
    read_mean_ms: float
    write_mean_ms: float
    p50_ms: float
    p95_ms: float
    p99_ms: float
    demerit_ms: float
    paired_rmse_ms: float
    mean_error: float
    demerit_fraction: float


class TraceOnDrive(Result):
    """Which trace was replayed on which drive, and how."""

    device: str
    title: str
    trace: str
    trace_device: str | None
    arrivals: Arrivals
    #: Scheduler of the queue in front of a drive with open arrivals.
    scheduler: str | None


class ValidatedDrive(ComparedTimes, TraceOnDrive):
    """One trace on one drive: response times, and service times where arrivals are open."""

    service: ComparedTimes | None
    disksim: DiskSimFigures | None
    #: Why there are no figures of DiskSim.
    disksim_note: str | None
    notes: list[Note]


class Validations(ResultDocument):
    """The disk model against measured drives."""

    schema_id: Literal["iowatt.validation/1"] = Field(default="iowatt.validation/1", alias="schema")
    drives: list[ValidatedDrive]


class SheetFigure(Result):
    """One figure of a data sheet; SI units. ``simulated`` is None where the model does not have it."""

    figure: str
    unit: str
    work: str
    published: float
    simulated: float | None
    #: Simulated over published, less 1.
    error: float | None


class ReadsAtDepth(Result):
    """Random reads at a queue depth; seconds."""

    outstanding: int
    iops: float
    mean_s: float
    p99_s: float


class DataSheet(Result):
    """One SSD: its figures, the load that saturates it, and reads during garbage collection."""

    device: str
    title: str
    simulated_by: Literal["data sheet", "flash"]
    figures: list[SheetFigure]
    write_amplification: float | None
    reads: list[ReadsAtDepth]
    #: Response times of reads in seconds (``mean``, ``p99``, ``p999``), by how full the drive is.
    beside_writes: dict[str, dict[str, float]]


class DataSheets(ResultDocument):
    """SSDs against their data sheets; ``bar`` is the largest error that is accepted."""

    schema_id: Literal["iowatt.data-sheets/1"] = Field(default="iowatt.data-sheets/1", alias="schema")
    bar: float
    devices: list[DataSheet]

    @property
    def compared(self) -> list[SheetFigure]:
        """The figures that the model has."""
        return [figure for sheet in self.devices for figure in sheet.figures if figure.error is not None]
