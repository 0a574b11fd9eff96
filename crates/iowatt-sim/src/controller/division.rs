//! Division of large requests: pieces of bounded size, a few of each request under way at a time, which take turns on
//! the links, so that a small request waits for a piece and not for the whole of a large one.
//!
//! A divided request keeps its visit, which never enters a stage of its own again; its pieces are visits that know the
//! division. Hits are counted, and streams followed, by whole requests.

use super::cache::Found;
use super::link::Turn;
use super::{Controller, LINKS, Moment, NONE, Stage, Visit};

/// A divided request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Whole {
    /// Its visit.
    visit: u32,
    /// First byte that is in no piece yet.
    next: u64,
    /// Pieces under way.
    under_way: u32,
    /// Bytes of pieces that have been looked up, or are known to be zeros.
    looked_up: u64,
    /// Of those, bytes known to be zeros.
    zeros: u64,
    /// What they found.
    found: Found,
    /// Turns on the links.
    turns: [Turn; LINKS],
}

impl Whole {
    /// The visit of the whole request.
    pub(super) fn visit(&self) -> u32 {
        self.visit
    }
}

impl Controller {
    /// Divides a request that is larger than a piece and starts the first pieces; `false` where it is not.
    pub(super) fn divide(&mut self, key: u32, moment: &mut Moment<'_>) -> bool {
        let Some(split) = self.split else { return false };
        let visit = self.visits.get(key);
        if visit.until - visit.from <= split.bytes {
            return false;
        }
        let whole = self.wholes.insert(Whole {
            visit: key,
            next: visit.from,
            under_way: 0,
            looked_up: 0,
            zeros: 0,
            found: Found::default(),
            turns: [Turn::default(); LINKS],
        });
        self.visits.get_mut(key).whole = whole;
        for _ in 0..split.outstanding {
            self.next_piece(whole, moment);
        }
        true
    }

    /// Starts the next piece of a divided request, if one is left.
    fn next_piece(&mut self, whole: u32, moment: &mut Moment<'_>) {
        let Some(split) = self.split else { return };
        let state = self.wholes.get_mut(whole);
        let visit = self.visits.get(state.visit);
        let from = state.next;
        if from >= visit.until {
            return;
        }
        let until = visit.until.min((from / split.bytes + 1) * split.bytes);
        state.next = until;
        state.under_way += 1;
        let piece = Visit { host: NONE, whole, from, until, entered: moment.now, behind: NONE, ..visit };
        let piece = self.visits.insert(piece);
        self.begin(piece, moment);
    }

    /// A piece is done: the next one begins, or the whole request is.
    pub(super) fn piece_done(&mut self, piece: &Visit, moment: &mut Moment<'_>) {
        self.wholes.get_mut(piece.whole).under_way -= 1;
        self.next_piece(piece.whole, moment);
        let whole = self.wholes.get(piece.whole);
        if whole.under_way == 0 {
            self.wholes.remove(piece.whole);
            let visit = self.visits.remove(whole.visit);
            self.answers.push_back(visit.host);
        }
    }

    /// Whether a visit is a whole request or the first piece of one.
    pub(super) fn is_first(&self, visit: &Visit) -> bool {
        visit.whole == NONE || self.visits.get(self.wholes.get(visit.whole).visit).from == visit.from
    }

    /// What a visit found, or a whole request once all of its pieces have been looked up or are known to be zeros, and
    /// its first byte and end. A request of nothing but zeros is not looked up.
    pub(super) fn gathered(&mut self, visit: &Visit, found: Found, zeros: bool) -> Option<(Found, u64, u64)> {
        if visit.whole == NONE {
            return Some((found, visit.from, visit.until));
        }
        let state = self.wholes.get_mut(visit.whole);
        state.found = state.found.and(found);
        let bytes = visit.until - visit.from;
        state.looked_up += bytes;
        state.zeros += u64::from(zeros) * bytes;
        let (state, whole) = (*state, self.visits.get(state.visit));
        let size = whole.until - whole.from;
        let counts = state.looked_up == size && state.zeros < size;
        counts.then_some((state.found, whole.from, whole.until))
    }

    /// Whether a visit may go on a link now; a piece waits while another of its request is there.
    pub(super) fn take_turn(&mut self, key: u32, link: usize) -> bool {
        let visit = self.visits.get(key);
        if visit.whole == NONE {
            return true;
        }
        let turn = &mut self.wholes.get_mut(visit.whole).turns[link];
        if !turn.taken {
            turn.taken = true;
            return true;
        }
        if turn.first == NONE {
            turn.first = key;
        } else {
            self.visits.get_mut(turn.last).behind = key;
        }
        turn.last = key;
        false
    }

    /// A visit leaves a link: the next piece of its request takes its turn.
    pub(super) fn give_turn(&mut self, key: u32, link: usize, moment: &mut Moment<'_>) {
        let visit = self.visits.get(key);
        if visit.whole == NONE {
            return;
        }
        let turn = &mut self.wholes.get_mut(visit.whole).turns[link];
        let next = turn.first;
        if next == NONE {
            turn.taken = false;
            return;
        }
        turn.first = self.visits.get(next).behind;
        self.visits.get_mut(next).behind = NONE;
        debug_assert!(matches!(
            self.visits.get(next).stage,
            Stage::DataIn | Stage::Mirror | Stage::Crossing | Stage::DataOut
        ));
        self.send(next, link, moment);
    }
}
