"""The load that every configuration of a family is put under."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from iowatt.base.quantity import BlockSize, Duration
from iowatt.base.strict import Strict, key

Mix = Annotated[int, Field(ge=1, le=99)]


class Sequential(Strict):
    """A sequential load: streams that keep requests outstanding."""

    streams: int = key("Sequential streams.", default=1, ge=1, le=4096, example=8)
    outstanding: int = key(
        "Requests outstanding over all streams. A fixed number is what makes a sequential metric fall with "
        "the drives: throughput saturates, power does not.",
        default=32,
        ge=1,
        le=1_000_000,
        example=32,
    )
    begin: Literal["start", "spread", "random"] = key(
        "Where streams begin, as `access.begin` of a profile. Evenly spread ones march in step, and numbers "
        "of drives that divide their distances then share the load unevenly.",
        default="spread",
        example="random",
    )
    per: Literal["array", "node", "drive"] = key(
        "What streams and outstanding are counted for: the array, each node, each drive.",
        default="array",
        example="array",
    )
    size: BlockSize | None = key(
        "Bytes of a request.",
        default=None,
        unset="the rules'",
        unit="bytes",
        gt=0,
        le=2**30,
        example="256KiB",
    )
    warmup: Duration = key(
        "Simulated time that is not counted; a write-back cache must have filled by then.",
        default=1.0,
        unit="s",
        ge=0,
        example="1s",
    )
    duration: Duration = key(
        "Simulated time that is counted.", default=4.0, unit="s", gt=0, le=36_000, example="4s"
    )


class Test(Strict):
    """The test load; response limits are the rules' unless stated."""

    __test__ = False  # nothing for pytest

    capacity_share: float = key(
        "Share of the usable capacity that is tested, from its start. Less than all strokes disks short.",
        default=1.0,
        gt=0,
        le=1,
        example=0.8,
    )
    mixes: list[Mix] = key(
        "Shares of reads in percent of further mixed metrics, besides the rules' own.",
        default=[],
        max_length=20,
        example=[60, 80],
    )
    limit: Duration | None = key(
        "Mean response time that random metrics must keep to.",
        default=None,
        unset="the rules'",
        unit="s",
        gt=0,
        le=3600,
        example="20ms",
    )
    random: Literal["closed", "open"] = key(
        "How random metrics reach the limit. closed: with so many requests outstanding that their mean "
        "response time is the limit, as load generators with threads do, and steady once caches have filled. "
        "open: at the highest rate of random arrivals that keeps to it.",
        default="closed",
        example="closed",
    )
    requests: int = key(
        "Requests of a random metric that are simulated and counted at each rate.",
        default=20_000,
        ge=500,
        le=10_000_000,
        example=20_000,
    )
    warmup_requests: int = key(
        "Requests before those. A write-back cache is filled to its high watermark four times besides.",
        default=5_000,
        ge=0,
        le=10_000_000,
        example=5_000,
    )
    sequential_read: Sequential = key("The load of SR.", default=Sequential())
    sequential_write: Sequential = key("The load of SW.", default=Sequential())
