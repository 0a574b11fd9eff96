"""What the response times of a disk show of its parts: the same signs of a measured and a simulated trace.

Requests come one at a time. *Far* ones move the arm: their mean grows with the root of the distance and the
distance, and about it they spread over a turn. *Near* ones stay at the cylinder and show command and wait.
*Continuing* reads in long runs show the rate of a zone, and where the drive has read ahead, the bus.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from iowatt.evaluate.validation import PacedRequests

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

NAMES: Final = ("near", "short", "middle", "long", "spread", "writes", "outer", "inner", "hit", "sector")
"""Near reads; far reads at three distances; spread about them; writes; rates; hits: all but rates in s."""

_SHORT, _MIDDLE, _LONG = 0.01, 0.33, 0.9
_NEAR_BYTES: Final = 4 << 20
_FAR: Final = 0.002
_RUN: Final = 8
_LEAST: Final = 30
CACHED: Final = 0.5
"""Writes that take less than this share of a read's time complete in the buffer."""
_HIT: Final = 0.12
"""Of a turn: a fifth of the reads that stay at a cylinder wait less than a fifth of it."""
_COHERENT: Final = 2000
"""Turns after which a phase is not followed: speeds drift."""
_BAND_HZ: Final = (50.0, 300.0)
"""3,000 to 18,000 turns a minute."""
_IN_PHASE: Final = 0.6
_MOST_TRIED: Final = 20_000
_SETTLED: Final = (64, 16, 4, 0)
"""Reads behind a write that are left out: as many as leave ``_ENOUGH`` far ones."""
_ENOUGH: Final = 500


@dataclass(frozen=True)
class Asked:
    """What was asked for, sorted by what it shows; masks and arrays of one length, a request each.

    distance:
        Of its first byte from the end of the request before, as a share of the capacity.
    place:
        Of its first byte, as a share of the capacity.
    cycle_ns:
        Response and think time, filled in by whoever has the responses.
    """

    distance: Array
    place: Array
    sectors: Array
    think_s: Array
    far: Mask
    near: Mask
    write: Mask
    streaming: Mask
    hitting: Mask

    @classmethod
    def of(cls, paced: PacedRequests, capacity: int, sector_bytes: int) -> Asked:
        """Sort requests. Far and near by offset alone; streaming: at least ``_RUN`` reads in a row before."""
        offset, size = paced.offset.astype(np.float64), paced.size.astype(np.float64)
        ends = np.concatenate([[0.0], (offset + size)[:-1]])
        gap = offset - ends
        distance = np.abs(gap) / capacity
        continues = (gap == 0) & ~paced.write
        before = _run_lengths(continues)
        think_s = paced.think_ns / 1e9
        waited = np.concatenate([[0.0], think_s[:-1]])
        # A cache that is being written out makes the reads behind writes wait.
        number = np.arange(len(offset))
        wrote = np.maximum.accumulate(np.where(paced.write, number, -_SETTLED[0] - 1))
        moved, rested = distance > _FAR, np.ones(len(offset), bool)
        # What comes back may be buffered: it is no far read, nor tells where the arm is for the next one.
        once = _only_time(offset)
        once[1:] &= once[:-1].copy()
        if np.count_nonzero(moved & once) >= _ENOUGH:
            moved &= once
        for settled in _SETTLED:
            rested = number - wrote > settled
            if np.count_nonzero(moved & rested) >= _ENOUGH:
                break
        far = moved & (rested | paced.write)
        # Backwards, for the drive reads ahead.
        near = (gap > -_NEAR_BYTES) & (gap < 0) & ~paced.write & rested & _first_time(offset)
        # A read-ahead has had time to come before the request.
        hitting = (before >= _RUN) & (waited > 2e-3)
        return cls(
            distance, offset / capacity, size / sector_bytes, think_s, far, near, paced.write,
            (before >= _RUN) & (waited <= 2e-3), hitting,
        )  # fmt: skip


def _first_time(offset: Array) -> Mask:
    """Which requests are the first at their offset: others may be buffered."""
    first = np.zeros(len(offset), bool)
    first[np.unique(offset, return_index=True)[1]] = True
    return first


def _only_time(offset: Array) -> Mask:
    """Which requests are the only ones at their offset."""
    _, number, count = np.unique(offset, return_inverse=True, return_counts=True)
    return np.asarray(count[number] == 1)


def _run_lengths(continues: Mask) -> NDArray[np.int64]:
    """How many requests in a row continued, up to each."""
    number = np.arange(len(continues))
    broken = np.maximum.accumulate(np.where(continues, 0, number))
    return number - broken


def signs(asked: Asked, response_s: Array, rows: NDArray[np.int64], sector_bytes: int) -> Array:
    """The signs of ``rows`` (indices, which may repeat) by ``NAMES``; nan where there are few."""
    found = np.full(len(NAMES), np.nan)
    time_s, far, write = response_s[rows], asked.far[rows], asked.write[rows]
    reads = far & ~write
    if np.count_nonzero(reads) >= _LEAST:
        columns = _columns(asked.distance[rows])
        factors = np.linalg.lstsq(columns[reads], time_s[reads], rcond=None)[0]
        found[1:4] = _columns(np.array([_SHORT, _MIDDLE, _LONG])) @ factors
        rest = time_s[reads] - columns[reads] @ factors
        low, high = np.quantile(rest, (0.05, 0.95))
        found[4] = (high - low) / 0.9
        middle = found[2]
        writes = far & write
        if np.count_nonzero(writes) >= _LEAST:
            found[5] = np.median(time_s[writes])
            if found[5] > CACHED * middle:
                # Against reads of the same distances, where neither waits: the mean of a wait is less sure.
                gap = np.quantile(time_s[writes] - columns[writes] @ factors, 0.05) - low
                found[5] = middle + gap
    near = asked.near[rows]
    # More than so many that hardly wait are hits: reads that an earlier one has brought.
    if np.count_nonzero(near) >= _LEAST and np.quantile(time_s[near], 0.2) > _HIT * found[4]:
        # Those that hardly wait: their mean would take a hundred times as many.
        found[0] = np.quantile(time_s[near], 0.05)
    found[6:8] = _rates(asked, time_s, rows, sector_bytes)
    hits = asked.hitting[rows]
    if np.count_nonzero(hits) >= _LEAST:
        sectors = asked.sectors[rows][hits]
        base, slope = float(np.median(time_s[hits])), np.nan
        if not base > found[4] / 8:  # else they were not read ahead
            if np.ptp(sectors) > 0:
                base, slope = _median_line(sectors, time_s[hits])
            found[8], found[9] = base, slope
    return found


def turn(paced: PacedRequests, response_s: Array, about_s: float) -> float | None:
    """The time of a turn from requests that come back to the same sectors: whole turns pass in between.

    The turn at which the completions of equal requests are most in phase; None where fewer than ``_LEAST``
    come back without being buffered, or where they keep no phase. ``about_s`` is a turn, about.
    """
    ends = np.cumsum(response_s + np.concatenate([[0.0], paced.think_ns[:-1] / 1e9]))
    order = np.lexsort((np.arange(len(ends)), paced.size, paced.offset))
    same = (paced.offset[order][1:] == paced.offset[order][:-1]) & (
        paced.size[order][1:] == paced.size[order][:-1]
    )
    one, other = order[:-1][same], order[1:][same]
    slow = (response_s[one] > about_s / 20) & (response_s[other] > about_s / 20)
    passed = (ends[other] - ends[one])[slow]
    passed = np.sort(passed[passed < _COHERENT * about_s])
    if len(passed) < _LEAST:
        return None
    low, high = _BAND_HZ
    # Short gaps first: they leave one peak; each longer set sharpens it.
    for share in (0.25, 0.5, 1.0):
        gaps = passed[: max(_LEAST, int(share * len(passed)))]
        tried = np.arange(low, high, 0.05 / gaps[-1])[:_MOST_TRIED]
        phase = np.array([abs(np.exp(2j * np.pi * one * gaps).mean()) for one in tried])
        # Twice the speed is in phase as well: the least speed that is, and the top of its peak.
        first = int(np.argmax(phase >= 0.9 * phase.max()))
        beyond = phase[first:] < 0.9 * phase.max()
        end = first + (int(np.argmax(beyond)) if beyond.any() else len(beyond))
        best = first + int(np.argmax(phase[first:end]))
        if phase[best] < _IN_PHASE:
            return None
        low, high = float(tried[best]) - 0.4 / gaps[-1], float(tried[best]) + 0.4 / gaps[-1]
    return 1 / float(tried[best])


def _columns(distance: Array) -> Array:
    return np.column_stack([np.ones(len(distance)), np.sqrt(distance), distance])


def _rates(asked: Asked, time_s: Array, rows: NDArray[np.int64], sector_bytes: int) -> tuple[float, float]:
    """Bytes a second of streams at the first and the last byte, by a line through the places."""
    streaming = asked.streaming[rows]
    if np.count_nonzero(streaming) < _LEAST:
        return np.nan, np.nan
    taken = (time_s + asked.think_s[rows])[streaming]
    size = asked.sectors[rows][streaming] * sector_bytes
    place = asked.place[rows][streaming]
    # Bytes of a part of the drive over its seconds: single requests wait for track switches or do not.
    edges = np.linspace(0.0, 1.0, 13)
    at = np.clip(np.digitize(place, edges) - 1, 0, 11)
    seconds, bytes_ = np.bincount(at, taken, 12), np.bincount(at, size, 12)
    places = np.bincount(at, place * taken, 12)
    kept = np.bincount(at, minlength=12) >= _LEAST // 2
    if not kept.any():
        return np.nan, np.nan
    rate, middle = bytes_[kept] / seconds[kept], places[kept] / seconds[kept]
    if np.ptp(middle) < 0.3:
        return (float(np.mean(rate)), np.nan) if middle.mean() < 0.5 else (np.nan, float(np.mean(rate)))
    slope, start = np.polyfit(middle, rate, 1)
    return float(start), float(start + slope)


def _median_line(sectors: Array, time_s: Array) -> tuple[float, float]:
    """A line through the medians of each size: seconds of none, seconds of a sector."""
    sizes = np.unique(sectors)
    medians = np.array([np.median(time_s[sectors == size]) for size in sizes])
    counts = np.array([np.count_nonzero(sectors == size) for size in sizes])
    slope, start = np.polyfit(sizes, medians, 1, w=np.sqrt(counts))
    return float(start), float(slope)
