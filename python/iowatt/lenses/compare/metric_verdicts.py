"""What is compared, and what each difference is worth: figures, their intervals, verdicts.

Figures come from the whole of each side (merged histograms, sums over windows). Their intervals come from
blocks of time: response times from the ``series``, work and energy from the ``intervals``. All figures are
corrected together, so that among a dozen none differs by chance alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

import polars as pl

from iowatt.lenses.compare import metrics, response
from iowatt.lenses.compare.blocks import Blocks
from iowatt.lenses.compare.bootstrap import LEAST_BLOCKS
from iowatt.lenses.compare.flags import repeated_by_seed
from iowatt.lenses.compare.inference import RESAMPLES, VERDICT_LEVEL, Question, infer_all
from iowatt.lenses.compare.measurement import MIB, NS_PER_MS, ComparedRun, Side
from iowatt.lenses.compare.request import CompareRequest
from iowatt.lenses.compare.result import NO_VERDICT, BothSides, DifferenceRow, Interval, Statistics
from iowatt.run.histogram import PERCENTILES

if TYPE_CHECKING:
    from iowatt.lenses.compare.inference import Difference
    from iowatt.lenses.compare.metrics import RunMetric


#: Gives the blocks of each Run of a side; empty where they cannot answer a request.
BlocksOf = Callable[[Side, CompareRequest], list[Blocks]]

#: Loops in which the driver, not storage, sets how much is done.
_GIVEN: Final = ("open", "replayed", "recorded")


@dataclass(frozen=True)
class ComparedFigure:
    """A figure that is compared, in ``unit``; ``scale`` times what the statistics have it in."""

    key: str
    title: str
    unit: str
    better: Literal["lower", "higher"] = "lower"
    scale: float = 1.0


MEAN: Final = ComparedFigure("mean", "Mean response time", "ms")
PERCENTILE_METRICS: Final = tuple(ComparedFigure(name, f"{name} response time", "ms") for name in PERCENTILES)
OVER: Final = ComparedFigure("over_threshold", "Share over the threshold", "%", scale=100.0)
IOPS: Final = ComparedFigure("iops", "Throughput", "IOPS", "higher")
BANDWIDTH: Final = ComparedFigure("mib_per_s", "Bandwidth", "MiB/s", "higher", 1 / MIB)
POWER: Final = ComparedFigure("power_w", "Mean power", "W")
ENERGY: Final = ComparedFigure("joules_per_request", "Energy per request", "J")
COMPARED: Final = (MEAN, *PERCENTILE_METRICS, OVER, IOPS, BANDWIDTH, POWER, ENERGY)


def values(side: Side, request: CompareRequest) -> dict[str, float | None]:
    """Every figure of a side, by key."""
    share = response.over(side.histogram, request.used_threshold_s).share
    times = response.percentiles(side)
    return {
        MEAN.key: side.mean_ms,
        **{name: times.named(name) for name in PERCENTILES},
        OVER.key: None if share is None else 100 * share,
        IOPS.key: side.iops,
        BANDWIDTH.key: side.mib_per_s,
        POWER.key: side.watts,
        ENERGY.key: side.joules_per_request,
    }


def differences(
    before: Side, after: Side, request: CompareRequest, comparisons: int = 1
) -> tuple[list[DifferenceRow], Statistics]:
    """Every figure of both sides with its difference and verdict, and how these were found.

    ``comparisons`` are corrected together; this is one of them.
    """
    old, new = values(before, request), values(after, request)
    known = {key for key in old if None not in (old[key], new[key])}
    found = _inferred(before, after, request, known, comparisons)
    given = all(part.loop.kind in _GIVEN for part in (*before.parts, *after.parts))
    rows = []
    for one in COMPARED:
        first, second = old[one.key], new[one.key]
        if first is None and second is None:
            continue
        beyond = _beyond(one, before, after, request)
        row = _row(one, _title(one, request), (first, second), found.get(one.key), beyond)
        if given and one in (IOPS, BANDWIDTH) and row.verdict in ("better", "worse"):
            load = "requests came at their own times, so this is the load, not what storage can do"
            row = row.model_copy(update={"remarks": [*row.remarks, load]})
        rows.append(row)
    about = Statistics(
        confidence=request.confidence,
        resamples=request.resamples or RESAMPLES,
        verdict_level=VERDICT_LEVEL,
        seed=request.seed,
    )
    return rows, about


def withhold(rows: Sequence[DifferenceRow]) -> list[DifferenceRow]:
    """``rows`` without their verdicts: the sides are too different for one."""
    return [row.model_copy(update={"verdict": NO_VERDICT}) for row in rows]


def _beyond(one: ComparedFigure, before: Side, after: Side, request: CompareRequest) -> BothSides[int] | None:
    """Requests beyond a percentile or the threshold: what the figure rests on."""
    q = PERCENTILES.get(one.key)
    if one is OVER:
        first, second = (
            response.over(side.histogram, request.used_threshold_s).requests for side in (before, after)
        )
    elif q is not None:
        first, second = (response.beyond(side.histogram.total, q) for side in (before, after))
    else:
        return None
    return BothSides(before=first, after=second)


def _inferred(
    before: Side, after: Side, request: CompareRequest, known: set[str], comparisons: int
) -> dict[str, Difference]:
    """The inferred differences, by key of the figure."""
    questions: list[Question] = []
    by_seed = repeated_by_seed(before) and repeated_by_seed(after)
    keys: list[list[str]] = []

    def ask(figures: Sequence[tuple[ComparedFigure, RunMetric]], blocks_of: BlocksOf) -> None:
        """Add the question of these figures, where both sides have them and the blocks for them."""
        wanted = [(one.key, metric) for one, metric in figures if one.key in known]
        sides = blocks_of(before, request), blocks_of(after, request)
        if wanted and all(sides):
            questions.append(Question(*sides, [metric for _, metric in wanted], by_seed))
            keys.append([key for key, _ in wanted])

    times = [
        (MEAN, metrics.mean()),
        *zip(PERCENTILE_METRICS, map(metrics.quantile, PERCENTILES.values()), strict=True),
        (OVER, metrics.share_over(round(request.used_threshold_s * 1e9))),
    ]
    ordered = all(part.series is not None for part in (*before.parts, *after.parts))
    if not ordered and mean_by_interval(before, request) and mean_by_interval(after, request):
        ask(times[:1], mean_by_interval)
        times = times[1:]
    ask(times, by_series)
    ask(_work(before, after, request), by_interval)
    answered = infer_all(
        questions, seed=request.seed, resamples=request.resamples or RESAMPLES,
        confidence=request.confidence, comparisons=comparisons,
    )  # fmt: skip
    return {
        key: difference
        for named, differences in zip(keys, answered, strict=True)
        for key, difference in zip(named, differences, strict=True)
    }


def _work(before: Side, after: Side, request: CompareRequest) -> list[tuple[ComparedFigure, RunMetric]]:
    """Work, power and energy, by the amounts that intervals have; none of one workload's."""
    parts = (*before.parts, *after.parts)
    found: list[tuple[ComparedFigure, RunMetric]] = []
    if request.workload is None:
        requests = {"all": "count", "read": "reads", "write": "writes"}[request.op]
        moved = {"all": "bytes", "read": "bytes_read", "write": "bytes_written"}[request.op]
        found = [
            (IOPS, metrics.rate(requests)),
            (BANDWIDTH, metrics.bandwidth(moved)),
        ]
    walls = {part.at_wall for part in parts}
    if len(walls) == 1:
        amount = "wall_j" if walls.pop() else "device_j"
        found += [(POWER, metrics.power(amount)), (ENERGY, metrics.energy_per_request(amount))]
    return found


def _title(one: ComparedFigure, request: CompareRequest) -> str:
    """The title of a figure; power and energy are of the whole system, whatever is compared."""
    whole = {POWER.key: "Mean power of the system", ENERGY.key: "Energy per request, all requests"}
    part = request.op != "all" or request.workload is not None
    return whole.get(one.key, one.title) if part else one.title


def _row(
    one: ComparedFigure,
    title: str,
    both: tuple[float | None, float | None],
    inferred: Difference | None,
    beyond: BothSides[int] | None,
) -> DifferenceRow:
    before, after = both
    known = before is not None and after is not None
    difference = after - before if before is not None and after is not None else None
    inference = inferred if known else None
    # Independent requests say nothing of how figures vary over time: no verdict rests on them.
    alone = inference is None or inference.basis.method == "requests"
    of_both = of_before = of_after = None
    if inference is not None:
        of_both, of_before, of_after = inference.interval, inference.interval_before, inference.interval_after
    why = "its variation over time is not known" if known else "known on one side only"
    return DifferenceRow(
        metric=one.key, title=title, unit=one.unit, better=one.better, before=before, after=after,
        difference=difference, change=after / before - 1 if before and after is not None else None,
        interval=_interval(of_both, one.scale, difference),
        interval_before=_interval(of_before, one.scale, before, least=0.0),
        interval_after=_interval(of_after, one.scale, after, least=0.0),
        p=None if inference is None or alone else inference.p,
        verdict=NO_VERDICT if inference is None or alone else inference.verdict, beyond=beyond,
        basis=None if inference is None else inference.basis,
        remarks=[why] if inference is None else [*inference.remarks],
    )  # fmt: skip


def _interval(
    interval: tuple[float, float] | None, scale: float, figure: float | None, least: float = -math.inf
) -> Interval | None:
    """The interval of a printed figure: it holds the figure, and nothing below ``least``.

    Figures are ends of the finest bins, and the series, whose bins are wider, may lie beside them.
    """
    if interval is None or figure is None:
        return None
    low, high = (end * scale for end in interval)
    return max(least, min(low, figure)), max(high, figure)


def by_series(side: Side, request: CompareRequest) -> list[Blocks]:
    """Response times of each Run: by its series; where it has none, in one block without order in time.

    Empty where a Run has no histogram.
    """
    found = [blocks for part in side.parts if (blocks := _series(part, request)) is not None]
    return found if len(found) == len(side.parts) else []


def _series(part: ComparedRun, request: CompareRequest) -> Blocks | None:
    if part.series is not None:
        window = part.summary["window"]
        return Blocks.of_series(
            part.run.table("series"), request.point, request.op, request.workload,
            (float(window["start_s"]), float(window["end_s"])),
        )  # fmt: skip
    histogram = part.histogram
    if not histogram.total:
        return None
    return Blocks.of_histogram(
        histogram.low_ns, histogram.high_ns, histogram.count, seconds=part.window_s,
        sum_ns=None if part.mean_ms is None else part.mean_ms * NS_PER_MS * histogram.total,
        max_ns=None if part.max_ms is None else part.max_ms * NS_PER_MS,
    )  # fmt: skip


def mean_by_interval(side: Side, request: CompareRequest) -> list[Blocks]:
    """Counts and sums of response times by interval, for Runs without series; empty where one has too few.

    Of all requests at the host: intervals know no others.
    """
    if request.op != "all" or request.workload is not None or request.point != "host":
        return []
    found = []
    for part in side.parts:
        table = part.run.table("intervals")
        means = table["response_mean_ms"]
        if table.height < LEAST_BLOCKS or table.filter(means.is_null() & (pl.col("completions") > 0)).height:
            return []
        blocks = Blocks.of_intervals(table)
        sums = blocks.count * means.fill_null(0.0).to_numpy() * NS_PER_MS
        longest = table["response_max_ms"].cast(pl.Float64).fill_null(0.0).to_numpy() * NS_PER_MS
        found.append(replace(blocks, sum_ns=sums, max_ns=longest, amounts={}))
    return found


def by_interval(side: Side, _request: CompareRequest) -> list[Blocks]:
    """Work and energy of each Run by interval; empty where one has no intervals."""
    tables = [part.run.table("intervals") for part in side.parts]
    return [] if any(table.is_empty() for table in tables) else [Blocks.of_intervals(one) for one in tables]
