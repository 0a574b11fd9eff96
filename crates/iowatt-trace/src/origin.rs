//! What time 0 stands for: the origin of absolute stamps, and how it is written.

use crate::format::Clock;

/// Nanoseconds between 1601-01-01 and 1970-01-01.
const FILETIME_TO_UNIX_NS: u64 = 11_644_473_600 * 1_000_000_000;
/// 2001-09-09T01:46:40Z: no trace starts with 31 years of idleness.
const LATE_UNIX_NS: u64 = 1_000_000_000 * 1_000_000_000;

/// What to take off every stamp, given the earliest, and that moment as a Unix time in nanoseconds.
pub(crate) fn of(clock: Clock, earliest_ns: u64) -> (u64, Option<u64>) {
    match clock {
        Clock::Relative => (0, None),
        Clock::Arbitrary => (earliest_ns, None),
        Clock::UnixIfLate if earliest_ns < LATE_UNIX_NS => (0, None),
        Clock::UnixIfLate => (earliest_ns, Some(earliest_ns)),
        Clock::Filetime => (earliest_ns, earliest_ns.checked_sub(FILETIME_TO_UNIX_NS)),
    }
}

/// A Unix time in nanoseconds as `2007-02-22T17:00:00.306162900Z`.
pub(crate) fn utc(unix_ns: u64) -> String {
    let (seconds, ns) = (unix_ns / 1_000_000_000, unix_ns % 1_000_000_000);
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = civil(days);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{ns:09}Z")
}

/// Gregorian date of a day counted from 1970-01-01, by eras of 400 years that start on 1 March.
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468; // days from 0000-03-01
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153; // 0 = March
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_moments() {
        assert_eq!(utc(0), "1970-01-01T00:00:00.000000000Z");
        assert_eq!(utc(951_782_400_000_000_000), "2000-02-29T00:00:00.000000000Z");
        // The README of MSR Cambridge: 128166372003061629 is 2007-02-22 17:00:00.306 UTC.
        let (origin, unix) = of(Clock::Filetime, 12_816_637_200_306_162_900);
        assert_eq!(origin, 12_816_637_200_306_162_900);
        assert_eq!(unix.map(utc).as_deref(), Some("2007-02-22T17:00:00.306162900Z"));
    }

    #[test]
    fn small_stamps_stay() {
        assert_eq!(of(Clock::UnixIfLate, LATE_UNIX_NS - 1), (0, None));
        assert_eq!(of(Clock::UnixIfLate, LATE_UNIX_NS).0, LATE_UNIX_NS);
        assert_eq!(of(Clock::Relative, u64::MAX), (0, None));
    }
}
