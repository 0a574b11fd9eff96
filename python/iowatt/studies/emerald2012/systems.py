"""The family's configurations under each profile of Emerald as sweeps over the number of drives.

Every scenario is the one that ``iowatt emerald bff`` makes of the family's file, so both say the same. Random
profiles are judged as closed loops at a mean response time of 20 ms (``search.rate.closed``): the
cache writes back, and an open load would be steady only after minutes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Final

from iowatt.emerald import family as families
from iowatt.emerald.family import Candidate, Family, Group
from iowatt.evaluate.search import parse_axes
from iowatt.evaluate.search.rate import ALL, RateRequest
from iowatt.render.figure import Cell
from iowatt.studies.emerald2012.published import PRINTED
from iowatt.studies.stages import StudyStage

DRIVE: Final = "sff-15k-146gb"
CLASS: Final = "lower"
SLOTS: Final = 25
LIMIT_S: Final = 0.020
#: Pool and shelf of that drive in the family's scenarios.
POOL: Final = f"drives-{DRIVE}"
COUNT: Final = f"array.pool.{POOL}.count"
SHELVES: Final = "array.power.enclosure.shelf-sff.count"
RATE: Final = f"workload.load-{POOL}.profile.rate_iops"
SEED: Final = "seed"

SEQUENTIAL: Final = ("SR", "SW")
#: Share of a profile's requests that are writes: they fill the cache, which takes so many requests.
_WRITES: Final = {"RR": 0.0, "RW": 1.0, "MW1": 0.3, "60/40": 0.4, "80/20": 0.2}
#: Requests per second of a drive at the limit, about: where the search begins.
_PER_DRIVE: Final = {
    ("RR", "raid-5"): 300,
    ("RW", "raid-5"): 105,
    ("MW1", "raid-5"): 172,
    ("60/40", "raid-5"): 150,
    ("80/20", "raid-5"): 205,
    ("RR", "raid-10"): 315,
    ("RW", "raid-10"): 200,
    ("MW1", "raid-10"): 265,
}


@dataclass(frozen=True)
class FamilyScale:
    """How many configurations, and how long."""

    requests: int
    #: By single drives: their differences are small.
    fine_requests: int
    #: Whole shelves, by level and metric.
    shelves: Mapping[str, Mapping[str, tuple[int, ...]]]
    single: tuple[int, ...]
    #: Around the peak by single drives, once for each of the seeds: which differences are more than chance.
    again: tuple[int, ...]
    seeds: tuple[int, ...]
    #: Shares of 25 % MW1: rates around it, requests per second.
    quarter: tuple[int, ...]
    #: Times over which the cache is written before anything is counted: what is dirty settles slowly.
    fills: float = 3.0
    #: Seconds that are counted of a sequential profile.
    sequential_s: float = 8.0
    #: Whether differences are looked into.
    experiments: bool = True


_ALL: Final = (25, 50, 75, 100, 125, 150, 175, 200)
_FEW: Final = (25, 50, 75, 100, 125)
_BOTH: Final = {"MW1": _ALL, "RR": _ALL, "RW": _ALL, "SR": _FEW, "SW": _FEW}
FULL: Final = FamilyScale(
    requests=200_000,
    fine_requests=1_000_000,
    shelves={"raid-5": {**_BOTH, "60/40": _ALL[1:7], "80/20": _ALL[1:7]}, "raid-10": _BOTH},
    single=tuple(range(116, 126)),
    again=(119, 120, 121, 122, 125),
    seeds=(2, 3, 4, 5),
    quarter=(1_500, 2_000, 2_500),
)
QUICK: Final = FamilyScale(
    requests=15_000,
    fine_requests=20_000,
    shelves={
        "raid-5": {
            "MW1": (50, 100, 125, 150),
            "RR": (50, 100, 125),
            "RW": (50, 75),
            "SR": (25, 50),
            "SW": (25, 50),
        },
        "raid-10": {"MW1": (100, 125), "RR": (100, 125), "RW": (75,), "SR": (25, 50), "SW": (50,)},
    },
    single=(120, 121),
    again=(),
    seeds=(),
    quarter=(1_500, 2_500),
    fills=1.0,
    sequential_s=1.0,
    experiments=False,
)


@cache
def family(*sets: str) -> Family:
    """The family of the package, with ``path=value`` over its keys."""
    at = resources.files("iowatt.model.library") / "families" / "online3.toml"
    return families.load(Path(str(at)), sets)


def candidate(count: int, raid: str, drive: str = DRIVE) -> Candidate:
    """So many drives of one option."""
    return Candidate(controller=CLASS, groups=(Group(drive=drive, count=count, raid=raid),), nodes=1)


def within(
    metric: str,
    raid: str,
    requests: int,
    limit_s: float = LIMIT_S,
    *,
    fills: float = FULL.fills,
    of: Family | None = None,
) -> RateRequest:
    """How a random profile is judged: so many requests, after the cache was written ``fills`` times."""
    writes = _WRITES[metric]
    store = (of or family()).controller(CLASS).work
    lines = 0 if store is None or store.cache is None else store.cache.size / store.cache.line
    warmup = 5_000 + (math.ceil(fills * lines / writes) if writes else 0)
    per_drive = _PER_DRIVE.get((metric, raid), 150)
    return RateRequest(
        limit_s,
        loop="closed",
        workload=ALL,
        requests=requests,
        warmup_requests=warmup,
        tolerance=0.01,
        start_per_drive=per_drive,
        most_runs=8,
    )


def stages(scale: FamilyScale) -> list[StudyStage]:
    """The sweeps of the study, without the experiments on causes."""
    return [*_shelves(scale), *_single(scale), *_idle(), *_submission(scale), *_baseline(scale)]


def stage(
    key: str,
    metric: str,
    raid: str,
    counts: Sequence[int],
    judged: RateRequest | None = None,
    *,
    sets: Sequence[str] = (),
    **labels: Any,
) -> StudyStage:
    """A sweep over the number of drives, which stand in as few shelves as hold them.

    ``judged`` is how a random profile is judged; ``sets`` changes keys of the family; ``labels`` is what its
    rows say besides metric and level.
    """
    of = family(*sets)
    text = families.scenario_text(of, candidate(counts[0], raid), metric)
    over = {(COUNT, SHELVES): [(count, math.ceil(count / SLOTS)) for count in counts]}
    about = {"kind": key, "metric": metric, "raid": raid, **labels}
    return StudyStage(key, text, of.base, parse_axes(over), about, within=judged)


def _sequential(scale: FamilyScale, metric: str) -> tuple[str, ...]:
    name = "sequential_read" if metric == "SR" else "sequential_write"
    return (f'test.{name}.duration="{scale.sequential_s:g}s"',)


def _shelves(scale: FamilyScale) -> list[StudyStage]:
    """Exercises 1 to 4: every printed curve by whole shelves."""
    found = []
    for raid, metrics in scale.shelves.items():
        for metric, counts in metrics.items():
            key = f"{_plain(metric)}-{raid}"
            if metric in SEQUENTIAL:
                found.append(stage(key, metric, raid, counts, sets=_sequential(scale, metric)))
            else:
                judged = within(metric, raid, scale.requests, fills=scale.fills)
                found.append(stage(key, metric, raid, counts, judged))
    return found


def _plain(metric: str) -> str:
    return metric.lower().replace("/", "-")


def _single(scale: FamilyScale) -> list[StudyStage]:
    """Exercise 1.5: by single drives."""
    judged = within("MW1", "raid-5", scale.fine_requests, fills=scale.fills)
    found = [stage("mw1-single", "MW1", "raid-5", scale.single, judged)]
    if scale.again:
        # A run may stop 1 % from the limit, which is 0.2 to 0.3 % of the rate: too coarse to compare counts.
        judged = replace(within("MW1", "raid-5", scale.requests, fills=scale.fills), tolerance=0.004)
        one = stage("mw1-seeds", "MW1", "raid-5", scale.again, judged)
        found.append(replace(one, axes=[*one.axes, *parse_axes({SEED: list(scale.seeds)})]))
    return found


def named(
    key: str,
    configuration: str,
    metric: str,
    judged: RateRequest | None = None,
    sets: Sequence[str] = (),
    **labels: Any,
) -> StudyStage:
    """A configuration of the family's file under a metric, with its own loads."""
    of = family(*sets)
    chosen = families.named_candidate(of, configuration)
    text = families.scenario_text(of, chosen, metric, configuration=configuration)
    about = {"kind": key, "metric": metric, "raid": chosen.groups[0].raid, "drives": chosen.drives, **labels}
    return StudyStage(key, text, of.base, parse_axes({SEED: [of.file.seed]}), about, within=judged)


def _idle() -> list[StudyStage]:
    """Exercise 5: ready idle."""
    return [named(f"idle-{one.configuration}", one.configuration, "RI") for one in PRINTED.idle]


def _submission(scale: FamilyScale) -> list[StudyStage]:
    """The submission's drives at the response times that were measured, and MW1's quarter.

    Sequential ones keep several numbers of requests outstanding, between which the measured time lies.
    """
    found = []
    for one in PRINTED.submission:
        if one.metric in ("RR", "RW", "MW1"):
            judged = within(one.metric, "raid-5", scale.requests, one.ms / 1e3, fills=scale.fills)
            key = f"submission-{_plain(one.metric)}"
            found.append(stage(key, one.metric, "raid-5", (50,), judged, limit_ms=one.ms))
    for metric, name, deep in (
        ("SR", "sequential_read", (8, 12, 16, 24)),
        ("SW", "sequential_write", (16, 24, 28, 32)),
    ):
        kind = f"submission-{_plain(metric)}"
        for outstanding in deep:
            sets = (*_sequential(scale, metric), f"test.{name}.outstanding={outstanding}")
            found.append(stage(f"{kind}-{outstanding}", metric, "raid-5", (50,), sets=sets, kind=kind))
    return [*found, quarter("submission-mw2", scale)]


def quarter(key: str, scale: FamilyScale, *sets: str) -> StudyStage:
    """MW2 of the submission's drives at rates around a quarter of MW1's; open, since the array keeps up."""
    of = family(*sets)
    rates = list(scale.quarter)
    text = families.scenario_text(of, candidate(50, "raid-5"), "MW2", rate_iops=float(rates[1]))
    about: dict[str, Cell] = {"kind": key, "metric": "MW2", "raid": "raid-5", "drives": 50}
    return StudyStage(key, text, of.base, parse_axes({RATE: rates}), about)


def _baseline(scale: FamilyScale) -> list[StudyStage]:
    found = []
    for metric in PRINTED.baseline:
        if metric in SEQUENTIAL:
            found.append(
                named(f"baseline-{_plain(metric)}", "baseline", metric, sets=_sequential(scale, metric))
            )
        else:
            judged = within(metric, "raid-5", scale.requests, fills=scale.fills)
            judged = replace(judged, start_per_drive=100 if metric == "RR" else 60)
            found.append(named(f"baseline-{_plain(metric)}", "baseline", metric, judged))
    return found
