//! The earliest of a fixed number of pending times: a change plays again only the matches on its way to the top, without
//! moving anything else and without a branch that depends on their outcome (a processor would guess it wrong as often as
//! not).

use crate::clock::Nanos;
use std::hint::select_unpredictable;

/// Bits of a key that name the place.
const PLACE_BITS: u32 = 24;

/// A time, then the order of scheduling, then a place: keys compare as events come, and no two are equal. There is room for
/// 16 million places and 10^12 events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    at: Nanos,
    /// The order of scheduling in the upper bits, the place below.
    tag: u64,
}

/// Nothing is pending.
pub const NEVER: Key = Key { at: Nanos::MAX, tag: u64::MAX };

impl Key {
    #[inline]
    pub fn new(at: Nanos, sequence: u64, place: usize) -> Self {
        Self { at, tag: sequence << PLACE_BITS | place as u64 }
    }

    /// Its time.
    #[inline]
    pub fn at(self) -> Nanos {
        self.at
    }

    /// Its place.
    #[inline]
    pub fn place(self) -> u32 {
        self.tag as u32 & ((1 << PLACE_BITS) - 1)
    }

    /// Whether it comes before another. (Written without a comparison of pairs: compilers make a branch of that.)
    #[inline]
    pub fn precedes(self, other: Self) -> bool {
        (self.at < other.at) | ((self.at == other.at) & (self.tag < other.tag))
    }

    /// The earlier of the two, chosen without a branch.
    #[inline]
    fn earlier(self, other: Self) -> Self {
        let first = other.precedes(self);
        Self {
            at: select_unpredictable(first, other.at, self.at),
            tag: select_unpredictable(first, other.tag, self.tag),
        }
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

    /// Every pending time.
    pub fn pending(&self) -> impl Iterator<Item = Key> + '_ {
        let places = 0..self.matches.len() as u32;
        places.filter(|&place| self.is_pending(place)).map(|place| {
            let node = self.matches.len() + place as usize;
            self.matches[node / 2][node % 2]
        })
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
        let (mut node, mut winner) = (self.matches.len() + place as usize, key);
        while node > 1 {
            let players = &mut self.matches[node / 2];
            players[node % 2] = winner;
            winner = winner.earlier(players[1 - node % 2]);
            node /= 2;
        }
        self.matches[0][1] = winner;
    }
}
