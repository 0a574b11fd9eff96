//! Rare events: errors small enough soon, and intervals that cover.

use crate::plans::{YEAR, group, near, only, plan, run};
use serde_json::{Value, json};

fn with_law(mut group: Value, law: &str) -> Value {
    group["repair"]["rebuild_law"] = json!(law);
    group
}

/// 1e-9, 1e-12 and 1e-17 a year. Rebuilds of fixed length, one after the other, leave a rebuild that began earlier
/// less to do: between m failures in one rebuild lie fractions of it, whose product is 1 / m! on average.
#[test]
fn losses_of_1e_minus_9_to_1e_minus_17_a_year() {
    for (n, m, rate, hours, factorial) in
        [(14, 2, 0.006, 8.0, 2.0), (20, 3, 0.01, 10.0, 6.0), (20, 4, 0.008, 9.0, 24.0)]
    {
        let group = group(n, m, rate, hours);
        let exact = only(&plan("markov", 1.0, &group)).loss.mean;
        for (law, expected) in [("exponential", exact), ("fixed", exact / factorial)] {
            let mut plan = plan("monte-carlo", 1.0, &with_law(group.clone(), law));
            plan["relative_error"] = json!(0.1);
            let found = only(&plan);
            assert!(found.relative_error <= 0.1, "{found:?}");
            // The bar is 60 CPU seconds; an optimised build takes less than a hundredth of what this one does.
            assert!(found.cpu_s < 20.0, "{found:?}");
            near(found.loss.mean, expected, 0.15);
        }
    }
}

/// Of 1,000 intervals of 95 %, 930 to 970 hold the exact figure; the standard error of the count is 7.
#[test]
fn intervals_cover() {
    let mut group = group(4, 1, 0.5, 100.0);
    group["errors"] = json!({"unrecoverable_per_byte": 1e-15});
    let exact = only(&plan("markov", 1.0, &group));
    let mut plan = plan("monte-carlo", 1.0, &group);
    plan["most_trials"] = json!(192);
    plan["relative_error"] = json!(1e-9);
    let mut covered = [0, 0, 0];
    for seed in 0..1000 {
        plan["seed"] = json!(seed);
        let found = only(&plan);
        let pairs = [
            (found.loss, exact.loss),
            (found.loss_first_year, exact.loss_first_year),
            (found.bytes_lost, exact.bytes_lost),
        ];
        for (count, (interval, exact)) in covered.iter_mut().zip(pairs) {
            *count += i32::from(interval.low <= exact.mean && exact.mean <= interval.high);
        }
    }
    assert!(covered.iter().all(|count| (930..=970).contains(count)), "{covered:?}");
}

#[test]
fn threads_change_nothing_but_the_time() {
    let mut group = group(8, 2, 0.05, 48.0);
    group["life"] = json!({"law": "weibull", "shape": 1.3, "scale_s": 20.0 * YEAR});
    let plan = plan("monte-carlo", 2.0, &group);
    let plan: iowatt_durability::Plan = serde_json::from_value(plan).unwrap();
    let [one, three] = [1, 3].map(|threads| {
        let mut found = iowatt_durability::assess(&plan, threads, &mut |_, _| true).unwrap();
        found.groups[0].cpu_s = 0.0;
        found.total.cpu_s = 0.0;
        serde_json::to_string(&found).unwrap()
    });
    assert_eq!(one, three);
}

#[test]
fn a_hook_that_says_no_stops_the_trials() {
    let plan: iowatt_durability::Plan =
        serde_json::from_value(plan("monte-carlo", 1.0, &group(8, 2, 0.05, 48.0))).unwrap();
    let mut calls = 0;
    let stopped = iowatt_durability::assess(&plan, 1, &mut |_, _| {
        calls += 1;
        calls < 3
    });
    assert!(matches!(stopped, Err(iowatt_durability::AssessError::Stopped)));
    assert_eq!(calls, 3);
}

#[test]
fn groups_add_up() {
    let mut two = plan("markov", 1.0, &group(8, 1, 0.05, 48.0));
    let one = run(&two);
    two["groups"][0]["count"] = json!(1000);
    let many = run(&two);
    near(many.total.bytes_lost.mean, 1000.0 * one.total.bytes_lost.mean, 1e-12);
    near(many.total.loss.mean, 1.0 - (1.0 - one.total.loss.mean).powi(1000), 1e-9);
    near(many.total.lost_share, one.total.lost_share, 1e-12);
    near(many.total.mttdl_s * 1000.0, one.total.mttdl_s, 1e-12);
}
