//! Plans of virtual pools, in SI numbers and indices, and why one cannot be run.

mod data_movement;
mod error;
mod reduced;
mod virtual_pool;
mod zoned_volume;

pub use data_movement::{MaidPlan, PdcPlan, WriteOffLoadingPlan};
pub use error::{PlanError, PlanFault, Under, at_least_zero, check, is_share, positive};
pub use reduced::{ReclaimPlan, ReducedPlan, SnapshotMethod, SnapshotPlan};
pub use virtual_pool::{
    CachingPlan, DAY_S, InitialPlan, PartPlan, PlacementPlan, SchemePlan, TieredPoolPlan, TieringPlan,
    TieringPolicyPlan, VirtualPoolPlan, WriteCaching,
};
pub use zoned_volume::{GcPolicy, ZonedInitialPlan, ZonedVolumePlan};
