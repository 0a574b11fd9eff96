//! Heat: reads, writes and bytes by extent and period, where hosts ask (volumes) and behind the cache (address spaces).

use crate::clock::Nanos;
use crate::plan::{HeatPlan, Plan};
use crate::power::Window;
use iowatt_trace::heat::HeatMap;

/// Counts by extent and period at the points that were asked for. Both points are in one map, so that their extents and
/// periods stay alike: first the volumes, then the spaces.
#[derive(Debug)]
pub struct Heat {
    front: bool,
    back: bool,
    /// Volume of each workload.
    volumes: Vec<u32>,
    /// Bytes of each space.
    spaces: Vec<u64>,
    first_space: u32,
    /// Requests that are not in the map yet.
    log: Vec<Touch>,
    map: HeatMap,
}

/// A request to a space of the map.
#[derive(Clone, Copy, Debug)]
struct Touch {
    at: Nanos,
    from: u64,
    until: u64,
    space: u32,
    write: bool,
}

/// Requests counted at a time: alone, each would wait for the memory of its extent.
const LOGGED: usize = 256;

impl Heat {
    /// What `asked` asks for of a run of `plan`, whose address spaces have the given capacities.
    #[must_use]
    pub fn new(asked: &HeatPlan, plan: &Plan, spaces: Vec<u64>, start: Nanos) -> Self {
        let period = asked.period_s.map(crate::clock::nanos);
        Self {
            front: asked.front,
            back: asked.back,
            volumes: plan.workloads.iter().map(|w| w.volume as u32).collect(),
            spaces,
            first_space: plan.volumes.len() as u32,
            log: Vec::with_capacity(LOGGED),
            map: HeatMap::new(asked.extent_bytes, start, period),
        }
    }

    /// A workload issues a request for `size` bytes at `offset` of its volume.
    #[inline]
    pub fn front(
        &mut self,
        now: Nanos,
        workload: usize,
        (offset, size, write): (u64, u64, bool),
        window: &Window,
    ) {
        if self.front && window.begins(now) {
            self.log(Touch {
                at: now,
                from: offset,
                until: offset + size,
                space: self.volumes[workload],
                write,
            });
        }
    }

    /// A space is handed a request for bytes `from..until`.
    #[inline]
    pub fn back(
        &mut self,
        now: Nanos,
        space: usize,
        (from, until, write): (u64, u64, bool),
        window: &Window,
    ) {
        if self.back && window.begins(now) {
            self.log(Touch { at: now, from, until, space: self.first_space + space as u32, write });
        }
    }

    #[inline]
    fn log(&mut self, touch: Touch) {
        self.log.push(touch);
        if self.log.len() >= LOGGED {
            self.count();
        }
    }

    /// Counts what is logged, in its order. The map is complete after that.
    #[inline(never)]
    pub fn count(&mut self) {
        for Touch { at, from, until, space, write } in self.log.drain(..) {
            self.map.add(at, space, from, until, write);
        }
    }

    /// Whether it counts what hosts ask, and what spaces are handed.
    #[must_use]
    pub fn points(&self) -> [bool; 2] {
        [self.front, self.back]
    }

    /// The counts; spaces follow the volumes.
    #[must_use]
    pub fn map(&self) -> &HeatMap {
        &self.map
    }

    /// Number of the first address space in the map.
    #[must_use]
    pub fn first_space(&self) -> u32 {
        self.first_space
    }

    /// Bytes of each address space.
    #[must_use]
    pub fn spaces(&self) -> &[u64] {
        &self.spaces
    }
}
