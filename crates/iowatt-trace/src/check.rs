//! The checks that every request passes, whatever it was decoded from, and the counting.
//!
//! Sizes that are zero or do not fit, ends past 2^63, requests past the volume's end, devices that
//! were not asked for, steps back in time, and malformed records are dealt with here, so that they
//! mean the same for a file of any format and for the batches that Python hands in. Absolute stamps
//! are rebased here: the origin is the earliest stamp of the trace, of whichever device, so that two
//! devices of one trace keep their time relation.

use crate::error::{Code, Fault, TraceError};
use crate::format::{Clock, Raw, Records};
use crate::gap::LongestGap;
use crate::order::{HELD, Reorder};
use crate::origin;
use crate::request::{NO_STREAM, Op, Request, Source, partial_sectors};
use crate::selection::Selection;
use crate::spec::TraceSpec;
use crate::summary::Summary;

/// What the format says about order and time.
#[derive(Clone, Copy, Debug)]
pub struct Habits {
    /// Name of the format.
    pub format: &'static str,
    /// Whether it was recognised rather than named.
    pub detected: bool,
    /// What stamps count from.
    pub clock: Clock,
    /// Default of `order_tolerance_s`.
    pub order_tolerance_s: f64,
}

/// A [`Source`] that checks what [`Records`] deliver.
pub struct Checked<R> {
    records: R,
    spec: TraceSpec,
    clock: Clock,
    order: Reorder,
    summary: Summary,
    selection: Selection,
    earliest_ns: u64,
    origin_ns: Option<u64>,
    last_ns: Option<u64>,
    gap: LongestGap,
    /// Records decoded together, how many of them are through the checks, and the place of the first.
    run: Vec<Raw>,
    admitted: usize,
    first_place: u64,
    /// How many devices and streams the records taken so far have named; the rest of the run may have named others.
    devices: usize,
    streams: usize,
    ended: bool,
}

const FIRST_BAD: usize = 5;
/// Records of a run at most.
const RUN: usize = 256;
const END: u64 = 1 << 63;

impl<R: Records> Checked<R> {
    /// Checks `records` by the rules of `spec`.
    ///
    /// # Errors
    /// A tolerance that is no time.
    pub fn new(records: R, spec: &TraceSpec, habits: Habits) -> Result<Self, TraceError> {
        let tolerance_s = spec.order_tolerance_s.unwrap_or(habits.order_tolerance_s);
        if !(0.0..=1e9).contains(&tolerance_s) {
            let reason = format!("order_tolerance is {tolerance_s} s; 0 to 1e9 seconds are accepted");
            return Err(TraceError::unusable(spec.file(), Fault::new(Code::OutOfRange, reason)));
        }
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // in 0..=1e18
        let tolerance_ns = (tolerance_s * 1e9).round() as u64;
        Ok(Self {
            records,
            spec: spec.clone(),
            clock: habits.clock,
            order: Reorder::new(tolerance_ns, HELD),
            summary: Summary {
                format: habits.format.to_owned(),
                detected: habits.detected,
                ..Summary::default()
            },
            selection: Selection::new(spec.device.clone(), spec.devices.clone()),
            earliest_ns: u64::MAX,
            origin_ns: None,
            last_ns: None,
            gap: LongestGap::default(),
            run: Vec::new(),
            admitted: 0,
            first_place: 0,
            devices: 0,
            streams: 0,
            ended: false,
        })
    }

    fn unusable(&self, code: Code, reason: String) -> TraceError {
        TraceError::unusable(self.spec.file(), Fault::new(code, reason))
    }

    /// Skips a bad record while the spec allows, else makes an error of it.
    #[cold]
    fn bad(&mut self, place: u64, fault: Fault) -> Result<(), TraceError> {
        if fault.fatal || self.summary.skipped_bad >= self.spec.skip_bad {
            let mut fault = fault;
            if !fault.fatal && self.spec.skip_bad > 0 {
                let skipped = self.spec.skip_bad;
                fault.reason = format!("{} (`skip_bad={skipped}` are used up)", fault.reason);
            }
            return Err(TraceError::malformed(self.spec.file(), place, fault));
        }
        self.summary.skipped_bad += 1;
        if self.summary.first_bad.len() < FIRST_BAD {
            self.summary.first_bad.push(format!("{place}: {}", fault.reason));
        }
        Ok(())
    }

    /// As [`Self::check_in`]; what is refused leaves no trace in the order.
    #[inline]
    fn admit(&mut self, place: u64, raw: &Raw) -> Result<(), TraceError> {
        let newest_ns = self.order.newest_ns();
        let checked = self.check_in(place, raw);
        if checked.is_err() {
            self.order.forget(newest_ns);
        }
        checked
    }

    #[inline]
    fn check_in(&mut self, place: u64, raw: &Raw) -> Result<(), TraceError> {
        if !fits(raw) {
            return self.bad(place, misfit(raw));
        }
        match self.order.note(raw.time_ns) {
            Ok(stepped_back) => self.summary.reordered += u64::from(stepped_back),
            Err(reason) => return self.bad(place, Fault::new(Code::OutOfOrder, reason)),
        }
        self.earliest_ns = self.earliest_ns.min(raw.time_ns);
        match self.selection.wants(raw.device, self.records.names().devices.names()) {
            Ok(true) => {}
            Ok(false) => return Ok(()),
            Err(fault) => return self.bad(place, fault),
        }
        match raw.op {
            Op::Read | Op::Write => {}
            Op::Trim => self.summary.trims += 1,
            Op::Flush => self.summary.flushes += 1,
        }
        if matches!(raw.op, Op::Trim | Op::Flush) && !self.spec.include_other {
            return Ok(());
        }
        if let Some(limit) = self.spec.limit_bytes
            && raw.offset + raw.size > limit
        {
            return Err(self.past_the_end(place, raw, limit));
        }
        self.order.push(*raw);
        Ok(())
    }

    #[cold]
    fn past_the_end(&self, place: u64, raw: &Raw, limit: u64) -> TraceError {
        let (end, offset) = (raw.offset + raw.size, raw.offset);
        let volume = match &self.spec.limit_name {
            Some(name) => format!("volume '{name}'"),
            None => "the volume".to_owned(),
        };
        let reason = format!(
            "the request at offset {offset} ends at byte {end}, past the end of {volume} ({limit} bytes)"
        );
        TraceError::malformed(self.spec.file(), place, Fault::new(Code::OutOfRange, reason))
    }

    #[inline]
    fn emit(&mut self, raw: &Raw) -> Result<Request, TraceError> {
        let origin_ns = match self.origin_ns {
            Some(origin_ns) => origin_ns,
            None => self.fix_origin(),
        };
        let time_ns = raw.time_ns - origin_ns;
        if i64::try_from(time_ns).is_err() {
            let time = raw.time_ns;
            let reason = format!("a stamp of {time} ns is past 2^63 ns (292 years)");
            return Err(self.unusable(Code::OutOfRange, reason));
        }
        Ok(Request {
            time_ns,
            offset: raw.offset,
            response_ns: raw.response_ns,
            size: u32::try_from(raw.size).unwrap_or(u32::MAX), // `fits` has checked it
            device: raw.device,
            stream: raw.stream,
            op: raw.op,
        })
    }

    /// Counts requests that are handed out.
    fn count(&mut self, requests: &[Request]) {
        let [mut reads, mut writes, mut partial, mut equal] = [0; 4];
        let (mut last_ns, mut gap) = (self.last_ns, self.gap);
        for request in requests {
            let Request { time_ns, op, size, .. } = *request;
            reads += u64::from(op == Op::Read);
            writes += u64::from(op == Op::Write);
            partial += u64::from(partial_sectors(op, u64::from(size)));
            equal += u64::from(last_ns == Some(time_ns));
            last_ns = Some(time_ns);
            gap.add(time_ns);
        }
        (self.last_ns, self.gap) = (last_ns, gap);
        self.summary.requests += requests.len() as u64;
        self.summary.reads += reads;
        self.summary.writes += writes;
        self.summary.partial_sectors += partial;
        self.summary.equal_stamps += equal;
    }

    /// The first release fixes the origin: nothing earlier than the earliest stamp so far can come.
    #[cold]
    fn fix_origin(&mut self) -> u64 {
        let (origin_ns, unix_ns) = origin::of(self.clock, self.earliest_ns);
        self.origin_ns = Some(origin_ns);
        self.summary.origin_unix_ns = unix_ns;
        self.summary.origin = unix_ns.map(origin::utc);
        origin_ns
    }

    fn finish(&mut self) -> Result<(), TraceError> {
        self.ended = true;
        self.order.finish();
        match self.selection.missing(self.records.names().devices.names()) {
            Some(reason) => Err(self.unusable(Code::UnknownName, reason)),
            None => Ok(()),
        }
    }

    fn nothing(&self) -> TraceError {
        let other = self.summary.trims + self.summary.flushes;
        let mut reason = "there are no read or write requests".to_owned();
        if other > 0 {
            reason = format!("{reason}, only {other} trims and flushes");
        }
        if self.summary.skipped_bad > 0 {
            reason = format!("{reason}; {} malformed records were skipped", self.summary.skipped_bad);
        }
        if let Some(remark) = self.records.remark() {
            reason = format!("{reason}; {remark}");
        }
        self.unusable(Code::Empty, reason)
    }

    /// Takes the next record, or up to `several` where the input has them ready; `false` at the end.
    #[inline]
    fn take(&mut self, several: usize) -> Result<bool, TraceError> {
        if self.admitted == self.run.len() {
            self.run.clear();
            self.admitted = 0;
            self.first_place = self.records.run(&mut self.run, several.min(RUN))?;
            if self.run.is_empty() {
                return self.take_one();
            }
        }
        let run = std::mem::take(&mut self.run);
        let place = self.first_place + self.admitted as u64;
        let admitted =
            (place..).zip(run.iter().skip(self.admitted).take(several)).try_for_each(|(place, raw)| {
                self.admitted += 1;
                self.devices = self.devices.max(raw.device as usize + 1);
                if raw.stream != NO_STREAM {
                    self.streams = self.streams.max(raw.stream as usize + 1);
                }
                self.admit(place, raw)
            });
        self.run = run;
        admitted.map(|()| true)
    }

    fn take_one(&mut self) -> Result<bool, TraceError> {
        let next = self.records.next()?;
        let names = self.records.names();
        (self.devices, self.streams) = (names.devices.names().len(), names.streams.names().len());
        match next {
            Some((place, Ok(raw))) => self.admit(place, &raw)?,
            Some((place, Err(fault))) => self.bad(place, fault)?,
            None => return Ok(false),
        }
        Ok(true)
    }

    /// Hands out what may go, as far as it is wanted.
    #[inline]
    fn release(&mut self, out: &mut Vec<Request>, full: usize) -> Result<(), TraceError> {
        while out.len() < full
            && let Some(raw) = self.order.pop()
        {
            let request = self.emit(&raw)?;
            out.push(request);
        }
        Ok(())
    }

    /// Takes no record beyond those that `full` asks for, so that an error is met after all that comes before it.
    fn advance(&mut self, out: &mut Vec<Request>, full: usize) -> Result<(), TraceError> {
        loop {
            self.release(out, full)?;
            if out.len() >= full || self.ended {
                return Ok(());
            }
            match self.take(self.order.room(full - out.len())) {
                Ok(true) => {}
                Ok(false) => self.finish()?,
                Err(error) => {
                    self.release(out, full)?;
                    return Err(error);
                }
            }
        }
    }
}

/// Neither zero size, nor size over u32, nor end past 2^63.
#[inline]
fn fits(raw: &Raw) -> bool {
    (raw.size > 0 || raw.op == Op::Flush) && raw.size <= u64::from(u32::MAX) && raw.offset <= END - raw.size
}

/// What does not fit.
#[cold]
fn misfit(raw: &Raw) -> Fault {
    let (offset, size) = (raw.offset, raw.size);
    if size == 0 && raw.op != Op::Flush {
        return Fault::new(Code::OutOfRange, "the size is zero; a request moves at least one byte");
    }
    if size > u64::from(u32::MAX) {
        let reason = format!("a size of {size} bytes is not accepted; at most 4294967295");
        return Fault::new(Code::OutOfRange, reason);
    }
    Fault::new(Code::OutOfRange, format!("offset {offset} plus size {size} is past 2^63 bytes"))
}

impl<R: Records> Source for Checked<R> {
    fn fill(&mut self, out: &mut Vec<Request>, limit: usize) -> Result<bool, TraceError> {
        let (before, full) = (out.len(), out.len().saturating_add(limit));
        let mut result = self.advance(out, full).map(|()| out.len() == full);
        self.count(&out[before..]);
        if let Ok(false) = result
            && self.summary.requests == 0
        {
            result = Err(self.nothing());
        }
        if result.is_err() {
            self.ended = true;
            self.order.clear();
        }
        result
    }

    fn devices(&self) -> &[String] {
        let names = self.records.names().devices.names();
        names.get(..self.devices).unwrap_or(names)
    }

    fn streams(&self) -> &[String] {
        let names = self.records.names().streams.names();
        names.get(..self.streams).unwrap_or(names)
    }

    fn summary(&self) -> Option<Summary> {
        Some(Summary {
            notes: self.records.notes(),
            warnings: self.records.warnings(),
            long_gap: self.gap.warning(),
            untimed: self.records.untimed(),
            ..self.summary.clone()
        })
    }

    fn progress(&self) -> Option<f64> {
        if self.ended { Some(1.0) } else { self.records.progress() }
    }
}
