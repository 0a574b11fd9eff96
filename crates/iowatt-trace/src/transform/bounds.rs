//! What must hold of the requests that come out of all other steps: their volume's end, their device, their count.

use super::step::Step;
use crate::error::{Code, Fault, TraceError};
use crate::gap::LongestGap;
use crate::request::{Op, Request, Source, partial_sectors};
use crate::selection::second_device;
use crate::summary::Summary;

/// Requests end within the volume.
pub(super) struct Limit {
    bytes: u64,
    volume: String,
    ready: Option<Request>,
}

impl Limit {
    pub(super) fn new(bytes: u64, volume: Option<&str>) -> Self {
        let volume = volume.map_or_else(|| "the volume".to_owned(), |name| format!("volume '{name}'"));
        Self { bytes, volume, ready: None }
    }
}

impl Step for Limit {
    fn put(&mut self, request: Request, _: &[String]) -> Result<(), Fault> {
        let end = request.offset + u64::from(request.size);
        if end > self.bytes {
            let (volume, bytes) = (&self.volume, self.bytes);
            let reason = format!("a request ends at byte {end}, past the end of {volume} ({bytes} bytes)");
            return Err(Fault::new(Code::OutOfRange, reason));
        }
        self.ready = Some(request);
        Ok(())
    }

    fn get(&mut self) -> Option<Request> {
        self.ready.take()
    }
}

/// Requests are of one device, as nothing says how several would share an address space.
#[derive(Default)]
pub(super) struct OneDevice {
    first: Option<u32>,
    ready: Option<Request>,
}

impl Step for OneDevice {
    fn put(&mut self, request: Request, devices: &[String]) -> Result<(), Fault> {
        let first = *self.first.get_or_insert(request.device);
        if first != request.device {
            let name = |id: u32| devices.get(id as usize).map_or("", String::as_str);
            return Err(second_device(name(first), name(request.device)));
        }
        self.ready = Some(request);
        Ok(())
    }

    fn get(&mut self) -> Option<Request> {
        self.ready.take()
    }
}

/// Counts what comes out in the end, and refuses to end with nothing.
pub(super) struct Counted {
    pub(super) inner: Box<dyn Source>,
    pub(super) file: String,
    pub(super) counts: [u64; 4],
    pub(super) partial_sectors: u64,
    pub(super) equal: u64,
    pub(super) last_ns: Option<u64>,
    pub(super) gap: LongestGap,
}

impl Source for Counted {
    fn fill(&mut self, out: &mut Vec<Request>, limit: usize) -> Result<bool, TraceError> {
        let from = out.len();
        let more = self.inner.fill(out, limit)?;
        for request in &out[from..] {
            self.counts[request.op as usize] += 1;
            self.partial_sectors += u64::from(partial_sectors(request.op, u64::from(request.size)));
            self.equal += u64::from(self.last_ns == Some(request.time_ns));
            self.last_ns = Some(request.time_ns);
            self.gap.add(request.time_ns);
        }
        if !more && self.last_ns.is_none() {
            let reason = "no request is left: there are none between start and end";
            return Err(TraceError::unusable(&self.file, Fault::new(Code::Empty, reason)));
        }
        Ok(more)
    }

    fn devices(&self) -> &[String] {
        self.inner.devices()
    }

    fn streams(&self) -> &[String] {
        self.inner.streams()
    }

    fn summary(&self) -> Option<Summary> {
        let summary = self.inner.summary()?;
        Some(Summary {
            requests: self.counts.iter().sum(),
            reads: self.counts[Op::Read as usize],
            writes: self.counts[Op::Write as usize],
            partial_sectors: self.partial_sectors,
            equal_stamps: self.equal,
            long_gap: self.gap.warning(),
            ..summary
        })
    }

    fn progress(&self) -> Option<f64> {
        self.inner.progress()
    }
}
