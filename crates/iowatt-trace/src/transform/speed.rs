//! Time scaled: all stamps divided by a factor. Response times, which the recorded storage took, stay.

use super::step::Step;
use crate::error::{Code, Fault};
use crate::request::Request;

pub(super) struct Speed {
    speed: f64,
    ready: Option<Request>,
}

impl Speed {
    pub(super) fn new(speed: f64) -> Self {
        Self { speed, ready: None }
    }
}

impl Step for Speed {
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)] // exact for 104 days
    fn put(&mut self, request: Request, _: &[String]) -> Result<(), Fault> {
        let scaled = request.time_ns as f64 / self.speed;
        if scaled >= i64::MAX as f64 {
            let reason = format!("at a speed of {} the trace lasts longer than 292 years", self.speed);
            return Err(Fault::new(Code::OutOfRange, reason));
        }
        self.ready = Some(Request { time_ns: scaled.round() as u64, ..request });
        Ok(())
    }

    fn get(&mut self) -> Option<Request> {
        self.ready.take()
    }

    fn note(&self) -> Option<String> {
        Some(format!("time runs {} times as fast as recorded", self.speed))
    }
}
