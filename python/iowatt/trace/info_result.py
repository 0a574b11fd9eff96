"""What ``iowatt trace info`` counts: ``iowatt.trace-info/1``. Shares are from 0 to 1."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from iowatt.base.results import Note, Result, ResultDocument


class RequestCounts(Result):
    """Requests by kind."""

    #: Reads and writes.
    count: int
    #: Reads.
    reads: int
    #: Writes.
    writes: int
    #: Reads over reads and writes.
    read_share: float
    #: Trims, not in ``count``.
    trims: int
    #: Flushes, not in ``count``.
    flushes: int
    #: Reads and writes whose size is not a whole number of sectors.
    partial_sectors: int
    #: Malformed records skipped.
    skipped_bad: int
    #: The first of them.
    first_bad: list[str]


class ByteCounts(Result):
    """Bytes by direction."""

    #: Read.
    read: int
    #: Written.
    written: int
    #: Read over both.
    read_share: float


class TraceSpan(Result):
    """First and last stamp, seconds from the trace's origin."""

    #: First stamp.
    first_s: float
    #: Last stamp.
    last_s: float
    #: Between them.
    duration_s: float


class TraceRate(Result):
    """Mean load."""

    #: Requests per second.
    iops: float
    #: MiB per second.
    mib_per_s: float


class SizeSpread(Result):
    """Spread of sizes, bytes."""

    #: Smallest.
    min: int
    #: Arithmetic mean.
    mean: float
    #: Median.
    p50: int
    #: 90th percentile.
    p90: int
    #: Largest.
    max: int


class CommonSize(Result):
    """One size and how often it occurs."""

    #: The size.
    bytes: int
    #: Requests of it.
    requests: int
    #: Their share of all requests.
    share: float


class CountedSizes(Result):
    """Sizes in bytes."""

    #: Of all requests.
    all: SizeSpread | None
    #: Of reads.
    read: SizeSpread | None
    #: Of writes.
    write: SizeSpread | None
    #: The commonest sizes of all requests, most frequent first.
    commonest: list[CommonSize]
    #: False where there were too many different sizes to keep apart (to 1 % then).
    exact: bool


class CountedFootprint(Result):
    """Distinct blocks touched, in bytes."""

    #: Bytes of a block.
    block_bytes: int
    #: Blocks touched by reads or writes, times their size; summed over devices.
    total_bytes: int
    #: By reads.
    read_bytes: int
    #: By writes.
    written_bytes: int
    #: Whether that is a count; else it is an estimate from one region in ``sampled_one_in``.
    exact: bool
    #: 1 when exact.
    sampled_one_in: int


class InSequence(Result):
    """Shares of requests that start where the previous one ended."""

    #: The previous one of the same device.
    share: float
    #: The previous one of the same stream on the same device; None where no stream is named.
    share_in_streams: float | None


class ValueSpread(Result):
    """Mean, quantiles and spread, in the unit of the key that holds it."""

    #: Number of values.
    count: int
    #: Arithmetic mean.
    mean: float
    #: Median, within 0.4 %.
    p50: float
    #: 99th percentile, within 0.4 %.
    p99: float
    #: Largest.
    max: float
    #: Standard deviation over mean; None where the mean is zero.
    cv: float | None


class StampOrder(Result):
    """Order and fineness of stamps."""

    #: Records that stepped back in time and were sorted in.
    reordered: int
    #: Their share of requests.
    reordered_share: float
    #: Requests with the stamp of the one before.
    equal_stamps: int
    #: Their share of requests.
    equal_share: float
    #: Largest power of ten nanoseconds, at most 1 s, that divides all stamps.
    stamp_resolution_ns: int


class Ranked(Result):
    """One name and its requests."""

    #: The name.
    name: str
    #: Its requests.
    requests: int
    #: Their share of all requests.
    share: float
    #: End of its furthest request, bytes.
    max_offset_bytes: int


class Ranking(Result):
    """How requests spread over names."""

    #: Names with at least one request.
    count: int
    #: The busiest, at most ten.
    top: list[Ranked]


class TraceInfo(Result):
    """Everything that ``iowatt trace info`` says.

    Shares are 0 to 1; reads and writes only, unless said otherwise.
    """

    #: The file as the user named it.
    file: str
    #: Name of the format.
    format: str
    #: Whether the format was recognised rather than named.
    detected: bool
    #: The moment of time 0 in UTC, where stamps were absolute.
    origin: str | None
    #: Requests by kind.
    requests: RequestCounts
    #: Bytes by direction.
    bytes: ByteCounts
    #: From first to last stamp.
    span: TraceSpan
    #: Mean over the span; zero where the span is.
    rate: TraceRate
    #: Request sizes.
    sizes: CountedSizes
    #: Distinct blocks touched.
    footprint: CountedFootprint
    #: End of the furthest request of any device, bytes: the least capacity that holds the trace.
    max_offset_bytes: int
    #: Requests that start where the previous one ended.
    sequential: InSequence
    #: Gaps between successive requests; None for a single one.
    inter_arrival_s: ValueSpread | None
    #: Order and fineness of stamps.
    order: StampOrder
    #: Response times recorded in the trace, where it has any.
    response_ms: ValueSpread | None
    #: Devices with requests.
    devices: Ranking
    #: Streams with requests.
    streams: Ranking
    #: Whether the trace records no times: spans, rates and gaps then mean nothing.
    untimed: bool
    #: What was assumed, what was passed over and what was done to the trace, in sentences.
    notes: list[Note]
    #: What looks like a mistake.
    warnings: list[Note]

    @property
    def reached_bytes(self) -> int:
        """The ends of all devices added up; of those that are not listed, the furthest end of any."""
        rest = self.devices.count - len(self.devices.top)
        return sum(one.max_offset_bytes for one in self.devices.top) + rest * self.max_offset_bytes


class TraceInfos(ResultDocument):
    """Several traces."""

    schema_id: Literal["iowatt.trace-info/1"] = Field(default="iowatt.trace-info/1", alias="schema")
    traces: list[TraceInfo]
