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

from iowatt.base.results import Note
from iowatt.lenses.compare.measurement import Observed, Side
from iowatt.lenses.compare.request import Asked
from iowatt.lenses.compare.result import RunCourse, Spike, SpikesByView, SpikesOfSide

NS_PER_MS: Final = 1e6

Floats = npt.NDArray[np.float64]
Basis = Literal["series", "intervals"]


@dataclass(frozen=True)
class Course:
    """Blocks of one Run in which anything completed, in order; times in s from the start of its window."""

    label: str
    basis: Basis
    width_s: float
    start_s: Floats
    end_s: Floats
    requests: Floats
    mean_ms: Floats
    #: NaN where the source does not say it.
    max_ms: Floats


@dataclass(frozen=True)
class Native:
    """The blocks as the Run has them."""

    basis: Basis
    width_s: float
    start_s: Floats
    end_s: Floats
    count: Floats
    sum_ms: Floats
    max_ms: Floats


def courses(sides: Sequence[Side], asked: Asked) -> tuple[dict[str, list[Course]], float | None, list[Note]]:
    """The course of every Run by side, the width of their blocks in s, and what to know about them."""
    native = {side.key: [(part, _native(part, asked)) for part in side.parts] for side in sides}
    widths = [blocks.width_s for parts in native.values() for _, blocks in parts if blocks is not None]
    notes = [
        Note(code="no-course", text=f"{part.label}: no course over time: {_why(part, asked)}.")
        for parts in native.values()
        for part, blocks in parts
        if blocks is None
    ]
    if not widths:
        return {side.key: [] for side in sides}, None, notes
    wanted = max([*widths, *([] if asked.every_s is None else [asked.every_s])])
    found = {
        key: [_joined(part, blocks, wanted) for part, blocks in parts if blocks is not None]
        for key, parts in native.items()
    }
    made = sorted({round(course.width_s, 9) for parts in found.values() for course in parts})
    if len(made) > 1:
        shown = ", ".join(f"{width:g} s" for width in made)
        notes.append(
            Note(
                code="blocks-differ",
                text=f"Blocks of the course over time are {shown} long: a mean over less time varies more, "
                "so spikes of means do not compare. `every` gives both sides one width.",
                decides=True,
            )
        )
    elif min(widths) < made[0]:
        notes.append(
            Note(code="blocks-joined", text=f"Blocks were joined to {made[0]:g} s, the same for both sides.")
        )
    return found, made[-1], notes


def _why(part: Observed, asked: Asked) -> str:
    if asked.op != "all" or asked.workload is not None:
        return "it has no series, and its intervals hold all requests together"
    return "it has no series and no more than one interval"


def _native(part: Observed, asked: Asked) -> Native | None:
    if part.series is not None:
        return _of_series(part)
    if asked.op != "all" or (asked.workload is not None and len(part.summary["workloads"]) > 1):
        return None
    return _of_intervals(part)


def _of_series(part: Observed) -> Native:
    import polars as pl

    assert part.series is not None
    rows = (
        part.series.filter(pl.col("count") > 0)
        .group_by("start_s", "end_s")
        .agg(pl.col("count").sum(), pl.col("sum_ns").sum(), pl.col("max_ns").max())
        .sort("start_s")
    )
    lengths = part.series["end_s"] - part.series["start_s"]
    return Native(
        "series",
        float(lengths.max() or 0.0),  # type: ignore[arg-type]
        rows["start_s"].to_numpy(),
        rows["end_s"].to_numpy(),
        rows["count"].cast(pl.Float64).to_numpy(),
        rows["sum_ns"].cast(pl.Float64).to_numpy() / NS_PER_MS,
        rows["max_ns"].cast(pl.Float64).to_numpy() / NS_PER_MS,
    )


def _of_intervals(part: Observed) -> Native | None:
    import polars as pl

    table = part.run.table("intervals")
    if table.height < 2:
        return None
    rows = table.filter((pl.col("completions") > 0) & pl.col("response_mean_ms").is_not_null())
    if rows.is_empty():
        return None
    count = rows["completions"].cast(pl.Float64).to_numpy()
    return Native(
        "intervals",
        float((table["end_s"] - table["start_s"]).max()),  # type: ignore[arg-type]
        rows["start_s"].to_numpy(),
        rows["end_s"].to_numpy(),
        count,
        count * rows["response_mean_ms"].to_numpy(),
        rows["response_max_ms"].cast(pl.Float64).fill_null(float("nan")).to_numpy(),
    )


def _joined(part: Observed, blocks: Native, wanted_s: float) -> Course:
    """Blocks of at least the wanted width: whole numbers of neighbours together."""
    times = max(1, ceil(wanted_s / blocks.width_s - 1e-6))
    width = times * blocks.width_s
    # From the start of the window, where blocks begin; by their middles, for the last may be cut by its end.
    begin = float(part.summary["window"]["start_s"])
    middles = (blocks.start_s + blocks.end_s) / 2 - begin
    place = np.floor(middles / blocks.width_s).astype(np.int64) // times
    first = np.flatnonzero(np.diff(place, prepend=place[0] - 1))
    count = np.add.reduceat(blocks.count, first)
    return Course(
        part.label,
        blocks.basis,
        width,
        (place[first] * width).astype(np.float64),
        np.minimum((place[first] + 1) * width, max(part.window_s, float(middles[-1]))),
        count,
        np.add.reduceat(blocks.sum_ms, first) / count,
        np.maximum.reduceat(blocks.max_ms, first),
    )


def described(course: Course) -> RunCourse:
    """A course for a document."""

    def known(values: Floats) -> list[float | None]:
        return [None if np.isnan(value) else float(value) for value in values]

    return RunCourse(
        run=course.label,
        basis=course.basis,
        width_s=course.width_s,
        start_s=course.start_s.tolist(),
        end_s=course.end_s.tolist(),
        requests=[int(value) for value in course.requests],
        mean_ms=known(course.mean_ms),
        max_ms=known(course.max_ms),
    )


VIEWS: Final = ("mean", "max")

#: Spikes listed by side and view, the highest; all are counted.
LISTED: Final = 50


def spikes(courses: Sequence[Course], threshold_s: float) -> SpikesOfSide:
    """Spikes of a side by either view: how many, how long, how high, and where."""
    mean, longest = (_by(view, courses, threshold_s * 1e3) for view in VIEWS)
    return SpikesOfSide(mean=mean, max=longest)


def _by(view: str, courses: Sequence[Course], threshold_ms: float) -> SpikesByView:
    found = [spike for course in courses for spike in of_course(course, view, threshold_ms)]
    values = [course.mean_ms if view == "mean" else course.max_ms for course in courses]
    blocks = sum(int(np.isfinite(value).sum()) for value in values)
    over = sum(int((value > threshold_ms).sum()) for value in values)
    listed = sorted(found, key=lambda spike: -spike.greatest_ms)[:LISTED]
    return SpikesByView(
        spikes=len(found),
        blocks=blocks,
        blocks_over=over,
        seconds=float(sum(spike.length_s for spike in found)),
        longest_s=max((spike.length_s for spike in found), default=0.0),
        greatest_ms=max((spike.greatest_ms for spike in found), default=None),
        greatest_block_ms=max(
            (float(np.nanmax(value)) for value in values if np.isfinite(value).any()), default=None
        ),
        listed=sorted(listed, key=lambda spike: (spike.run, spike.start_s)),
    )


def of_course(course: Course, view: str, threshold_ms: float) -> list[Spike]:
    """Spikes of one Run, in order of time; times in s from the start of its window."""
    value = course.mean_ms if view == "mean" else course.max_ms
    over = value > threshold_ms  # false for NaN
    apart = np.ones(over.size, dtype=bool)
    apart[1:] = course.start_s[1:] - course.end_s[:-1] > 1e-6 * course.width_s
    begins = np.flatnonzero(over & (apart | ~np.roll(over, 1) | (np.arange(over.size) == 0)))
    found = []
    for begin in begins.tolist():
        end = begin + 1
        while end < over.size and over[end] and not apart[end]:
            end += 1
        found.append(
            Spike(
                run=course.label,
                start_s=float(course.start_s[begin]),
                length_s=float(course.end_s[end - 1] - course.start_s[begin]),
                blocks=end - begin,
                greatest_ms=float(value[begin:end].max()),
                requests=int(course.requests[begin:end].sum()),
            )
        )
    return found
