"""Quality of service: what a volume may take of the array, and whose requests come first."""

from __future__ import annotations

from typing import Any, Final, Literal, Self

from pydantic import model_validator

from iowatt.base.errors import BadValueError
from iowatt.base.quantity import Duration, Iops, Rate
from iowatt.base.strict import Strict, key

Priority = Literal["low", "normal", "high"]
Order = Literal["first-come", "strict", "weighted"]

_RANKS: Final = {"low": 0, "normal": 1, "high": 2}


class VolumeQos(Strict):
    """Limits of a volume, and its standing where volumes wait for one another (`array.qos`)."""

    iops: Iops | None = key("Limit on requests per second.", unset="no limit", example=500)
    bandwidth: Rate | None = key("Limit on bytes per second.", unset="no limit", example="50MB/s", gt=0)
    burst: Duration = key(
        "Burst allowance of an idle volume, in seconds of its limits: 2s of 500 IOPS are 1,000 requests "
        "(plus one, on credit).",
        default=0.0,
        example="2s",
        le=1e6,
    )
    priority: Priority = key(
        'Priority of waiting requests, with `array.qos.order = "strict"`.',
        default="normal",
        example="high",
    )
    weight: float = key(
        'Relative weight of its requests, with `array.qos.order = "weighted"`.',
        default=1.0,
        example=3.0,
        ge=1e-3,
        le=1e6,
    )

    @model_validator(mode="after")
    def _burst_of_a_limit(self) -> Self:
        if self.burst and self.iops is None and self.bandwidth is None:
            message = "a burst needs a limit; set iops or bandwidth, or remove burst"
            raise BadValueError("conflict", None, message)
        return self

    def plan(self) -> dict[str, Any]:
        """``VolumeQosPlan`` of iowatt-sim; what has its default is left out."""
        given = {
            "iops": self.iops,
            "bytes_per_s": self.bandwidth,
            "burst_s": self.burst or None,
            "priority": _RANKS[self.priority],
            "weight": None if self.weight == 1 else self.weight,
        }
        return {name: value for name, value in given.items() if value is not None}


class ArrayQos(Strict):
    """Maximum number of requests in the array, and the order of those waiting."""

    outstanding: int = key(
        "Maximum number of requests in the array, over all volumes. Others wait outside, in order per "
        "volume.",
        within=(1, 1_000_000),
        example=64,
    )
    order: Order = key(
        "Order of waiting requests. first-come: longest wait first; strict: highest priority first; "
        "weighted: in proportion to weights.",
        default="first-come",
        example="weighted",
    )

    def plan(self) -> dict[str, Any]:
        """``QosPlan`` of iowatt-sim."""
        return {"outstanding": self.outstanding, "order": self.order}
