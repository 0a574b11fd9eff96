//! Published figures, and hand calculations of arrays that are sold.

use crate::plans::{YEAR, group, near, only, plan};
use serde_json::{Value, json};

/// Probability of `least` and more of `n` that each have `p`.
fn binomial_tail(n: u32, least: u32, p: f64) -> f64 {
    let ways = |k: u32| (0..k).map(|i| f64::from(n - i) / f64::from(k - i)).product::<f64>();
    (least..=n).map(|k| ways(k) * p.powi(k as i32) * (1.0 - p).powi((n - k) as i32)).sum()
}

/// Backblaze's calculator (github.com/Backblaze/erasure-coding-durability, README): 4+2, 10 % a year, a day.
#[test]
fn backblaze_4_plus_2_to_the_printed_digits() {
    let in_a_day = binomial_tail(6, 3, -f64::exp_m1(-0.10 / 365.0));
    assert_eq!(format!("{in_a_day:.3e}"), "4.109e-10");
    let in_a_year = -(365.0 * (-in_a_day).ln_1p()).exp_m1();
    assert_eq!(format!("{in_a_year:.3e}"), "1.500e-7");
    assert_eq!(format!("{:.15}", 1.0 - in_a_year), "0.999999850032187");
}

/// "Backblaze Durability is 99.999999999 %" (17 July 2018): 17+3, 0.41 % a year, 156 hours; both of its formulas.
///
/// It takes the year as 56 windows in each of which four must fail. Four whose rebuilds overlap need not lie in one
/// window: of m + 1 failures within a rebuild's time, one of m + 1 cases does, so that ours is four times as likely.
#[test]
fn backblaze_17_plus_3_has_eleven_nines_by_its_formulas_and_ten_by_ours() {
    let windows = 8760.0 / 156.0;
    let expected: f64 = 20.0 * 0.0041 / windows;
    let four: f64 = (1..=4).map(|k| expected / f64::from(k)).product::<f64>() * (-expected).exp();
    let by_poisson = four * windows;
    assert_eq!(format!("{:.11}", 1.0 - by_poisson), "0.99999999999");
    let by_binomial = binomial_tail(20, 4, 0.0041 / windows) * windows;
    assert_eq!(format!("{:.11}", 1.0 - by_binomial), "0.99999999999");

    let mut vault = group(20, 3, 0.0041, 156.0);
    vault["repair"]["at_once"] = json!(true);
    let chain = only(&plan("markov", 1.0, &vault)).loss.mean;
    vault["repair"]["rebuild_law"] = json!("fixed");
    let trials = only(&plan("monte-carlo", 1.0, &vault));
    // The vault begins whole, which a year of 156-hour repairs shows by some percent.
    near(chain, 4.0 * by_binomial, 0.05);
    near(trials.loss.mean, 4.0 * by_binomial, 0.05);
    assert_eq!(format!("{:.11}", 1.0 - chain), "0.99999999997");
}

/// One RAID-5 of n drives over five years: each failure meets n - 1 drives that are read whole, or fail in the rebuild.
fn by_hand(n: f64, rate: f64, bytes: f64, per_bit: f64, hours: f64) -> f64 {
    let meets = -f64::exp_m1(-(n - 1.0) * (bytes * 8.0 * per_bit + rate * hours / 8760.0));
    -f64::exp_m1(-5.0 * n * rate * meets)
}

fn raid5(n: u32, rate: f64, bytes: f64, per_bit: f64, hours: f64) -> Value {
    let mut group = group(n, 1, rate, hours);
    group["drive_bytes"] = json!(bytes);
    group["errors"] = json!({"unrecoverable_per_byte": 8.0 * per_bit});
    group
}

/// 17 x 7.68 TB (AFR 0.98 %, 1e-17 a bit) and 140 x 0.9 TB (1.57 %, 1e-16): with rebuilds of no length, which leave
/// only unreadable sectors, 0.8 % and 65 %; with rebuilds of a day, and by both engines, a little more.
#[test]
fn wide_raid_5_over_five_years() {
    for (n, afr, bytes, per_bit, rounded) in
        [(17, 0.0098, 7.68e12, 1e-17, "0.8"), (140, 0.0157, 0.9e12, 1e-16, "65")]
    {
        let rate = -f64::ln_1p(-afr);
        let percent = 100.0 * by_hand(f64::from(n), rate, bytes, per_bit, 0.0);
        assert_eq!(if percent < 1.0 { format!("{percent:.1}") } else { format!("{percent:.0}") }, rounded);
        for hours in [0.01, 24.0] {
            let expected = by_hand(f64::from(n), rate, bytes, per_bit, hours);
            let group = raid5(n, rate, bytes, per_bit, hours);
            near(only(&plan("markov", 5.0, &group)).loss.mean, expected, 0.01);
            near(only(&plan("monte-carlo", 5.0, &group)).loss.mean, expected, 0.04);
        }
    }
}

/// What mean times to data loss hide (Greenan, Plank and Wylie, HotStorage 2010): two designs with the same one lose
/// amounts that are a hundredfold apart and more, because one loses sectors and the other whole groups.
#[test]
fn like_mean_times_and_unlike_bytes() {
    let sectors = only(&plan("markov", 1.0, &raid5(8, 0.02, 1e12, 1e-16, 1.0)));
    // Rebuilds a year, which are as long as it takes for the same mean time without unreadable sectors.
    let rebuilds = 8.0 * 7.0 * 0.02 * 0.02 * sectors.mttdl_s / YEAR;
    let groups = only(&plan("markov", 1.0, &group(8, 1, 0.02, 8760.0 / rebuilds)));
    near(groups.mttdl_s, sectors.mttdl_s, 0.05);
    assert!(groups.bytes_lost.mean > 100.0 * sectors.bytes_lost.mean);
}

/// Drives fail and are replaced for ever, sets lose their share: E[bytes] of drawn sets is that of each set alone.
#[test]
fn scattered_sets_lose_often_and_little() {
    // 30 drives in 10 triples apart (RAID-10 of three copies), or 2,000 triples drawn from all of them.
    let mut apart = group(30, 0, 0.2, 24.0);
    apart["code"] = json!({"code": "spans", "width": 3, "losses": 2});
    apart["repair"]["at_once"] = json!(true);
    let mut drawn = apart.clone();
    drawn["code"] = json!({"code": "declustered", "sets": 2000, "width": 3, "losses": 2});
    let [apart, drawn] = [apart, drawn].map(|group| only(&plan("markov", 1.0, &group)));
    // Triples of lost drives that hold a set: 10 of C(30, 3) = 4,060, against about 1 - exp(-2000 / 4060).
    let more = 4060.0 / 10.0 * -f64::exp_m1(-2000.0 / 4060.0);
    near(drawn.loss.mean / apart.loss.mean, more, 0.05);
    // A span loses all of a striped volume; a set one 2000th, and any three drives lose 2000 / 4060 of them.
    near(drawn.bytes_lost.mean / apart.bytes_lost.mean, 4060.0 / 10.0 / 4060.0, 0.05);
}
