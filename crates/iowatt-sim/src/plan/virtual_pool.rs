//! Virtual pools: one address space made of ranges of several pools, by a scheme.

use super::{MaidPlan, PdcPlan, ReducedPlan, WriteCaching, WriteOffLoadingPlan};
use serde::Deserialize;

/// An address space that volumes lie on as on a pool.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VirtualPoolPlan {
    /// What it is made of, in the order that its scheme gives meaning to.
    pub parts: Vec<PartPlan>,
    /// How.
    pub scheme: SchemePlan,
}

/// A range of one pool's usable bytes.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartPlan {
    /// Index of the pool.
    pub pool: usize,
    /// First byte in the pool; a multiple of the sector size.
    pub offset_bytes: u64,
    /// Length in bytes.
    pub capacity_bytes: u64,
}

/// What makes one address space of the parts.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, tag = "kind", rename_all = "kebab-case")]
pub enum SchemePlan {
    /// One part after the other; nothing ever moves.
    Linear {},
    /// A cache on drives that spin, in front of drives that mostly stand by.
    Maid(MaidPlan),
    /// The most popular extents on the first part.
    Pdc(PdcPlan),
    /// Writes to parts that rest go to logs of others.
    WriteOffLoading(WriteOffLoadingPlan),
    /// Each extent lives in one of two parts, a fast and a slow one, and moves.
    Tiering(TieringPlan),
    /// The second part holds everything, the first copies.
    Caching(CachingPlan),
    /// One part, optimised for capacity.
    Reduced(ReducedPlan),
}

/// Tiering.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TieringPlan {
    /// Bytes that are moved as a whole; a multiple of the sectors of both parts.
    pub extent_bytes: u64,
    /// Accesses to an extent of the slow part after which it is moved.
    pub promotion_threshold: u16,
    /// Most pairs of extents that change places at a time. As many slots of the slow part stay free.
    pub max_migrations: usize,
    /// What the fast part holds at the start.
    pub initial: InitialPlan,
}

/// Initial placement.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InitialPlan {
    /// By which rule.
    pub placement: PlacementPlan,
    /// The hottest extents, in ascending order; where they are asked for and not given, they are counted in this run.
    #[serde(default)]
    pub extents: Option<Vec<u32>>,
}

/// Rules of initial placement.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum PlacementPlan {
    /// What is touched last or never.
    Cold,
    /// Extents drawn from the seed.
    Random,
    /// What is touched first.
    FirstTouch,
    /// What is touched most.
    Hot,
}

/// Caching.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CachingPlan {
    /// Bytes that are copied as a whole; a multiple of the sectors of both parts.
    pub extent_bytes: u64,
    /// Accesses to an extent without a copy after which it gets one.
    pub promotion_threshold: u16,
    /// Most extents that are copied at a time, and most that are written back at a time.
    pub max_migrations: usize,
    /// What becomes of writes.
    pub write: WriteCaching,
    /// Share of the copies that are dirty above which they are written back.
    pub dirty_high: f64,
    /// Share at which that ends.
    pub dirty_low: f64,
    /// Time since its last write before a copy is written back for the watermark.
    pub dirty_age_s: f64,
}

impl VirtualPoolPlan {
    /// Whether the plan is consistent with itself, over so many pools.
    ///
    /// # Errors
    /// The first contradiction found.
    pub fn validate(&self, pools: usize) -> Result<(), String> {
        let check = |ok: bool, what: &str| if ok { Ok(()) } else { Err(what.to_owned()) };
        check(!self.parts.is_empty(), "a virtual pool needs a part")?;
        check(self.parts.iter().all(|p| p.pool < pools), "a virtual pool names a pool that is not there")?;
        check(self.parts.iter().all(|p| p.capacity_bytes > 0), "a part of a virtual pool holds nothing")?;
        match &self.scheme {
            SchemePlan::Linear {} => Ok(()),
            SchemePlan::Maid(plan) => plan.validate(self),
            SchemePlan::Pdc(plan) => plan.validate(self),
            SchemePlan::WriteOffLoading(plan) => plan.validate(self),
            SchemePlan::Tiering(t) => {
                let (fast, slow) = self.two_parts(t.extent_bytes, t.promotion_threshold, t.max_migrations)?;
                check(slow > t.max_migrations as u64, "tiering needs a free slow slot for each migration")?;
                let extents = fast + slow - t.max_migrations as u64;
                let sound = |hot: &Vec<u32>| {
                    let rise = hot.windows(2).all(|pair| pair[0] < pair[1]);
                    let there = hot.last().is_none_or(|&last| u64::from(last) < extents);
                    rise && there && hot.len() as u64 == fast
                };
                check(
                    t.initial.extents.as_ref().is_none_or(sound),
                    "the hottest extents must fill the fast part",
                )
            }
            SchemePlan::Reduced(r) => {
                check(self.parts.len() == 1, "what is reduced is one part")?;
                r.validate(self.parts[0].capacity_bytes)
            }
            SchemePlan::Caching(c) => {
                self.two_parts(c.extent_bytes, c.promotion_threshold, c.max_migrations)?;
                let share = |x: f64| (0.0..=1.0).contains(&x);
                let sound = share(c.dirty_high) && share(c.dirty_low) && c.dirty_low <= c.dirty_high;
                check(sound, "dirty_low and dirty_high must be shares, in this order")?;
                check(c.dirty_age_s.is_finite() && c.dirty_age_s >= 0.0, "an age must not be negative")
            }
        }
    }

    /// Slots of the two parts of a hybrid of these figures.
    fn two_parts(&self, extent_bytes: u64, threshold: u16, migrations: usize) -> Result<(u64, u64), String> {
        let check = |ok: bool, what: &str| if ok { Ok(()) } else { Err(what.to_owned()) };
        check(self.parts.len() == 2, "a hybrid has a fast and a slow part")?;
        check(
            extent_bytes > 0 && threshold > 0 && migrations > 0,
            "extent, threshold and migrations count from 1",
        )?;
        let slots = |part: usize| self.parts[part].capacity_bytes / extent_bytes;
        let (fast, slow) = (slots(0), slots(1));
        check(fast > 0 && slow > 0, "each part of a hybrid must hold an extent")?;
        check(fast + slow <= 1 << 31, "a hybrid has at most 2^31 extents")?;
        Ok((fast, slow))
    }
}
