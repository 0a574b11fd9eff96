"""What scaling keeps of a trace and what it loses: recorded and scaled requests, measured alike.

Each stream is ``REQUESTS`` long, as simulations are: the first of the trace, those of one of the clones,
those of one tenant whose data is stretched, and those of the fitted profile. Clones begin independently, so
that requests a second of all of them vary less than those of one, by the square root of their number.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from iowatt.base.errors import InputError
from iowatt.evaluate.choose.fitted import profile_file
from iowatt.evaluate.choose.load import ScaledWorkload, given_trace, most_stretch, reached, tenants
from iowatt.evaluate.choose.question import AskedWorkload
from iowatt.evaluate.choose.result import FootprintMeasure, TraceTrait
from iowatt.trace.description import Description
from iowatt.trace.generate import prepare
from iowatt.trace.measure import describe
from iowatt.trace.result import TraceInfo

REQUESTS: Final = 200_000
"""Requests of each stream."""
CACHE: Final = 0.01
"""Cache whose hits are counted, over the capacity; over what the trace reaches if it is not scaled."""
MOVED: Final = 0.2
"""Relative change of a figure from which on it is lost."""
_POINTS: Final = 0.02
"""Shares and variations may change by it in any case."""
_SECOND: Final = 1.0
PARTS: Final = 1024
"""Parts of the capacity, about: touched ones show how far data is spread."""


def footprints(
    asked: AskedWorkload, scaled: ScaledWorkload, found: TraceInfo, base: Path, seed: int
) -> Iterator[FootprintMeasure]:
    """A row for the trace as recorded, and one for each way of scaling it that is possible."""
    rate, times = found.rate.iops, scaled.rate_iops / found.rate.iops
    clones, reach, size = tenants(times), reached(found), scaled.volume_bytes
    trace = given_trace(asked, base)
    start = trace.get("from_s", 0.0)
    part = {
        **trace,
        "from_s": start,
        "to_s": min(start + REQUESTS / rate, trace.get("to_s", math.inf)),
        "seed": seed,
    }
    first = _row(asked.name, "recorded", _described(part, reach), reach, chosen=False, rate_iops=rate)
    yield first
    each = size // clones
    for name, stretch in (("clones", 1), ("stretch", most_stretch(size, clones, reach))):
        if reach > each or (name == "stretch" and stretch == 1):
            continue  # there is no room for it
        copies = {"clones": 1, "stretch": stretch, "span_bytes": each}
        made = _described({**part, "copies": copies}, each)
        yield _row(
            asked.name, name, made, each, chosen=name == scaled.footprint, rate_iops=scaled.rate_iops,
            first=first, vary=1 / math.sqrt(clones),
        )  # fmt: skip
    try:
        file = profile_file(trace, rate, times=times, span=size, name=asked.name, folder=None)
    except InputError:
        return
    made = _described(prepare(str(file), seed=seed, requests=first.requests).trace, size)
    yield _row(
        asked.name, "profile", made, size, chosen=scaled.footprint == "profile", rate_iops=scaled.rate_iops,
        first=first,
    )  # fmt: skip


def _described(spec: Mapping[str, Any], size: int) -> Description:
    return describe(spec, cache_bytes=[_cache_bytes(size)], extent_bytes=_extent_bytes(size))


def _extent_bytes(size: int) -> int:
    return max(4096, 1 << (size // PARTS).bit_length() - 1)


def _cache_bytes(size: int) -> int:
    return max(1 << 20, int(CACHE * size) // 4096 * 4096)


def _row(
    workload: str,
    stream: str,
    found: Description,
    size: int,
    *,
    chosen: bool,
    rate_iops: float,
    first: FootprintMeasure | None = None,
    vary: float = 1.0,
) -> FootprintMeasure:
    """The figures of a stream over ``size`` bytes, and what it keeps of ``first``, the recorded one.

    ``vary`` multiplies the variation of its requests a second.
    """
    skew = {round(one.hottest, 3): one.reference_share for one in found.block_skew}
    curve, cache = found.reuse.miss_ratio, _cache_bytes(size)
    missed = max(
        (at, miss) for at, miss in zip(curve.cache_bytes, curve.requests, strict=True) if at <= cache
    )
    run = found.sequential.runs.length_bytes
    second = min(found.burstiness.scales, key=lambda one: abs(one.window_s - _SECOND), default=None)
    touched = int(found.footprint.total_bytes)
    made = FootprintMeasure(
        workload=workload,
        stream=stream,
        chosen=chosen,
        requests=found.requests.count,
        rate_iops=rate_iops,
        touched_bytes=touched,
        touched_share=touched / size,
        spread_share=min(1.0, found.density.touched * found.density.extent_bytes / size),
        hottest_hundredth=skew.get(0.01),
        hottest_tenth=skew.get(0.1),
        cache_hits=1 - missed[1],
        run_bytes=None if run is None else run.mean,
        burstiness=None if second is None or not second.mean else vary * second.variance**0.5 / second.mean,
        kept=[],
        lost=[],
    )
    if first is None:
        return made
    kept = {name: _as_before(made, first, names) for name, names in _TRAITS.items()}
    return made.model_copy(
        update={
            "kept": [name for name, same in kept.items() if same],
            "lost": [name for name, same in kept.items() if same is False],
        }
    )


#: Traits of a trace by the figures that show them.
_TRAITS: Final[dict[TraceTrait, tuple[str, ...]]] = {
    "skew": ("hottest_hundredth", "hottest_tenth"),
    "reuse": ("cache_hits",),
    "runs": ("run_bytes",),
    "burstiness": ("burstiness",),
    "spread": ("spread_share",),
}


def _as_before(made: FootprintMeasure, first: FootprintMeasure, names: Sequence[str]) -> bool | None:
    """Whether none of the figures moved by more than ``MOVED``; None where one is not known."""
    pairs = [(name, getattr(first, name), getattr(made, name)) for name in names]
    if any(before is None or now is None for _, before, now in pairs):
        return None
    return all(
        abs(now - before) <= max(MOVED * abs(before), 0.0 if name == "run_bytes" else _POINTS)
        for name, before, now in pairs
    )
