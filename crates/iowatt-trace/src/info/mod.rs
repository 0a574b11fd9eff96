//! What is in a trace, read once in bounded memory: enough to see a unit mistake before it becomes a result.

mod arrivals;
mod footprint;
pub(crate) mod quantiles;
mod sequence;
pub(crate) mod sizes;
mod warnings;

use serde::Serialize;

use crate::error::TraceError;
use crate::request::{NO_RESPONSE, NO_STREAM, Op, Request, Source};
use arrivals::Arrivals;
use footprint::Touched;
use quantiles::Quantiles;
use sequence::Sequence;
use sizes::Sizes;

pub use footprint::Footprint;
pub use quantiles::Spread;
pub use sizes::{CommonSize, SizeSpread};

/// The version of [`TraceInfo`]'s JSON.
pub const SCHEMA: &str = "iowatt.trace-info/1";
/// Requests read between two calls of the progress callback.
const CHUNK: usize = 1 << 15;
const TOP: usize = 10;

/// Everything that `iowatt trace info` says. Shares are 0 to 1; reads and writes only, unless said otherwise.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TraceInfo {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// The file as the user named it.
    pub file: String,
    /// Name of the format.
    pub format: String,
    /// Whether the format was recognised rather than named.
    pub detected: bool,
    /// The moment of time 0 in UTC, where stamps were absolute.
    pub origin: Option<String>,
    /// Requests by kind.
    pub requests: RequestCounts,
    /// Bytes by direction.
    pub bytes: ByteCounts,
    /// From first to last stamp.
    pub span: Span,
    /// Mean over the span; zero where the span is.
    pub rate: Rate,
    /// Request sizes.
    pub sizes: SizeFigures,
    /// Distinct blocks touched.
    pub footprint: Footprint,
    /// End of the furthest request of any device, bytes: the least capacity that holds the trace.
    pub max_offset_bytes: u64,
    /// Requests that start where the previous one ended.
    pub sequential: Sequential,
    /// Gaps between successive requests; `None` for a single one.
    pub inter_arrival_s: Option<Spread>,
    /// Order and fineness of stamps.
    pub order: Order,
    /// Response times recorded in the trace, where it has any.
    pub response_ms: Option<Spread>,
    /// Devices with requests.
    pub devices: Ranking,
    /// Streams with requests.
    pub streams: Ranking,
    /// Whether the trace records no times: spans, rates and gaps then mean nothing.
    pub untimed: bool,
    /// What was assumed, what was passed over and what was done to the trace, in sentences.
    pub notes: Vec<String>,
    /// What looks like a mistake.
    pub warnings: Vec<String>,
}

/// Requests by kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RequestCounts {
    /// Reads and writes.
    pub count: u64,
    /// Reads.
    pub reads: u64,
    /// Writes.
    pub writes: u64,
    /// Reads over reads and writes.
    pub read_share: f64,
    /// Trims, not in `count`.
    pub trims: u64,
    /// Flushes, not in `count`.
    pub flushes: u64,
    /// Reads and writes whose size is not a whole number of sectors.
    pub partial_sectors: u64,
    /// Malformed records skipped.
    pub skipped_bad: u64,
    /// The first of them.
    pub first_bad: Vec<String>,
}

/// Bytes by direction.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ByteCounts {
    /// Read.
    pub read: u64,
    /// Written.
    pub written: u64,
    /// Read over both.
    pub read_share: f64,
}

/// First and last stamp, seconds from the trace's origin.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Span {
    /// First stamp.
    pub first_s: f64,
    /// Last stamp.
    pub last_s: f64,
    /// Between them.
    pub duration_s: f64,
}

/// Mean load.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rate {
    /// Requests per second.
    pub iops: f64,
    /// MiB per second.
    pub mib_per_s: f64,
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
    /// The commonest sizes of all requests, most frequent first.
    pub commonest: Vec<CommonSize>,
    /// False where there were too many different sizes to keep apart (to 1 % then).
    pub exact: bool,
}

/// Shares of requests that start where the previous one ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sequential {
    /// The previous one of the same device.
    pub share: f64,
    /// The previous one of the same stream on the same device; `None` where no stream is named.
    pub share_in_streams: Option<f64>,
}

/// Order and fineness of stamps.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Order {
    /// Records that stepped back in time and were sorted in.
    pub reordered: u64,
    /// Their share of requests.
    pub reordered_share: f64,
    /// Requests with the stamp of the one before.
    pub equal_stamps: u64,
    /// Their share of requests.
    pub equal_share: f64,
    /// Largest power of ten nanoseconds, at most 1 s, that divides all stamps.
    pub stamp_resolution_ns: u64,
}

/// How requests spread over names.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ranking {
    /// Names with at least one request.
    pub count: usize,
    /// The busiest, at most ten.
    pub top: Vec<Ranked>,
}

/// One name and its requests.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ranked {
    /// The name.
    pub name: String,
    /// Its requests.
    pub requests: u64,
    /// Their share of all requests.
    pub share: f64,
    /// End of its furthest request, bytes.
    pub max_offset_bytes: u64,
}

/// Reads `source` to its end and describes it. `progress` is called every few thousand requests with
/// the fraction read and the requests so far; its error ends the reading.
///
/// # Errors
/// As [`Source::fill`], and what `progress` returns.
pub fn info(
    source: &mut dyn Source,
    file: &str,
    progress: &mut dyn FnMut(Option<f64>, u64) -> Result<(), TraceError>,
) -> Result<TraceInfo, TraceError> {
    let mut survey = Survey::new();
    let mut batch = Vec::with_capacity(CHUNK);
    loop {
        batch.clear();
        let more = source.fill(&mut batch, CHUNK)?;
        batch.iter().for_each(|request| survey.add(request));
        progress(source.progress(), survey.count())?;
        if !more {
            return Ok(survey.finish(source, file));
        }
    }
}

#[derive(Clone, Copy, Default)]
struct Use {
    requests: u64,
    end: u64,
}

struct Survey {
    bytes: [u64; 2],
    sizes: [Sizes; 2],
    count: [u64; 2],
    touched: Touched,
    sequence: Sequence,
    arrivals: Arrivals,
    responses: Quantiles,
    devices: Vec<Use>,
    streams: Vec<Use>,
}

impl Survey {
    fn new() -> Self {
        Self {
            bytes: [0; 2],
            sizes: [Sizes::default(), Sizes::default()],
            count: [0; 2],
            touched: Touched::new(footprint::REGIONS),
            sequence: Sequence::default(),
            arrivals: Arrivals::new(),
            responses: Quantiles::new(),
            devices: Vec::new(),
            streams: Vec::new(),
        }
    }

    fn count(&self) -> u64 {
        self.count[0] + self.count[1]
    }

    fn add(&mut self, request: &Request) {
        if !matches!(request.op, Op::Read | Op::Write) {
            return;
        }
        let direction = request.op as usize;
        self.count[direction] += 1;
        self.bytes[direction] = self.bytes[direction].saturating_add(u64::from(request.size));
        self.sizes[direction].add(request.size);
        self.touched.add(request.device, request.offset, request.size, request.op == Op::Write);
        self.sequence.add(request);
        self.arrivals.add(request.time_ns);
        if request.response_ns != NO_RESPONSE {
            self.responses.add(request.response_ns.unsigned_abs());
        }
        note(&mut self.devices, request.device, request);
        if request.stream != NO_STREAM {
            note(&mut self.streams, request.stream, request);
        }
    }

    #[allow(clippy::cast_precision_loss)] // figures for people
    fn finish(&self, source: &dyn Source, file: &str) -> TraceInfo {
        let read = source.summary().unwrap_or_default();
        let (count, [reads, writes], [bytes_read, bytes_written]) = (self.count(), self.count, self.bytes);
        let share = |part: u64, whole: u64| part as f64 / whole.max(1) as f64;
        let seconds = |ns: u64| ns as f64 / 1e9;
        let span_s = seconds(self.arrivals.span_ns());
        let per_second = |amount: f64| if span_s > 0.0 { amount / span_s } else { 0.0 };
        let sizes = self.sizes[0].with(&self.sizes[1]);
        let mut info = TraceInfo {
            schema: SCHEMA,
            file: file.to_owned(),
            format: read.format,
            detected: read.detected,
            origin: read.origin,
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
            bytes: ByteCounts {
                read: bytes_read,
                written: bytes_written,
                read_share: share(bytes_read, bytes_read.saturating_add(bytes_written)),
            },
            span: Span {
                first_s: seconds(self.arrivals.first_ns()),
                last_s: seconds(self.arrivals.last_ns()),
                duration_s: span_s,
            },
            rate: Rate {
                iops: per_second(count as f64),
                mib_per_s: per_second((bytes_read as f64 + bytes_written as f64) / f64::from(1 << 20)),
            },
            sizes: SizeFigures {
                all: sizes.spread(),
                read: self.sizes[0].spread(),
                write: self.sizes[1].spread(),
                commonest: sizes.commonest(),
                exact: sizes.exact(),
            },
            footprint: self.touched.footprint(),
            max_offset_bytes: self.devices.iter().map(|u| u.end).max().unwrap_or(0),
            sequential: Sequential {
                share: self.sequence.share(),
                share_in_streams: self.sequence.share_in_streams(),
            },
            inter_arrival_s: self.arrivals.gaps.spread(1e9),
            order: Order {
                reordered: read.reordered,
                reordered_share: share(read.reordered, count),
                equal_stamps: read.equal_stamps,
                equal_share: share(read.equal_stamps, count),
                stamp_resolution_ns: self.arrivals.resolution_ns(),
            },
            response_ms: self.responses.spread(1e6),
            devices: ranking(&self.devices, source.devices(), count),
            streams: ranking(&self.streams, source.streams(), count),
            untimed: read.untimed,
            notes: read.notes,
            warnings: read.warnings,
        };
        info.warnings.extend(read.long_gap);
        info.warnings.extend(warnings::of(&info));
        info
    }
}

fn note(uses: &mut Vec<Use>, id: u32, request: &Request) {
    let id = id as usize;
    if uses.len() <= id {
        uses.resize(id + 1, Use::default());
    }
    uses[id].requests += 1;
    uses[id].end = uses[id].end.max(request.offset + u64::from(request.size));
}

#[allow(clippy::cast_precision_loss)] // shares
fn ranking(uses: &[Use], names: &[String], count: u64) -> Ranking {
    let mut used: Vec<_> = uses.iter().enumerate().filter(|(_, u)| u.requests > 0).collect();
    used.sort_by_key(|(id, u)| (std::cmp::Reverse(u.requests), *id));
    Ranking {
        count: used.len(),
        top: used
            .iter()
            .take(TOP)
            .map(|&(id, u)| Ranked {
                name: names.get(id).cloned().unwrap_or_else(|| id.to_string()),
                requests: u.requests,
                share: u.requests as f64 / count.max(1) as f64,
                max_offset_bytes: u.end,
            })
            .collect(),
    }
}
