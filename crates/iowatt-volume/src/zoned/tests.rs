#![allow(clippy::unwrap_used)] // tests fail by panicking

use super::super::test_pools::{SchemeUnderTest, TestPools, actions, run_actions};
use super::*;
use crate::log::steady::{Share, amplification};
use crate::plan::{PartPlan, SchemePlan, ZonedInitialPlan};
use proptest::prelude::*;
use std::collections::HashMap;

const UNIT: u64 = 4096;

impl SchemeUnderTest for Zoned {
    fn bytes(&self) -> u64 {
        self.capacity_bytes()
    }

    fn submit(&mut self, request: &VolumeRequest, pools: &mut TestPools) {
        self.submit_to(request, pools);
    }

    fn transfer_done(&mut self, tag: u64, _tagged: bool, pools: &mut TestPools) {
        self.transferred(tag, pools);
    }

    fn alarm(&mut self, _pools: &mut TestPools) {}

    fn check(&self) -> Result<(), String> {
        self.audit()
    }

    fn address(&self, _part: usize, byte: u64) -> Option<u64> {
        let place = (byte / self.unit) as u32;
        let unit = (0..self.units).find(|&unit| self.table.locate(unit) == Some(place))?;
        Some(u64::from(unit) * self.unit + byte % self.unit)
    }
}

fn given(zones: u64, zone_units: u64, units: u64) -> (ZonedVolumePlan, PartPlan) {
    let plan = ZonedVolumePlan {
        capacity_bytes: units * UNIT,
        unit_bytes: UNIT,
        zone_bytes: zone_units * UNIT,
        free_zones: 2,
        policy: GcPolicy::Greedy,
        hot_cold: true,
        in_step: true,
        write_bytes: 4 * UNIT,
        step_bytes: 3 * UNIT,
        steps_at_once: 1,
        reads_through: false,
        initial: Some(ZonedInitialPlan { fill: 1.0, run_bytes: UNIT }),
    };
    (plan, PartPlan { pool: 0, offset_bytes: 0, capacity_bytes: zones * zone_units * UNIT })
}

fn scheme((given, part): (ZonedVolumePlan, PartPlan)) -> Zoned {
    let plan = VirtualPoolPlan { parts: vec![part], scheme: SchemePlan::Zoned(given) };
    plan.validate(1).unwrap();
    Zoned::new(&plan, &given, 7, 0)
}

/// Every write goes to where the zone's last one ended, or to the start of a zone that was reset.
fn in_order(pools: &TestPools, zone_bytes: u64) -> Result<(), String> {
    let mut pointers: HashMap<u64, u64> = HashMap::new();
    for &(_, (from, until), reset) in &pools.written {
        let zone = from / zone_bytes;
        if reset {
            pointers.insert(zone, from);
            continue;
        }
        // Of zones that were not reset in the test, the first write is to the start.
        let pointer = pointers.entry(zone).or_insert(zone * zone_bytes);
        if *pointer != from || until > (zone + 1) * zone_bytes {
            return Err(format!("{from}..{until} is written while zone {zone} is at {pointer}"));
        }
        *pointer = until;
    }
    Ok(())
}

/// One write after another, each of a unit.
fn overwrite(it: &mut Zoned, pools: &mut TestPools, units: impl Iterator<Item = u64>) {
    for unit in units {
        pools.request(it, unit * UNIT, (unit + 1) * UNIT, true);
        while pools.pending() > 0 {
            pools.complete(it, 0);
        }
    }
}

/// Random units.
fn scattered(count: u64, of: u64) -> impl Iterator<Item = u64> {
    let mut random = Stream::new(3, Component::Think, 0);
    (0..count).map(move |_| random.below(of))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn nothing_written_is_lost_and_zones_are_written_in_order(
        actions in actions(60 * UNIT, 1, 5 * UNIT),
        policy in prop_oneof![Just(GcPolicy::Greedy), Just(GcPolicy::Fifo), Just(GcPolicy::CostBenefit)],
        (hot_cold, in_step, reads_through, fresh) in any::<(bool, bool, bool, bool)>(),
        steps_at_once in 1..4u32,
    ) {
        let (mut plan, part) = given(14, 8, 60);
        (plan.policy, plan.hot_cold, plan.in_step) = (policy, hot_cold, in_step);
        (plan.reads_through, plan.steps_at_once) = (reads_through, steps_at_once);
        if fresh {
            plan.initial = None;
        }
        let (mut it, mut pools) = (scheme((plan, part)), TestPools::new(1));
        if fresh {
            // What was never written has no place to be read from.
            overwrite(&mut it, &mut pools, 0..60);
        }
        run_actions(&mut it, &mut pools, &actions).map_err(TestCaseError::fail)?;
        in_order(&pools, 8 * UNIT).map_err(TestCaseError::fail)?;
    }
}

#[test]
fn what_comes_during_a_write_goes_with_the_next_one() {
    let (mut it, mut pools) = (scheme(given(14, 8, 60)), TestPools::new(1));
    for unit in 0..6 {
        pools.request(&mut it, unit * UNIT, (unit + 1) * UNIT, true);
    }
    while pools.pending() > 0 {
        pools.complete(&mut it, 0);
    }
    // 1, then 4 (the most that one write has), then 1.
    assert_eq!((it.totals.zone_writes, it.totals.written_bytes), (3, 6 * UNIT));
    assert_eq!(pools.answered, 6);
}

#[test]
fn a_write_of_a_part_of_a_unit_reads_the_unit() {
    let (mut it, mut pools) = (scheme(given(14, 8, 60)), TestPools::new(1));
    pools.request(&mut it, 512, 3 * UNIT + 512, true);
    while pools.pending() > 0 {
        pools.complete(&mut it, 0);
    }
    assert_eq!((it.totals.modify_bytes, it.totals.written_bytes), (2 * UNIT, 4 * UNIT));
}

/// Bytes written to zones over those that hosts wrote, after so many writes of warm-up and then as many again.
fn write_amplification(plan: (ZonedVolumePlan, PartPlan), units: u64, writes: u64) -> f64 {
    let (mut it, mut pools) = (scheme(plan), TestPools::new(1));
    let mut each = scattered(2 * writes, units);
    overwrite(&mut it, &mut pools, each.by_ref().take(writes as usize));
    let before = it.totals;
    overwrite(&mut it, &mut pools, each);
    let (moved, written) =
        (it.totals.moved_bytes - before.moved_bytes, it.totals.written_bytes - before.written_bytes);
    assert_eq!(written, writes * UNIT);
    1.0 + moved as f64 / written as f64
}

/// FIFO cleaning of uniform writes: `A = a / (a + W(-a exp(-a)))` with `a` the zones in rotation over the data, Xiang and
/// Kurkoski 2012, here from `steady::amplification`. 44 zones less 2 free and 1 open rotate: 41 x 64 = 2,624 units.
#[test]
fn fifo_cleaning_writes_what_the_closed_form_says() {
    for units in [1_900, 2_200] {
        let (mut plan, part) = given(44, 64, units);
        (plan.policy, plan.hot_cold) = (GcPolicy::Fifo, false);
        let expected = amplification(2_624.0 / units as f64, &[Share { space: 1.0, writes: 1.0 }]);
        let found = write_amplification((plan, part), units, 12_000);
        assert!((found / expected - 1.0).abs() < 0.05, "{found} for {units} units, {expected} expected");
    }
}

#[test]
fn greedy_cleaning_moves_less_than_fifo() {
    let (mut plan, part) = given(44, 64, 2_200);
    let greedy = write_amplification((plan, part), 2_200, 12_000);
    plan.policy = GcPolicy::Fifo;
    let fifo = write_amplification((plan, part), 2_200, 12_000);
    assert!(greedy < fifo, "{greedy} against {fifo}");
}

#[test]
fn data_written_in_turn_are_never_moved() {
    let (mut plan, part) = given(14, 8, 60);
    plan.initial = None;
    let (mut it, mut pools) = (scheme((plan, part)), TestPools::new(1));
    overwrite(&mut it, &mut pools, (0..600).map(|i| i % 60));
    assert_eq!(it.totals.moved_bytes, 0);
    assert!(it.totals.zones_reset > 60); // 600 units are 75 zones, of which at most 14 are left
}

#[test]
fn hosts_wait_where_no_zone_is_free() {
    let (mut plan, part) = given(14, 8, 79);
    plan.in_step = false;
    let (mut it, mut pools) = (scheme((plan, part)), TestPools::new(1));
    // Cleaning cannot go on while nothing completes: 2 zones are open to hosts, the third is not.
    for unit in 0..24 {
        pools.request(&mut it, unit * UNIT, (unit + 1) * UNIT, true);
    }
    while pools.pending() > 0 {
        // The newest first: cleaning's reads stay under way as long as there is anything else.
        pools.complete(&mut it, pools.pending() - 1);
    }
    assert_eq!(pools.answered, 24);
    it.audit().unwrap();
}
