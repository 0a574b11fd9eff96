//! Whose turn it is: requests that need the same page go in the order in which they came.
//!
//! A page that is held, or that somebody waits for, has a queue. Who must wait for one of its pages queues for all of
//! them, and goes when it is the first everywhere and none of them is held. So no request is looked at again for what
//! ends on pages of others.

use super::io::VolumeRequest;
use crate::slab::Slab;
use std::collections::{HashMap, VecDeque};
use std::ops::RangeInclusive;

const NONE: u32 = u32::MAX;

/// The queue of a page.
#[derive(Clone, Copy, Debug)]
struct Queue {
    held: bool,
    first: u32,
    last: u32,
}

/// A request in the queue of one page.
#[derive(Clone, Copy, Debug)]
struct Place {
    waiter: u32,
    next: u32,
}

/// A request that waits.
#[derive(Clone, Copy, Debug)]
struct Waiter {
    request: VolumeRequest,
    first: u64,
    last: u64,
    /// Pages that are held or where others are before it.
    blocked: u64,
}

/// Pages that are held, and who waits. Nothing is allocated for a request in steady state.
#[derive(Debug, Default)]
pub(super) struct Turns {
    queues: HashMap<u64, Queue>,
    places: Slab<Place>,
    waiters: Slab<Waiter>,
    /// Whose turn has come.
    ready: VecDeque<u32>,
}

impl Turns {
    /// Whether a request has to wait for one of its pages; it is then queued.
    pub fn waits(&mut self, request: &VolumeRequest, pages: RangeInclusive<u64>) -> bool {
        if self.queues.is_empty() || !pages.clone().any(|page| self.queues.contains_key(&page)) {
            return false;
        }
        let (first, last) = (*pages.start(), *pages.end());
        let waiter = self.waiters.insert(Waiter { request: *request, first, last, blocked: 0 });
        let mut blocked = 0;
        for page in pages {
            let place = self.places.insert(Place { waiter, next: NONE });
            let queue = self.queues.entry(page).or_insert(Queue { held: false, first: NONE, last: NONE });
            blocked += u64::from(queue.held || queue.first != NONE);
            if queue.first == NONE {
                queue.first = place;
            } else {
                self.places.get_mut(queue.last).next = place;
            }
            queue.last = place;
        }
        self.waiters.get_mut(waiter).blocked = blocked;
        true
    }

    /// Pages that nobody holds are held from now on.
    pub fn take(&mut self, pages: RangeInclusive<u64>) {
        for page in pages {
            self.queues.entry(page).or_insert(Queue { held: false, first: NONE, last: NONE }).held = true;
        }
    }

    /// Pages are held no more: [`Self::next`] tells whose turn has come.
    pub fn give(&mut self, pages: RangeInclusive<u64>) {
        for page in pages.clone() {
            if let Some(queue) = self.queues.get_mut(&page) {
                queue.held = false;
            }
        }
        self.pass_on(pages);
    }

    /// A request whose turn it is, and its pages. [`Self::pass_on`] follows when it has gone.
    pub fn next(&mut self) -> Option<(VolumeRequest, RangeInclusive<u64>)> {
        let waiter = self.waiters.remove(self.ready.pop_front()?);
        let pages = waiter.first..=waiter.last;
        for page in pages.clone() {
            if let Some(queue) = self.queues.get_mut(&page) {
                queue.first = self.places.remove(queue.first).next;
            }
        }
        Some((waiter.request, pages))
    }

    /// Pages that are not held are the next one's.
    pub fn pass_on(&mut self, pages: RangeInclusive<u64>) {
        for page in pages {
            let Some(&Queue { held: false, first, .. }) = self.queues.get(&page) else { continue };
            if first == NONE {
                self.queues.remove(&page);
                continue;
            }
            let number = self.places.get(first).waiter;
            let waiter = self.waiters.get_mut(number);
            waiter.blocked -= 1;
            if waiter.blocked == 0 {
                self.ready.push_back(number);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Who goes when, against a list that is looked through from its front: a request goes as soon as none of its
        /// pages is held or wanted by an earlier one that waits.
        #[test]
        fn requests_go_in_order(
            steps in prop::collection::vec((any::<bool>(), 0u64..20, 0u64..5, any::<prop::sample::Index>(), any::<bool>()), 1..200),
        ) {
            let mut turns = Turns::default();
            let mut flights: Vec<(u64, u64)> = Vec::new();
            let mut waiting: Vec<(u64, u64, VolumeRequest)> = Vec::new();
            let meets = |a: (u64, u64), b: (u64, u64)| a.0 <= b.1 && b.0 <= a.1;
            for (number, (comes, first, more, which, write)) in (0u32..).zip(steps) {
                let pages = (first, first + more);
                if comes || flights.is_empty() {
                    let request = VolumeRequest { key: number, from: pages.0, until: pages.1 + 1, write, trim: false };
                    let must = flights.iter().any(|&f| meets(f, pages))
                        || waiting.iter().any(|&(a, b, _)| meets((a, b), pages));
                    prop_assert_eq!(turns.waits(&request, pages.0..=pages.1), must);
                    if must {
                        waiting.push((pages.0, pages.1, request));
                    } else if write {
                        turns.take(pages.0..=pages.1);
                        flights.push(pages);
                    }
                } else {
                    let gone = flights.swap_remove(which.index(flights.len()));
                    turns.give(gone.0..=gone.1);
                    let (mut expected, mut went) = (Vec::new(), Vec::new());
                    let mut at = 0;
                    while at < waiting.len() {
                        let (a, b, request) = waiting[at];
                        let must = flights.iter().any(|&f| meets(f, (a, b)))
                            || waiting[..at].iter().any(|&(c, d, _)| meets((c, d), (a, b)));
                        if must {
                            at += 1;
                            continue;
                        }
                        waiting.remove(at);
                        expected.push(request.key);
                        if request.write {
                            flights.push((a, b));
                        }
                    }
                    while let Some((request, pages)) = turns.next() {
                        went.push(request.key);
                        if request.write {
                            turns.take(pages.clone());
                        }
                        turns.pass_on(pages);
                    }
                    went.sort_unstable();
                    prop_assert_eq!(went, expected);
                }
                prop_assert_eq!(turns.waiters.len(), waiting.len());
            }
            while let Some(gone) = flights.pop() {
                turns.give(gone.0..=gone.1);
                while let Some((request, pages)) = turns.next() {
                    if request.write {
                        turns.take(pages.clone());
                        flights.push((*pages.start(), *pages.end()));
                    }
                    turns.pass_on(pages);
                }
            }
            prop_assert!(turns.queues.is_empty() && turns.places.is_empty() && turns.waiters.is_empty());
        }
    }
}
