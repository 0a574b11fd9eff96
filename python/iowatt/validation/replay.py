"""A measured trace on a simulated drive: one request outstanding, ``issue[i+1] = done[i] + think[i]``."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from iowatt import _core
from iowatt.errors import InputError
from iowatt.library.drive import Drive
from iowatt.library.find import find_drive
from iowatt.validation.cases import Case
from iowatt.validation.compare import Comparison, Times, compare
from iowatt.validation.measured import Measured, read


@dataclass(frozen=True)
class Validation:
    """What came out of one case; times in milliseconds, request by request."""

    case: Case
    drive: Drive
    every: Comparison
    reads: Comparison | None
    writes: Comparison | None
    measured_ms: Times
    simulated_ms: Times
    write: NDArray[np.bool_]
    notes: tuple[str, ...]


def validate(case: Case) -> Validation:
    """Replay one case and compare.

    Raises
    ------
    InputError
        Where the drive or the trace cannot be used.
    """
    drive = find_drive(case.device, Path(), case.drive)
    if case.buffer:
        drive = replace(drive, buffer=drive.buffer.model_copy(update=case.buffer))
    measured = read(case.trace, case.format)
    simulated_ms, moved = respond(drive, measured)
    measured_ms = measured.response_ns / 1e6
    every = compare(measured_ms, simulated_ms)
    if every is None:
        raise InputError("the trace has no requests", where=str(case.trace))
    notes = [case.conditions] if case.conditions else []
    if moved:
        notes.append(f"{moved} requests past the drive's end were moved to its end")
    write = measured.write
    return Validation(
        case=case,
        drive=drive,
        every=every,
        reads=compare(measured_ms[~write], simulated_ms[~write]),
        writes=compare(measured_ms[write], simulated_ms[write]),
        measured_ms=measured_ms,
        simulated_ms=simulated_ms,
        write=write,
        notes=(*notes, *drive.notes),
    )


def respond(drive: Drive, measured: Measured) -> tuple[Times, int]:
    """Simulated response times, and how many requests had to be moved to fit on the drive."""
    unit = drive.sector_bytes
    first = measured.offset // unit
    last = (measured.offset + measured.size + unit - 1) // unit
    size = last - first
    if int(size.max()) > drive.sectors:
        raise InputError(f"a request is larger than {drive.name!r}")
    fits = np.minimum(first, np.uint64(drive.sectors) - size)
    answer = _core.replay_one(
        json.dumps(timing_plan(drive)),
        fits.astype(np.uint64),
        size.astype(np.uint32),
        measured.write.astype(np.uint8),
        measured.think_ns,
        0.0,
    )
    return answer["response_ns"] / 1e6, int(np.count_nonzero(fits != first))


def timing_plan(drive: Drive) -> dict[str, Any]:
    """``HddPlan`` for times alone: watts that are not known do not matter to them."""
    plan = drive.hdd_plan("zero")
    needed = {name: plan["power"][name] or 0.0 for name in ("active_w", "positioning_w", "idle_w")}
    return {**plan, "power": {**plan["power"], **needed}}
