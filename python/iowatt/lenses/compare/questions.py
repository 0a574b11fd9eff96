"""The Runs of a side as blocks of time: response times by the series, work and energy by the intervals."""

from __future__ import annotations

import polars as pl

from iowatt.lenses.compare.blocks import Blocks
from iowatt.lenses.compare.length import LEAST_BLOCKS
from iowatt.lenses.compare.measurement import NS_PER_MS, Observed, Side
from iowatt.lenses.compare.request import Asked


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
