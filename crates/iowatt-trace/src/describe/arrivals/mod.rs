//! When requests arrive: the gaps between them, a hyper-exponential fitted to these, and the burstiness of
//! counts over scales.

mod cascade;
mod gaps;
mod hurst;
mod hyperexp;

pub(super) use cascade::Cascade;
pub use cascade::{Divisions, Scale};
pub(super) use gaps::Gaps;
pub use gaps::{GapFigures, GapHistogram};
pub use hurst::Hurst;
pub(super) use hurst::estimates;
pub use hyperexp::Fitted;
