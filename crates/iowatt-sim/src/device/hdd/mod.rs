//! The mechanics of a disk: arm, spindle, heads. A request is served in closed form per track crossing,
//! at sector accuracy: where the platter stands at any instant follows from time, speed and phase.

mod geometry;
mod seek;

pub use geometry::{Geometry, Place};
pub use seek::SeekCurve;

use crate::clock::{Nanos, nanos};
use crate::plan::{HddPlan, PhasePlan};
use crate::rng::{Room, Stream};
use std::sync::Arc;

/// Where the time of one access went, in the order in which it passes; `done - from` is their sum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// Seek, settle and head switches.
    pub seek: Nanos,
    /// Rotational waits, at the start and at track crossings.
    pub rotation: Nanos,
    /// Sectors under the head.
    pub transfer: Nanos,
    /// Cylinders that the arm moved before the first sector.
    pub cylinders: u32,
    /// The first sector passes under the head.
    pub first_sector_at: Nanos,
    /// The last sector has passed.
    pub done: Nanos,
}

/// What all drives of a pool share.
#[derive(Debug)]
pub struct Mechanics {
    /// Layout of the sectors.
    pub geometry: Geometry,
    seek: SeekCurve,
    head_switch: Nanos,
    /// Signed: two published drives write faster than they read.
    write_settle_ns: i64,
    /// Command processing before the mechanics start: reads, writes.
    pub overhead: [Nanos; 2],
    phase: PhasePlan,
}

impl Mechanics {
    /// Prepares the tables of a drive model.
    #[must_use]
    pub fn new(plan: &HddPlan) -> Arc<Self> {
        let geometry = Geometry::new(plan);
        let seek = SeekCurve::new(&plan.seek, geometry.cylinders());
        Arc::new(Self {
            geometry,
            seek,
            head_switch: nanos(plan.head_switch_s),
            write_settle_ns: (plan.write_settle_s * 1e9).round() as i64,
            overhead: [nanos(plan.read_overhead_s), nanos(plan.write_overhead_s)],
            phase: plan.phase,
        })
    }

    /// Time from one track to another; the larger of arm movement and head switch, writes settle.
    fn positioning(&self, cylinders: u32, head_changes: bool, write: bool) -> Nanos {
        let arm = self.seek.time(cylinders);
        let moved = if head_changes { arm.max(self.head_switch) } else { arm };
        if moved > 0 && write { moved.saturating_add_signed(self.write_settle_ns) } else { moved }
    }
}

/// One arm and spindle.
#[derive(Clone, Debug)]
pub struct Disk {
    model: Arc<Mechanics>,
    phase_ps: u64,
    at: Place,
}

impl Disk {
    /// A disk with its heads at cylinder 0, turned to its own phase.
    #[must_use]
    pub fn new(model: &Arc<Mechanics>, seed: u64, index: usize) -> Self {
        let revolution = model.geometry.revolution_ps;
        let phase_ps = match model.phase {
            PhasePlan::Zero => 0,
            PhasePlan::Random => Stream::new(seed, Room::SpindlePhase, index).below(revolution),
        };
        Self { model: Arc::clone(model), phase_ps, at: model.geometry.locate(0) }
    }

    /// The shared model.
    #[must_use]
    pub fn model(&self) -> &Mechanics {
        &self.model
    }

    /// Cylinder under the arm.
    #[must_use]
    pub fn cylinder(&self) -> u32 {
        self.at.cylinder
    }

    /// Rotation since the index mark at `now`.
    fn angle_ps(&self, now: Nanos) -> u64 {
        let revolution = self.model.geometry.revolution_ps;
        match now.checked_mul(1000).and_then(|ps| ps.checked_add(self.phase_ps)) {
            Some(ps) => ps % revolution,
            // Beyond 213 simulated days the product needs more than 64 bits.
            None => {
                let ps = u128::from(now) * 1000 + u128::from(self.phase_ps);
                (ps % u128::from(revolution)) as u64
            }
        }
    }

    /// Command, seek and first rotational wait of an operation whose command would come at `now`.
    #[must_use]
    pub fn positioning_time(&self, now: Nanos, lbn: u64, write: bool) -> Nanos {
        let to = self.model.geometry.locate(lbn);
        let moved = self.model.overhead[usize::from(write)] + self.seek_to(to, write, None);
        let wait = self.wait_ps(self.angle_ps(now + moved), self.model.geometry.angle_ps(to));
        moved + wait / 1000
    }

    /// A bound from below of [`Self::positioning_time`] for `lbn` and everything farther from the arm on
    /// that side, whatever its direction.
    #[must_use]
    pub fn positioning_at_least(&self, lbn: u64) -> Nanos {
        let cylinders = self.model.geometry.cylinder(lbn).abs_diff(self.at.cylinder);
        let settle = self.model.write_settle_ns.min(0);
        let overhead = self.model.overhead[0].min(self.model.overhead[1]);
        overhead + self.model.seek.at_least(cylinders).saturating_add_signed(settle)
    }

    fn seek_to(&self, to: Place, write: bool, via: Option<u32>) -> Nanos {
        let head_changes = to.head != self.at.head;
        match via {
            None => {
                let cylinders = to.cylinder.abs_diff(self.at.cylinder);
                self.model.positioning(cylinders, head_changes, write)
            }
            Some(edge) => {
                let there = self.model.seek.time(edge.abs_diff(self.at.cylinder));
                there + self.model.positioning(edge.abs_diff(to.cylinder), head_changes, write)
            }
        }
    }

    fn wait_ps(&self, from: u64, to: u64) -> u64 {
        if to >= from { to - from } else { to + self.model.geometry.revolution_ps - from }
    }

    /// Serves `sectors` from `lbn`: the arm starts at `now` (by way of cylinder `via`, where a SCAN turns
    /// at the edge) and the first sector passes no earlier than `data_at`. Moves the arm.
    ///
    /// Completion is truncated to whole nanoseconds, so that a request that follows sequentially without
    /// delay finds its first sector still ahead.
    pub fn access(
        &mut self,
        now: Nanos,
        lbn: u64,
        sectors: u64,
        write: bool,
        via: Option<u32>,
        data_at: Nanos,
    ) -> Access {
        let model = Arc::clone(&self.model);
        let geometry = &model.geometry;
        let mut place = geometry.locate(lbn);
        let mut cylinders = place.cylinder.abs_diff(self.at.cylinder);
        if let Some(edge) = via {
            cylinders = edge.abs_diff(self.at.cylinder) + edge.abs_diff(place.cylinder);
        }
        let first_seek = self.seek_to(place, write, via);
        let ready = (now + first_seek).max(data_at);
        let angle_at_ready = self.angle_ps(ready);
        let revolution = geometry.revolution_ps;

        let first_wait = self.wait_ps(angle_at_ready, geometry.angle_ps(place));
        let (mut elapsed, mut transfer, mut switches) = (first_wait, 0, 0);
        let mut left = sectors;
        loop {
            let spt = geometry.sectors_per_track(place);
            let run = left.min(spt - u64::from(place.sector));
            let run_ps = run * revolution / spt;
            elapsed += run_ps;
            transfer += run_ps;
            left -= run;
            if left == 0 {
                break;
            }
            let next = geometry.next_track(place);
            let crossing = next.cylinder.abs_diff(place.cylinder);
            let switch_ps = model.positioning(crossing, next.head != place.head, write) * 1000;
            let angle = (angle_at_ready + elapsed + switch_ps) % revolution;
            elapsed += switch_ps + self.wait_ps(angle, geometry.angle_ps(next));
            switches += switch_ps;
            place = next;
        }
        self.at = place;

        let done = ready + elapsed / 1000;
        let seek = first_seek + switches / 1000;
        let transfer = transfer / 1000;
        Access {
            seek,
            transfer,
            rotation: done - now - seek - transfer,
            cylinders,
            first_sector_at: ready + first_wait / 1000,
            done,
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::plan::{HddPowerPlan, SeekPoint, ZonePlan};

    /// 6,000 rpm (10 ms a turn), 2 heads, zones of 10 x 100 and 20 x 50 sectors, seek 1 ms + 0.1 ms a
    /// cylinder, head switch 0.5 ms.
    pub(crate) fn small_disk() -> HddPlan {
        let zone = |cylinders, sectors_per_track, skew| ZonePlan {
            cylinders,
            sectors_per_track,
            track_skew_sectors: skew,
            cylinder_skew_sectors: 2.0 * skew,
        };
        HddPlan {
            rpm: 6_000.0,
            sector_bytes: 512,
            surfaces: 2,
            zones: vec![zone(10, 100, 10.0), zone(20, 50, 5.0)],
            sectors: 4_000,
            seek: vec![
                SeekPoint { cylinders: 1, time_s: 1.1e-3 },
                SeekPoint { cylinders: 29, time_s: 3.9e-3 },
            ],
            head_switch_s: 0.5e-3,
            write_settle_s: 0.0,
            read_overhead_s: 0.0,
            write_overhead_s: 0.0,
            phase: PhasePlan::Zero,
            power: HddPowerPlan {
                active_w: 10.0,
                positioning_w: 9.0,
                idle_w: 5.0,
                standby_w: Some(1.0),
                spin_up_w: Some(20.0),
                spin_down_w: Some(2.0),
                spin_up_s: Some(10.0),
                spin_down_s: Some(4.0),
            },
        }
    }

    const MS: Nanos = 1_000_000;

    #[test]
    fn a_request_on_the_spot_waits_only_for_its_sector() {
        let mut disk = Disk::new(&Mechanics::new(&small_disk()), 1, 0);
        // Sector 30 of 100 passes at 3 ms; 10 sectors take 1 ms.
        let a = disk.access(0, 30, 10, false, None, 0);
        assert_eq!((a.seek, a.rotation, a.transfer, a.done), (0, 3 * MS, MS, 4 * MS));
        // Straight on: sector 40 is under the head now.
        let b = disk.access(4 * MS, 40, 10, false, None, 0);
        assert_eq!((b.rotation, b.done), (0, 5 * MS));
        // Back to sector 40: one turn less 10 sectors.
        let c = disk.access(5 * MS, 40, 10, false, None, 0);
        assert_eq!((c.rotation, c.done), (9 * MS, 15 * MS));
    }

    #[test]
    fn a_seek_takes_the_curve_then_waits_for_the_skewed_sector() {
        let mut disk = Disk::new(&Mechanics::new(&small_disk()), 1, 0);
        // Cylinder 5, head 0, sector 0: LBN 1,000; seek 1.5 ms; its index angle is 5 x 30 sectors = 15 ms
        // = 5 ms past the mark, so 3.5 ms to wait.
        let a = disk.access(0, 1_000, 100, false, None, 0);
        assert_eq!((a.cylinders, a.seek, a.rotation), (5, 1_500_000, 3_500_000));
        assert_eq!((a.transfer, a.done), (10 * MS, 15 * MS));
    }

    #[test]
    fn a_write_waits_for_its_data() {
        let mut disk = Disk::new(&Mechanics::new(&small_disk()), 1, 0);
        // Sector 30 passes at 3 ms, but the data comes at 3.2 ms: next at 13 ms.
        let a = disk.access(0, 30, 10, true, None, 3_200_000);
        assert_eq!((a.first_sector_at, a.done), (13 * MS, 14 * MS));
    }

    #[test]
    fn sequential_rate_loses_only_the_skew() {
        // V19: 10 tracks of 100 sectors in 10 x (1 turn) + 5 head switches (skew 0.1 turn each) + 4 cylinder
        // changes (0.2 turn): 100 + 5 + 8 ms. The zone has 2 heads, so tracks 1, 3, .. switch heads.
        let mut disk = Disk::new(&Mechanics::new(&small_disk()), 1, 0);
        let a = disk.access(0, 0, 1_000, false, None, 0);
        assert_eq!((a.transfer, a.done), (100 * MS, 113 * MS));
        // 0.5 ms of the skew switch heads, 1.1 ms moves the arm; the rest is rotation.
        assert_eq!(a.seek, 5 * 500_000 + 4 * 1_100_000);
    }

    #[test]
    fn an_elevator_that_turns_at_the_edge_pays_for_the_way() {
        let mut disk = Disk::new(&Mechanics::new(&small_disk()), 1, 0);
        let a = disk.access(0, 1_000, 1, false, Some(29), 0);
        // 29 cylinders out (3.9 ms) and 24 back (3.4 ms).
        assert_eq!((a.cylinders, a.seek), (53, 7_300_000));
    }
}
