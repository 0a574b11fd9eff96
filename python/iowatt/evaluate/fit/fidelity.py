"""How near a synthetic trace comes to its original: every measure of both, and the difference."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, Final, Literal

from pydantic import Field

from iowatt.base.results import Result, ResultDocument
from iowatt.trace.description import Description, MissRatios


class FidelityFigure(Result):
    """A figure of the original and of the synthetic trace."""

    group: str
    name: str
    unit: str
    original: float | None
    synthetic: float | None
    #: Least and greatest over the synthetic traces of several seeds; ``synthetic`` is their mean.
    spread: tuple[float, float] | None
    #: Synthetic less original, in the unit; None where one of them lacks the figure.
    difference: float | None
    #: The difference over the original; None for shares, whose points say more, and where the original is 0.
    relative: float | None


class FitDocument(ResultDocument):
    """A fitted profile and how near its synthetic traces come: ``iowatt.fit/1``."""

    schema_id: Literal["iowatt.fit/1"] = Field(default="iowatt.fit/1", alias="schema")
    #: The file of the profile.
    profile: str
    requests: int
    streams: int
    phases: int
    #: Of the synthetic traces.
    seeds: list[int]
    fidelity: list[FidelityFigure]
    #: Response times and energies of a scenario under both.
    simulated: list[FidelityFigure]


def compared(
    group: str,
    name: str,
    unit: str,
    original: float | None,
    synthetic: float | None,
    *,
    spread: tuple[float, float] | None = None,
) -> FidelityFigure:
    """A figure of both traces with its difference."""
    difference = None if original is None or synthetic is None else synthetic - original
    relative = None if difference is None or unit == "%" or not original else difference / original
    return FidelityFigure(
        group=group, name=name, unit=unit, original=original, synthetic=synthetic, spread=spread,
        difference=difference, relative=relative,
    )  # fmt: skip


_SKEW_POINTS: Final = (0.01, 0.1, 0.2)
CACHES: Final = (1 << 20, 1 << 24, 1 << 28)


def measures(original: Description, synthetic: Description) -> list[FidelityFigure]:
    """The table of two descriptions; caches of `CACHES` must be in both."""
    found = []
    for group, name, unit, figure in _figures(original):
        values: list[float | None] = []
        for description in (original, synthetic):
            try:
                values.append(_number(figure(description)))
            except (AttributeError, KeyError, IndexError, TypeError, StopIteration, ValueError):
                values.append(None)
        found.append(compared(group, name, unit, values[0], values[1]))
    return [m for m in found if m.original is not None or m.synthetic is not None]


def _number(value: Any) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)


_Figure = tuple[str, str, str, Callable[[Description], Any]]


def _at(*keys: str, times: float = 1) -> Callable[[Description], Any]:
    """The figure below these keys of a description."""

    def figure(description: Description) -> Any:
        found: Any = description
        for key in keys:
            found = found[key] if isinstance(found, dict) else getattr(found, key)
        return times * found

    return figure


def _share(*keys: str) -> Callable[[Description], Any]:
    return _at(*keys, times=100)


def _scale(width: float, figure: str) -> Callable[[Description], Any]:
    return lambda d: next(getattr(s, figure) for s in d.burstiness.scales if s.window_s == width)


def _jumps(below: int) -> Callable[[Description], Any]:
    def figure(description: Description) -> float:
        table = description.jumps
        rows = zip(table.below_bytes, table.request_share, strict=True)
        return 100 * math.fsum(share for reach, share in rows if reach <= below)

    return figure


def _hottest(part: float) -> Callable[[Description], Any]:
    return lambda d: 100 * next(p.reference_share for p in d.block_skew if abs(p.hottest - part) < 1e-9)


def _misses(size: int) -> Callable[[Description], Any]:
    return lambda d: 100 * _missed(d.reuse.miss_ratio, size)


def _figures(original: Description) -> Iterator[_Figure]:
    yield "requests", "requests", "", _at("requests", "count")
    yield "requests", "reads", "%", _share("requests", "read_share")
    yield "requests", "bytes read", "%", _share("bytes", "read_share")
    yield "requests", "mean rate", "IOPS", _at("rate", "iops")
    yield "requests", "mean transfer rate", "MiB/s", _at("rate", "mib_per_s")
    for way in ("read", "write"):
        for name in ("mean", "p50", "p90", "max"):
            yield "sizes", f"{way} size {name}", "B", _at("sizes", way, name)
    yield "arrivals", "coefficient of variation of gaps", "", _at("inter_arrival", "cv")
    for name in ("p50", "p90", "p99", "max"):
        yield "arrivals", f"gap {name}", "s", _at("inter_arrival", "percentiles_s", name)
    for scale in original.burstiness.scales:
        width = scale.window_s
        if math.log2(width) % 2 == 0 and scale.windows >= 16:
            yield "arrivals", f"index of dispersion over {width:g} s", "", _scale(width, "idc")
            yield "arrivals", f"peak in {width:g} s", "", _scale(width, "peak")
    for way, moved in (("read", "read bytes"), ("write", "written bytes")):
        runs = ("sequential", f"{way}_runs")
        yield "sequentiality", f"{way}s that continue a run", "%", _share(*runs, "sequential_request_share")
        yield "sequentiality", f"{moved} that continue a run", "%", _share(*runs, "sequential_byte_share")
    consecutive = _share("sequential", "consecutive_request_share")
    yield "sequentiality", "requests that begin where the last one ended", "%", consecutive
    for below in (1 << 20, 1 << 24, 1 << 28):
        yield "locality", f"jumps of less than {below >> 20} MiB", "%", _jumps(below)
    yield "footprint", "footprint", "B", _at("footprint", "total_bytes")
    yield "footprint", "footprint of reads", "B", _at("footprint", "read_bytes")
    yield "footprint", "footprint of writes", "B", _at("footprint", "written_bytes")
    for part in _SKEW_POINTS:
        yield "skew", f"references to the hottest {100 * part:g} % of blocks", "%", _hottest(part)
    for size in CACHES:
        yield "reuse", f"miss ratio of an LRU cache of {size >> 20} MiB", "%", _misses(size)
    for way in ("read", "write"):
        first = _share("reuse", "first_touch", f"{way}_requests")
        yield "reuse", f"{way}s with a block not used before", "%", first


def _missed(curve: MissRatios, size: int) -> float:
    """The curve at a size; beyond its end, where all fits, its last value."""
    at = max(i for i, cache in enumerate(curve.cache_bytes) if cache <= size)
    return curve.requests[at]
