"""The study's arrays and workloads as scenarios, and what varies in each sweep.

The slides give rates and response times and no parts list. So the arrays are assembled: from drives of the
library, as many as reach the published *random* rate with the published number of requests in flight. That is
the one thing set by a published figure; what the hot band, the cache and the tiers then do is predicted.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from iowatt.evaluate.search import parse_axes
from iowatt.studies.hotband2013.published import PRINTED, TEXT
from iowatt.studies.stages import StudyStage, scenario_text

FAST_DISK: Final = "hotband2013-15k"
SLOW_DISK: Final = "toshiba-mg04sca500e"
SSD: Final = "micron-p410m-400gb"

#: Drives of the arrays at full scale.
SMALL_DISKS: Final = 38
LARGE_DISKS: Final = 56
#: The tiered array: fewer disks, and SSDs for an eighth of the span.
TIERED_DISKS: Final = 48
TIERED_SSDS: Final = 4
TIER_SHARE: Final = 0.125
#: 36,000 GB mirrored of drives of 300 GB.
COM_DISKS: Final = 240
COM_OUTSTANDING: Final = 5 * COM_DISKS
#: So many that every disk has work at any time.
DEEP_OUTSTANDING: Final = 32 * COM_DISKS

#: SPC-1 writes more than it reads: its cache takes so much longer to fill with dirty data.
PATIENCE: Final = 3.0

#: Span of the tests: 96 GB of cache, the calculator's, are 3 % of it.
SPAN_GB: Final = 3_200.0

CACHE: Final = "array.controller.cache.size"
LEVEL: Final = "array.pool.disks.raid.level"
SEED: Final = "seed"
READ_AHEAD: Final = "array.pool.disks.read_ahead"

#: Requests of the random column: the slides say "random" only. Size and mix of Emerald's MW1.
RANDOM: Final = ('stream.uniform.size="8KiB"',)
#: The eight sequential streams, each from a place of its own.
SEQUENTIAL: Final = ("write1", "write2", "write3", "read1", "read2", "read3", "read4", "read5")
APART: Final = tuple(f'stream.{name}.access={{pattern="sequential",begin="random"}}' for name in SEQUENTIAL)


#: All requests of the size of the random ones.
SAME_SIZE: Final = ("sizes=[{size=8192,share=100}]",)


@dataclass(frozen=True)
class ArrayScale:
    """How large, and how long."""

    #: Share of drives, span, cache and requests in flight.
    size: float
    warmup_s: float
    window_s: float
    #: Shares of the span that the cache holds, besides the published one.
    caches: tuple[float, ...]

    def disks(self, count: int) -> int:
        """An even number of drives, 4 at least: mirrored and striped."""
        return max(4, 2 * round(count * self.size / 2))

    def outstanding(self, count: int) -> int:
        """Requests in flight."""
        return max(1, round(count * self.size))

    @property
    def span_gb(self) -> float:
        """Bytes under test, in GB."""
        return SPAN_GB * self.size


FULL: Final = ArrayScale(1.0, 120.0, 120.0, (0.0, 0.01, 0.06))
QUICK: Final = ArrayScale(0.25, 60.0, 30.0, (0.0,))

#: The controller is assumed: so many processors, each busy so long with a request.
PROCESSORS: Final = 8
PROCESSING_US: Final = 100
#: Requests per second that this lets through, whatever lies behind it.
CEILING_IOPS: Final = PROCESSORS * 1_000_000 / PROCESSING_US


#: More requests a second than any of the arrays completes: a closed loop takes what it needs.
RATE: Final = 400_000


def pool(name: str, device: str, count: int, level: int = 10) -> str:
    """A pool of a scenario."""
    scheduler = "fcfs" if name == "ssd" else "elevator"
    return TEXT.fragment("pool", name=name, device=device, count=count, level=level, scheduler=scheduler)


def scenario(name: str, scale: ArrayScale, **given: Any) -> str:
    """An array under a workload."""
    warmup_s = given.pop("patience", 1.0) * scale.warmup_s
    length = warmup_s + scale.window_s
    values: dict[str, Any] = {
        "profile": "hot-band",
        "changes": (),
        "pools": pool("disks", FAST_DISK, scale.disks(LARGE_DISKS)),
        "pool": "disks",
        "cache": str(round(PRINTED.hot_band.cache_share * scale.span_gb, 3)),
        "heat": "",
        "span": f"{scale.span_gb:g}",
    } | given
    names = [line.split('"')[1] for line in values["pools"].splitlines() if line.startswith("name = ")]
    drawing = json.dumps([one for one in names if one in ("disks", "ssd")])
    counts = [line.split(" = ")[1] for line in values["pools"].splitlines() if line.startswith("count = ")]
    values["changes"] = f"set = {json.dumps(list(values['changes']))}"
    outstanding = scale.outstanding(values.pop("outstanding"))
    return scenario_text(
        "hotband2013",
        name=name,
        us=PROCESSING_US,
        processors=PROCESSORS,
        rate=RATE,
        length=length,
        warmup=warmup_s,
        drawing=drawing,
        slots=sum(map(int, counts)),
        destages=sum(map(int, counts)),
        outstanding=outstanding,
        **values,
    )


def stages(scale: ArrayScale) -> list[StudyStage]:
    """All sweeps of the study."""
    told = [*_small(scale), *_large(scale), *_tiered(scale), *_experiments(scale)]
    return [*told, *_without_read_ahead(told, scale), *_coms(scale)]


def _stage(
    key: str, scale: ArrayScale, over: dict[Any, Any], *, bundles: bool = False, **given: Any
) -> StudyStage:
    labels = {"kind": key, "workload": str(given.get("profile", "hot-band"))}
    return StudyStage(key, scenario(key, scale, **given), Path.cwd(), parse_axes(over), labels, bundles)


def _sizes(scale: ArrayScale, shares: Sequence[float]) -> dict[Any, Any]:
    return {CACHE: [f"{round(share * scale.span_gb, 3):g}GB" for share in shares]}


def _random(outstanding: int) -> dict[str, Any]:
    return {"profile": "uniform", "changes": RANDOM, "outstanding": outstanding}


def _small(scale: ArrayScale) -> list[StudyStage]:
    disks = pool("disks", SLOW_DISK, scale.disks(SMALL_DISKS))
    caches = {CACHE: ["0B", f"{round(2048 * scale.size)}MiB"]}
    random = _random(PRINTED.small.outstanding("uniform"))
    return [
        _stage("small-random", scale, caches, pools=disks, **random),
        _stage("small-hot", scale, caches, pools=disks, outstanding=PRINTED.small.outstanding("hot-band")),
    ]


def _large(scale: ArrayScale) -> list[StudyStage]:
    published = _sizes(scale, [PRINTED.hot_band.cache_share])
    others = _sizes(scale, scale.caches)
    hot = PRINTED.cached.outstanding("hot-band")
    random = _random(PRINTED.cached.outstanding("uniform"))
    return [
        _stage("large-random", scale, _sizes(scale, [0.0, PRINTED.hot_band.cache_share]), **random),
        _stage("large-hot", scale, published, bundles=True, outstanding=hot, heat=_heat(scale)),
        _stage("large-hot-caches", scale, others, outstanding=hot),
        _stage("large-spc", scale, published, profile="spc-1-like", patience=PATIENCE, outstanding=hot),
    ]


def _heat(scale: ArrayScale) -> str:
    return f'heat = {{ extent = "{round(1024 * scale.size)}MiB" }}\n'


def _tiered(scale: ArrayScale) -> list[StudyStage]:
    count = scale.disks(TIERED_DISKS)
    disks = pool("disks", FAST_DISK, count)
    pools = pool("ssd", SSD, scale.disks(TIERED_SSDS)) + disks
    pools += TEXT.fragment("tiers", fast=f"{TIER_SHARE * scale.span_gb:g}")
    hot = PRINTED.tiered.outstanding("hot-band")
    tiers: dict[str, Any] = {"pools": pools, "pool": "tiers", "outstanding": hot}
    published = _sizes(scale, [PRINTED.hot_band.cache_share])
    return [
        _stage("tiered-hot", scale, published, **tiers),
        _stage("tiered-hot-alone", scale, _sizes(scale, [0.0]), **tiers),
        _stage("tiered-spc", scale, published, profile="spc-1-like", patience=PATIENCE, **tiers),
        # The same disks without the SSDs: what tiering alone does.
        _stage("untiered-hot", scale, published, pools=disks, outstanding=hot),
        _stage("untiered-hot-alone", scale, _sizes(scale, [0.0]), pools=disks, outstanding=hot),
        _stage(
            "untiered-spc",
            scale,
            published,
            pools=disks,
            profile="spc-1-like",
            patience=PATIENCE,
            outstanding=hot,
        ),
    ]


def _experiments(scale: ArrayScale) -> list[StudyStage]:
    """Runs that decide between possible causes of a difference."""
    hot = PRINTED.cached.outstanding("hot-band")
    published = _sizes(scale, [PRINTED.hot_band.cache_share])
    small = pool("disks", SLOW_DISK, scale.disks(SMALL_DISKS))
    return [
        _stage("large-hot-apart", scale, published, outstanding=hot, changes=APART),
        _stage("large-hot-8k", scale, published, outstanding=hot, changes=SAME_SIZE),
        _stage("small-hot-8k", scale, {CACHE: ["0B"]}, pools=small, changes=SAME_SIZE,
               outstanding=PRINTED.small.outstanding("hot-band")),
    ]  # fmt: skip


#: Whether disks read ahead is assumed: what these sweeps give without, at the cache size of their claim.
_WITH_CACHE: Final = (
    "large-random", "large-hot", "large-hot-apart", "tiered-hot", "untiered-hot", "tiered-spc",
    "untiered-spc",
)  # fmt: skip
_WITHOUT_CACHE: Final = ("small-random", "small-hot")


def without(kind: str) -> str:
    """The sweep of a kind whose disks do not read ahead."""
    return f"{kind}-no-read-ahead"


def _without_read_ahead(told: Sequence[StudyStage], scale: ArrayScale) -> list[StudyStage]:
    """The sweeps of the claims on rates again, with disks that do not read ahead."""
    by = {stage.key: stage for stage in told}
    published = _sizes(scale, [PRINTED.hot_band.cache_share])
    given = [(kind, published) for kind in _WITH_CACHE] + [(kind, {CACHE: ["0B"]}) for kind in _WITHOUT_CACHE]
    return [
        StudyStage(
            without(kind),
            by[kind].text,
            Path.cwd(),
            parse_axes({**over, READ_AHEAD: [False]}),
            {**by[kind].labels, "kind": without(kind)},
        )
        for kind, over in given
    ]


def _coms(scale: ArrayScale) -> list[StudyStage]:
    """RAID-1 (mirrored, striped), RAID-5, 2:1 compression under 70/30 random requests, no cache.

    Compression is simulated page by page, so its span is a tenth; it is compared with that span uncompressed.
    """
    disks = pool("disks", FAST_DISK, scale.disks(COM_DISKS))
    random = _random(COM_OUTSTANDING)
    span = scale.span_gb / 10
    reduced = disks + TEXT.fragment("reduced", part=f"{0.55 * span:g}")
    few: dict[str, Any] = random | {"cache": 0, "span": f"{span:g}"}
    return [
        _stage("com", scale, {LEVEL: [10, 5]}, pools=disks, cache=0, **random),
        _stage("com-deep", scale, {LEVEL: [10, 5]}, pools=disks, cache=0, **_random(DEEP_OUTSTANDING)),
        _stage("com-plain", scale, {SEED: [1]}, pools=disks, **few),
        _stage("com-compressed", scale, {SEED: [1]}, pools=reduced, pool="reduced", **few),
    ]
