//! Stores in memory with a volatile write cache: a loss of power keeps any version of each sector since the last sync.

use super::Random;
use iowatt_live::Store;
use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

const SECTOR: usize = 512;

#[derive(Clone, Default)]
struct Media {
    durable: Vec<u8>,
    current: Vec<u8>,
    /// Versions of a sector that are not durable, each with its place in the order of writes.
    pending: BTreeMap<usize, Vec<(u64, Vec<u8>)>>,
}

/// All stores of a machine: they lose power together.
pub struct Machine {
    media: Mutex<(Vec<Media>, u64)>,
    off: std::sync::atomic::AtomicBool,
    pub faults: Mutex<Faults>,
}

/// What goes wrong from now on.
#[derive(Clone, Copy, Default)]
pub struct Faults {
    /// Reads of this part fail.
    pub read: Option<usize>,
    /// Writes to this part fail.
    pub write: Option<usize>,
    /// Writes to this part find no space.
    pub full: Option<usize>,
    /// Everything on this part fails.
    pub gone: Option<usize>,
}

impl Machine {
    pub fn new(sizes: &[u64]) -> Arc<Self> {
        let media = sizes.iter().map(|&size| Media {
            durable: vec![0; size as usize],
            current: vec![0; size as usize],
            pending: BTreeMap::new(),
        });
        Self::of(media.collect())
    }

    fn of(media: Vec<Media>) -> Arc<Self> {
        Arc::new(Self { media: Mutex::new((media, 0)), off: false.into(), faults: Mutex::default() })
    }

    pub fn stores(self: &Arc<Self>) -> Vec<Arc<dyn Store>> {
        let parts = self.media.lock().unwrap().0.len();
        (0..parts).map(|part| Arc::new(Disk { machine: Arc::clone(self), part }) as Arc<dyn Store>).collect()
    }

    /// Power is lost: nothing works any more.
    pub fn cut(&self) {
        let _media = self.media.lock().unwrap();
        self.off.store(true, std::sync::atomic::Ordering::SeqCst);
    }

    /// Power returns. `random`: of each sector that was not synced, any version may be there; none: the process was killed only.
    pub fn restart(&self, random: Option<&mut Random>) -> Arc<Self> {
        let mut media = self.media.lock().unwrap().0.clone();
        match random {
            Some(random) => {
                for media in &mut media {
                    for (sector, versions) in std::mem::take(&mut media.pending) {
                        let which = random.below(versions.len() as u64 + 1) as usize;
                        if let Some((_, bytes)) = which.checked_sub(1).map(|which| &versions[which]) {
                            media.durable[sector * SECTOR..(sector + 1) * SECTOR].copy_from_slice(bytes);
                        }
                    }
                    media.current.clone_from(&media.durable);
                }
            }
            None => media.iter_mut().for_each(|media| {
                media.pending.clear();
                media.durable.clone_from(&media.current);
            }),
        }
        Self::of(media)
    }
}

struct Disk {
    machine: Arc<Machine>,
    part: usize,
}

impl Disk {
    fn works(&self, read: bool, write: bool) -> io::Result<()> {
        let faults = *self.machine.faults.lock().unwrap();
        let here = Some(self.part);
        let off = self.machine.off.load(std::sync::atomic::Ordering::SeqCst);
        if off || faults.gone == here || (read && faults.read == here) || (write && faults.write == here) {
            return Err(io::Error::from_raw_os_error(5));
        }
        if write && faults.full == here {
            return Err(io::ErrorKind::StorageFull.into());
        }
        Ok(())
    }
}

impl Store for Disk {
    fn bytes(&self) -> u64 {
        self.machine.media.lock().unwrap().0[self.part].current.len() as u64
    }

    fn read(&self, at: u64, to: &mut [u8]) -> io::Result<()> {
        let media = self.machine.media.lock().unwrap();
        self.works(true, false)?;
        to.copy_from_slice(&media.0[self.part].current[at as usize..at as usize + to.len()]);
        Ok(())
    }

    fn write(&self, at: u64, from: &[u8]) -> io::Result<()> {
        let mut media = self.machine.media.lock().unwrap();
        self.works(false, true)?;
        media.1 += 1;
        let order = media.1;
        let media = &mut media.0[self.part];
        media.current[at as usize..at as usize + from.len()].copy_from_slice(from);
        for sector in at as usize / SECTOR..(at as usize + from.len()).div_ceil(SECTOR) {
            let bytes = media.current[sector * SECTOR..(sector + 1) * SECTOR].to_vec();
            media.pending.entry(sector).or_default().push((order, bytes));
        }
        Ok(())
    }

    fn discard(&self, (from, until): (u64, u64)) -> io::Result<()> {
        self.write(from, &vec![0; (until - from) as usize])
    }

    /// What was written before it began is durable when it ends; what comes meanwhile is not.
    fn sync(&self) -> io::Result<()> {
        let before = {
            let media = self.machine.media.lock().unwrap();
            self.works(false, false)?;
            media.1
        };
        std::thread::sleep(Duration::from_micros(before % 300));
        let mut media = self.machine.media.lock().unwrap();
        self.works(false, false)?;
        let Media { durable, pending, .. } = &mut media.0[self.part];
        for (sector, versions) in pending.iter_mut() {
            while versions.first().is_some_and(|(order, _)| *order <= before) {
                let (_, bytes) = versions.remove(0);
                durable[sector * SECTOR..(sector + 1) * SECTOR].copy_from_slice(&bytes);
            }
        }
        pending.retain(|_, versions| !versions.is_empty());
        Ok(())
    }

    fn is_prompt(&self) -> bool {
        self.part == 0
    }
}
