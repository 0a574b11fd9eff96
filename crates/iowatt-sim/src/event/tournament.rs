//! The earliest of a fixed number of pending times: a change plays again only the matches on its way to the top, without
//! moving anything else and without a branch that depends on their outcome (a processor would guess it wrong as often as
//! not).

use crate::clock::Nanos;

/// Bits of a key that name the place.
const PLACE_BITS: u32 = 24;

/// A time, then the order of scheduling, then a place: keys compare as events come, and no two are equal. There is room for
/// 16 million places and 10^12 events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key(u128);

/// Nothing is pending.
pub const NEVER: Key = Key(u128::MAX);

impl Key {
    #[inline]
    pub fn new(at: Nanos, sequence: u64, place: usize) -> Self {
        Self(u128::from(at) << 64 | u128::from(sequence << PLACE_BITS | place as u64))
    }

    /// Its time.
    #[inline]
    pub fn at(self) -> Nanos {
        (self.0 >> 64) as Nanos
    }

    /// Its place.
    #[inline]
    pub fn place(self) -> u32 {
        self.0 as u32 & ((1 << PLACE_BITS) - 1)
    }
}

/// One pending time for each of a fixed number of places.
#[derive(Debug)]
pub struct Tournament {
    /// The two keys of each match, from 1, the final, on; the winner of match 1 is in match 0. The last half of the matches
    /// is between the places.
    matches: Vec<[Key; 2]>,
    /// The place whose time was taken last: most often its owner schedules the next one, and clearing it first would be for
    /// nothing.
    taken: Option<u32>,
}

impl Tournament {
    /// Nothing is pending at any of the places.
    pub fn new(places: usize) -> Self {
        Self { matches: vec![[NEVER; 2]; places.next_power_of_two()], taken: None }
    }

    /// Makes `key` the pending time of its place, in place of the one that may be pending.
    #[inline]
    pub fn set(&mut self, key: Key) {
        if self.taken == Some(key.place()) {
            self.taken = None;
        }
        self.play(key.place(), key);
    }

    /// Whether a time is pending at `place`.
    pub fn is_pending(&self, place: u32) -> bool {
        let node = self.matches.len() + place as usize;
        self.taken != Some(place) && self.matches[node / 2][node % 2] != NEVER
    }

    /// The earliest, [`NEVER`] where none is pending.
    #[inline]
    pub fn first(&mut self) -> Key {
        if let Some(place) = self.taken.take() {
            self.play(place, NEVER);
        }
        self.matches[0][1]
    }

    /// Takes the time that [`Self::first`] has told.
    #[inline]
    pub fn take(&mut self) {
        self.taken = Some(self.matches[0][1].place());
    }

    #[inline]
    fn play(&mut self, place: u32, key: Key) {
        let mut node = self.matches.len() + place as usize;
        let mut winner = key;
        while node > 1 {
            let pair = &mut self.matches[node / 2];
            pair[node % 2] = winner;
            winner = winner.min(pair[1 - node % 2]);
            node /= 2;
        }
        self.matches[0][1] = winner;
    }
}
