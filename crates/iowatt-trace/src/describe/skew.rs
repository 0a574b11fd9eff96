//! Skew: the share of the I/O that falls on the hottest part of the places it touches.

use serde::Serialize;

/// What one place gets.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Heat {
    pub(super) requests: f64,
    pub(super) bytes: f64,
    pub(super) reads: f64,
}

/// The hottest part of the touched places and what falls on it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SkewPoint {
    /// Part of the touched places, hottest first, 0 to 1.
    pub hottest: f64,
    /// Share of requests on it, where places are ranked by requests.
    pub request_share: f64,
    /// Share of bytes on it, where places are ranked by bytes.
    pub byte_share: f64,
    /// Reads among the requests on it.
    pub read_share: f64,
}

pub(super) const PARTS: [f64; 14] =
    [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1.0];

/// At every part of [`PARTS`]; within a place I/O counts as even.
pub(super) fn skew(mut places: Vec<Heat>) -> Vec<SkewPoint> {
    if places.is_empty() {
        return Vec::new();
    }
    places.sort_by(|a, b| b.bytes.total_cmp(&a.bytes));
    let bytes = hottest(&places, |place| place.bytes);
    // Ties in requests go by bytes: the result does not hang on the order of the places.
    places.sort_by(|a, b| b.requests.total_cmp(&a.requests));
    let requests = hottest(&places, |place| place.requests);
    let reads = hottest(&places, |place| place.reads);
    let all = PARTS.len() - 1;
    (0..PARTS.len())
        .map(|at| SkewPoint {
            hottest: PARTS[at],
            request_share: requests[at] / requests[all].max(f64::MIN_POSITIVE),
            byte_share: bytes[at] / bytes[all].max(f64::MIN_POSITIVE),
            read_share: reads[at] / requests[at].max(f64::MIN_POSITIVE),
        })
        .collect()
}

fn hottest(ranked: &[Heat], of: impl Fn(&Heat) -> f64) -> [f64; PARTS.len()] {
    let mut sums = [0.0; PARTS.len()];
    let (mut sum, mut taken) = (0.0, 0);
    for (at, part) in PARTS.iter().enumerate() {
        let wanted = part * ranked.len() as f64;
        while taken < ranked.len() && ((taken + 1) as f64) <= wanted {
            sum += of(&ranked[taken]);
            taken += 1;
        }
        let rest = wanted - taken as f64;
        sums[at] = sum + ranked.get(taken).map_or(0.0, |next| rest * of(next));
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_hot_place_of_ten() {
        let mut places = vec![Heat { requests: 1.0, bytes: 3.0, reads: 0.0 }; 9];
        places.push(Heat { requests: 11.0, bytes: 3.0, reads: 11.0 });
        let points = skew(places);
        let at = |part: f64| points.iter().find(|p| (p.hottest - part).abs() < 1e-12).unwrap();
        assert!((at(0.1).request_share - 0.55).abs() < 1e-12); // 11 of 20
        assert!((at(0.05).request_share - 0.275).abs() < 1e-12); // half of the hot place
        assert!((at(0.2).request_share - 0.6).abs() < 1e-12);
        assert!((at(0.1).byte_share - 0.1).abs() < 1e-12); // bytes are even
        assert!((at(0.1).read_share - 1.0).abs() < 1e-12);
        assert!((at(1.0).read_share - 0.55).abs() < 1e-12);
    }
}
