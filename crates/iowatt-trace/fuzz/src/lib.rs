//! What every target checks: no panic, and requests that keep their promises.
#![allow(clippy::panic)] // a broken promise is what a fuzzer looks for

use std::io::Cursor;

use iowatt_trace::{Op, Request, Source, Stages, TraceError, TraceSpec, from_reader};

/// Groups of every kind, for the format regex.
const PATTERN: &str = r"(?<time_us>[\d.]+)[ ,](?<device>\w+)[ ,](?:(?<read>R)|(?<write>W)|(?<trim>D)|(?<flush>F))[ ,](?<lba>\w*)[ ,](?<sectors>\w*)";

/// The first byte chooses the options, the rest is the trace.
pub fn decode(format: Option<&str>, data: &[u8]) {
    let Some((&options, bytes)) = data.split_first() else { return };
    let mut spec = TraceSpec::new("fuzz");
    spec.format = format.map(str::to_owned);
    spec.device = (options & 1 == 0).then(|| "*".to_owned());
    spec.order_only = true; // else the formats without times stop at once
    spec.pattern = (format == Some("regex")).then(|| PATTERN.to_owned());
    spec.skip_bad = if options & 2 == 0 { 1000 } else { 0 };
    spec.include_other = options & 4 == 0;
    spec.order_tolerance_s = [None, Some(0.0), Some(1.0), Some(1e9)][usize::from(options >> 3 & 3)];
    let _ = read(bytes, &spec);
}

/// All requests that a recording of blktrace joins into; their times never run backwards.
pub fn join(data: &[u8]) {
    let Ok(mut stages) = Stages::from_reader("fuzz", Box::new(Cursor::new(data.to_vec()))) else { return };
    let mut out = Vec::new();
    while let Ok(true) = stages.fill(&mut out, 64) {}
    for stage in &out {
        let begun = stage.queued_ns.or(stage.issued_ns);
        assert!(begun.is_some_and(|begun| begun <= stage.completed_ns) && stage.bytes > 0);
        assert!(stage.issued_ns.is_none_or(|issued| begun <= Some(issued) && issued <= stage.completed_ns));
    }
}

/// All requests of `bytes`, each checked against what `Request` and `Source` promise.
pub fn read(bytes: &[u8], spec: &TraceSpec) -> Result<Vec<Request>, TraceError> {
    let mut source = from_reader(Box::new(Cursor::new(bytes.to_vec())), spec)?;
    let mut requests = Vec::new();
    while source.fill(&mut requests, 64)? {}
    check(&requests, source.as_ref(), spec);
    Ok(requests)
}

fn check(requests: &[Request], source: &dyn Source, spec: &TraceSpec) {
    assert!(requests.windows(2).all(|pair| pair[0].time_ns <= pair[1].time_ns));
    for request in requests {
        assert!(i64::try_from(request.time_ns).is_ok() && request.response_ns >= -1);
        assert!(request.size > 0 || request.op == Op::Flush);
        assert!(request.offset + u64::from(request.size) <= 1 << 63);
        assert!((request.device as usize) < source.devices().len());
        assert!(request.stream == u32::MAX || (request.stream as usize) < source.streams().len());
        assert!(spec.include_other || matches!(request.op, Op::Read | Op::Write));
        assert!(spec.device.is_some() || request.device == requests[0].device);
    }
    assert_eq!(source.summary().map(|summary| summary.requests), Some(requests.len() as u64));
}
