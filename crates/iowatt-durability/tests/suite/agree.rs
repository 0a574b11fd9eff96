//! Both engines agree where both apply, and figures move the way they must.

use crate::plans::{HOUR, YEAR, a_year, both, group, only, plan};
use iowatt_durability::results::{Estimate, GroupResult};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Whether an interval, made as wide again, holds a figure; a floor of 2 % is for figures whose trials hardly differ.
fn holds(interval: Estimate, exact: f64) -> bool {
    let half = (interval.high - interval.low).max(0.02 * exact);
    (interval.mean - exact).abs() <= half
}

fn agree(found: &[GroupResult; 2]) -> Result<(), TestCaseError> {
    let [chain, trials] = found;
    prop_assume!(chain.beyond_markov.is_empty()); // but for patterns of which there are too many
    for (interval, exact) in [
        (trials.loss, chain.loss.mean),
        (trials.loss_first_year, chain.loss_first_year.mean),
        (trials.group_loss, chain.group_loss.mean),
        (trials.bytes_lost, chain.bytes_lost.mean),
    ] {
        prop_assert!(holds(interval, exact), "{interval:?} {exact:e}\n{chain:?}\n{trials:?}");
    }
    // Hours come without an interval; the fewest trials, 1,024, leave some percent.
    let hours = [trials.degraded_hours_a_year, chain.degraded_hours_a_year];
    prop_assert!((hours[0] - hours[1]).abs() <= 0.15 * hours[1] + 1e-9, "{hours:?}");
    let hours = [trials.unavailable_hours_a_year, chain.unavailable_hours_a_year];
    prop_assert!((hours[0] - hours[1]).abs() <= 0.2 * hours[1] + 1e-9, "{hours:?}");
    prop_assert!((trials.causes.errors - chain.causes.errors).abs() < 0.05, "{found:?}");
    Ok(())
}

fn codes() -> impl Strategy<Value = (u32, Value)> {
    prop_oneof![
        (2u32..12, 1u32..3).prop_map(|(data, m)| (data + m, json!({"code": "any", "losses": m}))),
        (2u32..6).prop_map(|pairs| (2 * pairs, json!({"code": "spans", "width": 2, "losses": 1}))),
        (4u32..6).prop_map(|w| (2 * w, json!({"code": "spans", "width": w, "losses": 2}))),
        Just((
            10,
            json!({"code": "lrc", "data": 6, "local_groups": 2, "local_parities": 1, "global_parities": 2})
        )),
        (8u32..40, 10u32..200).prop_map(|(n, sets)| {
            (n, json!({"code": "declustered", "sets": sets, "width": 5, "losses": 1}))
        }),
        (10u32..200).prop_map(|sets| {
            (24, json!({"code": "declustered", "sets": sets, "width": 4, "losses": 1, "apart": 0}))
        }),
    ]
}

fn groups() -> impl Strategy<Value = Value> {
    let repair = (2.0..20f64, 0u32..2, 20.0..80f64, 8.0..40f64, 0.3..1f64, any::<bool>(), any::<bool>());
    (codes(), 0.01..0.1f64, repair, 0.0..3e-15f64, 0.0..2e-8f64).prop_map(
        |((members, code), rate, repair, unreadable, latent)| {
            let (detect, spares, replace, rebuild, faster, at_once, critical_first) = repair;
            json!({
                "members": members, "code": code, "user_bytes": 1e13, "drive_bytes": 1e12,
                "life": {"law": "exponential", "per_s": a_year(rate)},
                "repair": {
                    "detect": {"mean_s": detect * HOUR}, "spares": spares, "replace": {"mean_s": replace * HOUR},
                    "rebuild_s": [rebuild * HOUR, rebuild * faster * HOUR],
                    "at_once": at_once, "critical_first": critical_first,
                },
                "errors": {"unrecoverable_per_byte": unreadable, "latent_per_s": latent, "scrub_s": 14.0 * 24.0 * HOUR},
                "domains": [{"units": 4, "failures_per_s": a_year(0.2), "repair_s": 8.0 * HOUR}],
            })
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, max_shrink_iters: 8, ..ProptestConfig::default() })]

    #[test]
    fn chain_and_trials_agree(group in groups(), years in 0.2..1.5f64) {
        let [chain, trials] = ["markov", "monte-carlo"].map(|method| {
            let mut plan = plan(method, years, &group);
            plan["relative_error"] = json!(0.04);
            plan["most_trials"] = json!(8_000);
            only(&plan)
        });
        agree(&[chain, trials])?;
    }
}

/// How the probability of loss moves with each figure of a plan, by the chain.
#[test]
fn losses_rise_and_fall_with_what_they_must() {
    let mut base = group(10, 2, 0.02, 24.0);
    base["repair"] = json!({"rebuild_s": [24.0 * HOUR], "spares": 1, "replace": {"mean_s": 96.0 * HOUR}});
    base["errors"] =
        json!({"unrecoverable_per_byte": 1e-15, "latent_per_s": 1e-8, "scrub_s": 30.0 * 24.0 * HOUR});
    let loss = |group: &Value, years: f64| only(&plan("markov", years, group)).loss.mean;
    let usual = loss(&base, 1.0);
    let with = |change: &dyn Fn(&mut Value)| {
        let mut group = base.clone();
        change(&mut group);
        loss(&group, 1.0)
    };
    assert!(with(&|g| g["life"]["per_s"] = json!(a_year(0.03))) > usual);
    assert!(with(&|g| g["members"] = json!(11)) > usual);
    assert!(with(&|g| g["repair"]["rebuild_s"] = json!([30.0 * HOUR])) > usual);
    assert!(with(&|g| g["repair"]["detect"] = json!({"mean_s": 8.0 * HOUR})) > usual);
    assert!(with(&|g| g["repair"]["replace"] = json!({"mean_s": 200.0 * HOUR})) > usual);
    assert!(with(&|g| g["errors"]["unrecoverable_per_byte"] = json!(2e-15)) > usual);
    assert!(with(&|g| g["errors"]["latent_per_s"] = json!(2e-8)) > usual);
    assert!(loss(&base, 2.0) > usual);
    assert!(with(&|g| g["code"]["losses"] = json!(3)) < usual);
    assert!(with(&|g| g["repair"]["spares"] = json!(2)) < usual);
    assert!(with(&|g| g["repair"]["at_once"] = json!(true)) < usual);
    assert!(with(&|g| g["errors"]["scrub_s"] = json!(7.0 * 24.0 * HOUR)) < usual);
}

/// A unit that holds one member and destroys it is a second way for the member's drive to fail.
#[test]
fn nodes_that_destroy_one_member_each_add_to_its_rate() {
    let mut with_nodes = group(6, 2, 0.03, 48.0);
    with_nodes["domains"] =
        json!([{"units": 6, "failures_per_s": a_year(0.02), "repair_s": HOUR, "lost_share": 0.5}]);
    let found = only(&plan("monte-carlo", 1.0, &with_nodes));
    let exact = only(&plan("markov", 1.0, &group(6, 2, 0.04, 48.0)));
    assert!(holds(found.loss, exact.loss.mean), "{found:?} {exact:?}");
    // Of three losses a quarter each comes from nodes; that none does has 0.75^3.
    assert!((found.causes.drives - 0.421_875).abs() < 0.03, "{:?}", found.causes);
}

/// A rack that takes a whole mirror with it: 1 - exp(-rate), beside what drives lose.
#[test]
fn a_rack_that_holds_both_copies() {
    let mut mirror = group(2, 1, 0.01, 10.0);
    mirror["domains"] =
        json!([{"units": 1, "failures_per_s": a_year(1e-4), "repair_s": HOUR, "lost_share": 1.0}]);
    let found = only(&plan("monte-carlo", 1.0, &mirror));
    let drives = only(&plan("markov", 1.0, &group(2, 1, 0.01, 10.0))).loss.mean;
    let exact = drives - f64::exp_m1(-1e-4);
    assert!(holds(found.loss, exact), "{found:?} {exact:e}");
    assert!((found.causes.domains[0] - 1e-4 / exact).abs() < 0.01, "{:?}", found.causes);
}

/// Batches: to first order a pair is lost by n (n - 1) rate^2 rebuild time E[Z^2], Z the factor that drives share.
#[test]
fn a_shared_batch_multiplies_losses_by_its_second_moment() {
    let plain = only(&plan("markov", 0.25, &group(4, 1, 0.01, 24.0))).loss.mean;
    let mut batches = group(4, 1, 0.01, 24.0);
    // Bad batches: a tenth, five times as bad as good ones: factors 5 / 1.4 and 1 / 1.4.
    batches["batches"] =
        json!({"batches": 1, "frailty": {"law": "two-point", "bad_share": 0.1, "factor": 5.0}});
    let found = only(&plan("monte-carlo", 0.25, &batches));
    assert!(holds(found.loss, plain * (0.1 * 25.0 + 0.9) / (1.4 * 1.4)), "{found:?} {plain:e}");
    // Gamma of variance 1.5: the second moment is 2.5.
    batches["batches"]["frailty"] = json!({"law": "gamma", "variance": 1.5});
    let found = only(&plan("monte-carlo", 0.25, &batches));
    assert!(holds(found.loss, plain * 2.5), "{found:?} {plain:e}");
}

/// Latent errors that nothing removes: expected ones of a drive are its rate times its age.
#[test]
fn errors_without_scrubs_gather_with_age() {
    let mut raid5 = group(5, 1, 1e-3, 1.0);
    raid5["errors"] = json!({"latent_per_s": a_year(1e-3)});
    let found = only(&plan("monte-carlo", 4.0, &raid5));
    // 5 drives x 1e-3 a year, each failure meets 4 x 1e-3 x age errors: 5e-3 x 4e-3 x 4^2 / 2 in four years.
    let errors = found.loss.mean * found.causes.errors;
    assert!((errors - 1.6e-4).abs() < 0.03 * 1.6e-4, "{errors:e}");
    assert!(found.beyond_markov.len() == 1);
}

/// Two enclosures, mirrored across them: unavailable only where both are down at once.
#[test]
fn mirrors_across_enclosures_are_unavailable_when_both_are_down() {
    let mut mirrors = group(4, 0, 1e-6, 1.0);
    mirrors["code"] = json!({"code": "spans", "width": 2, "losses": 1});
    mirrors["domains"] = json!([{"units": 2, "failures_per_s": 1.0 / (99.0 * HOUR), "repair_s": HOUR}]);
    for found in both(1.0, &mirrors) {
        // Down 1 % of the time each: 1e-4 of 8,760 hours.
        assert!((found.unavailable_hours_a_year - 0.876).abs() < 1e-3, "{found:?}");
    }
    mirrors["domains"][0]["layout"] = json!({"layout": "packed"});
    for found in both(1.0, &mirrors) {
        assert!((found.unavailable_hours_a_year - 8760.0 * (1.0 - 0.99 * 0.99)).abs() < 0.1, "{found:?}");
    }
}

/// Weibull drives whose shape is 1 are exponential ones.
#[test]
fn weibull_of_shape_1_is_exponential() {
    let exact = only(&plan("markov", 2.0, &group(6, 2, 0.05, 48.0)));
    let mut weibull = group(6, 2, 0.05, 48.0);
    weibull["life"] = json!({"law": "weibull", "shape": 1.0, "scale_s": 20.0 * YEAR, "age_s": YEAR});
    let found = only(&plan("monte-carlo", 2.0, &weibull));
    assert!(holds(found.loss, exact.loss.mean), "{found:?} {exact:?}");
    assert!((found.degraded_hours_a_year / exact.degraded_hours_a_year - 1.0).abs() < 0.03);
}
