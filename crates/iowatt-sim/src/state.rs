//! The power states of a drive, as results report them.

/// What a drive is doing, as far as its power is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum State {
    /// Media transfer, and command or bus time that holds the disk.
    Active,
    /// Seek, settle, head switch, rotational wait.
    Positioning,
    /// Spinning without work.
    Idle,
    /// Stopped.
    Standby,
    /// On the way to full readiness: coming up to speed, loading heads.
    SpinUp,
    /// On the way to a level that draws less.
    SpinDown,
}

/// Number of states that every drive has.
pub const STATES: usize = 6;

/// Names of the states in results, by `State as usize`.
pub const STATE_NAMES: [&str; STATES] = ["active", "positioning", "idle", "standby", "spin_up", "spin_down"];
