//! The destager: which dirty data is written next.
//!
//! It sweeps over the dirty lines in ascending order of address, from the lowest again when it has
//! reached the highest (C-SCAN). A sweep takes a sorted list of the lines that were dirty when it began;
//! lines that become dirty behind or between wait for the next one, unless they continue a run that is
//! being written. Sorting costs each line once a sweep; nothing is allocated in steady state.

use super::lines::{Lines, address_of, key_of};

/// Sizes that a run keeps to, in granules.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Granules of a line.
    pub line: u32,
    /// Granules of the longest run, which does not cross a multiple of it.
    pub run: u64,
}

/// The order of destaging.
#[derive(Debug, Default)]
pub struct Sweep {
    /// Addresses still to come, the next one last. Lines may have become clean since, or have gone.
    ahead: Vec<u64>,
    /// Addresses that became dirty since the sweep began.
    later: Vec<u64>,
}

impl Sweep {
    /// The line at `key` has become dirty and is not on the list.
    pub fn list(&mut self, key: u64) {
        self.later.push(key);
    }

    /// The next run of dirty granules that no destage under way covers: its pool, and its first granule
    /// and end in that pool.
    pub fn next_run(&mut self, lines: &mut Lines, bounds: Bounds) -> Option<(u32, u64, u64)> {
        loop {
            let Some(&key) = self.ahead.last() else {
                if self.later.is_empty() {
                    return None;
                }
                std::mem::swap(&mut self.ahead, &mut self.later);
                self.ahead.sort_unstable_by(|a, b| b.cmp(a));
                continue;
            };
            if let Some(slot) = lines.find(key) {
                let line = lines.get_mut(slot);
                let open = line.dirty & !line.destaging;
                if open != 0 {
                    return Some(run_from(key, open, lines, bounds));
                }
                // Clean, or blocked: the end of the destage that blocks it lists it again.
                line.listed = false;
            }
            self.ahead.pop();
        }
    }
}

/// The run that starts with the first granule of `open` in the line at `key`.
fn run_from(key: u64, open: u64, lines: &Lines, bounds: Bounds) -> (u32, u64, u64) {
    let (pool, mut number) = address_of(key);
    let start = open.trailing_zeros();
    let from = number * u64::from(bounds.line) + u64::from(start);
    let limit = (from / bounds.run + 1) * bounds.run;
    let mut reached = start + (open >> start).trailing_ones();
    let mut until = from + u64::from(reached - start);
    while reached == bounds.line && until < limit {
        number += 1;
        let Some(slot) = lines.find(key_of(pool, number)) else { break };
        let line = lines.get(slot);
        reached = (line.dirty & !line.destaging).trailing_ones();
        until += u64::from(reached);
    }
    (pool, from, until.min(limit))
}
