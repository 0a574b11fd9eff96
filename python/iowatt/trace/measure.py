"""Measures a trace, in one pass in Rust over any format: `iowatt trace info` and `iowatt trace profile`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from iowatt import core
from iowatt.base.errors import Argument, InputError
from iowatt.base.results import Note
from iowatt.trace import columns
from iowatt.trace.description import Description
from iowatt.trace.open import of_all_devices, source
from iowatt.trace.result import AS_READ, LIKELY_MISTAKE, NOT_WHOLE_SECTORS, TraceInfo

Progress = Callable[[float | None, int], None]


def info(trace: Mapping[str, Any], *, progress: Progress | None = None) -> TraceInfo:
    """Read a whole trace (a spec, see `iowatt.trace.open.spec`) and count.

    All devices are read unless the spec names one.

    Raises ``InputError``: the trace cannot be read, or a record in it is wrong.
    """
    spec_json, decoded = source(of_all_devices(trace))

    def report(fraction: float | None, requests: int) -> None:
        if progress is not None:
            progress(fraction if decoded is None else decoded.progress, requests)

    found = json.loads(core.trace_info(decoded, spec_json, report if progress else None))
    del found["schema"]
    doubts = columns.sector_doubt(trace, {"format": found["format"], **found["requests"]})
    found["notes"] = [Note(code=AS_READ, text=text) for text in found["notes"]]
    found["warnings"] = [
        *(Note(code=LIKELY_MISTAKE, text=text, decides=True) for text in found["warnings"]),
        *(Note(code=NOT_WHOLE_SECTORS, text=text, decides=True) for text in doubts),
    ]
    return TraceInfo(**found)


def describe(
    trace: Mapping[str, Any],
    *,
    block_bytes: int = 4096,
    extent_bytes: int | None = None,
    regions: int = 1 << 20,
    lookback: int = 32,
    gap_bytes: int = 0,
    cache_bytes: Sequence[int] = (),
    size_bytes: tuple[int, int] | None = None,
    dyadic_windows: bool = False,
    progress: Progress | None = None,
) -> Description:
    """Measure a trace (a spec, see `iowatt.trace.open.spec`) as a workload.

    All devices are read unless the spec names some. A trace without times is read as an order.

    Parameters
    ----------
    block_bytes
        Block of footprint, working set, reuse distance and overwriting; a power of two from 512.
    extent_bytes
        Extent of the I/O density; left out, a power of two that makes at most 1,024 touched ones.
    regions
        Regions of 16 blocks that are followed, 64 to 4,194,304: exact while the trace touches no more, else
        a spatial sample of that size (SHARDS, Waldspurger et al. 2015).
    lookback
        Open runs of each device and direction that a request may continue, 1 to 1,024.
    gap_bytes
        What a request may skip forward and still continue a run.
    cache_bytes
        Cache sizes at which the miss-ratio curve gets a separate point.
    size_bytes
        Only requests of these sizes, least and greatest; times still count from the trace's first request.
    dyadic_windows
        Windows of the rates over time are powers of two of a second, as those of the burstiness; else 1 ms,
        10 ms, ... 1 min, 10 min, 1 h, 1 d.

    Raises ``InputError``: the trace cannot be read, a record in it is wrong, or an option is outside its
    range.
    """
    spec_json, decoded = source(of_all_devices(trace))
    options = {
        "block_bytes": block_bytes,
        "extent_bytes": extent_bytes,
        "samples": regions,
        "lookback": lookback,
        "gap_bytes": gap_bytes,
        "cache_bytes": list(cache_bytes),
        "size_bytes": size_bytes,
        "dyadic_windows": dyadic_windows,
    }

    def report(fraction: float | None, requests: int) -> None:
        if progress is not None:
            progress(fraction if decoded is None else decoded.progress, requests)

    watcher = report if progress else None
    try:
        found = json.loads(core.trace_describe(decoded, spec_json, json.dumps(options), watcher))
    except InputError as error:
        if error.place is not None or error.code != "out-of-range":
            raise
        argument, _, message = error.message.partition(": ")  # an option, which Rust names first
        argument = "regions" if argument == "samples" else argument
        raise InputError(error.code, Argument(argument), message) from None
    del found["schema"]
    gaps = found["inter_arrival"]
    if gaps is not None:
        gaps["percentiles_s"] = dict(gaps["percentiles_s"])  # pairs, in their order
    found["notes"] = [Note(code=AS_READ, text=text) for text in found["notes"]]
    return Description(**found)
