//! A bus as words: the reservations that are not over.

use super::{Bus, Slot};
use crate::canonical::Canon;
use crate::clock::Nanos;

impl Bus {
    /// Writes what lies ahead at `now`.
    pub fn canonical(&self, now: Nanos, out: &mut Canon) {
        let Self { ps_per_byte: _, arbitration: _, reserved, last: _, transfers: _, busy: _, waited: _ } =
            self;
        // What is over delays nobody; the others are told apart by when they are.
        let mut ahead: Vec<_> = reserved.iter().filter(|slot| slot.until > now).collect();
        ahead.sort_unstable_by_key(|slot| slot.from);
        for &Slot { from, until, waited } in ahead {
            out.words([from, until, waited]);
        }
        out.maybe(None);
    }
}
