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
    /// Number of the first place among the nodes.
    places: usize,
    /// Winner of each match from 1, the final; then the places.
    nodes: Vec<Entry>,
    /// Order of scheduling, by place.
    sequence: Vec<u64>,
    /// The place whose time was taken last: most often its owner schedules the next one, and clearing it first would be for
    /// nothing.
    taken: u32,
}

impl Tournament {
    /// Nothing is pending at any of the places.
    pub fn new(places: usize) -> Self {
        let places = places.next_power_of_two();
        let nodes = (0..2 * places as u32).map(|node| Entry { at: NEVER, place: node % places as u32 });
        Self { places, nodes: nodes.collect(), sequence: vec![0; places], taken: NOWHERE }
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
        self.taken != place as u32 && self.nodes[self.places + place].at != NEVER
    }

    /// The earliest time, [`NEVER`] where none is pending, and its order of scheduling.
    #[inline]
    pub fn first(&mut self) -> (Nanos, u64) {
        if self.taken != NOWHERE {
            self.play(self.taken as usize, NEVER);
            self.taken = NOWHERE;
        }
        let first = self.nodes[1];
        (first.at, self.sequence[first.place as usize])
    }

    /// Takes the time that [`Self::first`] has told; returns its place.
    #[inline]
    pub fn take(&mut self) -> usize {
        self.taken = self.nodes[1].place;
        self.taken as usize
    }

    #[inline]
    fn play(&mut self, place: usize, at: Nanos) {
        let nodes = self.nodes.as_mut_slice();
        let mut node = self.places + place;
        let mut winner = Entry { at, place: place as u32 };
        nodes[node] = winner;
        while node > 1 {
            let other = nodes[node ^ 1];
            let mut wins = other.at < winner.at;
            if other.at == winner.at {
                wins = self.sequence[other.place as usize] < self.sequence[winner.place as usize];
            }
            winner.at = select_unpredictable(wins, other.at, winner.at);
            winner.place = select_unpredictable(wins, other.place, winner.place);
            node /= 2;
            nodes[node] = winner;
        }
    }
}
