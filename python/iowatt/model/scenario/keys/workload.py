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
        "A profile of the library (`iowatt trace profiles` lists them), or a profile file ending in .toml, "
        "relative to the scenario's directory.",
        example="hot-band",
        min_length=1,
    )
    rate_iops: Iops | None = key(
        "Requests per second in all.", unset="the profile's own rate; an error where it has none", example=500
    )
    duration: Duration | None = key(
        "When it ends.", unset="after `requests`, or with observe.duration", example="10min", gt=0
    )
    requests: int | None = key(
        "After how many requests it ends.", unset="after `duration`", example=1_000_000, ge=1
    )
    span: Capacity | None = key(
        "Address space, from the start of the volume.",
        unset="the profile's own span; where it has none, the volume",
        example="1TiB",
        gt=0,
    )
    set: list[str] = key(
        "Keys of the profile that differ, as in `iowatt trace generate --set`.",
        default=[],
        example=["stream.hot1.read_share=50"],
    )


class OpenReplay(Strict):
    """Arrivals keep their recorded times, whatever the storage does."""

    mode: Literal["open"] = key(
        "The pacing. open: requests arrive at their time stamps, divided by speed, whatever the storage "
        "does. closed: a fixed number is kept outstanding, the next is issued when one completes, and the "
        "stamps only give the order.",
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
        "The pacing. closed: a fixed number of requests is kept outstanding.", example="closed"
    )
    outstanding: int = key("Requests kept outstanding.", within=(1, 2**32 - 1), example=32)
    think: Duration = key(
        "Mean time from a completion to the request that follows it.", default=0.0, example="10ms"
    )
    think_law: Literal["exponential", "fixed"] = key(
        "Law of the think time.", default="exponential", example="fixed"
    )
    per: Literal["workload", "stream"] = key(
        "Whether the limit holds for the whole workload or for each stream (client, process) of the trace, "
        "each in its own order.",
        default="workload",
        example="stream",
    )


class WorkloadKeys(Strict):
    """A stream of requests against one volume."""

    name: Name = key("Its name in results and in `--set` paths.", example="oltp")
    volume: Name | None = key("The volume that it addresses.", unset="the only volume there is", example="db")
    trace: TraceKeys | None = key(
        "The requests, recorded.", unset="a profile makes them", example={"path": "traces/oltp.csv.gz"}
    )
    profile: ProfileChoice | None = key(
        "The requests, made from a profile.",
        unset="a trace has them",
        example={"name": "hot-band", "rate_iops": 500, "duration": "10min", "span": "1TiB"},
    )
    replay: Annotated[OpenReplay | ClosedReplay, Field(discriminator="mode")] = key(
        "How time stamps become arrivals. A profile with closed arrivals brings its own.",
        default=OpenReplay(mode="open"),
        example={"mode": "open", "speed": 0.4},
    )
    zero_share: Share = key(
        "Share of its writes that are all zeros, drawn by the scenario's seed. It matters only to a "
        "controller with zero_detect.",
        default=0.0,
        example=0.2,
    )
    start: Duration = key(
        "When its time zero is, from the start of the run: the first stamp of an open replay counts from "
        "there, a closed loop issues nothing before.",
        default=0.0,
        example="10min",
    )
    end: Duration | None = key(
        "From when it issues nothing more, from the start of the run; what is under way completes.",
        unset="until its trace or profile ends",
        example="40min",
        gt=0,
    )
