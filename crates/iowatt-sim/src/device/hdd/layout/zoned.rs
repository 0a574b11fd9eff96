//! Zones of like cylinders (DiskSim's G1): mapping 0 to 2, spares, slips, remaps, skew.
//!
//! One search finds the stretch of an LBN, and arithmetic does the rest: sector, track and cylinder follow from each other
//! by division, the angle from all of them.

use super::Run;
use super::stretches::{Groups, Spared, Stretch};
use crate::clock::Picos;
use crate::device::hdd::pitch::Pitch;
use crate::divisor::Divisor;
use crate::plan::{HddPlan, Mapping, Sparing, ZonePlan, ZonedPlan};
use iowatt_volume::log::locator::Locator;
use std::hint::select_unpredictable;

#[derive(Clone, Debug)]
struct Zone {
    sectors_per_track: Divisor,
    pitch: Pitch,
    first_lbn: u64,
    first_ps: Picos,
    track_skew_ps: Picos,
    cylinder_step_ps: Picos,
    /// From the start of a cylinder's last track to that of the next cylinder's first.
    next_cylinder_ps: Picos,
    first_cylinder: u32,
    /// 1 where the heads of every other cylinder take their turns in reverse order.
    serpentine: u32,
    /// A cylinder whose heads do not; the lowest bit of the others differs.
    forward: u32,
}

impl Zone {
    /// The head of a cylinder's track number `track`, and the reverse.
    #[inline]
    fn head(&self, heads: u32, cylinder: u32, track: u32) -> u32 {
        let reversed = (cylinder ^ self.forward) & self.serpentine == 1;
        select_unpredictable(reversed, heads - 1 - track, track)
    }
}

/// Slips that also move the skew of the tracks after them.
#[derive(Clone, Debug)]
struct SkewSlips {
    sectors: Vec<u64>,
    /// Of a track or a cylinder, at the start of which they are counted.
    unit: Divisor,
}

impl SkewSlips {
    /// How many lie before the unit of `sector`.
    fn before(&self, sector: u64) -> u64 {
        let start = self.unit.quotient(sector) * self.unit.value();
        self.sectors.partition_point(|&slip| slip < start) as u64
    }
}

/// Zoned layout.
#[derive(Clone, Debug)]
pub struct Zoned {
    /// In order of their LBNs; the last one is beyond all of them.
    stretches: Vec<Stretch>,
    locator: Locator,
    zones: Vec<Zone>,
    /// By zone, where there are any at all.
    groups: Vec<Groups>,
    skew_slips: Vec<SkewSlips>,
    /// LBNs that the zones hold.
    capacity: u64,
    heads: Divisor,
    turn: Divisor,
}

impl Zoned {
    /// Prepares the zones of `layout` from LBN 0.
    #[must_use]
    pub fn new(drive: &HddPlan, layout: &ZonedPlan, revolution_ps: Picos) -> Self {
        let heads = u64::from(drive.surfaces);
        let (mut capacity, mut stretches, mut skew_slips) = (0, Vec::new(), Vec::new());
        let (mut zones, mut groups) = (Vec::new(), Vec::new());
        for (number, plan) in (0..).zip(&layout.zones) {
            let spared = Spared::new(plan, layout.sparing, heads);
            stretches.extend(spared.stretches(number, capacity));
            zones.push(zone(plan, layout.mapping, heads, capacity, revolution_ps));
            capacity += spared.lbns();
            stretches.retain(|s: &Stretch| s.lbn < capacity);
            groups.push(spared.groups);
            let spt = u64::from(plan.sectors_per_track).max(1);
            let unit = if layout.sparing == Sparing::PerTrack { spt } else { spt * heads };
            skew_slips.push(SkewSlips { sectors: spared.slips, unit: Divisor::new(unit) });
        }
        if !matches!(layout.sparing, Sparing::PerTrack | Sparing::PerCylinder { .. })
            || skew_slips.iter().all(|slips| slips.sectors.is_empty())
        {
            skew_slips.clear();
        }
        let beyond = stretches.last().map_or(0, |last| last.zone);
        stretches.push(Stretch { lbn: u64::MAX, sector: 0, zone: beyond, grouped: false });
        let inner = stretches.get(1..stretches.len() - 1).unwrap_or_default();
        let locator = Locator::new(inner.iter().map(|s| s.lbn));
        let (heads, turn) = (Divisor::new(heads), Divisor::new(revolution_ps));
        Self { stretches, locator, zones, groups, skew_slips, capacity, heads, turn }
    }

    /// LBNs that the zones hold.
    #[must_use]
    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    /// The run that starts at `lbn`.
    #[must_use]
    pub fn run(&self, lbn: u64) -> Run {
        let index = self.locator.count(lbn, |i| self.stretches[i + 1].lbn);
        let stretch = &self.stretches[index];
        let mut sector = stretch.sector + (lbn - stretch.lbn);
        let mut even = self.stretches[index + 1].lbn - lbn;
        if stretch.grouped {
            let (spread, left) = self.groups[stretch.zone as usize].spread(sector);
            (sector, even) = (spread, even.min(left));
        }

        let zone = &self.zones[stretch.zone as usize];
        let (track, on_track) = zone.sectors_per_track.divide(sector);
        let (cylinder, track) = self.heads.divide(track);
        let sectors = even.min(zone.sectors_per_track.value() - on_track);
        let mut angle_sectors = on_track;
        if let Some(slips) = self.skew_slips.get(stretch.zone as usize).filter(|s| !s.sectors.is_empty()) {
            even = 0;
            angle_sectors += slips.before(sector);
        }
        let angle_ps = zone.first_ps
            + zone.track_skew_ps * track
            + zone.cylinder_step_ps * cylinder
            + zone.pitch.pass(angle_sectors);
        let absolute = zone.first_cylinder + cylinder as u32;
        Run {
            lbn,
            sectors,
            before: on_track.min(lbn - zone.first_lbn) as u32,
            cylinder: absolute,
            head: zone.head(self.heads.value() as u32, absolute, track as u32),
            per_turn: zone.sectors_per_track.value() as u32,
            pitch: zone.pitch,
            angle_ps: self.turn.remainder(angle_ps),
            zone: stretch.zone,
            even: even.min(u64::from(u32::MAX)) as u32,
        }
    }

    /// The run that follows `run`.
    #[must_use]
    #[inline]
    pub fn following(&self, run: &Run) -> Run {
        let per_turn = u64::from(run.per_turn);
        if u64::from(run.even) < run.sectors + per_turn {
            return self.run(run.lbn + run.sectors);
        }
        // The whole next track: only its skew is new.
        let (zone, heads) = (&self.zones[run.zone as usize], self.heads.value() as u32);
        let track = zone.head(heads, run.cylinder, run.head) + 1;
        let (cylinder, track, skew_ps) = if track == heads {
            (run.cylinder + 1, 0, zone.next_cylinder_ps)
        } else {
            (run.cylinder, track, zone.track_skew_ps)
        };
        let turn = self.turn.value();
        let turned = |angle| if angle >= turn { angle - turn } else { angle };
        let start_ps = turned(run.angle_ps + turn - run.pitch.pass(per_turn - run.sectors));
        Run {
            lbn: run.lbn + run.sectors,
            sectors: per_turn,
            before: 0,
            cylinder,
            head: zone.head(heads, cylinder, track),
            angle_ps: turned(start_ps + skew_ps),
            even: run.even - run.sectors as u32,
            ..*run
        }
    }
}

/// The zone of `plan`, whose LBNs begin at `first_lbn`.
fn zone(plan: &ZonePlan, mapping: Mapping, heads: u64, first_lbn: u64, turn: Picos) -> Zone {
    let spt = u64::from(plan.sectors_per_track).max(1);
    let skew = |sectors: f64| (sectors * turn as f64 / spt as f64).round().rem_euclid(turn as f64) as u64;
    let track_skew_ps = skew(plan.track_skew_sectors);
    let next_cylinder_ps = skew(plan.cylinder_skew_sectors);
    Zone {
        sectors_per_track: Divisor::new(spt),
        pitch: Pitch::new(turn, spt),
        first_lbn,
        first_ps: skew(plan.first_sector_offset),
        track_skew_ps,
        cylinder_step_ps: (track_skew_ps * (heads - 1) + next_cylinder_ps) % turn,
        next_cylinder_ps,
        first_cylinder: plan.first_cylinder,
        serpentine: u32::from(mapping != Mapping::Normal),
        forward: if mapping == Mapping::SerpentineByZone { plan.first_cylinder } else { 0 },
    }
}

#[cfg(test)]
mod tests {
    use super::super::plain;
    use super::*;
    use crate::device::hdd::tests::small_disk;
    use proptest::prelude::*;

    const SPARINGS: [Sparing; 8] = [
        Sparing::None,
        Sparing::Tracks,
        Sparing::PerTrack,
        Sparing::PerCylinder { front: true, to_end: false },
        Sparing::PerCylinder { front: false, to_end: true },
        Sparing::PerRange(3),
        Sparing::PerZone,
        Sparing::AtEnd,
    ];

    const MAPPINGS: [Mapping; 3] = [Mapping::Normal, Mapping::SerpentineByZone, Mapping::SerpentineByDisk];

    proptest! {
        /// Every LBN is where the plain rules have it, and what follows a run is what is found at its end, from anywhere in a track.
        #[test]
        fn runs_are_those_of_the_plain_rules(
            sparing in 0usize..8, mapping in 0usize..3, surfaces in 1u32..4, from in 0u64..200,
            (skew, offset) in (0.0f64..45.0, 0.0f64..20.0), reserved in 0u64..90, first_cylinder in 0u32..3,
            slips in [prop::collection::btree_set(0u64..900, 0..9), prop::collection::btree_set(0u64..400, 0..3)],
            remaps in [prop::collection::btree_map(0u64..700, 0u64..700, 0..4), prop::collection::btree_map(0u64..40, 40u64..60, 0..2)],
        ) {
            let (sparing, mapping) = (SPARINGS[sparing], MAPPINGS[mapping]);
            let zone = |cylinders, sectors_per_track, reserved_sectors, part: Option<usize>| ZonePlan {
                cylinders,
                sectors_per_track,
                reserved_sectors,
                first_sector_offset: offset,
                track_skew_sectors: skew,
                cylinder_skew_sectors: 1.7 * skew,
                spares: 3,
                slips: part.map_or(vec![], |i| slips[i].iter().copied().collect()),
                remaps: part.map_or(vec![], |i| remaps[i].iter().map(|(&from, &to)| (from, to)).collect()),
                ..ZonePlan::default()
            };
            let mut zones = vec![zone(10, 40, reserved, Some(0)), zone(10, 33, 0, None), zone(9, 20, 5, Some(1))];
            let mut next = first_cylinder;
            for zone in &mut zones {
                zone.first_cylinder = next;
                next += zone.cylinders;
            }
            let plan = HddPlan { surfaces, ..small_disk() };
            let (layout, turn) = (ZonedPlan { mapping, sparing, zones }, 10_000_000_007);
            let (zoned, plain) = (Zoned::new(&plan, &layout, turn), plain::Zoned::new(&plan, &layout, turn));
            prop_assert_eq!(zoned.capacity(), plain.capacity());
            for lbn in 0..zoned.capacity() {
                let run = zoned.run(lbn);
                let sectors = run.sectors.min(zoned.capacity() - lbn);
                prop_assert_eq!(Run { sectors, zone: 0, even: 0, ..run }, plain.run(lbn));
            }
            let mut run = zoned.run(from.min(zoned.capacity() - 1));
            let mut evenly = 0;
            while run.lbn + run.sectors < zoned.capacity() {
                evenly += u32::from(u64::from(run.even) >= run.sectors + u64::from(run.per_turn));
                let next = zoned.following(&run);
                let found = zoned.run(run.lbn + run.sectors);
                prop_assert_eq!(Run { even: found.even, ..next }, found);
                prop_assert!(next.even <= found.even);
                run = next;
            }
            if sparing == Sparing::None && slips.iter().all(|s| s.is_empty()) && remaps.iter().all(|r| r.is_empty()) {
                prop_assert!(evenly > 0, "never without a search");
            }
        }
    }
}
