"""Files that hold single requests or series: traces, fio's logs of completion times and of rates."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from iowatt.base.errors import InputError
from iowatt.evaluate.calibration.over_time import bursts, knee
from iowatt.evaluate.calibration.result import Observed
from iowatt.evaluate.validation import PacedRequests, read

#: fio's logs of single requests (``write_lat_log``), and of rates (``write_bw_log``).
_TIMES: Final = re.compile(r".*_(clat|lat)(\.\d+)?\.log")
_RATES: Final = re.compile(r".*_bw(\.\d+)?\.log")
_OFFSET: Final = 5
_SECOND_MS: Final = 1000


def requests(files: Sequence[str | os.PathLike[str]], format_: str | None) -> PacedRequests:
    """The requests of one trace with response times, or of fio's logs with offsets, one at a time.

    Raises ``InputError`` where there is not just one trace, requests overlap, or logs lack offsets.
    """
    paths = [Path(os.fspath(one)) for one in files]
    if format_ is None and paths and all(_TIMES.fullmatch(path.name) for path in paths):
        return _joined([_requests(path) for path in paths])
    if len(paths) != 1:
        message = f"a disk is fitted to one trace, or to fio's logs of times; given are {len(paths)} files"
        raise InputError("not-accepted", ", ".join(map(str, paths)) or "MEASURED", message)
    if format_ is None and _is_json(paths[0]):
        message = "these are cells of fio, which fit an SSD; a disk is fitted to a trace of its requests"
        hint = "record them with blktrace while fio runs, or give fio's logs of times with offsets"
        raise InputError("not-accepted", str(paths[0]), message, hint=hint)
    return read(paths[0], format_)


def _is_json(path: Path) -> bool:
    if not path.is_file():
        return False  # the reader says so
    with path.open("rb") as file:
        return file.read(64).lstrip().startswith(b"{")


def _rows(path: Path) -> NDArray[np.int64]:
    if not path.is_file():
        raise InputError("not-found", str(path), "no such file")
    try:
        rows = np.loadtxt(path, delimiter=",", dtype=np.int64, ndmin=2, usecols=range(_columns(path)))
    except (OSError, ValueError) as error:
        raise InputError("damaged", str(path), f"not a fio log: {error}") from None
    if not len(rows):
        raise InputError("empty", str(path), "the log has no requests")
    return rows


def _columns(path: Path) -> int:
    with path.open(encoding="utf-8", errors="replace") as file:
        return min(_OFFSET, file.readline().count(",") + 1)


def _requests(path: Path) -> dict[str, NDArray[Any]]:
    """Requests of a log; its times are in ms, so a request follows the one before it without a pause."""
    rows = _rows(path)
    rows = rows[rows[:, 2] < 2]
    if rows.shape[1] < _OFFSET or not rows[:, 3].all():
        message = "the log has no offsets and sizes of single requests"
        raise InputError(
            "missing", str(path), message, hint="set log_offset=1 and no log_avg_msec in the job"
        )
    return {
        "offset": rows[:, 4].astype(np.uint64),
        "size": rows[:, 3].astype(np.uint32),
        "write": rows[:, 2] == 1,
        "response_ns": rows[:, 1].copy(),
    }


def _joined(parts: Sequence[dict[str, NDArray[Any]]]) -> PacedRequests:
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    return PacedRequests(**columns, think_ns=np.zeros(len(columns["offset"]), np.uint64))


def observed(files: Sequence[str | os.PathLike[str]]) -> Iterator[Observed]:
    """What fio's logs show over time: the knee of writes in rates, bursts in the tails of seconds."""
    for name in files:
        path = Path(os.fspath(name))
        if _RATES.fullmatch(path.name):
            yield from _knee(path)
        elif _TIMES.fullmatch(path.name):
            yield from _bursts(path)


def _knee(path: Path) -> Iterator[Observed]:
    rows = _rows(path)
    writes = rows[rows[:, 2] == 1]
    if len(writes) < 2:
        return
    interval_s = float(np.median(np.diff(writes[:, 0]))) / _SECOND_MS
    found = knee(writes[:, 1] * 1024.0, interval_s) if interval_s > 0 else None
    if found is None:
        return
    rates = f"from {found.before / 1e6:.4g} to {found.after / 1e6:.4g} MB/s"
    text = f"{path.name}: {rates} after {found.time_s:.4g} s"
    yield Observed(name="write buffer", unit="bytes", value=found.buffer_bytes, text=text)


def _bursts(path: Path) -> Iterator[Observed]:
    rows = _rows(path)
    second = (rows[:, 0] - rows[0, 0]) // _SECOND_MS
    tails = np.array([np.quantile(rows[second == one, 1], 0.99) for one in np.unique(second)]) / 1e9
    found = bursts(tails)
    if found is None:
        return
    text = f"{path.name}: bursts of {found.length_s:.3g} s, autocorrelation {found.regularity:.2f}"
    yield Observed(name="period of bursts", unit="s", value=found.period_s, text=text)
