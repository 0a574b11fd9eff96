"""The five systems on the same two devices as scenarios, what varies in each sweep, and the experiments.

SSD = a quarter of the capacity in tiering and linear. Caching has the same SSD, and a disk that holds
everything: it uses a quarter more of it. Linear puts the SSD first.

Replay is closed with one request outstanding. The study replayed traces and reports throughput, so arrivals
did not set it; how many requests it kept in flight is not published. One is the least, and the requests of
one stream of a trace that waits for its answers; an experiment has four.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from iowatt.evaluate.search import parse_axes
from iowatt.studies.dollars2014.published import TEXT
from iowatt.studies.stages import StudyStage, captured_traces, scenario_text

SYSTEMS: Final = ("ssd", "hdd", "linear", "tiering", "caching")
HYBRIDS: Final = ("tiering", "caching")
NAMES: Final = {
    "ssd": "SSD only",
    "hdd": "HDD only",
    "linear": "linear",
    "tiering": "tiering",
    "caching": "caching",
}

SSD: Final = "intel-320-300gb"
HDD: Final = "dollars2014-hdd"
#: The sheet gives the mean of a mobile workload only (0.15 W), far below any load.
SSD_ACTIVE_W: Final = 2.0
OTHER_WATTS: Final = (0.15, 4.0)
OTHER_SEEDS: Final = (2, 3)

EXTENT: Final = "array.virtual_pool.hybrid.extent"
THRESHOLD: Final = "array.virtual_pool.hybrid.promotion_threshold"
LIMIT: Final = "array.virtual_pool.hybrid.max_migrations"
ACTIVE: Final = "array.pool.ssd.device.power.active"
SEED: Final = "seed"

#: Migrations and write-backs at a time of the experiment with more of them.
BUSY_LIMIT: Final = 16

#: Real requests, captured by this project: a database under a TPC-C-like load. Nothing of it is published in
#: the study.
TRACE: Final = "pg_tpcc_paced_excerpt.parquet"
#: MiB that hold its highest byte, a multiple of four.
TRACE_MIB: Final = 10_400


@dataclass(frozen=True)
class HybridWork:
    """A workload of the study, and the configurations at which its locality was fitted."""

    key: str
    title: str
    profile: str
    requests: int
    span_mib: int
    #: Skew of the profile, and the other one of the experiment.
    skew: float
    other_skew: float
    #: Extents in KiB and thresholds at which caching's hits span the published range.
    extents_kib: tuple[int, ...]
    thresholds: tuple[int, ...]


WEB: Final = HybridWork(
    "web-search", "web search (reads)", "dollars2014-web-search", 1_000_000, 17_072, 24.0, 48.0, (1024,),
    (4, 16, 64),
)  # fmt: skip
FIU: Final = HybridWork(
    "fiu-online", "FIU online (mostly writes)", "dollars2014-fiu-online", 3_300_000, 1024, 14.0, 28.0,
    (4, 64, 256, 1024), (4,),
)  # fmt: skip
WORKS: Final = {work.key: work for work in (WEB, FIU)}


@dataclass(frozen=True)
class DollarsScale:
    """How much of the design space, and how long."""

    extents_kib: tuple[int, ...]
    thresholds: tuple[int, ...]
    limits: tuple[int, ...]
    #: Requests, as a share of those of the whole study.
    length: float
    #: Draws of prices and rates for the ranges of crossovers.
    draws: int
    #: Whether all experiments are made, and the captured trace is replayed.
    whole: bool

    def requests(self, work: HybridWork) -> int:
        """Requests of a workload."""
        return round(work.requests * self.length)

    def probe(self, work: HybridWork) -> Probe:
        """Where experiments are made: at configurations of the fit, as far as there are any."""
        extents = [one for one in self.extents_kib if one in work.extents_kib] or [self.extents_kib[-1]]
        thresholds = [one for one in self.thresholds if one in work.thresholds] or [self.thresholds[0]]
        return Probe(tuple(extents), tuple(thresholds), self.limits[-1])


@dataclass(frozen=True)
class Probe:
    """A part of the design space."""

    extents_kib: tuple[int, ...]
    thresholds: tuple[int, ...]
    limit: int

    @property
    def ends(self) -> Probe:
        """The same with the first and the last extent only."""
        return Probe(
            tuple(dict.fromkeys((self.extents_kib[0], self.extents_kib[-1]))), self.thresholds, self.limit
        )


FULL: Final = DollarsScale((4, 64, 256, 1024), (4, 16, 64), (1, 4), 1.0, 40, True)
QUICK: Final = DollarsScale((64, 1024), (4, 64), (4,), 0.05, 0, False)


def profiled(
    work: HybridWork, requests: int, *, skew: float | None = None, span_mib: int | None = None
) -> str:
    """A workload's keys of a scenario."""
    changes = [] if skew is None else [f"stream.{name}.access.k={skew:g}" for name in ("first", "rest")]
    said = ", ".join(f"'{change}'" for change in changes)
    return (
        f'profile = {{ name = "{work.profile}", requests = {requests}, '
        f'span = "{span_mib or work.span_mib}MiB", set = [{said}] }}'
    )


def scenario(
    name: str, system: str, work: str, span_mib: int, *, limit: int = 4, outstanding: int = 1, more: str = ""
) -> str:
    """A system under a workload; ``limit``: most migrations of its sweep; ``more``: keys of the scheme."""
    pools, pool = _pools(system, span_mib, limit, more)
    return scenario_text(
        "dollars2014", name=name, work=work, outstanding=outstanding, pools=pools, pool=pool, span=span_mib
    )


def _pools(system: str, span_mib: int, limit: int, more: str) -> tuple[str, str]:
    pools = {
        "ssd": TEXT.fragment("ssd", ssd=SSD, active_w=SSD_ACTIVE_W),
        "hdd": TEXT.fragment("hdd", hdd=HDD),
    }
    if system in pools:
        return pools[system], system
    fast, slow = span_mib // 4, span_mib - span_mib // 4
    if system == "linear":
        parts = (
            f'part = [{{ pool = "ssd", capacity = "{fast}MiB" }}, {{ pool = "hdd", capacity = "{slow}MiB" }}]'
        )
    else:
        # The study's cache is a device-mapper target: whole extents are copied and written back, and a
        # write to an extent without a copy goes to the disk.
        if system == "caching":
            more = f'copy_unit = "extent"\nallocate_on_write = false\ninitial = "empty"\n{more}'
        # What tiering demotes needs a free place for each migration: a MiB each, the largest extent.
        slow = span_mib if system == "caching" else slow + limit
        parts = (
            f'fast = {{ pool = "ssd", capacity = "{fast}MiB" }}\n'
            f'slow = {{ pool = "hdd", capacity = "{slow}MiB" }}\nmax_migrations = {limit}\n{more}'
        )
    hybrid = TEXT.fragment("hybrid", scheme=system, parts=parts)
    return pools["ssd"] + pools["hdd"] + hybrid, "hybrid"


def stages(scale: DollarsScale) -> list[StudyStage]:
    """All sweeps of the study."""
    found: list[StudyStage] = []
    for work in WORKS.values():
        requests = profiled(work, scale.requests(work))
        for system in SYSTEMS:
            over = _over(scale) if system in HYBRIDS else {SEED: [1]}
            found.append(_stage(work, system, "", requests, over, limit=scale.limits[-1]))
        found += _experiments(work, scale)
    folder = traces() if scale.whole else None
    return found if folder is None else [*found, *_traced(folder, scale)]


def _over(scale: DollarsScale | Probe) -> dict[Any, Any]:
    limits = scale.limits if isinstance(scale, DollarsScale) else (scale.limit,)
    return {
        EXTENT: [f"{kib}KiB" for kib in scale.extents_kib],
        THRESHOLD: list(scale.thresholds),
        LIMIT: list(limits),
    }


def _stage(
    work: HybridWork, system: str, experiment: str, requests: str, over: Mapping[Any, Any], **given: Any
) -> StudyStage:
    key = "-".join(part for part in (work.key, system, experiment) if part)
    span_mib = given.pop("span_mib", work.span_mib)
    text = scenario(key, system, requests, span_mib, **given)
    labels = {"work": work.key, "system": system, "experiment": experiment}
    return StudyStage(key, text, Path.cwd(), parse_axes(dict(over)), labels, bundles=True)


def _experiments(work: HybridWork, scale: DollarsScale) -> list[StudyStage]:
    """Runs that decide between possible causes of a difference."""
    probe, whole, limit = scale.probe(work), scale.requests(work), scale.limits[-1]
    usual = profiled(work, whole)
    found = []
    for system in HYBRIDS:
        found.append(_stage(work, system, "early", profiled(work, whole * 3 // 4), _over(probe), limit=limit))
        found += _others(work, system, scale)
    found.append(_stage(work, "tiering", "cold", usual, _over(probe), limit=limit, more='initial = "cold"'))
    if work is FIU:
        found.append(
            _stage(work, "caching", "clean", usual, _over(probe), limit=limit, more="dirty_high = 1.0")
        )
    return found


def _others(work: HybridWork, system: str, scale: DollarsScale) -> list[StudyStage]:
    """A hybrid with something else about its work or its devices, at the ends of the probe."""
    probe, whole, limit = scale.probe(work), scale.requests(work), scale.limits[-1]
    usual, ends = profiled(work, whole), _over(probe.ends)
    skewed = profiled(work, whole, skew=work.other_skew)
    found = [
        _stage(work, system, "skewed", skewed, ends, limit=limit),
        _stage(work, system, "crowd", usual, ends, limit=limit, outstanding=4),
    ]
    if work is FIU:
        many = ends | {LIMIT: [BUSY_LIMIT]}
        found.append(_stage(work, system, "busy", usual, many, limit=BUSY_LIMIT))
    if not scale.whole:
        return found
    found.append(_stage(work, system, "longer", profiled(work, 2 * whole), ends, limit=limit))
    if work is FIU:
        wide = 4 * work.span_mib
        spread = profiled(work, whole, span_mib=wide)
        found.append(_stage(work, system, "wide", spread, ends, limit=limit, span_mib=wide))
    one = _over(Probe(probe.extents_kib[-1:], probe.thresholds[:1], limit))
    watts = one | {ACTIVE: [f"{watts:g}W" for watts in OTHER_WATTS]}
    found.append(_stage(work, system, "watts", usual, watts, limit=limit))
    found.append(_stage(work, system, "seeds", usual, one | {SEED: list(OTHER_SEEDS)}, limit=limit))
    return found


def traces() -> Path | None:
    """Where the captured traces lie: below the current directory, or beside the package's sources."""
    return captured_traces(TRACE)


def _traced(folder: Path, scale: DollarsScale) -> list[StudyStage]:
    requests = f'trace = {{ path = "{TRACE}" }}'
    at = Probe(scale.extents_kib[1:], scale.thresholds[:1], scale.limits[-1])
    found = []
    for system in SYSTEMS:
        key = f"captured-{system}"
        over: Mapping[Any, Any] = _over(at) if system in HYBRIDS else {SEED: [1]}
        text = scenario(key, system, requests, TRACE_MIB, limit=at.limit)
        labels = {"work": "captured", "system": system, "experiment": ""}
        found.append(StudyStage(key, text, folder, parse_axes(dict(over)), labels, bundles=True))
    return found


def reference(work: str, scale: DollarsScale) -> tuple[int, int, int]:
    """Extent in KiB, threshold and limit of the one configuration that figures by component show."""
    probe = scale.probe(WORKS.get(work, FIU))
    return probe.extents_kib[min(1, len(probe.extents_kib) - 1)], probe.thresholds[0], probe.limit
