//! A tournament of keys: a change plays again only the matches on its way to the top, without moving anything else and
//! without a branch that depends on their outcome (a processor would guess it wrong as often as not).

use std::hint::select_unpredictable;

/// What the least is sought of: by its first, then by its second number.
pub type Key = (u64, u64);

/// The greatest key: nothing is pending.
pub const NEVER: Key = (u64::MAX, u64::MAX);

/// The least of a fixed number of keys.
#[derive(Debug)]
pub struct Tournament {
    /// Matches that a key plays.
    rounds: u32,
    /// Winner of each match, from 1, the final; then the keys of the places.
    nodes: Vec<Key>,
}

impl Tournament {
    /// All keys are [`NEVER`].
    pub fn new(places: usize) -> Self {
        let places = places.next_power_of_two();
        Self { rounds: places.ilog2(), nodes: vec![NEVER; 2 * places] }
    }

    /// The key of `place`.
    pub fn at(&self, place: usize) -> Key {
        self.nodes[(1 << self.rounds) + place]
    }

    /// Gives `place` another key.
    #[inline]
    pub fn set(&mut self, place: usize, key: Key) {
        let nodes = self.nodes.as_mut_slice();
        let (mut upper, mut lower) = key;
        let mut node = (1 << self.rounds) + place;
        nodes[node] = key;
        for _ in 0..self.rounds {
            let other = nodes[node ^ 1];
            let wins = (other.0 < upper) | ((other.0 == upper) & (other.1 < lower));
            upper = select_unpredictable(wins, other.0, upper);
            lower = select_unpredictable(wins, other.1, lower);
            node /= 2;
            nodes[node] = (upper, lower);
        }
    }

    /// The least key.
    #[inline]
    pub fn first(&self) -> Key {
        self.nodes[1]
    }
}
