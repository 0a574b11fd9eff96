//! Nested runs of like tracks (DiskSim's G4), for drives whose heads alternate in bands of cylinders.

use super::Run;
use crate::clock::Picos;
use crate::device::hdd::pitch::Pitch;
use crate::plan::IndexedPlan;

#[derive(Clone, Copy, Debug)]
struct Entry {
    lbn: u64,
    cylinder: i64,
    offset_ps: Picos,
    len: u64,
    /// Negative where cylinders descend.
    cylinder_len: i64,
    skew_ps: Picos,
    child: u32,
    /// `u32::MAX`: the child is a node.
    head: u32,
}

#[derive(Clone, Copy, Debug)]
struct Pattern {
    first: u64,
    sectors: u64,
    per_turn: u64,
    pitch: Pitch,
}

/// Indexed layout.
#[derive(Clone, Debug)]
pub struct Indexed {
    patterns: Vec<Pattern>,
    entries: Vec<Entry>,
    /// Entries of each node; the last node is the root.
    nodes: Vec<(u32, u32)>,
    /// First LBN that lies beyond the slip, sectors skipped up to there.
    slips: Vec<(u64, u64)>,
    remaps: Vec<[u64; 6]>,
    capacity: u64,
    revolution_ps: Picos,
}

impl Indexed {
    /// Flattens the nodes of `plan`.
    #[must_use]
    pub fn new(plan: &IndexedPlan, revolution_ps: Picos) -> Self {
        let turn = revolution_ps as f64;
        let angle = |rev: f64| (rev * turn).round().rem_euclid(turn) as Picos;
        let mut entries = Vec::new();
        let mut nodes = Vec::new();
        for node in &plan.nodes {
            let first = entries.len() as u32;
            entries.extend(node.iter().map(|e| Entry {
                lbn: e.lbn,
                cylinder: e.cylinder,
                offset_ps: angle(e.offset_rev),
                len: e.len.max(1),
                cylinder_len: if e.descending { -e.cylinder_len } else { e.cylinder_len },
                skew_ps: angle(e.skew_rev),
                child: e.child as u32,
                head: e.head.unwrap_or(u32::MAX),
            }));
            nodes.push((first, entries.len() as u32));
        }
        let mut total = 0;
        let mut raw = plan.slips.clone();
        raw.sort_unstable();
        let slips = raw
            .iter()
            .map(|&(at, count)| {
                let key = at.saturating_sub(total);
                total += count;
                (key, total)
            })
            .collect();
        let mut remaps = plan.remaps.clone();
        remaps.sort_unstable();
        let patterns = plan
            .tracks
            .iter()
            .map(|&(first, last, spt)| Pattern {
                first: u64::from(first),
                sectors: u64::from(last + 1 - first.min(last)),
                per_turn: u64::from(spt.max(1)),
                pitch: Pitch::new(revolution_ps, u64::from(spt)),
            })
            .collect();
        let held = plan.nodes.last().and_then(|root| root.last()).map_or(0, |e| e.lbn + e.run);
        let capacity = held.saturating_sub(total);
        Self { patterns, entries, nodes, slips, remaps, capacity, revolution_ps }
    }

    /// LBNs that the root holds, less those slipped.
    #[must_use]
    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    /// The run that starts at `lbn`.
    #[must_use]
    pub fn run(&self, lbn: u64) -> Run {
        let mut bound = u64::MAX;
        if !self.remaps.is_empty() {
            let next = self.remaps.partition_point(|r| r[0] + r[1] <= lbn);
            if let Some(r) = self.remaps.get(next) {
                if r[0] <= lbn {
                    let sector = r[4] + (lbn - r[0]);
                    let pitch = Pitch::new(self.revolution_ps, r[5]);
                    return Run {
                        lbn,
                        sectors: r[0] + r[1] - lbn,
                        before: 0,
                        cylinder: r[2] as u32,
                        head: r[3] as u32,
                        per_turn: r[5].max(1) as u32,
                        pitch,
                        angle_ps: pitch.pass(sector) % self.revolution_ps,
                        zone: 0,
                        even: 0,
                    };
                }
                bound = r[0] - lbn;
            }
        }
        let passed = self.slips.partition_point(|s| s.0 <= lbn);
        let skipped = passed.checked_sub(1).map_or(0, |last| self.slips[last].1);
        if let Some(next) = self.slips.get(passed) {
            bound = bound.min(next.0 - lbn);
        }

        let mut rest = lbn + skipped;
        let (mut cylinder, mut angle) = (0i64, 0);
        let mut node = self.nodes.len() - 1;
        loop {
            let (from, to) = self.nodes[node];
            let slice = &self.entries[from as usize..to as usize];
            let entry = &slice[slice.partition_point(|e| e.lbn <= rest).saturating_sub(1)];
            rest -= entry.lbn.min(rest);
            let repeat = rest / entry.len;
            rest -= repeat * entry.len;
            cylinder += entry.cylinder + repeat as i64 * entry.cylinder_len;
            angle += entry.offset_ps + repeat * entry.skew_ps;
            if entry.head != u32::MAX {
                let pattern = self.patterns[entry.child as usize];
                let sector = pattern.first + rest;
                let sectors = pattern.sectors.min(entry.len).saturating_sub(rest).max(1);
                return Run {
                    lbn,
                    sectors: sectors.min(bound).max(1),
                    before: rest as u32,
                    cylinder: cylinder.max(0) as u32,
                    head: entry.head,
                    per_turn: pattern.per_turn as u32,
                    pitch: pattern.pitch,
                    angle_ps: (angle + pattern.pitch.pass(sector)) % self.revolution_ps,
                    zone: 0,
                    even: 0,
                };
            }
            node = entry.child as usize;
        }
    }
}
