//! Address laws: where in its range a stream's next request goes. One file a law.
//!
//! A law is asked with the size and direction of the request and answers with the first byte. Offsets from the
//! start of the range are multiples of the alignment, which is the request's own size where none is given
//! (as vdbench does it), and the request ends inside the range.

mod density;
mod hot_band;
mod memory;
mod ranked;
mod reuse;
mod scatter;
mod sequential;
mod tree;

pub use hot_band::{REACH_BYTES, offset_bytes as hot_band_offset};
pub use memory::Memory;
pub use ranked::{SkewRanks, ZipfRanks};
pub use reuse::LruStack;
pub use scatter::Scatter;

use crate::plan::{AccessPlan, StreamPlan};
use crate::rng::{Draws, Purpose};
use density::Density;
use ranked::Ranked;
use reuse::Reuse;
use sequential::Cursors;
use tree::Walk;

/// The part of the span that a stream goes to.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    start: u64,
    bytes: u64,
    align: Option<u64>,
}

impl Range {
    /// `bytes` from byte `start` on; `bytes` must hold every size asked for.
    #[must_use]
    pub fn new(start: u64, bytes: u64, align: Option<u64>) -> Self {
        Self { start, bytes, align }
    }

    #[inline]
    fn step(&self, size: u64) -> u64 {
        self.align.unwrap_or(size).max(1)
    }

    /// Aligned places at which `size` bytes fit into the first `bytes` of the range; at least one.
    #[inline]
    fn places(&self, bytes: u64, size: u64) -> u64 {
        bytes.saturating_sub(size) / self.step(size) + 1
    }

    /// A uniformly drawn place.
    #[inline]
    fn anywhere(&self, draws: &mut Draws, size: u64) -> u64 {
        self.start + draws.below(self.places(self.bytes, size)) * self.step(size)
    }

    /// A uniformly drawn place that begins inside an extent of the range (and ends inside the range).
    #[inline]
    fn within(&self, draws: &mut Draws, extent: u64, extent_bytes: u64, size: u64) -> u64 {
        let step = self.step(size);
        let first = extent.saturating_mul(extent_bytes).div_ceil(step);
        let last = self.places(self.bytes, size) - 1;
        let end = ((extent.saturating_add(1)).saturating_mul(extent_bytes).div_ceil(step)).max(first + 1);
        let place = first + draws.below(end - first);
        self.start + place.min(last) * step
    }

    /// The place for `size` bytes that begins at byte `end`, aligned; the start of the range where it is full.
    #[inline]
    pub(crate) fn next_to(&self, end: u64, size: u64) -> u64 {
        let mut offset = end.saturating_sub(self.start);
        if let Some(align) = self.align {
            offset = offset.div_ceil(align) * align;
        }
        if offset + size > self.bytes { self.start } else { self.start + offset }
    }

    /// The aligned place at or before byte `to` that holds `size` bytes.
    #[inline]
    fn nearest(&self, to: u64, size: u64) -> u64 {
        let last = self.places(self.bytes, size) - 1;
        self.start + (to.saturating_sub(self.start) / self.step(size)).min(last) * self.step(size)
    }

    /// Whole extents, at least one.
    fn extents(&self, extent_bytes: u64) -> u64 {
        (self.bytes / extent_bytes.max(1)).max(1)
    }
}

/// A law with its state.
#[derive(Debug)]
pub enum Access {
    /// Cursors that walk.
    Sequential(Cursors),
    /// Uniform.
    Uniform,
    /// Zipf over extents.
    Zipf(Ranked<ZipfRanks>),
    /// The skew law over extents.
    Skew(Ranked<SkewRanks>),
    /// vdbench's hot band.
    HotBand,
    /// A walk on a tree.
    Tree(Walk),
    /// Reuse distances.
    Reuse(Box<Reuse>),
    /// Extents by weight.
    Density(Box<Density>),
}

impl Access {
    /// The law of `stream`, number `index` of its plan.
    ///
    /// # Errors
    /// A parameter that the law cannot have, in words.
    pub fn new(
        stream: &StreamPlan,
        range: &Range,
        draws: &mut Draws,
        keys: (u64, u32, usize),
    ) -> Result<Self, String> {
        let (seed, workload, index) = keys;
        let scattered = || Draws::new(seed, Purpose::Scatter, workload, index);
        Ok(match stream.access {
            AccessPlan::Sequential { cursors, run_bytes, turn_requests, begin } => {
                Self::Sequential(Cursors::new(cursors, run_bytes, turn_requests, begin, range, draws)?)
            }
            AccessPlan::Uniform => Self::Uniform,
            AccessPlan::Zipf { exponent, extent_bytes, order } => {
                let extents = extents(range, extent_bytes)?;
                let ranks = ZipfRanks::new(extents, exponent)?;
                Self::Zipf(Ranked::new(ranks, extents, extent_bytes, order, &mut scattered()))
            }
            AccessPlan::Skew { k, extent_bytes, order } => {
                let extents = extents(range, extent_bytes)?;
                let ranks = SkewRanks::new(extents, k)?;
                Self::Skew(Ranked::new(ranks, extents, extent_bytes, order, &mut scattered()))
            }
            AccessPlan::HotBand => Self::HotBand,
            AccessPlan::HierarchicalReuse { leaf_bytes, climb, fanout } => {
                Self::Tree(Walk::new(extents(range, leaf_bytes)?, leaf_bytes, climb, fanout, draws)?)
            }
            AccessPlan::Density {
                extent_bytes,
                ref extents,
                ref weights,
                ref runs,
                stick,
                near,
                ref jumps,
                ref reuse,
                fresh,
                ..
            } => {
                let places = (extents.as_slice(), weights.as_slice());
                Self::Density(Box::new(Density::new(
                    extent_bytes,
                    places,
                    (runs, stick),
                    (near, jumps),
                    (reuse, fresh),
                )?))
            }
            AccessPlan::ReuseDistance { block_bytes, ref hits, order } => {
                let blocks = extents(range, block_bytes)?;
                Self::Reuse(Box::new(Reuse::new(blocks, block_bytes, hits, order, &mut scattered())?))
            }
        })
    }

    /// First byte of the next request; `used` is what the workload's density laws share.
    #[inline]
    pub fn next(
        &mut self,
        range: &Range,
        draws: &mut Draws,
        size: u32,
        write: bool,
        used: &mut Memory,
    ) -> u64 {
        let bytes = u64::from(size);
        match self {
            Self::Sequential(cursors) => cursors.next(range, draws, bytes),
            Self::Uniform => range.anywhere(draws, bytes),
            Self::Zipf(ranked) => ranked.next(range, draws, bytes),
            Self::Skew(ranked) => ranked.next(range, draws, bytes),
            Self::HotBand => hot_band::next(range, draws, bytes, write),
            Self::Tree(walk) => walk.next(range, draws, bytes),
            Self::Reuse(reuse) => reuse.next(range, draws, bytes),
            Self::Density(density) => density.next(range, draws, bytes, used),
        }
    }
}

fn extents(range: &Range, bytes: u64) -> Result<u64, String> {
    if bytes == 0 {
        return Err("an extent must have at least one byte".into());
    }
    Ok(range.extents(bytes))
}
