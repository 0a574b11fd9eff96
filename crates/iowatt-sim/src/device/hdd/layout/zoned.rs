//! Zones of like cylinders (DiskSim's G1): mapping 0 to 2, spares, slips, remaps, skew.
//!
//! Every sparing scheme is one rule: a zone is cut into groups of `group_slots` usable among
//! `group_sectors` physical sectors. A slip takes one slot; LBNs after it move on by one, to the end of the
//! group or of the zone. Slips are kept as the LBN at which they take effect, so that a binary search
//! counts them.

use super::Run;
use crate::clock::Picos;
use crate::device::hdd::pitch::Pitch;
use crate::device::locator::Locator;
use crate::plan::{HddPlan, Mapping, Sparing, ZonePlan, ZonedPlan};

#[derive(Clone, Debug)]
struct Slip {
    /// The first LBN of the zone (reserved sectors counted) that lies beyond it.
    key: u64,
    /// Slips of its group up to this one.
    in_group: u64,
}

#[derive(Clone, Debug)]
struct Zone {
    first_lbn: u64,
    first_cylinder: u64,
    sectors_per_track: u64,
    pitch: Pitch,
    reserved: u64,
    group_slots: u64,
    group_sectors: u64,
    /// Spares lie before the data of a group.
    front: u64,
    first_ps: Picos,
    track_skew_ps: Picos,
    cylinder_step_ps: Picos,
    /// From the start of a cylinder's last track to that of the next cylinder's first.
    next_cylinder_ps: Picos,
    slips: Vec<Slip>,
    slip_locator: Locator,
    /// Raw positions of slips, where they also move the skew on.
    skew_slips: Vec<u64>,
    remaps: Vec<(u64, u64)>,
}

impl Zone {
    /// Slips that take effect at `key` or before.
    #[inline]
    fn slips_up_to(&self, key: u64) -> usize {
        self.slip_locator.count(key, |i| self.slips[i].key)
    }
}

/// Zoned layout.
#[derive(Clone, Debug)]
pub struct Zoned {
    zones: Vec<Zone>,
    /// First LBN of each zone.
    starts: Vec<u64>,
    locator: Locator,
    /// LBNs that the zones hold.
    capacity: u64,
    heads: u64,
    mapping: Mapping,
    sparing: Sparing,
    revolution_ps: Picos,
}

impl Zoned {
    /// Prepares the zones of `layout` from LBN 0.
    #[must_use]
    pub fn new(drive: &HddPlan, layout: &ZonedPlan, revolution_ps: Picos) -> Self {
        let heads = u64::from(drive.surfaces);
        let mut lbn = 0;
        let mut zones = Vec::with_capacity(layout.zones.len());
        for plan in &layout.zones {
            let (zone, lbns) = zone(plan, layout.sparing, heads, lbn, revolution_ps);
            lbn += lbns;
            zones.push(zone);
        }
        let starts: Vec<u64> = zones.iter().map(|z| z.first_lbn).collect();
        let locator = Locator::new(starts.iter().copied());
        let (mapping, sparing) = (layout.mapping, layout.sparing);
        Self { zones, starts, locator, capacity: lbn, heads, mapping, sparing, revolution_ps }
    }

    /// LBNs that the zones hold.
    #[must_use]
    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    /// The run that starts at `lbn`.
    #[must_use]
    pub fn run(&self, lbn: u64) -> Run {
        let index = self.locator.count(lbn, |i| self.starts[i]) - 1;
        let zone = &self.zones[index];
        let slot = lbn - zone.first_lbn + zone.reserved;
        let (sector, mut sectors) = self.physical(zone, slot);
        let mut even = sectors;

        let mut physical = sector;
        if !zone.remaps.is_empty() {
            let per = if self.sparing == Sparing::Tracks { zone.sectors_per_track } else { 1 };
            let unit = sector / per;
            let next = zone.remaps.partition_point(|r| r.0 < unit);
            match zone.remaps.get(next) {
                Some(&(from, to)) if from == unit => {
                    physical = to * per + sector % per;
                    sectors = sectors.min(per - sector % per);
                }
                Some(&(from, _)) => sectors = sectors.min(from * per - sector),
                None => {}
            }
            even = 0;
        }
        let spt = zone.sectors_per_track;
        let on_track = physical % spt;
        let track = physical / spt;
        let (cylinder, logical_head) = (track / self.heads, track % self.heads);
        sectors = sectors.min(spt - on_track);
        if let Some(&next) = self.starts.get(index + 1) {
            sectors = sectors.min(next - lbn);
            even = even.min(next - lbn);
        }

        let absolute = zone.first_cylinder + cylinder;
        let reversed = match self.mapping {
            Mapping::Normal => false,
            Mapping::SerpentineByZone => cylinder % 2 == 1,
            Mapping::SerpentineByDisk => absolute % 2 == 1,
        };
        let head = if reversed { self.heads - 1 - logical_head } else { logical_head };
        let mut angle_sectors = on_track;
        if !zone.skew_slips.is_empty() {
            let tracks = match self.sparing {
                Sparing::PerTrack => track,
                _ => cylinder * self.heads,
            };
            even = 0;
            angle_sectors += zone.skew_slips.partition_point(|&s| s < tracks * spt) as u64;
        }
        let angle_ps = (zone.first_ps
            + zone.track_skew_ps * logical_head
            + zone.cylinder_step_ps * cylinder
            + zone.pitch.pass(angle_sectors))
            % self.revolution_ps;
        Run {
            lbn,
            sectors: sectors.max(1),
            before: on_track.min(lbn - zone.first_lbn),
            cylinder: absolute as u32,
            head: head as u32,
            per_turn: spt,
            pitch: zone.pitch,
            angle_ps,
            zone: index as u32,
            even: if self.mapping == Mapping::Normal { even } else { 0 },
        }
    }

    /// The run that follows `run`.
    #[must_use]
    #[inline]
    pub fn following(&self, run: &Run) -> Run {
        let lbn = run.lbn + run.sectors;
        if run.even < run.sectors + run.per_turn {
            return self.run(lbn);
        }
        // The whole next track: only its skew is new.
        let zone = &self.zones[run.zone as usize];
        let last_head = u64::from(run.head) + 1 == self.heads;
        let (cylinder, head, skew_ps) = if last_head {
            (run.cylinder + 1, 0, zone.next_cylinder_ps)
        } else {
            (run.cylinder, run.head + 1, zone.track_skew_ps)
        };
        let turned = |angle| if angle >= self.revolution_ps { angle - self.revolution_ps } else { angle };
        let on_track = run.per_turn - run.sectors;
        let start_ps = turned(run.angle_ps + self.revolution_ps - run.pitch.pass(on_track));
        Run {
            lbn,
            sectors: run.per_turn,
            before: 0,
            cylinder,
            head,
            angle_ps: turned(start_ps + skew_ps),
            even: run.even - run.sectors,
            ..*run
        }
    }

    /// Physical sector of a slot, and how many slots follow it directly.
    #[inline]
    fn physical(&self, zone: &Zone, slot: u64) -> (u64, u64) {
        let to_end = matches!(self.sparing, Sparing::PerCylinder { to_end: true, .. });
        if self.sparing == Sparing::Tracks {
            let (track, rest) = (slot / zone.sectors_per_track, slot % zone.sectors_per_track);
            let count = zone.slips_up_to(track) as u64;
            return ((track + count) * zone.sectors_per_track + rest, zone.sectors_per_track - rest);
        }
        let count = zone.slips_up_to(slot);
        let until_slip = zone.slips.get(count).map_or(u64::MAX, |s| s.key - slot);
        if to_end {
            let moved = slot + count as u64;
            let (group, rest) = (moved / zone.group_slots, moved % zone.group_slots);
            let follow = until_slip.min(zone.group_slots - rest);
            return (group * zone.group_sectors + zone.front + rest, follow);
        }
        let (group, rest) = (slot / zone.group_slots, slot % zone.group_slots);
        let slips = match count.checked_sub(1).map(|last| &zone.slips[last]) {
            Some(slip) if slip.key >= group * zone.group_slots => slip.in_group,
            _ => 0,
        };
        let follow = until_slip.min(zone.group_slots - rest);
        (group * zone.group_sectors + zone.front + rest + slips, follow)
    }
}

fn zone(plan: &ZonePlan, sparing: Sparing, heads: u64, first_lbn: u64, turn: Picos) -> (Zone, u64) {
    let spt = u64::from(plan.sectors_per_track).max(1);
    let cylinders = u64::from(plan.cylinders);
    let per_cylinder = spt * heads;
    let all = per_cylinder * cylinders;
    let spares = plan.spares;
    let mut raw = plan.slips.clone();
    raw.sort_unstable();
    let (group_sectors, group_slots) = match sparing {
        Sparing::PerTrack => (spt, spt.saturating_sub(spares).max(1)),
        Sparing::PerCylinder { .. } => (per_cylinder, per_cylinder.saturating_sub(spares).max(1)),
        Sparing::PerRange(range) => {
            let sectors = per_cylinder * u64::from(range.max(1));
            (sectors, sectors.saturating_sub(spares).max(1))
        }
        _ => (all.max(1), all.max(1)),
    };
    let usable = match sparing {
        Sparing::None => all,
        Sparing::Tracks => all.saturating_sub(spares * spt),
        Sparing::PerZone => all.saturating_sub(spares),
        Sparing::AtEnd => all - (raw.len() as u64).min(all),
        _ => all.div_ceil(group_sectors) * group_slots,
    };
    let front = match sparing {
        Sparing::PerCylinder { front: true, .. } => spares,
        _ => 0,
    };
    let skew = |sectors: f64| (sectors * turn as f64 / spt as f64).round().rem_euclid(turn as f64) as u64;
    let track_skew_ps = skew(plan.track_skew_sectors);
    let skew_slips = match sparing {
        Sparing::PerTrack | Sparing::PerCylinder { .. } => raw.clone(),
        _ => Vec::new(),
    };
    let slips = slips(&raw, sparing, group_sectors, group_slots, front);
    let slip_locator = Locator::new(slips.iter().map(|s| s.key));
    let mut remaps: Vec<_> = plan.remaps.iter().copied().filter(|(from, to)| from != to).collect();
    remaps.sort_unstable();
    let zone = Zone {
        first_lbn,
        first_cylinder: u64::from(plan.first_cylinder),
        sectors_per_track: spt,
        pitch: Pitch::new(turn, spt),
        reserved: plan.reserved_sectors,
        group_slots,
        group_sectors,
        front,
        first_ps: skew(plan.first_sector_offset),
        track_skew_ps,
        cylinder_step_ps: (track_skew_ps * (heads - 1) + skew(plan.cylinder_skew_sectors)) % turn,
        next_cylinder_ps: skew(plan.cylinder_skew_sectors),
        slips,
        slip_locator,
        skew_slips,
        remaps,
    };
    (zone, usable.saturating_sub(plan.reserved_sectors))
}

/// Slips as keys in slot order; those in unused spares have no effect.
fn slips(raw: &[u64], sparing: Sparing, sectors: u64, slots: u64, front: u64) -> Vec<Slip> {
    let to_end = matches!(sparing, Sparing::PerCylinder { to_end: true, .. });
    let whole_zone = to_end || sparing == Sparing::Tracks;
    let mut result: Vec<Slip> = Vec::with_capacity(raw.len());
    let (mut group, mut in_group) = (u64::MAX, 0);
    for &at in raw {
        let (this, rest) = if sparing == Sparing::Tracks { (0, at) } else { (at / sectors, at % sectors) };
        if this != group && !whole_zone {
            (group, in_group) = (this, 0);
        }
        let Some(rest) = rest.checked_sub(front) else { continue };
        if sparing != Sparing::Tracks && rest - in_group.min(rest) >= slots {
            continue;
        }
        let slot = if sparing == Sparing::Tracks { at } else { this * slots + rest };
        result.push(Slip { key: slot.saturating_sub(in_group), in_group: in_group + 1 });
        in_group += 1;
    }
    result
}

#[cfg(test)]
mod tests {
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

    proptest! {
        /// What follows a run is what is found at its end, through every LBN of the disk and from anywhere in a track.
        #[test]
        fn the_following_run_is_the_one_that_is_found(
            sparing in 0usize..8, serpentine in any::<bool>(), surfaces in 1u32..4, from in 0u64..200,
            (skew, offset) in (0.0f64..45.0, 0.0f64..20.0),
            slips in prop::collection::vec(0u64..900, 0..4), remaps in prop::collection::vec((0u64..40, 40u64..60), 0..2),
        ) {
            let sparing = SPARINGS[sparing];
            let zone = |first_cylinder, sectors_per_track, slips, remaps| ZonePlan {
                first_cylinder,
                cylinders: 10,
                sectors_per_track,
                first_sector_offset: offset,
                track_skew_sectors: skew,
                cylinder_skew_sectors: 1.7 * skew,
                spares: 3,
                slips,
                remaps,
                ..ZonePlan::default()
            };
            let zones = vec![zone(0, 40, slips, vec![]), zone(10, 33, vec![], remaps), zone(20, 20, vec![], vec![])];
            let mapping = if serpentine { Mapping::SerpentineByZone } else { Mapping::Normal };
            let plan = HddPlan { surfaces, ..small_disk() };
            let layout = Zoned::new(&plan, &ZonedPlan { mapping, sparing, zones }, 10_000_000_007);
            let mut run = layout.run(from.min(layout.capacity() - 1));
            let mut evenly = 0;
            while run.lbn + run.sectors < layout.capacity() {
                evenly += u32::from(run.even >= run.sectors + run.per_turn);
                let next = layout.following(&run);
                prop_assert_eq!(next, layout.run(run.lbn + run.sectors));
                run = next;
            }
            if sparing == Sparing::None && !serpentine {
                prop_assert!(evenly > 0, "never without a search");
            }
        }
    }
}
