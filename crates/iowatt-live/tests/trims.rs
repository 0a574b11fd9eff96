//! A trim makes bytes zeroes, and is no access.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // tests fail by panicking

mod support;

use iowatt_live::driver::{Driver, Running, Work};
use iowatt_live::{Options, Volume, VolumeSpec};
use std::sync::Arc;
use support::hosts::ask;
use support::stores::Machine;
use support::{EXTENT, plan};

const KINDS: [&str; 5] = ["linear", "tiering", "back", "through", "around"];

fn served(scheme: &str) -> Running {
    let plan = plan(scheme, 4 * EXTENT, 16 * EXTENT);
    let machine = Machine::new(&Volume::needed_bytes(&plan).unwrap());
    let spec = VolumeSpec { name: "test".into(), uuid: "b".repeat(32), plan };
    Volume::create(&spec, &machine.stores()).unwrap();
    Volume::open(&machine.stores()).unwrap().start(Options::default()).unwrap()
}

fn write(driver: &Driver, extent: u64) {
    let data = Arc::new(vec![7; EXTENT as usize]);
    ask(driver, Work::Write { at: extent * EXTENT, data, durable: false }).unwrap();
    driver.settle();
}

fn read(driver: &Driver, extent: u64) -> Vec<u8> {
    let found = ask(driver, Work::Read { at: extent * EXTENT, bytes: EXTENT }).unwrap();
    driver.settle();
    found
}

fn discard(driver: &Driver, extent: u64, trim: bool) {
    ask(driver, Work::Discard { at: extent * EXTENT, bytes: EXTENT, trim, durable: false }).unwrap();
    driver.settle();
}

#[test]
fn a_trim_counts_nothing_warms_nothing_and_reads_as_zeroes() {
    for scheme in KINDS {
        let running = served(scheme);
        let driver = &running.driver;
        write(driver, 9);
        let before = driver.results();
        (0..5).for_each(|_| discard(driver, 9, true));
        assert_eq!(driver.results(), before, "{scheme}");
        assert_eq!(read(driver, 9), vec![0; EXTENT as usize], "{scheme}");
        // Zeroes that are written count and warm.
        (0..2).for_each(|_| discard(driver, 8, false));
        let counts = driver.results().0;
        assert_eq!(counts.requests[1], before.0.requests[1] + 2, "{scheme}");
        assert!(scheme == "linear" || counts.migrations > before.0.migrations, "{scheme}");
        running.stop().unwrap();
    }
}

#[test]
fn what_was_trimmed_in_the_fast_part_is_zeroes_wherever_it_goes() {
    for scheme in KINDS {
        let running = served(scheme);
        let driver = &running.driver;
        write(driver, 9);
        (0..2).for_each(|_| drop(read(driver, 9)));
        let moved = driver.results().0.migrations;
        assert_eq!(moved > 0, scheme != "linear");
        discard(driver, 9, true);
        // Others take its place: a trimmed copy was not used lately.
        for extent in (0..8).chain(0..8).chain(0..8) {
            read(driver, extent);
        }
        assert_eq!(read(driver, 9), vec![0; EXTENT as usize], "{scheme}");
        driver.audit().unwrap();
        running.stop().unwrap();
    }
}

#[test]
fn a_trim_does_not_keep_a_copy() {
    for scheme in ["tiering", "through"] {
        let running = served(scheme);
        let driver = &running.driver;
        let warm = |extent: u64| (0..2).for_each(|_| drop(read(driver, extent)));
        (1..5).for_each(warm); // all of the fast part, 1 the longest ago
        discard(driver, 1, true);
        warm(6);
        let hits = driver.results().0.parts[0].hits[0];
        read(driver, 2);
        assert_eq!(driver.results().0.parts[0].hits[0], hits + 1, "{scheme}: 2 is still there");
        read(driver, 1);
        assert_eq!(driver.results().0.parts[0].hits[0], hits + 1, "{scheme}: 1 has given way");
        running.stop().unwrap();
    }
}
