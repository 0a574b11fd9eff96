//! Spares, slips and remaps of a zone, spread out once into stretches of LBNs whose sectors follow one another.
//!
//! Every sparing scheme is one rule: a zone is cut into groups of `slots` usable among `sectors` physical sectors. A slip
//! takes one slot; LBNs after it move on by one, to the end of the group or of the zone. A remap sends a sector elsewhere.
//! Each of them begins a stretch. Groups do not, as there may be one a track: stretches that run through several are
//! spread over them by arithmetic.

use crate::divisor::Divisor;
use crate::plan::{Sparing, ZonePlan};

/// LBNs up to the next stretch, one sector each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    pub(super) lbn: u64,
    /// Sector of the zone that holds the first one; where the stretch runs through groups, counted without their spares.
    pub(super) sector: u64,
    pub(super) zone: u32,
    /// It runs through groups.
    pub(super) grouped: bool,
}

/// Groups of sectors with spares of their own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Groups {
    slots: Divisor,
    sectors: u64,
    /// Spares that lie before the data of a group.
    front: u64,
}

impl Groups {
    /// Where the usable sector `slot` is, and how many usable ones follow in its group, itself included.
    #[inline]
    pub(super) fn spread(&self, slot: u64) -> (u64, u64) {
        let (group, rest) = self.slots.divide(slot);
        (group * self.sectors + self.front + rest, self.slots.value() - rest)
    }

    /// The usable sectors at `sector` or behind it, counted from the front of the zone.
    fn usable_before(&self, sector: u64) -> u64 {
        let (group, rest) = (sector / self.sectors, sector % self.sectors);
        group * self.slots.value() + rest.saturating_sub(self.front).min(self.slots.value())
    }
}

/// A zone's plan with what its spares come to.
pub(super) struct Spared<'a> {
    plan: &'a ZonePlan,
    sparing: Sparing,
    sectors_per_track: u64,
    /// Slipped sectors or tracks in ascending order.
    pub(super) slips: Vec<u64>,
    pub(super) groups: Groups,
    /// The zone is one group.
    whole: bool,
    /// Sectors that hold LBNs or are reserved.
    usable: u64,
}

impl<'a> Spared<'a> {
    pub(super) fn new(plan: &'a ZonePlan, sparing: Sparing, heads: u64) -> Self {
        let sectors_per_track = u64::from(plan.sectors_per_track).max(1);
        let per_cylinder = sectors_per_track * heads;
        let all = per_cylinder * u64::from(plan.cylinders);
        let spares = plan.spares;
        let mut slips = plan.slips.clone();
        slips.sort_unstable();
        slips.dedup();
        let group = match sparing {
            Sparing::PerTrack => Some(sectors_per_track),
            Sparing::PerCylinder { .. } => Some(per_cylinder),
            Sparing::PerRange(range) => Some(per_cylinder * u64::from(range.max(1))),
            _ => None,
        };
        let sectors = group.unwrap_or(all.max(1));
        let slots = if group.is_some() { sectors.saturating_sub(spares).max(1) } else { sectors };
        let usable = match sparing {
            Sparing::None => all,
            Sparing::Tracks => all.saturating_sub(spares * sectors_per_track),
            Sparing::PerZone => all.saturating_sub(spares),
            Sparing::AtEnd => all - (slips.len() as u64).min(all),
            _ => all.div_ceil(sectors) * slots,
        };
        let front = if matches!(sparing, Sparing::PerCylinder { front: true, .. }) { spares } else { 0 };
        let groups = Groups { slots: Divisor::new(slots), sectors, front };
        Self { plan, sparing, sectors_per_track, slips, groups, whole: group.is_none(), usable }
    }

    /// LBNs that the zone holds.
    pub(super) fn lbns(&self) -> u64 {
        self.usable.saturating_sub(self.plan.reserved_sectors)
    }

    /// The stretches of the zone, which is number `zone` and begins at `first_lbn`.
    pub(super) fn stretches(&self, zone: u32, first_lbn: u64) -> Vec<Stretch> {
        let mut result: Vec<Stretch> = Vec::new();
        for Piece { slot, sector, grouped } in self.remapped(&self.slipped()) {
            // What begins among the reserved sectors begins, for LBNs, behind them.
            let hidden = self.plan.reserved_sectors.saturating_sub(slot);
            let lbn = first_lbn + (slot + hidden - self.plan.reserved_sectors);
            let stretch = Stretch { lbn, sector: sector + hidden, zone, grouped };
            match result.last_mut() {
                Some(last) if last.lbn == lbn => *last = stretch,
                _ => result.push(stretch),
            }
        }
        result
    }

    /// Slots in order, cut where a slip takes or loses effect. Slips in unused spares have none.
    fn slipped(&self) -> Vec<Piece> {
        let mut pieces = vec![Piece { slot: 0, sector: 0, grouped: !self.whole }];
        if self.sparing == Sparing::Tracks {
            let spt = self.sectors_per_track;
            pieces.extend((0..).zip(&self.slips).map(|(before, &track)| {
                let slot = track.saturating_sub(before) * spt;
                Piece { slot, sector: slot + (before + 1) * spt, grouped: false }
            }));
            return pieces;
        }
        let to_end = matches!(self.sparing, Sparing::PerCylinder { to_end: true, .. });
        let Groups { slots, sectors, front } = self.groups;
        let slots = slots.value();
        // Where the slips of a group lose their effect.
        let next_group = |group: u64, slipped: u64| {
            let next = (group + 1) * slots;
            (slipped > 0 && !self.whole).then_some(Piece { slot: next, sector: next, grouped: true })
        };
        let (mut group, mut slipped) = (0, 0);
        for &at in &self.slips {
            let (this, rest) = (at / sectors, at % sectors);
            if this != group && !to_end {
                pieces.extend(next_group(group, slipped));
                (group, slipped) = (this, 0);
            }
            let Some(rest) = rest.checked_sub(front).filter(|rest| rest - slipped.min(*rest) < slots) else {
                continue;
            };
            // (Where slips reach beyond the spares, one could take effect before the one in front of it.)
            let before = pieces.last().map_or(0, |piece| piece.slot);
            let slot = (this * slots + rest).saturating_sub(slipped).max(before);
            slipped += 1;
            pieces.push(if to_end {
                Piece { slot, sector: slot + slipped, grouped: true }
            } else {
                Piece { slot, sector: self.groups.spread(slot).0 + slipped, grouped: false }
            });
        }
        pieces.extend(next_group(group, slipped).filter(|_| !to_end));
        pieces
    }

    /// The same pieces, cut where remaps begin and end.
    fn remapped(&self, pieces: &[Piece]) -> Vec<Piece> {
        let mut remaps: Vec<_> = self.plan.remaps.iter().copied().filter(|(from, to)| from != to).collect();
        remaps.sort_unstable();
        remaps.dedup_by_key(|remap| remap.0);
        let per = if self.sparing == Sparing::Tracks { self.sectors_per_track } else { 1 };
        let mut result = Vec::with_capacity(pieces.len() + 2 * remaps.len());
        for (i, piece) in pieces.iter().enumerate() {
            result.push(*piece);
            let end = pieces.get(i + 1).map_or(u64::MAX, |next| next.slot);
            for &(from, to) in &remaps {
                let bounds = [from * per, (from + 1) * per];
                let [first, last] =
                    if piece.grouped { bounds.map(|s| self.groups.usable_before(s)) } else { bounds };
                let slot_of = |sector: u64| piece.slot + sector.saturating_sub(piece.sector);
                let (begin, until) = (slot_of(first), slot_of(last).min(end));
                if begin < until {
                    let into = piece.sector.saturating_sub(first);
                    result.push(Piece { slot: begin, sector: to * per + into, grouped: false });
                    let sector = piece.sector + (until - piece.slot);
                    result.push(Piece { slot: until, sector, grouped: piece.grouped });
                }
            }
        }
        result
    }
}

/// Slots up to the next piece, as a [`Stretch`].
#[derive(Clone, Copy, Debug)]
struct Piece {
    slot: u64,
    sector: u64,
    grouped: bool,
}
