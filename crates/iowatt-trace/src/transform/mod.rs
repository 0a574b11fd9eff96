//! What may be done to a trace on its way in, each once, in this order: stamps spread over their tick (of each trace by
//! itself), several traces combined, a stretch of time taken, time scaled, requests cut, devices placed, all of it copied.
//!
//! Each transformation is a [`Source`] over another one, streams, and leaves a sentence in the summary. A trace to which nothing is
//! done passes through none of this.

mod bounds;
mod combine;
mod copies;
mod place;
mod speed;
mod split;
mod spread;
mod step;
mod window;

use bounds::{Counted, Limit, OneDevice};
use combine::Combined;
use copies::Copies;
use place::{Ends, Place, needs_ends};
use speed::Speed;
use split::{Cut, Split};
use spread::Spread;
use step::Adapted;
use window::Window;

use crate::error::{Code, Fault, TraceError};
use crate::gap::LongestGap;
use crate::request::{Op, Source};
use crate::spec::TraceSpec;

/// Opens the parts of a trace: one source each, in order.
pub type OpenParts<'a> = dyn FnMut() -> Result<Vec<Box<dyn Source>>, TraceError> + 'a;

/// The trace that `spec` describes, over what `parts` opens: once, or twice where devices have to be measured before they can be
/// placed. `tick` is called now and then while that lasts; its error ends it.
///
/// # Errors
/// A part cannot be opened, or a transformation does not make sense.
pub fn assemble(
    spec: &TraceSpec,
    parts: &mut OpenParts<'_>,
    tick: &mut dyn FnMut() -> Result<(), TraceError>,
) -> Result<Box<dyn Source>, TraceError> {
    check(spec).map_err(|fault| TraceError::unusable(spec.file(), fault))?;
    if !transforms(spec) {
        return single(spec, parts()?);
    }
    let ends = match &spec.place {
        Some(placement) if needs_ends(placement) => measure(chain(spec, parts()?)?, tick)?,
        _ => Ends::new(),
    };
    let mut source = chain(spec, parts()?)?;
    let file = spec.file();
    if let Some(placement) = &spec.place {
        let place = Place::new(placement, &ends).map_err(|fault| TraceError::unusable(file, fault))?;
        source = Adapted::boxed(source, place, file);
    } else if !spec.parts.is_empty() && spec.device.is_none() && spec.devices.is_none() {
        source = Adapted::boxed(source, OneDevice::default(), file);
    }
    if let Some(copies) = spec.copies {
        let copies = Copies::new(copies, spec.seed).map_err(|fault| TraceError::unusable(file, fault))?;
        source = Adapted::boxed(source, copies, file);
    }
    let moved = spec.place.is_some() || spec.copies.is_some() || !spec.parts.is_empty();
    if let Some(limit) = spec.limit_bytes.filter(|_| moved) {
        source = Adapted::boxed(source, Limit::new(limit, spec.limit_name.as_deref()), file);
    }
    Ok(Box::new(Counted {
        inner: source,
        file: file.to_owned(),
        counts: [0; 4],
        partial_sectors: 0,
        equal: 0,
        last_ns: None,
        gap: LongestGap::default(),
    }))
}

/// The spec by which the one trace of `spec` is decoded: addresses may change later, and with them what is past the end.
#[must_use]
pub fn decoded(spec: &TraceSpec) -> TraceSpec {
    let mut plain = spec.clone();
    if spec.place.is_some() || spec.copies.is_some() {
        plain.limit_bytes = None;
    }
    if spec.place.is_some() && plain.devices.is_none() {
        plain.device.get_or_insert_with(|| "*".to_owned());
    }
    plain
}

fn single(spec: &TraceSpec, mut parts: Vec<Box<dyn Source>>) -> Result<Box<dyn Source>, TraceError> {
    match (parts.pop(), parts.is_empty()) {
        (Some(source), true) => Ok(source),
        _ => Err(TraceError::unusable(spec.file(), "this is not one trace")),
    }
}

fn transforms(spec: &TraceSpec) -> bool {
    !spec.parts.is_empty()
        || spec.place.is_some()
        || spec.copies.is_some()
        || spec.spread_s.is_some()
        || spec.from_s.is_some()
        || spec.to_s.is_some()
        || spec.speed.is_some()
        || spec.split_bytes.is_some()
        || spec.max_transfer_bytes.is_some()
}

/// The devices that are asked for by name, where some are.
fn chosen(spec: &TraceSpec) -> Option<Vec<String>> {
    match (&spec.device, &spec.devices) {
        (Some(all), _) if all == "*" => None,
        (Some(device), _) => Some(vec![device.clone()]),
        (None, devices) => devices.clone(),
    }
}

/// All but the placing.
fn chain(spec: &TraceSpec, parts: Vec<Box<dyn Source>>) -> Result<Box<dyn Source>, TraceError> {
    let file = spec.file();
    let mut source = if spec.parts.is_empty() {
        single(spec, parts)?
    } else {
        let named = spec.parts.iter().map(|part| part.path.clone()).zip(parts).collect();
        Box::new(Combined::new(file, named, spec.combine, spec.align, chosen(spec)))
    };
    if let Some(tick_s) = spec.spread_s {
        source = Adapted::boxed(source, Spread::new(nanoseconds(tick_s), spec.seed), file);
    }
    if spec.from_s.is_some() || spec.to_s.is_some() {
        let (from, to) = (spec.from_s.map_or(0, nanoseconds), spec.to_s.map_or(u64::MAX, nanoseconds));
        source = Adapted::boxed(source, Window::new(from, to), file);
    }
    if let Some(speed) = spec.speed {
        source = Adapted::boxed(source, Speed::new(speed), file);
    }
    for (cut, bytes) in [(Cut::Blocks, spec.split_bytes), (Cut::Transfers, spec.max_transfer_bytes)] {
        if let Some(bytes) = bytes {
            source = Adapted::boxed(source, Split::new(cut, bytes), file);
        }
    }
    Ok(source)
}

/// How far each device reaches.
fn measure(
    mut source: Box<dyn Source>,
    tick: &mut dyn FnMut() -> Result<(), TraceError>,
) -> Result<Ends, TraceError> {
    const CHUNK: usize = 1 << 15;
    let mut ends: Vec<Option<u64>> = Vec::new();
    let mut batch = Vec::with_capacity(CHUNK);
    let mut more = true;
    while more {
        tick()?;
        batch.clear();
        more = source.fill(&mut batch, CHUNK)?;
        for request in batch.iter().filter(|request| request.op != Op::Flush) {
            let device = request.device as usize;
            if ends.len() <= device {
                ends.resize(device + 1, None);
            }
            let end = request.offset + u64::from(request.size);
            ends[device] = Some(ends[device].map_or(end, |known| known.max(end)));
        }
    }
    let named = source.devices().iter().zip(ends);
    Ok(named.filter_map(|(name, end)| Some((name.clone(), end?))).collect())
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // checked to be in 0..=1e9
fn nanoseconds(seconds: f64) -> u64 {
    (seconds * 1e9).round() as u64
}

fn check(spec: &TraceSpec) -> Result<(), Fault> {
    let out_of_range = |reason: String| Err(Fault::new(Code::OutOfRange, reason));
    let times = [("spread", spec.spread_s), ("start", spec.from_s), ("end", spec.to_s)];
    for (key, value) in times {
        if let Some(seconds) = value.filter(|seconds| !(0.0..=1e9).contains(seconds)) {
            return out_of_range(format!("{key} is {seconds} s; 0 to 1e9 seconds are accepted"));
        }
    }
    if spec.spread_s.is_some_and(|tick| nanoseconds(tick) == 0) {
        return out_of_range(
            "spread is less than a nanosecond; expected the tick of the stamps, such as 1 s".to_owned(),
        );
    }
    if let (from, Some(to)) = (spec.from_s.unwrap_or(0.0), spec.to_s)
        && to <= from
    {
        return out_of_range(format!("end is {to} s, not after start, {from} s"));
    }
    if let Some(speed) = spec.speed.filter(|speed| !(1e-6..=1e6).contains(speed)) {
        return out_of_range(format!("speed is {speed}; 0.000001 to 1000000 are accepted"));
    }
    for (key, bytes) in [("split", spec.split_bytes), ("max_transfer", spec.max_transfer_bytes)] {
        if let Some(bytes) = bytes.filter(|bytes| !(512..=1 << 32).contains(bytes)) {
            return out_of_range(format!("{key} is {bytes} bytes; 512 bytes to 4 GiB are accepted"));
        }
    }
    if let Some(placement) = &spec.place {
        if placement.align_bytes == 0 || placement.align_bytes > 1 << 50 {
            return out_of_range(format!(
                "place_align is {} bytes; 1 to 2^50 bytes are accepted",
                placement.align_bytes
            ));
        }
        let read_once = |spec: &TraceSpec| spec.path == "-";
        if needs_ends(placement) && (read_once(spec) || spec.parts.iter().any(read_once)) {
            let reason = "placing devices end to end reads the trace twice, and standard input can be read only once; \
                          give the offset of each device, or put the trace in a file";
            return Err(Fault::new(Code::ReadOnce, reason));
        }
    }
    Ok(())
}
