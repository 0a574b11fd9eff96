"""Where a curve of a metric has its peak, or what stands for it where there is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["peak", "largest", "smallest", "plateau", "before roll-off"]
Values = Sequence[float | None]


@dataclass(frozen=True)
class Peak:
    """The point that was chosen."""

    at: int
    kind: Kind
    why: str
    #: Change of the metric one step below and above, in percent of it; None where there is no such point.
    less_percent: float | None
    more_percent: float | None

    def as_dict(self) -> dict[str, Any]:
        """For a document."""
        return {
            "kind": self.kind,
            "why": self.why,
            "less_percent": self.less_percent,
            "more_percent": self.more_percent,
        }


def highest(values: Values) -> int | None:
    """The position of the highest value, the first among equals."""
    known = [at for at, value in enumerate(values) if value is not None]
    return max(known, key=lambda at: (values[at], -at), default=None)


def find(values: Values, *, plateau_percent: float | None = None) -> Peak | None:
    """The peak of a curve over rising numbers of drives; None where no point is known.

    Parameters
    ----------
    plateau_percent:
        Of a family that need not have a peak (scale-out): points within so much of the highest one count as
        equal to it. None: the highest point is the peak.
    """
    top = highest(values)
    if top is None:
        return None
    known = [at for at, value in enumerate(values) if value is not None]
    first, last = known[0], known[-1]
    if plateau_percent is not None and len(known) > 1:
        flat = _flat(values, known, top, plateau_percent)
        if flat is not None:
            return flat
    if len(known) == 1:
        return _peak(values, top, "peak", "the only point that is known")
    if top == last:
        return _peak(values, top, "largest", "the metric still rises at the largest configuration")
    if top == first:
        return _peak(values, top, "smallest", "the metric falls from the smallest configuration on")
    return _peak(values, top, "peak", "fewer and more drives are below it")


def at(values: Values, position: int, like: Peak) -> Peak:
    """Another point of a curve in the place of its peak."""
    return _peak(values, position, like.kind, like.why)


def _flat(values: Values, known: Sequence[int], top: int, percent: float) -> Peak | None:
    """What stands for a peak where an end of the curve is as good as its highest point."""
    best = values[top]
    assert best is not None
    near = [at for at in known if (values[at] or 0.0) >= best * (1 - percent / 100)]
    first, last = known[0], known[-1]
    if last in near:
        kept = last
        for at in reversed(known):
            if at not in near:
                break
            kept = at
        return _peak(
            values,
            kept,
            "plateau",
            f"no peak: from here on the metric stays within {percent:g} % of the highest point; this is the "
            "smallest configuration that does",
        )
    if first in near:
        kept = max(near)
        return _peak(
            values,
            kept,
            "before roll-off",
            f"no peak: up to here the metric stays within {percent:g} % of the highest point, and rolls off "
            "behind; this is the last point before",
        )
    return None


def _peak(values: Values, at: int, kind: Kind, why: str) -> Peak:
    return Peak(at, kind, why, _change(values, at, -1), _change(values, at, 1))


def _change(values: Values, at: int, step: int) -> float | None:
    """To the next known point on one side, in percent."""
    here, other = values[at], at + step
    while 0 <= other < len(values):
        value = values[other]
        if value is not None and here:
            return 100 * (value / here - 1)
        other += step
    return None
