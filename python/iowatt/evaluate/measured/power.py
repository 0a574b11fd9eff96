"""Watts of cells from the logs of instruments: ``iowatt meter`` recordings, tables of time and watts.

A log is of the cells that ran while it was taken. Where a cell's time is not known, it is of the cells whose
file has the beginning of its name, or of the only cell there is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from iowatt.base.errors import InputError
from iowatt.evaluate.measured.cell import Measured
from iowatt.sources import meters

RECORDING: Final = "# iowatt.meter-recording/"
_LEAST: Final = 3  #: Samples of a mean.


@dataclass(frozen=True)
class PowerSeries:
    """Watts by Unix time, of all channels together."""

    path: Path
    time_s: NDArray[np.float64]
    watts: NDArray[np.float64]


def read(address: str) -> PowerSeries:
    """The log of an address, as ``csv:FILE?watts=P``. Raises ``InputError`` with the place."""
    logs = meters.logs(address, {"utc-offset": "Z"})
    with_watts = [log for log in logs if "watts" in log.quantities]
    if not with_watts:
        raise InputError("missing", address, "the log has no column of watts")
    if len(with_watts) > 1:
        names = ", ".join(log.instrument.name for log in with_watts[:5])
        message = f"the log has several channels of watts ({names}); a cell has one"
        raise InputError("ambiguous", address, message, hint="name one: `csv:FILE?watts=COLUMN`")
    (log,) = with_watts
    keep = np.isfinite(log.quantities["watts"])
    if keep.sum() < _LEAST:
        message = f"the log has {int(keep.sum())} samples of watts; a mean takes {_LEAST}"
        raise InputError("empty", address, message)
    return PowerSeries(log.path or Path(address), log.time_s[keep], log.quantities["watts"][keep])


def with_watts(cells: Sequence[Measured], logs: Sequence[PowerSeries]) -> list[Measured]:
    """The cells, those that a log is of with its mean watts.

    Raises ``InputError`` where a log is of no cell, or it cannot be told of which.
    """
    found = list(cells)
    for log in logs:
        timed = {at: watts for at, one in enumerate(found) if (watts := _within(log, one.time)) is not None}
        named = [at for at, one in enumerate(found) if _alike(log.path, one.cell.source)]
        if not timed:
            whole = float(log.watts.mean())
            timed = dict.fromkeys(named or range(len(found) == 1), whole)
        if not timed:
            message = "no cell ran while this log was taken, or it is not known when they ran"
            hint = "begin its name as that of the cell's file: randread.json, randread-power.csv"
            raise InputError("not-comparable", str(log.path), message, hint=hint)
        for at, watts in timed.items():
            found[at] = replace(found[at], watts=watts)
    return found


def _within(log: PowerSeries, time: tuple[float, float] | None) -> float | None:
    """Mean watts within a time; None where there are too few samples."""
    if time is None:
        return None
    keep = (log.time_s >= time[0]) & (log.time_s <= time[1])
    return float(log.watts[keep].mean()) if keep.sum() >= _LEAST else None


def _alike(log: Path, source: str) -> bool:
    """Whether a cell's file has the beginning of a log's name; a source is ``FILE:LINE: PLACE``."""
    stem = Path(source.partition(": ")[0]).name.partition(".")[0]
    return bool(stem) and log.name.startswith(stem)
