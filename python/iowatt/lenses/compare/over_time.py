"""Response time over time, in blocks of one width for both sides, and its spikes.

A series has its blocks where they were flushed; their width is a power of two of another's, or what the
scenario asked for. Both sides are joined to the wider blocks, because a mean over less time varies more, and
has more spikes for it.

A spike is consecutive blocks over a threshold. By its **mean**, as an array's own reporter shows it, a short
stall among many fast requests is no spike; by its **longest** response one slow request is enough. A block in
which nothing completed has neither, and ends a spike; a stall of the whole array is therefore the one block
in which its requests complete at last, and its length is that spike's longest response.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final, Literal

import numpy as np
import numpy.typing as npt
import polars as pl

from iowatt.base.results import Note
from iowatt.lenses.compare.measurement import NS_PER_MS, ComparedRun, Side
from iowatt.lenses.compare.request import CompareRequest
from iowatt.lenses.compare.result import RunCourse, Spike, SpikesByView, SpikesOfSide, View

Floats = npt.NDArray[np.float64]

#: Spikes listed by side and view, the highest; all are counted.
LISTED: Final = 50


@dataclass(frozen=True)
class _Blocks:
    """The blocks as the Run has them; times in s, ``max_ms`` NaN where it is not known."""

    basis: Literal["series", "intervals"]
    width_s: float
    start_s: Floats
    end_s: Floats
    count: Floats
    sum_ms: Floats
    max_ms: Floats


def courses(
    sides: Sequence[Side], request: CompareRequest
) -> tuple[dict[str, list[RunCourse]], float | None, list[Note]]:
    """The course of every Run by side, the width of their blocks in s, and notes about them."""
    known = {side.key: [(part, _blocks(part, request)) for part in side.parts] for side in sides}
    every = [pair for pairs in known.values() for pair in pairs]
    widths = [blocks.width_s for _, blocks in every if blocks is not None]
    notes = [
        Note(code="no-course", text=f"{part.label}: no course over time: {_why(request)}.")
        for part, blocks in every
        if blocks is None
    ]
    if not widths:
        return {side.key: [] for side in sides}, None, notes
    wanted = max([*widths, *([] if request.every_s is None else [request.every_s])])
    found = {
        key: [_joined(part, blocks, wanted) for part, blocks in pairs if blocks is not None]
        for key, pairs in known.items()
    }
    joined = sorted({round(course.width_s, 9) for parts in found.values() for course in parts})
    if len(joined) > 1:
        shown = ", ".join(f"{width:g} s" for width in joined)
        text = (
            f"Blocks of the course over time are {shown} long: a mean over less time varies more, so spikes "
            "of means do not compare. `every` gives both sides one width."
        )
        notes.append(Note(code="blocks-differ", text=text, decides=True))
    elif min(widths) < joined[0]:
        text = f"Blocks were joined to {joined[0]:g} s, the same for both sides."
        notes.append(Note(code="blocks-joined", text=text))
    return found, joined[-1], notes


def _why(request: CompareRequest) -> str:
    if request.op != "all" or request.workload is not None:
        return "it has no series, and its intervals hold all requests together"
    return "it has no series and no more than one interval"


def _blocks(part: ComparedRun, request: CompareRequest) -> _Blocks | None:
    if part.series is not None:
        return _of_series(part.series)
    if request.op != "all" or (request.workload is not None and len(part.summary["workloads"]) > 1):
        return None
    table = part.run.table("intervals")
    return None if table.height < 2 else _of_intervals(table)


def _of_series(series: pl.DataFrame) -> _Blocks:
    rows = (
        series.filter(pl.col("count") > 0)
        .group_by("start_s", "end_s")
        .agg(pl.col("count").sum(), pl.col("sum_ns").sum(), pl.col("max_ns").max())
        .sort("start_s")
    )
    count, sum_ns, max_ns = (rows[name].cast(pl.Float64).to_numpy() for name in ("count", "sum_ns", "max_ns"))
    return _Blocks(
        "series", _longest(series), rows["start_s"].to_numpy(), rows["end_s"].to_numpy(), count,
        sum_ns / NS_PER_MS, max_ns / NS_PER_MS,
    )  # fmt: skip


def _of_intervals(table: pl.DataFrame) -> _Blocks | None:
    rows = table.filter((pl.col("completions") > 0) & pl.col("response_mean_ms").is_not_null())
    if rows.is_empty():
        return None
    count = rows["completions"].cast(pl.Float64).to_numpy()
    return _Blocks(
        "intervals", _longest(table), rows["start_s"].to_numpy(), rows["end_s"].to_numpy(), count,
        count * rows["response_mean_ms"].to_numpy(),
        rows["response_max_ms"].cast(pl.Float64).fill_null(float("nan")).to_numpy(),
    )  # fmt: skip


def _longest(table: pl.DataFrame) -> float:
    """Length in s of the longest block."""
    return float((table["end_s"] - table["start_s"]).to_numpy().max(initial=0.0))


def _joined(part: ComparedRun, blocks: _Blocks, wanted_s: float) -> RunCourse:
    """Blocks of at least the wanted width: whole numbers of neighbours together."""
    times = max(1, ceil(wanted_s / blocks.width_s - 1e-6))
    width = times * blocks.width_s
    # From the start of the window, where blocks begin; by their middles, for the last may be cut by its end.
    begin = float(part.summary["window"]["start_s"])
    middles = (blocks.start_s + blocks.end_s) / 2 - begin
    place = np.floor(middles / blocks.width_s).astype(np.int64) // times
    first = np.flatnonzero(np.diff(place, prepend=place[0] - 1))
    count = np.add.reduceat(blocks.count, first)
    end = np.minimum((place[first] + 1) * width, max(part.window_s, float(middles[-1])))
    return RunCourse(
        run=part.label, basis=blocks.basis, width_s=width,
        start_s=(place[first] * width).astype(np.float64).tolist(), end_s=end.tolist(),
        requests=count.astype(np.int64).tolist(),
        mean_ms=_known(np.add.reduceat(blocks.sum_ms, first) / count),
        max_ms=_known(np.maximum.reduceat(blocks.max_ms, first)),
    )  # fmt: skip


def _known(values: Floats) -> list[float | None]:
    return [None if np.isnan(value) else float(value) for value in values]


def spikes(courses: Sequence[RunCourse], threshold_s: float) -> SpikesOfSide:
    """Spikes of a side by either view of a block: number, lengths, heights and places."""
    return SpikesOfSide(
        mean=_spikes("mean", courses, threshold_s * 1e3), max=_spikes("max", courses, threshold_s * 1e3)
    )


def _spikes(view: View, courses: Sequence[RunCourse], threshold_ms: float) -> SpikesByView:
    found = [spike for course in courses for spike in _of_course(course, view, threshold_ms)]
    values = [value for course in courses for value in course.of(view) if value is not None]
    listed = sorted(found, key=lambda spike: -spike.greatest_ms)[:LISTED]
    return SpikesByView(
        spikes=len(found),
        blocks=len(values),
        blocks_over=sum(value > threshold_ms for value in values),
        seconds=float(sum(spike.length_s for spike in found)),
        longest_s=max((spike.length_s for spike in found), default=0.0),
        greatest_ms=max((spike.greatest_ms for spike in found), default=None),
        greatest_block_ms=max(values, default=None),
        listed=sorted(listed, key=lambda spike: (spike.run, spike.start_s)),
    )


def _of_course(course: RunCourse, view: View, threshold_ms: float) -> list[Spike]:
    """Spikes of one Run, in order of time; times in s from the start of its window."""
    start, end = np.array(course.start_s), np.array(course.end_s)
    value = np.array(course.of(view), dtype=np.float64)
    over = value > threshold_ms  # false for NaN
    # A spike ends where the next block is not over the threshold, or begins later.
    breaks = np.flatnonzero(~over[1:] | ~over[:-1] | (start[1:] - end[:-1] > 1e-6 * course.width_s)) + 1
    return [
        Spike(
            run=course.run, start_s=float(start[places[0]]),
            length_s=float(end[places[-1]] - start[places[0]]), blocks=len(places),
            greatest_ms=float(value[places].max()),
            requests=sum(course.requests[place] for place in places),
        )
        for places in np.split(np.arange(len(value)), breaks)
        if len(places) and over[places[0]]
    ]  # fmt: skip
