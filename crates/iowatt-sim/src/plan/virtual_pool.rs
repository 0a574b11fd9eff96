//! Virtual pools: one address space made of ranges of several pools, by a scheme.

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
        check(self.parts.iter().all(|p| p.capacity_bytes > 0), "a part of a virtual pool holds nothing")
    }
}
