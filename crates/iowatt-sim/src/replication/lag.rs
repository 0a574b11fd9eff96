//! How far a remote array is behind: the age of the oldest write that it lacks, and the bytes of all.

use crate::clock::Nanos;
use crate::power::Window;

/// The lag now, and what is kept of it, the latter within the window.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lag {
    since: Nanos,
    /// When the oldest write that the remote array lacks was answered.
    oldest: Option<Nanos>,
    /// Bytes that it lacks.
    pub bytes: u64,
    /// Twice the integral of the age.
    twice_age: u128,
    /// Integral of the bytes.
    byte_time: u128,
    /// Greatest age.
    pub most: Nanos,
    /// Most bytes.
    pub most_bytes: u64,
}

impl Lag {
    /// From now on it is another.
    pub fn set(&mut self, now: Nanos, (oldest, bytes): (Option<Nanos>, u64), window: &Window) {
        self.pass(now, window);
        (self.oldest, self.bytes) = (oldest, bytes);
        if window.begins(now) {
            self.most_bytes = self.most_bytes.max(bytes);
        }
    }

    /// Time passes until `now`. Between changes the age grows with it, so its integral is that of a line.
    pub fn pass(&mut self, now: Nanos, window: &Window) {
        let (from, until) = window.clip(self.since, now);
        self.since = now;
        if from == until {
            return;
        }
        if let Some(oldest) = self.oldest {
            let square = |at: Nanos| u128::from(at.saturating_sub(oldest)).pow(2);
            self.twice_age += square(until) - square(from);
            self.most = self.most.max(until.saturating_sub(oldest));
        }
        self.byte_time += u128::from(self.bytes) * u128::from(until - from);
        self.most_bytes = self.most_bytes.max(self.bytes);
    }

    /// The age now.
    #[must_use]
    pub fn age(&self) -> Nanos {
        self.oldest.map_or(0, |oldest| self.since.saturating_sub(oldest))
    }

    /// Means over `span` nanoseconds: the age in seconds, and bytes.
    #[must_use]
    pub fn means(&self, span: Nanos) -> (f64, f64) {
        if span == 0 {
            return (0.0, 0.0);
        }
        let span = span as f64;
        (self.twice_age as f64 / 2.0 / span / 1e9, self.byte_time as f64 / span)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_grows_until_the_write_is_there() {
        let window = Window { start: 100, end: 1_000 };
        let mut lag = Lag::default();
        lag.set(0, (Some(0), 40), &window);
        lag.set(300, (None, 0), &window);
        lag.pass(1_000, &window);
        // From 100 to 300 the age goes from 100 to 300: an integral of 40,000 over 900.
        let (age, bytes) = lag.means(900);
        assert!((age - 40_000.0 / 900.0 / 1e9).abs() < 1e-18 && (bytes - 8_000.0 / 900.0).abs() < 1e-12);
        assert_eq!((lag.most, lag.most_bytes), (300, 40));
    }
}
