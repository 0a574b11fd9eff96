"""Benchmarks of single drives, cached: one for each drive and mix of operations."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from iowatt.evaluate.estimate import device_benchmark
from iowatt.evaluate.estimate.operations import AccessRange, Mix, OperationKind
from iowatt.evaluate.estimate.queueing import DriveCurve
from iowatt.model.scenario.keys import Pool

#: Shares of kinds are rounded to parts, places to zones of a drive: benchmarks are shared by mixes that are
#: alike.
_PARTS: Final = 24
#: Most kinds of a mix with coarse shares; more of them need finer ones.
_FEW: Final = 8
_ZONES: Final = 32
#: Small ranges are one of these.
_NARROW: Final = tuple(2.0**-power for power in (19, 17, 15, 13, 11, 10, 9, 8, 7, 6))
_SEED: Final = 1
_COMBINED: Final = ("count", "raid", "chunklets", "recovery", "bus_of_drive")
_RAID: Final = {
    "level": "0", "stripe_unit_bytes": 65536, "layout": "left-symmetric", "small_write": "auto",
    "parity_check_on_read": False,
}  # fmt: skip

Key = tuple[tuple[OperationKind, int], ...]


class DriveBenchmarks:
    """Curves of drives by their plan and their work; ``benchmarks`` counts the benchmarks so far."""

    def __init__(self) -> None:
        self._curves: dict[tuple[str, int, int, Key], DriveCurve] = {}
        self.benchmarks = 0

    def curve(
        self, name: str, pool: Mapping[str, Any], mix: Mix, *, mirrored: int, parity: int
    ) -> DriveCurve:
        """The curve of a set of a plan's pool under a mix; ``name`` identifies the drive."""
        rounded = alike(mix)
        if not _in_groups(pool, rounded):
            parity = 0
        key = (name, mirrored, parity, rounded)
        if key not in self._curves:
            self.benchmarks += 1
            self._curves[key] = _benchmarked(_BenchmarkInputs(drive_alone(pool), mirrored, parity, rounded))
        return self._curves[key]


@dataclass(frozen=True)
class _BenchmarkInputs:
    """A benchmark's inputs: a pool's drive as JSON, and its work."""

    pool: str
    mirrored: int
    parity: int
    mix: Key


@lru_cache(maxsize=4096)
def _benchmarked(inputs: _BenchmarkInputs) -> DriveCurve:
    """The curve of a benchmark, made once in a process: other estimates need the same drives."""
    shares = [(kind, float(parts)) for kind, parts in inputs.mix]
    pool = json.loads(inputs.pool)
    return DriveCurve(
        device_benchmark.benchmark(pool, shares, mirrored=inputs.mirrored, parity=inputs.parity, seed=_SEED)
    )


def drive_alone(pool: Mapping[str, Any]) -> str:
    """A pool's drive and its queue, without the RAID level around them."""
    own = {key: value for key, value in pool.items() if key not in _COMBINED}
    return json.dumps({**own, "raid": _RAID}, sort_keys=True)


def _in_groups(pool: Mapping[str, Any], mix: Key) -> bool:
    """Whether the benchmark has to be a group of a parity level: updates, and nothing else that flash would
    write."""
    hows = {kind.how for kind, _ in mix}
    return "update" in hows and ("write" not in hows or pool["device"]["kind"] != "ssd")


def identity(pool: Pool) -> str:
    """The identity of a pool's drives and their queues; files are those of one base."""
    return pool.model_dump_json(
        exclude={"name", "count", "raid", "chunklet", "spares", "sparing", "failure", "rebuild"}
    )


def alike(mix: Mix) -> Key:
    """A mix in round figures, so that nearly equal mixes share a benchmark."""
    total = sum(mix.values())
    rounded: dict[OperationKind, float] = {}
    for kind, count in mix.items():
        like = OperationKind(kind.how, _bytes(kind.bytes), coarse(kind.place))
        rounded[like] = rounded.get(like, 0.0) + count / total
    kept, below, given = [], 0.0, 0
    parts_in_all = _PARTS if len(rounded) <= _FEW else 8 * _PARTS
    for kind in sorted(rounded, key=_order):
        below += rounded[kind] * parts_in_all
        if parts := round(below) - given:  # so that many small shares are not lost one by one
            kept.append((kind, parts))
            given += parts
    return tuple(kept)


def _order(kind: OperationKind) -> tuple[object, ...]:
    place = kind.place
    return (kind.how, place.sweep, place.cursors, kind.bytes, place.first, place.last)


def _bytes(size: int) -> int:
    """Whole 4 KiB up to 32 KiB; above, four steps to each doubling or so."""
    if size <= 4096:
        return max(512, round(size / 512) * 512)
    step = max(4096, 1 << (size.bit_length() - 4))
    return round(size / step) * step


@lru_cache(maxsize=4096)
def coarse(place: AccessRange) -> AccessRange:
    """A place in round figures."""
    width = place.last - place.first
    if width < 0.75 / _ZONES:
        # A small range: what matters is that it is small.
        narrow = next((step for step in _NARROW if width <= 1.4 * step), 1 / _ZONES)
        first = min(math.floor(place.first * _ZONES) / _ZONES, 1 - narrow)
        return AccessRange(first, first + narrow, place.cursors, place.sweep)
    first = math.floor(place.first * _ZONES + 0.25)
    last = max(first + 1, math.ceil(place.last * _ZONES - 0.25))
    return AccessRange(first / _ZONES, min(1.0, last / _ZONES), place.cursors, place.sweep)
