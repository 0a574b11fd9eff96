"""Spares, failures and rebuild of a pool."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, WithJsonSchema

from iowatt.base import units
from iowatt.base.errors import BadValueError
from iowatt.base.quantity import BlockSize, Duration
from iowatt.base.strict import Strict, key

Sparing = Literal["dedicated", "distributed", "adaptive"]


def _rate(value: Any) -> Any:
    if value is None or value == "unlimited":
        return None
    try:
        rate = units.parse_rate(value)
    except BadValueError as error:
        raise BadValueError(error.code, None, f"{error.message}, or 'unlimited'") from None
    if rate < 1:
        message = f"{value!r} would never end; expected {units.RATE}, or 'unlimited'"
        raise BadValueError("out-of-range", None, message)
    return rate


class Failure(Strict):
    """A drive fails and stays failed."""

    drive: int = key(
        "Which drive of the pool, counted from 0. Dedicated spares are numbered after the others and may "
        "fail too.",
        ge=0,
        example=3,
    )
    at: Duration = key(
        "When it fails, from the start of the run; 0s is degraded from the start. What it is doing then "
        "still completes, what waits at it goes to the other drives, and from then on it draws no power.",
        example="10min",
    )


class Rebuild(Strict):
    """How a failed drive is rebuilt onto spare space."""

    rate: Annotated[
        float | None,
        BeforeValidator(_rate),
        WithJsonSchema(
            {
                "type": "string",
                "examples": ["50MB/s", "unlimited"],
                "x-accepts": f"{units.RATE}, or 'unlimited'",
            }
        ),
    ] = key(
        "How much of the failed drive is restored a second, at most.",
        unset="unlimited, as fast as window and drives allow",
        unit="bytes/s",
        example="50MB/s",
    )
    outstanding: int = key(
        "Steps under way at a time. More keep the drives busier and requests waiting longer.",
        default=1,
        within=(1, 1024),
        example=4,
    )
    step: BlockSize = key(
        "How much of each drive a step takes, rounded up to whole stripe units. Its reads and then its "
        "writes are one operation a drive where they lie together.",
        default=1 << 20,
        example="512KiB",
        gt=0,
        le=2**40,
    )
    delay: Duration = key("Time from the failure to the start of the rebuild.", default=0.0, example="5min")
    priority: Literal["host-first", "equal"] = key(
        "Rank in the drives' queues. host-first: a rebuild operation starts only where no operation of a "
        "request waits (a saturated array then never finishes); equal: the scheduler treats both alike.",
        default="host-first",
        example="equal",
    )
