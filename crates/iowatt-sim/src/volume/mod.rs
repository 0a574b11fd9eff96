//! The volume room: between the controller (or the hosts) and the pools, where address spaces are made of pools.
//!
//! A *space* is what a volume lies on: space number `s` is pool `s` itself, and beyond the pools come the virtual pools,
//! whose [`Scheme`] turns a request into transfers on ranges of pools and moves data by itself. The room is only there
//! where the plan has virtual pools; requests to plain pools then pass through it unchanged.
//!
//! The layer above is known by its keys only. What the room wants of the pools waits in [`Volumes::take`], whose answers
//! are ready in [`Volumes::answer`]; the engine does both after the event that led to them.

#[cfg(test)]
mod bench;
mod caching;
mod desk;
mod held;
mod initial;
mod linear;
mod maid;
mod movement;
mod pdc;
mod recency;
mod reduced;
mod run;
mod scheme;
mod sectored;
mod sectors;
mod tally;
#[cfg(test)]
mod tests;
mod tiered;
mod tiering;
mod worktop;
mod write_off_loading;

pub use desk::{Ask, Desk, Transfer};
pub use movement::Movement;
pub use reduced::ReducedState;
pub use scheme::{Scheme, Schemes};
pub use tally::{PartTally, Tally};

use crate::clock::Nanos;
use crate::device::Drive;
use crate::event::{Event, EventQueue};
use crate::plan::{PartPlan, Plan, PlanError, Under};
use crate::power::Window;
use desk::{Books, Owner};

/// When something happens to the room, and what it may look at and act on.
pub struct Moment<'a> {
    /// The time.
    pub now: Nanos,
    /// The observed span.
    pub window: &'a Window,
    /// Pending events.
    pub events: &'a mut EventQueue,
    /// All drives, to be looked at.
    pub drives: &'a [Drive],
}

/// One virtual pool.
#[derive(Debug)]
struct Room {
    parts: Vec<Part>,
    scheme: Schemes,
    /// When its alarm is to come; `Nanos::MAX` for never.
    alarm_at: Nanos,
    tally: Tally,
}

/// A part of a virtual pool: its range of a pool, and the drives that it lies on.
#[derive(Clone, Debug)]
struct Part {
    plan: PartPlan,
    drives: std::ops::Range<usize>,
}

/// The room.
#[derive(Debug)]
pub struct Volumes {
    pools: usize,
    rooms: Vec<Room>,
    books: Books,
    /// Whether the last host request is done, after which no move starts.
    over: bool,
}

impl Volumes {
    /// The virtual pools of `plan`, whose pools have the given drives; `None` where there are only plain pools.
    ///
    /// # Errors
    /// A part that cannot hold the data that are there at the start.
    pub fn new(plan: &Plan, drives: &[std::ops::Range<usize>]) -> Result<Option<Self>, PlanError> {
        if plan.virtual_pools.is_empty() {
            return Ok(None);
        }
        for (number, pool) in plan.virtual_pools.iter().enumerate() {
            Schemes::check_start(pool).under("scheme").under_item("virtual_pools", number)?;
        }
        let part = |plan: &PartPlan| Part { plan: *plan, drives: drives[plan.pool].clone() };
        let rooms = plan.virtual_pools.iter().enumerate().map(|(number, pool)| Room {
            parts: pool.parts.iter().map(part).collect(),
            scheme: Schemes::new(pool, plan.seed, number),
            alarm_at: Nanos::MAX,
            tally: Tally::new(pool.parts.len()),
        });
        let rooms = rooms.collect();
        Ok(Some(Self { pools: plan.pools.len(), rooms, books: Books::default(), over: false }))
    }

    /// Bytes of each virtual pool.
    pub fn capacities(&self) -> impl Iterator<Item = u64> + '_ {
        self.rooms.iter().map(|room| room.scheme.capacity_bytes())
    }

    /// A request of the layer above, by its key there and whether a write there led to it, on bytes `from..until` of a
    /// space.
    pub fn submit(
        &mut self,
        space: usize,
        (upper, for_write): (u32, bool),
        range: (u64, u64, bool),
        mut moment: Moment<'_>,
    ) {
        let (from, until, write) = range;
        let ask = self.books.ask(upper, moment.now, for_write);
        if let Some(number) = space.checked_sub(self.pools) {
            let (room, mut desk) = self.at_desk(number, &mut moment);
            room.submit(&Ask { key: ask, from, until, write }, &mut desk);
        } else {
            self.books.open(Owner::Ask(ask), space, (from, until, write));
        }
        // It was held until now, so that whatever it waits for is known.
        self.books.release(ask, &mut moment);
    }

    /// The alarm of a virtual pool comes.
    pub fn alarm(&mut self, number: usize, mut moment: Moment<'_>) {
        if self.rooms[number].alarm_at != moment.now {
            return; // an earlier one took its place
        }
        self.rooms[number].alarm_at = Nanos::MAX;
        let (scheme, mut desk) = self.at_desk(number, &mut moment);
        scheme.alarm(&mut desk);
    }

    /// The next transfer for the engine to hand to its pool; [`Self::sent`] follows.
    pub fn take(&mut self) -> Option<(u32, Transfer)> {
        self.books.take()
    }

    /// Transfer `key` became `operations` on drives.
    pub fn sent(&mut self, key: u32, operations: u32) {
        self.books.add_operations(key, operations);
    }

    /// `operations` more on drives serve transfer `key`: they stand in for one that was lost with its drive.
    pub fn add_operations(&mut self, key: u32, operations: u32) {
        self.books.add_operations(key, operations);
    }

    /// A drive operation of transfer `key` has completed.
    pub fn operation_done(&mut self, key: u32, mut moment: Moment<'_>) {
        match self.books.operation_done(key) {
            None => {}
            Some(Owner::Ask(ask)) => self.books.release(ask, &mut moment),
            Some(Owner::Both { ask, room, tag }) => {
                let (scheme, mut desk) = self.at_desk(room as usize, &mut moment);
                scheme.passed(tag, &mut desk);
                self.books.release(ask, &mut moment);
            }
            Some(Owner::Scheme { room, tag }) => {
                let (scheme, mut desk) = self.at_desk(room as usize, &mut moment);
                scheme.moved(tag, &mut desk);
            }
        }
    }

    /// Key, in the layer above, of a request that is done.
    pub fn answer(&mut self) -> Option<u32> {
        self.books.answer()
    }

    /// The last host request is done: no new move starts. Whether nothing is under way either.
    pub fn wind_down(&mut self) -> bool {
        self.over = true;
        self.books.is_idle()
    }

    /// What each virtual pool has counted, and its scheme.
    pub fn tallies(&self) -> impl Iterator<Item = (&Tally, &Schemes)> + '_ {
        self.rooms.iter().map(|room| (&room.tally, &room.scheme))
    }

    /// Key, in the layer above, of a request by its key here.
    #[cfg(test)]
    fn upper(&self, ask: u32) -> u32 {
        self.books.upper(ask)
    }

    /// Checks the invariants of every virtual pool.
    ///
    /// # Errors
    /// The first that does not hold.
    #[cfg(test)]
    pub fn audit(&self) -> Result<(), String> {
        self.rooms.iter().try_for_each(|room| room.scheme.audit())
    }

    fn at_desk<'m>(&'m mut self, number: usize, moment: &'m mut Moment<'_>) -> (&'m mut Schemes, Desk<'m>) {
        let Room { parts, scheme, alarm_at, tally } = &mut self.rooms[number];
        let desk = Desk {
            now: moment.now,
            counted: moment.window.begins(moment.now),
            over: self.over,
            room: number as u32,
            parts,
            alarm_at,
            books: &mut self.books,
            events: moment.events,
            drives: moment.drives,
            tally,
        };
        (scheme, desk)
    }
}

impl Desk<'_> {
    /// Wants [`Scheme::alarm`] at `at`, unless an earlier one is set already.
    pub fn set_alarm(&mut self, at: Nanos) {
        let at = at.max(self.now);
        if at < *self.alarm_at {
            *self.alarm_at = at;
            self.events.push(at, Event::Alarm(self.room));
        }
    }
}
