"""A measured trace in arrays: what was asked and when, how long the drive took, how long the host thought."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from iowatt.base.errors import Argument, InputError
from iowatt.base.packed_file import read_bytes
from iowatt.evaluate.validation.result import Arrivals
from iowatt.trace.open import TraceRequests, requests, spec

QUEUED: Final = "hp-srt"
"""The format that records a queue: enqueue, start and stop of each request."""


@dataclass(frozen=True)
class MeasuredRequests:
    """TraceRequests in order; all arrays of one length.

    offset, size:
        Bytes.
    write:
        Whether it is a write.
    response_ns:
        Response time of the real drive.
    """

    offset: NDArray[np.uint64]
    size: NDArray[np.uint32]
    write: NDArray[np.bool_]
    response_ns: NDArray[np.int64]


@dataclass(frozen=True)
class PacedRequests(MeasuredRequests):
    """TraceRequests one at a time.

    think_ns:
        From a request's completion to the issue of the next one; 0 of the last.
    """

    think_ns: NDArray[np.uint64]


@dataclass(frozen=True)
class QueuedRequests(MeasuredRequests):
    """TraceRequests that queue; the response time is that in the queue and at the drive.

    time_ns:
        Arrivals, never decreasing.
    """

    time_ns: NDArray[np.uint64]


def is_queued(trace: Path | None, format_: str | None) -> bool:
    """Whether ``trace`` records a queue: by the name of its format, or without one by its content."""
    if format_ is not None or trace is None or not trace.is_file():
        return format_ == QUEUED
    try:
        found = requests(spec(trace, device="*"), rows=1)
        next(found, None)
    except InputError:
        return False  # the reader says what is wrong
    return bool(found.summary()["format"] == QUEUED)


def devices(trace: Path, format_: str | None) -> list[str]:
    """Names of the devices of ``trace`` that have requests, sorted."""
    found = requests(spec(trace, format=format_, device="*"))
    for _ in found:
        pass
    return sorted(found.devices)


def read(trace: Path, format_: str | None) -> PacedRequests:
    """The requests of ``trace``, one at a time.

    Raises ``InputError`` where it cannot be read, has no response times, or has requests that overlap: one
    outstanding is what is replayed.
    """
    return _paced(trace, requests(spec(trace, format=format_)))


def read_services(trace: Path, format_: str | None, device: str | None) -> PacedRequests:
    """The services of a trace that records a queue: in the order of their starts, without the queueing.

    Raises ``InputError``: as ``read``.
    """
    return _paced(trace, requests(spec(trace, format=format_, device=device, event="D")))


def read_arrivals(trace: Path, format_: str | None, device: str | None) -> QueuedRequests:
    """The requests of a trace that records a queue, as they arrived.

    Raises ``InputError`` where it cannot be read or has no response times.
    """
    columns = _columns(trace, requests(spec(trace, format=format_, device=device)))
    time_ns = columns.pop("time_ns").astype(np.uint64)
    return QueuedRequests(**columns, time_ns=time_ns)


def _paced(trace: Path, found: TraceRequests) -> PacedRequests:
    columns = _columns(trace, found)
    time_ns, response_ns = columns.pop("time_ns"), columns["response_ns"]
    think = np.diff(time_ns) - response_ns[:-1]
    early = int(np.count_nonzero(think < 0))
    if early:
        message = (
            f"{early} requests are issued before the previous one has completed; a validation replays one "
            f"request at a time, unless the trace's format ({QUEUED}) records the queue"
        )
        raise InputError("unsupported", str(trace), message)
    return PacedRequests(**columns, think_ns=np.append(think, 0).astype(np.uint64))


def _columns(trace: Path, found: TraceRequests) -> dict[str, NDArray[Any]]:
    batches = list(found)
    if not batches:
        raise InputError("empty", str(trace), "the trace has no requests")
    response_ns = np.concatenate([batch["response_ns"] for batch in batches])
    missing = int(np.count_nonzero(response_ns < 0))
    if missing:
        message = f"{missing} of {len(response_ns)} requests have no response time to compare with"
        hint = "use a format with response times (docs/howto/measured-latency.md)"
        raise InputError("missing", str(trace), message, hint=hint)
    return {
        "time_ns": np.concatenate([batch["time_ns"] for batch in batches]),
        "offset": np.concatenate([batch["offset"] for batch in batches]),
        "size": np.concatenate([batch["size"] for batch in batches]),
        "write": np.concatenate([batch["op"] for batch in batches]) == 1,
        "response_ns": response_ns,
    }


PACED: Final[Arrivals] = "paced by think time"
OPEN: Final[Arrivals] = "open"

FOLDER: Final = Path(str(files("iowatt.model.library") / "validation"))
_MOST_BYTES: Final = 64 << 20


@dataclass(frozen=True)
class ValidationCase:
    """One trace on one drive.

    device, drive:
        A library name or a file; which drive of a DiskSim file.
    trace, format:
        The measured trace.
    trace_device:
        Which device of the trace, where it holds several.
    arrivals:
        Paced: each request is issued its think time after the simulated completion of the one before it.
        Open: at its recorded time, into a queue in front of the drive; the services are compared one by one,
        too.
    buffer:
        Figures of the drive's buffer that were otherwise when it was measured.
    conditions:
        Those conditions as text.
    disksim:
        DiskSim's figures for this trace, milliseconds; None where there are none, and why.
    """

    device: str
    trace: Path
    format: str | None = None
    drive: str | None = None
    trace_device: str | None = None
    arrivals: Arrivals = PACED
    buffer: dict[str, Any] = field(default_factory=dict)
    conditions: str | None = None
    disksim: dict[str, float] | None = None
    disksim_note: str | None = None


def cases(
    device: str | None = None, drive: str | None = None, trace: Path | None = None, format_: str | None = None
) -> list[ValidationCase]:
    """The cases for a device and a trace; what is left out is what is shipped.

    Raises ``InputError`` where there is no shipped trace of the device, or the trace's device is not named.
    """
    if trace is None:
        found = [case for case in shipped() if device in (None, case.device)]
        if not found:
            known = ", ".join(case.device for case in shipped())
            message = "there is no shipped trace of this device"
            hint = f"give `trace=FILE`; shipped are traces of {known}"
            raise InputError("unknown-name", Argument("drive", device), message, hint=hint)
        return found
    if device is None:
        raise InputError("missing", Argument("drive"), f"expected the device that {trace} was measured on")
    same = _known_as(trace)
    if same:
        return [
            replace(case, device=device, trace=trace, format=format_ or case.format, drive=drive)
            for case in same
        ]
    if is_queued(trace, format_):
        return [ValidationCase(device, trace, format_, drive, name, OPEN) for name in devices(trace, format_)]
    return [ValidationCase(device, trace, format_, drive)]


@cache
def shipped() -> tuple[ValidationCase, ...]:
    """All shipped traces on the drives that they were measured on."""
    return tuple(
        ValidationCase(
            device=entry["device"],
            trace=FOLDER / entry["trace"],
            format=entry.get("format", "disksim-validate"),
            trace_device=entry.get("trace_device"),
            arrivals=OPEN if is_queued(None, entry.get("format")) else PACED,
            buffer=entry.get("buffer", {}),
            conditions=entry.get("conditions"),
            disksim=entry["disksim"],
            disksim_note=entry.get("disksim_note"),
        )
        for entry in _listed()
    )


def _listed() -> list[dict[str, Any]]:
    document = json.loads((FOLDER / "traces.json").read_text("utf-8"))
    return list(document["traces"])


def _known_as(trace: Path) -> list[ValidationCase]:
    """The shipped cases whose trace has the same content."""
    if not trace.is_file():
        return []  # the reader says what is wrong
    try:
        digest = hashlib.sha256(read_bytes(trace, _MOST_BYTES)).hexdigest()
    except InputError:
        return []
    return [case for entry, case in zip(_listed(), shipped(), strict=True) if entry["sha256"] == digest]
