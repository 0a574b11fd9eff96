"""A profile fitted to a trace whose data is spread over far more bytes than the trace touched.

Extents keep their weights and their order, and grow until they cover the span. Within a recorded extent
distances are as recorded, and so are runs, sizes, and how often data is used again, at depths in the LRU
stack up to ``DEEPEST``. On so much more data nothing of that comes by chance, so nothing has to be found by
iteration as in ``run``: one description of the trace is enough.

Time is divided by ``times``. The windows of the trace are cut down to ``COURSE`` of them, whose rates and
mixes are those of equal shares of all windows, in random order: so a simulation of seconds has the mean
rate of the whole trace. How the rate of a window depends on that of the window before is lost.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from iowatt.base.errors import InputError
from iowatt.evaluate.fit import build
from iowatt.evaluate.fit.calibrate import recorded_parameters
from iowatt.trace.description import Description
from iowatt.trace.measure import describe

COURSE: Final = 64
"""Windows of the profile's course."""
SOON: Final = 200_000
"""Requests over which data is used again as often as in the trace."""
DEEPEST: Final = 4096
"""Greatest depth of reuse, blocks. A simulation reaches it in its warm-up; any cache holds more."""
#: A spread extent is a multiple of it where it is larger, and of the other where it is not.
_ALIGN: Final = 1 << 20
_SECTORS: Final = 4096
#: The shortest window of a profile, seconds.
_SHORTEST_S: Final = 1e-3


@dataclass(frozen=True)
class SpreadBasis:
    """What is known of the trace."""

    original: Description
    #: Of the requests of each class of sizes, by the suffix of their streams.
    classes: Mapping[str, Description]
    #: Of the first ``SOON`` requests: simulations are as long, and begin without a past, too.
    first: Description


def spread_basis(trace: Mapping[str, Any]) -> SpreadBasis:
    """Describe a trace (a spec, see `iowatt.trace.open.spec`).

    Raises ``InputError``: it cannot be read, or it has several devices, no requests, or no length.
    """
    original = describe(trace, dyadic_windows=True)
    build.check(original)
    if original.rate is None or not original.over_time.reads:
        raise InputError("missing-figure", original.file, "the trace records no times, so it has no rate")
    extent = original.density.extent_bytes
    classes = {
        suffix: original
        if reach is None
        else describe(trace, dyadic_windows=True, extent_bytes=extent, size_bytes=reach)
        for suffix, reach in build.classes(original.sizes.histogram).items()
    }
    start = trace.get("from_s", 0.0)
    first = original
    if original.requests.count > SOON:
        first = describe({**trace, "to_s": start + SOON / original.rate.iops}, dyadic_windows=True)
    return SpreadBasis(original, classes, first)


def spread_profile(basis: SpreadBasis, *, span: int, times: float, name: str) -> str:
    """The profile as TOML: the trace's requests ``times`` as fast, over ``span`` bytes."""
    original = basis.original
    tuned = recorded_parameters(original, basis.first, below=original.density.extent_bytes)
    made = build.document(original, basis.classes, tuned, name)
    accesses = [stream["access"] for stream in made["stream"]]
    slots = max(access["extents"][-1] for access in accesses) + 1
    unit = _ALIGN if span // slots >= _ALIGN else _SECTORS
    for access in accesses:
        access["reuse"] = _sooner(access["reuse"])
        access["extent"] = max(unit, span // slots // unit * unit)
    law = made["arrivals"]
    speed = min(times, law["window_s"] / _SHORTEST_S)
    made["span"] = span
    made["phase"] = course(made["phase"], law["window_s"], speed)
    law["rate"] *= times
    law["window_s"] /= speed
    made["notes"] = [
        f"fitted by `iowatt choose`: {times:g} times the recorded rate, data spread over {span:,} bytes"
    ]
    return build.toml(made)


def course(
    phases: Sequence[Mapping[str, Any]], window_s: float, speed: float, windows: int = COURSE
) -> list[dict[str, Any]]:
    """At most ``windows`` windows that stand for all, ``window_s / speed`` long, with a mean factor of 1.

    Windows are sorted by rate and cut into equal parts; each part becomes a window of its mean rate and mix.
    """
    each = [part for part in phases for _ in range(max(1, round(part["length_s"] / window_s)))]
    ranked = sorted(each, key=lambda part: part["factor"])
    count = min(windows, len(ranked))
    cuts = [round(number * len(ranked) / count) for number in range(count + 1)]
    parts = [_mean(ranked[low:high]) for low, high in itertools.pairwise(cuts)]
    scale = count / math.fsum(part["factor"] for part in parts)
    return [
        {
            "length_s": window_s / speed,
            "factor": parts[number]["factor"] * scale,
            "shares": parts[number]["shares"],
        }
        for number in np.random.Generator(np.random.PCG64(1)).permutation(count)
    ]


def _sooner(reuse: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Rows of reuse, those below ``DEEPEST`` joined at the octave above it."""
    kept = [row for row in reuse if row["most"] <= DEEPEST]
    rest = math.fsum(row["share"] for row in reuse if row["most"] > DEEPEST)
    return [*kept, {"least": DEEPEST // 2 + 1, "most": DEEPEST, "share": rest}] if rest > 0 else kept


def _mean(windows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """One window for several: their mean rate, and the mix of their requests."""
    total = math.fsum(window["factor"] for window in windows)
    if total <= 0:
        return {"factor": 0.0, "shares": None}
    shares: dict[str, float] = {}
    for window in windows:
        for name, share in (window["shares"] or {}).items():
            shares[name] = shares.get(name, 0.0) + share * window["factor"] / total
    return {"factor": total / len(windows), "shares": shares}
