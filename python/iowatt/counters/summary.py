"""Figures of each device of a log: rates over time, mix, sizes, waits, queues, utilisation, bursts."""

from __future__ import annotations

from typing import Final, Literal

import numpy as np
from pydantic import Field

from iowatt.base.errors import InputError
from iowatt.base.results import Note, Result, ResultDocument
from iowatt.counters.activity import Activity, Split, activity, mean_of, merged_share, ratio
from iowatt.counters.arrivals import dispersion
from iowatt.counters.log import CountersLog

READING: Final = "reading"
"""Code of notes on what reading left out or assumed."""

ASSUMED: Final = "assumed"
"""Code of notes that a figure of the profile is assumed, not counted."""

NO_SPAN: Final = "no-span"
"""Code of the note that the profile has no address space."""

_SHOWN_OVER_TIME: Final = 60


class RatesAt(Result):
    """Mean rates of a stretch of intervals; None where the log does not tell reads from writes."""

    end_seconds: float  #: From the start of the log.
    iops: float
    read_iops: float | None
    write_iops: float | None
    bytes_per_second: float


class DeviceService(Result):
    """Queues and utilisation of a device. Each figure is None where the log lacks it."""

    device: str
    lacking: str | None  #: What the counters do not tell.
    mean_queue: float | None
    peak_queue: float | None
    utilisation: float | None
    peak_utilisation: float | None
    #: 1 where one request follows another; far above, they come in bunches or overlap in the device.
    queue_while_busy: float | None


class DeviceCounters(DeviceService):
    """A device: rates per second, sizes in bytes, waits in seconds, shares from 0 to 1.

    Means over time are weighted by seconds, waits and sizes by requests.
    """

    unknown_intervals: int
    iops: float | None
    peak_iops: float
    bytes_per_second: float | None
    read_share: float | None
    read_share_bytes: float | None
    read_share_from: Split | None
    mean_read_bytes: float | None
    mean_write_bytes: float | None
    mean_bytes: float | None
    read_merged_share: float | None  #: Requests merged into others, of all that were issued.
    write_merged_share: float | None
    discards_per_second: float | None
    discard_bytes_per_second: float | None
    flushes_per_second: float | None
    mean_read_wait: float | None
    mean_write_wait: float | None
    mean_wait: float | None
    dispersion: float | None
    dispersion_limit: float | None
    over_time: list[RatesAt]

    @property
    def bursty(self) -> bool:
        """Whether counts vary more than those of Poisson arrivals would by chance."""
        return self.dispersion is not None and self.dispersion > (self.dispersion_limit or 0.0)


class WrittenProfile(Result):
    """The profile that was written."""

    path: str
    name: str
    devices: list[str]
    seconds: float
    assumptions: list[str]
    notes: list[Note]


class CountersSummary(ResultDocument):
    """Logs of one tool, and the profile that was made of them."""

    schema_id: Literal["iowatt.trace-counters/1"] = Field(default="iowatt.trace-counters/1", alias="schema")
    format: str
    intervals: int
    seconds: float | None
    interval_seconds: float | None
    skipped: int
    notes: list[Note]
    devices: list[DeviceCounters | DeviceService]
    profile: WrittenProfile | None = None

    @property
    def busy(self) -> list[DeviceCounters | DeviceService]:
        """The active devices, and those that lack figures."""
        return [device for device in self.devices if device.lacking or getattr(device, "iops", None)]


def summary(log: CountersLog, read_share: float | None = None) -> CountersSummary:
    """All devices of a log; ``read_share`` (0 to 1) applies where reads are not counted separately."""
    seconds = np.frombuffer(log.seconds, dtype=np.float64)
    known = seconds[np.isfinite(seconds)]
    return CountersSummary(
        format=log.format,
        intervals=len(seconds),
        seconds=float(known.sum()) if len(known) else None,
        interval_seconds=float(np.median(known)) if len(known) else None,
        skipped=log.bad,
        notes=[Note(code=READING, text=text) for text in log.notes],
        devices=[_device(log, device, read_share) for device in log.devices],
    )


def _device(log: CountersLog, device: str, read_share: float | None) -> DeviceCounters | DeviceService:
    try:
        return _counters(log, device, activity(log, device, read_share), None)
    except InputError as error:
        if not log.has(device, "requests") or not (log.has(device, "bytes") or log.has(device, "size")):
            return DeviceService(**_service(log, device, np.ones(len(log.seconds)), error.message))
        # The sum of reads and writes is known.
        return _counters(log, device, activity(log, device, 0.5), error.message)


def _service(log: CountersLog, device: str, weights: np.ndarray, lacking: str | None) -> dict[str, object]:
    queue, busy = (mean_of(log, device, name, weights) for name in ("queue", "utilisation"))
    return {
        "device": device,
        "lacking": lacking,
        "mean_queue": queue,
        "peak_queue": _peak(log, device, "queue"),
        "utilisation": busy,
        "peak_utilisation": _peak(log, device, "utilisation"),
        "queue_while_busy": ratio(queue, busy) if queue is not None and busy else None,
    }


def _counters(log: CountersLog, device: str, act: Activity, lacking: str | None) -> DeviceCounters:
    """``lacking`` says why reads and writes are not told apart."""
    weights, apart = act.weights, lacking is None
    reads, writes, read_bytes, write_bytes = (
        float(np.sum(rate * weights)) for rate in (act.reads, act.writes, act.read_bytes, act.write_bytes)
    )
    lasted, requests, moved = float(weights.sum()), reads + writes, read_bytes + write_bytes
    spread = dispersion(np.where(act.known, act.requests, np.nan), act.seconds)
    read_wait, write_wait, wait = (
        mean_of(log, device, name, weights * rate)
        for name, rate in (("read_wait", act.reads), ("write_wait", act.writes), ("wait", act.requests))
    )
    if wait is None and read_wait is not None and write_wait is not None:
        wait = ratio(reads * read_wait + writes * write_wait, requests)
    return DeviceCounters(
        **_service(log, device, weights, lacking),
        unknown_intervals=int((~act.known).sum()),
        iops=ratio(requests, lasted),
        peak_iops=float(act.requests.max(initial=0.0)),
        bytes_per_second=ratio(moved, lasted),
        read_share=ratio(reads, requests) if apart else None,
        read_share_bytes=ratio(read_bytes, moved) if apart else None,
        read_share_from=act.split if apart else None,
        mean_read_bytes=None if act.same_sizes else ratio(read_bytes, reads),
        mean_write_bytes=None if act.same_sizes else ratio(write_bytes, writes),
        mean_bytes=ratio(moved, requests),
        read_merged_share=merged_share(log, device, "read_merged", act.reads, weights) if apart else None,
        write_merged_share=merged_share(log, device, "write_merged", act.writes, weights) if apart else None,
        discards_per_second=mean_of(log, device, "discards", weights),
        discard_bytes_per_second=mean_of(log, device, "discard_bytes", weights),
        flushes_per_second=mean_of(log, device, "flushes", weights),
        mean_read_wait=read_wait if apart else None,
        mean_write_wait=write_wait if apart else None,
        mean_wait=wait,
        dispersion=spread.index if spread.known else None,
        dispersion_limit=spread.limit if spread.known else None,
        over_time=_over_time(act, apart),
    )


def _peak(log: CountersLog, device: str, name: str) -> float | None:
    values = log.column(device, name)
    values = values[np.isfinite(values)]
    return float(values.max()) if log.has(device, name) and len(values) else None


def _over_time(act: Activity, apart: bool) -> list[RatesAt]:
    """Mean rates of up to 60 stretches of equally many intervals."""
    weights = act.weights
    ends = np.cumsum(np.where(np.isfinite(act.seconds), act.seconds, 1.0))
    found = []
    for part in np.array_split(np.arange(len(weights)), min(_SHOWN_OVER_TIME, len(weights))):
        lasted = float(weights[part].sum())
        if not lasted:
            continue
        total, reads, writes, moved = (
            float(np.sum((rate * weights)[part])) / lasted
            for rate in (act.requests, act.reads, act.writes, act.read_bytes + act.write_bytes)
        )
        found.append(
            RatesAt(
                end_seconds=float(ends[part[-1]]),
                iops=total,
                read_iops=reads if apart else None,
                write_iops=writes if apart else None,
                bytes_per_second=moved,
            )
        )
    return found
