//! The policies, one a file. How to add one: `docs/howto/add-a-policy.md`.

mod adaptive;
mod arima;
mod counts;
mod fixed_threshold;
mod forecast;
mod law_driven;
mod laws;
mod multi_level;
mod multi_speed;
mod never;
mod oracle_energy;
mod oracle_latency;
mod outlook;
mod prediction;
mod share;
mod two_competitive;
mod visit;

pub use adaptive::{Adaptation, Adaptive};
pub use arima::Arima;
pub use fixed_threshold::FixedThreshold;
pub use forecast::Order;
pub use law_driven::LawDriven;
pub use laws::LawName;
pub use multi_level::{MultiLevel, Timer};
pub use multi_speed::MultiSpeed;
pub use never::Never;
pub use oracle_energy::OracleEnergy;
pub use oracle_latency::OracleLatency;
pub use prediction::Prediction;
pub use share::{Share, Sharing};
pub use two_competitive::TwoCompetitive;
