//! The drives below one virtual pool, driven by whoever moves real bytes while real time passes.
//!
//! The caller has the virtual pool's policy and asks for its transfers; the drives say when each is done. Hosts' requests are
//! told as they arrive and are answered, so that the figures of a run are those of a simulation.

use super::backend::{Backend, PoolRequest};
use super::observer;
use crate::back_end_log::Reason;
use crate::bus::Bus;
use crate::clock::Nanos;
use crate::device::{DriveOps, NO_OP, Surroundings};
use crate::error::SimError;
use crate::event::{Clock, Event};
use crate::plan::{PartPlan, Plan};
use crate::power::SpinUps;
use crate::raid::Serves;
use crate::results::{self, Outcome, VirtualPoolResult};
use crate::shape::Full;
use iowatt_volume::slab::Slab;
use iowatt_volume::{Scheme, Schemes};

/// What a transfer does with its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Reads them.
    Read,
    /// Writes them.
    Write,
    /// Gives them up.
    Trim,
}

/// Bytes of one part of the virtual pool, to be moved.
#[derive(Clone, Copy, Debug)]
pub struct Transfer {
    /// Number of the part.
    pub part: usize,
    /// First and one past the last byte in it.
    pub range: (u64, u64),
    /// What is done with them.
    pub way: Way,
    /// It moves data for the policy, not for a host.
    pub background: bool,
}

/// The drives of a plan at work.
pub struct Emulation {
    backend: Backend,
    around: Surroundings,
    parts: Vec<PartPlan>,
    sectors: Vec<u64>,
    /// Drive operations that each transfer still waits for.
    transfers: Slab<u32>,
    /// Number of the virtual pool's address space.
    space: usize,
    requests: u64,
}

impl Emulation {
    /// The drives of `plan`, at rest at time zero. Its only virtual pool's transfers are those that come; it has one workload,
    /// which stands for all hosts.
    ///
    /// # Errors
    /// [`SimError::Plan`] where the plan contradicts itself.
    pub fn new(plan: &Plan) -> Result<Self, SimError> {
        plan.validate()?;
        let [virtual_pool] = &plan.virtual_pools[..] else {
            return Err(SimError::Sources { given: plan.virtual_pools.len(), wanted: 1 });
        };
        if plan.workloads.len() != 1 {
            return Err(SimError::Sources { given: plan.workloads.len(), wanted: 1 });
        }
        let buses: Vec<Bus> = plan.buses.iter().map(Bus::new).collect();
        let kinds = Backend::kinds(plan)?;
        let (mut backend, ladders) = Backend::new(plan, &kinds, &buses)?;
        let pools = backend.pools.iter().zip(&plan.pools);
        let mut spaces: Vec<u64> =
            pools.map(|(pool, plan)| pool.capacity_bytes(plan.device.sectors())).collect();
        spaces.push(Schemes::new(virtual_pool, plan.seed, 0).capacity_bytes());
        let mut around = Surroundings {
            clock: Clock::new(None, backend.drives.len(), 1),
            buses,
            spin_ups: plan.pools.iter().map(|p| SpinUps::new(p.spin_ups_at_once)).collect(),
            ops: DriveOps::default(),
            observer: observer(plan, ladders, &spaces)?,
        };
        backend.start(&mut around);
        let sectors = plan.sectors();
        Ok(Self {
            backend,
            around,
            sectors: virtual_pool.parts.iter().map(|part| sectors[part.pool]).collect(),
            parts: virtual_pool.parts.clone(),
            transfers: Slab::default(),
            space: plan.pools.len(),
            requests: 0,
        })
    }

    /// When something happens next, if no transfer comes before.
    #[must_use]
    pub fn next_at(&mut self) -> Option<Nanos> {
        self.around.clock.events.next_at()
    }

    /// Moves on to `until`, or stays where that is past. `done` gets the keys of the transfers that are done, and when
    /// they were.
    ///
    /// # Errors
    /// [`SimError::DataLost`].
    pub fn advance(&mut self, until: Nanos, done: &mut Vec<(u32, Nanos)>) -> Result<(), SimError> {
        while let Some((at, event)) = self.around.clock.events.pop_until(until) {
            self.around.clock.now = at;
            let completed = match event {
                Event::DriveDone(drive) => self
                    .backend
                    .drive_done::<Full>(drive, &mut self.around)
                    .map(|completed| completed.upper)
                    .filter(|&upper| upper != NO_OP),
                Event::Lost(key) => self.backend.replace(key, &mut self.around).map(|(upper, made)| {
                    *self.transfers.get_mut(upper) += made;
                    upper
                }),
                event => {
                    self.backend.handle(event, &mut self.around)?;
                    None
                }
            };
            done.extend(completed.filter(|&key| self.operation_done(key)).map(|key| (key, at)));
        }
        self.around.clock.now = self.around.clock.now.max(until);
        Ok(())
    }

    fn operation_done(&mut self, key: u32) -> bool {
        let left = self.transfers.get_mut(key);
        *left -= 1;
        let last = *left == 0;
        if last {
            self.transfers.remove(key);
        }
        last
    }

    /// Begins a transfer now. Returns its key, or none where the drives have nothing to do (a trim that does not reach them).
    pub fn begin(&mut self, transfer: &Transfer) -> Option<u32> {
        let (part, sector) = (self.parts[transfer.part], self.sectors[transfer.part]);
        let from = transfer.range.0 / sector * sector;
        let until = transfer.range.1.next_multiple_of(sector).min(part.capacity_bytes);
        if from >= until {
            return None;
        }
        let key = self.transfers.insert(0);
        let (offset, bytes) = (part.offset_bytes + from, until - from);
        let made = if transfer.way == Way::Trim {
            self.backend.trim(part.pool, (offset, bytes), key, &mut self.around)
        } else {
            let write = transfer.way == Way::Write;
            let serves = Serves { upper: key, migrates: transfer.background, for_write: write };
            let request = PoolRequest {
                pool: part.pool,
                range: (offset, bytes, write),
                serves,
                reason: if transfer.background { Reason::Migration } else { Reason::Host },
            };
            self.backend.submit::<Full>(&request, &mut self.around)
        };
        if made == 0 {
            self.transfers.remove(key);
            return None;
        }
        *self.transfers.get_mut(key) = made;
        Some(key)
    }

    /// A host's request on bytes `range` of the virtual pool arrives now. Returns the time, for [`Self::answered`].
    pub fn arrived(&mut self, range: (u64, u64), write: bool) -> Nanos {
        let now = self.around.clock.now;
        self.around.observer.arrived(now);
        self.around.observer.issued_at(now, 0, (range.0, range.1 - range.0, write));
        self.around.observer.handed_to(now, self.space, (range.0, range.1, write));
        now
    }

    /// A host's request that arrived at `arrived` is answered now.
    pub fn answered(&mut self, arrived: Nanos, range: (u64, u64), write: bool) {
        self.requests += 1;
        let bytes = u32::try_from(range.1 - range.0).unwrap_or(u32::MAX);
        self.around.observer.completed(self.around.clock.now, 0, write, arrived, bytes);
    }

    /// Ends the run now: the figures, with those of the virtual pool, which the caller has counted.
    ///
    /// # Errors
    /// [`SimError::Foresight`].
    pub fn finish(mut self, virtual_pool: VirtualPoolResult) -> Result<Outcome, SimError> {
        let end = self.around.clock.now;
        self.backend.finish(end, &mut self.around);
        self.around.observer.finish(end);
        if let Some(drive) = self.backend.contradicted() {
            return Err(SimError::Foresight { drive });
        }
        let parts = results::Parts {
            drives: &self.backend.drives,
            pools: &self.backend.pools,
            buses: &self.around.buses,
            spin_ups: &self.around.spin_ups,
            controller: None,
            drive_path: None,
            paths: None,
            replication: None,
            trims: &[0],
            qos: Vec::new(),
            libraries: &[],
            clusters: None,
            virtual_pools: vec![virtual_pool],
        };
        let events = self.around.clock.events.scheduled();
        Ok(results::collect(&self.around.observer, parts, self.requests, events))
    }
}
