//! `describe` against hand-worked figures, against brute force, and sampled against exact.

mod brute;
mod sampled;
mod worked;

use iowatt_trace::describe::{Description, Options, describe};
use iowatt_trace::{NO_RESPONSE, NO_STREAM, Op, Request, Source, TraceError};

/// Requests from memory.
struct Given {
    requests: std::vec::IntoIter<Request>,
    devices: Vec<String>,
}

impl Source for Given {
    fn fill(&mut self, out: &mut Vec<Request>, limit: usize) -> Result<bool, TraceError> {
        out.extend(self.requests.by_ref().take(limit));
        Ok(self.requests.len() > 0)
    }

    fn devices(&self) -> &[String] {
        &self.devices
    }
}

fn of(requests: Vec<Request>, options: &Options) -> Description {
    let devices = (0..4).map(|i| format!("d{i}")).collect();
    let mut source = Given { requests: requests.into_iter(), devices };
    describe(&mut source, "test", options, &mut |_, _| Ok(())).unwrap()
}

fn request(time_ns: u64, op: Op, offset: u64, size: u32) -> Request {
    Request { time_ns, offset, response_ns: NO_RESPONSE, size, device: 0, stream: NO_STREAM, op }
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}
