//! Worked examples of a disk without buffer: where the platter stands decides.

use super::{Access, Disk, Line, Model};
use crate::bus::Bus;
use crate::clock::Nanos;
use crate::plan::{
    BufferPlan, BusPlan, DriveControllerPlan, HddPlan, HddPowerPlan, LayoutPlan, PhasePlan, ReadAhead,
    SeekPlan, ZonePlan, ZonedPlan,
};
use crate::power::Window;
use iowatt_power::Levels;
use proptest::prelude::*;

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
        actuators: 1,
        shingled: None,
        phase: PhasePlan::Zero,
        power: HddPowerPlan {
            active_w: 10.0,
            positioning_w: 9.0,
            levels: Levels { idle_w: 5.0, below: vec![] },
            states: vec![],
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
    let mut plan = ahead();
    plan.controller.read_hit_s = [0.1e-3; 2];
    let mut disk = Disk::new(&Model::new(&plan), 1, 0, 0);
    // Sectors 0 to 9 in 1 ms; the head reads on. At 5 ms it has passed sector 49.
    assert_eq!(serve(&mut disk, 0, 0, 10, false).done, MS);
    let hit = serve(&mut disk, 5 * MS, 20, 10, false);
    assert_eq!((hit.hit, hit.done), (super::Hit::Full, 5 * MS + 100_000));
    // The segment holds 64 sectors beyond what was asked for; the media were busy until then.
    assert!(disk.background(100 * MS).1 > 5 * MS);
    assert!(disk.background(100 * MS).1 < 11 * MS);
}

/// When the last of `count` reads, each issued as the one before completes, is done.
fn stream(plan: &HddPlan, sectors: u64, count: u64) -> Nanos {
    let mut disk = Disk::new(&Model::new(plan), 1, 0, 0);
    (0..count).fold(0, |now, i| serve(&mut disk, now, i * sectors, sectors, false).done)
}

proptest! {
    /// A read-ahead loses no turn to a host that follows it, whatever the speed of rotation makes of a sector in
    /// nanoseconds: all arrives at the pace of the media. A faster bus never makes it later.
    #[test]
    fn a_stream_keeps_the_pace_of_the_media(
        rpm in 3_600.0f64..15_000.0, sectors in 1u64..40, almost in any::<bool>(), bus in [0.0f64..0.9, 0.0f64..0.9],
    ) {
        let mut plan = ahead();
        plan.rpm = rpm;
        plan.buffer.almost_hits = almost;
        let count = 1_500 / sectors;
        let whole = {
            let mut disk = Disk::new(&Model::new(&plan), 1, 0, 0);
            serve(&mut disk, 0, 0, sectors * count, false).done
        };
        let pass = 60.0 / rpm / 100.0;
        let mut at_bus = |share: f64| {
            plan.controller.sector_s = [share * pass; 2];
            stream(&plan, sectors, count)
        };
        prop_assert_eq!(at_bus(0.0), whole);
        let (fast, slow) = (at_bus(bus[0].min(bus[1])), at_bus(bus[0].max(bus[1])));
        prop_assert!(whole <= fast && fast <= slow);
        // The last request's way over the bus, and a nanosecond of rounding.
        let last = (sectors as f64 * 0.9 * pass * 1e9) as Nanos + 1;
        prop_assert!(slow <= whole + last, "{slow} {whole} {last}");
    }
}

#[test]
fn a_read_joins_a_read_ahead_that_has_delivered_nothing_of_it() {
    let mut plan = ahead();
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

/// A buffer of 64-sector segments that reads ahead.
fn ahead() -> HddPlan {
    let mut plan = small_disk();
    plan.buffer = BufferPlan {
        segments: 2,
        segment_sectors: 64,
        caching: true,
        read_ahead: ReadAhead::Segment,
        partial_hit_at_once: true,
        ..BufferPlan::default()
    };
    plan
}

#[test]
fn read_ahead_comes_as_far_as_it_must() {
    let plan = |min_read_ahead| {
        let mut plan = ahead();
        plan.buffer.min_read_ahead = min_read_ahead;
        plan
    };
    // After sectors 0 to 9 (1 ms) comes a read of cylinder 5, seek 1.5 ms, whose first sector passes 5 ms after the mark.
    let after = |min: u64, at: Nanos| {
        let mut disk = Disk::new(&Model::new(&plan(min)), 1, 0, 0);
        serve(&mut disk, 0, 0, 10, false);
        serve(&mut disk, at, 1_000, 10, false)
    };
    // Stopped at once the arm is there at 2.6 ms; after 20 more sectors (at 3 ms) at 4.5 ms; after 40 (5 ms), too late
    // for this turn.
    assert_eq!(after(0, MS).done, 6 * MS);
    let twenty = after(20, MS);
    assert_eq!((twenty.overhead, twenty.seek, twenty.done), (2 * MS + 1, 1_500_000, 6 * MS));
    assert_eq!(after(40, MS).done, 16 * MS);
    // Having come that far it is stopped as ever.
    assert_eq!(after(20, 4 * MS), after(0, 4 * MS));
    // No farther than the segment goes: 64 sectors after the request, 7.4 ms.
    assert_eq!(after(1_000, MS).overhead, 6_400_000 + 1);
}

#[test]
fn the_start_of_a_partial_hit_is_sent_at_once_or_as_a_miss() {
    let done = |at_once: bool, watermark: f64| {
        let mut plan = ahead();
        plan.buffer.partial_hit_at_once = at_once;
        plan.controller.sector_s = [0.2e-3; 2];
        plan.controller.read_hit_s = [0.1e-3; 2];
        (plan.controller.read_watermark, plan.controller.watermark_by_request) = (watermark, true);
        let mut disk = Disk::new(&Model::new(&plan), 1, 0, 0);
        serve(&mut disk, 0, 0, 10, false);
        // At 5 ms sectors up to 49 are there: 10 of the 20 that are asked for; the rest by 6 ms. The bus takes 4 ms.
        serve(&mut disk, 5 * MS, 40, 20, false).done
    };
    assert_eq!(done(true, 1.0), 5 * MS + 100_000 + 4 * MS);
    assert_eq!(done(false, 0.5), done(true, 1.0), "the watermark is reached");
    assert_eq!(done(false, 1.0), 10 * MS, "when the last sector has come");
}

#[test]
fn a_drive_that_holds_the_bus_waits_for_the_media_on_it() {
    let busy = |set: fn(&mut DriveControllerPlan)| {
        let mut plan = small_disk();
        plan.buffer = BufferPlan { segments: 1, segment_sectors: 20, ..BufferPlan::default() };
        set(&mut plan.controller);
        // A sector takes 0.01 ms on the bus, 0.1 ms under the head.
        let mut bus = Bus::new(&BusPlan { bandwidth_bytes_per_s: 51.2e6, arbitration_s: 0.0 });
        let mut disk = Disk::new(&Model::new(&plan), 1, 0, bus.transfer_ps(512));
        let window = Window { start: 0, end: Nanos::MAX };
        let mut times = Vec::new();
        // Reads 50 sectors from 3 ms on, then writes 50 over the index mark, of which 20 fit into the buffer.
        for (now, lbn, write) in [(0, 30, false), (20 * MS, 30, true)] {
            let before = bus.busy;
            let mut line = Line { shared: Some((&mut bus, &window)), now };
            let access = disk.serve(now, lbn, 50, write, &mut line);
            times.push((access.done - now, bus.busy - before));
        }
        times
    };
    // Media until 8 ms; the last sector takes 0.01 ms more.
    let (read, write) = (8_010_000, 8 * MS);
    assert_eq!(busy(|_| ()), [(read, 500_000), (write, 500_000)]);
    // Held from the first sector, at 3.1 ms, to the last.
    assert_eq!(busy(|c| c.hold_bus[0] = true), [(read, 4_910_000), (write, 500_000)]);
    // Held from the command until the media have made room: 30 sectors by 6 ms, and one more transfer.
    assert_eq!(busy(|c| c.hold_bus[1] = true), [(read, 500_000), (write, 6_010_000)]);
    assert_eq!(busy(|c| c.never_disconnect = true), [(read, 4_910_000), (write, 6_010_000)]);
}

#[test]
fn a_fast_write_larger_than_the_segment_waits_for_room() {
    let mut plan = ahead();
    plan.buffer.fast_write = 2;
    plan.controller.sector_s = [0.01e-3; 2];
    let done = |sectors| {
        let mut disk = Disk::new(&Model::new(&plan), 1, 0, 0);
        serve(&mut disk, 0, 30, sectors, true).done
    };
    assert_eq!(done(64), 640_000);
    // Sectors 30 to 65 pass from 3 to 6.6 ms; then the last one has room.
    assert_eq!(done(100), 6_610_000);
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
    assert_eq!((a.done, disk.background(MS).0), (200_000, Some((3 * MS, 4 * MS))));
    // A read elsewhere waits until the media are free.
    let b = serve(&mut disk, MS, 60, 10, false);
    assert_eq!(b.done, 7 * MS);
}

#[test]
fn data_that_come_turns_late_are_written_from_their_start() {
    let done = |arriving| {
        let mut plan = small_disk();
        plan.buffer.zero_latency = [false, arriving];
        // A sector takes two and a half turns on its way to the drive.
        plan.controller.sector_s = [25e-3; 2];
        let mut disk = Disk::new(&Model::new(&plan), 1, 0, 0);
        let access = serve(&mut disk, 0, 30, 2, true);
        (access.rotation, access.transfer, access.done)
    };
    assert_eq!(done(true), done(false));
    assert!(done(true).2 > 50 * MS, "{:?}", done(true));
}
