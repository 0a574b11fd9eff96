//! Several traces as one: merged by time, each with devices and streams of its own, or one behind the other.
//!
//! Stamps that count from a moment known in UTC keep their relation: a trace that began an hour later comes an hour later. Where
//! no trace knows its moment, all begin at the same time (merged) or where the one before ended (appended). Traces that know
//! it do not go with such that do not, unless `align` = start says that clocks do not matter.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use crate::error::{Code, Fault, TraceError};
use crate::names::{MAX_DEVICES, MAX_STREAMS};
use crate::request::{NO_STREAM, Request, Source};
use crate::spec::{Align, Combine};
use crate::summary::Summary;

/// Requests that are read of one part at a time.
const CHUNK: usize = 1 << 12;

struct Part {
    label: String,
    source: Box<dyn Source>,
    batch: Vec<Request>,
    at: usize,
    more: bool,
    shift_ns: u64,
    /// Our index by the part's own.
    devices: Vec<u32>,
    streams: Vec<u32>,
}

impl Part {
    /// The stamp of the next request on the common clock, reading on where needed.
    fn next_ns(&mut self) -> Result<Option<u64>, TraceError> {
        while self.at == self.batch.len() && self.more {
            self.batch.clear();
            self.at = 0;
            self.more = self.source.fill(&mut self.batch, CHUNK)?;
        }
        Ok(self.batch.get(self.at).map(|request| request.time_ns.saturating_add(self.shift_ns)))
    }
}

/// Which devices are wanted, by the names that they have together or in their own trace.
struct Wanted {
    /// `None`: all.
    asked: Option<Vec<String>>,
    seen: Vec<bool>,
}

impl Wanted {
    fn new(asked: Option<Vec<String>>) -> Self {
        let seen = vec![false; asked.as_ref().map_or(0, Vec::len)];
        Self { asked, seen }
    }

    /// Whether device `own` of the trace `label` is; called once for each that appears.
    fn has(&mut self, label: &str, own: &str) -> bool {
        let Some(asked) = &self.asked else { return true };
        let mut wanted = false;
        for (asked, seen) in asked.iter().zip(&mut self.seen) {
            let whole = asked.strip_prefix(label).and_then(|rest| rest.strip_prefix(':')) == Some(own);
            if asked == own || whole {
                (wanted, *seen) = (true, true);
            }
        }
        wanted
    }

    /// One that never appeared.
    fn missing(&self) -> Option<&str> {
        let asked = self.asked.iter().flatten().zip(&self.seen);
        asked.filter(|(_, seen)| !**seen).map(|(name, _)| name.as_str()).next()
    }
}

/// Our index of a device that is not wanted.
const UNWANTED: u32 = u32::MAX - 1;

/// Names of all parts.
struct Shared {
    names: Vec<String>,
    /// Only where equal names mean the same.
    index: Option<HashMap<String, u32>>,
    bound: usize,
    kind: &'static str,
}

impl Shared {
    fn new(kind: &'static str, bound: usize, combine: Combine) -> Self {
        let index = (combine == Combine::Append).then(HashMap::new);
        Self { names: Vec::new(), index, bound, kind }
    }

    /// Our index of the part's `id`.
    fn id(&mut self, label: &str, ids: &mut Vec<u32>, names: &[String], id: u32) -> Result<u32, Fault> {
        if let Some(&ours) = ids.get(id as usize).filter(|&&ours| ours != u32::MAX) {
            return Ok(ours);
        }
        let name = names.get(id as usize).map_or("", String::as_str);
        let ours = self.names.len() as u32;
        let ours = match &mut self.index {
            Some(index) => match index.get(name) {
                Some(&known) => known,
                None => {
                    index.insert(name.to_owned(), ours);
                    self.names.push(name.to_owned());
                    ours
                }
            },
            None => {
                self.names.push(format!("{label}:{name}"));
                ours
            }
        };
        if self.names.len() > self.bound {
            let (bound, kind) = (self.bound, self.kind);
            let reason = format!("there are more than {bound} different {kind}s in all traces together");
            return Err(Fault::new(Code::TooLarge, reason));
        }
        if ids.len() <= id as usize {
            ids.resize(id as usize + 1, u32::MAX);
        }
        ids[id as usize] = ours;
        Ok(ours)
    }
}

/// The combination.
pub(super) struct Combined {
    file: String,
    combine: Combine,
    align: Align,
    parts: Vec<Part>,
    started: bool,
    /// Stamp and number of the parts that have a request (merged).
    waiting: BinaryHeap<Reverse<(u64, usize)>>,
    /// The part that is read (appended).
    current: usize,
    last_ns: u64,
    devices: Shared,
    wanted: Wanted,
    streams: Shared,
    origin_ns: Option<u64>,
}

impl Combined {
    /// `devices`: only these, by their names together (`FILE:DEVICE`) or in their own trace.
    pub(super) fn new(
        file: &str,
        sources: Vec<(String, Box<dyn Source>)>,
        combine: Combine,
        align: Align,
        devices: Option<Vec<String>>,
    ) -> Self {
        let labels = labels(sources.iter().map(|(path, _)| path.as_str()));
        let part = |((_, source), label)| Part {
            label,
            source,
            batch: Vec::new(),
            at: 0,
            more: true,
            shift_ns: 0,
            devices: Vec::new(),
            streams: Vec::new(),
        };
        Self {
            file: file.to_owned(),
            combine,
            align,
            parts: sources.into_iter().zip(labels).map(part).collect(),
            started: false,
            waiting: BinaryHeap::new(),
            current: 0,
            last_ns: 0,
            devices: Shared::new("device", MAX_DEVICES, combine),
            wanted: Wanted::new(devices),
            streams: Shared::new("stream", MAX_STREAMS, combine),
            origin_ns: None,
        }
    }

    fn unusable(&self, code: Code, reason: String) -> TraceError {
        TraceError::unusable(&self.file, Fault::new(code, reason))
    }

    /// Reads the first requests of all parts, after which their origins are known, and puts their clocks together.
    fn start(&mut self) -> Result<(), TraceError> {
        self.started = true;
        for part in &mut self.parts {
            part.next_ns()?;
        }
        let origins: Vec<Option<u64>> = self
            .parts
            .iter()
            .map(|part| part.source.summary().and_then(|summary| summary.origin_unix_ns))
            .collect();
        if self.align == Align::Clock {
            let known = origins.iter().flatten().min().copied();
            if let (Some(first), Some(without)) = (known, origins.iter().position(Option::is_none)) {
                let with = origins.iter().position(|origin| *origin == Some(first)).unwrap_or(0);
                let reason = format!(
                    "stamps of '{}' are moments in UTC and those of '{}' are not; `clock=start` lets both begin at time 0",
                    self.parts[with].label, self.parts[without].label
                );
                return Err(self.unusable(Code::NotComparable, reason));
            }
            self.origin_ns = known;
            for (part, origin) in self.parts.iter_mut().zip(&origins) {
                part.shift_ns = origin.zip(known).map_or(0, |(origin, first)| origin - first);
            }
        }
        if self.combine == Combine::Merge {
            for index in 0..self.parts.len() {
                self.wait_for(index)?;
            }
        }
        Ok(())
    }

    fn wait_for(&mut self, index: usize) -> Result<(), TraceError> {
        if let Some(time_ns) = self.parts[index].next_ns()? {
            self.waiting.push(Reverse((time_ns, index)));
        }
        Ok(())
    }

    /// The part whose request is next.
    fn next_part(&mut self) -> Result<Option<usize>, TraceError> {
        if self.combine == Combine::Merge {
            return Ok(self.waiting.pop().map(|Reverse((_, index))| index));
        }
        while self.current < self.parts.len() {
            if self.parts[self.current].next_ns()?.is_some() {
                return Ok(Some(self.current));
            }
            self.current += 1;
            let Some(next) = self.parts.get_mut(self.current) else { break };
            if self.origin_ns.is_none() {
                next.shift_ns = self.last_ns;
            } else if next.next_ns()?.is_some_and(|time_ns| time_ns < self.last_ns) {
                let label = next.label.clone();
                let reason = format!(
                    "'{label}' begins before the trace in front of it ends, so that it cannot be appended; merge them, or put them in \
                     order"
                );
                return Err(self.unusable(Code::OutOfOrder, reason));
            }
        }
        Ok(None)
    }

    /// Our index of the device, or `UNWANTED`.
    fn device(&mut self, index: usize, id: u32) -> Result<u32, Fault> {
        let part = &mut self.parts[index];
        if part.devices.get(id as usize).is_none_or(|&ours| ours == u32::MAX) {
            let name = part.source.devices().get(id as usize).map_or("", String::as_str);
            if !self.wanted.has(&part.label, name) {
                if part.devices.len() <= id as usize {
                    part.devices.resize(id as usize + 1, u32::MAX);
                }
                part.devices[id as usize] = UNWANTED;
            }
        }
        self.devices.id(&part.label, &mut part.devices, part.source.devices(), id)
    }

    fn next(&mut self) -> Result<Option<Request>, TraceError> {
        loop {
            let Some(index) = self.next_part()? else {
                return match self.wanted.missing() {
                    None => Ok(None),
                    Some(name) => {
                        let reason = format!("no trace has requests of device '{name}'");
                        Err(self.unusable(Code::UnknownName, reason))
                    }
                };
            };
            let request = self.take(index)?;
            if request.device != UNWANTED {
                return Ok(Some(request));
            }
        }
    }

    /// The next request of a part.
    fn take(&mut self, index: usize) -> Result<Request, TraceError> {
        let part = &mut self.parts[index];
        let request = part.batch[part.at];
        part.at += 1;
        let time_ns = request.time_ns.saturating_add(part.shift_ns);
        let device = self.device(index, request.device);
        let part = &mut self.parts[index];
        let stream = match request.stream {
            NO_STREAM => Ok(NO_STREAM),
            stream => self.streams.id(&part.label, &mut part.streams, part.source.streams(), stream),
        };
        let file = &self.file;
        let refused = |fault: Fault| TraceError::unusable(file, fault);
        let (device, stream) = (device.map_err(refused)?, stream.map_err(refused)?);
        if i64::try_from(time_ns).is_err() {
            let reason = "the traces together last longer than 292 years".to_owned();
            return Err(self.unusable(Code::OutOfRange, reason));
        }
        self.last_ns = time_ns;
        if self.combine == Combine::Merge {
            self.wait_for(index)?;
        }
        Ok(Request { time_ns, device, stream, ..request })
    }
}

impl Source for Combined {
    fn fill(&mut self, out: &mut Vec<Request>, limit: usize) -> Result<bool, TraceError> {
        if !self.started {
            self.start()?;
        }
        let full = out.len().saturating_add(limit);
        while out.len() < full {
            match self.next()? {
                Some(request) => out.push(request),
                None => return Ok(false),
            }
        }
        Ok(true)
    }

    fn devices(&self) -> &[String] {
        &self.devices.names
    }

    fn streams(&self) -> &[String] {
        &self.streams.names
    }

    fn summary(&self) -> Option<Summary> {
        let mut all = Summary::default();
        let mut formats: Vec<String> = Vec::new();
        for part in &self.parts {
            let one = part.source.summary()?;
            if !formats.contains(&one.format) {
                formats.push(one.format.clone());
            }
            all.detected |= one.detected;
            all.untimed |= one.untimed;
            all.skipped_bad += one.skipped_bad;
            all.reordered += one.reordered;
            all.trims += one.trims;
            all.flushes += one.flushes;
            all.first_bad.extend(one.first_bad.iter().map(|bad| format!("{}: {bad}", part.label)));
            all.notes.extend(one.notes.iter().map(|note| format!("{}: {note}", part.label)));
            all.warnings.extend(one.warnings.iter().map(|text| format!("{}: {text}", part.label)));
            if self.origin_ns.is_some() && one.origin_unix_ns == self.origin_ns {
                (all.origin, all.origin_unix_ns) = (one.origin, one.origin_unix_ns);
            }
        }
        all.format = formats.join(", ");
        let (count, clocks) = (self.parts.len(), self.origin_ns.is_some());
        all.notes.push(match (self.combine, clocks) {
            (Combine::Merge, true) => format!("{count} traces merged by their clocks, devices kept apart"),
            (Combine::Merge, false) => {
                format!("{count} traces merged from a common beginning, devices kept apart")
            }
            (Combine::Append, true) => format!("{count} traces one behind the other, by their clocks"),
            (Combine::Append, false) => {
                format!("{count} traces one behind the other; the time between them is not known and taken as none")
            }
        });
        Some(all)
    }

    #[allow(clippy::cast_precision_loss)] // a fraction for a progress bar
    fn progress(&self) -> Option<f64> {
        let shares: Option<Vec<f64>> = self.parts.iter().map(|part| part.source.progress()).collect();
        shares.map(|shares| shares.iter().sum::<f64>() / shares.len().max(1) as f64)
    }
}

/// What the parts are called: their files' names up to the first point, or numbers where these are not different.
fn labels<'a>(paths: impl Iterator<Item = &'a str>) -> Vec<String> {
    let stems: Vec<String> = paths
        .map(|path| {
            let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
            name.split('.').find(|piece| !piece.is_empty()).unwrap_or(name).to_owned()
        })
        .collect();
    let different = stems.iter().enumerate().all(|(at, stem)| !stems[..at].contains(stem));
    if different { stems } else { (1..=stems.len()).map(|number| number.to_string()).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_called_after_their_files_where_that_tells_them_apart() {
        assert_eq!(labels(["/a/hm.csv.gz", "usr.csv"].into_iter()), ["hm", "usr"]);
        assert_eq!(labels(["/a/t.csv", "/b/t.csv"].into_iter()), ["1", "2"]);
        assert_eq!(labels(["-", ".hidden"].into_iter()), ["-", "hidden"]);
    }
}
