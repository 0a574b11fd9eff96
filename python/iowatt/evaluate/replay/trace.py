"""A trace as what is replayed: reads and writes in order of time that fit the target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import polars as pl

from iowatt.base.errors import Argument, InputError
from iowatt.trace.convert import SCHEMA
from iowatt.trace.decode import NO_STREAM, OPS
from iowatt.trace.open import requests

if TYPE_CHECKING:
    from iowatt.core import Batch

#: Held in memory with the stamps of each, about 70 bytes a request.
MOST_REQUESTS = 50_000_000


def _columns(batch: Batch) -> tuple[npt.NDArray[Any], ...]:
    return (
        batch["time_ns"],
        batch["op"],
        batch["offset"],
        batch["size"],
        batch["stream"],
        batch["response_ns"],
    )


@dataclass(frozen=True)
class ReplayTrace:
    """Requests as they are to be made; times in ns from the first."""

    time_ns: npt.NDArray[np.int64]
    write: npt.NDArray[np.bool_]
    offset: npt.NDArray[np.uint64]
    size: npt.NDArray[np.uint32]
    #: Numbers of streams; None where the trace names none.
    stream: npt.NDArray[np.uint32] | None = None
    #: Recorded response times; None where not every request has one.
    response_ns: npt.NDArray[np.int64] | None = None
    #: Changes to the trace, in sentences.
    notes: tuple[str, ...] = ()

    @property
    def end(self) -> int:
        """The first byte behind all requests."""
        return int((self.offset + self.size).max())

    @property
    def seconds(self) -> float:
        """From the first request to the last."""
        return float(self.time_ns[-1]) / 1e9


def read(spec: Mapping[str, Any]) -> ReplayTrace:
    """Read a trace (a spec of `iowatt.trace.open.spec`, in which speed and the like may stand).

    Raises ``InputError`` where it is wrong, holds nothing, or more than memory should.
    """
    reader = requests({"include_other": True, **spec})
    parts: list[tuple[Any, ...]] = []
    count = other = 0
    for batch in reader:
        data = batch["op"] < 2
        other += int((~data).sum())
        parts.append(tuple(column[data] for column in _columns(batch)))
        count += len(parts[-1][0])
        if count > MOST_REQUESTS:
            message = f"the trace has more than {MOST_REQUESTS:,} requests"
            hint = "replay a part of it, with `start=` and `end=`"
            raise InputError("too-large", str(spec["path"]), message, hint=hint)
    if not count:
        raise InputError("empty", str(spec["path"]), "the trace has no read and no write")
    times, ops, offsets, sizes, streams, responses = (
        np.concatenate(column) for column in zip(*parts, strict=True)
    )
    kept = sizes > 0
    empty = int((~kept).sum())
    if empty == count:
        raise InputError("empty", str(spec["path"]), "no request of the trace has a size")
    notes = []
    if other:
        notes.append(f"{other} requests that are neither reads nor writes were left out")
    if empty:
        notes.append(f"{empty} requests of no bytes were left out")
    times, streams, responses = times[kept].astype(np.int64), streams[kept], responses[kept]
    return ReplayTrace(
        times - times[0],
        ops[kept] == 1,
        offsets[kept].astype(np.uint64),
        sizes[kept].astype(np.uint32),
        _numbered(streams),
        responses if (responses >= 0).all() else None,
        tuple(notes),
    )


def _numbered(streams: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32] | None:
    """Streams from 0 on; requests that name none are a stream together."""
    if (streams == NO_STREAM).all():
        return None
    return np.unique(streams, return_inverse=True)[1].astype(np.uint32)


def think_ns(trace: ReplayTrace, where: str) -> npt.NDArray[np.uint64]:
    """Time from the completion of the previous request of the stream to each request, 0 for the first.

    Raises ``InputError`` where the trace lacks response times.
    """
    if trace.response_ns is None:
        message = "not every request has a response time, so how long each stream waited is not known"
        raise InputError("missing-figure", where, message, hint="leave out `think=True`")
    stream = np.zeros(trace.time_ns.size, np.uint32) if trace.stream is None else trace.stream
    order = np.argsort(stream, kind="stable")
    done = (trace.time_ns + trace.response_ns)[order]
    waits = np.maximum(trace.time_ns[order][1:] - done[:-1], 0)
    waits[stream[order][1:] != stream[order][:-1]] = 0
    found = np.zeros(stream.size, np.uint64)
    found[order[1:]] = waits
    return found


def repeated(trace: ReplayTrace, times: int) -> ReplayTrace:
    """The trace so many times in a row, the mean gap between the end of one and the beginning of the next.

    Raises ``InputError`` where these are more requests than memory should hold.
    """
    if times == 1:
        return trace
    count = trace.time_ns.size
    if times * count > MOST_REQUESTS:
        message = f"{times} times {count:,} requests are more than {MOST_REQUESTS:,}"
        raise InputError("too-large", Argument("repeat"), message)
    span = int(trace.time_ns[-1])
    period = span + (span // (count - 1) if count > 1 else 0)
    starts = np.repeat(np.arange(times, dtype=np.int64) * period, count)
    return replace(
        trace,
        time_ns=np.tile(trace.time_ns, times) + starts,
        write=np.tile(trace.write, times),
        offset=np.tile(trace.offset, times),
        size=np.tile(trace.size, times),
        stream=None if trace.stream is None else np.tile(trace.stream, times),
        response_ns=None if trace.response_ns is None else np.tile(trace.response_ns, times),
    )


def fitted(
    trace: ReplayTrace,
    where: str,
    *,
    capacity: int,
    block: int,
    fold: bool,
    align: bool,
    most: int | None = None,
) -> ReplayTrace:
    """The trace within ``capacity`` bytes, at multiples of ``block`` bytes, in requests of ``most`` at most.

    Raises ``InputError`` where requests lie behind the end and ``fold`` is not asked for, or between blocks
    and ``align`` is not.
    """
    notes = list(trace.notes)
    offset, size = trace.offset.astype(np.int64), trace.size.astype(np.int64)
    odd = (offset % block != 0) | (size % block != 0)
    if odd.any():
        if not align:
            message = (
                f"{int(odd.sum())} of {odd.size} requests do not begin and end at a multiple of {block} "
                "bytes, as the target needs"
            )
            raise InputError("not-accepted", where, message, hint="`align=True` widens them to whole blocks")
        end = -(-(offset + size) // block) * block
        offset = offset // block * block
        size = end - offset
        notes.append(f"{int(odd.sum())} of {odd.size} requests were widened to blocks of {block} bytes")
    room = capacity // block * block
    if int(size.max()) > room:
        raise InputError(
            "too-large", where, f"a request of {int(size.max())} bytes is larger than the target"
        )
    if most is not None and int(size.max()) > most:
        message = f"a request of {int(size.max())} bytes is longer than the target takes: {most}"
        hint = f"`iowatt trace convert` splits requests: `max_transfer={most}`"
        raise InputError("too-large", where, message, hint=hint)
    outside = offset + size > room
    if outside.any():
        if not fold:
            message = (
                f"{int(outside.sum())} of {outside.size} requests lie beyond the target's end at {room} "
                f"bytes; the trace reaches to {int((offset + size).max())}"
            )
            hint = "use a larger target, or `fold=True`, which takes offsets modulo its size"
            raise InputError("out-of-range", where, message, hint=hint)
        offset = np.where(outside, offset % room, offset)
        offset = np.minimum(offset, room - size)
        notes.append(
            f"{int(outside.sum())} of {outside.size} offsets were folded into {room} bytes: the distances "
            "between requests are not the trace's"
        )
    return replace(trace, offset=offset.astype(np.uint64), size=size.astype(np.uint32), notes=tuple(notes))


def save(trace: ReplayTrace, path: Path) -> None:
    """Write the trace as it is replayed, in native columns."""
    rows = trace.time_ns.size
    pl.DataFrame(
        {
            "time_ns": trace.time_ns,
            "device": pl.Series(["target"], dtype=pl.Categorical()).gather(np.zeros(rows, dtype=np.uint32)),
            "op": pl.Series(OPS, dtype=SCHEMA["op"]).gather(trace.write.astype(np.uint32)),
            "offset": trace.offset,
            "size": trace.size,
            "response_ns": pl.Series([None] * rows, dtype=pl.Int64),
            "stream": pl.Series([None] * rows, dtype=pl.Categorical()),
        },
        schema=SCHEMA,
    ).write_parquet(path, compression="zstd")
