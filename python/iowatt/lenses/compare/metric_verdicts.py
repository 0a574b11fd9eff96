"""What is compared, and what each difference is worth: figures, their intervals, verdicts.

Figures come from the whole of each side (merged histograms, sums over windows). Their intervals come from
blocks of time: response times from the ``series``, work and energy from the ``intervals``. All figures are
corrected together, so that among a dozen none differs by chance alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

import polars as pl

from iowatt.lenses.compare import metrics, response
from iowatt.lenses.compare.blocks import Blocks
from iowatt.lenses.compare.bootstrap import LEAST_BLOCKS
from iowatt.lenses.compare.flags import repeated_by_seed
from iowatt.lenses.compare.inference import RESAMPLES, VERDICT_LEVEL, Question, infer_all
from iowatt.lenses.compare.measurement import MIB, NS_PER_MS, Observed, Side
from iowatt.lenses.compare.request import Asked
from iowatt.lenses.compare.result import NO_VERDICT, BothSides, DifferenceRow, Interval, Statistics

if TYPE_CHECKING:
    from iowatt.lenses.compare.inference import Difference
    from iowatt.lenses.compare.metrics import Metric


#: Loops in which the driver, not storage, sets how much is done.
_GIVEN: Final = ("open", "replayed", "recorded")


@dataclass(frozen=True)
class Compared:
    """A figure that is compared, in ``unit``; ``scale`` times what the statistics have it in."""

    key: str
    title: str
    unit: str
    better: Literal["lower", "higher"] = "lower"
    scale: float = 1.0


MEAN: Final = Compared("mean", "Mean response time", "ms")
PERCENTILES: Final = tuple(Compared(name, f"{name} response time", "ms") for name, _ in response.QUANTILES)
OVER: Final = Compared("over_threshold", "Share over the threshold", "%", scale=100.0)
IOPS: Final = Compared("iops", "Throughput", "IOPS", "higher")
BANDWIDTH: Final = Compared("mib_per_s", "Bandwidth", "MiB/s", "higher", 1 / MIB)
POWER: Final = Compared("power_w", "Mean power", "W")
ENERGY: Final = Compared("joules_per_request", "Energy per request", "J")
COMPARED: Final = (MEAN, *PERCENTILES, OVER, IOPS, BANDWIDTH, POWER, ENERGY)


@dataclass(frozen=True)
class Judged:
    """Rows of ``differences``, and what they rest on."""

    rows: list[DifferenceRow]
    about: Statistics


def values(side: Side, asked: Asked) -> dict[str, float | None]:
    """Every figure of a side, by key."""
    share = response.over(side.histogram, asked.spike_s).share
    times = response.percentiles(side)
    return {
        MEAN.key: side.mean_ms,
        **{name: times.named(name) for name, _ in response.QUANTILES},
        OVER.key: None if share is None else 100 * share,
        IOPS.key: side.iops,
        BANDWIDTH.key: side.mib_per_s,
        POWER.key: side.watts,
        ENERGY.key: side.joules_per_request,
    }


def differences(before: Side, after: Side, asked: Asked) -> Judged:
    """Every figure of both sides, their difference, and what it is worth."""
    old, new = values(before, asked), values(after, asked)
    found = _inferred(before, after, asked, {key for key in old if None not in (old[key], new[key])})
    given = all(part.loop.kind in _GIVEN for part in (*before.parts, *after.parts))
    rows = []
    for one in COMPARED:
        first, second = old[one.key], new[one.key]
        if first is None and second is None:
            continue
        row = _row(
            one, _title(one, asked), (first, second), found.get(one.key), _beyond(one, before, after, asked)
        )
        if given and one in (IOPS, BANDWIDTH) and row.verdict in ("better", "worse"):
            load = "requests came at their own times, so this is the load, not what storage can do"
            row = row.model_copy(update={"remarks": [*row.remarks, load]})
        rows.append(row)
    about = Statistics(
        confidence=asked.confidence,
        resamples=asked.resamples or RESAMPLES,
        verdict_level=VERDICT_LEVEL,
        seed=asked.seed,
    )
    return Judged(rows, about)


def withhold(rows: Sequence[DifferenceRow]) -> list[DifferenceRow]:
    """``rows`` without their verdicts: the sides are too different for one."""
    return [row.model_copy(update={"verdict": NO_VERDICT}) for row in rows]


def _beyond(one: Compared, before: Side, after: Side, asked: Asked) -> BothSides[int] | None:
    """Requests beyond a percentile or the threshold: what the figure rests on."""
    if one is OVER:
        first, second = (response.over(side.histogram, asked.spike_s).requests for side in (before, after))
        return BothSides(before=first, after=second)
    q = dict(response.QUANTILES).get(one.key)
    if q is None:
        return None
    first, second = (response.beyond(side.histogram.total, q) for side in (before, after))
    return BothSides(before=first, after=second)


def _inferred(before: Side, after: Side, asked: Asked, known: set[str]) -> dict[str, Difference]:
    """What the statistics say, by key of the figure."""
    questions: list[Question] = []
    by_seed = repeated_by_seed(before) and repeated_by_seed(after)
    keys: list[list[str]] = []

    def ask(named: Sequence[tuple[Compared, Metric]], blocks: Any) -> None:
        wanted = [(one.key, metric) for one, metric in named if one.key in known]
        sides = blocks(before, asked), blocks(after, asked)
        if wanted and all(sides):
            questions.append(Question(*sides, [metric for _, metric in wanted], by_seed))
            keys.append([key for key, _ in wanted])

    times = [
        (MEAN, metrics.mean()),
        *zip(PERCENTILES, (metrics.quantile(q) for _, q in response.QUANTILES), strict=True),
        (OVER, metrics.share_over(round(asked.spike_s * 1e9))),
    ]
    ordered = all(part.series is not None for part in (*before.parts, *after.parts))
    if not ordered and mean_by_interval(before, asked) and mean_by_interval(after, asked):
        ask(times[:1], mean_by_interval)
        times = times[1:]
    ask(times, by_series)
    ask(_work(before, after, asked), by_interval)
    answered = infer_all(
        questions, seed=asked.seed, resamples=asked.resamples or RESAMPLES, confidence=asked.confidence
    )
    return {
        key: difference
        for named, differences in zip(keys, answered, strict=True)
        for key, difference in zip(named, differences, strict=True)
    }


def _work(before: Side, after: Side, asked: Asked) -> list[tuple[Compared, Metric]]:
    """Work, power and energy, by the amounts that intervals have; none of one workload's."""
    parts = (*before.parts, *after.parts)
    found: list[tuple[Compared, Metric]] = []
    if asked.workload is None:
        requests = {"all": "count", "read": "reads", "write": "writes"}[asked.op]
        moved = {"all": "bytes", "read": "bytes_read", "write": "bytes_written"}[asked.op]
        found = [
            (IOPS, metrics.ratio("throughput", requests, "seconds", "1/s", "higher")),
            (BANDWIDTH, metrics.ratio("bandwidth", moved, "seconds", "B/s", "higher")),
        ]
    walls = {part.at_wall for part in parts}
    if len(walls) == 1:
        amount = "wall_j" if walls.pop() else "device_j"
        found += [(POWER, metrics.power(amount)), (ENERGY, metrics.energy_per_request(amount))]
    return found


def _title(one: Compared, asked: Asked) -> str:
    """The title of a figure; power and energy are of the whole system, whatever is asked for."""
    part = asked.op != "all" or asked.workload is not None
    return (
        {POWER.key: "Mean power of all", ENERGY.key: "Energy per request of any"}.get(one.key, one.title)
        if part
        else one.title
    )


def _row(
    one: Compared,
    title: str,
    both: tuple[float | None, float | None],
    inferred: Difference | None,
    beyond: BothSides[int] | None,
) -> DifferenceRow:
    before, after = both
    difference = None if before is None or after is None else after - before
    row = DifferenceRow(
        metric=one.key,
        title=title,
        unit=one.unit,
        better=one.better,
        before=before,
        after=after,
        difference=difference,
        change=None if not before or after is None else after / before - 1,
        interval=None,
        interval_before=None,
        interval_after=None,
        p=None,
        verdict=NO_VERDICT,
        beyond=beyond,
        basis=None,
        remarks=[],
    )
    if inferred is None or difference is None:
        one_side = None in (before, after)
        why = "known on one side only" if one_side else "nothing says how it varied over time"
        return row.model_copy(update={"remarks": [why]})
    # Requests taken as independent say how much was seen, not how it varies: no verdict rests on that.
    alone = inferred.basis.method == "requests"
    return row.model_copy(
        update={
            "interval": _interval(inferred.interval, one.scale, difference),
            "interval_before": _interval(inferred.interval_before, one.scale, before, least=0.0),
            "interval_after": _interval(inferred.interval_after, one.scale, after, least=0.0),
            "p": None if alone else inferred.p,
            "verdict": NO_VERDICT if alone else inferred.verdict,
            "basis": inferred.basis,
            "remarks": [*inferred.remarks],
        }
    )


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


def by_series(side: Side, asked: Asked) -> list[Blocks]:
    """Response times of each Run: by its series; where it has none, in one block without order in time.

    Empty where a Run has no histogram.
    """
    found = [_series(part, asked) for part in side.parts]
    return (
        [] if any(blocks is None for blocks in found) else [blocks for blocks in found if blocks is not None]
    )


def _series(part: Observed, asked: Asked) -> Blocks | None:
    if part.series is not None:
        window = part.summary["window"]
        return Blocks.of_series(
            part.run.table("series"),
            point=asked.point,
            op=asked.op,
            workload=asked.workload,
            window=(float(window["start_s"]), float(window["end_s"])),
        )
    histogram = part.histogram
    if not histogram.total:
        return None
    return Blocks.of_histogram(
        histogram.low_ns,
        histogram.high_ns,
        histogram.count,
        seconds=part.window_s,
        sum_ns=None if part.mean_ms is None else part.mean_ms * NS_PER_MS * histogram.total,
        max_ns=None if part.max_ms is None else part.max_ms * NS_PER_MS,
    )


def mean_by_interval(side: Side, asked: Asked) -> list[Blocks]:
    """Counts and sums of response times by interval, for Runs without series; empty where one has too few.

    Of all requests at the host: intervals know no others.
    """
    if asked.op != "all" or asked.workload is not None or asked.point != "host":
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
        found.append(
            Blocks(
                blocks.start_s,
                blocks.end_s,
                blocks.count,
                sums,
                longest,
                blocks.low_ns,
                blocks.high_ns,
                blocks.bins,
            )
        )
    return found


def by_interval(side: Side, asked: Asked) -> list[Blocks]:
    """Work and energy of each Run by interval; empty where one has no intervals."""
    del asked
    tables = [part.run.table("intervals") for part in side.parts]
    return (
        [] if any(table.is_empty() for table in tables) else [Blocks.of_intervals(table) for table in tables]
    )
