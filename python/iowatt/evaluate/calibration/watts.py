"""Watts by what a drive does: a base, joules a byte and joules a command, of reads and of writes.

    P = base + r (bytes read a second) + w (bytes written a second) + c (commands a second)

by least squares of relative errors, factors of at least 0. Watts at the highest rates follow, which is what a
device file holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from iowatt.evaluate.calibration.intervals import Array
from iowatt.evaluate.calibration.least_squares import linear
from iowatt.evaluate.measured import Measured

LARGE: Final = 128 * 1024
#: Cells of a direction from which its factors are told.
_LEAST: Final = 3


@dataclass(frozen=True)
class DriveWatts:
    """Watts awake without work, and joules a byte read, a byte written and a command; ends of intervals.

    ``residuals`` are relative, one a cell; ``names`` are those of the factors that were told.
    """

    names: tuple[str, ...]
    factors: Array
    low: Array
    high: Array
    residuals: Array

    def at(self, bytes_read: float, bytes_written: float, commands: float) -> float:
        """Watts at rates a second."""
        given = {"base": 1.0, "read": bytes_read, "written": bytes_written, "command": commands}
        return float(sum(given[name] * factor for name, factor in zip(self.names, self.factors, strict=True)))

    def ends(self, bytes_read: float, bytes_written: float, commands: float) -> tuple[float, float]:
        """The least and the greatest watts at rates a second, each factor at the end of its interval."""
        given = {"base": 1.0, "read": bytes_read, "written": bytes_written, "command": commands}
        rows = np.array([given[name] for name in self.names])
        return float(rows @ self.low), float(rows @ self.high)


def fit_watts(cells: Sequence[Measured], seed: int = 1) -> DriveWatts | None:
    """The law of a drive's watts; None where fewer than three cells have any."""
    known = [one for one in cells if one.watts]
    if len(known) < _LEAST:
        return None
    moved = np.array([_rates(one) for one in known])
    watts = np.array([one.watts or 0.0 for one in known])
    columns, names = [np.ones(len(known))], ["base"]
    for number, name in enumerate(("read", "written", "command")):
        column = moved[:, number]
        # One size of request: bytes and commands are the same thing, and bytes stand for both.
        alike = name == "command" and len({one.cell.size_bytes for one in known}) == 1
        if np.count_nonzero(column) >= min(_LEAST, len(known) - 1) and not alike:
            columns.append(column)
            names.append(name)
    while len(names) > 1 and len(names) > len(known) - 1:
        columns.pop()
        names.pop()
    factors, low, high, residuals = linear(np.column_stack(columns), watts, seed)
    return DriveWatts(tuple(names), factors, low, high, residuals)


def _rates(one: Measured) -> tuple[float, float, float]:
    bytes_ = one.iops * one.cell.size_bytes
    read = one.cell.read_share
    return bytes_ * read, bytes_ * (1 - read), one.iops
