//! The earliest of a fixed number of pending times: a change plays again only the matches on its way to the top, without
//! moving anything else and without a branch that depends on their outcome (a processor would guess it wrong as often as
//! not). Times are compared alone; the order of scheduling decides ties, which are seldom.

use crate::clock::Nanos;
use std::hint::select_unpredictable;

/// Nothing is pending.
pub const NEVER: Nanos = Nanos::MAX;

/// No place.
const NOWHERE: u32 = u32::MAX;

/// A time and whose it is.
#[derive(Clone, Copy, Debug)]
struct Entry {
    at: Nanos,
    place: u32,
}

/// One pending time for each of a fixed number of places.
#[derive(Debug)]
pub struct Tournament {
    /// The two entries of each match, from 1, the final, on; the winner of match 1 is in match 0. The last half of the
    /// matches is between the places.
    matches: Vec<[Entry; 2]>,
    /// Order of scheduling, by place.
    sequence: Vec<u64>,
    /// The place whose time was taken last: most often its owner schedules the next one, and clearing it first would be for
    /// nothing.
    taken: u32,
}

impl Tournament {
    /// Nothing is pending at any of the places.
    pub fn new(places: usize) -> Self {
        let places = places.next_power_of_two() as u32;
        let entry = |node: u32| Entry { at: NEVER, place: node % places };
        let matches = (0..places).map(|number| [entry(2 * number), entry(2 * number + 1)]).collect();
        Self { matches, sequence: vec![0; places as usize], taken: NOWHERE }
    }

    /// Makes `at` the pending time of `place`, in place of the one that may be pending. `sequence`: its order of scheduling.
    #[inline]
    pub fn set(&mut self, place: usize, at: Nanos, sequence: u64) {
        if self.taken == place as u32 {
            self.taken = NOWHERE;
        }
        self.sequence[place] = sequence;
        self.play(place, at);
    }

    /// Whether a time is pending at `place`.
    pub fn is_pending(&self, place: usize) -> bool {
        let node = self.matches.len() + place;
        self.taken != place as u32 && self.matches[node / 2][node % 2].at != NEVER
    }

    /// Every pending time: its place, the time, its order of scheduling.
    pub fn pending(&self) -> impl Iterator<Item = (usize, Nanos, u64)> + '_ {
        let places = 0..self.sequence.len();
        places.filter(|&place| self.is_pending(place)).map(|place| {
            let node = self.matches.len() + place;
            (place, self.matches[node / 2][node % 2].at, self.sequence[place])
        })
    }

    /// The earliest time, [`NEVER`] where none is pending, and its order of scheduling.
    #[inline]
    pub fn first(&mut self) -> (Nanos, u64) {
        if self.taken != NOWHERE {
            self.play(self.taken as usize, NEVER);
            self.taken = NOWHERE;
        }
        let first = self.matches[0][1];
        (first.at, self.sequence[first.place as usize])
    }

    /// Takes the time that [`Self::first`] has told; returns its place.
    #[inline]
    pub fn take(&mut self) -> usize {
        self.taken = self.matches[0][1].place;
        self.taken as usize
    }

    #[inline]
    fn play(&mut self, place: usize, at: Nanos) {
        let mut node = self.matches.len() + place;
        let mut winner = Entry { at, place: place as u32 };
        while node > 1 {
            let pair = &mut self.matches[node / 2];
            pair[node % 2] = winner;
            let other = pair[1 - node % 2];
            let mut wins = other.at < winner.at;
            if other.at == winner.at {
                wins = self.sequence[other.place as usize] < self.sequence[winner.place as usize];
            }
            winner.at = select_unpredictable(wins, other.at, winner.at);
            winner.place = select_unpredictable(wins, other.place, winner.place);
            node /= 2;
        }
        self.matches[0][1] = winner;
    }
}
