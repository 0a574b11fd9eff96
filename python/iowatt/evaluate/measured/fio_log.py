"""fio's logs of completion times (``write_lat_log``), one row a request: the logs of one run are a cell.

A log says neither depth nor pattern. The depth follows from Little's law, requests per second times the mean
time, and accesses are taken as random.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from iowatt.base.errors import InputError
from iowatt.evaluate.measured.cell import Cell, Measured, Op
from iowatt.evaluate.measured.jobs import JobTimes, measured
from iowatt.run.histogram import Histogram
from iowatt.sources import fio

NAME: Final = re.compile(r"(?P<run>.*)_(?P<kind>clat|lat)\.(?P<job>[0-9]{1,9})\.log", re.ASCII | re.DOTALL)
_SIGNIFICANT_BITS: Final = 10


def read(paths: Sequence[Path]) -> Measured:
    """The logs of the processes of one run.

    Raises ``InputError`` with the file and line: not a log, means of windows (``log_avg_msec``), several
    block sizes, or less than a second.
    """
    place = str(paths[0])
    parts: dict[str, list[JobTimes]] = {"read": [], "write": []}
    sizes: set[int] = set()
    begin, end, in_flight = np.inf, 0.0, 0.0
    for path in paths:
        rows = fio.read_replay_log(path)
        if not rows.time_ms.size:
            raise InputError("empty", str(path), "the log has no row of a read or write")
        if rows.windowed:
            hint = "leave out log_avg_msec, or give fio's JSON (--output-format=json+)"
            raise InputError(
                "unsupported", str(path), "its rows are means of windows, not requests", hint=hint
            )
        sizes |= set(np.unique(rows.block).tolist())
        first, last = int(rows.time_ms.min()) / 1e3, int(rows.time_ms.max()) / 1e3
        if last - first < 1:
            raise InputError("empty", str(path), "it covers less than a second: too little for a rate")
        begin, end = min(begin, first), max(end, last)
        in_flight += float(rows.value.sum()) / 1e9 / (last - first)
        for way, listed in parts.items():
            own = rows.of(way).value
            if own.size:
                mean_s = float(own.mean()) / 1e9
                listed.append(JobTimes(own.size, last - first, mean_s, histogram=_histogram(own)))
    if len(sizes) != 1:
        listed_sizes = ", ".join(str(size) for size in sorted(sizes)[:5])
        raise InputError(
            "unsupported", place, f"requests of several sizes ({listed_sizes} bytes); a cell has one"
        )
    counts = {way: sum(job.requests for job in listed) for way, listed in parts.items()}
    op: Op = "mixed" if all(counts.values()) else "read" if counts["read"] else "write"
    found = NAME.fullmatch(paths[0].name)
    cell = Cell(
        name=paths[0].stem if found is None else found["run"],
        op=op,
        read_share=counts["read"] / sum(counts.values()),
        pattern="random",
        size_bytes=sizes.pop(),
        depth=max(1, round(in_flight / len(paths))),
        processes=len(paths),
        duration_s=end - begin,
        source=place,
    )
    return measured(cell, parts)


def _histogram(values_ns: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Histogram:
    """Times in bins of three digits, as a Run has them."""
    shift = np.maximum(0, np.frexp(values_ns.astype(np.float64))[1] - _SIGNIFICANT_BITS)
    low = (values_ns >> shift) << shift
    return Histogram.of(low, low + (1 << shift) - 1, np.ones_like(low))
