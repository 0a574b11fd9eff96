//! The plan of a library: a robot that puts cartridges into tape drives. Bytes are those of hosts, before compression.

use iowatt_volume::PlanFault::{Conflict, Count, Range};
use iowatt_volume::{PlanError, Under, check};
use serde::Deserialize;

/// A library: cartridges one after another make up its address space.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LibraryPlan {
    /// Tape drives.
    pub drives: u32,
    /// Robots, each of which moves one cartridge at a time.
    pub robots: u32,
    /// Cartridges; each has a slot of its own.
    pub cartridges: u32,
    /// Bytes of a cartridge.
    pub cartridge_bytes: u64,
    /// The drives.
    pub drive: TapeDrivePlan,
    /// Seconds in which a robot brings a cartridge from its slot to a drive, or back.
    pub move_s: f64,
    /// Seconds without a request after which a drive gives its cartridge up where another one waits for a drive.
    pub hold_s: f64,
    /// Seconds without a request after which a drive unloads its cartridge; none: it keeps it until the drive is wanted.
    pub unload_after_s: Option<f64>,
    /// Watts of a robot: waiting, moving.
    pub robot_w: [f64; 2],
    /// Watts of all the rest: frame, controller, fans, supplies.
    pub frame_w: f64,
}

/// Tape drives of a library.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TapeDrivePlan {
    /// Passes of the tape, there and back in turn, over which a cartridge's bytes are spread evenly.
    pub wraps: u32,
    /// Seconds from one end of the tape to the other at the speed of locating and rewinding.
    pub end_to_end_s: f64,
    /// Seconds that a locate or a rewind takes besides the way.
    pub locate_overhead_s: f64,
    /// Seconds from a cartridge in the drive to its first byte under the head.
    pub load_s: f64,
    /// Seconds of a rewound cartridge until the robot can take it.
    pub unload_s: f64,
    /// Seconds in which a tape that has stopped for lack of data goes back and is ready to start again.
    pub reposition_s: f64,
    /// Bytes per second of the slowest and the fastest tape speed.
    pub speed_bytes_per_s: [f64; 2],
    /// Bytes of the buffer.
    pub buffer_bytes: u64,
    /// Bytes per second between host and buffer.
    pub interface_bytes_per_s: f64,
    /// Seconds without a write after which the drive writes out what it has buffered.
    pub flush_s: f64,
    /// Watts and reported states.
    pub power: TapePowerPlan,
}

/// What a tape drive draws.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TapePowerPlan {
    /// Without a cartridge.
    pub unloaded_w: f64,
    /// With a cartridge, the tape standing still.
    pub idle_w: f64,
    /// Loading and unloading.
    pub load_w: f64,
    /// Locating, rewinding, repositioning.
    pub locate_w: f64,
    /// Reading.
    pub read_w: f64,
    /// Writing.
    pub write_w: f64,
    /// Numbers of the states that results report being unloaded, loading and unloading as.
    pub states: [usize; 3],
}

impl TapePowerPlan {
    /// Number of states that it is reported in, those of every drive included.
    #[must_use]
    pub fn states(&self) -> usize {
        super::pool::reported(&self.states)
    }
}

impl LibraryPlan {
    /// Bytes of all cartridges.
    #[must_use]
    pub fn capacity_bytes(&self) -> u64 {
        self.cartridge_bytes.saturating_mul(u64::from(self.cartridges))
    }

    pub(super) fn validate(&self) -> Result<(), PlanError> {
        check(self.drives > 0, Count, "drives", "must be at least 1")?;
        check(self.robots > 0, Count, "robots", "must be at least 1")?;
        check(self.cartridges > 0, Count, "cartridges", "must be at least 1")?;
        check(self.cartridge_bytes > 0, Range, "cartridge_bytes", "must be positive")?;
        self.drive.validate().under("drive")
    }
}

impl TapeDrivePlan {
    fn validate(&self) -> Result<(), PlanError> {
        check(self.wraps > 0, Range, "wraps", "must be at least 1")?;
        let [slowest, fastest] = self.speed_bytes_per_s;
        let sound = 0.0 < slowest && slowest <= fastest;
        check(sound, Range, "speed_bytes_per_s", "must be positive, the slowest first")?;
        check(self.buffer_bytes >= 8, Range, "buffer_bytes", "must be at least 8")?;
        let feeds = self.interface_bytes_per_s >= fastest;
        check(feeds, Conflict, "interface_bytes_per_s", "must be at least the fastest tape speed")
    }
}
