//! Commands that a drive holds (tagged queueing): sent by the host ahead of their turn, served in the drive's own order.

use super::hdd::Disk;
use super::queue::{Chosen, Queue};
use crate::clock::{Nanos, nanos};
use crate::plan::CommandQueuePlan;
use crate::power::Window;

/// The commands of one drive, the one in service included in the count.
#[derive(Clone, Debug)]
pub struct Commands {
    depth: usize,
    waiting: Queue,
    outstanding: usize,
    since: Nanos,
    /// Integral of the outstanding commands over the window, nanoseconds.
    pub area: u128,
}

impl Commands {
    /// None yet.
    #[must_use]
    pub fn new(plan: &CommandQueuePlan) -> Self {
        let waiting = Queue::new(plan.scheduler).with_deadline(plan.deadline_s.map(nanos));
        Self { depth: plan.depth, waiting, outstanding: 0, since: 0, area: 0 }
    }

    /// Whether the drive takes one more.
    #[must_use]
    pub fn has_room(&self) -> bool {
        self.outstanding < self.depth
    }

    /// A command comes.
    pub fn push(&mut self, now: Nanos, op: u32, lbn: u64, write: bool, window: &Window) {
        self.waiting.push(now, op, lbn, write);
        self.changed(now, 1, window);
    }

    /// Takes the command that the drive serves next.
    pub fn pop(&mut self, now: Nanos, disk: &mut Disk) -> Option<Chosen> {
        self.waiting.pop(now, disk)
    }

    /// Keys of the commands waiting.
    pub fn waiting(&self) -> impl Iterator<Item = u32> + '_ {
        self.waiting.waiting()
    }

    /// The drive fails: empties the queue into `out`, in order of arrival.
    pub fn drain(&mut self, now: Nanos, out: &mut Vec<u32>, window: &Window) {
        let before = out.len();
        self.waiting.drain(out);
        self.changed(now, -((out.len() - before) as isize), window);
    }

    /// The number of outstanding commands changes: +1 one is sent straight into service, -1 one completes, 0 only
    /// brings the integral up to `now`.
    pub fn changed(&mut self, now: Nanos, change: isize, window: &Window) {
        let (from, until) = window.clip(self.since, now);
        self.area += self.outstanding as u128 * u128::from(until - from);
        self.since = now;
        self.outstanding = self.outstanding.saturating_add_signed(change);
    }
}
