//! Pacing on a clock that the tests turn: a target that takes a fixed time for each request.
#![allow(clippy::unwrap_used, clippy::expect_used)] // a test fails by panicking

use std::collections::VecDeque;

use iowatt_replay::pacer::{Driver, pace};
use iowatt_replay::schedule::{Mode, Schedule};
use iowatt_replay::work::{Io, Work};
use proptest::prelude::*;

/// A target that serves each request alone or all at once, in `service_ns`; time passes only in `wait`.
#[derive(Default)]
struct Fake {
    now: u64,
    service_ns: u64,
    flying: VecDeque<(u64, u64)>,
    finished: Vec<(u64, u64)>,
    /// Number, due, sent.
    sent: Vec<(u64, u64, u64)>,
    most: usize,
    stop_at: Option<u64>,
}

impl Fake {
    fn new(service_ns: u64) -> Self {
        Self { service_ns, ..Self::default() }
    }

    /// To the next completion that comes by `until`, else to `until`.
    fn pass(&mut self, until: Option<u64>) {
        match self.flying.front().copied() {
            Some((number, done)) if until.is_none_or(|until| done <= until) => {
                self.now = self.now.max(done);
                self.flying.pop_front();
                self.finished.push((number, done));
            }
            _ => self.now = until.expect("something must be awaited"),
        }
    }
}

impl Driver for Fake {
    fn now(&mut self) -> u64 {
        self.now
    }

    fn in_flight(&self) -> usize {
        self.flying.len()
    }

    fn send(&mut self, number: u64, due_ns: u64, _io: Io) {
        self.sent.push((number, due_ns, self.now));
        self.flying.push_back((number, self.now + self.service_ns));
        self.most = self.most.max(self.flying.len());
    }

    fn wait(&mut self, until: Option<u64>, wake: Option<usize>) {
        if wake.is_none_or(|seen| seen == self.flying.len()) {
            self.pass(until);
        }
    }

    fn collect(&mut self, each: &mut dyn FnMut(u64, u64)) {
        self.finished.drain(..).for_each(|(number, done)| each(number, done));
    }

    fn stopped(&self) -> bool {
        self.stop_at.is_some_and(|at| self.now >= at)
    }
}

fn work(due_ns: &[u64], stream: &[u32]) -> Work {
    let n = due_ns.len();
    Work {
        due_ns: due_ns.to_vec(),
        write: vec![false; n],
        offset: vec![0; n],
        size: vec![512; n],
        stream: stream.to_vec(),
        think_ns: vec![],
    }
}

fn paced(work: &Work, mode: Mode, repeat: u32, depth: usize, service_ns: u64) -> Fake {
    let mut fake = Fake::new(service_ns);
    let mut schedule = Schedule::new(work, mode, repeat);
    let sent = pace(work, &mut schedule, &mut fake, depth);
    assert_eq!(sent, schedule.total());
    assert_eq!(fake.in_flight(), 0, "all completions were awaited");
    fake
}

#[test]
fn open_requests_go_at_their_times_whatever_is_outstanding() {
    let fake = paced(&work(&[0, 10, 10, 30], &[]), Mode::Open, 1, 9, 1000);
    assert_eq!(fake.sent, [(0, 0, 0), (1, 10, 10), (2, 10, 10), (3, 30, 30)]);
}

#[test]
fn a_full_depth_makes_requests_late_and_loses_none() {
    // Two at a time, each of 100 ns: the third waits for the first.
    let fake = paced(&work(&[0, 10, 20, 30], &[]), Mode::Open, 1, 2, 100);
    assert_eq!(fake.sent, [(0, 0, 0), (1, 10, 10), (2, 20, 100), (3, 30, 110)]);
    assert_eq!(fake.most, 2);
}

#[test]
fn repetitions_follow_after_the_mean_gap() {
    // A span of 40 in 2 gaps: the second pass begins at 60.
    let fake = paced(&work(&[0, 10, 40], &[]), Mode::Open, 2, 9, 1);
    let due: Vec<_> = fake.sent.iter().map(|(_, due, _)| *due).collect();
    assert_eq!(due, [0, 10, 40, 60, 70, 100]);
}

#[test]
fn a_stream_sends_after_its_own_completions() {
    // Streams 0 and 1 begin at 0 and 5; recorded times of later requests do not count.
    let fake = paced(&work(&[0, 5, 6, 7], &[0, 1, 0, 1]), Mode::Streams, 1, 9, 100);
    assert_eq!(fake.sent, [(0, 0, 0), (1, 5, 5), (2, 100, 100), (3, 105, 105)]);
    assert_eq!(fake.most, 2);
}

#[test]
fn think_time_comes_between_completion_and_request() {
    let mut requests = work(&[0, 1, 2], &[]);
    requests.think_ns = vec![0, 50, 7];
    let fake = paced(&requests, Mode::Streams, 1, 9, 100);
    assert_eq!(fake.sent, [(0, 0, 0), (1, 150, 150), (2, 257, 257)]);
}

#[test]
fn streams_repeat_from_their_first_request() {
    let fake = paced(&work(&[0, 5], &[0, 1]), Mode::Streams, 3, 9, 100);
    let numbers: Vec<_> = fake.sent.iter().map(|(number, ..)| *number).collect();
    assert_eq!(numbers, [0, 1, 2, 3, 4, 5]);
    assert_eq!(fake.sent[4], (4, 200, 200));
}

#[test]
fn so_many_are_outstanding_all_the_time() {
    let fake = paced(&work(&[0, 1, 2, 3, 4], &[]), Mode::Outstanding(2), 1, 9, 100);
    assert_eq!(fake.sent, [(0, 0, 0), (1, 0, 0), (2, 100, 100), (3, 100, 100), (4, 200, 200)]);
    assert_eq!(fake.most, 2);
}

#[test]
fn a_stop_ends_it() {
    let requests = work(&[0, 10, 1000], &[]);
    let mut fake = Fake { stop_at: Some(10), ..Fake::new(5) };
    assert_eq!(pace(&requests, &mut Schedule::new(&requests, Mode::Open, 1), &mut fake, 4), 1);
}

proptest! {
    #[test]
    fn every_request_is_sent_once_never_early_and_within_the_depth(
        gaps in prop::collection::vec(0_u64..50, 1..30),
        streams in prop::collection::vec(0_u32..4, 30),
        mode in prop_oneof![Just(Mode::Open), Just(Mode::Streams), (1_u32..5).prop_map(Mode::Outstanding)],
        repeat in 1_u32..4, depth in 1_usize..6, service_ns in 0_u64..100,
    ) {
        let due: Vec<u64> = gaps.iter().scan(0, |at, gap| { *at += gap; Some(*at) }).collect();
        let fake = paced(&work(&due, &streams[..due.len()]), mode, repeat, depth, service_ns);
        let mut numbers: Vec<u64> = fake.sent.iter().map(|(number, ..)| *number).collect();
        numbers.sort_unstable();
        prop_assert!(numbers.iter().copied().eq(0..due.len() as u64 * u64::from(repeat)));
        prop_assert!(fake.sent.iter().all(|(_, due, sent)| due <= sent));
        prop_assert!(fake.most <= depth);
    }
}
