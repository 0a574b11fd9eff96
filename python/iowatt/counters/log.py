"""Counters of any tool: rates and means of each device over intervals."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from iowatt.base.errors import InputError
from iowatt.counters import clock
from iowatt.counters.clock import Stamp
from iowatt.counters.text import LogLine

Floats = npt.NDArray[np.float64]

# Per second: of requests that reached the device, after merging. Waits are means in seconds, sizes means in
# bytes, `utilisation` is the share of time with a request in the device.
RATES: Final = (
    "requests", "reads", "writes", "discards", "flushes",
    "bytes", "read_bytes", "write_bytes", "discard_bytes",
    "merged", "read_merged", "write_merged",
)  # fmt: skip
TOO_SHORT: Final = "records less than half a second apart, whose interval sadf gives as 0, are left out"
# 0 where a device is not listed: iostat -z leaves idle ones out.
_ZERO_WHEN_IDLE: Final = frozenset((*RATES, "queue", "utilisation"))
_ABSENT: Final = float("nan")


@dataclass
class DeviceSeries:
    """The rows of one device: the number of each row's interval, and its figures."""

    intervals: array[int] = field(default_factory=lambda: array("q"))
    columns: dict[str, array[float]] = field(default_factory=dict)

    def add(self, interval: int, values: Mapping[str, float]) -> None:
        """Append a row; figures that only some rows have are absent (NaN) from the others."""
        before = len(self.intervals)
        self.intervals.append(interval)
        for name in [name for name in values if name not in self.columns]:
            self.columns[name] = array("d", [_ABSENT]) * before
        for name, column in self.columns.items():
            column.append(values.get(name, _ABSENT))


@dataclass
class CountersLog:
    """The records of a log.

    ``seconds`` has the length of each interval, NaN where not known; ``ends`` its end by the log's clock (UTC
    where ``utc``), None where not known; ``notes`` what reading left out or assumed; ``bad`` counts skipped
    records. ``bucket_ends`` are upper ends in s of buckets of response times, whose counts in each interval
    are the figures ``read_bucket_0`` and so on; empty where the tool has none.
    """

    format: str
    skip_bad: int = 0
    seconds: array[float] = field(default_factory=lambda: array("d"))
    ends: list[Stamp | None] = field(default_factory=list)
    utc: bool = False
    devices: dict[str, DeviceSeries] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    bad: int = 0
    bucket_ends: Sequence[float] = ()

    def interval(self, seconds: float = _ABSENT, end: Stamp | None = None) -> int:
        """Open the next interval and return its number."""
        self.seconds.append(seconds)
        self.ends.append(end)
        return len(self.seconds) - 1

    def put(self, interval: int, device: str, values: Mapping[str, float]) -> None:
        """Add the figures of a device in an interval."""
        self.devices.setdefault(device, DeviceSeries()).add(interval, values)

    def last(self, device: str) -> int:
        """The interval of the device's last row; -1 where it has none."""
        series = self.devices.get(device)
        return series.intervals[-1] if series is not None else -1

    def note(self, text: str) -> None:
        """Keep a note, once."""
        if text not in self.notes:
            self.notes.append(text)

    def malformed(self, error: InputError) -> None:
        """Count a malformed record, or raise its error where no more may be skipped."""
        if self.bad >= self.skip_bad:
            raise error
        self.bad += 1

    def set_lengths(
        self, start: Stamp | None, ends: Sequence[tuple[int, Stamp, LogLine]], message: str
    ) -> None:
        """Lengths of successive intervals, from when each ended and where that is written.

        Raises ``InputError`` with ``message`` where time steps back.
        """
        try:
            lengths = clock.lengths(start, [stamp for _, stamp, _ in ends])
        except ValueError as error:
            raise ends[error.args[0]][2].error("out-of-order", message, hint="split the log there") from None
        for (interval, _, _), seconds in zip(ends, lengths, strict=True):
            self.seconds[interval] = seconds

    def column(self, device: str, name: str) -> Floats:
        """A figure in each interval: NaN where not known; rates are 0 where the device is not listed."""
        series = self.devices[device]
        filled = (
            np.zeros(len(self.seconds)) if name in _ZERO_WHEN_IDLE else np.full(len(self.seconds), np.nan)
        )
        rows = np.frombuffer(series.intervals, dtype=np.int64)
        column = series.columns.get(name)
        filled[rows] = np.nan if column is None else np.frombuffer(column, dtype=np.float64)
        return filled

    def has(self, device: str, name: str) -> bool:
        """Whether any row of the device has the figure."""
        column = self.devices[device].columns.get(name)
        return column is not None and bool(np.isfinite(np.frombuffer(column, dtype=np.float64)).any())
