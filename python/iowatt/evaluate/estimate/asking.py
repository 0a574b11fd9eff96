"""What flows ask of volumes behind the cache: requests by size and direction, and where they fall."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from iowatt.evaluate.estimate.caching import CacheState
from iowatt.evaluate.estimate.hybrid import AddressRange
from iowatt.evaluate.estimate.load import Flow, Stream
from iowatt.evaluate.estimate.locality import bands, is_banded


class VolumeRequest(NamedTuple):
    """Requests to a volume that differ in their place only; ``step`` is what their starts are multiples
    of."""

    volume: int
    write: bool
    size: int
    step: int


#: Of each, how many there are for one request of a flow, by place.
RequestMix = dict[VolumeRequest, dict[AddressRange, float]]


def requests_of_flow(flow: Flow, kept: CacheState | None) -> tuple[RequestMix, RequestMix]:
    """What a mean request of a flow asks for, as reads and as writes."""
    reads, writes = RequestMix(), RequestMix()
    for stream in flow.streams:
        for write, share, sizes in stream.parts:
            if write and kept is not None and kept.cache["write"] == "back":
                continue
            places = _places(flow, stream, None if write else kept, write=write)
            known = writes if write else reads
            for size, weight in sizes:
                fetched, times = size, 1.0
                if kept is not None and not write:
                    fetched, times = kept.fetch(stream, size)
                step = stream.access.get("align_bytes") or fetched
                _add(known, VolumeRequest(flow.volume, write, fetched, step), places, share * weight * times)
    return reads, writes


def requests_of_destages(kept: CacheState | None, total: float) -> RequestMix:
    """Destages for one request of all flows, which come at the rate ``total``."""
    found = RequestMix()
    for run in () if kept is None else kept.runs:
        size = max(512, round(run.bytes / 4096) * 4096 or round(run.bytes / 512) * 512)
        step = size if run.sequential else 1 << (size.bit_length() - 1)
        where = AddressRange(run.first, run.last, run.extent, run.grain, int(run.sequential), not run.sequential)
        _add(found, VolumeRequest(run.volume, True, size, step), {where: 1.0}, run.rate / total)
    return found


def _places(flow: Flow, stream: Stream, kept: CacheState | None, *, write: bool) -> Mapping[AddressRange, float]:
    grain = float(stream.access.get("extent_bytes") or 0)
    if not is_banded(stream):
        sequential = stream.access["pattern"] == "sequential"
        cursors = _cursors(flow, stream, write=write) if sequential else 0
        share = 1.0 if kept is None else kept.missed(flow, stream)
        return {AddressRange(stream.start, stream.end, float(stream.end - stream.start), grain, cursors): share}
    found: dict[AddressRange, float] = {}
    for band in bands(stream, write=write):
        share = band.share * (1.0 if kept is None else 1 - kept.hit(flow, band))
        where = AddressRange(band.first, band.last, band.bytes, grain)
        if share > 0:
            found[where] = found.get(where, 0.0) + share
    return found


def _cursors(flow: Flow, stream: Stream, *, write: bool) -> int:
    """Sequences of one direction over the range of a stream, its own among them."""
    return sum(
        int(other.access.get("cursors", 1))
        for other in flow.streams
        if other.access["pattern"] == "sequential"
        and (other.start, other.end) == (stream.start, stream.end)
        and any(part[0] == write for part in other.parts)
    )


def _add(asked: RequestMix, request: VolumeRequest, places: Mapping[AddressRange, float], times: float) -> None:
    known = asked.setdefault(request, {})
    for where, share in places.items():
        known[where] = known.get(where, 0.0) + share * times


def joined(asked: Sequence[RequestMix]) -> dict[tuple[AddressRange, bool], float]:
    """All of it by place and direction, whatever the size."""
    found: dict[tuple[AddressRange, bool], float] = {}
    for one in asked:
        for request, places in one.items():
            for where, times in places.items():
                key = (where, request.write)
                found[key] = found.get(key, 0.0) + times
    return found
