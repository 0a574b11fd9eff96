//! The daily and weekly envelope: mean rate by hour of the day and by day of the week, relative to the mean.

use serde::Serialize;

const HOUR_NS: u64 = 3_600_000_000_000;
/// Hours that are counted apart: twenty years.
const HOURS: usize = 24 * 366 * 20;

/// Requests by hour.
#[derive(Default)]
pub(super) struct Envelope {
    hours: Vec<u64>,
}

/// Factors on the mean rate over whole hours and days; 1 is the mean. Counted from the first request.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EnvelopeFigures {
    /// 24 factors; `None` for traces of less than a day.
    pub hour_of_day: Option<Vec<f64>>,
    /// 7 factors; `None` for traces of less than a week.
    pub day_of_week: Option<Vec<f64>>,
}

impl Envelope {
    #[inline]
    pub(super) fn add(&mut self, since_ns: u64) {
        let hour = (since_ns / HOUR_NS) as usize;
        if hour >= self.hours.len() {
            if hour >= HOURS {
                return;
            }
            self.hours.resize(hour + 1, 0);
        }
        self.hours[hour] += 1;
    }

    /// `span_ns`: from the first request to the last. An hour that the trace does not cover is left out.
    pub(super) fn finish(&self, span_ns: u64) -> EnvelopeFigures {
        let whole = ((span_ns / HOUR_NS) as usize).min(self.hours.len());
        let hours = &self.hours[..whole];
        let days: Vec<u64> = hours.chunks_exact(24).map(|day| day.iter().sum()).collect();
        EnvelopeFigures {
            hour_of_day: (whole >= 24).then(|| factors(hours, 24)).flatten(),
            day_of_week: (days.len() >= 7).then(|| factors(&days, 7)).flatten(),
        }
    }
}

/// Mean of every `period`-th count over the mean of all.
fn factors(counts: &[u64], period: usize) -> Option<Vec<f64>> {
    let mean = counts.iter().sum::<u64>() as f64 / counts.len() as f64;
    let of = |phase: usize| {
        let same: Vec<u64> = counts.iter().skip(phase).step_by(period).copied().collect();
        same.iter().sum::<u64>() as f64 / same.len() as f64 / mean
    };
    (mean > 0.0).then(|| (0..period).map(of).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_busy_hour_a_day() {
        let mut envelope = Envelope::default();
        for hour in 0..48 {
            let requests = if hour % 24 == 3 { 25 } else { 1 };
            (0..requests).for_each(|_| envelope.add(hour * HOUR_NS + 5));
        }
        let found = envelope.finish(48 * HOUR_NS);
        let hours = found.hour_of_day.unwrap();
        // 48 in a day: mean 2 an hour.
        assert_eq!((hours[3], hours[4], found.day_of_week), (12.5, 0.5, None));
        assert_eq!(envelope.finish(23 * HOUR_NS).hour_of_day, None);
    }
}
