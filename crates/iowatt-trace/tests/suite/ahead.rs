//! Read ahead on a thread, a source says the same as without it, and leaves nothing running.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use iowatt_trace::{Ahead, NO_RESPONSE, NO_STREAM, Op, Request, Source, TraceError, TraceSpec};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::input::{gzip, zstandard};
use crate::{open, spec};

/// Only so that a test that hangs says so.
const HANGS: Duration = Duration::from_secs(120);

/// CSV whose `bad` lines hold no size, with names that come little by little, trims and equal stamps among them.
fn text(lines: &[(u8, bool)]) -> String {
    let mut text = "time_us,op,offset,size,device,stream\n".to_owned();
    let mut at = 1000;
    for (number, &(kind, bad)) in lines.iter().enumerate() {
        at += u64::from(kind % 3);
        let op = ["R", "W", "trim"][usize::from(kind % 7 / 3)];
        let size = if bad { 0 } else { 4096 };
        text += &format!("{at},{op},{},{size},d{},s{}\n", number * 8192, number / 50, number / 30 % 9);
    }
    text
}

fn tolerant(skip_bad: u64) -> TraceSpec {
    TraceSpec { skip_bad, device: Some("*".to_owned()), ..spec("csv") }
}

/// What one call gives, and what the source says after it.
#[allow(clippy::type_complexity)] // everything that can be seen
fn told(
    source: &mut dyn Source,
    limit: usize,
) -> (Vec<Request>, Result<bool, String>, Option<iowatt_trace::Summary>, Option<f64>) {
    let mut requests = Vec::new();
    let outcome = source.fill(&mut requests, limit).map_err(|error| error.to_string());
    (requests, outcome, source.summary(), source.progress())
}

proptest! {
    #[test]
    fn each_call_says_what_it_would_without_the_thread(
        lines in vec((any::<u8>(), proptest::bool::weighted(0.01)), 0..700),
        skip_bad in 0_u64..8,
        limit in 1_usize..20,
    ) {
        let (text, spec) = (text(&lines), tolerant(skip_bad));
        let mut plain = open(text.as_bytes(), &spec).unwrap();
        let mut ahead = Ahead::new(open(text.as_bytes(), &spec).unwrap(), limit);
        prop_assert_eq!((ahead.summary(), ahead.progress()), (plain.summary(), plain.progress()));
        let mut calls_past_the_end = 0;
        while calls_past_the_end < 3 {
            let expected = told(plain.as_mut(), limit);
            calls_past_the_end += usize::from(!matches!(expected.1, Ok(true)));
            prop_assert_eq!(told(&mut ahead, limit), expected);
            prop_assert!(ahead.devices().starts_with(plain.devices()));
            prop_assert!(ahead.streams().starts_with(plain.streams()));
        }
        prop_assert_eq!((ahead.devices(), ahead.streams()), (plain.devices(), plain.streams()));
    }

    #[test]
    fn any_limits_give_the_same_requests_and_the_same_end(
        lines in vec((any::<u8>(), proptest::bool::weighted(0.01)), 0..700),
        skip_bad in 0_u64..8,
        step in 0_usize..20,
        limits in vec(0_usize..100, 1..20),
    ) {
        let (text, spec) = (text(&lines), tolerant(skip_bad));
        let to_the_end = |mut source: Box<dyn Source>, limits: &[usize]| {
            let mut requests = Vec::new();
            for &limit in limits.iter().chain([&7]).cycle() {
                let before = requests.len();
                let outcome = source.fill(&mut requests, limit).map_err(|error| error.to_string());
                assert!(requests.len() - before <= limit);
                assert!(requests.iter().all(|r| (r.device as usize) < source.devices().len()));
                assert!(requests.iter().all(|r| (r.stream as usize) < source.streams().len()));
                if !matches!(outcome, Ok(true)) {
                    let names = (source.devices().to_vec(), source.streams().to_vec());
                    return (requests, outcome, source.summary(), source.progress(), names);
                }
            }
            unreachable!("the limits go round")
        };
        let opened = || open(text.as_bytes(), &spec).unwrap();
        let ahead = to_the_end(Box::new(Ahead::new(opened(), step)), &limits);
        prop_assert_eq!(ahead, to_the_end(opened(), &[1000]));
    }
}

/// Requests without end; each call of `fill` first asks `before`, and the drop is told.
struct Endless<F> {
    before: F,
    given: Arc<AtomicU64>,
    dropped: Sender<()>,
}

impl<F: FnMut(u64) + Send> Source for Endless<F> {
    fn fill(&mut self, out: &mut Vec<Request>, limit: usize) -> Result<bool, TraceError> {
        (self.before)(self.given.load(Ordering::SeqCst));
        for _ in 0..limit {
            let time_ns = self.given.fetch_add(1, Ordering::SeqCst);
            out.push(Request {
                time_ns,
                offset: 0,
                response_ns: NO_RESPONSE,
                size: 512,
                device: 0,
                stream: NO_STREAM,
                op: Op::Read,
            });
        }
        Ok(true)
    }

    fn devices(&self) -> &[String] {
        &[]
    }
}

impl<F> Drop for Endless<F> {
    fn drop(&mut self) {
        let _ = self.dropped.send(());
    }
}

fn endless(limit: usize, before: impl FnMut(u64) + Send + 'static) -> (Ahead, Arc<AtomicU64>, Receiver<()>) {
    let (given, (dropped, gone)) = (Arc::new(AtomicU64::new(0)), channel());
    let source = Endless { before, given: Arc::clone(&given), dropped };
    (Ahead::new(Box::new(source), limit), given, gone)
}

#[test]
fn dropped_early_the_thread_stops_wherever_it_is() {
    for calls in [0, 1, 15, 16, 17, 100] {
        let (mut ahead, _, gone) = endless(4, |_| {});
        let mut out = Vec::new();
        for _ in 0..calls {
            assert!(ahead.fill(&mut out, 4).unwrap());
        }
        assert!(out.iter().map(|r| r.time_ns).eq(0..calls * 4));
        drop(ahead);
        gone.recv_timeout(HANGS).unwrap();
    }
}

#[test]
fn dropping_does_not_wait_for_a_silent_pipe() {
    let ((entered, waits), (wake, silence)) = (channel(), channel::<()>());
    let (ahead, given, gone) = endless(4, move |_| {
        let _ = entered.send(());
        let _ = silence.recv();
    });
    waits.recv_timeout(HANGS).unwrap();
    drop(ahead);
    assert!(gone.try_recv().is_err(), "the source still waits");
    wake.send(()).unwrap();
    gone.recv_timeout(HANGS).unwrap();
    assert_eq!(given.load(Ordering::SeqCst), 4, "no more than the call that it was in");
}

#[test]
fn two_batches_are_all_that_is_read_ahead() {
    let (mut ahead, given, _gone) = endless(4, |_| {});
    let mut out = Vec::new();
    while out.len() < 10_000 {
        ahead.fill(&mut out, 4).unwrap();
        let most = out.len() as u64 + 2 * 16 * 4;
        assert!(given.load(Ordering::SeqCst) <= most);
    }
}

#[test]
fn a_panic_is_handed_on_after_the_requests_before_it() {
    let (mut ahead, _, gone) = endless(4, |given| assert!(given < 256, "a fault of ours"));
    let mut out = Vec::new();
    let raised = catch_unwind(AssertUnwindSafe(|| while ahead.fill(&mut out, 4).unwrap() {})).unwrap_err();
    assert_eq!(raised.downcast_ref::<&str>(), Some(&"a fault of ours"));
    assert_eq!(out.len(), 256);
    gone.recv_timeout(HANGS).unwrap();
    assert!(!ahead.fill(&mut out, 4).unwrap(), "nothing more comes of it");
}

#[test]
fn a_file_opened_ahead_says_what_it_would_in_line() {
    let text: String =
        (100_000..150_000_u64).map(|i| format!("{i}.5 0 {} 8 0\n", i * 7919 % 99_991)).collect();
    let path = std::env::temp_dir().join(format!("iowatt-trace-ahead-{}", std::process::id()));
    let spec = TraceSpec::new(path.to_str().unwrap());
    for bytes in [text.clone().into_bytes(), gzip(text.as_bytes()), zstandard(text.as_bytes())] {
        std::fs::write(&path, bytes).unwrap();
        let mut plain = iowatt_trace::open(&spec).unwrap();
        let mut ahead = iowatt_trace::open_ahead(&spec, 256).unwrap();
        let mut fractions = Vec::new();
        loop {
            let expected = told(plain.as_mut(), 256);
            assert!(told(ahead.as_mut(), 256) == expected);
            fractions.push(expected.3.unwrap());
            if expected.1 == Ok(false) {
                break;
            }
        }
        assert!(fractions[0] < 0.6, "the progress is more than its end: {}", fractions[0]);
        assert_eq!(fractions.last(), Some(&1.0));
    }
    std::fs::remove_file(&path).unwrap();
}
