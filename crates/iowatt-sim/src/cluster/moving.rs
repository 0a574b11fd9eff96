//! The fewest moves that bring drives to their shares when nodes join or leave.

use super::balance::{Shares, TRIES};
use super::placement::Hashing;
use super::tree::Tree;
use std::ops::Range;

/// Members on their way to new shares.
pub(super) struct Moving<'a> {
    pub tree: &'a Tree,
    /// Drive of each member before anything moves.
    pub homes: &'a [u32],
    /// Members of the group of each.
    pub bounds: &'a dyn Fn(usize) -> Range<usize>,
    /// Members that stay, or go on to where they are going.
    pub fixed: &'a dyn Fn(usize) -> bool,
    /// Drive of each member once all have moved.
    pub now: Vec<u32>,
}

impl Moving<'_> {
    /// The moves (member, drive) that bring drives which take data, and hold less than their share, to it: the fewest there
    /// are. Members go only from drives that hold more than theirs, and all leave drives that take no data any more.
    pub fn moves(mut self, hashing: &Hashing, shares: &Shares) -> Vec<(u32, u32)> {
        let mut excess: Vec<i64> = shares.drives.iter().map(|&share| -i64::from(share)).collect();
        self.now.iter().for_each(|&drive| excess[drive as usize] += 1);
        let mut lacking: Vec<u32> = (0..excess.len() as u32).filter(|&d| excess[d as usize] < 0).collect();
        let mut moves = Vec::new();
        let count = self.now.len();
        // In an order that is spread over all groups.
        let stride = coprime(count);
        for step in 0..count {
            let member = (step * stride) % count;
            let from = self.now[member];
            if lacking.is_empty() {
                break;
            }
            if excess[from as usize] <= 0 || (self.fixed)(member) {
                continue;
            }
            let first = hashing.word([member as u64, u64::from(from)]) as usize % lacking.len();
            let order = (first..lacking.len()).chain(0..first);
            let found = order.take(TRIES * 4).find(|&at| self.fits(member, lacking[at]));
            let Some(at) = found else { continue };
            let to = lacking[at];
            self.now[member] = to;
            moves.push((member as u32, to));
            excess[from as usize] -= 1;
            excess[to as usize] += 1;
            if excess[to as usize] == 0 {
                lacking.swap_remove(at);
            }
        }
        self.clear_absent(&mut excess, &mut moves);
        moves
    }

    /// Whether a member on drive `to` is apart from the others of its group, wherever these are while all move.
    fn fits(&self, member: usize, to: u32) -> bool {
        let others = (self.bounds)(member).filter(|&other| other != member);
        self.tree.is_apart(to, others.flat_map(|other| [self.homes[other], self.now[other]]))
    }

    /// Moves what no drive that lacks members could take off drives that take no data any more, to the drive that holds the
    /// least above its share.
    fn clear_absent(&mut self, excess: &mut [i64], moves: &mut Vec<(u32, u32)>) {
        for member in 0..self.now.len() {
            if self.tree.is_present(self.now[member]) || (self.fixed)(member) {
                continue;
            }
            let drives =
                (0..excess.len() as u32).filter(|&d| self.tree.is_present(d) && self.fits(member, d));
            let Some(to) = drives.min_by_key(|&drive| excess[drive as usize]) else { continue };
            self.now[member] = to;
            excess[to as usize] += 1;
            moves.push((member as u32, to));
        }
    }
}

/// A stride through `count` things that reaches each of them.
fn coprime(count: usize) -> usize {
    let divisor = |mut a: usize, mut b: usize| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let golden = (count as f64 * 0.618_034) as usize;
    (golden.max(1)..).find(|&stride| divisor(stride, count) == 1).unwrap_or(1)
}
