"""How near a synthetic trace comes to its original: every measure of both, and the difference."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple


class Measure(NamedTuple):
    """A figure of both traces."""

    group: str
    name: str
    unit: str
    original: float | None
    synthetic: float | None
    # Least and greatest over the synthetic traces of several seeds; ``synthetic`` is their mean.
    spread: tuple[float, float] | None = None

    @property
    def difference(self) -> float | None:
        """Synthetic less original, in the unit; ``None`` where one of them lacks the figure."""
        if self.original is None or self.synthetic is None:
            return None
        return self.synthetic - self.original

    @property
    def relative(self) -> float | None:
        """The difference over the original; ``None`` for shares, whose points say more, and beside zero."""
        difference = self.difference
        if difference is None or self.unit == "%" or not self.original:
            return None
        return difference / self.original

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {**self._asdict(), "difference": self.difference, "relative": self.relative}


_SKEW_POINTS: Final = (0.01, 0.1, 0.2)
CACHES: Final = (1 << 20, 1 << 24, 1 << 28)


def measures(original: dict[str, Any], synthetic: dict[str, Any]) -> list[Measure]:
    """The table of two descriptions (``iowatt.description/1``); caches of `CACHES` must be in both."""
    reach = original["density"]["extent_bytes"], synthetic["density"]["extent_bytes"]
    found = []
    for group, name, unit, figure in _figures(original):
        values = []
        for description in (original, synthetic):
            try:
                values.append(_number(figure(description)))
            except (KeyError, IndexError, TypeError, StopIteration, ValueError):
                values.append(None)
        found.append(Measure(group, name, unit, *values))
    if reach[0] != reach[1]:
        found = [m for m in found if m.group != "skew of extents"]
    return [m for m in found if m.original is not None or m.synthetic is not None]


def _number(value: Any) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)


_Figure = tuple[str, str, str, Callable[[dict[str, Any]], Any]]


def _figures(original: dict[str, Any]) -> Iterator[_Figure]:
    yield "requests", "requests", "", lambda d: d["requests"]["count"]
    yield "requests", "reads", "%", lambda d: 100 * d["requests"]["read_share"]
    yield "requests", "bytes read", "%", lambda d: 100 * d["bytes"]["read_share"]
    yield "requests", "mean rate", "IOPS", lambda d: d["rate"]["iops"]
    yield "requests", "mean transfer rate", "MiB/s", lambda d: d["rate"]["mib_per_s"]
    for way in ("read", "write"):
        for name in ("mean", "p50", "p90", "max"):
            yield "sizes", f"{way} size {name}", "B", lambda d, w=way, n=name: d["sizes"][w][n]
    yield "arrivals", "coefficient of variation of gaps", "", lambda d: d["inter_arrival"]["cv"]
    for name in ("p50", "p90", "p99", "max"):
        yield (
            "arrivals",
            f"gap {name}",
            "s",
            lambda d, n=name: d["inter_arrival"]["percentiles_s"][n],
        )
    for scale in original["burstiness"]["scales"]:
        width = scale["window_s"]
        if math.log2(width) % 2 == 0 and scale["windows"] >= 16:
            yield (
                "arrivals",
                f"index of dispersion over {width:g} s",
                "",
                lambda d, w=width: next(s["idc"] for s in d["burstiness"]["scales"] if s["window_s"] == w),
            )
            yield (
                "arrivals",
                f"peak in {width:g} s",
                "",
                lambda d, w=width: next(s["peak"] for s in d["burstiness"]["scales"] if s["window_s"] == w),
            )
    for way in ("read", "write"):
        yield (
            "sequentiality",
            f"{way}s that continue a run",
            "%",
            lambda d, w=way: 100 * d["sequential"][f"{w}_runs"]["sequential_request_share"],
        )
        yield (
            "sequentiality",
            "read bytes that continue a run" if way == "read" else "written bytes that continue a run",
            "%",
            lambda d, w=way: 100 * d["sequential"][f"{w}_runs"]["sequential_byte_share"],
        )
    yield (
        "sequentiality",
        "requests that begin where the last one ended",
        "%",
        lambda d: 100 * d["sequential"]["consecutive_request_share"],
    )
    for low in (1 << 20, 1 << 24, 1 << 28):
        yield (
            "locality",
            f"jumps of less than {low >> 20} MiB",
            "%",
            lambda d, w=low: (
                100
                * sum(
                    share
                    for below, share in zip(
                        d["jumps"]["below_bytes"], d["jumps"]["request_share"], strict=True
                    )
                    if below <= w
                )
            ),
        )
    yield "footprint", "footprint", "B", lambda d: d["footprint"]["total_bytes"]
    yield "footprint", "footprint of reads", "B", lambda d: d["footprint"]["read_bytes"]
    yield "footprint", "footprint of writes", "B", lambda d: d["footprint"]["written_bytes"]
    for hottest in _SKEW_POINTS:
        yield (
            "skew of blocks",
            f"references to the hottest {100 * hottest:g} % of blocks",
            "%",
            lambda d, h=hottest: (
                100 * next(p["reference_share"] for p in d["block_skew"] if abs(p["hottest"] - h) < 1e-9)
            ),
        )
    for size in CACHES:
        yield (
            "reuse",
            f"miss ratio of an LRU cache of {size >> 20} MiB",
            "%",
            lambda d, s=size: 100 * _missed(d["reuse"]["miss_ratio"], s),
        )
    for way in ("read", "write"):
        yield (
            "reuse",
            f"{way}s with a block not used before",
            "%",
            lambda d, w=way: 100 * d["reuse"]["first_touch"][f"{w}_requests"],
        )


def _missed(curve: dict[str, list[Any]], size: int) -> Any:
    """The curve at a size; beyond its end, where all fits, its last value."""
    at = max(i for i, cache in enumerate(curve["cache_bytes"]) if cache <= size)
    return curve["requests"][at]


def lines(found: list[Measure]) -> Iterator[str]:
    """The table as text."""
    width = max(len(m.name) for m in found)
    yield f"{'measure':<{width}}  {'original':>12}  {'synthetic':>12}  difference"
    group = ""
    for m in found:
        if m.group != group:
            group = m.group
            yield f"-- {group}"
        unit = f" {m.unit}" if m.unit and m.unit != "%" and m.relative is None else ""
        figures = f"{_shown(m.original):>12}  {_shown(m.synthetic):>12}  {_apart(m)}{unit}"
        yield f"{m.name:<{width}}  {figures}"


def _shown(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if abs(value) >= 1e4 else f"{value:.4g}"


def _apart(m: Measure) -> str:
    if m.difference is None:
        return "-"
    if m.unit == "%":
        return f"{m.difference:+.2f} points"
    if m.relative is None:
        return f"{m.difference:+.4g}"
    apart = f"{100 * m.relative:+.1f} %"
    if m.spread is None or not m.original:
        return apart
    low, high = (100 * (value / m.original - 1) for value in m.spread)
    return f"{apart} ({low:+.1f} to {high:+.1f})"
