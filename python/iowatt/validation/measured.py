"""A measured trace in arrays: what was asked, how long the real drive took, how long the host thought."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from iowatt.errors import InputError
from iowatt.trace.open import requests, spec


@dataclass(frozen=True)
class Measured:
    """Requests in order; all arrays of one length.

    offset, size:
        Bytes.
    write:
        Whether it is a write.
    response_ns:
        What the real drive took.
    think_ns:
        From its completion to the issue of the next one; 0 of the last.
    """

    offset: NDArray[np.uint64]
    size: NDArray[np.uint32]
    write: NDArray[np.bool_]
    response_ns: NDArray[np.int64]
    think_ns: NDArray[np.uint64]


def read(trace: Path, format_: str | None) -> Measured:
    """The requests of ``trace``.

    Raises
    ------
    InputError
        Where it cannot be read, has no response times, or has requests that overlap: one outstanding is what
        is replayed.
    """
    batches = list(requests(spec(trace, format=format_)))
    if not batches:
        raise InputError("the trace has no requests", where=str(trace))
    time_ns = np.concatenate([batch["time_ns"] for batch in batches])
    response_ns = np.concatenate([batch["response_ns"] for batch in batches])
    missing = int(np.count_nonzero(response_ns < 0))
    if missing:
        raise InputError(
            f"{missing} of its {len(response_ns)} requests have no response time, which is what a validation "
            "compares with",
            where=str(trace),
            hint="formats with response times: disksim-validate, msr, and csv or parquet with such a column",
        )
    think = np.diff(time_ns) - response_ns[:-1]
    early = int(np.count_nonzero(think < 0))
    if early:
        raise InputError(
            f"{early} requests are issued before the one before them has completed; a validation replays one "
            "request at a time",
            where=str(trace),
        )
    return Measured(
        offset=np.concatenate([batch["offset"] for batch in batches]),
        size=np.concatenate([batch["size"] for batch in batches]),
        write=np.concatenate([batch["op"] for batch in batches]) == 1,
        response_ns=response_ns,
        think_ns=np.append(think, 0).astype(np.uint64),
    )
