//! What looks like a mistake in reading the trace: units, op codes, order.

use super::TraceInfo;
use crate::gap::duration;

/// Fewer requests than this prove nothing.
const ENOUGH: u64 = 100;

/// Sentences for people, most telling first.
pub(super) fn of(info: &TraceInfo) -> Vec<String> {
    let mut found = Vec::new();
    let requests = &info.requests;
    if requests.skipped_bad > 0 {
        found.push(format!("{} malformed records were skipped", requests.skipped_bad));
    }
    if requests.count < ENOUGH {
        return found;
    }
    found.extend(op_codes(info));
    if !info.untimed {
        found.extend(time_unit(info));
        found.extend(stamps(info));
    }
    found.extend(size_unit(info));
    found
}

fn op_codes(info: &TraceInfo) -> Option<String> {
    let writes = 1.0 - info.requests.read_share;
    (writes >= 0.99).then(|| format!("{:.1} % writes: are the op codes inverted?", writes * 100.0))
}

fn time_unit(info: &TraceInfo) -> Option<String> {
    let span = info.span.duration_s;
    let doubt = "is the time unit right?";
    if span == 0.0 {
        Some(format!("all stamps are equal: {doubt}"))
    } else if span < 0.001 || info.rate.iops > 5e6 {
        Some(format!("span {} for {} requests: {doubt}", duration(span), info.requests.count))
    } else if info.rate.iops < 0.01 {
        Some(format!("one request every {} on average: {doubt}", duration(1.0 / info.rate.iops)))
    } else if info.span.first_s > span.max(1.0) {
        let first = duration(info.span.first_s);
        Some(format!(
            "the first request comes at {first}, later than the span of {}: {doubt}",
            duration(span)
        ))
    } else {
        None
    }
}

fn size_unit(info: &TraceInfo) -> Option<String> {
    let all = info.sizes.all.as_ref()?;
    (all.p50 >= 16 << 20)
        .then(|| format!("half of the sizes are at least {} MiB: are they really in sectors?", all.p50 >> 20))
}

fn stamps(info: &TraceInfo) -> Vec<String> {
    let mut found = Vec::new();
    let order = &info.order;
    if order.stamp_resolution_ns >= 1_000_000 {
        found.push(format!(
            "coarse stamps: all are multiples of {}, and {:.1} % of requests share theirs with the one before; a replay is a burst \
             at each (spread takes them apart)",
            duration(seconds(order.stamp_resolution_ns)),
            order.equal_share * 100.0
        ));
    } else if order.equal_share > 0.5 {
        found
            .push(format!("{:.1} % of requests have the stamp of the one before", order.equal_share * 100.0));
    }
    if order.reordered_share > 0.01 {
        found.push(format!(
            "{:.1} % of records were out of order and were sorted",
            order.reordered_share * 100.0
        ));
    }
    found
}

#[allow(clippy::cast_precision_loss)] // powers of ten up to 10^9
fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_well() {
        assert_eq!(duration(3e-6), "3 us");
        assert_eq!(duration(1.0), "1 s");
        assert_eq!(duration(0.0015), "1.5 ms");
        assert_eq!(duration(172_800.0), "2 days");
    }
}
