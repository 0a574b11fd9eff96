//! A drive whose insides are unknown: a service centre with the figures of its data sheet.
//!
//! A command holds the drive for `max(1 / IOPS, bytes / bandwidth)` of its direction, one after another, and then takes the
//! rest of the stated latency together with others. So alone it takes the latency, many make the IOPS, large ones the
//! bandwidth, and the watts are those stated in proportion to how long the drive is held.

use crate::clock::{Nanos, whole};
use crate::plan::{DataSheetPlan, RatedPlan};

/// Bytes of the small command that a sheet's latency and IOPS are for.
const SMALL: f64 = 4_096.0;

#[derive(Clone, Copy, Debug)]
struct Rated {
    least: f64,
    byte: f64,
    /// What a small command's latency has beyond its hold.
    beyond: Nanos,
    watts: f64,
}

impl Rated {
    fn new(plan: &RatedPlan, idle_w: f64) -> Self {
        let (least, byte) = (1e9 / plan.iops, 1e9 / plan.bytes_per_s);
        let small = least.max(SMALL * byte);
        let beyond = (plan.latency_s * 1e9 - small).max(0.0).round() as Nanos;
        Self { least, byte, beyond, watts: plan.active_w - idle_w }
    }
}

/// What a command takes.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    /// Begins to hold the drive.
    pub begins: Nanos,
    /// Holds it no longer.
    pub ends: Nanos,
    /// Has its answer.
    pub done: Nanos,
    /// What it uses while it holds the drive, joules beyond the draw of an active drive.
    pub joules: f64,
}

/// One such drive.
#[derive(Clone, Debug)]
pub struct Sheet {
    rated: [Rated; 2],
    free: Nanos,
    /// Bytes programmed for a byte written.
    pub write_amplification: f64,
}

impl Sheet {
    /// The drive of `plan`, which draws `active_w` before any command adds to it.
    #[must_use]
    pub fn new(plan: &DataSheetPlan, active_w: f64) -> Self {
        let rated = [&plan.read, &plan.write].map(|r| Rated::new(r, active_w));
        Self { rated, free: 0, write_amplification: plan.write_amplification }
    }

    /// The drive is held until then.
    #[must_use]
    pub fn busy_until(&self) -> Nanos {
        self.free
    }

    /// A command's turn.
    pub fn serve(&mut self, now: Nanos, bytes: u64, write: bool) -> Turn {
        let rated = &self.rated[usize::from(write)];
        let held = rated.least.max(bytes as f64 * rated.byte);
        let begins = self.free.max(now);
        let ends = begins + whole(held).max(1);
        self.free = ends;
        Turn { begins, ends, done: ends + rated.beyond, joules: rated.watts * held / 1e9 }
    }
}
