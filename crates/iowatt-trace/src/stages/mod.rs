//! A recording of blktrace as requests with the times at which they were queued, issued to the device, and completed.
//!
//! [`crate::open`] reads one event as the request, as a workload; here all three are joined, as a measurement. The files of all
//! CPUs are merged by time, in bounded memory.

mod join;
mod waiting;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::io::Read;

use serde::Serialize;

use crate::error::{Code, Fault, TraceError};
use crate::format::binary::Place;
use crate::format::blktrace::{self, Record};
use crate::gap::LongestGap;
use crate::input::Input;
use crate::names::Names;
use crate::request::Op;
use crate::spec::TraceSpec;
use join::{Event, Joiner};

pub use join::Joined;

/// A request and its times, in ns of the recording's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stage {
    /// `None` where that was before the recording.
    pub queued_ns: Option<u64>,
    /// When the first part of it went to the device; `None` of a device without a queue.
    pub issued_ns: Option<u64>,
    /// When the last part of it was done.
    pub completed_ns: u64,
    /// Bytes, in whole sectors of 512.
    pub bytes: u64,
    /// Index into [`Stages::devices`].
    pub device: u32,
    /// Read or write.
    pub op: Op,
}

/// What was read so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StagesSummary {
    /// Files read, one per CPU, or one.
    pub files: usize,
    /// Whether the file is that of one CPU among several.
    pub partial: Option<String>,
    /// Events that are missing between others of their CPU.
    pub lost: u64,
    /// Unix time in ns of time 0, where the recording says it.
    pub origin_unix_ns: Option<u64>,
    /// Trims and flushes, which are no requests here.
    pub others: u64,
    /// The longest gap between completions, in a sentence, where it is long.
    pub long_gap: Option<String>,
    /// Counts of what was joined.
    #[serde(flatten)]
    pub joined: Joined,
}

struct Cpu {
    file: String,
    input: Input,
    place: Place,
    waiting: Option<Record>,
}

/// A recording being read.
pub struct Stages {
    path: String,
    cpus: Vec<Cpu>,
    /// Stamp and number of the CPUs that have a record waiting.
    waiting: BinaryHeap<Reverse<(u64, usize)>>,
    /// CPUs whose next record is not read yet.
    unread: Vec<usize>,
    names: Names,
    /// The devices that are wanted; all where there are none.
    wanted: Vec<String>,
    joiner: Joiner,
    gap: LongestGap,
    /// Last event of a device on a CPU.
    sequences: HashMap<(u32, u32), u32>,
    summary: StagesSummary,
    name: String,
}

impl Stages {
    /// Opens the recording that `path` names without `.blktrace.N`, or one file. `wanted`: names of devices (`8,16`).
    ///
    /// # Errors
    /// There is none, or it is no recording of blktrace.
    pub fn open(path: &str, wanted: &[String]) -> Result<Self, TraceError> {
        let mut files: Vec<String> =
            blktrace::recording(path).iter().map(|file| file.to_string_lossy().into_owned()).collect();
        let partial = if files.is_empty() { blktrace::partial(path) } else { None };
        if files.is_empty() {
            files.push(path.to_owned());
        }
        let several = files.len() > 1;
        let mut cpus = Vec::with_capacity(files.len());
        for file in files {
            if several && std::fs::metadata(&file).is_ok_and(|metadata| metadata.len() == 0) {
                continue; // nothing ran on that CPU
            }
            let mut input = Input::open(&TraceSpec::new(file.clone()))?;
            blktrace::refuse_other(&file, &mut input)?;
            cpus.push(Cpu { file, input, place: Place::default(), waiting: None });
        }
        if cpus.is_empty() {
            let fault = Fault::new(Code::Empty, "the files of all CPUs are empty");
            return Err(TraceError::unusable(path, fault));
        }
        Ok(Self {
            summary: StagesSummary { partial, ..StagesSummary::default() },
            ..Self::of(path, cpus, wanted)
        })
    }

    /// The same from a reader of one file; `name` only names it.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn from_reader(name: &str, reader: Box<dyn Read + Send>) -> Result<Self, TraceError> {
        let mut input = Input::from_reader(name, reader, None)?;
        blktrace::refuse_other(name, &mut input)?;
        let cpu = Cpu { file: name.to_owned(), input, place: Place::default(), waiting: None };
        Ok(Self::of(name, vec![cpu], &[]))
    }

    fn of(path: &str, cpus: Vec<Cpu>, wanted: &[String]) -> Self {
        Self {
            path: path.to_owned(),
            waiting: BinaryHeap::new(),
            unread: (0..cpus.len()).rev().collect(),
            names: Names::default(),
            wanted: wanted.to_vec(),
            joiner: Joiner::default(),
            gap: LongestGap::default(),
            sequences: HashMap::new(),
            summary: StagesSummary::default(),
            name: String::new(),
            cpus,
        }
    }

    /// Appends requests in the order in which they completed, at least one and about `limit` at most; `false` at the end.
    ///
    /// # Errors
    /// A record is cut short or none.
    pub fn fill(&mut self, out: &mut Vec<Stage>, limit: usize) -> Result<bool, TraceError> {
        let full = out.len() + limit.max(1);
        while out.len() < full {
            let Some((record, cpu)) = self.record()? else {
                self.joiner.close();
                return Ok(false);
            };
            match self.event(&record) {
                Ok(None) => {}
                Ok(Some(event)) => self.join(&record, &event, out),
                Err(fault) => {
                    let cpu = &self.cpus[cpu];
                    return Err(TraceError::malformed(&cpu.file, cpu.place.number, fault));
                }
            }
        }
        Ok(true)
    }

    /// The next record by time, and its CPU.
    fn record(&mut self) -> Result<Option<(Record, usize)>, TraceError> {
        while let Some(index) = self.unread.pop() {
            let cpu = &mut self.cpus[index];
            match Record::take(&mut cpu.place, &mut cpu.input)? {
                None => {}
                Some(Ok(record)) => {
                    cpu.waiting = Some(record);
                    self.waiting.push(Reverse((record.time_ns(), index)));
                }
                Some(Err(fault)) => {
                    let fault = cpu.place.placed(fault);
                    return Err(TraceError::malformed(&cpu.file, cpu.place.number, fault));
                }
            }
        }
        let Some(Reverse((_, index))) = self.waiting.pop() else { return Ok(None) };
        self.unread.push(index);
        Ok(self.cpus[index].waiting.take().map(|record| (record, index)))
    }

    /// What a record says of a read or a write of a wanted device.
    fn event(&mut self, record: &Record) -> Result<Option<Event>, Fault> {
        if record.is_notification() {
            self.summary.origin_unix_ns = self.summary.origin_unix_ns.or(record.origin_unix_ns());
            return Ok(None);
        }
        let sequence = record.sequence();
        let last = self.sequences.insert((record.device(), record.cpu()), sequence).unwrap_or(sequence);
        if sequence > last {
            self.summary.lost += u64::from(sequence - last - 1);
        }
        let Some((op, offset, bytes)) = record.asked()? else { return Ok(None) };
        if i64::try_from(record.time_ns()).is_err() {
            let reason = format!("the time {} ns is beyond 292 years", record.time_ns());
            return Err(Fault::new(Code::OutOfRange, reason));
        }
        self.name.clear();
        record.name_device(&mut self.name);
        let device = self.names.devices.id(self.name.as_bytes())?;
        if !self.wanted.is_empty() && !self.wanted.contains(&self.name) {
            return Ok(None);
        }
        if !matches!(op, Op::Read | Op::Write) {
            self.summary.others += u64::from(record.event() == blktrace::QUEUED);
            return Ok(None);
        }
        Ok(Some(Event {
            time_ns: record.time_ns(),
            device,
            op,
            sector: offset / 512,
            sectors: bytes.div_ceil(512),
            failed: record.failed(),
        }))
    }

    fn join(&mut self, record: &Record, event: &Event, out: &mut Vec<Stage>) {
        match record.event() {
            blktrace::QUEUED => self.joiner.queue(event),
            blktrace::BACK_MERGED | blktrace::FRONT_MERGED => self.joiner.merge(),
            blktrace::SPLIT => self.joiner.split(event),
            blktrace::REQUEUED => self.joiner.requeue(event),
            blktrace::ISSUED => self.joiner.issue(event),
            blktrace::COMPLETED => {
                self.gap.add(event.time_ns);
                self.joiner.complete(event, out);
            }
            _ => {}
        }
    }

    /// Names of the devices so far.
    #[must_use]
    pub fn devices(&self) -> &[String] {
        self.names.devices.names()
    }

    /// What was read and joined so far.
    #[must_use]
    pub fn summary(&self) -> StagesSummary {
        StagesSummary {
            files: self.cpus.len(),
            joined: self.joiner.joined,
            long_gap: self.gap.warning(),
            ..self.summary.clone()
        }
    }

    /// The recording as it was named.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }
}

impl std::fmt::Debug for Stages {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stages").field("path", &self.path).field("cpus", &self.cpus.len()).finish()
    }
}
