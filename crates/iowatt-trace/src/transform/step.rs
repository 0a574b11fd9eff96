//! The shape of a transformation: requests in one by one, requests out one by one, in order of time.

use crate::error::{Fault, TraceError};
use crate::request::{Request, Source};
use crate::summary::Summary;

/// Requests that an adaptor asks of the source below it at a time.
const CHUNK: usize = 1 << 12;

/// One transformation. `put` is called only after `get` has said `None`.
pub(super) trait Step: Send {
    /// Takes the next request; `devices` are the names its device may index.
    ///
    /// # Errors
    /// What about it cannot be transformed.
    fn put(&mut self, request: Request, devices: &[String]) -> Result<(), Fault>;

    /// The next request that is ready.
    fn get(&mut self) -> Option<Request>;

    /// No more come in.
    fn end(&mut self) {}

    /// Whether nothing that may still come in would come out.
    fn finished(&self) -> bool {
        false
    }

    /// Names of the devices that come out, where they are not those that go in.
    fn devices(&self) -> Option<&[String]> {
        None
    }

    /// What was done, for the summary.
    fn note(&self) -> Option<String> {
        None
    }
}

/// A source behind a step.
pub(super) struct Adapted<S> {
    inner: Box<dyn Source>,
    step: S,
    file: String,
    batch: Vec<Request>,
    at: usize,
    more: bool,
    ended: bool,
}

impl<S: Step + 'static> Adapted<S> {
    /// `step` on the requests of `inner`; `file` names it in errors.
    pub(super) fn boxed(inner: Box<dyn Source>, step: S, file: &str) -> Box<dyn Source> {
        let file = file.to_owned();
        Box::new(Self { inner, step, file, batch: Vec::new(), at: 0, more: true, ended: false })
    }

    fn advance(&mut self, out: &mut Vec<Request>, limit: usize) -> Result<bool, TraceError> {
        let full = out.len().saturating_add(limit);
        while out.len() < full {
            if let Some(request) = self.step.get() {
                out.push(request);
            } else if self.ended {
                return Ok(false);
            } else if let Some(&request) = self.batch.get(self.at) {
                self.at += 1;
                self.step
                    .put(request, self.inner.devices())
                    .map_err(|fault| TraceError::unusable(&self.file, fault))?;
                if self.step.finished() {
                    self.finish();
                }
            } else if self.more {
                self.batch.clear();
                self.at = 0;
                self.more = self.inner.fill(&mut self.batch, CHUNK)?;
            } else {
                self.finish();
            }
        }
        Ok(true)
    }

    fn finish(&mut self) {
        self.step.end();
        self.ended = true;
    }
}

impl<S: Step + 'static> Source for Adapted<S> {
    fn fill(&mut self, out: &mut Vec<Request>, limit: usize) -> Result<bool, TraceError> {
        let result = self.advance(out, limit);
        self.ended |= result.is_err();
        result
    }

    fn devices(&self) -> &[String] {
        self.step.devices().unwrap_or_else(|| self.inner.devices())
    }

    fn streams(&self) -> &[String] {
        self.inner.streams()
    }

    fn summary(&self) -> Option<Summary> {
        let mut summary = self.inner.summary()?;
        summary.notes.extend(self.step.note());
        Some(summary)
    }

    fn progress(&self) -> Option<f64> {
        if self.ended { Some(1.0) } else { self.inner.progress() }
    }
}
