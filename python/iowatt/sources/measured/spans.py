"""The intervals of a measured Run: those of the load generator, joined into the ones that were asked for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from iowatt.base.errors import InputError
from iowatt.sources.observation import Interval, Observation

_SLACK = 0.05
"""Share of an interval by which the generator's clock may be off its nominal width."""


@dataclass(frozen=True)
class Span:
    """An interval of the Run and what the load generator counted in it; nothing while storage rests."""

    start: float
    end: float
    parts: Sequence[Interval] = ()

    @property
    def seconds(self) -> float:
        """Its length."""
        return self.end - self.start


def resting(start: float, end: float, interval_s: float) -> list[Span]:
    """Intervals of ``interval_s`` from ``start``; the last one may be shorter.

    A leftover of a few percent of an interval belongs to the one before: a rest of two hours never lasts
    them to the microsecond.
    """
    count = max(1, math.ceil((end - start) / interval_s - _SLACK))
    edges = [start + number * interval_s for number in range(count)] + [end]
    return [Span(a, b) for a, b in pairwise(edges)]


def working(observation: Observation, interval_s: float) -> list[Span]:
    """The counted intervals of an observation, joined to ``interval_s`` each; the last may be shorter.

    Raises
    ------
    InputError
        It has none, they are out of order or leave gaps, or they are longer than ``interval_s``.
    """
    parts = [part for part in observation.intervals if part.counted]
    where = str(observation.files[0]) if observation.files else observation.name
    if not parts:
        raise InputError("empty", where, "the load generator recorded no interval that counts")
    for before, after in pairwise(parts):
        gap = after.start - before.end
        if abs(gap) > _SLACK * max(before.end - before.start, 1.0):
            word = "overlap by" if gap < 0 else "leave out"
            raise InputError(
                "out-of-order" if gap < 0 else "damaged",
                where,
                f"the intervals of {observation.name} {word} {abs(gap):.3g} s at "
                f"{before.end - observation.start:.0f} s of the run",
            )
    width = parts[0].end - parts[0].start
    if width <= 0 or interval_s <= 0:
        raise InputError("damaged", where, "the load generator's intervals have no length")
    if width > interval_s * (1 + _SLACK):
        raise InputError(
            "not-comparable",
            where,
            f"the load generator's intervals last {width:.4g} s, longer than the {interval_s:g} s asked for",
            hint="ask for its interval, or run it again with a shorter one",
        )
    first = parts[0].start
    groups: dict[int, list[Interval]] = {}
    for part in parts:
        middle = (part.start + part.end) / 2
        groups.setdefault(int((middle - first) // interval_s), []).append(part)
    found = [Span(group[0].start, group[-1].end, group) for group in groups.values()]
    if len(found) > 1 and found[-1].seconds < _SLACK * interval_s:
        # The generator's last window is a leftover of milliseconds: it belongs to the interval before.
        return last_joined(found)
    return found


def last_joined(spans: Sequence[Span]) -> list[Span]:
    """The spans with the last one as part of the one before it."""
    *first, before, last = spans
    return [*first, Span(before.start, last.end, [*before.parts, *last.parts])]
