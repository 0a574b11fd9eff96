"""Results of ``iowatt trace``: what is in a trace, conversions, synthetic traces. Shares are from 0 to 1."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import Field

from iowatt.base.results import Note, Result, ResultDocument

AS_READ: Final = "as-read"
"""Code of notes on how a trace was read: what was assumed, passed over, or done to it."""

LIKELY_MISTAKE: Final = "likely-mistake"
"""Code of warnings that figures of a trace look like a mistake of units or columns."""

NOT_WHOLE_SECTORS: Final = "not-whole-sectors"
"""Code of the warning that sizes look like counts of sectors."""


class RequestCounts(Result):
    """Requests by kind."""

    count: int  #: Reads and writes.
    reads: int  #: Reads.
    writes: int  #: Writes.
    read_share: float  #: Reads over reads and writes.
    trims: int  #: Trims, not in ``count``.
    flushes: int  #: Flushes, not in ``count``.
    partial_sectors: int  #: Reads and writes whose size is not a whole number of sectors.
    skipped_bad: int  #: Malformed records skipped.
    first_bad: list[str]  #: The first of them.


class ByteCounts(Result):
    """Bytes by direction."""

    read: int  #: Read.
    written: int  #: Written.
    read_share: float  #: Read over both.


class TraceSpan(Result):
    """First and last stamp, seconds from the trace's origin."""

    first_s: float  #: First stamp.
    last_s: float  #: Last stamp.
    duration_s: float  #: Between them.


class TraceRate(Result):
    """Mean load."""

    iops: float  #: Requests per second.
    mib_per_s: float  #: MiB per second.


class SizeSpread(Result):
    """Spread of sizes, bytes."""

    min: int  #: Smallest.
    mean: float  #: Arithmetic mean.
    p50: int  #: Median.
    p90: int  #: 90th percentile.
    max: int  #: Largest.


class CommonSize(Result):
    """One size and how often it occurs."""

    bytes: int  #: The size.
    requests: int  #: Requests of it.
    share: float  #: Their share of all requests.


class CountedSizes(Result):
    """Sizes in bytes."""

    all: SizeSpread | None  #: Of all requests.
    read: SizeSpread | None  #: Of reads.
    write: SizeSpread | None  #: Of writes.
    commonest: list[CommonSize]  #: The commonest sizes of all requests, most frequent first.
    exact: bool  #: False where there were too many different sizes to keep apart (to 1 % then).


class CountedFootprint(Result):
    """Distinct blocks touched, in bytes."""

    block_bytes: int  #: Bytes of a block.
    total_bytes: int  #: Blocks touched by reads or writes, times their size; summed over devices.
    read_bytes: int  #: By reads.
    written_bytes: int  #: By writes.
    exact: bool  #: Whether that is a count; else it is an estimate from one region in ``sampled_one_in``.
    sampled_one_in: int  #: 1 when exact.


class InSequence(Result):
    """Shares of requests that start where the previous one ended."""

    share: float  #: The previous one of the same device.
    #: The previous one of the same stream on the same device; None where no stream is named.
    share_in_streams: float | None


class ValueSpread(Result):
    """Mean, quantiles and spread, in the unit of the key that holds it."""

    count: int  #: Number of values.
    mean: float  #: Arithmetic mean.
    p50: float  #: Median, within 0.4 %.
    p99: float  #: 99th percentile, within 0.4 %.
    max: float  #: Largest.
    cv: float | None  #: Standard deviation over mean; None where the mean is zero.


class StampOrder(Result):
    """Order and fineness of stamps."""

    reordered: int  #: Records that stepped back in time and were sorted in.
    reordered_share: float  #: Their share of requests.
    equal_stamps: int  #: Requests with the stamp of the one before.
    equal_share: float  #: Their share of requests.
    stamp_resolution_ns: int  #: Largest power of ten nanoseconds, at most 1 s, that divides all stamps.


class Ranked(Result):
    """One name and its requests."""

    name: str  #: The name.
    requests: int  #: Its requests.
    share: float  #: Their share of all requests.
    max_offset_bytes: int  #: End of its furthest request, bytes.


class Ranking(Result):
    """How requests spread over names."""

    count: int  #: Names with at least one request.
    top: list[Ranked]  #: The busiest, at most ten.


class TraceInfo(Result):
    """Everything that ``iowatt trace info`` says.

    Shares are 0 to 1; reads and writes only, unless said otherwise.
    """

    file: str  #: The file as the user named it.
    format: str  #: Name of the format.
    detected: bool  #: Whether the format was recognised rather than named.
    origin: str | None  #: The moment of time 0 in UTC, where stamps were absolute.
    requests: RequestCounts  #: Requests by kind.
    bytes: ByteCounts  #: Bytes by direction.
    span: TraceSpan  #: From first to last stamp.
    rate: TraceRate  #: Mean over the span; zero where the span is.
    sizes: CountedSizes  #: Request sizes.
    footprint: CountedFootprint  #: Distinct blocks touched.
    #: End of the furthest request of any device, bytes: the least capacity that holds the trace.
    max_offset_bytes: int
    sequential: InSequence  #: Requests that start where the previous one ended.
    inter_arrival_s: ValueSpread | None  #: Gaps between successive requests; None for a single one.
    order: StampOrder  #: Order and fineness of stamps.
    response_ms: ValueSpread | None  #: Response times recorded in the trace, where it has any.
    devices: Ranking  #: Devices with requests.
    streams: Ranking  #: Streams with requests.
    untimed: bool  #: Whether the trace records no times: spans, rates and gaps then mean nothing.
    notes: list[Note]  #: What was assumed, what was passed over and what was done to the trace, in sentences.
    warnings: list[Note]  #: What looks like a mistake.

    @property
    def reached_bytes(self) -> int:
        """The ends of all devices added up; of those that are not listed, the furthest end of any."""
        rest = self.devices.count - len(self.devices.top)
        return sum(one.max_offset_bytes for one in self.devices.top) + rest * self.max_offset_bytes


class TraceInfos(ResultDocument):
    """Several traces."""

    schema_id: Literal["iowatt.trace-info/1"] = Field(default="iowatt.trace-info/1", alias="schema")
    traces: list[TraceInfo]


class ConvertedTrace(ResultDocument):
    """A trace that was written as CSV or Parquet, and what its reader counted."""

    schema_id: Literal["iowatt.trace-convert/1"] = Field(default="iowatt.trace-convert/1", alias="schema")
    format: str
    detected: bool
    requests: int  #: Reads and writes.
    reads: int
    writes: int
    partial_sectors: int  #: Reads and writes whose size is not a whole number of sectors.
    skipped_bad: int
    first_bad: list[str]  #: The first malformed records.
    reordered: int  #: Records that stepped back in time and were sorted in.
    equal_stamps: int
    trims: int
    flushes: int
    origin: str | None  #: The moment of time 0 in UTC, where stamps were absolute.
    origin_unix_ns: int | None
    untimed: bool
    notes: list[Note]
    warnings: list[Note]
    long_gap: str | None
    path: str
    bytes: int  #: Of the file that was written.


class GeneratedTrace(ResultDocument):
    """A trace that was made from a profile."""

    schema_id: Literal["iowatt.trace-generate/1"] = Field(default="iowatt.trace-generate/1", alias="schema")
    profile: str
    seed: int
    requests: int
    path: str
    bytes: int
    notes: list[Note]
