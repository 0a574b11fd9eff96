//! Plans as tests write them.

use iowatt_durability::results::{GroupResult, Results};
use iowatt_durability::{Plan, assess};
use serde_json::{Value, json};

/// Seconds of an hour and of a year.
pub const HOUR: f64 = 3600.0;
pub const YEAR: f64 = 8760.0 * HOUR;

/// A rate per second of so many failures a year.
pub fn a_year(rate: f64) -> f64 {
    rate / YEAR
}

/// A group of drives that fail at `rate` a year, of which any `losses` may be lost, rebuilt in `hours` on average.
pub fn group(members: u32, losses: u32, rate: f64, hours: f64) -> Value {
    json!({
        "members": members,
        "code": {"code": "any", "losses": losses},
        "user_bytes": 1e12 * f64::from(members - losses),
        "drive_bytes": 1e12,
        "life": {"law": "exponential", "per_s": a_year(rate)},
        "repair": {"rebuild_s": [hours * HOUR]},
    })
}

/// A plan of one group.
pub fn plan(method: &str, years: f64, group: &Value) -> Value {
    json!({
        "horizon_s": years * YEAR, "seed": 7, "method": method, "relative_error": 0.02,
        "most_trials": 20_000, "groups": [group],
    })
}

/// The results of a plan.
pub fn run(plan: &Value) -> Results {
    let plan: Plan = serde_json::from_value(plan.clone()).unwrap();
    assess(&plan, 1, &mut |_, _| true).unwrap()
}

/// The result of a plan's only group.
pub fn only(plan: &Value) -> GroupResult {
    run(plan).groups.remove(0)
}

/// By the chain and by simulation.
pub fn both(years: f64, group: &Value) -> [GroupResult; 2] {
    ["markov", "monte-carlo"].map(|method| only(&plan(method, years, group)))
}

/// Fails where two figures differ by more than a share of the second.
#[track_caller]
pub fn near(found: f64, expected: f64, share: f64) {
    assert!((found - expected).abs() <= share * expected.abs(), "{found:e} is not near {expected:e}");
}
