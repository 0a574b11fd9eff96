//! The same rules as in `zoned`, one after the other for every LBN: what its tables are checked against.
//!
//! Slips are kept as the LBN at which they take effect, so that a binary search counts them.

use super::Run;
use crate::clock::Picos;
use crate::device::hdd::pitch::Pitch;
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
    slips: Vec<Slip>,
    /// Raw positions of slips, where they also move the skew on.
    skew_slips: Vec<u64>,
    remaps: Vec<(u64, u64)>,
}

impl Zone {
    /// Slips that take effect at `key` or before.
    #[inline]
    fn slips_up_to(&self, key: u64) -> usize {
        self.slips.partition_point(|slip| slip.key <= key)
    }
}

/// Zoned layout.
#[derive(Clone, Debug)]
pub struct Zoned {
    zones: Vec<Zone>,
    /// First LBN of each zone, and the first beyond all.
    starts: Vec<u64>,
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
        let starts: Vec<u64> = zones.iter().map(|z| z.first_lbn).chain([lbn]).collect();
        let (mapping, sparing) = (layout.mapping, layout.sparing);
        Self { zones, starts, capacity: lbn, heads, mapping, sparing, revolution_ps }
    }

    /// LBNs that the zones hold.
    #[must_use]
    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    /// The run that starts at `lbn`.
    #[must_use]
    pub fn run(&self, lbn: u64) -> Run {
        let index = self.starts.partition_point(|&start| start <= lbn) - 1;
        let zone = &self.zones[index];
        let slot = lbn - zone.first_lbn + zone.reserved;
        let (sector, mut sectors) = self.physical(zone, slot);

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
        }
        let spt = zone.sectors_per_track;
        let on_track = physical % spt;
        let track = physical / spt;
        let (cylinder, logical_head) = (track / self.heads, track % self.heads);
        sectors = sectors.min(spt - on_track);
        if let Some(&next) = self.starts.get(index + 1) {
            sectors = sectors.min(next - lbn);
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
            before: on_track.min(lbn - zone.first_lbn) as u32,
            cylinder: absolute as u32,
            head: head as u32,
            per_turn: spt as u32,
            pitch: zone.pitch,
            angle_ps,
            zone: 0,
            even: 0,
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
        slips,
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
        let before = result.last().map_or(0, |slip| slip.key);
        result.push(Slip { key: slot.saturating_sub(in_group).max(before), in_group: in_group + 1 });
        in_group += 1;
    }
    result
}
