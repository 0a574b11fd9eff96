//! The destager: which dirty data is written next.
//!
//! It sweeps over the dirty lines in ascending order of address, from the lowest again when it has
//! reached the highest (C-SCAN). A sweep takes a sorted list of the lines that were dirty when it began;
//! lines that become dirty behind or between wait for the next one, unless they continue a run that is
//! being written. Sorting costs each line once a sweep; nothing is allocated in steady state.
//!
//! Hot lines may be kept back: a line that was rewritten since the sweep last passed is passed over once and
//! loses that mark, as in Gill and Modha, "WOW: Wise Ordering for Writes" (FAST 2005).

use super::lines::{Lines, address_of, key_of};
use crate::controller::back_end::NONE;

/// Sizes that a run keeps to, in granules.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Granules of a line.
    pub line: u32,
    /// Granules of the longest run, which does not cross a multiple of it.
    pub run: u64,
    /// Whether lines are written whole.
    pub whole: bool,
}

/// What the destager wants next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// To write a run: its pool, its first granule and its end there.
    Write(u32, u64, u64),
    /// To fill a line first, so that it can be written whole.
    Fill(u32),
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

    /// What is to be done for the next dirty granules that no destage under way covers. `whole` tells all granules
    /// of a line; `keep_hot` whether hot lines are passed over, and counts them.
    pub fn next(
        &mut self,
        lines: &mut Lines,
        bounds: Bounds,
        whole: impl Fn(u64) -> u64,
        mut keep_hot: Option<&mut u64>,
    ) -> Option<Wish> {
        let mut kept = false;
        loop {
            let Some(&key) = self.ahead.last() else {
                // Where all that is left is hot, the next call may take it.
                if self.later.is_empty() || kept {
                    return None;
                }
                std::mem::swap(&mut self.ahead, &mut self.later);
                self.ahead.sort_unstable_by(|a, b| b.cmp(a));
                continue;
            };
            if let Some(slot) = lines.find(key) {
                let line = lines.get_mut(slot);
                let open = line.dirty & !line.destaging;
                let blocked = bounds.whole && line.dirty != 0 && (line.destaging != 0 || line.fetch != NONE);
                if open != 0 && !blocked {
                    if let Some(passed) = keep_hot.as_deref_mut().filter(|_| line.hot) {
                        line.hot = false;
                        *passed += 1;
                        kept = true;
                        self.ahead.pop();
                        self.later.push(key);
                        continue;
                    }
                    if !bounds.whole {
                        return Some(run_from(key, open, lines, bounds, keep_hot.is_some()));
                    }
                    if line.valid == whole(key) {
                        return Some(whole_run(key, lines, bounds, whole, keep_hot.is_some()));
                    }
                    line.listed = false;
                    self.ahead.pop();
                    return Some(Wish::Fill(slot));
                }
                // Clean, or blocked: the end of what blocks it lists it again.
                line.listed = false;
            }
            self.ahead.pop();
        }
    }
}

/// The run that starts with the first granule of `open` in the line at `key`.
fn run_from(key: u64, open: u64, lines: &Lines, bounds: Bounds, keep_hot: bool) -> Wish {
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
        if keep_hot && line.hot {
            break;
        }
        reached = (line.dirty & !line.destaging).trailing_ones();
        until += u64::from(reached);
    }
    Wish::Write(pool, from, until.min(limit))
}

/// The run of whole lines that starts with the one at `key`.
fn whole_run(key: u64, lines: &Lines, bounds: Bounds, whole: impl Fn(u64) -> u64, keep_hot: bool) -> Wish {
    let (pool, mut number) = address_of(key);
    let granules = u64::from(bounds.line);
    let from = number * granules;
    let limit = (from / bounds.run + 1) * bounds.run;
    // The last line of a pool may be shorter.
    let length = |key| u64::from(whole(key).count_ones());
    let mut until = from + length(key);
    while until < limit {
        number += 1;
        let key = key_of(pool, number);
        let Some(slot) = lines.find(key) else { break };
        let line = lines.get(slot);
        let ready = line.dirty != 0 && line.destaging == 0 && line.valid == whole(key);
        if !ready || keep_hot && line.hot {
            break;
        }
        until += length(key);
    }
    Wish::Write(pool, from, until)
}
