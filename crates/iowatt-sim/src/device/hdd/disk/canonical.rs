//! A disk as words: arm, buffer, and what goes on in the background.

use super::{Accepted, Destage, Disk, Works};
use crate::canonical::Canon;
use crate::clock::Nanos;
use crate::device::hdd::arm::Arm;
use crate::device::hdd::cursor::Cursor;

impl Disk {
    /// Writes the state at `now`; nothing of the background before `rests` is booked any more.
    pub fn canonical(&self, now: Nanos, rests: Nanos, out: &mut Canon) {
        let Self { model: _, works } = self;
        works.canonical(now, rests, out);
    }
}

impl Works {
    fn canonical(&self, now: Nanos, rests: Nanos, out: &mut Canon) {
        let Self {
            phase_ps: _,
            sector_ps: _,
            arm: Arm { cylinder, head },
            buffer,
            cursor,
            prefetch,
            found: _, // follows from its LBN
            least_ahead,
            settled,
            ahead_until,
            destage,
            accepted,
            unwritten,
            media_free,
            behind,
            busy_until,
            last_was_write,
            last_write_end,
            last_read_end,
            reads_ahead: _, // decided anew by each read
        } = self;
        out.small(u64::from(*cylinder) << 32 | u64::from(*head));
        let in_use = |index: usize| {
            *prefetch == Some(index)
                || destage.is_some_and(|d| d.segment == index)
                || accepted.iter().any(|a| a.segment == index)
        };
        let ranks = buffer.canonical(in_use, out);
        out.maybe(prefetch.and_then(|segment| ranks[segment]));
        if prefetch.is_some() {
            cursor.canonical(out);
            out.word(*least_ahead);
            out.word(*settled);
        } else {
            out.word((*settled).max(now)); // an instant that is over is never asked for again
            out.word((*ahead_until).max(rests));
        }
        let quiet = destage.is_none() && accepted.is_empty();
        let (positioned, free) = behind.unwrap_or_default();
        out.small(quiet);
        if quiet {
            // All that is left of what was written is booked with the rest.
            out.word(positioned.max(rests));
            out.word(free.max(rests));
        } else {
            out.words([*unwritten, *media_free, positioned, free, u64::from(behind.is_some())]);
            out.maybe(destage.and_then(|d| ranks[d.segment]));
            if let Some(Destage { segment: _, until, end, sectors }) = *destage {
                out.words([until, end, sectors]);
            }
            for &Accepted { segment, lbn, end, ready, from } in accepted {
                out.maybe(ranks[segment]);
                out.words([lbn, end, ready, from]);
            }
            out.maybe(None);
        }
        out.word((*busy_until).max(now));
        out.small(*last_was_write);
        out.maybe(last_was_write.then_some(*last_write_end));
        out.word(*last_read_end);
    }
}

impl Cursor {
    fn canonical(&self, out: &mut Canon) {
        let (origin, run_lbn) = (self.origin, self.run.lbn);
        // The run and the angle follow from LBN and origin.
        out.words([origin, run_lbn, self.settled, self.run_at, self.seek]);
    }
}
