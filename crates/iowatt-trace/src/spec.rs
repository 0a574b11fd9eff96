//! What to read and how: the JSON object that Python hands over, unknown keys refused.

use crate::error::{Code, Fault};
use std::collections::BTreeMap;

use serde::Deserialize;

/// A trace to open.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceSpec {
    /// The file; `-` is standard input.
    pub path: String,
    /// Name of the format; left out, it is detected from the first lines.
    #[serde(default)]
    pub format: Option<String>,
    /// CSV: which column is which (`time`, `op`, `offset`, `size`, `device`, `stream`, `response`;
    /// `lba` and `sectors` instead of `offset` and `size` where those count sectors).
    #[serde(default)]
    pub columns: Option<BTreeMap<String, Column>>,
    /// CSV, regex: unit of times whose header or group does not name one. mqsim: unit of the stamps.
    #[serde(default)]
    pub time_unit: Option<TimeUnit>,
    /// Bytes of a block where the format counts blocks; the format's own (512 in most) unless given.
    #[serde(default)]
    pub sector_bytes: Option<u32>,
    /// blkparse, blktrace, perf, hp-srt, etw: which event is a request; `Q` unless given (perf: `D`).
    #[serde(default)]
    pub event: Option<Event>,
    /// regex: the pattern of a line, with named groups.
    #[serde(default)]
    pub pattern: Option<String>,
    /// arc, lirs, fio-iolog without waits: requests per second, which the trace does not record.
    #[serde(default)]
    pub rate_iops: Option<f64>,
    /// Whether such a trace may be read without a rate, all stamps 0, because only the order matters.
    #[serde(default)]
    pub order_only: bool,
    /// Left out: the trace must hold one device. `*`: all of them. Else: only that one's requests.
    #[serde(default)]
    pub device: Option<String>,
    /// Only the requests of these devices; in place of `device`.
    #[serde(default)]
    pub devices: Option<Vec<String>>,
    /// Several traces that make this one; what says how to decode stands in each of them.
    #[serde(default)]
    pub parts: Vec<TraceSpec>,
    /// How they make it.
    #[serde(default)]
    pub combine: Combine,
    /// What their stamps have in common.
    #[serde(default)]
    pub align: Align,
    /// Equal stamps are spread over a tick of so many seconds.
    #[serde(default)]
    pub spread_s: Option<f64>,
    /// For what happens by chance.
    #[serde(default)]
    pub seed: u64,
    /// Requests from this moment of the trace on, seconds; it becomes time 0.
    #[serde(default)]
    pub from_s: Option<f64>,
    /// Requests before this moment, seconds.
    #[serde(default)]
    pub to_s: Option<f64>,
    /// Stamps are divided by it.
    #[serde(default)]
    pub speed: Option<f64>,
    /// Requests are cut at multiples of so many bytes.
    #[serde(default)]
    pub split_bytes: Option<u64>,
    /// Requests are cut into so many bytes at most.
    #[serde(default)]
    pub max_transfer_bytes: Option<u64>,
    /// Where the devices lie in volumes.
    #[serde(default)]
    pub place: Option<Placement>,
    /// How often its address space is laid out.
    #[serde(default)]
    pub copies: Option<CopiesSpec>,
    /// Malformed records to skip before the next one is an error.
    #[serde(default)]
    pub skip_bad: u64,
    /// Steps back in time that are sorted out, seconds; left out, the format's own default.
    #[serde(default)]
    pub order_tolerance_s: Option<f64>,
    /// Bytes of the volume; a request past them is an error.
    #[serde(default)]
    pub limit_bytes: Option<u64>,
    /// Name of the volume, for that error.
    #[serde(default)]
    pub limit_name: Option<String>,
    /// Whether trims and flushes come out too.
    #[serde(default)]
    pub include_other: bool,
}

impl TraceSpec {
    /// Everything at its default.
    #[must_use]
    pub fn new(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            format: None,
            columns: None,
            time_unit: None,
            sector_bytes: None,
            event: None,
            pattern: None,
            rate_iops: None,
            order_only: false,
            device: None,
            devices: None,
            parts: Vec::new(),
            combine: Combine::default(),
            align: Align::default(),
            spread_s: None,
            seed: 0,
            from_s: None,
            to_s: None,
            speed: None,
            split_bytes: None,
            max_transfer_bytes: None,
            place: None,
            copies: None,
            skip_bad: 0,
            order_tolerance_s: None,
            limit_bytes: None,
            limit_name: None,
            include_other: false,
        }
    }

    /// The file as messages name it.
    #[must_use]
    pub fn file(&self) -> &str {
        if self.path == "-" { "<stdin>" } else { &self.path }
    }

    /// Bytes of a block, 512 unless given.
    ///
    /// # Errors
    /// Zero.
    pub(crate) fn sector(&self) -> Result<u64, Fault> {
        self.block(512)
    }

    /// Bytes of a block, `usual` unless given.
    ///
    /// # Errors
    /// Zero.
    pub(crate) fn block(&self, usual: u64) -> Result<u64, Fault> {
        match self.sector_bytes {
            Some(0) => Err(Fault::new(Code::OutOfRange, "sector_size is 0; 512 or 4096 are usual")),
            Some(bytes) => Ok(u64::from(bytes)),
            None => Ok(usual),
        }
    }
}

/// A column of a table.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(untagged)]
pub enum Column {
    /// By its place, from 0, in a table without a header.
    Number(usize),
    /// By its header.
    Header(String),
}

/// How several traces make one.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Combine {
    /// By time, each with devices and streams of its own.
    #[default]
    Merge,
    /// One behind the other; equal names are the same device.
    Append,
}

/// What the stamps of several traces have in common.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Align {
    /// The clock, where they count from moments known in UTC; else the start.
    #[default]
    Clock,
    /// Time 0, whatever their clocks say.
    Start,
}

/// A trace that stands for a larger system.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct CopiesSpec {
    /// Tenants that do what the trace does, each with data and a beginning of its own.
    pub clones: u32,
    /// Address spaces over which the data of each is spread, visit by visit.
    pub stretch: u32,
    /// Bytes that all address spaces take; left out, they follow one another.
    #[serde(default)]
    pub span_bytes: Option<u64>,
}

/// Where devices lie in volumes.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Placement {
    /// Device by device; none: all devices, end to end in one volume, in order of appearance.
    #[serde(default)]
    pub seats: Vec<Seat>,
    /// A device whose offset is not given begins at a multiple of this.
    pub align_bytes: u64,
}

/// Where one device lies.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seat {
    /// The device of the trace.
    pub device: String,
    /// The volume; left out, the only one.
    #[serde(default)]
    pub volume: Option<String>,
    /// The first byte; left out, behind the device before it in the same volume.
    #[serde(default)]
    pub offset: Option<u64>,
}

/// Unit of a time column.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
pub enum TimeUnit {
    /// Seconds.
    #[serde(rename = "s")]
    Seconds,
    /// Milliseconds.
    #[serde(rename = "ms")]
    Milliseconds,
    /// Microseconds.
    #[serde(rename = "us")]
    Microseconds,
    /// Nanoseconds.
    #[serde(rename = "ns")]
    Nanoseconds,
    /// Picoseconds, in which MQSim may count.
    #[serde(rename = "ps")]
    Picoseconds,
}

impl TimeUnit {
    /// Nanoseconds are 10 to this power per unit; picoseconds have no whole power.
    ///
    /// # Errors
    /// Picoseconds.
    pub fn power(self) -> Result<u32, Fault> {
        match self {
            Self::Seconds => Ok(9),
            Self::Milliseconds => Ok(6),
            Self::Microseconds => Ok(3),
            Self::Nanoseconds => Ok(0),
            Self::Picoseconds => {
                let reason = "time_unit ps is for mqsim only; s, ms, us and ns are accepted";
                Err(Fault::new(Code::NotApplicable, reason))
            }
        }
    }

    /// As users write it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Seconds => "s",
            Self::Milliseconds => "ms",
            Self::Microseconds => "us",
            Self::Nanoseconds => "ns",
            Self::Picoseconds => "ps",
        }
    }
}

/// Which of the block layer's events is taken for a request.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
pub enum Event {
    /// Queued: what applications asked for, merges not yet made.
    #[default]
    Q,
    /// Issued to the device.
    D,
    /// Completed.
    C,
}
