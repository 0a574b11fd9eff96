"""A trace measured as a workload: ``iowatt.description/1``. Shares are from 0 to 1."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from iowatt.base.results import Note, Result, ResultDocument
from iowatt.trace.result import ByteCounts, RequestCounts, SizeSpread, ValueSpread


class DescribeOptions(Result):
    """Choices of a description; every figure says which it rests on."""

    block_bytes: int  #: Bytes of a block of footprint, working set, reuse distance and overwriting.
    #: Bytes of an extent of the I/O density; left out, the smallest power of two, from 1 MiB on,
    #: that makes at most 1024 touched extents.
    extent_bytes: int | None
    #: Regions of 16 blocks that are followed; exact while the trace touches no more, else a sample.
    samples: int
    lookback: int  #: Open runs of each device and direction that a request may continue.
    gap_bytes: int  #: Bytes that a request may skip forward and still continue a run.
    cache_bytes: list[int]  #: Cache sizes at which the miss-ratio curve has a separate point, bytes.
    #: Only requests of these sizes, least and greatest; times still count from the trace's first request.
    size_bytes: tuple[int, int] | None
    #: Whether the windows of rates over time are powers of two of a second, from one on; else round numbers.
    dyadic_windows: bool


class MeasuredSpan(Result):
    """First and last request."""

    first_s: float  #: Seconds from the trace's time 0 to the first request.
    duration_s: float  #: From there to the last.


class MeasuredRate(Result):
    """Mean load."""

    iops: float  #: Requests per second.
    read_iops: float  #: Reads per second.
    write_iops: float  #: Writes per second.
    mib_per_s: float  #: MiB per second.
    read_mib_per_s: float  #: MiB read per second.
    write_mib_per_s: float  #: MiB written per second.


class SizeHistogram(Result):
    """Every size with its requests, ascending, in columns."""

    bytes: list[int]  #: The size.
    reads: list[int]  #: Reads of it.
    writes: list[int]  #: Writes of it.


class RequestSizes(Result):
    """Sizes in bytes."""

    all: SizeSpread | None  #: Of all requests.
    read: SizeSpread | None  #: Of reads.
    write: SizeSpread | None  #: Of writes.
    histogram: SizeHistogram  #: Every size.
    exact: bool  #: False where there were more than 65536 different sizes: to 1 % then.


class AlignmentLevel(Result):
    """Shares of what is aligned to ``bytes`` or more."""

    bytes: int  #: The alignment.
    offset_request_share: float  #: Requests whose offset is a multiple of it.
    offset_byte_share: float  #: Their share of bytes.
    #: Requests whose offset and size are multiples of it: no part of a block is read or written.
    whole_request_share: float
    whole_byte_share: float  #: Their share of bytes.


class GapHistogram(Result):
    """Gaps by length, four bins to an octave, in columns; the first bin holds any zeros."""

    from_s: list[float]  #: Lower end, seconds.
    to_s: list[float]  #: Upper end.
    count: list[int]  #: Gaps.


class FittedGapLaw(Result):
    """A distribution of gaps and how well it fits."""

    law: str  #: ``exponential`` or ``hyper-exponential``.
    method: str  #: ``mean``, ``maximum-likelihood`` or ``balanced-means``.
    probability: list[float]  #: Probability of each phase.
    mean_s: list[float]  #: Mean gap of each phase, seconds.
    cv: float  #: Coefficient of variation of the fit.
    p99_s: float  #: 99th percentile of the fit, seconds.
    #: Largest distance between its distribution function and the trace's (Kolmogorov-Smirnov).
    ks_distance: float


class GapFigures(Result):
    """Inter-arrival times of all reads and writes."""

    count: int  #: Number of gaps.
    mean_s: float  #: Mean, seconds.
    cv: float | None  #: Standard deviation over mean; None where the mean is zero.
    moments: tuple[float, float, float]  #: Mean of the gap, of its square and of its cube: s, s^2, s^3.
    lag1_autocorrelation: float | None  #: Correlation of a gap with the next.
    zero_share: float  #: Share of gaps of zero: requests with the stamp of the one before.
    stamp_resolution_ns: int  #: Largest power of ten nanoseconds, at most 1 s, that divides all gaps.
    #: Percentiles in seconds, within 0.4 %, by name: p1, p5, p10, p25, p50, p75, p90, p95, p99, p999, max.
    percentiles_s: dict[str, float]
    histogram: GapHistogram  #: The gaps by length.
    fits: list[FittedGapLaw]  #: Distributions fitted to the gaps, the simplest first.


class HalvingDivisions(Result):
    """Divisions between halves by count, in columns; classes of counts are octaves from 2 on."""

    from_requests: list[int]  #: Fewest requests of the class; the next class begins at its double.
    windows: list[int]  #: Windows.
    #: Sum of (left - right)^2 - count over sum of count (count - 1): 0 where each request falls
    #: into either half for itself, 1 where all fall into one, below 0 where they keep apart.
    unevenness: list[float]


class BurstScale(Result):
    """Counts in windows of one width, over complete windows from the first request on."""

    window_s: float  #: Width of a window.
    windows: int  #: Windows, empty ones among them.
    mean: float  #: Mean count.
    variance: float  #: Variance of the counts over (windows - 1).
    idc: float  #: Index of dispersion for counts: variance over mean; 1 for a Poisson process at every scale.
    peak: int  #: Largest count.
    divisions: HalvingDivisions  #: How unevenly windows of so many requests divide them between their halves.


class HurstEstimate(Result):
    """An estimate of the Hurst exponent with what it rests on."""

    method: str  #: ``aggregated-variance`` or ``wavelet-haar``.
    #: 0.5 for counts without long memory; towards 1 the burstier over all scales; above 1 not stationary.
    hurst: float
    #: Of the slope, by the scatter of the points about the line or by theory, whichever is more.
    standard_error: float
    from_s: float  #: Finest window of the fit.
    to_s: float  #: Coarsest window of the fit.
    octaves: int  #: Points of the fit.


class Burstiness(Result):
    """Counts over scales."""

    scales: list[BurstScale]  #: Windows of 2^-16 s and so on: dispersion and peak.
    hurst: list[HurstEstimate]  #: The Hurst exponent by several methods; empty where the trace is too short.


class WindowCounts(Result):
    """Counts by window, in columns; the first starts at the first request, the last may be cut short."""

    window_s: float  #: Width of a window.
    reads: list[int]  #: Reads.
    writes: list[int]  #: Writes.
    bytes_read: list[int]  #: Bytes read.
    bytes_written: list[int]  #: Bytes written.
    #: Distinct bytes touched (working set), in whole blocks; empty where not known at this width.
    working_set_bytes: list[float]


class EnvelopeFigures(Result):
    """Factors on the mean rate over whole hours and days; 1 is the mean. Counted from the first request."""

    hour_of_day: list[float] | None  #: 24 factors; None for traces of less than a day.
    day_of_week: list[float] | None  #: 7 factors; None for traces of less than a week.


class LengthSpread(Result):
    """Mean and percentiles in the unit of the key that holds them; percentiles to 6 %, upwards."""

    mean: float  #: Arithmetic mean, not binned.
    p50: float  #: Median.
    p90: float  #: 90th percentile.
    p99: float  #: 99th percentile.
    max: float  #: Largest.


class RunLengths(Result):
    """Runs of ``from`` to ``to`` requests: their number, requests and bytes, in columns."""

    from_requests: list[int]  #: Fewest requests of the row.
    to_requests: list[int]  #: Most requests of the row.
    runs: list[int]  #: Runs.
    requests: list[int]  #: Requests in them.
    bytes: list[int]  #: Bytes in them.


class SequentialRuns(Result):
    """Runs, by direction where one is named."""

    runs: int  #: Runs, single requests among them.
    sequential_request_share: float  #: Share of requests that continue a run.
    sequential_byte_share: float  #: Share of bytes in requests that continue a run.
    length_requests: LengthSpread | None  #: Requests in a run, over runs.
    length_bytes: LengthSpread | None  #: Bytes in a run, over runs.
    histogram: RunLengths  #: Runs by their length.


class Sequentiality(Result):
    """Requests that follow on others."""

    #: Share of requests that start where the previous one of their device ended, in either direction.
    consecutive_request_share: float
    consecutive_byte_share: float  #: Their share of bytes.
    #: The same within streams, over requests that name one; None where none does.
    consecutive_in_stream_request_share: float | None
    consecutive_in_stream_byte_share: float | None  #: Its share of their bytes.
    #: Runs on each device, several open at once (``lookback`` of the options), all directions together.
    runs: SequentialRuns
    read_runs: SequentialRuns  #: Runs of reads.
    write_runs: SequentialRuns  #: Runs of writes.
    #: Runs of each stream on each device, over requests that name a stream, one open at a time.
    stream_runs: SequentialRuns | None


class JumpTable(Result):
    """How far requests lie from the end of the one before on their device, in powers of two."""

    requests: int  #: Requests with a predecessor: of these are the shares.
    direction: list[str]  #: ``zero`` (sequential), ``forward`` or ``backward``.
    from_bytes: list[int]  #: Least distance of the row, bytes.
    below_bytes: list[int]  #: Distance that the row stays below, bytes.
    request_share: list[float]  #: Share of requests.
    byte_share: list[float]  #: Share of their bytes.


class FootprintFigures(Result):
    """Distinct blocks touched, in bytes, summed over devices."""

    total_bytes: float  #: Touched by reads or writes.
    read_bytes: float  #: By reads.
    written_bytes: float  #: By writes.
    both_bytes: float  #: By both.
    standard_error_bytes: float  #: Standard error of ``total_bytes``; zero where exact.


class WorkingSet(Result):
    """Distinct bytes touched in windows of one width, in whole blocks, over complete windows."""

    window_s: float  #: Width of a window.
    windows: int  #: Complete windows.
    mean_bytes: float  #: Touched, mean of the windows.
    max_bytes: float  #: Touched, largest.
    mean_read_bytes: float  #: Read, mean.
    max_read_bytes: float  #: Read, largest.
    mean_written_bytes: float  #: Written, mean.
    max_written_bytes: float  #: Written, largest.


class ReuseSample(Result):
    """What was followed."""

    method: str  #: ``exact`` or ``sampled``.
    rate: float  #: Share of the address space that is followed in the end.
    regions: int  #: Regions of 16 blocks followed in the end.
    blocks: int  #: Blocks followed in the end.
    references: int  #: Block references of the trace.


class FirstTouches(Result):
    """Ratios over requests (one misses when any of its blocks does), bytes and block references."""

    requests: float  #: Of all requests.
    bytes: float  #: Of all bytes.
    read_requests: float | None  #: Of reads; None without reads.
    read_bytes: float | None  #: Of bytes read.
    write_requests: float | None  #: Of writes.
    write_bytes: float | None  #: Of bytes written.
    references: float  #: Of block references.


class ReuseHistogram(Result):
    """Block references by LRU stack depth, in columns: a depth of 1 is the block referenced last.

    Shares of all reads' (writes') block references; the rest are first touches.
    """

    from_blocks: list[int]  #: Least depth of the row, blocks.
    to_blocks: list[int]  #: Greatest.
    read_share: list[float]  #: Share of the references of reads.
    write_share: list[float]  #: Share of the references of writes.


class MissRatios(Result):
    """Miss ratios by cache size, in columns."""

    cache_bytes: list[int]  #: Size of the cache.
    requests: list[float]  #: Of all requests.
    bytes: list[float]  #: Of all bytes.
    read_requests: list[float]  #: Of reads; empty without reads.
    read_bytes: list[float]  #: Of bytes read.
    write_requests: list[float]  #: Of writes; empty without writes.
    write_bytes: list[float]  #: Of bytes written.
    references: list[float]  #: Of block references.
    #: Standard error of ``requests`` by disjoint sub-samples; zero where exact.
    requests_standard_error: list[float]
    bytes_standard_error: list[float]  #: Standard error of ``bytes``.


class ReuseFigures(Result):
    """Reuse within the trace, by LRU stack depth in blocks."""

    sample: ReuseSample  #: What the figures rest on.
    first_touch: FirstTouches  #: First touches: these miss in a cache of any size.
    histogram: ReuseHistogram  #: References by stack depth.
    miss_ratio: MissRatios  #: Miss ratios of a fully associative LRU cache that reads and writes both fill.


class WriteIntervals(Result):
    """Write intervals by length, in columns."""

    from_s: list[float]  #: Shortest, seconds.
    to_s: list[float]  #: Up to this, seconds.
    block_share: list[float]  #: Share of overwritten blocks.
    byte_share: list[float]  #: Share of overwritten bytes.


class RewriteFigures(Result):
    """Overwriting within the trace."""

    #: Share of write requests all of whose blocks the trace wrote before.
    overwrite_request_share: float | None
    overwrite_byte_share: float | None  #: Share of written bytes that lie in blocks the trace wrote before.
    #: Share of read requests all of whose blocks the trace wrote before.
    read_of_written_request_share: float | None
    #: Share of read bytes that lie in blocks the trace wrote before.
    read_of_written_byte_share: float | None
    #: From one write of a block to its next, over overwritten blocks, seconds.
    interval_s: LengthSpread | None
    intervals: WriteIntervals  #: Write intervals by length.


class DensitySkewPoint(Result):
    """The hottest part of the touched places and what falls on it."""

    hottest: float  #: Part of the touched places, hottest first, 0 to 1.
    request_share: float  #: Share of requests on it, where places are ranked by requests.
    byte_share: float  #: Share of bytes on it, where places are ranked by bytes.
    read_share: float  #: Reads among the requests on it.


class TouchedExtents(Result):
    """Touched extents by device and address, in columns."""

    device: list[str]  #: Name of the device.
    offset_bytes: list[int]  #: First byte.
    reads: list[int]  #: Reads that start in it.
    writes: list[int]  #: Writes that start in it.
    bytes_read: list[int]  #: Bytes read from it.
    bytes_written: list[int]  #: Bytes written to it.


class DensityFigures(Result):
    """Requests and bytes by extent."""

    extent_bytes: int  #: Bytes of an extent.
    as_asked: bool  #: Whether that is the requested size; automatic extents are.
    touched: int  #: Extents with at least one request.
    spanned: int  #: Extents from the first touched one of each device to its last.
    skew: list[DensitySkewPoint]  #: Share of the I/O on the hottest extents.
    extents: TouchedExtents  #: Touched extents by device and address.


class BlockSkewPoint(Result):
    """The share of block references on the hottest part of the touched blocks."""

    hottest: float  #: Part of the touched blocks, hottest first.
    reference_share: float  #: Share of block references on it.


class RecordedResponses(Result):
    """Recorded response times, milliseconds; None where the trace has none."""

    read: ValueSpread | None  #: Of reads.
    write: ValueSpread | None  #: Of writes.


class VolumeFigures(Result):
    """One volume or stream."""

    name: str  #: Its name.
    requests: int  #: Reads and writes.
    request_share: float  #: Their share of all requests.
    byte_share: float  #: Share of all bytes.
    read_request_share: float  #: Reads among its requests.
    read_byte_share: float  #: Bytes read among its bytes.
    mean_read_bytes: float | None  #: Mean bytes of a read.
    mean_write_bytes: float | None  #: Mean bytes of a write.
    iops: float  #: Requests per second over the span of the trace.
    inter_arrival_cv: float | None  #: Coefficient of variation of the gaps between its requests.
    sequential_request_share: float  #: Share of its requests that start where its previous one ended.
    sequential_byte_share: float  #: Their share of its bytes.
    first_s: float  #: First request, seconds from the first of the trace.
    last_s: float  #: Last request.
    lowest_byte: int  #: Lowest byte touched.
    end_byte: int  #: End of the furthest request.
    footprint_bytes: float | None  #: Distinct bytes touched, in whole blocks; not known of streams.


class Breakdown(Result):
    """All that have requests, the busiest first."""

    count: int  #: How many have requests.
    listed: list[VolumeFigures]  #: The busiest, at most 1000.
    unlisted_request_share: float  #: Share of requests of those that are not listed.
    unlisted_byte_share: float  #: Their share of bytes.


class Description(Result):
    """Everything that ``iowatt trace profile`` measures. Shares are 0 to 1; times are seconds."""

    file: str  #: The file as the user named it.
    format: str  #: Name of the format.
    origin: str | None  #: The moment of time 0 in UTC, where stamps were absolute.
    options: DescribeOptions  #: The options.
    requests: RequestCounts  #: Requests by kind.
    #: Share of requests of the direction of the one before; None for a single request.
    direction_repeats: float | None
    bytes: ByteCounts  #: Bytes by direction.
    span: MeasuredSpan  #: From the first request to the last.
    rate: MeasuredRate  #: Means over the span; zero where the span is.
    sizes: RequestSizes  #: Request sizes, exactly.
    alignment: list[AlignmentLevel]  #: Alignment of offsets and sizes.
    inter_arrival: GapFigures | None  #: Gaps between requests; None for a single one.
    burstiness: Burstiness  #: Counts over scales.
    over_time: WindowCounts  #: The course over time.
    envelope: EnvelopeFigures  #: Daily and weekly factors.
    sequential: Sequentiality  #: Requests that follow on others.
    jumps: JumpTable  #: Distances between successive requests of a device.
    footprint: FootprintFigures  #: Distinct blocks touched.
    working_set: list[WorkingSet]  #: Distinct blocks touched in windows.
    reuse: ReuseFigures  #: Reuse distances and miss ratios.
    rewrites: RewriteFigures  #: Overwriting.
    density: DensityFigures  #: I/O by extents.
    block_skew: list[BlockSkewPoint]  #: The share of block references on the hottest blocks.
    response_ms: RecordedResponses  #: Response times recorded in the trace, milliseconds.
    devices: Breakdown  #: By device.
    streams: Breakdown  #: By stream, over requests that name one.
    notes: list[Note]  #: What reading the trace assumed, and what else to know before using the figures.


class Descriptions(ResultDocument):
    """Several traces."""

    schema_id: Literal["iowatt.description/1"] = Field(default="iowatt.description/1", alias="schema")
    traces: list[Description]
