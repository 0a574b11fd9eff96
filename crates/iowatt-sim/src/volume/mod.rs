//! The volume layer between the controller (or the hosts) and the pools: it makes address spaces of pools.
//!
//! A *space* is what a volume lies on. Space `s` is pool `s`; the numbers after the pools are virtual pools, whose
//! [`Scheme`] (crate `iowatt-volume`) turns each request into transfers on ranges of pools and moves data in the background. The layer exists only
//! if the plan has virtual pools; requests to plain pools then pass through it unchanged.
//!
//! The layer above is known only by the keys of its requests. The engine drains [`Volumes::take`] (transfers for the pools)
//! and [`Volumes::answer`] (completed requests) after every event.

mod pool_io;
#[cfg(test)]
mod tests;

pub use iowatt_volume::{Movement, PartCounts, PoolCounts, ReducedState, Scheme, Schemes};
pub use pool_io::{PoolIo, Transfer};

use crate::clock::Nanos;
use crate::device::Drive;
use crate::event::EventQueue;
use crate::plan::{PartPlan, Plan, PlanError, Under};
use crate::power::Window;
use iowatt_volume::{Reduced, VolumeRequest};
use pool_io::{InFlight, Waiter};

/// The time of an event, and what the volume layer may read and change at it.
pub struct Moment<'a> {
    /// The time.
    pub now: Nanos,
    /// The observed span.
    pub window: &'a Window,
    /// Pending events.
    pub events: &'a mut EventQueue,
    /// All drives.
    pub drives: &'a [Drive],
}

/// One virtual pool.
#[derive(Debug)]
struct VirtualPool {
    parts: Vec<Part>,
    scheme: Schemes,
    /// Time of its alarm; `Nanos::MAX` if none is set.
    alarm_at: Nanos,
    counts: PoolCounts,
}

/// A part of a virtual pool: a range of a pool, and that pool's drives.
#[derive(Clone, Debug)]
struct Part {
    plan: PartPlan,
    drives: std::ops::Range<usize>,
}

/// All virtual pools and their work in progress.
#[derive(Debug)]
pub struct Volumes {
    pools: usize,
    virtual_pools: Vec<VirtualPool>,
    in_flight: InFlight,
    /// Whether the last host request is done, after which no move starts.
    draining: bool,
    keeps_ends: bool,
}

impl Volumes {
    /// The virtual pools of `plan`, whose pools have the given drives; `None` where there are only plain pools.
    ///
    /// # Errors
    /// A part that cannot hold its initial data.
    pub fn new(plan: &Plan, drives: &[std::ops::Range<usize>]) -> Result<Option<Self>, PlanError> {
        if plan.virtual_pools.is_empty() {
            return Ok(None);
        }
        for (number, pool) in plan.virtual_pools.iter().enumerate() {
            Schemes::check_start(pool).under("scheme").under_item("virtual_pools", number)?;
        }
        let part = |plan: &PartPlan| Part { plan: *plan, drives: drives[plan.pool].clone() };
        let virtual_pools = plan.virtual_pools.iter().enumerate().map(|(number, pool)| VirtualPool {
            parts: pool.parts.iter().map(part).collect(),
            scheme: Schemes::new(pool, plan.seed, number),
            alarm_at: Nanos::MAX,
            counts: PoolCounts::new(pool.parts.len()),
        });
        let virtual_pools = virtual_pools.collect();
        Ok(Some(Self {
            pools: plan.pools.len(),
            virtual_pools,
            in_flight: InFlight::default(),
            draining: false,
            keeps_ends: false,
        }))
    }

    /// Bytes of each virtual pool.
    pub fn capacities(&self) -> impl Iterator<Item = u64> + '_ {
        self.virtual_pools.iter().map(|pool| pool.scheme.capacity_bytes())
    }

    /// Submits a request of the layer above on bytes `from..until` of a space: its key there, and whether a write there
    /// caused it.
    pub fn submit(
        &mut self,
        space: usize,
        (upper, for_write): (u32, bool),
        range: (u64, u64, bool),
        mut moment: Moment<'_>,
    ) {
        let (from, until, write) = range;
        let request = self.in_flight.request(upper, moment.now, for_write);
        if let Some(number) = space.checked_sub(self.pools) {
            let (scheme, mut io) = self.scheme_and_io(number, &mut moment);
            scheme.submit(&VolumeRequest { key: request, from, until, write, trim: false }, &mut io);
        } else {
            self.in_flight.open(Waiter::Request(request), space, (from, until, write));
        }
        // It was held until all its transfers were open.
        self.in_flight.release(request, &mut moment);
    }

    /// Whether trims mean anything on a space.
    #[must_use]
    pub fn takes_trims(&self, space: usize) -> bool {
        self.reclaims(space).is_some_and(|reduced| reduced.takes_trims())
    }

    /// Whether writes of zeros are recognised on a space.
    #[must_use]
    pub fn detects_zeros(&self, space: usize) -> bool {
        self.reclaims(space).is_some_and(|reduced| reduced.zero_page().is_some())
    }

    fn reclaims(&self, space: usize) -> Option<&Reduced> {
        self.virtual_pools.get(space.checked_sub(self.pools)?)?.scheme.reclaims()
    }

    /// A trim of bytes `from..until` of a virtual pool, or a write of zeros, of which whole pages are given up and the rest is
    /// written; its key in the layer above.
    #[cold]
    pub fn give_up(
        &mut self,
        space: usize,
        (upper, zeros): (u32, bool),
        range: (u64, u64),
        mut moment: Moment<'_>,
    ) {
        let (from, until) = range;
        let key = self.in_flight.request(upper, moment.now, zeros);
        if let Some(number) = space.checked_sub(self.pools) {
            let (scheme, mut io) = self.scheme_and_io(number, &mut moment);
            let page =
                scheme.reclaims().and_then(|reduced| reduced.zero_page()).filter(|_| zeros).unwrap_or(1);
            let (first, end) = (from.next_multiple_of(page).min(until), until / page * page);
            let end = end.max(first);
            if let Some(reduced) = scheme.reclaims_mut().filter(|_| zeros) {
                reduced.zeros(end - first, io.counted);
            }
            for (from, until, trim) in [(from, first, false), (first, end, true), (end, until, false)] {
                if from < until {
                    scheme.submit(&VolumeRequest { key, from, until, write: true, trim }, &mut io);
                }
            }
        }
        // It was held until all its transfers were open.
        self.in_flight.release(key, &mut moment);
    }

    /// The alarm of a virtual pool is due.
    pub fn alarm(&mut self, number: usize, mut moment: Moment<'_>) {
        if self.virtual_pools[number].alarm_at != moment.now {
            return; // replaced by an earlier one
        }
        self.virtual_pools[number].alarm_at = Nanos::MAX;
        let (scheme, mut io) = self.scheme_and_io(number, &mut moment);
        scheme.alarm(&mut io);
    }

    /// The next transfer for the engine to hand to its pool; [`Self::sent`] follows.
    pub fn take(&mut self) -> Option<(u32, Transfer)> {
        self.in_flight.take()
    }

    /// Transfer `key` was split into `operations` on drives.
    pub fn sent(&mut self, key: u32, operations: u32) {
        self.in_flight.sent(key, operations);
    }

    /// Adds `operations` on drives to transfer `key`: they replace one that was lost with its drive.
    pub fn add_operations(&mut self, key: u32, operations: u32) {
        self.in_flight.add_operations(key, operations);
    }

    /// A drive operation of transfer `key` has completed.
    pub fn operation_done(&mut self, key: u32, mut moment: Moment<'_>) {
        match self.in_flight.operation_done(key) {
            None | Some(Waiter::Nobody) => {}
            Some(Waiter::Request(request)) => self.in_flight.release(request, &mut moment),
            Some(Waiter::Both { request, pool, tag }) => {
                let (scheme, mut io) = self.scheme_and_io(pool as usize, &mut moment);
                scheme.transfer_done(tag, &mut io);
                self.in_flight.release(request, &mut moment);
            }
            Some(Waiter::Scheme { pool, tag }) => {
                let (scheme, mut io) = self.scheme_and_io(pool as usize, &mut moment);
                scheme.background_done(tag, &mut io);
            }
        }
    }

    /// Returns the key, in the layer above, of a completed request.
    pub fn answer(&mut self) -> Option<u32> {
        self.in_flight.answer()
    }

    /// The last host request is done: no new move starts. Returns whether all work has ended.
    pub fn wind_down(&mut self) -> bool {
        self.draining = true;
        self.in_flight.is_idle()
    }

    /// Counts and scheme of each virtual pool.
    pub fn counts_by_pool(&self) -> impl Iterator<Item = (&PoolCounts, &Schemes)> + '_ {
        self.virtual_pools.iter().map(|pool| (&pool.counts, &pool.scheme))
    }

    /// Asks for [`Self::ends`].
    pub fn keep_ends(&mut self) {
        self.keeps_ends = true;
    }

    /// Counts and map of each virtual pool, where that was asked for: maps are large.
    pub fn ends(&self) -> Vec<(PoolCounts, Vec<u32>)> {
        let kept = self.virtual_pools.iter().filter(|_| self.keeps_ends);
        kept.map(|pool| (pool.counts.clone(), pool.scheme.map())).collect()
    }

    /// Key, in the layer above, of a request by its key here.
    #[cfg(test)]
    fn upper(&self, request: u32) -> u32 {
        self.in_flight.upper(request)
    }

    /// Checks the invariants of every virtual pool.
    ///
    /// # Errors
    /// The first that does not hold.
    #[cfg(test)]
    pub fn audit(&self) -> Result<(), String> {
        self.virtual_pools.iter().try_for_each(|pool| pool.scheme.audit())
    }

    fn scheme_and_io<'m>(
        &'m mut self,
        number: usize,
        moment: &'m mut Moment<'_>,
    ) -> (&'m mut Schemes, PoolIo<'m>) {
        let VirtualPool { parts, scheme, alarm_at, counts } = &mut self.virtual_pools[number];
        let io = PoolIo {
            now: moment.now,
            counted: moment.window.begins(moment.now),
            draining: self.draining,
            number: number as u32,
            parts,
            alarm_at,
            in_flight: &mut self.in_flight,
            events: moment.events,
            drives: moment.drives,
            counts,
        };
        (scheme, io)
    }
}
