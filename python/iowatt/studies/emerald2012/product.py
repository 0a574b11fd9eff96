"""What would have to hold of the submitted array for its measured figures: one assumption at a time, and all
of them in one array.

The family's constants are those of the training's estimates, which the measurement of the same 50 drives
contradicts (sequential read 1.54 estimated, 3.01 measured). None of these assumptions is published; each was
chosen to be enough for the figures that it acts on, so that they come out shows only what would be needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from iowatt.render import numbers
from iowatt.render.figure import Cell, Figure
from iowatt.studies.emerald2012 import compare, published, systems
from iowatt.studies.emerald2012.points import FamilyPoints
from iowatt.studies.emerald2012.published import PRINTED, TEXT
from iowatt.studies.emerald2012.systems import FamilyScale, family
from iowatt.studies.stages import StudyStage

METRICS: Final = ("RR", "MW1", "MW2", "RW", "SR", "SW")
#: Requests outstanding around the measured 6 ms of sequential reads and 9 ms of sequential writes.
OUTSTANDING: Final = {"SR": (44, 56, 68), "SW": (28, 32, 36)}
_WORK: Final = "controller.lower.work"
_CACHE: Final = (f'{_WORK}.cache.size="512MiB"', f"{_WORK}.cache.destage_outstanding=1280")
_AHEAD: Final = (
    f'{_WORK}.cache.size="512MiB"',
    f"{_WORK}.cache.read=true",
    f'{_WORK}.cache.read_ahead={{most="16MiB",share=0.5}}',
)
_PAIR: Final = (
    'controller.lower.part=[{name="controllers",model="snia-online3-controllers",active="232W",'
    'law="throughput",full_iops=10000,full_rate="500MB/s"}]'
)


@dataclass(frozen=True)
class SubmissionAssumption:
    """A change of the family, and the metrics that are run with it."""

    key: str
    sets: tuple[str, ...]
    metrics: tuple[str, ...]

    def kind(self, metric: str) -> str:
        """The sweep of a metric."""
        return f"product-{self.key}-{metric.lower()}"


_SINGLE: Final = (
    SubmissionAssumption("share", ("test.capacity_share=0.65",), ("RR", "MW1", "MW2", "RW")),
    SubmissionAssumption("cache", _CACHE, ("MW1", "RW")),
    SubmissionAssumption("pair", (_PAIR,), ("MW2",)),
    SubmissionAssumption("ahead", _AHEAD, ("SR",)),
    SubmissionAssumption("link", (f'{_WORK}.cache.mirror.bandwidth="1GB/s"',), ("SW",)),
)
_TOGETHER: Final = tuple(dict.fromkeys(change for one in _SINGLE for change in one.sets))
ALL: Final = SubmissionAssumption("all", _TOGETHER, METRICS)
ASSUMPTIONS: Final = (*_SINGLE, ALL)


def stages(scale: FamilyScale) -> list[StudyStage]:
    """The submission's 50 drives under each assumption, at the response times that were measured."""
    return [stage for one in ASSUMPTIONS for metric in one.metrics for stage in _stages(one, metric, scale)]


def _stages(one: SubmissionAssumption, metric: str, scale: FamilyScale) -> list[StudyStage]:
    kind = one.kind(metric)
    if metric == "MW2":
        return [systems.quarter(kind, scale, *one.sets)]
    if metric in systems.SEQUENTIAL:
        name = "sequential_read" if metric == "SR" else "sequential_write"
        length = f'test.{name}.duration="{scale.sequential_s:g}s"'
        return [
            systems.stage(
                f"{kind}-{deep}", metric, "raid-5", (50,), kind=kind,
                sets=(*one.sets, length, f"test.{name}.outstanding={deep}"),
            )
            for deep in OUTSTANDING[metric]
        ]  # fmt: skip
    limit_s = _measured()[metric].ms / 1e3
    judged = systems.within(
        metric, "raid-5", scale.requests, limit_s, fills=scale.fills, of=family(*one.sets)
    )
    return [systems.stage(kind, metric, "raid-5", (50,), judged, sets=one.sets)]


def _measured() -> Mapping[str, published.SubmittedFigure]:
    return {one.metric: one for one in PRINTED.submission}


def value(points: FamilyPoints, one: SubmissionAssumption, metric: str) -> float:
    """A metric under an assumption at the measured response time; ``LookupError`` where it was not run."""
    kind = one.kind(metric)
    if metric == "MW2":
        whole = one if "MW1" in one.metrics else None
        base = points.one("submission-mw1" if whole is None else whole.kind("MW1"))
        return points.quarter(kind, whole=base)
    if metric in systems.SEQUENTIAL:
        return points.within(kind, _measured()[metric].ms)
    return points.one(kind).value


def estimates() -> dict[str, tuple[float, bool]]:
    """What the training itself estimates of 50 drives in RAID-5, and whether that is only a bound from above.

    Of random writes 50 drives are not printed, but the peak of their curve is: 50 drives cannot be above it.
    """
    found = {}
    for metric in METRICS:
        printed = [one for one in PRINTED.figures if (one.metric, one.raid) == (metric, "raid-5")]
        exact = next((one.value for one in printed if one.drives == 50), None)
        peak = next((one.value for one in printed if one.peak == "shelf"), None)
        if exact is not None:
            found[metric] = (exact, False)
        elif peak is not None and peak < _measured()[metric].value:
            found[metric] = (peak, True)
    return found


def table(points: FamilyPoints) -> Figure:
    """Each assumption beside the measured figures. Raises ``LookupError`` where they were not run."""
    measured = _measured()
    rows: list[list[Cell]] = [
        [TEXT.causes["product-measured"], *(f"{measured[metric].value:.5g}" for metric in METRICS)],
        [TEXT.causes["product-estimate"], *(_estimated(metric) for metric in METRICS)],
        [
            TEXT.causes["product-family"],
            *(_beside(compare.at_measured_response(points, measured[metric]), metric) for metric in METRICS),
        ],
    ]
    for one in ASSUMPTIONS:
        cells = [
            _beside(value(points, one, metric), metric) if metric in one.metrics else "" for metric in METRICS
        ]
        rows.append([TEXT.causes[f"product-{one.key}"], *cells])
    return TEXT.figure("product", rows)


def _estimated(metric: str) -> str:
    known = estimates().get(metric)
    if known is None:
        return ""
    return ("at most " if known[1] else "") + _beside(known[0], metric)


def _beside(ours: float, metric: str) -> str:
    return f"{numbers.significant(ours)} ({ours / _measured()[metric].value - 1:+.1%})"
