"""Streams of a profile made from counters, one for each device, direction and sequential part.

Counters give mean sizes and no addresses: sizes become mixes with the same means, and the user gives the
access pattern.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np

from iowatt.base.errors import Argument, InputError
from iowatt.counters.activity import Activity, merged_share
from iowatt.counters.log import CountersLog, Floats

ACCESS_PATTERNS: Final = (
    "uniform, sequential, zipf:EXPONENT (zipf:0.99), or skew:K (skew:7 has 80 % of requests in 20 %)"
)
_PARAMETER: Final = {"zipf": "exponent", "skew": "k"}


def parse_access(text: str) -> dict[str, Any]:
    """The access table of ``uniform``, ``zipf:0.99`` and so on; its limits are checked with the profile."""
    pattern, colon, value = text.strip().lower().partition(":")
    if pattern in ("uniform", "sequential") and not colon:
        return {"pattern": pattern}
    if pattern in _PARAMETER and len(value) <= 24:
        try:
            number = float(value)
        except ValueError:
            number = 0.0
        if 0 < number < 1e6:
            return {"pattern": pattern, _PARAMETER[pattern]: number}
    raise InputError(
        "bad-syntax", Argument("access"), f"{text!r} is not an access pattern; accepted are {ACCESS_PATTERNS}"
    )


SMALLEST: Final = 512
_LARGEST: Final = 1 << 31
_DIGITS: Final = 6  # of a share in percent


def size_mix(counts: Floats, amounts: Floats) -> list[tuple[int, float]]:
    """(bytes, share in percent) of a mix of ``amounts`` bytes in ``counts`` requests of each interval.

    Each interval's mean, at least 512 bytes, is split between the two nearest powers of two, weighted by its
    requests: the mix has the mean of all requests and the spread between intervals.
    """
    weights: dict[int, float] = {}
    used = counts > 0
    means = np.clip(amounts[used] / counts[used], SMALLEST, _LARGEST)
    for count, mean in zip(counts[used].tolist(), means.tolist(), strict=True):
        below = 1 << (math.frexp(mean)[1] - 1)
        above = mean / below - 1  # the share of twice the size
        weights[below] = weights.get(below, 0.0) + count * (1 - above)
        if above > 0:
            weights[2 * below] = weights.get(2 * below, 0.0) + count * above
    return _percent(weights)


def _percent(weights: dict[int, float]) -> list[tuple[int, float]]:
    total = math.fsum(weights.values())
    if not total:
        return []
    shares = {size: round(100 * weight / total, _DIGITS) for size, weight in sorted(weights.items())}
    shares = {size: share for size, share in shares.items() if share > 0}
    largest = max(shares, key=lambda size: shares[size])
    shares[largest] = round(shares[largest] + 100 - math.fsum(shares.values()), _DIGITS)
    return list(shares.items())


def mean(mix_: list[tuple[int, float]]) -> float:
    """Mean bytes of a mix."""
    return math.fsum(size * share for size, share in mix_) / math.fsum(share for _, share in mix_)


Law = Literal["auto", "poisson", "bursty"]
_LEAST_MERGED: Final = 0.01
_SHARE_DIGITS: Final = 6


@dataclass(frozen=True)
class ProfileRequest:
    """Assumptions in place of what counters do not record.

    ``access`` is a pattern of a profile; ``sequential`` the share (0 to 1) of sequential requests, by default
    that of merges; ``read_share`` (0 to 1) applies where reads are not counted; ``span`` is in bytes;
    ``phases`` is the largest number.
    """

    access: dict[str, Any]
    sequential: float | None = None
    read_share: float | None = None
    span: int | None = None
    arrivals: Law = "auto"
    phases: int = 1000


@dataclass(frozen=True)
class StreamPart:
    """A stream: its name, the place of its device, and its requests and bytes in each interval.

    ``of_direction`` is its share of the requests of its device in its direction.
    """

    name: str
    device: int
    reads: bool
    sequential: bool
    counts: Floats
    amounts: Floats
    of_direction: float

    @property
    def requests(self) -> float:
        """All its requests."""
        return float(self.counts.sum())


def split_streams(
    log: CountersLog, acts: Sequence[Activity], used: Any, request: ProfileRequest
) -> list[StreamPart]:
    """The streams of some devices over the intervals that are ``used``."""
    found = []
    for place, act in enumerate(acts):
        prefix = f"{_word(act.device, place)}-" if len(acts) > 1 else ""
        seconds = act.seconds[used]
        for reads in (True, False):
            counts = (act.reads if reads else act.writes)[used] * seconds
            amounts = (act.read_bytes if reads else act.write_bytes)[used] * seconds
            share = _sequential(log, act, reads, request)
            direction = f"{prefix}{'read' if reads else 'write'}"
            for sequential, part in ((True, share), (False, 1 - share)):
                if part > 0 and counts.any():
                    name = f"{direction}-sequential" if sequential else direction
                    found.append(
                        StreamPart(name, place, reads, sequential, counts * part, amounts * part, part)
                    )
    return found


def _sequential(log: CountersLog, act: Activity, reads: bool, request: ProfileRequest) -> float:
    """Share of a direction's requests that are assumed to be sequential."""
    if request.access["pattern"] == "sequential":
        return 1.0
    if request.sequential is not None:
        return request.sequential
    name, rate = ("read_merged", act.reads) if reads else ("write_merged", act.writes)
    share = merged_share(log, act.device, name, rate, act.weights)
    if share is None:
        share = merged_share(log, act.device, "merged", act.requests, act.weights)
    return round(share, 4) if share is not None and share >= _LEAST_MERGED else 0.0


def without_negligible(found: Sequence[StreamPart]) -> list[StreamPart]:
    """The streams but for those whose share is 0 to the digits of a profile, which accepts no such share."""
    shares = percent_shares([part.requests for part in found])
    return [part for part, share in zip(found, shares, strict=True) if share > 0]


def stream_tables(found: Sequence[StreamPart], request: ProfileRequest, devices: int) -> list[dict[str, Any]]:
    """The tables of the streams."""
    tables = []
    for part, share in zip(found, percent_shares([part.requests for part in found]), strict=True):
        mix = size_mix(part.counts, part.amounts)
        stream: dict[str, Any] = {
            "name": part.name,
            "share": share,
            "read_share": 100 if part.reads else 0,
            "sizes": [{"size": size, "share": size_share} for size, size_share in mix],
            "access": {"pattern": "sequential"} if part.sequential else request.access,
        }
        if devices > 1:
            ends = (100 * part.device / devices, 100 * (part.device + 1) / devices)
            stream["range"] = [f"{end:.9g}%" for end in ends]
        tables.append(stream)
    return tables


def phase_tables(found: Sequence[StreamPart], seconds: Floats, groups: Sequence[Any]) -> list[dict[str, Any]]:
    """The tables of the phases, one for each group of intervals; none for a single group."""
    if len(groups) == 1:
        return []
    mean = sum(part.requests for part in found) / float(seconds.sum())
    width = len(str(len(groups)))
    tables = []
    for number, group in enumerate(groups, 1):
        lasted = float(seconds[group].sum())
        counts = [float(part.counts[group].sum()) for part in found]
        phase: dict[str, Any] = {
            "name": f"t{number:0{width}}",
            "duration": f"{lasted:.6f}".rstrip("0").rstrip(".") + "s",
            "factor": rounded(sum(counts) / lasted / mean),
        }
        if len(found) > 1 and sum(counts) > 0:
            phase["shares"] = dict(zip((part.name for part in found), percent_shares(counts), strict=True))
        tables.append(phase)
    return tables


def interval_groups(count: int, most: int) -> list[Any]:
    """Indices of ``count`` intervals in at most so many groups of successive ones, as even as can be."""
    return list(np.array_split(np.arange(count), min(most, count)))


def percent_shares(counts: Sequence[float]) -> list[float]:
    """Percent, adding up to 100."""
    total = sum(counts)
    found = [round(100 * count / total, _SHARE_DIGITS) for count in counts]
    largest = found.index(max(found))
    found[largest] = round(found[largest] + 100 - sum(found), _SHARE_DIGITS)
    return found


def rounded(value: float) -> float:
    """Nine digits, more than counters have."""
    return float(f"{value:.9g}")


def _word(device: str, place: int) -> str:
    """A device as the first part of a stream's name; numbered where it had to be changed."""
    word = re.sub(r"[^a-z0-9]+", "-", device.lower()).strip("-")[:32].strip("-")
    if not word[:1].isalpha():
        word = f"disk{word}"
    return word if word == device else f"{word}-{place + 1}"
