//! The series of response times is the histogram of the run, cut by time.
#![allow(clippy::unwrap_used, clippy::panic)] // tests fail by panicking

use crate::common::{MS, S, capacity, given, one_pool, poisson, run, try_run};
use iowatt_sim::{Column, Table};
use proptest::prelude::*;
use serde_json::json;
use std::collections::BTreeMap;

fn column<'a>(table: &'a Table, name: &str) -> &'a [u64] {
    match &table.iter().find(|(n, _)| *n == name).unwrap().1 {
        Column::U64(values) => values,
        Column::F64(_) => panic!("{name} is not of integers"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn blocks_sum_to_the_histograms(
        seed in any::<u64>(),
        rate in 20.0f64..600.0,
        warmup_s in prop_oneof![Just(0.0), 0.1f64..1.0],
        end_s in prop::option::of(1.1f64..3.0),
        series_s in prop::option::of(0.000_05f64..0.5),
        outstanding in prop::option::of(1u32..16),
    ) {
        let mut plan = one_pool("5", 4);
        let mut second = plan["workloads"][0].clone();
        if let Some(outstanding) = outstanding {
            second["replay"] = json!({"mode": "closed", "outstanding": outstanding, "per": "workload"});
        }
        plan["workloads"].as_array_mut().unwrap().push(second);
        plan["observe"] = json!({"warmup_s": warmup_s, "end_s": end_s, "interval_s": null, "series_s": series_s});
        let requests = |seed| poisson(seed, 400, rate, 0.6, 8_192, capacity("5", 4));
        let outcome = try_run(&plan, vec![given(requests(seed)), given(requests(seed ^ 1))]).unwrap();
        let window = outcome.summary.window;
        let (rows, bins) = (&outcome.series, &outcome.series_bins);
        let held: u64 = column(rows, "bins").iter().sum();
        prop_assert_eq!(held as usize, column(bins, "low_ns").len());

        // By workload, direction and bin of the series: requests of the histograms, whose bins are eighths of ours.
        let mut blocks: BTreeMap<_, u64> = BTreeMap::new();
        let (mut bin, mut sums, mut longest) = (0, BTreeMap::new(), 0);
        for row in 0..column(rows, "count").len() {
            let of = |name| column(rows, name)[row];
            let class = (of("workload"), of("way"));
            let (start, end) = (of("start_ns"), of("end_ns"));
            prop_assert!(of("point") == 0 && window.start_ns <= start && start < end && end <= window.end_ns);
            let mut inside = 0;
            for at in bin..bin + of("bins") as usize {
                let of = |name| column(bins, name)[at];
                *blocks.entry((class.0, class.1, of("low_ns"), of("high_ns"))).or_default() += of("count");
                inside += of("count");
            }
            bin += of("bins") as usize;
            prop_assert_eq!(inside, of("count"));
            *sums.entry(class).or_insert(0u64) += of("sum_ns");
            longest = longest.max(of("max_ns"));
        }
        let latency = &outcome.latency;
        for row in 0..column(latency, "count").len() {
            let of = |name| column(latency, name)[row];
            let class = (of("workload"), of("op"));
            let upto = (class.0, class.1, of("low_ns"), u64::MAX);
            let (key, left) = blocks.range_mut(..=upto).next_back().unwrap();
            prop_assert!((key.0, key.1) == class && key.2 <= of("low_ns") && of("high_ns") <= key.3);
            *left -= of("count");
        }
        prop_assert!(blocks.values().all(|&left| left == 0));

        for (workload, flow) in outcome.summary.workloads.iter().enumerate() {
            for (way, moments) in [&flow.response.read, &flow.response.write].into_iter().enumerate() {
                let sum = sums.get(&(workload as u64, way as u64)).copied().unwrap_or(0) as f64;
                prop_assert!((sum / 1e9 - moments.mean_s * moments.count as f64).abs() <= 1e-9 * sum / 1e9);
            }
        }
        prop_assert_eq!(longest as f64 / 1e9, outcome.summary.total.response.all.max_s);
    }
}

#[test]
fn blocks_partition_the_window_and_those_without_requests_are_there() {
    // Ten requests at the start of an observed second: what follows them is empty blocks.
    let mut plan = one_pool("0", 1);
    plan["observe"]["end_s"] = json!(1.0);
    let outcome = run(&plan, poisson(1, 10, 1_000.0, 1.0, 512, capacity("0", 1)));
    let (start, end) = (column(&outcome.series, "start_ns"), column(&outcome.series, "end_ns"));
    // 1 s has 500 blocks of 2 ms; there are reads only.
    assert_eq!((start.len(), start[0], end[499]), (500, 0, S));
    assert!(start.iter().zip(end).all(|(from, until)| until - from == 2 * MS));
    assert_eq!(start[1..], end[..499]);
    assert_eq!(column(&outcome.series, "count").iter().sum::<u64>(), 10);
    assert_eq!(column(&outcome.series, "count")[499], 0);
    assert!(outcome.summary.points.is_empty());
}
