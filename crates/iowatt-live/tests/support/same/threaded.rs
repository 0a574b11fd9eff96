//! A trace through a live volume in service, with its threads.

use super::stepped::{made, work};
use super::{Case, End, SPEEDS};
use crate::support::hosts::ask;
use iowatt_live::Options;
use iowatt_trace::Request;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Runs `trace` on stores that answer at once: each request when the one before is answered and all moves are at rest. One thread
/// moves bytes, so that transfers end in the order in which they were opened.
pub fn one_by_one(case: &Case, trace: &[Request]) -> End {
    let options = Options { threads: 1, ..Options::default() };
    let running = made(case, [Duration::ZERO; 2], false).start(options).unwrap();
    for (number, request) in trace.iter().enumerate() {
        ask(&running.driver, work(number, request)).unwrap();
        running.driver.settle();
    }
    running.driver.audit().unwrap();
    let end = running.driver.results();
    running.stop().unwrap();
    end
}

/// Runs `trace` with so many hosts, each of which has one request outstanding, on stores that take as long as the simulated devices.
pub fn with_hosts(case: &Case, trace: &[Request], hosts: usize) -> End {
    let takes = SPEEDS.map(|speed| Duration::from_nanos(speed.latency_ns));
    let options = Options { threads: 16, ..Options::default() };
    let running = made(case, takes, true).start(options).unwrap();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..hosts {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(request) = trace.get(number) else { return };
                    ask(&running.driver, work(number, request)).unwrap();
                }
            });
        }
    });
    running.driver.settle();
    running.driver.audit().unwrap();
    let end = running.driver.results();
    running.stop().unwrap();
    end
}
