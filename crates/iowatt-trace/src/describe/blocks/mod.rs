//! What happens to each block: its place in the LRU stack, when it was last read and written, how often.
//!
//! Blocks are followed in regions of sixteen. While the trace touches no more regions than `samples`, all of them
//! are, and every figure is exact. Beyond, only regions whose hash is below a threshold are, which falls by an
//! eighth whenever there are too many: a spatial sample of fixed size (SHARDS: Waldspurger, Park, Garthwaite,
//! Ahmad 2015), where a reference counts for 1/rate and a stack distance is stretched by 1/rate. Because the
//! sample holds a region's own blocks in full, those among a distance are counted as they are.
//!
//! A request stands for others when its first region is of the sample. To know what becomes of its other blocks, the
//! next [`BEYOND`] regions are followed too: they have stamps, and so depths, but are not in the stack that distances
//! are counted by.

mod curve;
mod depths;
mod live;
mod regions;
mod rewrites;
mod working_set;

use std::collections::BTreeMap;

use serde::Serialize;

use self::curve::Sample;
use self::depths::{CHANNELS, Depths, Edges, Weights};
use self::live::Live;
use self::regions::{Region, Regions, hash};
use self::rewrites::Rewrites;
use self::working_set::WorkingSets;
use super::clock::{Clock, coarsened};
use super::options::Options;
use super::skew::PARTS;
use crate::request::{Op, Request};

pub use curve::{MissRatios, Ratios, ReuseFigures, ReuseHistogram, Sample as ReuseSample};
pub(super) use regions::IN_REGION;
#[cfg(test)]
pub(super) use regions::mixed;
pub use rewrites::{Intervals, RewriteFigures};
pub use working_set::WorkingSet;

/// Disjoint parts of a sample, whose scatter is its error.
const GROUPS: usize = 8;
/// Regions that are followed behind each one of the sample.
const BEYOND: u64 = 2;
/// Room for stamps at least.
const LEAST_ROOM: usize = 1 << 16;

/// All blocks that are followed, and what was learnt of them.
pub(super) struct Blocks {
    block_bytes: u64,
    samples: usize,
    clock: Clock,
    regions: Regions,
    /// Regions whose hash is below it are followed; `u64::MAX` while all are.
    threshold: u64,
    live: Live,
    next: u32,
    room: u32,
    edges: Edges,
    depths: Depths,
    truth: Weights,
    parts: Option<Parts>,
    working_sets: WorkingSets,
    rewrites: Rewrites,
}

/// The sample again in disjoint parts, each with a stack of its own.
struct Parts {
    /// What was counted while everything was followed.
    before: Depths,
    live: Vec<Live>,
    depths: Vec<Depths>,
}

/// Distinct blocks touched, in bytes, summed over devices.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FootprintFigures {
    /// Touched by reads or writes.
    pub total_bytes: f64,
    /// By reads.
    pub read_bytes: f64,
    /// By writes.
    pub written_bytes: f64,
    /// By both.
    pub both_bytes: f64,
    /// Standard error of `total_bytes`; zero where exact.
    pub standard_error_bytes: f64,
}

/// The share of block references on the hottest part of the touched blocks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BlockSkewPoint {
    /// Part of the touched blocks, hottest first.
    pub hottest: f64,
    /// Share of block references on it.
    pub reference_share: f64,
}

/// Everything that follows from blocks.
pub(super) struct BlockFigures {
    pub(super) footprint: FootprintFigures,
    pub(super) footprints: Vec<f64>,
    pub(super) working_sets: Vec<WorkingSet>,
    pub(super) working_set_series: Vec<f64>,
    pub(super) reuse: ReuseFigures,
    pub(super) rewrites: RewriteFigures,
    pub(super) skew: Vec<BlockSkewPoint>,
}

/// A region as a request meets it.
struct Place {
    number: u64,
    hash: u64,
    sampled: bool,
    /// The part of the sample that the request stands in.
    part: usize,
}

/// Of the blocks of a request, or of some of them.
#[derive(Clone, Copy)]
struct Piece {
    /// Deepest in the stack; `None` with a first touch among them.
    deepest: Option<u64>,
    /// The same in the stack of its part of the sample.
    deepest_of_part: Option<u64>,
    /// Whether the trace wrote all of them before.
    written: bool,
}

impl Piece {
    fn join(&mut self, other: &Self) {
        self.deepest = self.deepest.zip(other.deepest).map(|(a, b)| a.max(b));
        self.deepest_of_part = self.deepest_of_part.zip(other.deepest_of_part).map(|(a, b)| a.max(b));
        self.written &= other.written;
    }
}

impl Blocks {
    pub(super) fn new(options: &Options) -> Self {
        let edges = Edges::new(options.cache_bytes.iter().map(|bytes| bytes / options.block_bytes));
        Self {
            block_bytes: options.block_bytes,
            samples: options.samples,
            clock: Clock::new(),
            regions: Regions::new(),
            threshold: u64::MAX,
            live: Live::new(LEAST_ROOM),
            next: 1,
            room: LEAST_ROOM as u32,
            depths: Depths::new(&edges),
            edges,
            truth: [0.0; CHANNELS],
            parts: None,
            working_sets: WorkingSets::new(),
            rewrites: Rewrites::new(),
        }
    }

    fn exact(&self) -> bool {
        self.threshold == u64::MAX
    }

    fn rate(&self) -> f64 {
        if self.exact() { 1.0 } else { self.threshold as f64 / u64::MAX as f64 }
    }

    /// `since_ns` counts from the first request and never decreases.
    pub(super) fn add(&mut self, since_ns: u64, request: &Request) {
        if request.size == 0 {
            return;
        }
        let now = self.now(since_ns);
        self.working_sets.advance(since_ns, &self.clock);
        let end = request.offset + u64::from(request.size);
        let (first, last) = (request.offset / self.block_bytes, (end - 1) / self.block_bytes);
        let write = usize::from(request.op == Op::Write);
        self.truth[write] += 1.0;
        self.truth[2 + write] += f64::from(request.size);
        self.truth[4 + write] += (last - first + 1) as f64;
        let rate = self.rate();
        let begin = first / IN_REGION;
        let mut whole = Piece { deepest: Some(1), deepest_of_part: Some(1), written: true };
        let stands = self.sampled(hash(request.device, begin)).then(|| part(hash(request.device, begin)));
        for number in begin..=last / IN_REGION {
            let hash = hash(request.device, number);
            let sampled = self.sampled(hash);
            if !sampled && !self.follows_sampled(request.device, number) {
                continue;
            }
            let place = Place { number, hash, sampled, part: stands.unwrap_or_else(|| part(hash)) };
            whole.join(&self.reference(request, now, &place, rate));
        }
        if let Some(part) = stands {
            self.count(write, &whole, part, 1.0 / rate);
        }
        while self.regions.len() > self.samples {
            self.thin();
        }
    }

    fn now(&mut self, since_ns: u64) -> u32 {
        loop {
            if let Some(tick) = self.clock.tick(since_ns) {
                return tick;
            }
            self.clock.coarser();
            for block in self.regions.blocks_mut() {
                block.read = coarsened(block.read);
                block.written = coarsened(block.written);
            }
            self.working_sets.renew(&self.clock);
        }
    }

    #[inline]
    fn sampled(&self, hash: u64) -> bool {
        hash < self.threshold || self.exact()
    }

    fn follows_sampled(&self, device: u32, number: u64) -> bool {
        (1..=BEYOND.min(number)).any(|back| self.sampled(hash(device, number - back)))
    }

    /// A request by its deepest block.
    fn count(&mut self, write: usize, piece: &Piece, part: usize, weight: f64) {
        let bin = piece.deepest.map(|depth| self.edges.bin(depth));
        self.depths.at(bin)[write] += weight;
        if let Some(parts) = &mut self.parts {
            let bin = piece.deepest_of_part.map(|depth| self.edges.bin(depth));
            parts.depths[part].at(bin)[write] += weight;
        }
        self.rewrites.request(write == 1, piece.written, weight);
    }

    /// The blocks of a request in one region, in runs of blocks that were last referenced one after the other:
    /// these all lie equally deep, because each one's successors are gone from under it when its turn comes.
    fn reference(&mut self, request: &Request, now: u32, place: &Place, rate: f64) -> Piece {
        if self.next + IN_REGION as u32 > self.room {
            self.renumber();
        }
        let write = request.op == Op::Write;
        let channel = usize::from(write);
        let base = place.number * IN_REGION;
        let end = request.offset + u64::from(request.size);
        let from = (request.offset / self.block_bytes).max(base);
        let to = ((end - 1) / self.block_bytes).min(base + IN_REGION - 1);
        let at = self.regions.place(request.device, place.number, place.hash, place.sampled);
        let region = self.regions.get_mut(at);
        let mut piece = Piece { deepest: Some(1), deepest_of_part: Some(1), written: true };
        let mut index = (from - base) as usize;
        let past = (to - base) as usize + 1;
        while index < past {
            let before = region.blocks[index];
            let mut n = 1;
            while index + n < past && follows(&before, &region.blocks[index + n], n) {
                n += 1;
            }
            let bytes = {
                let low = ((base + index as u64) * self.block_bytes).max(request.offset);
                let high = (base + (index + n) as u64).saturating_mul(self.block_bytes).min(end);
                (high - low) as f64 / rate
            };
            let weight = n as f64 / rate;
            let (mut depth, mut depth_of_part, mut own_depth) = (None, None, None);
            if before.stamp != 0 {
                let top = before.stamp + n as u32 - 1;
                let here = region.blocks.iter().filter(|block| block.stamp > top).count() as u64;
                let stretched = |live: &Live, counted: bool, rate: f64| {
                    let others = u64::from(live.above(top)) - if counted { here } else { 0 };
                    n as u64 + here + if rate < 1.0 { (others as f64 / rate).round() as u64 } else { others }
                };
                depth = Some(stretched(&self.live, place.sampled, rate));
                if place.sampled {
                    self.live.clear(before.stamp, n as u32);
                }
                if let Some(parts) = &mut self.parts {
                    let own = part(place.hash);
                    let counted = place.sampled && own == place.part;
                    let rate = rate / GROUPS as f64;
                    depth_of_part = Some(stretched(&parts.live[place.part], counted, rate));
                    if place.sampled {
                        own_depth = Some(stretched(&parts.live[own], true, rate));
                        parts.live[own].clear(before.stamp, n as u32);
                    }
                }
            }
            if place.sampled {
                self.live.set(self.next, n as u32);
                let weights = self.depths.at(depth.map(|depth| self.edges.bin(depth)));
                weights[2 + channel] += bytes;
                weights[4 + channel] += weight;
                if let Some(parts) = &mut self.parts {
                    let own = part(place.hash);
                    parts.live[own].set(self.next, n as u32);
                    let weights = parts.depths[own].at(own_depth.map(|depth| self.edges.bin(depth)));
                    weights[2 + channel] += bytes;
                    weights[4 + channel] += weight;
                }
                let same = if write { before.written } else { before.read };
                self.working_sets.add(before.read.max(before.written), same, write, weight);
                let interval = u64::from(now.saturating_sub(before.written)) * self.clock.tick_ns();
                self.rewrites.blocks(write, (before.written != 0).then_some(interval), weight, bytes);
            }
            piece.deepest = piece.deepest.zip(depth).map(|(a, b)| a.max(b));
            piece.deepest_of_part = piece.deepest_of_part.zip(depth_of_part).map(|(a, b)| a.max(b));
            piece.written &= before.written != 0;
            for block in &mut region.blocks[index..index + n] {
                block.stamp = self.next;
                self.next += 1;
                if write {
                    block.written = now
                } else {
                    block.read = now
                }
                block.touched = block.touched.saturating_add(1);
            }
            index += n;
        }
        piece
    }

    /// Stamps from 1 on again, in the same order, with room for as many more.
    fn renumber(&mut self) {
        let count = self.live.count();
        let room = (2 * count as usize).max(LEAST_ROOM);
        let ranks = std::mem::replace(&mut self.live, Live::of(room, 1..=count)).ranks();
        for block in self.regions.blocks_mut().filter(|block| block.stamp != 0) {
            block.stamp = ranks.of(block.stamp).max(1); // 0 is never, also where no counted block is older
        }
        if let Some(parts) = &mut self.parts {
            for (group, live) in parts.live.iter_mut().enumerate() {
                *live = Live::of(
                    room,
                    stamps(&self.regions, |region| region.sampled && part(region.hash()) == group),
                );
            }
        }
        self.next = count + 1;
        self.room = room as u32;
    }

    /// Follows fewer regions.
    fn thin(&mut self) {
        let threshold = self.threshold / 8 * 7;
        self.regions.retain(|region| {
            let Region { device, number, .. } = *region;
            let mut below = (0..=BEYOND.min(number)).map(|back| hash(device, number - back) < threshold);
            region.sampled = below.next().unwrap_or(false);
            region.sampled || below.any(|sampled| sampled)
        });
        if self.parts.is_none() {
            self.parts = Some(Parts {
                before: self.depths.clone(),
                live: (0..GROUPS).map(|_| Live::new(0)).collect(),
                depths: vec![Depths::new(&self.edges); GROUPS],
            });
        }
        self.threshold = threshold;
        self.live = Live::of(self.room as usize, stamps(&self.regions, |region| region.sampled));
        self.renumber();
    }

    pub(super) fn finish(mut self, last_ns: u64, width_s: f64) -> BlockFigures {
        let bytes = self.block_bytes;
        let (working_sets, working_set_series) =
            self.working_sets.finish(last_ns, bytes, &self.clock, width_s);
        let [_, writes, _, written, ..] = self.truth;
        BlockFigures {
            footprint: self.footprint(),
            footprints: self.footprints(),
            working_sets,
            working_set_series,
            reuse: self.reuse(),
            rewrites: self.rewrites.finish(writes, written),
            skew: self.skew(),
        }
    }

    fn sample(&self) -> impl Iterator<Item = &Region> {
        self.regions.iter().filter(|region| region.sampled)
    }

    fn reuse(&self) -> ReuseFigures {
        let groups = self.parts.iter().flat_map(|parts| {
            parts
                .depths
                .iter()
                .map(|depths| curve::hits(&[&parts.before, depths], GROUPS as f64, &self.truth))
        });
        let sample = Sample {
            method: if self.exact() { "exact" } else { "sampled" },
            rate: self.rate(),
            regions: self.sample().count() as u64,
            blocks: u64::from(self.live.count()),
            references: (self.truth[4] + self.truth[5]) as u64,
        };
        let groups: Vec<_> = groups.collect();
        let mut figures = curve::figures(&self.edges, &self.depths, &groups, &self.truth, sample);
        for size in &mut figures.miss_ratio.cache_bytes {
            *size = size.saturating_mul(self.block_bytes);
        }
        figures
    }

    fn footprint(&self) -> FootprintFigures {
        let (mut counts, mut squares) = ([0_u64; 4], 0_u64);
        for region in self.sample() {
            let of = |is: fn(&regions::Block) -> bool| region.blocks.iter().filter(|b| is(b)).count() as u64;
            let touched = of(|b| b.stamp != 0);
            counts[0] += touched;
            counts[1] += of(|b| b.read != 0);
            counts[2] += of(|b| b.written != 0);
            counts[3] += of(|b| b.read != 0 && b.written != 0);
            squares += touched * touched;
        }
        let rate = self.rate();
        let [total, read, written, both] = counts.map(|n| n as f64 / rate * self.block_bytes as f64);
        FootprintFigures {
            total_bytes: total,
            read_bytes: read,
            written_bytes: written,
            both_bytes: both,
            // Horvitz and Thompson (1952), regions drawn independently.
            standard_error_bytes: (squares as f64 * (1.0 - rate)).sqrt() / rate * self.block_bytes as f64,
        }
    }

    /// Total by device.
    fn footprints(&self) -> Vec<f64> {
        let mut found = Vec::new();
        for region in self.sample() {
            let device = region.device as usize;
            if found.len() <= device {
                found.resize(device + 1, 0.0);
            }
            let touched = region.blocks.iter().filter(|block| block.stamp != 0).count();
            found[device] += touched as f64 / self.rate() * self.block_bytes as f64;
        }
        found
    }

    /// Blocks by how often they were referenced, most often first.
    fn skew(&self) -> Vec<BlockSkewPoint> {
        let mut blocks: BTreeMap<u32, u64> = BTreeMap::new();
        for block in self.sample().flat_map(|region| &region.blocks).filter(|b| b.touched > 0) {
            *blocks.entry(block.touched).or_default() += 1;
        }
        let all: f64 = blocks.values().map(|&n| n as f64).sum();
        let references: f64 = blocks.iter().map(|(&touched, &n)| f64::from(touched) * n as f64).sum();
        let share = |part: f64| {
            let (mut wanted, mut sum) = (part * all, 0.0);
            for (&touched, &n) in blocks.iter().rev() {
                let taken = wanted.min(n as f64);
                sum += taken * f64::from(touched);
                wanted -= taken;
            }
            sum / references
        };
        if blocks.is_empty() {
            return Vec::new();
        }
        PARTS.iter().map(|&hottest| BlockSkewPoint { hottest, reference_share: share(hottest) }).collect()
    }
}

/// Whether `block`, `n` places on, was last referenced right after `first` and with it in time.
#[inline]
fn follows(first: &regions::Block, block: &regions::Block, n: usize) -> bool {
    let stamp = if first.stamp == 0 { 0 } else { first.stamp + n as u32 };
    block.stamp == stamp && block.read == first.read && block.written == first.written
}

/// The lowest bits, which the threshold leaves alone.
fn part(hash: u64) -> usize {
    (hash % GROUPS as u64) as usize
}

fn stamps(regions: &Regions, of: impl Fn(&Region) -> bool) -> impl Iterator<Item = u32> {
    let blocks = regions.iter().filter(move |region| of(region)).flat_map(|region| &region.blocks);
    blocks.map(|block| block.stamp).filter(|&stamp| stamp != 0)
}
