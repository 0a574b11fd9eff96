//! Counts of the schemes that move data by themselves.

pub use super::maid::MaidTotals;
pub use super::pdc::PdcTotals;
pub use super::write_off_loading::WriteOffLoadingTotals;
pub use super::zoned::ZonedTotals;

use serde::Serialize;

/// Counts within the observed window.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Movement {
    /// MAID.
    Maid(MaidTotals),
    /// Popular data concentration.
    Pdc(PdcTotals),
    /// Write off-loading.
    WriteOffLoading(WriteOffLoadingTotals),
    /// A log over zones.
    Zoned(ZonedTotals),
}
