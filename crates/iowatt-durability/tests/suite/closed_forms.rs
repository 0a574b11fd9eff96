//! Mean times to data loss and probabilities that have closed forms.

use crate::plans::{HOUR, YEAR, a_year, both, group, near, only, plan};
use serde_json::json;

/// The textbook mean time of n members that survive m losses, one rebuild at a time: the first-order term of the
/// chain, mu^m / (n (n - 1) ... (n - m) lambda^(m + 1)).
fn textbook(n: u32, m: u32, rate: f64, hours: f64) -> f64 {
    let (lambda, mu) = (a_year(rate), 1.0 / (hours * HOUR));
    let ways: f64 = (n - m..=n).map(f64::from).product();
    mu.powi(m as i32) / (ways * lambda.powi(m as i32 + 1))
}

#[test]
fn mean_times_of_raid_and_erasure_codes() {
    // RAID-1, RAID-5 of 8, RAID-6 of 12, EC 4+2, 8+3, 17+3; AFR 1 %, rebuilds of a day.
    for (n, m) in [(2, 1), (8, 1), (12, 2), (6, 2), (11, 3), (20, 3)] {
        let [chain, simulated] = both(1.0, &group(n, m, 0.01, 24.0));
        let expected = textbook(n, m, 0.01, 24.0);
        near(chain.mttdl_s, expected, 0.01);
        // Trials give a probability; a group that starts whole is safe for about a rebuild longer than at its mean rate.
        let (low, high) = (YEAR / simulated.loss.high, YEAR / simulated.loss.low);
        assert!(low * 0.99 < expected && expected < high * 1.01, "{n} {m}: {low:e} {expected:e} {high:e}");
    }
}

#[test]
fn mean_times_to_the_last_digit() {
    // RAID-1: (3 lambda + mu) / (2 lambda^2). RAID-5: ((2 n - 1) lambda + mu) / (n (n - 1) lambda^2).
    let (lambda, mu) = (a_year(0.5), 1.0 / (500.0 * HOUR));
    let mirror = only(&plan("markov", 1.0, &group(2, 1, 0.5, 500.0)));
    near(mirror.mttdl_s, (3.0 * lambda + mu) / (2.0 * lambda * lambda), 1e-12);
    let raid5 = only(&plan("markov", 1.0, &group(9, 1, 0.5, 500.0)));
    near(raid5.mttdl_s, (17.0 * lambda + mu) / (72.0 * lambda * lambda), 1e-12);
}

#[test]
fn drives_without_redundancy() {
    // 1 - exp(-n lambda t), by the chain and by trials.
    for found in both(2.0, &group(5, 0, 0.1, 24.0)) {
        near(found.loss.mean, -f64::exp_m1(-1.0), 1e-3);
        near(found.bytes_lost.mean, found.loss.mean * 5e12, 1e-9);
    }
}

#[test]
fn a_weibull_drive_alone() {
    // 1 - exp(-((a + t)^k - a^k) / s^k), of a drive of one year of age.
    let mut single = group(1, 0, 0.1, 24.0);
    single["life"] = json!({"law": "weibull", "shape": 1.5, "scale_s": 10.0 * YEAR, "age_s": YEAR});
    let expected = -f64::exp_m1(-(6f64.powf(1.5) - 1.0) / 10f64.powf(1.5));
    near(only(&plan("monte-carlo", 5.0, &single)).loss.mean, expected, 1e-6);
    single["life"] = json!({"law": "table", "from_s": [0.0, YEAR, 2.0 * YEAR],
        "per_s": [a_year(0.05), a_year(0.01), a_year(0.02)], "age_s": 0.5 * YEAR});
    // Half a year at 5 %, one at 1 %, half a year at 2 %.
    near(only(&plan("monte-carlo", 2.0, &single)).loss.mean, -f64::exp_m1(-0.045), 1e-6);
}
