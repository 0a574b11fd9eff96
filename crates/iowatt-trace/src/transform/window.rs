//! A stretch of time: requests from one moment up to another, the first of which becomes time 0.

use super::step::Step;
use crate::error::Fault;
use crate::order::seconds;
use crate::request::Request;

pub(super) struct Window {
    from_ns: u64,
    to_ns: u64,
    ready: Option<Request>,
    past: bool,
}

impl Window {
    pub(super) fn new(from_ns: u64, to_ns: u64) -> Self {
        Self { from_ns, to_ns, ready: None, past: false }
    }
}

impl Step for Window {
    fn put(&mut self, request: Request, _: &[String]) -> Result<(), Fault> {
        self.past = request.time_ns >= self.to_ns;
        if request.time_ns >= self.from_ns && !self.past {
            self.ready = Some(Request { time_ns: request.time_ns - self.from_ns, ..request });
        }
        Ok(())
    }

    fn get(&mut self) -> Option<Request> {
        self.ready.take()
    }

    fn finished(&self) -> bool {
        self.past
    }

    fn note(&self) -> Option<String> {
        let to =
            if self.to_ns == u64::MAX { "the end".to_owned() } else { format!("{} s", seconds(self.to_ns)) };
        Some(format!(
            "requests from {} s to {to} were taken; time 0 is their beginning",
            seconds(self.from_ns)
        ))
    }
}
