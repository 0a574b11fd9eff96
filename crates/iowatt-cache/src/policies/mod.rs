//! The policies, one a file. How to add one: `docs/howto/add-a-policy.md`.

mod arc;
mod clock;
mod fifo;
mod lfu;
mod lru;
mod s3_fifo;
mod sieve;
mod two_q;
mod w_tinylfu;

pub use arc::Arc;
pub use clock::Clock;
pub use fifo::Fifo;
pub use lfu::Lfu;
pub use lru::Lru;
pub use s3_fifo::S3Fifo;
pub use sieve::Sieve;
pub use two_q::TwoQ;
pub use w_tinylfu::WTinyLfu;

/// Slots that are `share` of `capacity`, rounded down, but at least `least`.
fn part(capacity: usize, share: f64, least: usize) -> usize {
    ((capacity as f64 * share) as usize).max(least)
}

/// Keys by slot.
#[derive(Debug, Default)]
struct Keys(Vec<u64>);

impl Keys {
    #[inline]
    fn set(&mut self, slot: u32, key: u64) {
        match self.0.get_mut(slot as usize) {
            Some(place) => *place = key,
            None => self.0.resize(slot as usize + 1, key),
        }
    }

    #[inline]
    fn get(&self, slot: u32) -> u64 {
        self.0[slot as usize]
    }
}
