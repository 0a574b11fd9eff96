//! Dirty sectors are written back.

use super::masks::Masks;
use super::slots::Slots;
use super::{FAST, SLOW, Sectored};
use crate::io::VolumeIo;
use crate::time::Nanos;

/// Tags of write-backs: their number in the low 32 bits, which half, and the number of the run of sectors.
const SECOND: u64 = 1 << 33;
const RUN_SHIFT: u32 = 34;

/// A slot on its way to the slow part.
#[derive(Clone, Copy, Debug)]
struct WriteBack {
    slot: u32,
    /// Transfers of this half that are under way.
    left: u32,
    writing: bool,
}

/// Write-backs under way, of which there may be so many, and when they start.
#[derive(Debug)]
pub struct WriteBacks {
    places: Vec<Option<WriteBack>>,
    /// The sectors of each.
    sectors: Masks,
    /// Dirty slots at which writing back ends, and above which it starts.
    low: u32,
    high: u32,
    age: Nanos,
    /// Whether it has started and not ended.
    cleaning: bool,
}

impl WriteBacks {
    /// None, of `most`; watermarks in slots.
    #[must_use]
    pub fn new(most: usize, sectors: usize, (low, high): (u32, u32), age: Nanos) -> Self {
        let sectors = Masks::new(most, sectors);
        Self { places: vec![None; most], sectors, low, high, age, cleaning: false }
    }

    /// Number of slots on their way.
    #[must_use]
    pub fn under_way(&self) -> usize {
        self.places.iter().flatten().count()
    }

    /// Number of sectors on their way, and of those that have become dirty again in the same slots.
    #[must_use]
    pub fn sectors_under_way(&self, slots: &Slots) -> u64 {
        let one = |(place, back): (usize, &Option<WriteBack>)| {
            back.map(|back| u64::from(self.sectors.count(place as u32) + slots.dirty.count(back.slot)))
        };
        self.places.iter().enumerate().filter_map(one).sum()
    }
}

impl Sectored {
    /// Starts to write back as many dirty slots as the watermarks, their age and the number of moves allow.
    pub(super) fn clean_up(&mut self, io: &mut impl VolumeIo) {
        // Slots that are on their way out already do not count.
        if self.slots.dirty_ones.len() > self.write_backs.high as usize {
            self.write_backs.cleaning = true;
        }
        while self.write_backs.cleaning && !io.draining() {
            if self.slots.dirty_ones.len() <= self.write_backs.low as usize {
                self.write_backs.cleaning = false;
                return;
            }
            let ripe = self.slots.oldest_written().map_or(0, |written| written + self.write_backs.age);
            if ripe > io.now() {
                io.set_alarm(ripe);
                return;
            }
            if !self.write_back(io) {
                return;
            }
        }
    }

    /// Starts to write back the dirty slot that was written longest ago; whether one could be started.
    pub(super) fn write_back(&mut self, io: &mut impl VolumeIo) -> bool {
        let Some(place) = self.write_backs.places.iter().position(Option::is_none) else { return false };
        let Some(slot) = self.slots.leave() else { return false };
        self.slots.dirty.hand_over(slot, &mut self.write_backs.sectors, place as u32);
        let left = self.transfer(place, (FAST, slot), io);
        self.write_backs.places[place] = Some(WriteBack { slot, left, writing: false });
        true
    }

    /// Reads or writes the sectors of a write-back, in slot or extent `number` of a part; how many transfers that takes.
    fn transfer(&mut self, place: usize, (part, number): (usize, u32), io: &mut impl VolumeIo) -> u32 {
        let (mut at, mut runs) = (0, 0);
        let (start, sectors) = (u64::from(number) * self.extent.bytes(), self.sectors_of_slot());
        let half = if part == SLOW { SECOND } else { 0 };
        while at < sectors {
            let (goes, end) = self.write_backs.sectors.run(place as u32, at, sectors);
            if goes {
                let byte = |sector: u32| start + u64::from(sector) * self.sector.bytes();
                let tag = half | place as u64 | u64::from(runs) << RUN_SHIFT;
                io.background(tag, part, (byte(at), byte(end)), part == SLOW);
                runs += 1;
            }
            at = end;
        }
        runs
    }

    /// A transfer of a write-back is done.
    pub(super) fn went_back(&mut self, place: usize, io: &mut impl VolumeIo) {
        let Some(mut now) = self.write_backs.places[place] else { return };
        now.left -= 1;
        if now.left == 0 && !now.writing {
            now.writing = true;
            now.left = self.transfer(place, (SLOW, self.slots.extent[now.slot as usize]), io);
        } else if now.left == 0 {
            let bytes = u64::from(self.write_backs.sectors.count(place as u32)) * self.sector.bytes();
            self.write_backs.sectors.clear(place as u32);
            self.write_backs.places[place] = None;
            self.slots.arrived(now.slot);
            if let Some(counts) = io.counts() {
                counts.write_backs += 1;
                counts.parts[SLOW].demoted_bytes += bytes;
            }
            return;
        }
        self.write_backs.places[place] = Some(now);
    }
}
