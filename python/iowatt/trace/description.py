"""A trace measured as a workload: ``iowatt.description/1``. Shares are from 0 to 1."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from iowatt.base.results import Note, Result, ResultDocument
from iowatt.trace.info_result import ByteCounts, RequestCounts, SizeSpread, ValueSpread


class DescribeOptions(Result):
    """Choices of a description; every figure says which it rests on."""

    #: Bytes of a block of footprint, working set, reuse distance and overwriting.
    block_bytes: int
    #: Bytes of an extent of the I/O density; left out, the smallest power of two, from 1 MiB on,
    #: that makes at most 1024 touched extents.
    extent_bytes: int | None
    #: Regions of 16 blocks that are followed; exact while the trace touches no more, else a sample.
    samples: int
    #: Open runs of each device and direction that a request may continue.
    lookback: int
    #: Bytes that a request may skip forward and still continue a run.
    gap_bytes: int
    #: Cache sizes at which the miss-ratio curve has a point of its own, bytes.
    cache_bytes: list[int]
    #: Only requests of these sizes, least and greatest; times still count from the trace's first request.
    size_bytes: tuple[int, int] | None
    #: Whether the windows of rates over time are powers of two of a second, from one on; else round numbers.
    dyadic_windows: bool


class MeasuredSpan(Result):
    """First and last request."""

    #: Seconds from the trace's time 0 to the first request.
    first_s: float
    #: From there to the last.
    duration_s: float


class MeasuredRate(Result):
    """Mean load."""

    #: Requests per second.
    iops: float
    #: Reads per second.
    read_iops: float
    #: Writes per second.
    write_iops: float
    #: MiB per second.
    mib_per_s: float
    #: MiB read per second.
    read_mib_per_s: float
    #: MiB written per second.
    write_mib_per_s: float


class SizeHistogram(Result):
    """Every size with its requests, ascending, in columns."""

    #: The size.
    bytes: list[int]
    #: Reads of it.
    reads: list[int]
    #: Writes of it.
    writes: list[int]


class RequestSizes(Result):
    """Sizes in bytes."""

    #: Of all requests.
    all: SizeSpread | None
    #: Of reads.
    read: SizeSpread | None
    #: Of writes.
    write: SizeSpread | None
    #: Every size.
    histogram: SizeHistogram
    #: False where there were more than 65536 different sizes: to 1 % then.
    exact: bool


class AlignmentLevel(Result):
    """Shares of what is aligned to ``bytes`` or more."""

    #: The alignment.
    bytes: int
    #: Requests whose offset is a multiple of it.
    offset_request_share: float
    #: Their share of bytes.
    offset_byte_share: float
    #: Requests whose offset and size are multiples of it: no part of a block is read or written.
    whole_request_share: float
    #: Their share of bytes.
    whole_byte_share: float


class GapHistogram(Result):
    """Gaps by length, four bins to an octave, in columns; the first bin holds any zeros."""

    #: Lower end, seconds.
    from_s: list[float]
    #: Upper end.
    to_s: list[float]
    #: Gaps.
    count: list[int]


class FittedLaw(Result):
    """A distribution of gaps and how well it fits."""

    #: ``exponential`` or ``hyper-exponential``.
    law: str
    #: ``mean``, ``maximum-likelihood`` or ``balanced-means``.
    method: str
    #: Probability of each phase.
    probability: list[float]
    #: Mean gap of each phase, seconds.
    mean_s: list[float]
    #: Coefficient of variation of the fit.
    cv: float
    #: 99th percentile of the fit, seconds.
    p99_s: float
    #: Largest distance between its distribution function and the trace's (Kolmogorov-Smirnov).
    ks_distance: float


class GapFigures(Result):
    """Inter-arrival times of all reads and writes."""

    #: Number of gaps.
    count: int
    #: Mean, seconds.
    mean_s: float
    #: Standard deviation over mean; None where the mean is zero.
    cv: float | None
    #: Mean of the gap, of its square and of its cube: s, s^2, s^3.
    moments: tuple[float, float, float]
    #: Correlation of a gap with the next.
    lag1_autocorrelation: float | None
    #: Share of gaps of zero: requests with the stamp of the one before.
    zero_share: float
    #: Largest power of ten nanoseconds, at most 1 s, that divides all gaps.
    stamp_resolution_ns: int
    #: Percentiles in seconds, within 0.4 %, by name: p1, p5, p10, p25, p50, p75, p90, p95, p99, p999, max.
    percentiles_s: dict[str, float]
    #: The gaps by length.
    histogram: GapHistogram
    #: Distributions fitted to the gaps, the simplest first.
    fits: list[FittedLaw]


class HalvingDivisions(Result):
    """Divisions between halves by count, in columns; classes of counts are octaves from 2 on."""

    #: Fewest requests of the class; the next class begins at its double.
    from_requests: list[int]
    #: Windows.
    windows: list[int]
    #: Sum of (left - right)^2 - count over sum of count (count - 1): 0 where each request falls
    #: into either half for itself, 1 where all fall into one, below 0 where they keep apart.
    unevenness: list[float]


class BurstScale(Result):
    """Counts in windows of one width, over complete windows from the first request on."""

    #: Width of a window.
    window_s: float
    #: Windows, empty ones among them.
    windows: int
    #: Mean count.
    mean: float
    #: Variance of the counts over (windows - 1).
    variance: float
    #: Index of dispersion for counts: variance over mean; 1 for a Poisson process at every scale.
    idc: float
    #: Largest count.
    peak: int
    #: How unevenly windows of so many requests divide them between their halves.
    divisions: HalvingDivisions


class HurstEstimate(Result):
    """An estimate of the Hurst exponent with what it rests on."""

    #: ``aggregated-variance`` or ``wavelet-haar``.
    method: str
    #: 0.5 for counts without long memory; towards 1 the burstier over all scales; above 1 not stationary.
    hurst: float
    #: Of the slope, by the scatter of the points about the line or by theory, whichever is more.
    standard_error: float
    #: Finest window of the fit.
    from_s: float
    #: Coarsest window of the fit.
    to_s: float
    #: Points of the fit.
    octaves: int


class Burstiness(Result):
    """Counts over scales."""

    #: Windows of 2^-16 s and so on: dispersion and peak.
    scales: list[BurstScale]
    #: The Hurst exponent by several methods; empty where the trace is too short.
    hurst: list[HurstEstimate]


class WindowCounts(Result):
    """Counts by window, in columns; the first starts at the first request, the last may be cut short."""

    #: Width of a window.
    window_s: float
    #: Reads.
    reads: list[int]
    #: Writes.
    writes: list[int]
    #: Bytes read.
    bytes_read: list[int]
    #: Bytes written.
    bytes_written: list[int]
    #: Distinct bytes touched (working set), in whole blocks; empty where not known at this width.
    working_set_bytes: list[float]


class EnvelopeFigures(Result):
    """Factors on the mean rate over whole hours and days; 1 is the mean. Counted from the first request."""

    #: 24 factors; None for traces of less than a day.
    hour_of_day: list[float] | None
    #: 7 factors; None for traces of less than a week.
    day_of_week: list[float] | None


class LengthSpread(Result):
    """Mean and percentiles in the unit of the key that holds them; percentiles to 6 %, upwards."""

    #: Arithmetic mean, not binned.
    mean: float
    #: Median.
    p50: float
    #: 90th percentile.
    p90: float
    #: 99th percentile.
    p99: float
    #: Largest.
    max: float


class RunLengths(Result):
    """Runs of ``from`` to ``to`` requests: their number, requests and bytes, in columns."""

    #: Fewest requests of the row.
    from_requests: list[int]
    #: Most requests of the row.
    to_requests: list[int]
    #: Runs.
    runs: list[int]
    #: Requests in them.
    requests: list[int]
    #: Bytes in them.
    bytes: list[int]


class RunFigures(Result):
    """Runs, by direction where one is named."""

    #: Runs, single requests among them.
    runs: int
    #: Share of requests that continue a run.
    sequential_request_share: float
    #: Share of bytes in requests that continue a run.
    sequential_byte_share: float
    #: Requests in a run, over runs.
    length_requests: LengthSpread | None
    #: Bytes in a run, over runs.
    length_bytes: LengthSpread | None
    #: Runs by their length.
    histogram: RunLengths


class Sequentiality(Result):
    """Requests that follow on others."""

    #: Share of requests that start where the previous one of their device ended, of whichever direction.
    consecutive_request_share: float
    #: Their share of bytes.
    consecutive_byte_share: float
    #: The same within streams, over requests that name one; None where none does.
    consecutive_in_stream_request_share: float | None
    #: Its share of their bytes.
    consecutive_in_stream_byte_share: float | None
    #: Runs on each device, several open at once (``lookback`` of the options), all directions together.
    runs: RunFigures
    #: Runs of reads.
    read_runs: RunFigures
    #: Runs of writes.
    write_runs: RunFigures
    #: Runs of each stream on each device, over requests that name a stream, one open at a time.
    stream_runs: RunFigures | None


class JumpTable(Result):
    """How far requests lie from the end of the one before on their device, in powers of two."""

    #: Requests with a predecessor: of these are the shares.
    requests: int
    #: ``zero`` (sequential), ``forward`` or ``backward``.
    direction: list[str]
    #: Least distance of the row, bytes.
    from_bytes: list[int]
    #: Distance that the row stays below, bytes.
    below_bytes: list[int]
    #: Share of requests.
    request_share: list[float]
    #: Share of their bytes.
    byte_share: list[float]


class FootprintFigures(Result):
    """Distinct blocks touched, in bytes, summed over devices."""

    #: Touched by reads or writes.
    total_bytes: float
    #: By reads.
    read_bytes: float
    #: By writes.
    written_bytes: float
    #: By both.
    both_bytes: float
    #: Standard error of ``total_bytes``; zero where exact.
    standard_error_bytes: float


class WorkingSet(Result):
    """Distinct bytes touched in windows of one width, in whole blocks, over complete windows."""

    #: Width of a window.
    window_s: float
    #: Complete windows.
    windows: int
    #: Touched, mean of the windows.
    mean_bytes: float
    #: Touched, largest.
    max_bytes: float
    #: Read, mean.
    mean_read_bytes: float
    #: Read, largest.
    max_read_bytes: float
    #: Written, mean.
    mean_written_bytes: float
    #: Written, largest.
    max_written_bytes: float


class ReuseSample(Result):
    """What was followed."""

    #: ``exact`` or ``sampled``.
    method: str
    #: Share of the address space that is followed in the end.
    rate: float
    #: Regions of 16 blocks followed in the end.
    regions: int
    #: Blocks followed in the end.
    blocks: int
    #: Block references of the trace.
    references: int


class FirstTouches(Result):
    """Ratios over requests (one misses when any of its blocks does), bytes and block references."""

    #: Of all requests.
    requests: float
    #: Of all bytes.
    bytes: float
    #: Of reads; None without reads.
    read_requests: float | None
    #: Of bytes read.
    read_bytes: float | None
    #: Of writes.
    write_requests: float | None
    #: Of bytes written.
    write_bytes: float | None
    #: Of block references.
    references: float


class ReuseHistogram(Result):
    """Block references by LRU stack depth, in columns: a depth of 1 is the block referenced last.

    Shares of all reads' (writes') block references; the rest are first touches.
    """

    #: Least depth of the row, blocks.
    from_blocks: list[int]
    #: Greatest.
    to_blocks: list[int]
    #: Share of the references of reads.
    read_share: list[float]
    #: Share of the references of writes.
    write_share: list[float]


class MissRatios(Result):
    """Miss ratios by cache size, in columns."""

    #: Size of the cache.
    cache_bytes: list[int]
    #: Of all requests.
    requests: list[float]
    #: Of all bytes.
    bytes: list[float]
    #: Of reads; empty without reads.
    read_requests: list[float]
    #: Of bytes read.
    read_bytes: list[float]
    #: Of writes; empty without writes.
    write_requests: list[float]
    #: Of bytes written.
    write_bytes: list[float]
    #: Of block references.
    references: list[float]
    #: Standard error of ``requests`` by disjoint sub-samples; zero where exact.
    requests_standard_error: list[float]
    #: Standard error of ``bytes``.
    bytes_standard_error: list[float]


class ReuseFigures(Result):
    """Reuse within the trace, by LRU stack depth in blocks."""

    #: What the figures rest on.
    sample: ReuseSample
    #: First touches: these miss in a cache of any size.
    first_touch: FirstTouches
    #: References by stack depth.
    histogram: ReuseHistogram
    #: Miss ratios of a fully associative LRU cache that reads and writes both fill.
    miss_ratio: MissRatios


class WriteIntervals(Result):
    """Write intervals by length, in columns."""

    #: Shortest, seconds.
    from_s: list[float]
    #: Up to this, seconds.
    to_s: list[float]
    #: Share of overwritten blocks.
    block_share: list[float]
    #: Share of overwritten bytes.
    byte_share: list[float]


class RewriteFigures(Result):
    """Overwriting within the trace."""

    #: Share of write requests all of whose blocks the trace wrote before.
    overwrite_request_share: float | None
    #: Share of written bytes that lie in blocks the trace wrote before.
    overwrite_byte_share: float | None
    #: Share of read requests all of whose blocks the trace wrote before.
    read_of_written_request_share: float | None
    #: Share of read bytes that lie in blocks the trace wrote before.
    read_of_written_byte_share: float | None
    #: From one write of a block to its next, over overwritten blocks, seconds.
    interval_s: LengthSpread | None
    #: Write intervals by length.
    intervals: WriteIntervals


class SkewPoint(Result):
    """The hottest part of the touched places and what falls on it."""

    #: Part of the touched places, hottest first, 0 to 1.
    hottest: float
    #: Share of requests on it, where places are ranked by requests.
    request_share: float
    #: Share of bytes on it, where places are ranked by bytes.
    byte_share: float
    #: Reads among the requests on it.
    read_share: float


class TouchedExtents(Result):
    """Touched extents by device and address, in columns."""

    #: Name of the device.
    device: list[str]
    #: First byte.
    offset_bytes: list[int]
    #: Reads that start in it.
    reads: list[int]
    #: Writes that start in it.
    writes: list[int]
    #: Bytes read from it.
    bytes_read: list[int]
    #: Bytes written to it.
    bytes_written: list[int]


class DensityFigures(Result):
    """Requests and bytes by extent."""

    #: Bytes of an extent.
    extent_bytes: int
    #: Whether that is the size asked for; automatic extents are.
    as_asked: bool
    #: Extents with at least one request.
    touched: int
    #: Extents from the first touched one of each device to its last.
    spanned: int
    #: Share of the I/O on the hottest extents.
    skew: list[SkewPoint]
    #: Touched extents by device and address.
    extents: TouchedExtents


class BlockSkewPoint(Result):
    """The share of block references on the hottest part of the touched blocks."""

    #: Part of the touched blocks, hottest first.
    hottest: float
    #: Share of block references on it.
    reference_share: float


class RecordedResponses(Result):
    """Recorded response times, milliseconds; None where the trace has none."""

    #: Of reads.
    read: ValueSpread | None
    #: Of writes.
    write: ValueSpread | None


class VolumeFigures(Result):
    """One volume or stream."""

    #: Its name.
    name: str
    #: Reads and writes.
    requests: int
    #: Their share of all requests.
    request_share: float
    #: Share of all bytes.
    byte_share: float
    #: Reads among its requests.
    read_request_share: float
    #: Bytes read among its bytes.
    read_byte_share: float
    #: Mean bytes of a read.
    mean_read_bytes: float | None
    #: Mean bytes of a write.
    mean_write_bytes: float | None
    #: Requests per second over the span of the trace.
    iops: float
    #: Coefficient of variation of the gaps between its requests.
    inter_arrival_cv: float | None
    #: Share of its requests that start where its previous one ended.
    sequential_request_share: float
    #: Their share of its bytes.
    sequential_byte_share: float
    #: First request, seconds from the first of the trace.
    first_s: float
    #: Last request.
    last_s: float
    #: Lowest byte touched.
    lowest_byte: int
    #: End of the furthest request.
    end_byte: int
    #: Distinct bytes touched, in whole blocks; not known of streams.
    footprint_bytes: float | None


class Breakdown(Result):
    """All that have requests, the busiest first."""

    #: How many have requests.
    count: int
    #: The busiest, at most 1000.
    listed: list[VolumeFigures]
    #: Share of requests of those that are not listed.
    unlisted_request_share: float
    #: Their share of bytes.
    unlisted_byte_share: float


class Description(Result):
    """Everything that ``iowatt trace profile`` measures. Shares are 0 to 1; times are seconds."""

    #: The file as the user named it.
    file: str
    #: Name of the format.
    format: str
    #: The moment of time 0 in UTC, where stamps were absolute.
    origin: str | None
    #: What was asked for.
    options: DescribeOptions
    #: Requests by kind.
    requests: RequestCounts
    #: Share of requests of the direction of the one before; None for a single request.
    direction_repeats: float | None
    #: Bytes by direction.
    bytes: ByteCounts
    #: From the first request to the last.
    span: MeasuredSpan
    #: Means over the span; zero where the span is.
    rate: MeasuredRate
    #: Request sizes, exactly.
    sizes: RequestSizes
    #: Alignment of offsets and sizes.
    alignment: list[AlignmentLevel]
    #: Gaps between requests; None for a single one.
    inter_arrival: GapFigures | None
    #: Counts over scales.
    burstiness: Burstiness
    #: The course over time.
    over_time: WindowCounts
    #: Daily and weekly factors.
    envelope: EnvelopeFigures
    #: Requests that follow on others.
    sequential: Sequentiality
    #: Distances between successive requests of a device.
    jumps: JumpTable
    #: Distinct blocks touched.
    footprint: FootprintFigures
    #: Distinct blocks touched in windows.
    working_set: list[WorkingSet]
    #: Reuse distances and miss ratios.
    reuse: ReuseFigures
    #: Overwriting.
    rewrites: RewriteFigures
    #: I/O by extents.
    density: DensityFigures
    #: The share of block references on the hottest blocks.
    block_skew: list[BlockSkewPoint]
    #: Response times recorded in the trace, milliseconds.
    response_ms: RecordedResponses
    #: By device.
    devices: Breakdown
    #: By stream, over requests that name one.
    streams: Breakdown
    #: What reading the trace assumed, and what else to know before using the figures.
    notes: list[Note]


class Descriptions(ResultDocument):
    """Several traces."""

    schema_id: Literal["iowatt.description/1"] = Field(default="iowatt.description/1", alias="schema")
    traces: list[Description]
