//! A live volume moves what the simulator moves: the same trace, the same virtual pool, the same counts and the same map.
//!
//! What decides is one policy; what can differ is when it is told that a transfer has ended. So the time of a live volume is told
//! in most of these tests (`Volume::stepped`): each transfer ends after what the simulated device takes, and to make something
//! durable takes no time, which the simulator does not know. Then alarms come at the same times, too.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // tests fail by panicking

mod support;

use support::same::{Case, End, simulated, stepped, threaded};

const REQUESTS: u64 = 20_000;

/// Thresholds, numbers of moves at a time, and ages of dirty copies: where moves are scarce, and where they hardly are.
fn cases() -> Vec<Case> {
    let mut cases = vec![Case::linear()];
    for (threshold, most) in [(1, 1), (2, 3), (5, 8)] {
        cases.push(Case::tiering(threshold, most));
        for write in ["through", "around", "back"] {
            cases.push(Case::caching(write, threshold, most, 0.0));
        }
        // Requests come every second: copies become old enough between them.
        cases.push(Case::caching("back", threshold, most, 2.5));
    }
    cases
}

fn assert_same(case: &Case, simulated: &End, live: &End) {
    assert_eq!(simulated.0, live.0, "{}", case.scheme);
    let differs = (0..simulated.1.len()).find(|&extent| simulated.1[extent] != live.1[extent]);
    assert_eq!((simulated.1.len(), differs), (live.1.len(), None), "{}", case.scheme);
}

/// Requests one after another, moves at rest in between: every count, and every extent, is the same.
#[test]
fn one_by_one_everything_is_the_same() {
    for case in cases() {
        let trace = case.trace(REQUESTS, 3);
        let simulated = simulated::run(&case, &trace, None);
        assert_same(&case, &simulated, &stepped::run(&case, &trace, None));
        let (counts, kind) = (&simulated.0, case.scheme["kind"].as_str().unwrap());
        let [fast, slow] = [0, 1].map(|part| counts.parts[part].hits.iter().sum::<u64>());
        assert!(fast > 2_000 && slow > 2_000 && fast + slow < REQUESTS, "some lie on both parts: {counts:?}");
        assert!(kind == "linear" || counts.migrations > 2_000, "{counts:?}");
        assert!(kind != "caching" || counts.evictions > 2_000, "{counts:?}");
        assert!(case.scheme["write"] != "back" || counts.write_backs > 500, "{counts:?}");
    }
}

/// The same, with the threads of a volume in service, in schemes whose moves end in the order in which they began: a fill and a
/// write-back, or two fills of which one waits for the journal, do not. Waits for moves take real time here, and are left out.
#[test]
fn one_by_one_threads_change_nothing() {
    let caching = |write| Case::caching(write, 2, 1, 0.0);
    for case in [Case::linear(), Case::tiering(2, 3), caching("through"), caching("around")] {
        let trace = case.trace(REQUESTS, 5);
        let (mut simulated, mut live) =
            (simulated::run(&case, &trace, None), threaded::one_by_one(&case, &trace));
        (simulated.0.held_ns, live.0.held_ns) = (0, 0);
        assert_same(&case, &simulated, &live);
    }
}

/// These tests can fail: with a threshold or a number of moves that is another by one, nothing is the same.
#[test]
fn another_policy_is_seen() {
    for (case, others) in [
        (Case::tiering(2, 3), [Case::tiering(3, 3), Case::tiering(2, 2)]),
        (
            Case::caching("back", 2, 3, 0.0),
            [Case::caching("back", 3, 3, 0.0), Case::caching("back", 2, 2, 0.0)],
        ),
    ] {
        let mut trace = case.trace(REQUESTS, 3);
        trace.retain(|request| request.offset + u64::from(request.size) <= 200 << 16); // there in all of them
        let simulated = simulated::run(&case, &trace, None);
        for other in others {
            let live = stepped::run(&other, &trace, None);
            // With fewer moves at a time there are fewer extents: maps of another length differ anyway.
            let other_map = simulated.1.len() != live.1.len() || simulated.1 != live.1;
            assert!(simulated.0 != live.0 && other_map, "{}", other.scheme);
        }
    }
}

/// Eight requests outstanding, none on the bytes of another: nothing that overlaps is in flight together, and still everything is
/// the same. (Not with write-back, which reads a copy while a host may write to it.)
#[test]
fn eight_outstanding_on_bytes_of_their_own_are_the_same() {
    for case in cases().into_iter().filter(|case| case.scheme["write"] != "back") {
        let trace = case.trace_apart(REQUESTS as usize, 4);
        assert!(trace.len() as u64 == REQUESTS);
        let simulated = simulated::run(&case, &trace, Some(8));
        assert_same(&case, &simulated, &stepped::run(&case, &trace, Some(8)));
        assert!(case.scheme["kind"] == "linear" || simulated.0.held > 20, "{:?}", simulated.0);
    }
}

/// How far a live volume is from the simulator: points of requests that were hits, percent of moves.
fn difference(simulated: &End, live: &End) -> (f64, f64) {
    let hits = |(counts, _): &End| counts.parts[0].hits.iter().sum::<u64>() as f64;
    let moves = |(counts, _): &End| counts.migrations.max(1) as f64;
    let points = 100.0 * (hits(live) - hits(simulated)) / REQUESTS as f64;
    (points, 100.0 * (moves(live) / moves(simulated) - 1.0))
}

/// Eight outstanding that may overlap. A live volume lets no transfer overtake an earlier one on the same bytes, where a simulated
/// device does both at once. So not every move is the same: hits are within a point, moves within 3 %, where as many moves as are
/// due may be under way. (Where they may not, most that are due are postponed, and which of them is chance: up to 8 % are seen.)
#[test]
fn eight_outstanding_come_close() {
    let cases = cases().into_iter().filter(|case| case.scheme["max_migrations"] == 8);
    for (case, seed) in cases.flat_map(|case| [(case.clone(), 4), (case, 6)]) {
        let trace = case.trace(REQUESTS, seed);
        let simulated = simulated::run(&case, &trace, Some(8));
        let (points, percent) = difference(&simulated, &stepped::run(&case, &trace, Some(8)));
        eprintln!(
            "{}: {points:+.2} points, {percent:+.2} % of {} moves",
            case.scheme, simulated.0.migrations
        );
        assert!(points.abs() <= 1.0 && percent.abs() <= 3.0, "{}: {points} points, {percent} %", case.scheme);
    }
}

/// Eight hosts and all threads, on stores that take as long as the simulated devices. Real moves take longer by two writes to the
/// journal and by threads that wake, which the simulator does not know, so that fewer come to an end: hits alone are compared.
#[test]
fn eight_hosts_hit_as_often() {
    let caching = |write| Case::caching(write, 5, 8, 0.0);
    for case in [Case::linear(), Case::tiering(5, 8), caching("through"), caching("around"), caching("back")]
    {
        let trace = case.trace(REQUESTS, 4);
        let simulated = simulated::run(&case, &trace, Some(8));
        let (points, percent) = difference(&simulated, &threaded::with_hosts(&case, &trace, 8));
        eprintln!(
            "{}: {points:+.2} points, {percent:+.2} % of {} moves",
            case.scheme, simulated.0.migrations
        );
        assert!(points.abs() <= 1.0, "{}: {points} points", case.scheme);
    }
}
