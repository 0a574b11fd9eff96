//! One cache alone: a policy, and where each key is.

use super::batch::Batch;
use super::outcome::{CacheOutcome, Pass};
use super::plan::{CacheAlone, Writes};
use crate::index::Direct;
use crate::policy::Policy;
use crate::{Replacement, each_policy};

const NONE: u32 = u32::MAX;

/// A cache under simulation.
#[derive(Debug)]
pub(super) struct Alone {
    policy: Policy<Direct>,
    places: Places,
    slots: usize,
    around: bool,
    hits: Pass,
    found: Vec<u8>,
}

/// Where keys are, and which are where.
#[derive(Debug, Default)]
struct Places {
    slot: Vec<u32>,
    key: Vec<u32>,
    evictions: u64,
}

impl Alone {
    pub(super) fn new(plan: &CacheAlone, writes: Writes) -> Self {
        Self {
            policy: Policy::new(plan.replacement, plan.slots as usize),
            places: Places::default(),
            slots: plan.slots as usize,
            around: writes == Writes::Around,
            hits: Pass::default(),
            found: Vec::new(),
        }
    }

    /// Looks up a batch whose keys are less than `numbers`.
    pub(super) fn pass(&mut self, batch: &Batch, numbers: usize, counted: bool) {
        if numbers > self.places.slot.len() {
            self.places.slot.resize(numbers.next_power_of_two(), NONE);
        }
        self.found.resize(batch.keys.len(), 0);
        let (places, slots, found) = (&mut self.places, self.slots, &mut self.found[..]);
        each_policy!(&mut self.policy, policy => if self.around {
            look_up::<true>(policy, places, slots, batch, found);
        } else {
            look_up::<false>(policy, places, slots, batch, found);
        });
        if counted {
            let found = &self.found[..batch.keys.len()];
            batch.count_hits(&mut self.hits, |at| found[at]);
        }
    }

    pub(super) fn outcome(&self) -> CacheOutcome {
        CacheOutcome {
            slots: self.slots as u64,
            held: self.places.key.len() as u64,
            evictions: self.places.evictions,
            hits: self.hits,
        }
    }
}

/// The whole of a cache without time. With `AROUND`, writes that miss do not enter.
#[inline(always)]
fn look_up<const AROUND: bool>(
    policy: &mut impl Replacement,
    places: &mut Places,
    slots: usize,
    batch: &Batch,
    found: &mut [u8],
) {
    for (at, (&key, found)) in batch.keys.iter().zip(found).enumerate() {
        let slot = places.slot[key as usize];
        *found = u8::from(slot != NONE);
        if slot != NONE {
            policy.used(slot);
            continue;
        }
        if AROUND && batch.writes[at] == 1 {
            continue;
        }
        let slot = if places.key.len() < slots {
            places.key.push(key);
            places.key.len() as u32 - 1
        } else {
            // Everything may go here, so there is a victim.
            let Some(slot) = policy.victim(u64::from(key), |_| true) else { continue };
            let gone = std::mem::replace(&mut places.key[slot as usize], key);
            places.slot[gone as usize] = NONE;
            places.evictions += 1;
            slot
        };
        places.slot[key as usize] = slot;
        policy.insert(slot, u64::from(key));
    }
}
