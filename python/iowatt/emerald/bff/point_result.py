"""What a configuration does in a metric, whether estimated, simulated or calculated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from pydantic import Field, computed_field

from iowatt.base.results import Result
from iowatt.emerald.family import Metric

Basis = Literal["estimated", "simulated", "calculated"]


class Judged(Result):
    """The figures of one configuration in one metric; None where there is no such figure."""

    basis: Basis
    #: EP of the metric: IOPS/W, MiB/s/W or GB/W.
    ep: float
    #: At the wall.
    wall_w: float
    iops: float | None = None
    mib_per_s: float | None = None
    #: Mean.
    response_ms: float | None = None
    #: Requests in flight on average, of a closed loop at its limit.
    outstanding: float | None = None
    #: Half of the 95 % interval of the rate, in percent of it.
    half_percent: float | None = None
    #: Busy share by station: drives, processors, back end ...
    stations: dict[str, float] = Field(default_factory=dict)
    #: Simulations that it took.
    runs: int = 0
    notes: tuple[str, ...] = ()

    @computed_field  # type: ignore[prop-decorator]
    @property
    def bottleneck(self) -> str | None:
        """The busiest station."""
        return max(self.stations, key=lambda name: self.stations[name], default=None)

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Judged:
        """From a journal: what :meth:`as_dict` gave."""
        return cls(**{name: value for name, value in values.items() if name != "bottleneck"})


def ep(metric: Metric, *, iops: float | None, mib_per_s: float | None, wall_w: float) -> float:
    """Operations rate over mean power (Emerald's EP): MiB/s for sequential metrics, else IOPS."""
    rate = mib_per_s if metric.kind == "sequential" else iops
    return (rate or 0.0) / wall_w if wall_w > 0 else 0.0


def busy(controller: Mapping[str, Any] | None, drives: float | None) -> dict[str, float]:
    """Busy shares of a Run's stations: of its drives on average, and of all that its controller has."""
    found = {} if drives is None else {"drives": drives}
    return found | dict(_within(controller or {}, ""))


def _within(part: Mapping[str, Any], name: str) -> Iterator[tuple[str, float]]:
    use = part.get("utilisation")
    if name and isinstance(use, int | float):
        yield name, float(use)
    for key, value in part.items():
        if isinstance(value, Mapping):
            yield from _within(value, key.replace("_", " "))
