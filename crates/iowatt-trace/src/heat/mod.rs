//! Where in its address space a trace is hot: reads, writes and bytes by extent and period.

mod map;
mod slots;

pub use map::{Cell, HeatMap, LEAST_EXTENT, Row};

use crate::error::TraceError;
use crate::request::{Op, Request, Source};

/// Requests read between two calls of the progress callback.
const CHUNK: usize = 1 << 15;

/// The heat of a trace, and what else was seen of it.
#[derive(Debug)]
pub struct TraceHeat {
    /// Counts; spaces are devices, time is that of the trace.
    pub map: HeatMap,
    /// First and last time stamp, nanoseconds; none where the trace is empty.
    pub span: Option<(u64, u64)>,
    /// By device, the end of the furthest request.
    pub ends: Vec<u64>,
}

/// Reads a whole source. `tell` is called after each chunk with the fraction read and the requests so far.
///
/// # Errors
/// What the source reports, or `tell` returns.
pub fn heat(
    source: &mut dyn Source,
    extent_bytes: u64,
    period: Option<u64>,
    tell: &mut dyn FnMut(Option<f64>, u64) -> Result<(), TraceError>,
) -> Result<TraceHeat, TraceError> {
    let mut requests: Vec<Request> = Vec::with_capacity(CHUNK);
    let (mut span, mut ends, mut done) = (None, Vec::<u64>::new(), 0);
    let mut map = HeatMap::new(extent_bytes, 0, period);
    loop {
        requests.clear();
        let more = source.fill(&mut requests, CHUNK)?;
        for request in requests.iter().filter(|r| matches!(r.op, Op::Read | Op::Write)) {
            let at = request.time_ns;
            if span.is_none() {
                map = HeatMap::new(extent_bytes, at, period);
            }
            span = Some((span.map_or(at, |(first, _)| first), at));
            let until = request.offset.saturating_add(u64::from(request.size));
            let device = request.device as usize;
            if ends.len() <= device {
                ends.resize(device + 1, 0);
            }
            ends[device] = ends[device].max(until);
            map.add(at, request.device, request.offset, until, request.op == Op::Write);
        }
        done += requests.len() as u64;
        tell(source.progress(), done)?;
        if !more {
            return Ok(TraceHeat { map, span, ends });
        }
    }
}
