//! A store that fails gives its hosts errors, loses nothing that was acknowledged, and the volume comes up again.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // tests fail by panicking

mod support;

use iowatt_live::driver::{Failure, Work};
use iowatt_live::{LabelFault, Options, Volume, VolumeError, VolumeSpec};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use support::hosts::{SECTOR, Sector, ask, content, verify, work};
use support::stores::{Faults, Machine};
use support::{EXTENT, plan};

fn made(scheme: &str) -> std::sync::Arc<Machine> {
    made_as(scheme, 'a')
}

fn made_as(scheme: &str, identity: char) -> std::sync::Arc<Machine> {
    let plan = plan(scheme, 512 << 10, 2 << 20);
    let machine = Machine::new(&Volume::needed_bytes(&plan).unwrap());
    Volume::create(
        &VolumeSpec { name: "test".into(), uuid: identity.to_string().repeat(32), plan },
        &machine.stores(),
    )
    .unwrap();
    machine
}

/// Hosts at work while a part has a fault; then power is lost, the fault is gone, and the volume is put into service again.
fn comes_up_again(scheme: &str, faults: Faults) {
    let machine = made(scheme);
    let running = Volume::open(&machine.stores()).unwrap().start(Options::default()).unwrap();
    let bytes = running.driver.capacity_bytes();
    let sectors: Vec<Mutex<Sector>> = (0..bytes / SECTOR).map(|_| Mutex::default()).collect();
    let over = AtomicBool::new(false);
    let wrong = std::thread::scope(|scope| {
        let hosts = scope.spawn(|| work(&running.driver, &sectors, 4, 3, &over));
        std::thread::sleep(Duration::from_millis(40));
        *machine.faults.lock().unwrap() = faults;
        std::thread::sleep(Duration::from_millis(20));
        over.store(true, Ordering::SeqCst);
        hosts.join().unwrap()
    });
    assert_eq!(wrong, 0, "{scheme}");
    // Over all addresses, some request meets the fault.
    let read =
        (0..bytes / EXTENT).map(|n| ask(&running.driver, Work::Read { at: n * EXTENT, bytes: EXTENT }));
    let write = faults.read.is_none() && faults.gone.is_none();
    if write {
        let fails = (0..bytes / EXTENT).find_map(|n| {
            let (at, mut sector) = (n * EXTENT, sectors[(n * EXTENT / SECTOR) as usize].lock().unwrap());
            sector.issued += 1;
            let data = std::sync::Arc::new(content(at / SECTOR, sector.issued));
            let outcome = ask(&running.driver, Work::Write { at, data, durable: false });
            if outcome.is_ok() {
                sector.answered = sector.issued;
            }
            outcome.err()
        });
        let all_failed = running.driver.status().failed.is_some();
        let expected = if faults.full.is_some() && !all_failed { Failure::NoSpace } else { Failure::Io };
        assert_eq!(fails, Some(expected), "{scheme}");
    } else {
        assert_eq!(read.filter_map(Result::err).next(), Some(Failure::Io), "{scheme}");
    }
    machine.cut();
    drop(running);
    let machine = machine.restart(None);
    let running = Volume::open(&machine.stores()).unwrap().start(Options::default()).unwrap();
    assert_eq!(verify(&running.driver, &sectors), 0, "{scheme}");
    running.driver.audit().unwrap();
    running.stop().unwrap();
    Volume::open(&machine.stores()).unwrap().check().unwrap();
}

#[test]
fn reads_that_fail() {
    for scheme in ["linear", "tiering", "back", "through"] {
        comes_up_again(scheme, Faults { read: Some(1), ..Faults::default() });
    }
}

#[test]
fn writes_that_fail() {
    for scheme in ["linear", "tiering", "back", "through"] {
        comes_up_again(scheme, Faults { write: Some(1), ..Faults::default() });
    }
}

#[test]
fn no_space_left() {
    for scheme in ["linear", "tiering", "back", "through"] {
        comes_up_again(scheme, Faults { full: Some(1), ..Faults::default() });
    }
}

#[test]
fn a_store_that_vanishes() {
    for (scheme, part) in [("linear", 1), ("tiering", 0), ("tiering", 1), ("back", 0), ("back", 1)] {
        comes_up_again(scheme, Faults { gone: Some(part), ..Faults::default() });
    }
}

#[test]
fn stores_are_not_confused() {
    let (one, other) = (made_as("tiering", 'a'), made_as("tiering", 'b'));
    let mut stores = one.stores();
    stores.swap(0, 1);
    assert!(matches!(Volume::open(&stores), Err(VolumeError::Foreign { part: 0, .. })));
    let stores = [one.stores().remove(0), other.stores().remove(1)];
    assert!(matches!(Volume::open(&stores), Err(VolumeError::Foreign { part: 1, .. })));
    let blank = Machine::new(&[4 << 20, 4 << 20]);
    let found = Volume::open(&blank.stores());
    assert!(matches!(found, Err(VolumeError::Label { part: 0, fault: LabelFault::None })));
}

#[test]
fn a_damaged_label_is_repaired_and_a_lost_one_is_told() {
    let machine = made("tiering");
    let stores = machine.stores();
    stores[1].write(100, b"damage").unwrap();
    let report = Volume::open(&stores).unwrap().check().unwrap();
    assert_eq!(report.labels_repaired, [1]);
    assert_eq!(Volume::open(&stores).unwrap().check().unwrap().labels_repaired, [0_usize; 0]);
    stores[1].write(100, b"damage").unwrap();
    stores[1].write(4196, b"damage").unwrap();
    let found = Volume::open(&stores);
    assert!(matches!(found, Err(VolumeError::Label { part: 1, fault: LabelFault::Damaged })));
}

#[test]
fn a_warm_cache_is_warm_after_an_orderly_stop() {
    for scheme in ["back", "through"] {
        let machine = made(scheme);
        let running = Volume::open(&machine.stores()).unwrap().start(Options::default()).unwrap();
        for _ in 0..4 {
            ask(&running.driver, Work::Read { at: 0, bytes: EXTENT }).unwrap();
            running.driver.settle();
        }
        let data = std::sync::Arc::new(vec![7; EXTENT as usize]);
        ask(&running.driver, Work::Write { at: 0, data, durable: false }).unwrap();
        let dirty = running.driver.status().dirty_bytes;
        running.stop().unwrap();
        let running = Volume::open(&machine.stores()).unwrap().start(Options::default()).unwrap();
        assert_eq!(running.driver.status().dirty_bytes, dirty, "{scheme}");
        let found = ask(&running.driver, Work::Read { at: 0, bytes: EXTENT }).unwrap();
        assert_eq!(found, vec![7; EXTENT as usize]);
        assert_eq!(running.driver.status().parts[0].counts.hits, [1, 0], "{scheme}");
        assert_eq!(dirty > 0, scheme == "back");
    }
}
