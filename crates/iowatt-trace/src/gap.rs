//! The longest time without a request: a recording that paused or lost records looks like storage at rest.

/// Fewer requests than this prove nothing.
const ENOUGH: u64 = 100;
/// A gap is long where it takes more than this share of the trace ...
const SHARE: f64 = 0.1;
/// ... and lasts more than so many times the mean of the other gaps.
const TIMES: f64 = 100.0;

/// The longest gap between successive stamps so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LongestGap {
    requests: u64,
    first_ns: u64,
    last_ns: u64,
    /// When the gap begins.
    from_ns: u64,
    gap_ns: u64,
}

impl LongestGap {
    /// The stamp of the next request; one that is before the last one counts as that.
    #[inline]
    pub(crate) fn add(&mut self, time_ns: u64) {
        if self.requests == 0 {
            (self.first_ns, self.last_ns) = (time_ns, time_ns);
        }
        let gap_ns = time_ns.saturating_sub(self.last_ns);
        if gap_ns > self.gap_ns {
            (self.from_ns, self.gap_ns) = (self.last_ns, gap_ns);
        }
        self.last_ns = self.last_ns.max(time_ns);
        self.requests += 1;
    }

    /// What a reader must know of it, where it is long.
    #[allow(clippy::cast_precision_loss)] // figures for people
    pub(crate) fn warning(&self) -> Option<String> {
        let span_ns = self.last_ns - self.first_ns;
        if self.requests < ENOUGH || span_ns == 0 {
            return None;
        }
        let [span, gap, from] = [span_ns, self.gap_ns, self.from_ns].map(|ns| ns as f64 / 1e9);
        let mean = (span - gap).max(0.0) / (self.requests - 2) as f64;
        let share = gap / span;
        (share > SHARE && gap > TIMES * mean).then(|| {
            format!(
                "a gap of {} from {} on takes {:.1} % of the trace, and its other gaps last {} on average: a pause, lost \
                 records or a wrong stamp; means over the whole time count it as idle",
                duration(gap),
                duration(from),
                share * 100.0,
                duration(mean)
            )
        })
    }
}

/// A time for people.
pub(crate) fn duration(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s >= 86_400.0 => (s / 86_400.0, "days"),
        s if s >= 1.0 => (s, "s"),
        s if s >= 1e-3 => (s * 1e3, "ms"),
        s if s >= 1e-6 => (s * 1e6, "us"),
        s => (s * 1e9, "ns"),
    };
    let text = format!("{value:.1}");
    format!("{} {unit}", text.trim_end_matches(".0"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_out_of_order_are_no_gap() {
        let mut longest = LongestGap::default();
        [7_u64, 3, 5].into_iter().for_each(|time| longest.add(time));
        assert_eq!(longest.gap_ns, 0);
        assert_eq!(longest.warning(), None);
    }

    fn warning(stamps_ms: impl IntoIterator<Item = u64>) -> Option<String> {
        let mut gap = LongestGap::default();
        stamps_ms.into_iter().for_each(|ms| gap.add(ms * 1_000_000));
        gap.warning()
    }

    #[test]
    fn a_long_pause_is_named_with_its_place() {
        // 1000 requests in 10 s, 20 s without, 1000 in 10 s: half of 40 s less the last steps.
        let said = warning((0..1000).map(|n| n * 10).chain((0..1000).map(|n| 29_990 + n * 10)));
        let said = said.unwrap_or_default();
        assert!(said.contains("a gap of 20 s from 10 s on takes 50.0 %"), "{said}");
    }

    #[test]
    fn short_or_usual_gaps_are_none() {
        assert_eq!(warning((0..1000).map(|n| n * 10)), None);
        // 0.9 s of 10.9 s: less than a tenth.
        assert_eq!(warning((0..500).map(|n| n * 10).chain((0..500).map(|n| 5_890 + n * 10))), None);
        // A fifth of the trace, and 26 times the mean of the others.
        assert_eq!(warning((0..50).map(|n| n * 10).chain((0..50).map(|n| 740 + n * 10))), None);
        // Too few requests.
        assert_eq!(warning([0, 1, 2, 100_000]), None);
        assert_eq!(warning([]), None);
    }
}
