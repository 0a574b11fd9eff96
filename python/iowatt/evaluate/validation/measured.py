"""A measured trace in arrays: what was asked and when, how long the drive took, how long the host thought."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from iowatt.base.errors import InputError
from iowatt.trace.open import TraceRequests, requests, spec

QUEUED: Final = "hp-srt"
"""The format that records a queue: enqueue, start and stop of each request."""


@dataclass(frozen=True)
class Asked:
    """Requests in order; all arrays of one length.

    offset, size:
        Bytes.
    write:
        Whether it is a write.
    response_ns:
        What the real drive took.
    """

    offset: NDArray[np.uint64]
    size: NDArray[np.uint32]
    write: NDArray[np.bool_]
    response_ns: NDArray[np.int64]


@dataclass(frozen=True)
class Measured(Asked):
    """Requests one at a time.

    think_ns:
        From a request's completion to the issue of the next one; 0 of the last.
    """

    think_ns: NDArray[np.uint64]


@dataclass(frozen=True)
class Arrived(Asked):
    """Requests that queue; the response time is that in the queue and at the drive.

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


def read(trace: Path, format_: str | None) -> Measured:
    """The requests of ``trace``, one at a time.

    Raises
    ------
    InputError
        Where it cannot be read, has no response times, or has requests that overlap: one outstanding is what
        is replayed.
    """
    return _paced(trace, requests(spec(trace, format=format_)))


def read_services(trace: Path, format_: str | None, device: str | None) -> Measured:
    """The services of a trace that records a queue: in the order of their starts, without the queueing.

    Raises
    ------
    InputError
        As ``read``.
    """
    return _paced(trace, requests(spec(trace, format=format_, device=device, event="D")))


def read_arrivals(trace: Path, format_: str | None, device: str | None) -> Arrived:
    """The requests of a trace that records a queue, as they arrived.

    Raises
    ------
    InputError
        Where it cannot be read or has no response times.
    """
    columns = _columns(trace, requests(spec(trace, format=format_, device=device)))
    time_ns = columns.pop("time_ns").astype(np.uint64)
    return Arrived(**columns, time_ns=time_ns)


def _paced(trace: Path, found: TraceRequests) -> Measured:
    columns = _columns(trace, found)
    time_ns, response_ns = columns.pop("time_ns"), columns["response_ns"]
    think = np.diff(time_ns) - response_ns[:-1]
    early = int(np.count_nonzero(think < 0))
    if early:
        raise InputError(
            "unsupported",
            str(trace),
            f"{early} requests are issued before the previous one has completed; a validation replays one "
            f"request at a time, unless the trace's format ({QUEUED}) records the queue",
        )
    return Measured(**columns, think_ns=np.append(think, 0).astype(np.uint64))


def _columns(trace: Path, found: TraceRequests) -> dict[str, NDArray[Any]]:
    batches = list(found)
    if not batches:
        raise InputError("empty", str(trace), "the trace has no requests")
    response_ns = np.concatenate([batch["response_ns"] for batch in batches])
    missing = int(np.count_nonzero(response_ns < 0))
    if missing:
        raise InputError(
            "missing",
            str(trace),
            f"{missing} of {len(response_ns)} requests have no response time to compare with",
            hint="formats with response times: disksim-validate, hp-srt, msr, and csv or parquet with such a "
            "column",
        )
    return {
        "time_ns": np.concatenate([batch["time_ns"] for batch in batches]),
        "offset": np.concatenate([batch["offset"] for batch in batches]),
        "size": np.concatenate([batch["size"] for batch in batches]),
        "write": np.concatenate([batch["op"] for batch in batches]) == 1,
        "response_ns": response_ns,
    }
