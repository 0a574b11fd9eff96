//! Virtual pools: one address space made of ranges of several pools, by a scheme.

use super::error::PlanFault::{Capacity, Conflict, Count, Range, Reference};
use super::error::{PlanError, Under, at_least_zero, check, is_share, positive};
use super::{MaidPlan, PdcPlan, ReducedPlan, WriteOffLoadingPlan, ZonedVolumePlan};
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
    /// One part of zones, each of which is only ever written in order.
    Zoned(ZonedVolumePlan),
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

/// Write policies.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum WriteCaching {
    /// A write completes once it is in the cache, and reaches the drives later.
    Back,
    /// A write completes once it is on the drives, and stays in the cache for reads.
    Through,
    /// As through, but a write takes no new line.
    Around,
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
    /// Checks that the given extents rise, exist, and fit the fast part.
    fn validate(&self, fast: u64, extents: u64) -> Result<(), PlanError> {
        let Some(hot) = &self.extents else { return Ok(()) };
        let rise = hot.windows(2).all(|pair| pair[0] < pair[1]);
        check(rise, Conflict, "extents", "must increase")?;
        let exist = hot.last().is_none_or(|&last| u64::from(last) < extents);
        check(exist, Reference, "extents", "there is no such extent")?;
        check(hot.len() as u64 <= fast, Capacity, "extents", "must fit the fast part")
    }
}

impl VirtualPoolPlan {
    /// Whether the plan is consistent with itself, over so many pools.
    ///
    /// # Errors
    /// The first fault found.
    pub fn validate(&self, pools: usize) -> Result<(), PlanError> {
        check(!self.parts.is_empty(), Count, "parts", "must not be empty")?;
        for (number, part) in self.parts.iter().enumerate() {
            check(part.pool < pools, Reference, "pool", "there is no such pool")
                .under_item("parts", number)?;
            let holds = part.capacity_bytes > 0;
            check(holds, Range, "capacity_bytes", "must be at least 1").under_item("parts", number)?;
        }
        match &self.scheme {
            SchemePlan::Linear {} => Ok(()),
            SchemePlan::Maid(plan) => plan.validate(self),
            SchemePlan::Pdc(plan) => plan.validate(self),
            SchemePlan::WriteOffLoading(plan) => plan.validate(self),
            SchemePlan::Tiering(plan) => plan.validate(self),
            SchemePlan::Caching(plan) => plan.validate(self),
            SchemePlan::TieredPool(plan) => plan.validate(self),
            SchemePlan::Reduced(plan) => check(self.parts.len() == 1, Count, "", "needs exactly one part")
                .and_then(|()| plan.validate(self.parts[0].capacity_bytes)),
            SchemePlan::Zoned(plan) => check(self.parts.len() == 1, Count, "", "needs exactly one part")
                .and_then(|()| plan.validate(self.parts[0].capacity_bytes)),
        }
        .under("scheme")
    }

    /// Extents of the fast and the slow part.
    fn two_parts(
        &self,
        extent_bytes: u64,
        threshold: u16,
        migrations: usize,
    ) -> Result<(u64, u64), PlanError> {
        check(self.parts.len() == 2, Count, "", "needs a fast and a slow part")?;
        check(extent_bytes > 0, Range, "extent_bytes", "must be at least 1")?;
        check(threshold > 0, Range, "promotion_threshold", "must be at least 1")?;
        check((1..=4096).contains(&migrations), Range, "max_migrations", "must be 1 to 4,096")?;
        let slots = |part: usize| self.parts[part].capacity_bytes / extent_bytes;
        let (fast, slow) = (slots(0), slots(1));
        check(fast > 0 && slow > 0, Capacity, "extent_bytes", "each part must hold an extent")?;
        check(fast + slow <= 1 << 31, Capacity, "extent_bytes", "must give at most 2^31 extents")?;
        Ok((fast, slow))
    }
}

impl TieringPlan {
    fn validate(&self, pool: &VirtualPoolPlan) -> Result<(), PlanError> {
        let migrations = self.max_migrations as u64;
        let (fast, slow) =
            pool.two_parts(self.extent_bytes, self.promotion_threshold, self.max_migrations)?;
        check(slow > migrations, Capacity, "max_migrations", "must be fewer than the slow part's extents")?;
        let filled = self.initial.placement != PlacementPlan::Empty;
        check(filled, Conflict, "initial.placement", "the fast part of tiering is never empty")?;
        let fills = self.initial.extents.as_ref().is_none_or(|hot| hot.len() as u64 == fast);
        check(fills, Count, "initial.extents", "must fill the fast part")?;
        self.initial.validate(fast, fast + slow - migrations).under("initial")
    }
}

impl CachingPlan {
    fn validate(&self, pool: &VirtualPoolPlan) -> Result<(), PlanError> {
        let (fast, slow) =
            pool.two_parts(self.extent_bytes, self.promotion_threshold, self.max_migrations)?;
        let (low, high) = (self.dirty_low, self.dirty_high);
        check(is_share(high), Range, "dirty_high", "must be 0 to 1")?;
        check(is_share(low) && low <= high, Range, "dirty_low", "must be 0 to dirty_high")?;
        check(at_least_zero(self.dirty_age_s), Range, "dirty_age_s", "must be at least 0")?;
        let known = self.initial.placement != PlacementPlan::Cold;
        check(known, Conflict, "initial.placement", "a cache cannot start with what is touched last")?;
        self.initial.validate(fast, slow).under("initial")?;
        let whole = |sector: u64| {
            let sectors = self.extent_bytes.checked_div(sector);
            self.extent_bytes.is_multiple_of(sector) && sectors.is_some_and(|n| n <= MOST_SECTORS)
        };
        check(
            self.sector_bytes.is_none_or(whole),
            Range,
            "sector_bytes",
            "must divide extent_bytes into at most 32,768 sectors",
        )?;
        let may_allocate = self.sector_bytes.is_some() && self.write != WriteCaching::Around;
        check(
            may_allocate || !self.allocate_on_write,
            Conflict,
            "allocate_on_write",
            "needs sector_bytes, and writes that do not go around the cache",
        )
    }
}

impl TieredPoolPlan {
    fn validate(&self, pool: &VirtualPoolPlan) -> Result<(), PlanError> {
        let tiers = pool.parts.len();
        check(
            tiers <= 3 && self.tiers.len() == tiers,
            Count,
            "tiers",
            "must be one to three, and as many as there are parts",
        )?;
        check(self.page_bytes > 0, Range, "page_bytes", "must be at least 1")?;
        check(self.step_bytes > 0, Range, "step_bytes", "must be at least 1")?;
        let steps = self.page_bytes.div_ceil(self.step_bytes);
        check(steps < 1 << 15, Range, "step_bytes", "a page must have fewer than 32,768 steps")?;
        check((1..=4096).contains(&self.max_relocations), Range, "max_relocations", "must be 1 to 4,096")?;
        check(positive(self.cycle_s), Range, "cycle_s", "must be positive")?;
        check(is_share(self.weight) && self.weight > 0.0, Range, "weight", "must be above 0 and at most 1")?;
        check(self.rate_bytes_per_s.is_none_or(positive), Range, "rate_bytes_per_s", "must be positive")?;
        check(self.new_pages < tiers, Reference, "new_pages", "there is no such tier")?;
        let in_day = |x: f64| (0.0..DAY_S).contains(&x);
        check(in_day(self.clock_s), Range, "clock_s", "must be a time of day")?;
        let daily = |w: DailyWindowPlan| in_day(w.start_s) && positive(w.length_s) && w.length_s <= DAY_S;
        check(self.window.is_none_or(daily), Range, "window", "must start and end within a day")?;
        let slots: Vec<u64> = pool.parts.iter().map(|p| p.capacity_bytes / self.page_bytes).collect();
        check(slots.iter().all(|&slots| slots > 0), Capacity, "page_bytes", "each tier must hold a page")?;
        let all = slots.iter().sum::<u64>();
        check(all <= 1 << 31, Capacity, "page_bytes", "must give at most 2^31 pages")?;
        let whole = self.capacity_bytes > 0 && self.capacity_bytes.is_multiple_of(self.page_bytes);
        check(whole, Range, "capacity_bytes", "must be a multiple of page_bytes")?;
        for (number, tier) in self.tiers.iter().enumerate() {
            tier.validate().under_item("tiers", number)?;
        }
        let usable = |(tier, slots): (&TierPlan, &u64)| slots - tier.kept(*slots);
        let room: u64 = self.tiers.iter().zip(&slots).map(usable).sum();
        let fits = self.capacity_bytes / self.page_bytes <= room;
        check(fits, Capacity, "capacity_bytes", "must be at most what the tiers hold")?;
        for (number, policy) in self.policies.iter().enumerate() {
            let shares = policy.most.len() == tiers && policy.most.iter().all(|&x| is_share(x));
            let message = "must have a share of 0 to 1 for each tier";
            check(shares, Count, "most", message).under_item("policies", number)?;
            let rises = policy.from_bytes < policy.until_bytes;
            check(rises, Range, "until_bytes", "must be above from_bytes").under_item("policies", number)?;
        }
        Ok(())
    }
}

impl TierPlan {
    fn validate(&self) -> Result<(), PlanError> {
        let iops = self.performance_iops;
        check(iops.is_none_or(positive), Range, "performance_iops", "must be positive")?;
        check(is_share(self.relocation_buffer), Range, "relocation_buffer", "must be 0 to 1")?;
        check(
            is_share(self.new_page_buffer) && is_share(self.relocation_buffer + self.new_page_buffer),
            Range,
            "new_page_buffer",
            "must be 0 to 1, with relocation_buffer at most 1",
        )
    }

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
