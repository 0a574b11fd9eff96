"""A trace replayed by iowatt's own engine: columns in, stamps of each request out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl

from iowatt import core
from iowatt.base.errors import IowattError
from iowatt.evaluate.replay.request import ReplayRequest
from iowatt.evaluate.replay.target import ReplayTarget
from iowatt.evaluate.replay.trace import ReplayTrace, repeated, think_ns
from iowatt.sources.lateness import NEVER, RequestStamps
from iowatt.sources.observation import Observation
from iowatt.sources.trace import RequestCounter, TraceSource, to_observation
from iowatt.trace.decode import OPS

REQUESTS: Final = "requests.parquet"
_ROWS: Final = 262_144


def run_engine(
    trace: ReplayTrace,
    target: ReplayTarget,
    request: ReplayRequest,
    progress: Callable[[float, int], None] | None = None,
) -> RequestStamps:
    """Replay the trace, as often as asked for. Raises ``InputError`` where the target cannot be opened."""
    closed = request.mode == "closed"
    where = str(request.trace["path"])
    none = np.zeros(0, np.uint32)
    found = core.replay_run(
        target.name,
        {
            "due_ns": trace.time_ns.astype(np.uint64),
            "write": trace.write,
            "offset": trace.offset,
            "size": trace.size,
            "stream": none if trace.stream is None or not closed else trace.stream,
            "think_ns": think_ns(trace, where) if request.think else none.astype(np.uint64),
        },
        mode=request.mode,
        outstanding=request.outstanding or 0,
        depth=max(request.depth, request.outstanding or 0),
        repeat=request.repeat,
        connections=request.connections,
        direct=target.direct,
        progress=progress,
    )
    return RequestStamps(**found)


def observed(trace: ReplayTrace, stamps: RequestStamps, request: ReplayRequest, folder: Path) -> Observation:
    """What was observed of the requests that succeeded, and the table of all of them in ``folder``.

    Response times are from sending; a late request's wait is lateness.

    Raises ``IowattError`` where every request failed.
    """
    trace = repeated(trace, request.repeat)
    _save(trace, stamps, folder / REQUESTS)
    good = np.flatnonzero(~stamps.failed)
    if not good.size:
        raise IowattError("tool-failed", str(request.target), str(stamps.error_note))
    # In order of sending, which in closed loops is not the trace's.
    good = good[np.argsort(stamps.sent_ns[good], kind="stable")]
    count = RequestCounter(round((request.interval_s or 1.0) * 1e9))
    for begin in range(0, good.size, _ROWS):
        rows = good[begin : begin + _ROWS]
        sent = stamps.sent_ns[rows].astype(np.int64)
        count.add(
            sent,
            trace.write[rows].astype(np.uint8),
            trace.size[rows].astype(np.int64),
            stamps.done_ns[rows].astype(np.int64) - sent,
        )
    source = TraceSource(
        path=Path(str(request.trace["path"])),
        name=request.name,
        format=f"iowatt-{core.__version__}",
        origin_unix_ns=stamps.began_unix_ns,
        devices=["target"],
        notes=[],
    )
    note = "response times of each request, from sending to completion, in bins 0.1 % wide"
    return replace(to_observation(source, count), histogram_note=note, files=[])


def _save(trace: ReplayTrace, stamps: RequestStamps, path: Path) -> None:
    """A row for each request: as asked for, when it was due, sent and completed, and its error number."""

    def moments(column: npt.NDArray[np.uint64]) -> pl.Series:
        return pl.Series(column).replace(NEVER, None).cast(pl.Int64)

    pl.DataFrame(
        {
            "op": pl.Series(OPS, dtype=pl.Enum(OPS)).gather(trace.write.astype(np.uint32)),
            "offset": trace.offset,
            "size": trace.size,
            "due_ns": moments(stamps.due_ns),
            "sent_ns": moments(stamps.sent_ns),
            "done_ns": moments(stamps.done_ns),
            "error": stamps.error,
        }
    ).with_columns(late_ns=pl.col("sent_ns") - pl.col("due_ns")).write_parquet(path, compression="zstd")
