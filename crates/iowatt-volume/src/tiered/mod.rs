//! A pool of up to three tiers, in pages: every page lives in one tier, and is relocated by what was counted of it.
//!
//! Pages are allocated when they are first touched. At the end of every cycle the pages are ranked by their accesses, in the
//! last cycle or in a weighted average of cycles, and each gets the highest tier that has room for it ([`rank`]); those
//! that live elsewhere are relocated in the background, within the daily window and not faster than allowed ([`relocate`]).

mod rank;
mod relocate;

use super::Scheme;
use super::io::{VolumeIo, VolumeRequest};
use super::run::{Run, Span};
use super::waiting::{Piece, Waiting};
use crate::plan::{TieredPoolPlan, VirtualPoolPlan};
use crate::recency::NONE;
use crate::time::{Nanos, nanos};
use relocate::{Pace, Relocation};

/// Set in the home of a page that is being relocated.
const MOVING: u32 = 1 << 31;

const WRITE: usize = 1;

/// Most tiers.
const TIERS: usize = 3;

/// A tier: slots of one page.
#[derive(Debug)]
struct Tier {
    /// Number of its first slot among all; they follow one another.
    first: u32,
    slots: u32,
    /// Most slots that a ranking fills, and that new pages do.
    planned: u32,
    offered: u32,
    /// Most accesses of its pages in a cycle.
    performance: Option<f64>,
    free: Vec<u32>,
}

/// The pages of a range may be spread over tiers by shares only.
#[derive(Debug)]
struct Policy {
    pages: std::ops::Range<u32>,
    most: Vec<f64>,
}

/// Pages in tiers.
#[derive(Debug)]
pub struct Tiered {
    page: u64,
    step: u64,
    tiers: Vec<Tier>,
    new_pages: usize,
    weight: f64,
    cycle: Nanos,
    /// The end of this cycle; none before the first request.
    cycle_end: Option<Nanos>,
    /// Where each page lives, and whether it is [`MOVING`]; [`NONE`] before it is touched.
    home: Vec<u32>,
    /// Pages that were not touched yet.
    unallocated: usize,
    /// Accesses of each page in this cycle, and its average over cycles.
    accesses: Vec<u32>,
    heat: Vec<f32>,
    /// The tier that each page should be in.
    target: Vec<u8>,
    /// Reads and writes of requests under way in each slot.
    under_way: Vec<[u32; 2]>,
    /// Slots that nobody lives in any more, with requests under way.
    leaving: Vec<u32>,
    policies: Vec<Policy>,
    /// Scratch of the ranking.
    order: Vec<u32>,
    /// Pages to be relocated: up, hottest last; and down, coldest last.
    up: Vec<u32>,
    down: Vec<u32>,
    relocations: Vec<Option<Relocation>>,
    /// Writes of requests under way to each step of a page that is being relocated.
    writing: Vec<Vec<u32>>,
    /// Relocations that wait for transfers of requests to end.
    blocked: u32,
    pace: Pace,
    waiting: Waiting,
}

impl Tiered {
    /// The scheme over the tiers of `pool`, the fastest first.
    #[must_use]
    pub fn new(pool: &VirtualPoolPlan, plan: &TieredPoolPlan) -> Self {
        let mut first = 0;
        let tiers: Vec<Tier> = (pool.parts.iter().zip(&plan.tiers))
            .map(|(part, tier)| {
                let slots = part.capacity_bytes / plan.page_bytes;
                let offered = slots - tier.kept(slots);
                let planned = offered.saturating_sub((tier.new_page_buffer * slots as f64) as u64);
                let (start, slots) = (first, slots as u32);
                first += slots;
                Tier {
                    first: start,
                    slots,
                    planned: planned as u32,
                    offered: offered as u32,
                    performance: tier.performance_iops.map(|iops| iops * plan.cycle_s),
                    free: (start..first).rev().collect(),
                }
            })
            .collect();
        let pages = (plan.capacity_bytes / plan.page_bytes) as usize;
        let policy = |p: &crate::plan::TieringPolicyPlan| Policy {
            pages: (p.from_bytes / plan.page_bytes) as u32..p.until_bytes.div_ceil(plan.page_bytes) as u32,
            most: p.most.clone(),
        };
        Self {
            page: plan.page_bytes,
            step: plan.step_bytes.min(plan.page_bytes),
            tiers,
            new_pages: plan.new_pages,
            weight: plan.weight,
            cycle: nanos(plan.cycle_s).max(1),
            cycle_end: None,
            home: vec![NONE; pages],
            unallocated: pages,
            accesses: vec![0; pages],
            heat: vec![0.0; pages],
            target: vec![0; pages],
            under_way: vec![[0; 2]; first as usize],
            leaving: Vec::new(),
            policies: plan.policies.iter().map(policy).collect(),
            order: Vec::new(),
            up: Vec::new(),
            down: Vec::new(),
            relocations: vec![None; plan.max_relocations],
            writing: vec![vec![0; plan.page_bytes.div_ceil(plan.step_bytes) as usize]; plan.max_relocations],
            blocked: 0,
            pace: Pace::new(plan),
            waiting: Waiting::default(),
        }
    }

    /// The tier of a slot.
    fn tier_of(&self, slot: u32) -> usize {
        self.tiers.iter().rposition(|tier| tier.first <= slot).unwrap_or(0)
    }

    /// First byte of a slot in its part.
    fn start(&self, slot: u32) -> u64 {
        u64::from(slot - self.tiers[self.tier_of(slot)].first) * self.page
    }

    /// Bytes `from..until` of the virtual pool, within page `page`, in slot `slot`.
    fn within(&self, page: u32, slot: u32, (from, until): (u64, u64)) -> (u64, u64) {
        let (before, start) = (u64::from(page) * self.page, self.start(slot));
        (start + (from - before), start + (until - before))
    }

    /// The home of a page, which is allocated where this is its first access.
    fn live(&mut self, page: u32) -> u32 {
        let home = self.home[page as usize];
        if home != NONE {
            return home;
        }
        // The tier of new pages, else the nearest below it, else the nearest above.
        let down = self.new_pages..self.tiers.len();
        let up = (0..self.new_pages).rev();
        let kept = |tier: &Tier| tier.slots - tier.offered;
        let open = |tier: &usize| self.tiers[*tier].free.len() as u32 > kept(&self.tiers[*tier]);
        let any = |tier: &usize| !self.tiers[*tier].free.is_empty();
        let order = || down.clone().chain(up.clone());
        // There is a free slot for each page to come: relocations leave as many.
        let tier = order().find(open).or_else(|| order().find(any)).unwrap_or(0);
        let Some(slot) = self.tiers[tier].free.pop() else { unreachable!("a slot for each page to come") };
        self.unallocated -= 1;
        self.home[page as usize] = slot;
        slot
    }

    /// A piece of a request goes to its page as it stands now.
    fn route(
        &mut self,
        piece: &Piece,
        page: u32,
        runs: &mut [Run; TIERS],
        request: &VolumeRequest,
        io: &mut impl VolumeIo,
    ) {
        let home = self.home[page as usize];
        let slot = home & !MOVING;
        if home & MOVING != 0 && piece.write {
            self.write_moving(piece, page, io);
            return;
        }
        self.under_way[slot as usize][usize::from(piece.write)] += 1;
        let range = self.within(page, slot, (piece.from, piece.until));
        runs[self.tier_of(slot)].add(slot, piece.from, range, request, io);
    }

    /// A piece that was held back goes where its page is now.
    fn pass_held(&mut self, piece: &Piece, io: &mut impl VolumeIo) {
        let request = VolumeRequest {
            key: piece.request,
            from: piece.from,
            until: piece.until,
            write: piece.write,
            trim: false,
        };
        let mut runs = runs();
        self.route(piece, (piece.from / self.page) as u32, &mut runs, &request, io);
        runs.iter_mut().for_each(|run| run.transfer(&request, io));
        io.release(piece.request);
    }

    /// Nobody lives in `slot` any more.
    fn vacate(&mut self, slot: u32) {
        if self.under_way[slot as usize] == [0; 2] {
            let tier = self.tier_of(slot);
            self.tiers[tier].free.push(slot);
        } else {
            self.leaving.push(slot);
        }
    }
}

/// Runs on each tier.
fn runs() -> [Run; TIERS] {
    std::array::from_fn(|tier| Run::on(tier, false))
}

impl Scheme for Tiered {
    fn capacity_bytes(&self) -> u64 {
        self.home.len() as u64 * self.page
    }

    fn submit(&mut self, request: &VolumeRequest, io: &mut impl VolumeIo) {
        if self.cycle_end.is_none() {
            self.cycle_end = Some(io.now() + self.cycle);
            self.set_alarms(io);
        }
        let mut runs = runs();
        let mut found = [0; TIERS];
        let mut from = request.from;
        while from < request.until {
            let page = (from / self.page) as u32;
            let until = request.until.min((u64::from(page) + 1) * self.page);
            let slot = self.live(page) & !MOVING;
            found[self.tier_of(slot)] += until - from;
            self.accesses[page as usize] += 1;
            let piece = Piece { request: request.key, from, until, write: request.write, trim: request.trim };
            self.route(&piece, page, &mut runs, request, io);
            from = until;
        }
        runs.iter_mut().for_each(|run| run.transfer(request, io));
        if let Some(counts) = io.counts() {
            counts.request(request.until - request.from, request.write);
            for (tier, bytes) in found.into_iter().enumerate().filter(|(_, bytes)| *bytes > 0) {
                counts.located(tier, bytes, request.write);
                if bytes == request.until - request.from {
                    counts.hit(tier, request.write);
                }
            }
        }
    }

    fn transfer_done(&mut self, tag: u64, io: &mut impl VolumeIo) {
        let span = Span::of(tag);
        if span.kind {
            self.step_written(span);
        } else {
            for slot in span.first..span.first + span.count {
                self.under_way[slot as usize][usize::from(span.write)] -= 1;
            }
        }
        for at in (0..self.leaving.len()).rev() {
            if self.under_way[self.leaving[at] as usize] == [0; 2] {
                let slot = self.leaving.swap_remove(at);
                self.vacate(slot);
            }
        }
        if self.blocked > 0 {
            self.resume(io);
        }
    }

    fn background_done(&mut self, tag: u64, io: &mut impl VolumeIo) {
        self.transferred(tag as usize, io);
    }

    fn alarm(&mut self, io: &mut impl VolumeIo) {
        while let Some(end) = self.cycle_end.filter(|&end| end <= io.now()) {
            self.cycle_end = Some(end + self.cycle);
            self.rank();
        }
        self.continue_paced(io);
        self.start_relocations(io);
        self.set_alarms(io);
    }

    fn occupied_bytes(&self, part: usize) -> Option<u64> {
        let there = |home: &&u32| **home != NONE && self.tier_of(**home & !MOVING) == part;
        Some(self.home.iter().filter(there).count() as u64 * self.page)
    }

    fn audit(&self) -> Result<(), String> {
        let mut taken = vec![false; self.under_way.len()];
        let mut take = |slot: u32, what: &str| {
            let was = std::mem::replace(&mut taken[slot as usize], true);
            if was { Err(format!("slot {slot} is taken twice, at last by {what}")) } else { Ok(()) }
        };
        for (page, &home) in self.home.iter().enumerate().filter(|(_, home)| **home != NONE) {
            take(home & !MOVING, &format!("page {page}"))?;
            let moving = self.relocations.iter().flatten().any(|r| r.page == page as u32);
            if moving != (home & MOVING != 0) {
                return Err(format!("page {page} and its relocation do not know each other"));
            }
        }
        for (number, tier) in self.tiers.iter().enumerate() {
            for &slot in &tier.free {
                take(slot, "nothing")?;
                if self.tier_of(slot) != number {
                    return Err(format!("slot {slot} is free in another tier"));
                }
            }
        }
        for &slot in &self.leaving {
            take(slot, "reads that are not done")?;
        }
        for relocation in self.relocations.iter().flatten() {
            take(relocation.to, "a relocation")?;
        }
        match taken.iter().position(|taken| !taken) {
            Some(slot) => Err(format!("slot {slot} is lost")),
            None if self.tiers.iter().map(|tier| tier.free.len()).sum::<usize>() < self.unallocated => {
                Err("a page to come would find no slot".into())
            }
            None if self.relocations.iter().flatten().count() == 0 && self.waiting.len() > 0 => {
                Err("a request waits for no relocation".into())
            }
            None => Ok(()),
        }
    }
}
