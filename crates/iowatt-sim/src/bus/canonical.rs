//! A bus as words: the reservations that are not over.

use super::Bus;
use crate::canonical::Canon;
use crate::clock::Nanos;

impl Bus {
    /// Writes what lies ahead at `now`.
    pub fn canonical(&self, now: Nanos, out: &mut Canon) {
        let Self { ps_per_byte: _, arbitration: _, reserved, first, transfers: _, busy: _, waited: _ } = self;
        // What is over delays nobody, wherever it stands.
        let ahead = reserved[*first..].iter().filter(|&&(_, until, _)| until > now);
        for &(from, until, waited) in ahead {
            out.words([from, until, waited]);
        }
        out.maybe(None);
    }
}
