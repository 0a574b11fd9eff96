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
    /// Sectors in the buffer before a transfer begins, reads and writes, where they do not depend on the request.
    pub(super) watermark: [Option<u64>; 2],
    /// command, first disconnection, between, second, seek delta.
    pub(super) extra: Option<[Nanos; 5]>,
}

impl Overheads {
    /// Rounds and combines the figures of `plan`.
    pub(super) fn new(plan: &DriveControllerPlan, segment_sectors: u64) -> Self {
        let both = |s: [f64; 2]| [nanos(s[0]), nanos(s[1])];
        let by_state = plan.extraction == Extraction::Commands;
        let at_rest = if by_state { nanos(plan.read_hit_s[1]) } else { 0 };
        // No write hit is processed faster than a read hit at rest: a figure that is was measured while the drive streamed,
        // and the other one, at rest, holds for both.
        let rested =
            |s: [Nanos; 2]| s.map(|own| if own < at_rest { s[0].max(s[1]).max(at_rest) } else { own });
        let mark = |fraction: f64| {
            let fixed = !plan.watermark_by_request || fraction == 0.0;
            fixed.then_some((segment_sectors as f64 * fraction) as u64)
        };
        Self {
            watermark: [mark(plan.read_watermark), mark(plan.write_watermark)],
            per_request: nanos(plan.per_request_s),
            read_hit: both(plan.read_hit_s),
            read_miss: both(plan.read_miss_s),
            write_hit: rested(both(plan.write_hit_s)),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_hit_faster_than_a_read_hit_at_rest_takes_the_other_figure() {
        let hits = |extraction, ms: [f64; 2]| {
            let plan = DriveControllerPlan {
                extraction,
                read_hit_s: [0.1e-3, 0.3e-3],
                write_hit_s: ms.map(|ms| ms / 1e3),
                ..DriveControllerPlan::default()
            };
            Overheads::new(&plan, 64).write_hit
        };
        let commands = |ms| hits(Extraction::Commands, ms);
        assert_eq!(commands([0.5, 0.09]), [500_000, 500_000]);
        assert_eq!(commands([0.08, 0.4]), [400_000, 400_000]);
        assert_eq!(commands([0.5, 0.35]), [500_000, 350_000]);
        assert_eq!(commands([0.2, 0.1]), [300_000, 300_000]);
        assert_eq!(hits(Extraction::Separate, [0.5, 0.09]), [500_000, 90_000]);
    }
}
