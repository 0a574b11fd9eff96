//! Hosts that write versions of sectors, and know which of them a sector may hold after a loss of power.

use super::Random;
use iowatt_live::driver::{Driver, Failure, Host, Work};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};

pub const SECTOR: u64 = 512;

/// Sectors that belong to one host.
const BLOCK: u64 = 8;

/// Waits for one answer.
#[derive(Default)]
pub struct Once {
    outcome: Mutex<Option<Result<Vec<u8>, Failure>>>,
    there: Condvar,
}

impl Host for Once {
    fn answer(&self, _cookie: u64, outcome: Result<Vec<u8>, Failure>) {
        let before = self.outcome.lock().unwrap().replace(outcome);
        assert!(before.is_none(), "a request is answered once");
        self.there.notify_all();
    }
}

/// Does one request and waits for its answer.
pub fn ask(driver: &Driver, work: Work) -> Result<Vec<u8>, Failure> {
    let once = Arc::new(Once::default());
    let host: Arc<dyn Host> = Arc::<Once>::clone(&once);
    driver.submit(work, &host, 0);
    let mut outcome = once.outcome.lock().unwrap();
    loop {
        if let Some(outcome) = outcome.take() {
            return outcome;
        }
        outcome = once.there.wait(outcome).unwrap();
    }
}

/// What a sector may hold.
#[derive(Clone, Copy, Default)]
pub struct Sector {
    /// The version written last, and perhaps not answered.
    pub issued: u64,
    /// That answered last.
    pub answered: u64,
    /// The last that is durable: no older one may be found.
    pub durable: u64,
}

pub fn content(sector: u64, version: u64) -> Vec<u8> {
    if version == 0 {
        return vec![0; SECTOR as usize];
    }
    let mut words = Vec::new();
    for nth in 0..SECTOR / 16 {
        words.extend((sector ^ nth << 32).to_le_bytes());
        words.extend(version.to_le_bytes());
    }
    words
}

/// The version in a sector; none where it is nobody's.
pub fn version(sector: u64, bytes: &[u8]) -> Option<u64> {
    let found = u64::from_le_bytes(bytes[8..16].try_into().unwrap());
    (content(sector, found) == bytes).then_some(found)
}

/// Hosts, one a thread, until `over` or a failure. Returns how often a read found what it must not.
pub fn work(driver: &Driver, sectors: &[Mutex<Sector>], hosts: u64, seed: u64, over: &AtomicBool) -> u64 {
    std::thread::scope(|scope| {
        let host = |number: u64| {
            let mut random = Random(seed ^ number << 48);
            let mut violations = 0;
            while !over.load(Ordering::SeqCst) {
                match step(driver, sectors, (number, hosts), &mut random) {
                    Ok(found) => violations += found,
                    Err(_) => break,
                }
            }
            violations
        };
        let threads: Vec<_> = (0..hosts).map(|number| scope.spawn(move || host(number))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    })
}

fn step(
    driver: &Driver,
    sectors: &[Mutex<Sector>],
    (number, hosts): (u64, u64),
    random: &mut Random,
) -> Result<u64, Failure> {
    let mine = |sector: u64| sector / BLOCK % hosts == number;
    if random.chance(4) {
        let answered: Vec<u64> = sectors.iter().map(|sector| sector.lock().unwrap().answered).collect();
        ask(driver, Work::Flush)?;
        for (nth, (sector, answered)) in sectors.iter().zip(answered).enumerate() {
            if mine(nth as u64) {
                let mut sector = sector.lock().unwrap();
                sector.durable = sector.durable.max(answered);
            }
        }
        return Ok(0);
    }
    // Mostly in a few places, so that something is hot.
    let blocks = sectors.len() as u64 / BLOCK / hosts;
    let near = random.chance(70);
    let block =
        if near { random.below(blocks / 8 + 1) + random.below(4) * blocks / 5 } else { random.below(blocks) };
    let block = block.min(blocks - 1) * hosts + number;
    let (first, end) = (random.below(BLOCK), random.below(BLOCK));
    let (first, end) = (block * BLOCK + first.min(end), block * BLOCK + first.max(end) + 1);
    let (at, bytes) = (first * SECTOR, (end - first) * SECTOR);
    if random.chance(40) {
        let found = ask(driver, Work::Read { at, bytes })?;
        let wrong = found.chunks(SECTOR as usize).zip(first..).filter(|(bytes, sector)| {
            version(*sector, bytes) != Some(sectors[*sector as usize].lock().unwrap().answered)
        });
        return Ok(wrong.count() as u64);
    }
    let durable = random.chance(5);
    let mut data = Vec::new();
    for sector in first..end {
        let mut known = sectors[sector as usize].lock().unwrap();
        known.issued += 1;
        data.extend(content(sector, known.issued));
    }
    ask(driver, Work::Write { at, data: Arc::new(data), durable })?;
    for sector in first..end {
        let mut known = sectors[sector as usize].lock().unwrap();
        known.answered = known.issued;
        if durable {
            known.durable = known.issued;
        }
    }
    Ok(0)
}

/// Reads everything after a restart: how many sectors hold what they must not. They are known to hold what was found from then
/// on.
pub fn verify(driver: &Driver, sectors: &[Mutex<Sector>]) -> u64 {
    let mut violations = 0;
    let step = 64;
    for first in (0..sectors.len() as u64).step_by(step) {
        let bytes = (step as u64).min(sectors.len() as u64 - first) * SECTOR;
        let found = ask(driver, Work::Read { at: first * SECTOR, bytes }).unwrap();
        for (bytes, sector) in found.chunks(SECTOR as usize).zip(first..) {
            let mut known = sectors[sector as usize].lock().unwrap();
            let holds = version(sector, bytes);
            let fine = holds.is_some_and(|version| (known.durable..=known.issued).contains(&version));
            violations += u64::from(!fine);
            known.answered = holds.unwrap_or(known.issued);
            if holds.is_none() {
                known.issued += 1_000_000; // its content is nobody's: never taken for a version
            }
        }
    }
    violations
}
