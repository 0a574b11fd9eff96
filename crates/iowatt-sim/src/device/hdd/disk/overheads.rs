//! Overheads of the drive's controller, and what the way they were obtained says about them.

use crate::clock::{Nanos, Picos, nanos};
use crate::plan::{DriveControllerPlan, Extraction};

/// Precomputed overheads.
#[derive(Clone, Debug)]
pub(super) struct Overheads {
    pub(super) per_request: Nanos,
    pub(super) read_hit: [Nanos; 2],
    pub(super) read_miss: [Nanos; 2],
    pub(super) write_hit: [Nanos; 2],
    pub(super) write_miss: [Nanos; 2],
    pub(super) completion: [Nanos; 2],
    pub(super) preparation: Nanos,
    pub(super) reselect: [Nanos; 2],
    pub(super) read_disconnect: [Nanos; 2],
    pub(super) write_disconnect: Nanos,
    pub(super) minimum_seek: Nanos,
    /// Command processing that the seek curve contains and that a miss without a seek must pay as well.
    pub(super) in_seek: Nanos,
    /// Hit overheads belong to states of the drive and not to the request before.
    pub(super) by_state: bool,
    pub(super) sector_ps: [Picos; 2],
    /// command, first disconnection, between, second, seek delta.
    pub(super) extra: Option<[Nanos; 5]>,
}

impl Overheads {
    /// Rounds and combines the figures of `plan`.
    pub(super) fn new(plan: &DriveControllerPlan) -> Self {
        let both = |s: [f64; 2]| [nanos(s[0]), nanos(s[1])];
        let by_state = plan.extraction == Extraction::Commands;
        let at_rest = if by_state { nanos(plan.read_hit_s[1]) } else { 0 };
        let floor = |s: [Nanos; 2]| [s[0].max(at_rest), s[1].max(at_rest)];
        Self {
            per_request: nanos(plan.per_request_s),
            read_hit: both(plan.read_hit_s),
            read_miss: both(plan.read_miss_s),
            write_hit: floor(both(plan.write_hit_s)),
            write_miss: both(plan.write_miss_s),
            completion: both(plan.completion_s),
            preparation: nanos(plan.data_preparation_s),
            reselect: both(plan.reselect_s),
            read_disconnect: both(plan.read_disconnect_s),
            write_disconnect: nanos(plan.write_disconnect_s),
            minimum_seek: nanos(plan.minimum_seek_s),
            in_seek: at_rest,
            by_state,
            sector_ps: [(plan.sector_s[0] * 1e12) as Picos, (plan.sector_s[1] * 1e12) as Picos],
            extra: plan.extra_disconnect.map(|e| {
                [
                    nanos(e.command_s),
                    nanos(e.disconnect_s),
                    nanos(e.between_s),
                    nanos(e.second_s),
                    nanos(e.seek_delta_s),
                ]
            }),
        }
    }
}
