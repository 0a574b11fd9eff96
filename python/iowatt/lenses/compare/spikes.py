"""Spikes: consecutive blocks over a threshold, by two views of a block.

By its **mean**, as an array's own reporter shows it: a short stall among many fast requests is no spike then.
By its **longest** response: one slow request is enough. A block in which nothing completed has neither, and
ends a spike; a stall of the whole array is therefore the one block in which its requests complete at last,
and how long it was is that spike's longest response.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from iowatt.lenses.compare.over_time import Course
from iowatt.lenses.compare.result import Spike, SpikesByView, SpikesOfSide

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
