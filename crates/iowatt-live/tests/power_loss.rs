//! What was acknowledged as durable survives a loss of power and a kill, and faults put in on purpose are found.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // tests fail by panicking

mod support;

use iowatt_live::driver::{Mutant, Work};
use iowatt_live::{Options, Volume, VolumeSpec};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use support::hosts::{SECTOR, Sector, ask, verify, work};
use support::stores::Machine;
use support::{Random, plan};

const FAST: u64 = 512 << 10;
const SLOW: u64 = 2 << 20;
const ROUNDS: u64 = 200;

/// So few blocks of records behind a checkpoint that many follow in a round.
const OFTEN: Option<u64> = Some(2);

/// What some rounds found.
struct Outcome {
    violations: u64,
    migrations: u64,
    requests: u64,
}

/// Rounds of work that end with a loss of power (or a kill), on the same media one after the other, until [`ROUNDS`] are done or
/// one has a violation.
fn rounds(scheme: &str, mutant: Mutant, checkpoint_after: Option<u64>, power: bool, seed: u64) -> Outcome {
    let plan = plan(scheme, FAST, SLOW);
    let mut machine = Machine::new(&Volume::needed_bytes(&plan).unwrap());
    let uuid = "0".repeat(32);
    Volume::create(&VolumeSpec { name: "test".into(), uuid, plan }, &machine.stores()).unwrap();
    let mut random = Random(seed);
    let mut sectors: Vec<Mutex<Sector>> = Vec::new();
    let mut all = Outcome { violations: 0, migrations: 0, requests: 0 };
    for round in 0..=ROUNDS {
        let Ok(volume) = Volume::open(&machine.stores()) else {
            all.violations += 1;
            return all;
        };
        let options = Options { threads: 3, mutant, checkpoint_after, ..Options::default() };
        let running = volume.start(options).unwrap();
        let driver = &running.driver;
        if sectors.is_empty() {
            sectors = (0..driver.capacity_bytes() / SECTOR).map(|_| Mutex::default()).collect();
        }
        all.violations += verify(driver, &sectors);
        if all.violations > 0 || round == ROUNDS {
            return all;
        }
        for sector in &sectors {
            let mut sector = sector.lock().unwrap();
            sector.issued = sector.issued.max(sector.answered);
        }
        let answered: Vec<u64> = sectors.iter().map(|sector| sector.lock().unwrap().answered).collect();
        if ask(driver, Work::Flush).is_ok() {
            for (sector, answered) in sectors.iter().zip(answered) {
                sector.lock().unwrap().durable = answered;
            }
        }
        let over = AtomicBool::new(false);
        let pause = Duration::from_millis(5 + random.below(40));
        let round_seed = random.next();
        all.violations += std::thread::scope(|scope| {
            let hosts = scope.spawn(|| work(driver, &sectors, 4, round_seed, &over));
            std::thread::sleep(pause);
            machine.cut();
            over.store(true, Ordering::SeqCst);
            hosts.join().unwrap()
        });
        let counts = driver.status().counts;
        all.migrations += counts.migrations;
        all.requests += counts.requests[0] + counts.requests[1];
        drop(running);
        machine = machine.restart(power.then_some(&mut random));
    }
    all
}

fn survives(scheme: &str, power: bool) {
    survives_with(scheme, power, None);
}

fn survives_with(scheme: &str, power: bool, checkpoint_after: Option<u64>) {
    let found = rounds(scheme, Mutant::None, checkpoint_after, power, 7);
    assert_eq!(found.violations, 0, "{scheme}");
    assert!(found.requests > 10_000, "{} requests", found.requests);
    assert!(scheme == "linear" || found.migrations > 500, "{} moves", found.migrations);
}

#[test]
fn tiering_survives_a_loss_of_power() {
    survives("tiering", true);
}

#[test]
fn write_back_survives_a_loss_of_power() {
    survives("back", true);
}

#[test]
fn write_through_survives_a_loss_of_power() {
    survives("through", true);
}

#[test]
fn write_around_survives_a_loss_of_power() {
    survives("around", true);
}

#[test]
fn linear_survives_a_loss_of_power() {
    survives("linear", true);
}

#[test]
fn tiering_and_write_back_survive_a_kill() {
    survives("tiering", false);
    survives("back", false);
}

#[test]
fn many_checkpoints_survive_a_loss_of_power() {
    survives_with("tiering", true, OFTEN);
    survives_with("back", true, OFTEN);
}

/// A mutant is found within some rounds.
fn is_found(scheme: &str, mutant: Mutant) {
    let often = if mutant == Mutant::CheckpointBeforeData { OFTEN } else { None };
    let found = rounds(scheme, mutant, often, true, 11);
    assert!(found.violations > 0, "{mutant:?} of {scheme} was not found");
}

#[test]
fn a_journal_that_is_not_written_is_found() {
    is_found("tiering", Mutant::JournalOff);
    is_found("back", Mutant::JournalOff);
}

#[test]
fn a_flush_that_does_nothing_is_found() {
    is_found("linear", Mutant::FlushIgnored);
}

#[test]
fn a_slot_that_is_freed_too_early_is_found() {
    is_found("tiering", Mutant::SlotFreedEarly);
    is_found("back", Mutant::SlotFreedEarly);
}

#[test]
fn a_record_before_its_data_is_found() {
    is_found("tiering", Mutant::RecordBeforeData);
    is_found("back", Mutant::RecordBeforeData);
}

#[test]
fn a_checkpoint_before_its_data_is_found() {
    is_found("tiering", Mutant::CheckpointBeforeData);
    is_found("back", Mutant::CheckpointBeforeData);
}
