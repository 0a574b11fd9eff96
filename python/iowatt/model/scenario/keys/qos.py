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

    iops: Iops | None = key("Most requests a second.", unset="no limit", example=500)
    bandwidth: Rate | None = key("Most bytes a second.", unset="no limit", example="50MB/s", gt=0)
    burst: Duration = key(
        "How much a volume at rest may take at once, as seconds of its limits: 2s of 500 IOPS are 1,000 "
        "requests (and one more, which may owe).",
        default=0.0,
        example="2s",
        le=1e6,
    )
    priority: Priority = key(
        'Whose waiting requests come first, with `array.qos.order = "strict"`.',
        default="normal",
        example="high",
    )
    weight: float = key(
        'Its share of the requests, beside the weights of the others, with `array.qos.order = "weighted"`.',
        default=1.0,
        example=3.0,
        ge=1e-3,
        le=1e6,
    )

    @model_validator(mode="after")
    def _burst_of_a_limit(self) -> Self:
        if self.burst and self.iops is None and self.bandwidth is None:
            message = "there is no limit to burst beyond; give iops or bandwidth, or leave it out"
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
        "Most requests in the array at once, those of all volumes together. The others wait at its door, "
        "each volume's in their order.",
        within=(1, 1_000_000),
        example=64,
    )
    order: Order = key(
        "Whose turn it is. first-come: who has waited longest; strict: the highest priority, low ones get "
        "what that leaves; weighted: in proportion to weights.",
        default="first-come",
        example="weighted",
    )

    def plan(self) -> dict[str, Any]:
        """``QosPlan`` of iowatt-sim."""
        return {"outstanding": self.outstanding, "order": self.order}
