"""The controller's cache in its steady state: what hits, what is destaged, in which runs.

Lines of a band are referenced independently (IRM), so a line without dirty data is there if it was referenced
within the characteristic time T of Che, Tung and Wang (IEEE JSAC 20(7), 2002): the lines that are there by
then fill the cache. The destager sweeps all addresses in a time D; a line that is written at rate w is dirty
for the share 1 - (1 - e^-wD)/(wD) of it, which adds up to what the watermarks keep dirty, and e^-wD says
what the sweep finds clean, so how long its runs are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from iowatt.evaluate.estimate.load import Band, EstimatedWorkload, RequestStream, bands, is_banded
from iowatt.evaluate.estimate.root import root_of_log
from iowatt.evaluate.estimate.unknown import not_modelled

#: Share of the lines that is dirty where writes wait for destages.
FULL: Final = 0.97
#: Distance, in bytes, by which sequences that began together drift apart.
SPREAD: Final = 2 << 20
#: Streams whose speeds differ by less follow one another.
_ALIKE: Final = 0.15


#: A volume and a band of it, whatever goes there.
Key = tuple[int, int, int, float]


@dataclass
class _Use:
    """Lines of one band: references by reads and by writes, a second each line; bytes and number of
    writes."""

    band: Band
    volume: int
    lines: float
    grain: float
    reads: float = 0.0
    writes: float = 0.0
    requests: float = 0.0
    bytes: float = 0.0


@dataclass(frozen=True)
class DestageRun:
    """Destages of a volume: so many a second, of so many bytes, over ``extent`` bytes somewhere from
    ``first`` to ``last``, in pieces of ``grain``."""

    volume: int
    rate: float
    bytes: float
    first: int
    last: int
    extent: float
    grain: float
    sequential: bool


@dataclass(frozen=True)
class CacheState:
    """The cache under a load. ``dirty`` is the mean share of dirty lines."""

    cache: Mapping[str, Any]
    runs: tuple[DestageRun, ...]
    dirty: float
    _hits: Mapping[Key, float]
    _followers: Mapping[tuple[int, RequestStream], float]

    def hit(self, flow: EstimatedWorkload, band: Band) -> float:
        """Hit ratio of the reads of a band."""
        return self._hits.get(_key(flow.volume, band), 0.0)

    def missed(self, flow: EstimatedWorkload, stream: RequestStream) -> float:
        """Share of a sequence's reads that no other sequence has read before it."""
        return 1 / self._followers[(flow.volume, stream)]

    def fetch(self, stream: RequestStream, size: int) -> tuple[int, float]:
        """What a miss of a size fetches, and how often of such misses: a line serves what follows in
        sequence."""
        if self.cache["transfers"] == "needed":
            return size, 1.0
        line = self.cache["line_bytes"]
        whole = -(-size // line) * line
        return whole, size / whole if stream.access["pattern"] == "sequential" else 1.0


def cache_state(
    cache: Mapping[str, Any],
    flows: Sequence[EstimatedWorkload],
    rates: Sequence[float],
    *,
    full: bool = False,
) -> CacheState:
    """The steady state under flows at rates; only their proportions matter. ``full``: writes wait for space.

    Raises ``NotEstimated``: an address law that bands cannot express, read-ahead of sequences,
    whole-line transfers.
    """
    uses: dict[Key, _Use] = {}
    ahead: dict[tuple[int, int, int], list[tuple[RequestStream, float, float, float]]] = {}
    for flow, rate in zip(flows, rates, strict=True):
        for stream in flow.streams:
            if stream.access["pattern"] == "sequential":
                _follow(ahead, cache, flow, stream, rate)
            elif not is_banded(stream):
                raise not_modelled(
                    f"the address law {stream.access['pattern']!r} behind a cache",
                    f"workload.{flow.name}.profile",
                )
            else:
                _refer(uses, cache, flow, stream, rate)
    return _steady(cache, list(uses.values()), ahead, full)


def _refer(
    uses: dict[Key, _Use],
    cache: Mapping[str, Any],
    flow: EstimatedWorkload,
    stream: RequestStream,
    rate: float,
) -> None:
    line, grain = cache["line_bytes"], float(stream.access.get("extent_bytes") or 0)
    for write, share, sizes in stream.parts:
        if write and cache["transfers"] == "whole" and any(size % line for size, _ in sizes):
            raise not_modelled(
                "transfers of whole lines for partial writes", "array.controller.cache.adaptive"
            )
        for band in bands(stream, write=write):
            key = _key(flow.volume, band)
            use = uses.setdefault(key, _Use(band, flow.volume, max(1.0, band.bytes / line), grain))
            for size, weight in sizes:
                requests = rate * share * weight * band.share
                touched = requests * max(1.0, size / line) / use.lines
                if write:
                    use.writes += touched
                    use.requests += requests
                    use.bytes += requests * size
                else:
                    use.reads += touched


def _follow(
    ahead: dict[tuple[int, int, int], list[tuple[RequestStream, float, float, float]]],
    cache: Mapping[str, Any],
    flow: EstimatedWorkload,
    stream: RequestStream,
    rate: float,
) -> None:
    """Group sequences over the same range by their starts: those as fast as others follow them."""
    if cache["read_ahead"] is not None and stream.read_share > 0:
        raise not_modelled("reading ahead", "array.controller.cache.read_ahead")
    read = rate * stream.share * stream.read_share * _mean(stream.read_sizes)
    written = rate * stream.share * (1 - stream.read_share) * _mean(stream.write_sizes)
    together = stream.access.get("begin") == "start" and stream.access.get("run_bytes") is None
    own = 0 if together else len(ahead) + 1
    ahead.setdefault((flow.volume, stream.start, own), []).append(
        (stream, (read + written) / stream.access.get("cursors", 1), read, written)
    )


def _mean(sizes: Sequence[tuple[int, float]]) -> float:
    return sum(size * weight for size, weight in sizes)


def _steady(
    cache: Mapping[str, Any],
    uses: Sequence[_Use],
    ahead: Mapping[tuple[int, int, int], list[tuple[RequestStream, float, float, float]]],
    full: bool,
) -> CacheState:
    line, back = cache["line_bytes"], cache["write"] == "back"
    capacity = float(cache["capacity_bytes"] // line)
    lines = np.array([use.lines for use in uses])
    reads, writes = np.array([use.reads for use in uses]), np.array([use.writes for use in uses])
    followers: dict[tuple[int, RequestStream], tuple[float, float]] = {}
    new = dirtied = 0.0  # lines a second that sequences come to first, and write
    leads: list[tuple[int, RequestStream, float]] = []
    for (volume, _, _), members in ahead.items():
        for group in _groups(members):
            speed = max(speed for _, speed, _, _ in group)
            cursors = sum(stream.access.get("cursors", 1) for stream, *_ in group)
            together = len(group) if group[0][0].access.get("begin") == "start" else 1
            for stream, *_ in group:
                followers[(volume, stream)] = (float(max(1, together)), speed)
            of_group = speed if together > 1 else speed * cursors
            new += of_group / line
            written = [stream for stream, _, _, out in group if out > 0]
            if written and back:
                dirtied += of_group / line
                leads.append((volume, written[0], of_group))
    held = FULL if full else (cache["high_watermark"] + cache["low_watermark"]) / 2
    sweep, dirty = math.inf, np.where(writes > 0, 1.0, 0.0)
    if back:
        most = float(lines[writes > 0].sum()) if len(lines) else 0.0
        if dirtied > 0 or most > (FULL if full else cache["high_watermark"]) * capacity:
            sweep = _solve(
                lambda time: float((lines * _mean_dirty(writes * time)).sum()) + dirtied * time / 2,
                held * capacity,
            )
            dirty = _mean_dirty(writes * sweep)
    else:
        dirty = np.zeros(len(lines))
    referenced = reads + writes if cache["write"] != "around" else reads
    if not cache["read"]:
        referenced = writes if cache["write"] != "around" else np.zeros(len(lines))

    def there(time: float) -> float:
        return float((lines * (1 - (1 - dirty) * np.exp(-referenced * time))).sum()) + new * time

    time = _solve(there, capacity)
    parts = np.array([min(1.0, use.bytes / use.requests / line) if use.requests else 1.0 for use in uses])
    valid = referenced - np.where(referenced >= writes, writes * (1 - parts), 0.0)
    hits = 1 - (1 - dirty * parts) * np.exp(-np.maximum(valid, 0.0) * min(time, 1e18))
    found = {_key(use.volume, use.band): float(hit) for use, hit in zip(uses, hits, strict=True)}
    runs = _runs(cache, uses, sweep, leads) if back else ()
    share = (
        (float((lines * dirty).sum()) + (dirtied * sweep / 2 if dirtied else 0.0)) / capacity if back else 0.0
    )
    # Who follows finds the lines of the first only as long as these stay.
    following = {
        key: together if speed * time >= SPREAD else 1.0 for key, (together, speed) in followers.items()
    }
    return CacheState(cache, runs, share, found, following)


def _key(volume: int, band: Band) -> Key:
    return volume, band.first, band.last, band.bytes


def _groups(
    members: Sequence[tuple[RequestStream, float, float, float]],
) -> list[list[tuple[RequestStream, float, float, float]]]:
    groups: list[list[tuple[RequestStream, float, float, float]]] = []
    for member in sorted(members, key=lambda one: -one[1]):
        if groups and member[1] >= (1 - _ALIKE) * groups[-1][0][1]:
            groups[-1].append(member)
        else:
            groups.append([member])
    return groups


def _runs(
    cache: Mapping[str, Any],
    uses: Sequence[_Use],
    sweep: float,
    leads: Sequence[tuple[int, RequestStream, float]],
) -> tuple[DestageRun, ...]:
    most = cache["destage_bytes"]
    found = [
        DestageRun(
            volume, speed / most, most, stream.start, stream.end, float(stream.end - stream.start), 0.0, True
        )
        for volume, stream, speed in leads
    ]
    for use in uses:
        if not use.requests or math.isinf(sweep):
            continue
        part = use.bytes / use.requests
        number = max(1.0, use.band.bytes / part)
        full = -math.expm1(-use.requests / number * sweep)
        rate = number * full / sweep
        band = use.band
        if part >= most:
            runs = (rate * part / most, float(most))
            found.append(DestageRun(use.volume, *runs, band.first, band.last, band.bytes, use.grain, False))
            continue
        block = most / part
        apart = (1 + (block - 1) * (1 - full)) / block  # runs for each part that is dirty
        runs = (rate * apart, part / apart)
        found.append(DestageRun(use.volume, *runs, band.first, band.last, band.bytes, use.grain, False))
    return tuple(run for run in found if run.rate > 0)


def _mean_dirty(written: np.ndarray[Any, np.dtype[np.float64]]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Share of a sweep that a line is dirty for; ``written``: writes in a sweep."""
    small = np.maximum(written, 1e-9)
    return np.where(written > 1e-6, 1 + np.expm1(-small) / small, written / 2)


def _solve(rising: Callable[[float], float], target: float) -> float:
    """The time at which a rising function reaches a target; infinite where it never does."""
    if rising(1e15) <= target:
        return math.inf
    return root_of_log(rising, target, -40.0, 15 * math.log(10), close=1e-6)
