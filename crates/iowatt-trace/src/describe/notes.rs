//! What a reader of a description should know of its figures before using them.

use super::Description;

/// Requests below which shares and distributions say little.
const ENOUGH: u64 = 1000;

/// Sentences for people.
pub(super) fn of(found: &Description) -> Vec<String> {
    let mut notes = Vec::new();
    if found.requests.skipped_bad > 0 {
        notes.push(format!("{} malformed records were skipped", found.requests.skipped_bad));
    }
    if found.requests.count < ENOUGH {
        notes.push(format!("only {} requests: distributions say little", found.requests.count));
    }
    notes.extend(stamps(found));
    if found.burstiness.hurst.is_empty() {
        notes.push(
            "no Hurst estimate: it needs four octaves of windows, none shorter than a step of the stamps, with at least \
             4 requests each on average, 32 windows, and counts that vary by more than 1"
                .into(),
        );
    } else if let Some(high) = found.burstiness.hurst.iter().find(|estimate| estimate.hurst > 1.0) {
        notes.push(format!(
            "the Hurst estimate by {} is {:.2}, above 1: the rate is not stationary (phases, a trend or a daily \
             cycle), so it is no measure of burstiness within a phase",
            high.method, high.hurst
        ));
    }
    let sample = &found.reuse.sample;
    if sample.method == "sampled" {
        notes.push(format!(
            "footprint, working set, reuse, miss ratios and overwriting are estimates from {:.3} % of the address \
             space ({} regions of 16 blocks); the others are exact",
            100.0 * sample.rate,
            sample.regions
        ));
    }
    if !found.density.as_asked {
        notes.push(format!(
            "extents were joined to {} bytes, because more than 65536 were touched",
            found.density.extent_bytes
        ));
    }
    if !found.sizes.exact {
        notes.push("too many different sizes to keep apart: they are rounded down to 1 %".into());
    }
    notes
}

fn stamps(found: &Description) -> Option<String> {
    let gaps = found.inter_arrival.as_ref()?;
    if gaps.mean_s == 0.0 {
        return Some("all stamps are equal: no rates, gaps or windows are known".into());
    }
    (gaps.stamp_resolution_ns >= 1_000_000 && gaps.zero_share > 0.1).then(|| {
        format!(
            "stamps are in steps of {} s and {:.0} % of requests share theirs with the one before: gaps, and \
             dispersion at scales near a step, are those of the clock",
            gaps.stamp_resolution_ns as f64 / 1e9,
            100.0 * gaps.zero_share
        )
    })
}
