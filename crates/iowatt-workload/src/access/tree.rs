//! Hierarchical reuse: a random walk on the leaves of a tree (McNutt's model of cache references). From the leaf
//! of the last reference it climbs h levels, with probability (1-p) p^h, and descends to a leaf drawn uniformly
//! below that node. References so cluster on all scales: near leaves are likely, far ones never impossible.

use super::Range;
use crate::rng::Draws;

/// The walk.
#[derive(Debug)]
pub struct Walk {
    leaves: u64,
    leaf_bytes: u64,
    climb: f64,
    fanout: u64,
    leaf: u64,
}

impl Walk {
    pub(super) fn new(
        leaves: u64,
        leaf_bytes: u64,
        climb: f64,
        fanout: u32,
        draws: &mut Draws,
    ) -> Result<Self, String> {
        if !(0.0..1.0).contains(&climb) {
            return Err(format!("a chance to climb of {climb} is not at least 0 and below 1"));
        }
        if fanout < 2 {
            return Err(format!("a node with {fanout} children makes no tree"));
        }
        let leaf = draws.below(leaves);
        Ok(Self { leaves, leaf_bytes, climb, fanout: u64::from(fanout), leaf })
    }

    #[inline]
    pub(super) fn next(&mut self, range: &Range, draws: &mut Draws, size: u64) -> u64 {
        // Leaves below the node climbed to; at the root the walk cannot climb on.
        let mut below = 1u64;
        while below < self.leaves && draws.unit() < self.climb {
            below = below.saturating_mul(self.fanout);
        }
        let first = self.leaf / below * below;
        let end = first.saturating_add(below).min(self.leaves);
        self.leaf = first + draws.below(end - first);
        range.within(draws, self.leaf, self.leaf_bytes, size)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed test is meant to stop

    use super::*;
    use crate::rng::Purpose;

    #[test]
    fn distances_follow_the_chance_to_climb() {
        let (leaves, climb) = (1u64 << 20, 0.5);
        let mut draws = Draws::new(2, Purpose::Stream, 0, 0);
        let range = Range::new(0, leaves * 4096, None);
        let mut walk = Walk::new(leaves, 4096, climb, 2, &mut draws).unwrap();
        let n = 200_000;
        let mut last = walk.leaf;
        let mut same = 0;
        for _ in 0..n {
            let leaf = walk.next(&range, &mut draws, 4096) / 4096;
            assert_eq!(leaf, walk.leaf);
            same += u32::from(leaf == last);
            last = leaf;
        }
        // Sum over h of (1-p) p^h 2^-h = (1-p)/(1-p/2): 2/3.
        let share = f64::from(same) / f64::from(n);
        assert!((share - 2.0 / 3.0).abs() < 0.006, "{share}");
    }

    #[test]
    fn a_number_of_leaves_that_fills_no_tree_is_no_fault() {
        let mut draws = Draws::new(2, Purpose::Stream, 0, 0);
        let range = Range::new(0, 1000 * 512, None);
        let mut walk = Walk::new(1000, 512, 0.9, 3, &mut draws).unwrap();
        assert!((0..10_000).all(|_| walk.next(&range, &mut draws, 512) < 1000 * 512));
    }
}
