"""Two sets of response times of the same requests, compared.

*Demerit* is Ruemmler and Wilkes' figure: the root mean square of the horizontal distance between two
distribution curves. Here it is taken from raw values: the quantiles of both at (k - 0.5) / 10000 for k = 1 to
10000, by linear interpolation between order statistics (the i-th smallest of n stands at (i - 0.5) / n, and
the ends hold beyond). *Paired RMSE* is that of the differences request by request.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from iowatt import core
from iowatt.base.errors import InputError
from iowatt.base.results import Note
from iowatt.evaluate.validation.cases import (
    OPEN,
    MeasuredRequests,
    PacedRequests,
    QueuedRequests,
    ValidationCase,
    read,
    read_arrivals,
    read_services,
)
from iowatt.evaluate.validation.result import (
    ComparedTimes,
    DiskSimFigures,
    TimesComparison,
    ValidatedDrive,
    Validations,
)
from iowatt.model.library import Disk, find_drive

Times = NDArray[np.float64]
POINTS: Final = 10_000
PERCENTILES: Final = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99}


def compare(measured_ms: Times, simulated_ms: Times) -> TimesComparison | None:
    """The comparison of two arrays of equal length; None where they are empty."""
    if not len(measured_ms):
        return None
    measured, simulated = float(measured_ms.mean()), float(simulated_ms.mean())
    distance = demerit(measured_ms, simulated_ms)
    return TimesComparison(
        requests=len(measured_ms),
        measured_mean_ms=measured,
        simulated_mean_ms=simulated,
        mean_error=simulated / measured - 1,
        demerit_ms=distance,
        demerit_fraction=distance / measured,
        paired_rmse_ms=float(np.sqrt(np.mean((simulated_ms - measured_ms) ** 2))),
        measured_percentiles=percentiles(measured_ms),
        simulated_percentiles=percentiles(simulated_ms),
    )


def quantiles(times: Times, shares: Times) -> Times:
    """Quantiles by linear interpolation between order statistics, the i-th of n at (i - 0.5) / n."""
    ordered = np.sort(times)
    return np.interp(shares * len(ordered) - 0.5, np.arange(len(ordered)), ordered)


def demerit(one: Times, other: Times) -> float:
    """Root mean square of the horizontal distance between two distributions."""
    shares = (np.arange(1, POINTS + 1) - 0.5) / POINTS
    return float(np.sqrt(np.mean((quantiles(one, shares) - quantiles(other, shares)) ** 2)))


def percentiles(times: Times) -> dict[str, float]:
    """p50, p90, p95, p99 and max."""
    found = quantiles(times, np.array(list(PERCENTILES.values())))
    return {**dict(zip(PERCENTILES, map(float, found), strict=True)), "max": float(times.max())}


SCHEDULER: Final = "c-look"
"""Discipline of the queue in front of a drive with open arrivals: the one-way elevator of UNIX drivers."""


@dataclass(frozen=True)
class ComparedResponses:
    """Times in milliseconds, request by request, and how they compare."""

    every: TimesComparison
    reads: TimesComparison | None
    writes: TimesComparison | None
    measured_ms: Times
    simulated_ms: Times
    write: NDArray[np.bool_]


@dataclass(frozen=True)
class Validation(ComparedResponses):
    """The result of one case: response times, and where arrivals are open, service times as well."""

    case: ValidationCase
    drive: Disk
    service: ComparedResponses | None
    notes: tuple[Note, ...]

    @property
    def disksim(self) -> DiskSimFigures | None:
        """DiskSim's figures of the same trace, its errors by the same definitions."""
        figures = self.case.disksim
        if figures is None:
            return None
        mean = self.every.measured_mean_ms
        return DiskSimFigures(
            **figures, mean_error=figures["mean_ms"] / mean - 1, demerit_fraction=figures["demerit_ms"] / mean
        )

    @property
    def key(self) -> str:
        """The drive's name, and the trace's device where there are several."""
        device = self.case.trace_device
        return self.drive.name if device is None else f"{self.drive.name}-disk-{device}"

    @property
    def title(self) -> str:
        """Readable form for messages and tables."""
        device = self.case.trace_device
        return self.drive.title if device is None else f"{self.drive.title}, disk {device}"


def validate(case: ValidationCase) -> Validation:
    """Replay one case and compare.

    Raises ``InputError`` where the drive or the trace cannot be used.
    """
    drive = find_drive(case.device, Path(), case.drive)
    if case.buffer:
        drive = replace(drive, buffer=drive.buffer.model_copy(update=case.buffer))
    notes = [Note(code="conditions", text=case.conditions)] if case.conditions else []
    service = None
    asked: MeasuredRequests
    if case.arrivals == OPEN:
        asked = arrived = read_arrivals(case.trace, case.format, case.trace_device)
        simulated_ms, moved = respond_open(drive, arrived)
        services = read_services(case.trace, case.format, case.trace_device)
        service = _compared(case, services, respond(drive, services)[0])
    else:
        asked = paced = read(case.trace, case.format)
        simulated_ms, moved = respond(drive, paced)
    if moved:
        text = f"{moved} requests past the drive's end were moved to its end"
        notes.append(Note(code="moved", text=text, decides=True))
    found = _compared(case, asked, simulated_ms)
    of_drive = (Note(code="drive", text=text) for text in drive.notes)
    return Validation(**vars(found), case=case, drive=drive, service=service, notes=(*notes, *of_drive))


def document(found: Sequence[Validation]) -> Validations:
    """The document of ``iowatt devices validate``."""
    return Validations(drives=[_drive(validation) for validation in found])


def _drive(validation: Validation) -> ValidatedDrive:
    case, service = validation.case, validation.service
    return ValidatedDrive(
        device=validation.drive.name,
        title=validation.title,
        trace=case.trace.name,
        trace_device=case.trace_device,
        arrivals=case.arrivals,
        scheduler=SCHEDULER if case.arrivals == OPEN else None,
        **_parts(validation),
        service=None if service is None else ComparedTimes(**_parts(service)),
        disksim=validation.disksim,
        disksim_note=case.disksim_note,
        notes=list(validation.notes),
    )


def _parts(found: ComparedResponses) -> dict[str, Any]:
    return {**dict(found.every), "read": found.reads, "write": found.writes}


def _compared(case: ValidationCase, asked: MeasuredRequests, simulated_ms: Times) -> ComparedResponses:
    measured_ms = asked.response_ns / 1e6
    every = compare(measured_ms, simulated_ms)
    if every is None:
        raise InputError("empty", str(case.trace), "the trace has no requests")
    write = asked.write
    return ComparedResponses(
        every=every,
        reads=compare(measured_ms[~write], simulated_ms[~write]),
        writes=compare(measured_ms[write], simulated_ms[write]),
        measured_ms=measured_ms,
        simulated_ms=simulated_ms,
        write=write,
    )


def respond(drive: Disk, paced: PacedRequests) -> tuple[Times, int]:
    """Simulated response times, and how many requests had to be moved to fit on the drive."""
    first, size, moved = _sectors(drive, paced)
    answer = core.replay_one(
        json.dumps(timing_plan(drive)), first, size, paced.write.astype(np.uint8), paced.think_ns, 0.0
    )
    return answer["response_ns"] / 1e6, moved


def respond_open(drive: Disk, arrived: QueuedRequests, scheduler: str = SCHEDULER) -> tuple[Times, int]:
    """Simulated response times of requests that queue in front of the drive, from their arrival on."""
    first, size, moved = _sectors(drive, arrived)
    answer = core.replay_open(
        json.dumps(timing_plan(drive)),
        scheduler,
        first,
        size,
        arrived.write.astype(np.uint8),
        arrived.time_ns,
        0.0,
    )
    return answer["response_ns"] / 1e6, moved


def _sectors(drive: Disk, asked: MeasuredRequests) -> tuple[NDArray[np.uint64], NDArray[np.uint32], int]:
    """First sectors, numbers of sectors, and how many requests had to be moved."""
    unit = drive.sector_bytes
    first = asked.offset // unit
    last = (asked.offset + asked.size + unit - 1) // unit
    size = last - first
    if int(size.max()) > drive.sectors:
        raise InputError("out-of-range", None, f"a request is larger than {drive.name!r}")
    fits = np.minimum(first, np.uint64(drive.sectors) - size)
    return fits.astype(np.uint64), size.astype(np.uint32), int(np.count_nonzero(fits != first))


def timing_plan(drive: Disk) -> dict[str, Any]:
    """``HddPlan`` for times alone: watts that are not known do not matter to them."""
    return drive.hdd_plan("zero")
