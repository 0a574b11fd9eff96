//! Erasure codes: bytes and operations of writes, reads and repairs against hand formulas (docs/models/raid.md). Places of
//! units are worked out here anew, from the rotation of left-symmetric parity.
#![allow(clippy::unwrap_used)] // tests fail by panicking

use crate::common::{S, capacity, code_of, moved, one_pool, poisson, raid, request, run, trouble, try_run};
use iowatt_trace::Op;
use proptest::prelude::*;
use serde_json::{Value, json};

const UNIT: u64 = 16_384;
const CODES: [&str; 4] = ["ec4+2", "ec8+3", "ec17+3", "ec12+2+2"];

/// Units of a stripe: `k` of data in `l` groups, `l` local and `r` global parity units.
struct Shape {
    level: &'static str,
    k: u64,
    r: u64,
    l: u64,
}

impl Shape {
    fn of(level: &'static str) -> Self {
        let [k, r, l] = code_of(level).unwrap();
        Self { level, k: k as u64, r: r as u64, l: l as u64 }
    }

    fn n(&self) -> u64 {
        self.k + self.r + self.l
    }

    /// Drive of a unit of a stripe: data from 0, local parity from `k`, then global. Parity moves left by a drive a stripe.
    fn drive(&self, stripe: u64, unit: u64) -> usize {
        let n = self.n();
        let p = (n - 1) - stripe % n;
        let behind = if unit < self.k { n - self.k + unit } else { unit - self.k };
        ((p + behind) % n) as usize
    }

    fn group(&self, unit: u64) -> Option<u64> {
        match unit {
            _ if self.l == 0 => None,
            data if data < self.k => Some(data / (self.k / self.l)),
            parity if parity < self.k + self.l => Some(parity - self.k),
            _ => None,
        }
    }

    /// Parity units that `w` data units from `first` change.
    fn parity(&self, first: u64, w: u64) -> u64 {
        let groups =
            if self.l == 0 { 0 } else { self.group(first + w - 1).unwrap() - self.group(first).unwrap() + 1 };
        self.r + groups
    }

    fn plan(&self, failed: &[usize]) -> Value {
        let mut plan = one_pool(self.level, self.n() as usize);
        let failures: Vec<_> = failed.iter().map(|&drive| (drive, 0.0)).collect();
        trouble(&mut plan, 0, "dedicated", &failures);
        plan
    }
}

/// Operations of one size.
fn alike(reads: u64, writes: u64, bytes: u64) -> [u64; 4] {
    [reads, writes, reads * bytes, writes * bytes]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// A write of part of a unit, of whole units, of a stripe; a read of the same.
    #[test]
    fn writes_and_reads(
        code in 0usize..4, stripe in 0u64..500, at in 0u64..100, more in 0u64..100, sectors in 1u64..32, choice in 0usize..3,
    ) {
        let shape = Shape::of(CODES[code]);
        let (first, k) = (at % shape.k, shape.k);
        let mut plan = shape.plan(&[]);
        let way = ["auto", "read-modify-write", "reconstruct"][choice];
        plan["pools"][0]["raid"]["small_write"] = json!(way);
        let of = |op, first: u64, bytes: u64| {
            moved(&run(&plan, vec![request(0, op, (stripe * k + first) * UNIT, bytes as u32)]))
        };
        let reads = |modify: u64, reconstruct: u64| match way {
            "auto" => modify.min(reconstruct),
            "reconstruct" => reconstruct,
            _ => modify,
        };
        // Small: the old unit and the parity over it, or the k - 1 others, over the same sectors.
        let p = shape.parity(first, 1);
        prop_assert_eq!(of(Op::Write, first, sectors * 512), alike(reads(1 + p, k - 1), 1 + p, sectors * 512));
        // w whole units.
        let w = 1 + more % (k - first);
        let p = shape.parity(first, w);
        let expected = if w == k { 0 } else { reads(w + p, k - w) };
        prop_assert_eq!(of(Op::Write, first, w * UNIT), alike(expected, w + p, UNIT));
        prop_assert_eq!(of(Op::Read, first, w * UNIT), alike(w, 0, UNIT));
        // A stripe.
        prop_assert_eq!(of(Op::Write, 0, k * UNIT), alike(0, shape.n(), UNIT));
    }

    /// With any one or two units of a stripe lost: a read or a small write of a data unit of it.
    #[test]
    fn degraded_reads_and_writes(
        code in 0usize..4, stripe in 0u64..500, at in 0u64..100, lost in 0u64..100, second in prop::option::of(0u64..100),
        sectors in 1u64..32,
    ) {
        let shape = Shape::of(CODES[code]);
        let (unit, k) = (at % shape.k, shape.k);
        let mut gone = vec![lost % shape.n()];
        gone.extend(second.map(|unit| unit % shape.n()).filter(|unit| !gone.contains(unit)));
        let failed: Vec<usize> = gone.iter().map(|&unit| shape.drive(stripe, unit)).collect();
        let plan = shape.plan(&failed);
        let offset = (stripe * k + unit) * UNIT;
        let of = |op| moved(&run(&plan, vec![request(0, op, offset, (sectors * 512) as u32)]));
        let bytes = sectors * 512;

        let group = shape.group(unit);
        let in_group = gone.iter().filter(|&&unit| shape.group(unit) == group).count();
        let read = match (gone.contains(&unit), group) {
            (false, _) => 1,
            (true, Some(_)) if in_group == 1 => k / shape.l,
            (true, _) => k,
        };
        prop_assert_eq!(of(Op::Read), alike(read, 0, bytes));

        // Parity that covers the unit and is there.
        let lost_parity = gone.iter().filter(|&&other| {
            other >= k && (shape.group(other).is_none() || shape.group(other) == group)
        }).count() as u64;
        let p = shape.parity(unit, 1) - lost_parity;
        let others_lost = gone.iter().any(|&other| other < k && other != unit);
        let (reads, writes) = match (gone.contains(&unit), others_lost) {
            _ if p == 0 => (0, 1 - u64::from(gone.contains(&unit))),
            (false, false) => ((1 + p).min(k - 1), 1 + p),
            (false, true) => (1 + p, 1 + p),
            (true, false) => (k - 1, p),
            (true, true) => (k, p), // the old stripe is computed first
        };
        prop_assert_eq!(of(Op::Write), alike(reads, writes, bytes));
    }

}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// A whole rebuild: one write for each unit of the drive, and the reads of the stripe or of the group.
    #[test]
    fn repairs(code in 0usize..4, failed in 0usize..100, outstanding in 1u32..5, distributed in any::<bool>()) {
        let shape = Shape::of(CODES[code]);
        let (n, failed) = (shape.n(), failed % shape.n() as usize);
        // Whole turns of the rotation: with distributed sparing there is a drive more.
        let around = n + u64::from(distributed);
        let mut plan = one_pool(shape.level, n as usize);
        plan["pools"][0]["device"]["sectors"] = json!(n * around * UNIT / 512);
        plan["workloads"] = json!([]);
        plan["volumes"][0]["capacity_bytes"] = json!(UNIT);
        plan["observe"]["end_s"] = json!(600.0);
        trouble(&mut plan, 1, if distributed { "distributed" } else { "dedicated" }, &[(failed, 0.0)]);
        plan["pools"][0]["recovery"]["rebuild"]["outstanding"] = json!(outstanding);
        let outcome = try_run(&plan, vec![]).unwrap();
        prop_assert!(outcome.summary.rebuilds[0].finished_ns.is_some());
        let [_, _, read, written] = moved(&outcome);
        // Of every n units that it holds, k + l are restored from their group, where there is one, r from all data.
        let units = n * n;
        let each = if shape.l == 0 { shape.k * n } else { (shape.k + shape.l) * (shape.k / shape.l) + shape.r * shape.k };
        prop_assert_eq!(written, units * UNIT);
        prop_assert_eq!(read, units * each / n * UNIT);
    }
}

/// LRC(12, 2, 2) rebuilds a unit from 6 of 16 where it is data or local parity, from 12 where it is global: 6.75 on average.
#[test]
fn local_groups_halve_the_repair_traffic() {
    let shape = Shape::of("ec12+2+2");
    let mut read = 0;
    for unit in 0..16 {
        read += if shape.group(unit).is_some() { 6 } else { 12 };
    }
    assert_eq!(f64::from(read) / 16.0, 6.75);
}

/// The more a rebuild may take, the sooner it is over, with and without load, of whole drives and of sets over more drives.
#[test]
fn a_rebuild_is_no_slower_with_a_higher_rate() {
    for (level, declustered) in [("ec4+2", false), ("ec4+2+2", false), ("ec4+2", true), ("ec4+2+2", true)] {
        let width = code_of(level).unwrap().iter().sum::<usize>();
        let mut before = f64::INFINITY;
        for rate in [Some(0.6e6), Some(2e6), Some(8e6), None] {
            let mut plan = one_pool(level, width + 3 * usize::from(declustered));
            plan["pools"][0]["device"]["sectors"] = json!(600 * UNIT / 512);
            plan["volumes"][0]["capacity_bytes"] = json!(capacity(level, width as u64) / 25_000 * 600);
            trouble(&mut plan, 1, "dedicated", &[(1, 0.0)]);
            if declustered {
                let sets = (width as u64 + 3) * 22 / width as u64;
                plan["pools"][0]["chunklets"] = json!({"bytes": 20 * UNIT, "spare": 5, "regions":
                    [{"raid": raid(level), "set_size": width, "sets": sets}]});
                let data = code_of(level).unwrap()[0] as u64;
                plan["volumes"][0]["capacity_bytes"] = json!(sets * data * 20 * UNIT);
                plan["pools"][0]["recovery"]["sparing"] = json!("distributed");
            }
            plan["pools"][0]["recovery"]["rebuild"]["rate_bytes_per_s"] = json!(rate);
            plan["observe"]["end_s"] = json!(60.0);
            let limit = plan["volumes"][0]["capacity_bytes"].as_u64().unwrap();
            let s = run(&plan, poisson(5, 300, 20.0, 0.7, 8_192, limit)).summary;
            let r = s.rebuilds[0];
            let seconds = (r.finished_ns.unwrap() - r.started_ns.unwrap()) as f64 / S as f64;
            assert_eq!(r.rebuilt_bytes, r.lost_bytes);
            assert!(seconds <= before, "{level} {declustered} at {rate:?}: {seconds} {before}");
            before = seconds;
        }
    }
}

/// A plan says where its code does not fit.
#[test]
fn codes_that_do_not_fit() {
    let refusal = |change: &dyn Fn(&mut Value)| {
        let mut plan = one_pool("ec4+2", 6);
        change(&mut plan["pools"][0]);
        crate::common::refusal(&plan)
    };
    let at = |path: &str, code: &'static str| (format!("pools[0].{path}"), code);
    assert_eq!(refusal(&|pool| pool["count"] = json!(7)), at("count", "count"));
    assert_eq!(refusal(&|pool| pool["raid"]["level"] = json!("6")), at("raid.code", "conflict"));
    assert_eq!(refusal(&|pool| pool["raid"]["code"] = json!(null)), at("raid.code", "conflict"));
    assert_eq!(refusal(&|pool| pool["raid"]["code"]["parity"] = json!(9)), at("raid.code.parity", "range"));
    assert_eq!(
        refusal(&|pool| pool["raid"]["code"]["local_groups"] = json!(3)),
        at("raid.code.local_groups", "count")
    );
}
