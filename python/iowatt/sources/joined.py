"""Observations of load generators that ran side by side, as one.

Counts are added, histograms merged, means weighted by their requests, deviations pooled. Interval k of the
whole is interval k of each part: its edges are the mean of theirs, which begin some milliseconds apart; each
request stays in the interval in which its host counted it, so that nothing is lost or split.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from iowatt.base.errors import InputError
from iowatt.run.histogram import Histogram
from iowatt.sources.observation import (
    Direction,
    Interval,
    Observation,
    ObservedHop,
    ObservedShare,
    ReportedTotals,
    ResponseBlock,
)

#: Parts whose intervals begin further apart than this share of one are not of one run.
_MOST_APART: Final = 0.5
#: A last interval shorter than this share of the one before it belongs to that one.
_LEFTOVER: Final = 0.5


def shifted(seen: Observation, seconds: float) -> Observation:
    """The same by a clock that is ``seconds`` ahead."""
    return replace(
        seen,
        start=seen.start + seconds,
        end=seen.end + seconds,
        intervals=[replace(i, start=i.start + seconds, end=i.end + seconds) for i in seen.intervals],
        series=[replace(b, start=b.start + seconds, end=b.end + seconds) for b in seen.series],
    )


def joined(parts: Mapping[str, Observation]) -> Observation:
    """One observation of several that ran side by side, by the names of their hosts.

    All times are by one clock. Raises ``InputError``: programs or versions differ, or they did not run
    together.
    """
    seen = list(parts.values())
    first = seen[0]
    if len(seen) == 1:
        return replace(first, warnings=_warnings(parts))
    for name, part in parts.items():
        if (part.tool, part.version) != (first.tool, first.version):
            text = f"{part.tool} {part.version} made its requests, and {first.version} those of other hosts"
            raise InputError("not-comparable", f"host {name}", text)
    intervals = _intervals(parts)
    ops = [(part.read, part.write) for part in seen]
    binned = all(
        op.total or not _requests(part, way)
        for part, both in zip(seen, ops, strict=True)
        for way, op in zip(("read", "write"), both, strict=True)
    )
    warnings = _warnings(parts)
    if not binned and any(op.total for both in ops for op in both):
        warnings.append("not every host has histograms of its response times, so there are none of all")
    series = _series(seen)
    return Observation(
        name=first.name,
        tool=first.tool,
        version=first.version,
        start=min(intervals[0].start, *(part.start for part in seen)),
        end=max(intervals[-1].end, *(part.end for part in seen)),
        intervals=intervals,
        read=Histogram.merged([read for read, _ in ops] if binned else []),
        write=Histogram.merged([write for _, write in ops] if binned else []),
        histogram_note=first.histogram_note if binned else None,
        asked_iops=_sum([part.asked_iops for part in seen]),
        totals=_totals(seen),
        total=_pooled_if_known([part.total for part in seen]),
        reported=_reported(seen),
        errors=sum(part.errors for part in seen),
        shares=_shares(seen),
        warnings=warnings,
        files=[file for part in seen for file in part.files],
        series=series,
        series_note=first.series_note if series else None,
        hops=_hops(seen),
        hops_of=first.hops_of,
        hops_note=first.hops_note,
        outstanding=_whole(_sum([part.outstanding for part in seen])),
        busy_percent=max((p.busy_percent for p in seen if p.busy_percent is not None), default=None),
        processors=_sum([part.processors for part in seen]),
        dated=all(part.dated for part in seen),
    )


def pooled(parts: Sequence[Direction]) -> Direction:
    """All requests of several counts: means and deviations weighted by the requests that have a time."""
    timed = [part for part in parts if part.known and part.response_mean_s is not None]
    count = sum(part.known for part in timed)
    mean = math.fsum(p.known * (p.response_mean_s or 0.0) for p in timed) / count if count else None
    longest = [part.response_max_s for part in timed]
    spread = None
    if mean is not None and all(part.response_std_s is not None for part in timed):
        spread = math.sqrt(
            math.fsum(
                p.known * ((p.response_std_s or 0.0) ** 2 + ((p.response_mean_s or 0.0) - mean) ** 2)
                for p in timed
            )
            / count
        )
    requests = sum(part.requests for part in parts)
    return Direction(
        requests,
        sum(part.bytes for part in parts),
        mean,
        None if None in longest or not longest else max(one for one in longest if one is not None),
        spread,
        timed=None if count == requests or not count else count,
    )


def _intervals(parts: Mapping[str, Observation]) -> list[Interval]:
    rows = {name: _without_leftover(part.intervals) for name, part in parts.items()}
    first = next(iter(rows.values()))
    if all(len(own) == 1 for own in rows.values()):  # the whole run, as a fill, has no edges to agree on
        whole = [own[0] for own in rows.values()]
        start, end = min(row.start for row in whole), max(row.end for row in whole)
        return [replace(_interval(whole, start), end=end)]
    for name, own in rows.items():
        apart, width = abs(own[0].start - first[0].start), first[0].end - first[0].start
        if apart > _MOST_APART * width:
            text = (
                f"its first interval begins {apart:.3g} s from that of other hosts, and lasts {width:.3g} s"
            )
            hint = "the hosts must make their requests at the same time"
            raise InputError("not-comparable", f"host {name}", text, hint=hint)
    found: list[Interval] = []
    for number in range(max(map(len, rows.values()))):
        own_rows = [own[number] for own in rows.values() if number < len(own)]
        start = found[-1].end if found else _mean([row.start for row in own_rows])
        found.append(_interval(own_rows, start))
    return found


def _without_leftover(intervals: Sequence[Interval]) -> list[Interval]:
    """The intervals, a short last one joined to the one before it: other hosts need not have one."""
    *before, last = intervals
    if not before or last.end - last.start >= _LEFTOVER * (before[-1].end - before[-1].start):
        return list(intervals)
    whole = _interval([before[-1], last], before[-1].start)
    return [*before[:-1], replace(whole, end=last.end)]


def _interval(rows: Sequence[Interval], start: float) -> Interval:
    both = None
    if any(row.both is not None for row in rows):
        both = pooled([row.both or pooled([row.read, row.write]) for row in rows])
    known = [row.histogram for row in rows if row.histogram is not None]
    return Interval(
        start,
        _mean([row.end for row in rows]),
        pooled([row.read for row in rows]),
        pooled([row.write for row in rows]),
        counted=all(row.counted for row in rows),
        both=both,
        histogram=Histogram.merged(known) if len(known) == len(rows) else None,
    )


def _requests(part: Observation, way: str) -> int:
    return sum(getattr(interval, way).requests for interval in part.intervals)


def _totals(seen: Sequence[Observation]) -> tuple[Direction, Direction] | None:
    said = [part.totals for part in seen if part.totals is not None]
    if len(said) < len(seen):
        return None
    return pooled([read for read, _ in said]), pooled([write for _, write in said])


def _pooled_if_known(parts: Sequence[Direction | None]) -> Direction | None:
    known = [part for part in parts if part is not None]
    return pooled(known) if len(known) == len(parts) else None


def _reported(seen: Sequence[Observation]) -> ReportedTotals | None:
    said = [part.reported for part in seen if part.reported is not None]
    if len(said) < len(seen):
        return None
    timed = [(one.iops, one.response_mean_s) for one in said if one.iops and one.response_mean_s is not None]
    rate = math.fsum(iops for iops, _ in timed)
    mean = math.fsum(iops * mean_s for iops, mean_s in timed) / rate if rate else None
    return ReportedTotals(_sum([one.iops for one in said]), _sum([one.mib_per_s for one in said]), mean)


def _shares(seen: Sequence[Observation]) -> list[ObservedShare]:
    """Shares of the streams of all: those asked for weighted by the rates, observed ones by requests."""
    if not all(part.shares for part in seen):
        return []
    asked_of = [part.asked_iops if part.asked_iops is not None else 1.0 for part in seen]
    done_of = [float(_requests(part, "read") + _requests(part, "write")) for part in seen]
    names = dict.fromkeys(share.stream for part in seen for share in part.shares)
    found = []
    for name in names:
        own = [next((s for s in part.shares if s.stream == name), None) for part in seen]
        rates = [None if share is None else share.iops for share in own]
        times = [
            (share.iops, share.response_mean_s)
            for share in own
            if share is not None and share.iops and share.response_mean_s is not None
        ]
        rate = math.fsum(iops for iops, _ in times)
        found.append(
            ObservedShare(
                name,
                _weighted([s.asked if s is not None else 0.0 for s in own], asked_of),
                _weighted([s.observed if s is not None else 0.0 for s in own], done_of),
                _sum(rates),
                math.fsum(iops * mean for iops, mean in times) / rate if rate else None,
            )
        )
    return found


def _series(seen: Sequence[Observation]) -> list[ResponseBlock]:
    """Blocks of one length on one grid; none where the lengths of parts differ."""
    if not all(part.series for part in seen):
        return []
    widths = {round(max(block.end - block.start for block in part.series), 6) for part in seen}
    if len(widths) != 1:
        return []
    width, grid = widths.pop(), _mean([part.series[0].start for part in seen])
    groups: dict[tuple[int, str], list[ResponseBlock]] = {}
    for part in seen:
        begin = part.series[0].start
        for block in part.series:
            groups.setdefault((round((block.start - begin) / width), block.op), []).append(block)
    last = max(number for number, _ in groups)
    end = _mean([part.series[-1].end for part in seen])
    return [
        ResponseBlock(
            blocks[0].op,
            grid + number * width,
            max(end, grid + (number + 0.01) * width) if number == last else grid + (number + 1) * width,
            sum(block.sum_ns for block in blocks),
            max(block.max_ns for block in blocks),
            Histogram.merged([block.histogram for block in blocks]),
        )
        for (number, _), blocks in sorted(groups.items(), key=lambda item: item[0])
    ]


def _hops(seen: Sequence[Observation]) -> list[ObservedHop]:
    """Parts of the way of all requests, where every host has them, and of all of its requests."""
    if not all(part.hops for part in seen) or any(h.range_ns is not None for p in seen for h in p.hops):
        return []
    groups: dict[tuple[str, str, str], list[ObservedHop]] = {}
    for part in seen:
        for hop in part.hops:
            groups.setdefault((hop.name, hop.place, hop.op), []).append(hop)
    return [
        replace(
            hops[0],
            requests=sum(hop.requests for hop in hops),
            wait_ns=sum(hop.wait_ns for hop in hops),
            service_ns=sum(hop.service_ns for hop in hops),
        )
        for hops in groups.values()
    ]


def _warnings(parts: Mapping[str, Observation]) -> list[str]:
    return [f"host {name}: {text}" for name, part in parts.items() for text in part.warnings]


def _sum(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) if len(known) == len(values) else None


def _whole(value: float | None) -> int | None:
    return None if value is None else round(value)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _weighted(values: Sequence[float], weights: Sequence[float]) -> float:
    total = math.fsum(weights)
    return math.fsum(v * w for v, w in zip(values, weights, strict=True)) / total if total else 0.0
