//! Virtual pools: one address space made of ranges of several pools, by a scheme.

use super::{MaidPlan, PdcPlan, ReducedPlan, WriteCaching, WriteOffLoadingPlan};
use serde::Deserialize;

/// An address space that volumes lie on as on a pool.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct VirtualPoolPlan {
    /// What it is made of, in the order that its scheme gives meaning to.
    pub parts: Vec<PartPlan>,
    /// How.
    pub scheme: SchemePlan,
}

/// A range of one pool's usable bytes.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// Pages live in one of up to three tiers, the fastest first, and are relocated by what each cycle has counted.
    TieredPool(TieredPoolPlan),
}

/// A pool of tiers.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TieredPoolPlan {
    /// Bytes that are placed as a whole; a multiple of the sectors of all parts.
    pub page_bytes: u64,
    /// Bytes that a relocation copies at a time.
    pub step_bytes: u64,
    /// Bytes of the address space; whole pages.
    pub capacity_bytes: u64,
    /// One for each part.
    pub tiers: Vec<TierPlan>,
    /// Seconds from one relocation plan to the next.
    pub cycle_s: f64,
    /// How much the last cycle counts in the weighted average of cycles; 1: it alone.
    pub weight: f64,
    /// The tier of a page that is touched for the first time.
    pub new_pages: usize,
    /// Most pages that are relocated at a time.
    pub max_relocations: usize,
    /// Bytes relocated a second, at most; none: as fast as that allows.
    pub rate_bytes_per_s: Option<f64>,
    /// The time of day at the start, seconds.
    pub clock_s: f64,
    /// When relocations may start; none: at any time.
    pub window: Option<DailyWindowPlan>,
    /// Shares of ranges of the address space.
    pub policies: Vec<TieringPolicyPlan>,
}

/// One tier.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TierPlan {
    /// Accesses a second that the pages placed there may have together; none: any number.
    pub performance_iops: Option<f64>,
    /// Share that only relocations may fill.
    pub relocation_buffer: f64,
    /// Share that relocations leave to new pages.
    pub new_page_buffer: f64,
}

/// A span of every day.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DailyWindowPlan {
    /// Time of day at which it starts, seconds.
    pub start_s: f64,
    /// Its length, seconds.
    pub length_s: f64,
}

/// How the pages of a range of the address space may be spread.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TieringPolicyPlan {
    /// First byte.
    pub from_bytes: u64,
    /// One past the last byte.
    pub until_bytes: u64,
    /// Most of the range's pages in each tier, as a share.
    pub most: Vec<f64>,
}

/// Seconds of a day.
pub const DAY_S: f64 = 86_400.0;

/// Tiering.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct InitialPlan {
    /// By which rule.
    pub placement: PlacementPlan,
    /// The hottest extents, in ascending order; where they are asked for and not given, they are counted in this run. For
    /// tiering as many as the fast part holds, for a cache at most as many.
    #[serde(default)]
    pub extents: Option<Vec<u32>>,
}

/// Rules of initial placement.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PlacementPlan {
    /// Nothing, which a cache may start with and tiering may not.
    Empty,
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// What the fast part holds copies of at the start.
    pub initial: InitialPlan,
    /// Bytes of a sector, where each is valid or dirty for itself; none: extents are copied and written back as a whole.
    pub sector_bytes: Option<u64>,
    /// Whether a write to an extent without a copy gets one; only with sectors.
    pub allocate_on_write: bool,
}

/// Sectors of an extent that a cache can tell apart.
const MOST_SECTORS: u64 = 1 << 15;

impl InitialPlan {
    /// Whether the extents given rise, are there and fit.
    fn is_sound(&self, fast: u64, extents: u64) -> bool {
        self.extents.as_ref().is_none_or(|hot| {
            let rise = hot.windows(2).all(|pair| pair[0] < pair[1]);
            rise && hot.last().is_none_or(|&last| u64::from(last) < extents) && hot.len() as u64 <= fast
        })
    }
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
                check(
                    t.initial.placement != PlacementPlan::Empty,
                    "the fast part of tiering is never empty",
                )?;
                let fills = t.initial.extents.as_ref().is_none_or(|hot| hot.len() as u64 == fast);
                check(
                    fills && t.initial.is_sound(fast, extents),
                    "the hottest extents must fill the fast part",
                )
            }
            SchemePlan::Reduced(r) => {
                check(self.parts.len() == 1, "what is reduced is one part")?;
                r.validate(self.parts[0].capacity_bytes)
            }
            SchemePlan::Caching(c) => {
                let (fast, slow) = self.two_parts(c.extent_bytes, c.promotion_threshold, c.max_migrations)?;
                let share = |x: f64| (0.0..=1.0).contains(&x);
                let sound = share(c.dirty_high) && share(c.dirty_low) && c.dirty_low <= c.dirty_high;
                check(sound, "dirty_low and dirty_high must be shares, in this order")?;
                check(c.dirty_age_s.is_finite() && c.dirty_age_s >= 0.0, "an age must not be negative")?;
                let warm = c.initial.placement != PlacementPlan::Cold && c.initial.is_sound(fast, slow);
                check(warm, "copies at the start are of extents that there are, each once, and fit")?;
                let whole = |sector: u64| {
                    let sectors = c.extent_bytes.checked_div(sector);
                    c.extent_bytes.is_multiple_of(sector) && sectors.is_some_and(|n| n <= MOST_SECTORS)
                };
                check(c.sector_bytes.is_none_or(whole), "an extent is at most 32,768 whole sectors")?;
                let goes = c.sector_bytes.is_some() && c.write != WriteCaching::Around;
                check(
                    goes || !c.allocate_on_write,
                    "writes get copies by sector, and none where they go around",
                )
            }
            SchemePlan::TieredPool(t) => self.check_tiered_pool(t),
        }
    }

    fn check_tiered_pool(&self, t: &TieredPoolPlan) -> Result<(), String> {
        let check = |ok: bool, what: &str| if ok { Ok(()) } else { Err(what.to_owned()) };
        let share = |x: f64| (0.0..=1.0).contains(&x);
        let positive = |x: f64| x.is_finite() && x > 0.0;
        let tiers = self.parts.len();
        check(
            tiers <= 3 && t.tiers.len() == tiers,
            "a tiered pool has one to three tiers, each with a plan",
        )?;
        check(t.page_bytes > 0 && t.step_bytes > 0, "page and step count from 1")?;
        check(t.page_bytes.div_ceil(t.step_bytes) < 1 << 15, "a page has fewer than 32,768 steps")?;
        check(t.max_relocations > 0 && t.max_relocations <= 4096, "relocations count from 1 to 4,096")?;
        check(positive(t.cycle_s) && share(t.weight) && t.weight > 0.0, "cycle and weight must be positive")?;
        check(t.rate_bytes_per_s.is_none_or(positive), "a rate must be positive")?;
        check(t.new_pages < tiers, "new pages go to a tier that is not there")?;
        let day = |x: f64| (0.0..DAY_S).contains(&x);
        let daily = |w: DailyWindowPlan| day(w.start_s) && positive(w.length_s) && w.length_s <= DAY_S;
        check(day(t.clock_s) && t.window.is_none_or(daily), "a time of day must be one")?;
        let slots: Vec<u64> = self.parts.iter().map(|p| p.capacity_bytes / t.page_bytes).collect();
        check(slots.iter().all(|&slots| slots > 0), "each tier must hold a page")?;
        check(slots.iter().sum::<u64>() <= 1 << 31, "a tiered pool has at most 2^31 pages")?;
        check(
            t.capacity_bytes > 0 && t.capacity_bytes.is_multiple_of(t.page_bytes),
            "whole pages are offered",
        )?;
        for tier in &t.tiers {
            check(tier.performance_iops.is_none_or(positive), "a performance must be positive")?;
            let sum = tier.relocation_buffer + tier.new_page_buffer;
            check(
                share(tier.relocation_buffer) && share(tier.new_page_buffer) && share(sum),
                "buffers are shares",
            )?;
        }
        let kept = |(tier, slots): (&TierPlan, &u64)| slots - tier.kept(*slots);
        let room: u64 = t.tiers.iter().zip(&slots).map(kept).sum();
        check(t.capacity_bytes / t.page_bytes <= room, "a tiered pool offers more than its tiers hold")?;
        for policy in &t.policies {
            let sound = policy.most.len() == tiers && policy.most.iter().all(|&x| share(x));
            check(
                sound && policy.from_bytes < policy.until_bytes,
                "a tiering policy has a share for each tier",
            )?;
        }
        Ok(())
    }

    /// Slots of the two parts of a hybrid of these figures.
    fn two_parts(&self, extent_bytes: u64, threshold: u16, migrations: usize) -> Result<(u64, u64), String> {
        let check = |ok: bool, what: &str| if ok { Ok(()) } else { Err(what.to_owned()) };
        check(self.parts.len() == 2, "a hybrid has a fast and a slow part")?;
        check(
            extent_bytes > 0 && threshold > 0 && migrations > 0,
            "extent, threshold and migrations count from 1",
        )?;
        check(migrations <= 4096, "migrations count from 1 to 4,096")?;
        let slots = |part: usize| self.parts[part].capacity_bytes / extent_bytes;
        let (fast, slow) = (slots(0), slots(1));
        check(fast > 0 && slow > 0, "each part of a hybrid must hold an extent")?;
        check(fast + slow <= 1 << 31, "a hybrid has at most 2^31 extents")?;
        Ok((fast, slow))
    }
}

impl TierPlan {
    /// Slots of so many that only relocations may fill: one at least.
    #[must_use]
    pub fn kept(&self, slots: u64) -> u64 {
        ((self.relocation_buffer * slots as f64) as u64).clamp(1, slots)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // tests fail by panicking
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_hybrid_has_a_bounded_number_of_migrations() {
        for migrations in [1_u64, 4_096, 4_097, 1 << 40] {
            let part = json!({"pool": 0, "offset_bytes": 0, "capacity_bytes": 1_u64 << 40});
            let plan: VirtualPoolPlan = serde_json::from_value(json!({
                "parts": [part, part],
                "scheme": {"kind": "caching", "extent_bytes": 1 << 20, "promotion_threshold": 1,
                           "max_migrations": migrations, "write": "back", "dirty_high": 0.5, "dirty_low": 0.5,
                           "dirty_age_s": 0.0, "initial": {"placement": "empty"},
                           "sector_bytes": null, "allocate_on_write": false},
            }))
            .unwrap();
            assert_eq!(plan.validate(1).is_ok(), migrations <= 4_096, "{:?}", plan.validate(1));
        }
    }
}
