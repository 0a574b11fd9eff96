//! Worked examples of a disk without buffer: where the platter stands decides.

use super::{Access, Disk, Line, Model};
use crate::clock::Nanos;
use crate::plan::{
    BufferPlan, DriveControllerPlan, HddPlan, HddPowerPlan, LayoutPlan, PhasePlan, SeekPlan, ZonePlan,
    ZonedPlan,
};

/// 6,000 rpm (10 ms a turn), 2 heads, zones of 10 x 100 and 20 x 50 sectors, seek 1 ms + 0.1 ms a cylinder, head switch
/// 0.5 ms.
pub(crate) fn small_disk() -> HddPlan {
    let zone = |first_cylinder, cylinders, sectors_per_track, skew| ZonePlan {
        first_cylinder,
        cylinders,
        sectors_per_track,
        track_skew_sectors: skew,
        cylinder_skew_sectors: 2.0 * skew,
        ..ZonePlan::default()
    };
    let zones = vec![zone(0, 10, 100, 10.0), zone(10, 20, 50, 5.0)];
    HddPlan {
        rpm: 6_000.0,
        sector_bytes: 512,
        surfaces: 2,
        cylinders: 30,
        layout: LayoutPlan::Zoned(ZonedPlan { zones, ..ZonedPlan::default() }),
        sectors: 4_000,
        seek: SeekPlan::Points(vec![(1, 1.1e-3, 1.1e-3), (29, 3.9e-3, 3.9e-3)]),
        head_switch_s: 0.5e-3,
        write_settle_s: 0.0,
        controller: DriveControllerPlan::default(),
        buffer: BufferPlan::default(),
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

fn disk() -> Disk {
    Disk::new(&Model::new(&small_disk()), 1, 0, 0)
}

fn serve(disk: &mut Disk, now: Nanos, lbn: u64, sectors: u64, write: bool) -> Access {
    disk.serve(now, lbn, sectors, write, &mut Line { shared: None, now })
}

#[test]
fn a_request_on_the_spot_waits_only_for_its_sector() {
    let mut disk = disk();
    // Sector 30 of 100 passes at 3 ms; 10 sectors take 1 ms.
    let a = serve(&mut disk, 0, 30, 10, false);
    assert_eq!((a.seek, a.rotation, a.transfer, a.done), (0, 3 * MS, MS, 4 * MS));
    // Straight on: sector 40 is under the head now.
    let b = serve(&mut disk, 4 * MS, 40, 10, false);
    assert_eq!((b.rotation, b.done), (0, 5 * MS));
    // Back to sector 40: one turn less 10 sectors.
    let c = serve(&mut disk, 5 * MS, 40, 10, false);
    assert_eq!((c.rotation, c.done), (9 * MS, 15 * MS));
}

#[test]
fn a_seek_takes_the_curve_then_waits_for_the_skewed_sector() {
    let mut disk = disk();
    // Cylinder 5, head 0, sector 0: LBN 1,000; seek 1.5 ms; its index angle is 5 x 30 sectors = 15 ms = 5 ms past the
    // mark, so 3.5 ms to wait.
    let a = serve(&mut disk, 0, 1_000, 100, false);
    assert_eq!((a.cylinders, a.seek, a.rotation), (5, 1_500_000, 3_500_000));
    assert_eq!((a.transfer, a.done), (10 * MS, 15 * MS));
}

#[test]
fn sequential_rate_loses_only_the_skew() {
    // V19: 10 tracks of 100 sectors in 10 turns + 5 head switches (skew 0.1 turn each) + 4 cylinder changes (0.1 + 0.2
    // turn, the first part shared with the head switch back): 100 + 5 + 8 ms as in the layout's formula.
    let mut disk = disk();
    let a = serve(&mut disk, 0, 0, 1_000, false);
    assert_eq!((a.transfer, a.done), (100 * MS, 113 * MS));
    // 0.5 ms of the skew switch heads, 1.1 ms moves the arm; the rest is rotation.
    assert_eq!(a.seek, 5 * 500_000 + 4 * 1_100_000);
}

#[test]
fn a_sweep_to_the_edge_takes_its_seek() {
    let mut disk = disk();
    assert_eq!(disk.sweep_to(0, 29), 3_900_000);
    assert_eq!(disk.cylinder(), 29);
}

#[test]
fn a_buffered_read_ahead_serves_what_follows() {
    let mut plan = small_disk();
    plan.buffer = BufferPlan {
        segments: 2,
        segment_sectors: 64,
        caching: true,
        read_ahead: crate::plan::ReadAhead::Segment,
        ..BufferPlan::default()
    };
    plan.controller.read_hit_s = [0.1e-3; 2];
    let mut disk = Disk::new(&Model::new(&plan), 1, 0, 0);
    // Sectors 0 to 9 in 1 ms; the head reads on. At 5 ms it has passed sector 49.
    assert_eq!(serve(&mut disk, 0, 0, 10, false).done, MS);
    let hit = serve(&mut disk, 5 * MS, 20, 10, false);
    assert_eq!((hit.hit, hit.done), (super::Hit::Full, 5 * MS + 100_000));
    // The segment holds 64 sectors beyond what was asked for; the media were busy until then.
    assert!(disk.reading_ahead_until(100 * MS) > 5 * MS);
    assert!(disk.reading_ahead_until(100 * MS) < 11 * MS);
}

#[test]
fn a_read_joins_a_read_ahead_that_has_delivered_nothing_of_it() {
    let mut plan = small_disk();
    plan.buffer = BufferPlan {
        segments: 2,
        segment_sectors: 64,
        caching: true,
        read_ahead: crate::plan::ReadAhead::Segment,
        ..BufferPlan::default()
    };
    (plan.controller.read_hit_s, plan.controller.read_miss_s) = ([0.1e-3; 2], [0.3e-3; 2]);
    for (almost, hit) in [(false, super::Hit::Miss), (true, super::Hit::Partial)] {
        plan.buffer.almost_hits = almost;
        let mut disk = Disk::new(&Model::new(&plan), 1, 0, 0);
        // Command 0.3 ms; sectors 80 to 89 pass from 8 to 9 ms. The next ten come in the very instant.
        assert_eq!(serve(&mut disk, 0, 80, 10, false).done, 9 * MS);
        let b = serve(&mut disk, 9 * MS, 90, 10, false);
        assert_eq!((b.hit, b.rotation, b.done), (hit, 0, 10 * MS));
        // Over the end of the track: the head switch and the skew, 1 ms together, and no turn.
        let c = serve(&mut disk, 10 * MS, 100, 10, false);
        assert_eq!((c.hit, c.done), (hit, 12 * MS));
        // A single sector takes 0.1 ms to pass: the command of a miss is longer, that of a hit is not.
        let d = serve(&mut disk, 12 * MS, 110, 1, false);
        assert_eq!((d.hit, d.done), (hit, 12 * MS + if almost { 100_000 } else { 300_000 }));
    }
}

#[test]
fn a_fast_write_is_done_before_its_media() {
    let mut plan = small_disk();
    plan.buffer = BufferPlan {
        segments: 2,
        segment_sectors: 64,
        write_segments: 1,
        caching: true,
        fast_write: 2,
        ..BufferPlan::default()
    };
    plan.controller.write_hit_s = [0.2e-3; 2];
    let mut disk = Disk::new(&Model::new(&plan), 1, 0, 0);
    let a = serve(&mut disk, 0, 30, 10, true);
    // The host waits for the command only; sectors 30 to 39 pass from 3 to 4 ms.
    assert_eq!((a.done, a.background), (200_000, Some((3 * MS, 4 * MS))));
    // A read elsewhere waits until the media are free.
    let b = serve(&mut disk, MS, 60, 10, false);
    assert_eq!(b.done, 7 * MS);
}
