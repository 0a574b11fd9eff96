"""The minutes of a stage: operations rate, response time, power and their ratio, as arrays.

A minute is one interval of the plan: 60 s unless its times were scaled. What is missing is NaN.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from iowatt.emerald.phases import FILE_ACCESS, SEQUENTIAL

if TYPE_CHECKING:
    import polars as pl

Floats = npt.NDArray[np.float64]
Unit = Literal["IOPS", "MiB/s", "ops/s"]

BYTES_PER_MIB = 1 << 20
_LARGEST = 1e200
SLACK = 0.05  #: Share of a minute by which the clock of a load generator may be off its nominal width.


@dataclass(frozen=True)
class Minutes:
    """A row per minute; all arrays have its length."""

    unit: Unit
    start_s: Floats
    end_s: Floats
    requests: Floats
    arrivals: Floats  #: Requests that arrived; in measured Runs those that completed.
    operations_rate: Floats  #: Requests or MiB completed per second.
    response_ms: Floats
    power_w: Floats

    def __len__(self) -> int:
        return len(self.start_s)

    @property
    def seconds(self) -> Floats:
        """Length of each."""
        return self.end_s - self.start_s

    @property
    def efficiency(self) -> Floats:
        """Periodic power efficiency PE: operations rate over mean power of the same minute."""
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            ratio = self.operations_rate / self.power_w
        return np.where((self.power_w > 0) & (ratio < _LARGEST), ratio, np.nan)

    @property
    def complete(self) -> npt.NDArray[np.bool_]:
        """Whether a minute has both an operations rate and a power."""
        found: npt.NDArray[np.bool_] = np.isfinite(self.operations_rate) & np.isfinite(self.power_w)
        return found

    def planned(self, seconds: float | None, interval_s: float) -> Minutes:
        """Without a last row shorter than a minute that the load generator ran beyond the plan."""
        if not len(self) or seconds is None:
            return self
        left_over = float(self.seconds[-1]) < (1 - SLACK) * interval_s
        enough = float(self.end_s[-1] - self.start_s[0] - self.seconds[-1]) >= seconds - SLACK * interval_s
        if not (left_over and enough):
            return self
        return Minutes(self.unit, *(getattr(self, one.name)[:-1] for one in fields(self)[1:]))


def unit_of(phase: str) -> Unit:
    """The unit of a phase's operations rate."""
    if phase in FILE_ACCESS:
        return "ops/s"
    return "MiB/s" if phase in SEQUENTIAL else "IOPS"


def joined(parts: Sequence[Minutes]) -> Minutes:
    """Minutes one after another; their times are those of their own stages."""
    columns = [np.concatenate([getattr(part, one.name) for part in parts]) for one in fields(Minutes)[1:]]
    return Minutes(parts[0].unit, *columns)


def of_table(intervals: pl.DataFrame, unit: Unit) -> Minutes:
    """The rows of a Run's table ``intervals``, with ``wall_w`` as power."""

    def column(name: str) -> Floats:
        import polars as pl

        values = intervals[name].cast(pl.Float64).fill_null(float("nan")).to_numpy()
        # Infinity is not a figure, nor is a value whose sum overflows.
        return np.where(np.abs(values) < _LARGEST, values, np.nan)

    start, end = column("start_s"), column("end_s")
    requests, moved = column("completions"), column("bytes_read") + column("bytes_written")
    work = moved / BYTES_PER_MIB if unit == "MiB/s" else requests
    width = end - start
    rate = np.divide(work, width, out=np.full(len(start), np.nan), where=width > 0)
    return Minutes(
        unit=unit,
        start_s=start,
        end_s=end,
        requests=requests,
        arrivals=column("arrivals"),
        operations_rate=rate,
        response_ms=column("response_mean_ms"),
        power_w=column("wall_w"),
    )
