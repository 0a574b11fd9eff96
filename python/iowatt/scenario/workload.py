"""Workloads: which requests, recorded or made, go to which volume, and how time stamps become arrivals."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from iowatt.scenario.quantity import BlockSize, Capacity, Duration
from iowatt.scenario.strict import Strict, key
from iowatt.workload.quantities import Iops

NAME_PATTERN: Final = r"^[A-Za-z][A-Za-z0-9_-]*$"
Name = Annotated[str, Field(pattern=NAME_PATTERN, max_length=64)]

TraceFormat = Literal[
    "disksim-ascii", "disksim-validate", "hp-srt", "spc", "msr", "blkparse", "csv", "parquet"
]
TraceColumn = Literal["time", "op", "offset", "size", "device", "stream", "response"]


class Trace(Strict):
    """A recorded stream of block requests."""

    path: str = key(
        "The trace file, relative to the scenario's directory; `-` is standard input. Compressed files "
        "(.gz, .zst) are read as they are.",
        example="traces/pg_tpcc_paced_excerpt.parquet",
        min_length=1,
    )
    format: TraceFormat | None = key(
        "The trace's format.", default=None, unset="detected from the name and the first bytes", example="msr"
    )
    columns: dict[TraceColumn, str] | None = key(
        "Which header of a CSV file names which column of ours.",
        default=None,
        unset="headers are matched with the names in common use",
        example={"time": "Timestamp", "offset": "LBA"},
    )
    time_unit: Literal["s", "ms", "us", "ns"] | None = key(
        "Unit of the time column of a CSV file.",
        default=None,
        unset="taken from the header (time_us); an error where the header does not say",
        example="ms",
    )
    sector_size: BlockSize | None = key(
        "Bytes of the sector in which the trace counts its addresses.",
        default=None,
        unset="the format's own, 512 bytes in most",
        unit="bytes",
        example="4096",
        gt=0,
        le=2**32 - 1,
    )
    event: Literal["Q", "D", "C"] | None = key(
        "Which event of blkparse and hp-srt is the arrival. Q queued, D sent to the device, C completed.",
        default=None,
        unset="Q",
        example="D",
    )
    device: str | None = key(
        "Which device of the trace to take; `*` lays all devices over one address space.",
        default=None,
        unset="the trace must hold one device only",
        example="8,0",
    )
    skip_bad: int = key(
        "Malformed records that may be skipped; they are counted.", default=0, ge=0, example=100
    )
    order_tolerance: Duration | None = key(
        "How far a time stamp may step back; within it requests are sorted again, beyond it the trace is "
        "refused.",
        default=None,
        unset="the format's own: 1 s for msr and blkparse, 60 s for hp-srt, 1 ms otherwise",
        unit="s",
        example="10ms",
    )


class ProfileChoice(Strict):
    """A synthetic workload: a profile of the library or of a file, and what is asked of it."""

    name: str = key(
        "A profile of the library (`iowatt trace profiles` lists them), or a profile file ending in .toml, "
        "relative to the scenario's directory.",
        example="hot-band",
        min_length=1,
    )
    rate_iops: Iops | None = key(
        "Requests per second in all.",
        default=None,
        unset="the profile's own rate; an error where it has none",
        unit="IOPS",
        example=500,
    )
    duration: Duration | None = key(
        "When it ends.",
        default=None,
        unset="after `requests`, or with observe.duration",
        unit="s",
        example="10min",
        gt=0,
    )
    requests: int | None = key(
        "After how many requests it ends.", default=None, unset="after `duration`", example=1_000_000, ge=1
    )
    span: Capacity | None = key(
        "Address space, from the start of the volume.",
        default=None,
        unset="the profile's own span; where it has none, the volume",
        unit="bytes",
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
        ge=1e-6,
        le=1e6,
        example=0.4,
    )


class ClosedReplay(Strict):
    """A fixed number of requests is kept outstanding."""

    mode: Literal["closed"] = key(
        "The pacing. closed: a fixed number of requests is kept outstanding.", example="closed"
    )
    outstanding: int = key("Requests kept outstanding.", ge=1, le=2**32 - 1, example=32)
    think: Duration = key(
        "Mean time from a completion to the request that follows it.", default=0.0, unit="s", example="10ms"
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


class Workload(Strict):
    """A stream of requests against one volume."""

    name: Name = key("Its name in results and in `--set` paths.", example="oltp")
    volume: Name | None = key(
        "The volume that it addresses.", default=None, unset="the only volume there is", example="db"
    )
    trace: Trace | None = key(
        "The requests, recorded.",
        default=None,
        unset="a profile makes them",
        example={"path": "traces/oltp.csv.gz"},
    )
    profile: ProfileChoice | None = key(
        "The requests, made from a profile.",
        default=None,
        unset="a trace has them",
        example={"name": "hot-band", "rate_iops": 500, "duration": "10min", "span": "1TiB"},
    )
    replay: Annotated[OpenReplay | ClosedReplay, Field(discriminator="mode")] = key(
        "How time stamps become arrivals. A profile with closed arrivals brings its own.",
        default=OpenReplay(mode="open"),
        example={"mode": "open", "speed": 0.4},
    )
