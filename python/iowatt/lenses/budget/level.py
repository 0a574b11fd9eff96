"""A service level: the mean response time, or a percentile of it, is to stay within a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from iowatt.base.errors import Argument, InputError

#: Names of percentiles with their share; those that `run.json` knows.
QUANTILES: Final = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99, "p99.9": 0.999, "p99.99": 0.9999}

MEAN: Final = "mean"


@dataclass(frozen=True)
class Level:
    """What is to stay within how many ms: the mean, or a percentile."""

    within_ms: float
    statistic: str = MEAN

    def __post_init__(self) -> None:
        if self.statistic != MEAN and self.statistic not in QUANTILES:
            raise InputError(
                "not-accepted",
                Argument("of"),
                f"{self.statistic!r} is not a statistic; expected {', '.join((MEAN, *QUANTILES))}",
            )
        if not 0 < self.within_ms < float("inf"):
            raise InputError(
                "out-of-range",
                Argument("within"),
                f"{self.within_ms / 1e3:g} s is not accepted; expected a time above 0",
            )

    def missed(self, response_ms: Mapping[str, float | None]) -> str:
        """Why response times (a class of ``response_time_ms``) do not keep it; empty where they do."""
        value = response_ms[self.statistic.replace(".", "")]
        if value is None:
            return f"its {self.statistic} response time is not known"
        if value <= self.within_ms:
            return ""
        return f"its {self.statistic} response time is {value:,.3g} ms, above {self.within_ms:g} ms"

    def as_dict(self) -> dict[str, float | str]:
        """Plain data, for documents."""
        return {"within_ms": self.within_ms, "of": self.statistic}

    @property
    def quantile(self) -> float | None:
        """Share of the requests that is to be within; None for the mean."""
        return QUANTILES.get(self.statistic)
