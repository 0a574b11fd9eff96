"""One metric on both sides: the interval of its difference at any number of standard errors, and of its
ratio."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from iowatt.lenses.compare.metrics import Metric
from iowatt.lenses.compare.outcome import Interval
from iowatt.lenses.compare.repeats import Side
from iowatt.lenses.compare.side import Estimate

#: Differences under this share of the figures are rounding.
ROUNDING: Final = 1e-9
#: Standard errors that are looked at when a statistic is sought.
FARTHEST: Final = 200.0
#: Halvings of that range.
HALVINGS: Final = 50


@dataclass(frozen=True)
class Pair:
    """Estimates of a metric before and after with their standard errors; ``reason`` says why there is no
    inference."""

    before: Estimate
    after: Estimate
    errors: tuple[float, float]
    scales: tuple[float, float]
    reason: str | None
    remarks: tuple[str, ...]

    @classmethod
    def of(cls, before: Estimate, after: Estimate, sides: tuple[Side, Side], at: int) -> Pair:
        """The metric at place ``at`` of both sides."""
        remarks: list[str] = []
        errors = (float(sides[0].error[at]), float(sides[1].error[at]))
        for name, estimate, one in zip(("before", "after"), (before, after), sides, strict=True):
            why = one.reasons[at] or estimate.too_few(
                float(one.error[at]), one.length if one.ordered else None
            )
            if why is not None:
                remarks.append(f"{name}: {why}")
        scales = (
            (0.0, 0.0) if remarks else (before.scale_of(errors[0]), after.scale_of(errors[1]))
        )  # fmt: skip
        return cls(before, after, errors, scales, remarks[0] if remarks else None, tuple(remarks))

    @property
    def metric(self) -> Metric:
        """What is compared."""
        return self.before.metric

    @property
    def _centres(self) -> tuple[float, float]:
        return self.before.centre or 0.0, self.after.centre or 0.0

    def _limits(self, widths: float) -> tuple[Interval, Interval]:
        return self.before.limits(self.errors[0], widths), self.after.limits(self.errors[1], widths)

    def _raw(self, widths: float) -> Interval:
        """Limits of the difference, infinite where there is none."""
        one, other = self._centres
        (low_1, high_1), (low_2, high_2) = self._limits(widths)
        middle = other - one
        return (
            middle - math.hypot(other - low_2, high_1 - one),
            middle + math.hypot(high_2 - other, one - low_1),
        )

    def interval(self, widths: float) -> Interval | None:
        """Limits of the difference at so many standard errors, in the metric's unit."""
        low, high = self._raw(widths)
        return (low, high) if math.isfinite(low) and math.isfinite(high) else None

    def ratio_interval(self, widths: float) -> Interval | None:
        """Limits of the ratio after / before, put together as logarithms; ``None`` where a limit is not above
        0."""
        one, other = self._centres
        (low_1, high_1), (low_2, high_2) = self._limits(widths)
        if min(one, other, low_1, low_2) <= 0 or not (math.isfinite(high_1) and math.isfinite(high_2)):
            return None
        middle = math.log(other / one)
        return (
            math.exp(middle - math.hypot(math.log(other / low_2), math.log(high_1 / one))),
            math.exp(middle + math.hypot(math.log(high_2 / other), math.log(one / low_1))),
        )

    def side_interval(self, side: int, widths: float) -> Interval | None:
        """Limits of the figure on one side."""
        if self.reason is not None:
            return None
        estimate = (self.before, self.after)[side]
        low, high = estimate.limits(self.errors[side], widths)
        return (low, high) if math.isfinite(low) and math.isfinite(high) else None

    def statistic(self) -> float:
        """Standard errors at which the interval of the difference just touches 0."""
        if self.reason is not None:
            return 0.0
        one, other = self._centres
        if abs(other - one) <= ROUNDING * max(abs(one), abs(other)):
            return 0.0
        low, high = 0.0, FARTHEST
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            limits = self._raw(middle)
            low, high = (middle, high) if limits[0] > 0 or limits[1] < 0 else (low, middle)
        return low
