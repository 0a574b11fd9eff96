"""Workloads: which requests, recorded or made, go to which volume, and how time stamps become arrivals."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from iowatt.base.quantity import Capacity, Duration, Iops, Share
from iowatt.base.strict import Name, Strict, key
from iowatt.model.recorded_trace import TraceKeys


class ProfileChoice(Strict):
    """A synthetic workload: a profile of the library or of a file, its rate and its length."""

    name: str = key(
        "A library profile (see `iowatt trace profiles`), or a profile file (.toml), relative to the "
        "scenario's directory.",
        example="hot-band",
        min_length=1,
    )
    rate_iops: Iops | None = key(
        "Total requests per second.", unset="the profile's rate; an error if it has none", example=500
    )
    duration: Duration | None = key(
        "Length of the workload.", unset="set by `requests` or observe.duration", example="10min", gt=0
    )
    requests: int | None = key("Number of requests.", unset="set by `duration`", example=1_000_000, ge=1)
    span: Capacity | None = key(
        "Address space, from the start of the volume.",
        unset="the profile's span, else the volume",
        example="1TiB",
        gt=0,
    )
    set: list[str] = key(
        "Overrides of profile keys, as in `iowatt trace generate --set`.",
        default=[],
        example=["stream.hot1.read_share=50"],
    )


class OpenReplay(Strict):
    """Arrivals keep their recorded times, whatever the storage does."""

    mode: Literal["open"] = key(
        "Pacing. open: requests arrive at their timestamps, divided by speed, whether or not the storage "
        "keeps up. closed: a fixed number is kept outstanding, each completion issues the next, and "
        "timestamps only give the order.",
        example="open",
    )
    speed: float = key(
        "Time compression: 2.0 replays twice as fast, 0.4 at two fifths of the recorded rate.",
        default=1.0,
        within=(1e-6, 1e6),
        example=0.4,
    )


class ClosedReplay(Strict):
    """A fixed number of requests is kept outstanding."""

    mode: Literal["closed"] = key(
        "Pacing. closed: a fixed number of requests is kept outstanding.", example="closed"
    )
    outstanding: int = key("Number of outstanding requests.", within=(1, 2**32 - 1), example=32)
    think: Duration = key("Mean time from a completion to the next request.", default=0.0, example="10ms")
    think_law: Literal["exponential", "fixed"] = key(
        "Distribution of the think time.", default="exponential", example="fixed"
    )
    per: Literal["workload", "stream"] = key(
        "Whether the limit applies to the whole workload or to each stream (client, process) of the trace, "
        "each in its own order.",
        default="workload",
        example="stream",
    )


class WorkloadKeys(Strict):
    """A stream of requests against one volume."""

    name: Name = key("Name in results and in `--set` paths.", example="oltp")
    volume: Name | None = key("Target volume.", unset="the only volume", example="db")
    trace: TraceKeys | None = key(
        "Recorded requests.", unset="the workload has a profile", example={"path": "traces/oltp.csv.gz"}
    )
    profile: ProfileChoice | None = key(
        "Synthetic requests, generated from a profile.",
        unset="the workload has a trace",
        example={"name": "hot-band", "rate_iops": 500, "duration": "10min", "span": "1TiB"},
    )
    replay: Annotated[OpenReplay | ClosedReplay, Field(discriminator="mode")] = key(
        "How timestamps become arrivals. A profile with closed arrivals has its own setting.",
        default=OpenReplay(mode="open"),
        example={"mode": "open", "speed": 0.4},
    )
    zero_share: Share = key(
        "Share of writes that are all zeros, chosen by the scenario's seed. Matters only to a "
        "controller with zero_detect.",
        default=0.0,
        example=0.2,
    )
    start: Duration = key(
        "Start of the workload, from the start of the run: timestamps of an open replay count from it; a "
        "closed loop issues nothing before it.",
        default=0.0,
        example="10min",
    )
    end: Duration | None = key(
        "End of the workload, from the start of the run; outstanding requests complete.",
        unset="until its trace or profile ends",
        example="40min",
        gt=0,
    )
