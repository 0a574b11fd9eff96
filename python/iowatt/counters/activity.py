"""Reads and writes of a device in each interval, in requests and bytes, and how they were told apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from iowatt.base.errors import InputError
from iowatt.counters.log import CountersLog, Floats

Split = Literal["counted", "bytes", "given"]


@dataclass(frozen=True)
class Activity:
    """A device over the intervals of its log.

    ``reads``, ``writes``, ``read_bytes`` and ``write_bytes`` are per second, one value for each interval, 0
    where not ``known``. ``seconds`` are lengths, NaN where not known. ``split`` is the source of the share of
    reads: counted, the share of bytes (equal mean sizes), or given by the user. ``unplaced`` requests moved
    no bytes (flushes, discards).
    """

    device: str
    seconds: Floats
    known: np.ndarray[tuple[int], np.dtype[np.bool_]]
    reads: Floats
    writes: Floats
    read_bytes: Floats
    write_bytes: Floats
    split: Split
    same_sizes: bool
    unplaced: float

    @property
    def requests(self) -> Floats:
        """Reads and writes per second."""
        return self.reads + self.writes

    @property
    def weights(self) -> Floats:
        """Seconds of the known intervals; where no length is known, 1 each."""
        lengths = np.where(np.isfinite(self.seconds), self.seconds, 1.0)
        return np.where(self.known, lengths, 0.0)

    @property
    def active(self) -> bool:
        """Whether anything was read or written."""
        return bool(self.requests.any())


def activity(log: CountersLog, device: str, read_share: float | None = None) -> Activity:
    """The activity of ``device``; ``read_share`` (0 to 1) applies where reads are not counted separately.

    Raises ``InputError`` with the counters that the log lacks.
    """

    def has(name: str) -> bool:
        return log.has(device, name)

    def get(name: str) -> Floats:
        return log.column(device, name)

    split: Split = "counted"
    unplaced = np.zeros(len(log.seconds))
    if has("reads") and has("writes"):
        reads, writes = get("reads"), get("writes")
        total = reads + writes
    else:
        total = _total(log, device)
        if has("read_bytes") and has("write_bytes"):
            split, moved = "bytes", get("read_bytes") + get("write_bytes")
            share = np.divide(get("read_bytes"), moved, out=np.zeros_like(moved), where=moved > 0)
            unplaced = np.where(moved > 0, 0.0, total)
            total = np.where(moved > 0, total, moved)
        elif read_share is not None:
            split, share = "given", np.full(len(total), read_share)
        else:
            message = f"the counters of {device!r} do not tell reads from writes"
            hint = "record more columns (iostat -x without -s), or give the share of reads: `read_share=70`"
            raise InputError("missing-figure", None, message, hint=hint)
        reads, writes = total * share, total * (1 - share)
    same = split != "counted"
    if has("read_bytes") and has("write_bytes"):
        read_bytes, write_bytes = get("read_bytes"), get("write_bytes")
    elif has("read_size") and has("write_size"):
        read_bytes, write_bytes = reads * _or_zero(get("read_size")), writes * _or_zero(get("write_size"))
    else:
        same = True
        moved = _moved(log, device, total)
        share = np.divide(reads, total, out=np.zeros_like(total), where=total > 0)
        read_bytes, write_bytes = moved * share, moved * (1 - share)
    columns = (reads, writes, read_bytes, write_bytes)
    known = np.logical_and.reduce([np.isfinite(column) for column in columns])
    reads, writes, read_bytes, write_bytes = (np.where(known, column, 0.0) for column in columns)
    seconds = np.frombuffer(log.seconds, dtype=np.float64)
    return Activity(
        device, seconds, known, reads, writes, read_bytes, write_bytes, split, same,
        float(np.nansum(np.where(known, unplaced, 0.0)) / max(1, int(known.sum()))),
    )  # fmt: skip


def _total(log: CountersLog, device: str) -> Floats:
    if not log.has(device, "requests"):
        message = f"the counters of {device!r} lack requests per second"
        hint = (
            "needed are iostat's r/s and w/s or tps, sar's tps, or perfmon's Disk Reads/sec and Disk "
            "Writes/sec"
        )
        raise InputError("missing-figure", None, message, hint=hint)
    return log.column(device, "requests")


def _moved(log: CountersLog, device: str, requests: Floats) -> Floats:
    if log.has(device, "bytes"):
        return log.column(device, "bytes")
    if log.has(device, "size"):
        return requests * _or_zero(log.column(device, "size"))
    message = f"the counters of {device!r} lack bytes per second and mean sizes"
    hint = (
        "needed are iostat's rkB/s and wkB/s, sar's rkB/s and wkB/s, or perfmon's Disk Read Bytes/sec and "
        "Disk Write Bytes/sec"
    )
    raise InputError("missing-figure", None, message, hint=hint)


def _or_zero(sizes: Floats) -> Floats:
    """Mean sizes, 0 where there was no request to have one."""
    return np.nan_to_num(sizes, nan=0.0)


def merged_share(log: CountersLog, device: str, name: str, rate: Floats, weights: Floats) -> float | None:
    """Share of requests that were merged into others; None where not counted."""
    merged = mean_of(log, device, name, weights)
    if merged is None:
        return None
    issued = ratio(float(np.sum(rate * weights)), float(weights.sum())) or 0.0
    return ratio(merged, merged + issued) or 0.0


def mean_of(log: CountersLog, device: str, name: str, weights: Floats) -> float | None:
    """The weighted mean of a counter; None where the log does not have it."""
    if not log.has(device, name):
        return None
    values = log.column(device, name)
    usable = np.isfinite(values) & (weights > 0)
    total = float(weights[usable].sum())
    return float(np.sum(values[usable] * weights[usable]) / total) if total else 0.0


def ratio(part: float, whole: float) -> float | None:
    """``part / whole``; None where ``whole`` is 0."""
    return part / whole if whole else None
