"""Requests of one job in one direction over time: from windows, checked against the job's own totals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from iowatt.base.errors import InputError
from iowatt.sources.fio.document import Counted
from iowatt.sources.fio.logs import Rows

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]

#: What rounding in a log may explain, as a share of the total.
_ROUNDING: Final = 0.005
#: By how much a window that a starved fio wrote late or short may be off, ms. Seen with fio 3.33 on two busy
#: cores: windows of 50 ms were off by 8 % in all, windows of a second by less than 0.5 %.
_LATE_MS: Final = 10.0


@dataclass(frozen=True)
class Series:
    """Requests that completed in pieces of time."""

    #: Unix time, s: the ends of the pieces, and the time within each to which its requests are put.
    end_s: Floats
    middle_s: Floats
    requests: Counts
    bytes: Counts
    response_s: Floats  #: Sum of response times in s; NaN where not known.
    longest_s: Floats  #: Longest response time in s; NaN where not known.
    #: How many requests a log has too few or too many beyond what its rounding and its unwritten end explain;
    #: they are spread in proportion.
    rounded: int = 0


def split(series: Series, start: float, interval_s: float) -> Series:
    """The pieces, those over one edge between intervals in two, their requests in proportion to time.

    Pieces over several edges are longer than an interval and stay whole.
    """
    begin_s = 2 * series.middle_s - series.end_s
    first = np.floor((begin_s - start) / interval_s)
    edge = start + (first + 1) * interval_s
    over = (first >= 0) & (begin_s < edge) & (edge < series.end_s) & (series.end_s <= edge + interval_s)
    if not over.any():
        return series
    length = (series.end_s - begin_s)[over]
    ahead = np.rint(series.requests[over] * (edge[over] - begin_s[over]) / length).astype(np.int64)
    share = ahead / np.maximum(1, series.requests[over])
    sizes = series.bytes[over] // np.maximum(1, series.requests[over]) * ahead
    times = series.response_s[over] * share
    end_s, middle_s, requests = series.end_s.copy(), series.middle_s.copy(), series.requests.copy()
    size, response_s = series.bytes.copy(), series.response_s.copy()
    middle_s[over] = (edge[over] + end_s[over]) / 2
    requests[over] -= ahead
    size[over] -= sizes
    response_s[over] -= times
    return Series(
        np.append(end_s, edge[over]),
        np.append(middle_s, (begin_s[over] + edge[over]) / 2),
        np.append(requests, ahead),
        np.append(size, sizes),
        np.append(response_s, times),
        np.append(series.longest_s, series.longest_s[over]),
        series.rounded,
    )


def from_requests(rows: Rows, done: Counted, what: str) -> Series:
    """A log with a row for each request: nothing is inferred.

    Raises ``InputError`` where its rows are not the job's requests.
    """
    found = int(rows.time_ms.size)
    if abs(found - done.requests) > max(2.0, _ROUNDING * done.requests):
        raise _other(rows, what, found, done.requests)
    times = rows.time_ms / 1000.0
    response = rows.value / 1e9
    return Series(times, times, np.ones(found, dtype=np.int64), rows.block, response, response)


def from_windows(
    iops: Rows, bw: Rows | None, lat: Rows | None, done: Counted, *, width_ms: float, until: float, what: str
) -> Series:
    """Logs of windows: rates as whole requests per second, response times as means.

    fio cuts a rate to a whole number, so a window's row leaves it a range of counts (:func:`_range`); windows
    of half a second leave it one, up to some hundred IOPS. fio does not write the last window either. The
    job's totals decide within these: what they have more goes into the unwritten end, as far as it is
    expected there, then into the ranges, evenly over the run; the rest in proportion to the requests.
    ``until``: Unix time of the job's end. ``width_ms``: what `log_avg_msec` says.

    Raises ``InputError`` where the totals differ by more than the last window, rounding and a busy machine
    explain.
    """
    ends = iops.time_ms.astype(np.float64)
    lengths = np.diff(ends, prepend=ends[:1] - width_ms)
    # A window without requests has no row, so a gap is no long window, unless the totals say so: a busy
    # machine lets fio write a window late, and its rate is then one over all of the gap.
    whole = lengths
    lengths = np.where(lengths > 1.5 * width_ms, width_ms, lengths)
    requests, most = _range(iops.value, lengths)
    tail_s = until - float(ends[-1]) / 1000.0 if ends.size else done.runtime_s
    has_tail = tail_s > 0.02 * width_ms / 1000.0
    expected = done.requests * min(1.0, tail_s / max(done.runtime_s, 1e-3)) if has_tail else 0.0
    by_chance = 5 * math.sqrt(expected + 1) if has_tail else 0.0
    late, _ = _range(iops.value, whole - lengths)
    missing = done.requests - int(requests.sum())
    unexplained = missing - int((most - requests).sum()) - expected
    if unexplained > by_chance and late.any():
        added = _portions(min(missing, int(late.sum()), math.ceil(unexplained)), late)
        requests, most, lengths = requests + added, most + added, np.where(added > 0, whole, lengths)
        missing -= int(added.sum())
    # The end gets what is expected there; and, where the windows are full, what chance may put there.
    room = int((most - requests).sum())
    tail = math.ceil(max(0.0, min(missing, max(expected, min(missing - room, expected + by_chance)))))
    tail = min(tail, max(0, missing))
    inside = max(0, min(missing - tail, room))
    requests = requests + _portions(inside, most - requests)
    rounded = missing - tail - inside
    if abs(rounded) > _LATE_MS / width_ms * done.requests + max(0, ends.size - room):
        raise _other(iops, what, int(requests.sum()), done.requests)
    if rounded:
        requests = requests + int(math.copysign(1, rounded)) * _portions(abs(rounded), requests)
    ends_s, lengths_s = ends / 1000.0, lengths / 1000.0
    left = done.requests - int(requests.sum())
    if left > 0:
        ends_s, lengths_s = np.append(ends_s, until), np.append(lengths_s, max(0.0, tail_s))
        requests = np.append(requests, left)
    middle = ends_s - lengths_s / 2
    response = _responses(lat, ends_s, requests, done, width_ms / 1000.0)
    return Series(
        ends_s,
        middle,
        requests,
        _bytes(bw, ends_s, lengths_s, requests, done=done, width_s=width_ms / 1000.0),
        response,
        np.full(requests.size, np.nan),
        rounded,
    )


def _range(rates: Counts, lengths_ms: Floats) -> tuple[Counts, Counts]:
    """Fewest and most requests of windows of these lengths, by the rates that fio logs for them.

    fio 3.33 divides a window's requests by its whole ms and cuts off the fraction, so the requests are at
    least ``rate`` and less than ``rate + 1`` times its length; and the length that it takes is at most 1 ms
    below the difference of the rows' times, which are cut to ms too.
    """
    shorter = np.maximum(lengths_ms - 1.0, 0.0)
    fewest = np.ceil(rates * shorter / 1000.0 - 1e-9).astype(np.int64)
    most = np.ceil((rates + 1) * lengths_ms / 1000.0 - 1e-9).astype(np.int64) - 1
    return fewest, np.maximum(fewest, most)


def _portions(number: int, weights: Counts) -> Counts:
    """``number`` in whole parts in proportion to the weights, evenly in order; 0 where all weights are."""
    total = int(weights.sum())
    if number <= 0 or total <= 0:
        return np.zeros(weights.size, dtype=np.int64)
    sums = np.rint(np.cumsum(weights) * (number / total)).astype(np.int64)
    parts: Counts = np.diff(sums, prepend=0)
    return parts


def _nearest(rows: Rows, ends_s: Floats, within_s: float) -> Counts:
    """For each piece the row whose time is nearest its end; -1 where none is near enough."""
    times = rows.time_ms / 1000.0
    if times.size == 0:
        return np.full(ends_s.size, -1, dtype=np.int64)
    after = np.clip(np.searchsorted(times, ends_s), 1, max(1, times.size - 1))
    before = after - 1
    after = np.minimum(after, times.size - 1)
    pick = np.where(np.abs(times[after] - ends_s) < np.abs(times[before] - ends_s), after, before)
    return np.where(np.abs(times[pick] - ends_s) <= within_s, pick, -1)


def _responses(lat: Rows | None, ends_s: Floats, requests: Counts, done: Counted, width_s: float) -> Floats:
    """Sums of response times in s of each piece, which add up to the job's own.

    A row of the latency log is written with the first completion after its window, so at low rates it is
    late: a piece without a row of its own takes the next one, which averages over it.
    """
    if lat is None or lat.time_ms.size == 0:
        return np.where(requests > 0, np.nan, 0.0)
    own = _nearest(lat, ends_s, width_s / 2)
    following = np.searchsorted(lat.time_ms / 1000.0, ends_s).clip(max=lat.time_ms.size - 1)
    sums: Floats = lat.value[np.where(own >= 0, own, following)] / 1e9 * requests
    total = float(sums.sum())
    return sums * (done.mean_s * done.requests / total) if total > 0 else sums


def _bytes(
    bw: Rows | None, ends_s: Floats, lengths_s: Floats, requests: Counts, *, done: Counted, width_s: float
) -> Counts:
    """Bytes of each piece: by the mean size where it explains the bandwidth log, else by that log."""
    if done.requests == 0:
        return np.zeros(requests.size, dtype=np.int64)
    mean = done.bytes / done.requests
    weights: Floats = (requests * mean).astype(np.float64)
    one_size = True
    if bw is not None:
        pick = _nearest(bw, ends_s, width_s / 2)
        kib = bw.value[pick] if bw.value.size else np.zeros(pick.size, dtype=np.int64)
        said: Floats = np.where(requests > 0, kib * 1024.0 * lengths_s, 0.0).astype(np.float64)
        one_size = bool(np.allclose(said[pick >= 0], weights[pick >= 0], rtol=0.02, atol=2048))
        if not one_size:
            weights = np.where(pick >= 0, said, weights).astype(np.float64)
    if one_size and done.bytes % done.requests == 0:
        return requests * (done.bytes // done.requests)
    total = float(weights.sum())
    share = np.floor(weights / total * done.bytes).astype(np.int64) if total > 0 else requests * 0
    share[-1] += done.bytes - int(share.sum())
    return share


def _other(rows: Rows, what: str, found: int, asked: int) -> InputError:
    return InputError(
        "not-comparable",
        str(rows.path),
        f"the log has {found} requests of {what}, and fio's JSON counts {asked}: it is of another run, or a "
        "part of this one",
        hint="put each run's output into a directory of its own",
    )
