//! A live volume on emulated drives: it waits for them, and their figures are of what it did.
#![allow(clippy::unwrap_used)] // tests fail by panicking

use iowatt_emulate::Emulator;
use iowatt_live::driver::{Beside, Failure, Host, Work};
use iowatt_live::{Media, Options, Store, Volume, VolumeSpec, Way};
use iowatt_sim::{Plan, VirtualPoolResult};
use iowatt_volume::{PoolCounts, Schemes};
use serde_json::{Value, json};
use std::io;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};

/// Bytes in memory.
struct Memory(Mutex<Vec<u8>>);

impl Store for Memory {
    fn bytes(&self) -> u64 {
        self.0.lock().unwrap().len() as u64
    }
    fn read(&self, at: u64, to: &mut [u8]) -> io::Result<()> {
        to.copy_from_slice(&self.0.lock().unwrap()[at as usize..][..to.len()]);
        Ok(())
    }
    fn write(&self, at: u64, from: &[u8]) -> io::Result<()> {
        self.0.lock().unwrap()[at as usize..][..from.len()].copy_from_slice(from);
        Ok(())
    }
    fn discard(&self, (from, until): (u64, u64)) -> io::Result<()> {
        self.0.lock().unwrap()[from as usize..until as usize].fill(0);
        Ok(())
    }
    fn sync(&self) -> io::Result<()> {
        Ok(())
    }
    fn is_prompt(&self) -> bool {
        true
    }
}

struct Answers(Mutex<Sender<Result<Vec<u8>, Failure>>>);

impl Host for Answers {
    fn answer(&self, _cookie: u64, outcome: Result<Vec<u8>, Failure>) {
        self.0.lock().unwrap().send(outcome).unwrap();
    }
}

const MIB: u64 = 1 << 20;

/// One disk of 12,000 rpm, which stops after a tenth of a second at rest, under a linear virtual pool.
fn plan() -> Value {
    let device = json!({
        "kind": "hdd", "rpm": 12000.0, "sector_bytes": 512, "surfaces": 4, "cylinders": 1000,
        "layout": {"zoned": {"zones": [{"cylinders": 1000, "sectors_per_track": 200,
                   "track_skew_sectors": 20.0, "cylinder_skew_sectors": 25.0}]}},
        "sectors": 800_000,
        "seek": {"points": [[1, 0.504e-3, 0.504e-3], [999, 4.496e-3, 4.496e-3]]},
        "head_switch_s": 0.4e-3, "write_settle_s": 0.0, "phase": "random",
        "power": {"active_w": 39.0, "positioning_w": 37.0, "states": [3], "levels": {"idle_w": 22.3, "below": [
            {"watts": 1.0, "enter": {"seconds": 0.01, "joules": 0.1},
             "leave": {"seconds": 0.2, "joules": 5.0}, "stopped": true}]}},
    });
    let pool = json!({
        "count": 1, "device": device,
        "raid": {"level": "0", "stripe_unit_bytes": 16384, "layout": "left-symmetric",
                 "small_write": "auto", "parity_check_on_read": false},
        "scheduler": "look", "power_policy": {"policy": "fixed-threshold", "level": 1, "threshold_s": 0.1}, "bus_of_drive": [],
    });
    json!({
        "seed": 1,
        "workloads": [{"volume": 0, "replay": {"mode": "open", "speed": 1.0}}],
        "volumes": [{"pool": 1, "offset_bytes": 0, "capacity_bytes": 8 * MIB}],
        "pools": [pool],
        "virtual_pools": [{"parts": [{"pool": 0, "offset_bytes": 0, "capacity_bytes": 8 * MIB}],
            "scheme": {"kind": "linear"}}],
        "buses": [],
        "observe": {"warmup_s": 0.0, "end_s": null, "interval_s": 1.0},
    })
}

#[test]
fn a_request_is_answered_no_sooner_than_the_drive_is_done() {
    let emulator = Arc::new(Emulator::new(&serde_json::from_value::<Plan>(plan()).unwrap()).unwrap());
    let store: Arc<dyn Store> = Arc::new(Memory(Mutex::new(vec![0; 16 * MIB as usize])));
    let spec = VolumeSpec {
        name: "disk".into(),
        uuid: "0".repeat(32),
        plan: plan()["virtual_pools"][0].to_string(),
    };
    let stores = [store];
    Volume::create(&spec, &stores).unwrap();
    let beside = Beside {
        media: Some(Arc::<Emulator>::clone(&emulator)),
        recorder: Some(Arc::<Emulator>::clone(&emulator)),
    };
    let running = Volume::open(&stores).unwrap().start(Options { beside, ..Options::default() }).unwrap();
    let driver = Arc::clone(&running.driver);
    let (tell, told) = channel();
    let host: Arc<dyn Host> = Arc::new(Answers(Mutex::new(tell)));
    for nth in 0..40_u64 {
        let at = nth * 7919 % 2000 * 4096;
        let work = if nth % 2 == 0 {
            Work::Write { at, data: Arc::new(vec![nth as u8; 4096]), durable: false }
        } else {
            Work::Read { at, bytes: 4096 }
        };
        driver.submit(work, &host, nth);
        told.recv().unwrap().unwrap();
    }
    // It stops, and the next request waits until it turns again.
    std::thread::sleep(std::time::Duration::from_millis(300));
    driver.submit(Work::Read { at: 0, bytes: 4096 }, &host, 40);
    told.recv().unwrap().unwrap();
    running.stop().unwrap();
    let outcome = emulator.finish(driver.inspect(VirtualPoolResult::new)).unwrap();
    let late = emulator.lateness().unwrap();
    assert_eq!(late.transfers, 41);
    let summary = serde_json::to_value(&outcome.summary).unwrap();
    assert_eq!(summary["total"]["completed"], 41);
    assert_eq!(summary["virtual_pools"][0]["requests"], json!([21, 20]));
    let device = &summary["devices"][0];
    // Hosts wait at least as long as the drive takes, which includes the 0.2 s of its start.
    let longest = summary["total"]["response"]["all"]["max_s"].as_f64().unwrap();
    assert!(longest >= 0.2, "{longest}");
    assert!(device["spin_ups"].as_u64().unwrap() >= 1);
}

/// Many threads wait for one disk, over and over: nobody is forgotten, and no time is lost.
#[test]
fn many_transfers_at_once_are_all_done() {
    let emulator = Emulator::new(&serde_json::from_value::<Plan>(plan()).unwrap()).unwrap();
    let (threads, each) = (16_u64, 12_u64);
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let emulator = &emulator;
            scope.spawn(move || {
                for nth in 0..each {
                    let at = (thread * 131 + nth * 17) % 2000 * 4096;
                    emulator.transfer(0, (at, at + 4096), Way::Read, nth % 2 == 0, &mut || {});
                }
            });
        }
    });
    assert_eq!(emulator.lateness().unwrap().transfers, threads * each);
    let scheme = Schemes::new(&serde_json::from_value(plan()["virtual_pools"][0].clone()).unwrap(), 1, 0);
    let outcome = emulator.finish(VirtualPoolResult::new(&PoolCounts::new(1), &scheme)).unwrap();
    assert_eq!(outcome.summary.devices[0].bytes_read, threads * each * 4096);
}

/// A few threads wait at once and then nobody comes: whoever keeps the time hands it on, whoever is done first.
#[test]
fn nobody_is_left_waiting_when_no_other_transfer_comes() {
    let emulator = Emulator::new(&serde_json::from_value::<Plan>(plan()).unwrap()).unwrap();
    for burst in 0..400_u64 {
        std::thread::scope(|scope| {
            for thread in 0..2 + burst % 4 {
                let emulator = &emulator;
                // On one track and in the buffer, so that several are done within microseconds.
                scope.spawn(move || {
                    let at = thread * 4096;
                    emulator.transfer(0, (at, at + 4096), Way::Write, false, &mut || {});
                });
            }
        });
    }
    assert_eq!(emulator.lateness().unwrap().transfers, (0..400).map(|burst| 2 + burst % 4).sum::<u64>());
}

#[test]
fn nobody_waits_for_drives_whose_run_has_ended() {
    let emulator = Emulator::new(&serde_json::from_value::<Plan>(plan()).unwrap()).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4_u64 {
            let emulator = &emulator;
            scope.spawn(move || {
                for nth in 0..1_000 {
                    let at = (thread * 501 + nth) % 2000 * 4096;
                    emulator.transfer(0, (at, at + 4096), Way::Read, false, &mut || {});
                }
            });
        }
        emulator.end();
    });
}
