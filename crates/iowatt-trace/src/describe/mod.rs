//! What a storage engineer wants to know of a trace, measured in one pass and bounded memory.
//!
//! Each figure has a module that says what it means; [`Description`] is their sum and the JSON that
//! `iowatt trace profile` prints. Reads and writes only; request and byte ratios always both.
#![allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)] // statistics
#![allow(clippy::cast_possible_wrap)]

mod alignment;
mod arrivals;
mod blocks;
mod clock;
mod density;
mod envelope;
mod jumps;
mod logbins;
mod notes;
mod options;
mod runs;
mod skew;
#[cfg(test)]
mod testing;
mod timeline;
mod volumes;

use serde::Serialize;

use crate::error::{Code, Fault, TraceError};
use crate::info::quantiles::{Quantiles, Spread};
use crate::info::sizes::{SizeSpread, Sizes};
use crate::info::{ByteCounts, RequestCounts};
use crate::request::{NO_RESPONSE, NO_STREAM, Op, Request, Source};

pub use alignment::Aligned;
pub use arrivals::{Divisions, Fitted, GapFigures, GapHistogram, Hurst, Scale};
pub use blocks::{
    BlockSkewPoint, FootprintFigures, Intervals, MissRatios, Ratios, ReuseFigures, ReuseHistogram,
    ReuseSample, RewriteFigures, WorkingSet,
};
pub use density::{DensityFigures, Extents};
pub use envelope::EnvelopeFigures;
pub use jumps::JumpTable;
pub use logbins::Percentiles;
pub use options::Options;
pub use runs::{RunFigures, RunLengths};
pub use skew::SkewPoint;
pub use timeline::Rates;
pub use volumes::{Breakdown, Volume};

/// The version of [`Description`]'s JSON.
pub const SCHEMA: &str = "iowatt.description/1";
/// Requests read between two calls of the progress callback.
const CHUNK: usize = 1 << 15;
/// Pairs of device and stream whose runs are followed.
const STREAMS: usize = 1 << 18;

/// Everything that `iowatt trace profile` measures. Shares are 0 to 1; times are seconds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Description {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// The file as the user named it.
    pub file: String,
    /// Name of the format.
    pub format: String,
    /// The moment of time 0 in UTC, where stamps were absolute.
    pub origin: Option<String>,
    /// What was asked for.
    pub options: Options,
    /// Requests by kind.
    pub requests: RequestCounts,
    /// Share of requests of the direction of the one before; `None` for a single request.
    pub direction_repeats: Option<f64>,
    /// Bytes by direction.
    pub bytes: ByteCounts,
    /// From the first request to the last.
    pub span: Span,
    /// Means over the span; zero where the span is.
    pub rate: Rate,
    /// Request sizes, exactly.
    pub sizes: SizeFigures,
    /// Alignment of offsets and sizes.
    pub alignment: Vec<Aligned>,
    /// Gaps between requests; `None` for a single one.
    pub inter_arrival: Option<GapFigures>,
    /// Counts over scales.
    pub burstiness: Burstiness,
    /// The course over time.
    pub over_time: Rates,
    /// Daily and weekly factors.
    pub envelope: EnvelopeFigures,
    /// Requests that follow on others.
    pub sequential: Sequential,
    /// Distances between successive requests of a device.
    pub jumps: JumpTable,
    /// Distinct blocks touched.
    pub footprint: FootprintFigures,
    /// Distinct blocks touched in windows.
    pub working_set: Vec<WorkingSet>,
    /// Reuse distances and miss ratios.
    pub reuse: ReuseFigures,
    /// Overwriting.
    pub rewrites: RewriteFigures,
    /// I/O by extents.
    pub density: DensityFigures,
    /// The share of block references on the hottest blocks.
    pub block_skew: Vec<BlockSkewPoint>,
    /// Response times recorded in the trace, milliseconds.
    pub response_ms: Responses,
    /// By device.
    pub devices: Breakdown,
    /// By stream, over requests that name one.
    pub streams: Breakdown,
    /// What reading the trace assumed, and what else to know before using the figures.
    pub notes: Vec<String>,
}

/// First and last request.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Span {
    /// Seconds from the trace's time 0 to the first request.
    pub first_s: f64,
    /// From there to the last.
    pub duration_s: f64,
}

/// Mean load.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rate {
    /// Requests per second.
    pub iops: f64,
    /// Reads per second.
    pub read_iops: f64,
    /// Writes per second.
    pub write_iops: f64,
    /// MiB per second.
    pub mib_per_s: f64,
    /// MiB read per second.
    pub read_mib_per_s: f64,
    /// MiB written per second.
    pub write_mib_per_s: f64,
}

/// Sizes in bytes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SizeFigures {
    /// Of all requests.
    pub all: Option<SizeSpread>,
    /// Of reads.
    pub read: Option<SizeSpread>,
    /// Of writes.
    pub write: Option<SizeSpread>,
    /// Every size.
    pub histogram: SizeHistogram,
    /// False where there were more than 65536 different sizes: to 1 % then.
    pub exact: bool,
}

/// Every size with its requests, ascending, in columns.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SizeHistogram {
    /// The size.
    pub bytes: Vec<u32>,
    /// Reads of it.
    pub reads: Vec<u64>,
    /// Writes of it.
    pub writes: Vec<u64>,
}

/// Counts over scales.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Burstiness {
    /// Windows of 2^-16 s and so on: dispersion and peak.
    pub scales: Vec<Scale>,
    /// The Hurst exponent by several methods; empty where the trace is too short.
    pub hurst: Vec<Hurst>,
}

/// Requests that follow on others.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sequential {
    /// Share of requests that start where the previous one of their device ended, of whichever direction.
    pub consecutive_request_share: f64,
    /// Their share of bytes.
    pub consecutive_byte_share: f64,
    /// The same within streams, over requests that name one; `None` where none does.
    pub consecutive_in_stream_request_share: Option<f64>,
    /// Its share of their bytes.
    pub consecutive_in_stream_byte_share: Option<f64>,
    /// Runs on each device, several open at once (`lookback` of the options), all directions together.
    pub runs: RunFigures,
    /// Runs of reads.
    pub read_runs: RunFigures,
    /// Runs of writes.
    pub write_runs: RunFigures,
    /// Runs of each stream on each device, over requests that name a stream, one open at a time.
    pub stream_runs: Option<RunFigures>,
}

/// Recorded response times, milliseconds; `None` where the trace has none.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Responses {
    /// Of reads.
    pub read: Option<Spread>,
    /// Of writes.
    pub write: Option<Spread>,
}

/// Reads `source` to its end and describes it. `progress` is called every few thousand requests with the
/// fraction read and the requests so far; its error ends the reading.
///
/// # Errors
/// As [`Source::fill`], what `progress` returns, and options that cannot be measured by.
pub fn describe(
    source: &mut dyn Source,
    file: &str,
    options: &Options,
    progress: &mut dyn FnMut(Option<f64>, u64) -> Result<(), TraceError>,
) -> Result<Description, TraceError> {
    options.check().map_err(|reason| TraceError::unusable(file, Fault::new(Code::OutOfRange, reason)))?;
    let mut survey = Survey::new(options);
    let mut batch = Vec::with_capacity(CHUNK);
    loop {
        batch.clear();
        let more = source.fill(&mut batch, CHUNK)?;
        batch.iter().for_each(|request| survey.add(request));
        progress(source.progress(), survey.count())?;
        if !more {
            return Ok(survey.finish(source, file, options));
        }
    }
}

struct Survey {
    size_bytes: [u32; 2],
    first_ns: Option<u64>,
    last_ns: u64,
    count: [u64; 2],
    last_direction: Option<usize>,
    repeats: u64,
    bytes: [u64; 2],
    sizes: [Sizes; 2],
    alignment: alignment::Alignment,
    gaps: arrivals::Gaps,
    cascade: arrivals::Cascade,
    timeline: timeline::Timeline,
    envelope: envelope::Envelope,
    runs: runs::Runs<u32>,
    stream_runs: runs::Runs<(u32, u32)>,
    jumps: jumps::Jumps,
    blocks: blocks::Blocks,
    density: density::Density,
    responses: [Quantiles; 2],
    devices: volumes::Volumes,
    streams: volumes::Volumes,
}

impl Survey {
    fn new(options: &Options) -> Self {
        Self {
            size_bytes: options.size_bytes.unwrap_or([0, u32::MAX]),
            first_ns: None,
            last_ns: 0,
            count: [0; 2],
            last_direction: None,
            repeats: 0,
            bytes: [0; 2],
            sizes: [Sizes::default(), Sizes::default()],
            alignment: alignment::Alignment::default(),
            gaps: arrivals::Gaps::new(),
            cascade: arrivals::Cascade::new(),
            timeline: timeline::Timeline::new(options.dyadic_windows),
            envelope: envelope::Envelope::default(),
            runs: runs::Runs::new(options.lookback, options.gap_bytes, usize::MAX),
            stream_runs: runs::Runs::new(1, options.gap_bytes, STREAMS),
            jumps: jumps::Jumps::new(),
            blocks: blocks::Blocks::new(options),
            density: density::Density::new(options.extent_bytes),
            responses: [Quantiles::new(), Quantiles::new()],
            devices: volumes::Volumes::default(),
            streams: volumes::Volumes::default(),
        }
    }

    fn count(&self) -> u64 {
        self.count[0] + self.count[1]
    }

    fn add(&mut self, request: &Request) {
        if !matches!(request.op, Op::Read | Op::Write) {
            return;
        }
        let since_ns = request.time_ns - *self.first_ns.get_or_insert(request.time_ns);
        self.last_ns = since_ns;
        if request.size < self.size_bytes[0] || request.size > self.size_bytes[1] {
            return;
        }
        let write = request.op == Op::Write;
        let direction = usize::from(write);
        self.count[direction] += 1;
        self.repeats += u64::from(self.last_direction.replace(direction) == Some(direction));
        self.bytes[direction] = self.bytes[direction].saturating_add(u64::from(request.size));
        self.sizes[direction].add(request.size);
        self.alignment.add(request);
        self.gaps.add(since_ns);
        self.cascade.add(since_ns);
        self.timeline.add(since_ns, request);
        self.envelope.add(since_ns);
        self.runs.add(request.device, write, request.offset, request.size);
        self.jumps.add(request);
        self.blocks.add(since_ns, request);
        self.density.add(request);
        if request.response_ns != NO_RESPONSE {
            self.responses[direction].add(request.response_ns.unsigned_abs());
        }
        self.devices.add(request.device, since_ns, request);
        if request.stream != NO_STREAM {
            self.streams.add(request.stream, since_ns, request);
            self.stream_runs.add((request.device, request.stream), write, request.offset, request.size);
        }
    }

    fn finish(mut self, source: &dyn Source, file: &str, options: &Options) -> Description {
        let read = source.summary().unwrap_or_default();
        let (count, [reads, writes], [bytes_read, bytes_written]) = (self.count(), self.count, self.bytes);
        let share = |part: u64, whole: u64| part as f64 / whole.max(1) as f64;
        let span_s = self.last_ns as f64 / 1e9;
        let per_second = |amount: f64| if span_s > 0.0 { amount / span_s } else { 0.0 };
        let mib_per_second = |bytes: u64| per_second(bytes as f64 / f64::from(1 << 20));
        let all_bytes = bytes_read.saturating_add(bytes_written);
        let mut over_time = self.timeline.finish();
        let blocks = self.blocks.finish(self.last_ns, over_time.window_s);
        over_time.working_set_bytes = blocks.working_set_series;
        let scales = self.cascade.finish(self.last_ns);
        let inter_arrival = self.gaps.finish();
        let resolution_ns = inter_arrival.as_ref().map_or(0, |gaps| gaps.stamp_resolution_ns);
        let whole = [count as f64, all_bytes as f64];
        let [runs, read_runs, write_runs] = self.runs.finish();
        let consecutive = self.devices.sequential().unwrap_or_default();
        let in_streams = self.streams.sequential();
        let streamed = self.stream_runs.requests() > 0;
        let [stream_runs, _, _] = self.stream_runs.finish();
        let mut description = Description {
            schema: SCHEMA,
            file: file.to_owned(),
            format: read.format,
            origin: read.origin,
            options: options.clone(),
            requests: RequestCounts {
                count,
                reads,
                writes,
                read_share: share(reads, count),
                trims: read.trims,
                flushes: read.flushes,
                partial_sectors: read.partial_sectors,
                skipped_bad: read.skipped_bad,
                first_bad: read.first_bad,
            },
            direction_repeats: (count > 1).then(|| share(self.repeats, count - 1)),
            bytes: ByteCounts {
                read: bytes_read,
                written: bytes_written,
                read_share: share(bytes_read, all_bytes),
            },
            span: Span { first_s: self.first_ns.unwrap_or(0) as f64 / 1e9, duration_s: span_s },
            rate: Rate {
                iops: per_second(count as f64),
                read_iops: per_second(reads as f64),
                write_iops: per_second(writes as f64),
                mib_per_s: mib_per_second(all_bytes),
                read_mib_per_s: mib_per_second(bytes_read),
                write_mib_per_s: mib_per_second(bytes_written),
            },
            sizes: size_figures(&self.sizes),
            alignment: self.alignment.finish(),
            inter_arrival,
            burstiness: Burstiness { hurst: arrivals::estimates(&scales, resolution_ns), scales },
            over_time,
            envelope: self.envelope.finish(self.last_ns),
            sequential: Sequential {
                consecutive_request_share: consecutive[0],
                consecutive_byte_share: consecutive[1],
                consecutive_in_stream_request_share: in_streams.map(|both| both[0]),
                consecutive_in_stream_byte_share: in_streams.map(|both| both[1]),
                runs,
                read_runs,
                write_runs,
                stream_runs: streamed.then_some(stream_runs),
            },
            jumps: self.jumps.finish(),
            footprint: blocks.footprint,
            working_set: blocks.working_sets,
            reuse: blocks.reuse,
            rewrites: blocks.rewrites,
            density: self.density.finish(options.extent_bytes, source.devices()),
            block_skew: blocks.skew,
            response_ms: Responses {
                read: self.responses[0].spread(1e6),
                write: self.responses[1].spread(1e6),
            },
            devices: self.devices.finish(source.devices(), whole, span_s, Some(&blocks.footprints)),
            streams: self.streams.finish(source.streams(), whole, span_s, None),
            notes: read.notes,
        };
        let own = notes::of(&description);
        description.notes.extend(own);
        description
    }
}

fn size_figures(sizes: &[Sizes; 2]) -> SizeFigures {
    let both = sizes[0].with(&sizes[1]);
    let of = |at: usize, size: u32| sizes[at].counts().get(&size).copied().unwrap_or(0);
    let mut histogram = SizeHistogram::default();
    for &size in both.counts().keys() {
        histogram.bytes.push(size);
        histogram.reads.push(of(0, size));
        histogram.writes.push(of(1, size));
    }
    SizeFigures {
        all: both.spread(),
        read: sizes[0].spread(),
        write: sizes[1].spread(),
        exact: both.exact(),
        histogram,
    }
}
