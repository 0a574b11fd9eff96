//! The on-board buffer as words: its segments in order of their last use, which is all that tells them apart.

use super::{Buffer, Content, Segment};
use crate::canonical::Canon;

/// Number of a segment among those written out, by index.
pub type Ranks = Vec<Option<u64>>;

impl Buffer {
    /// Writes the segments. Those that `in_use` says are referred to count as held even where they are empty. Returns the
    /// number by which a reference to a segment is to be written.
    pub fn canonical(&self, in_use: impl Fn(usize) -> bool, out: &mut Canon) -> Ranks {
        let Self { segments, uses, empty: _, for_reads, size: _, hits_on_writes: _, caching: _ } = self;
        // An empty segment is like any other that is empty.
        let held = |index: &usize| segments[*index].content != Content::Empty || in_use(*index);
        let by_use = uses.oldest_first().map(|index| index as usize);
        let mut order: Vec<usize> = by_use.filter(|index| index < for_reads).filter(held).collect();
        // The dedicated segment for writes is in a place of its own.
        order.extend((*for_reads..segments.len()).filter(held));
        let mut ranks = vec![None; segments.len()];
        for (rank, &index) in order.iter().enumerate() {
            let Segment { start, end, limit, content } = segments[index];
            out.words([start, end, limit]);
            let content = match content {
                Content::Empty => 0u8,
                Content::Read => 1,
                Content::Written => 2,
                Content::Dirty => 3,
            };
            out.small(content | u8::from(index >= *for_reads) << 2);
            ranks[index] = Some(rank as u64);
        }
        out.maybe(None);
        ranks
    }
}
