use super::super::test_pools::{SchemeUnderTest, TestPools, actions, run_actions};
use super::*;
use crate::plan::{PartPlan, SchemePlan};
use proptest::prelude::*;

const S: Nanos = 1_000_000_000;

impl SchemeUnderTest for Pdc {
    fn bytes(&self) -> u64 {
        self.capacity_bytes()
    }

    fn submit(&mut self, request: &VolumeRequest, pools: &mut TestPools) {
        self.submit_to(request, pools);
    }

    fn transfer_done(&mut self, tag: u64, _tagged: bool, pools: &mut TestPools) {
        self.transferred(tag, pools);
    }

    fn alarm(&mut self, pools: &mut TestPools) {
        self.plan_moves(pools);
    }

    fn check(&self) -> Result<(), String> {
        self.audit()
    }

    fn address(&self, part: usize, byte: u64) -> Option<u64> {
        let place = Place { part: part as u32, slot: (byte / self.extent_bytes) as u32 };
        let on_its_way = self.movers.iter().find(|m| m.extent.is_some() && m.to == place);
        let extent = match self.places.at(place) {
            places::FREE => on_its_way?.extent?,
            extent => extent,
        };
        Some(u64::from(extent) * self.extent_bytes + byte % self.extent_bytes)
    }
}

fn scheme(parts: usize, slots: u64, movers: usize) -> Pdc {
    let given = PdcPlan {
        extent_bytes: 16_384,
        period_s: 60.0,
        memory: 0.5,
        load_per_s: None,
        migrations_at_once: movers,
        step_bytes: 4096,
    };
    let part = |pool| PartPlan { pool, offset_bytes: 0, capacity_bytes: slots * 16_384 };
    let plan = VirtualPoolPlan { parts: (0..parts).map(part).collect(), scheme: SchemePlan::Pdc(given) };
    Pdc::new(&plan, &given)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn nothing_written_is_lost(actions in actions(3 * 7 * 16_384, 3, 20_000), movers in 1..3usize) {
        let mut it = scheme(3, 7 + movers as u64, movers);
        run_actions(&mut it, &mut TestPools::new(3), &actions).map_err(TestCaseError::fail)?;
    }
}

/// Lets moves go on until nothing is under way.
fn finish(it: &mut Pdc, pools: &mut TestPools) {
    while pools.pending() > 0 {
        pools.complete(it, 0);
        it.audit().unwrap();
    }
}

#[test]
fn the_most_popular_extents_gather_on_the_first_part() {
    let mut it = scheme(3, 5, 1);
    let mut pools = TestPools::new(3);
    let popular = [3u64, 6, 9, 11];
    for (rank, extent) in popular.iter().enumerate() {
        for _ in 0..4 << (2 * rank) {
            pools.request(&mut it, extent * 16_384, extent * 16_384 + 512, false);
        }
    }
    finish(&mut it, &mut pools);
    pools.pass_time(&mut it, 60 * S);
    finish(&mut it, &mut pools);
    for extent in popular {
        assert_eq!(it.places.of(extent as u32).part, 0, "extent {extent}");
    }
    assert_eq!(it.totals.migrations, 6, "three come, three go");
    assert_eq!(it.totals.migrated_bytes, 6 * 16_384);
    // What stays popular stays where it is.
    for extent in popular {
        pools.request(&mut it, extent * 16_384, extent * 16_384 + 512, false);
    }
    finish(&mut it, &mut pools);
    pools.pass_time(&mut it, 60 * S);
    finish(&mut it, &mut pools);
    assert_eq!(it.totals.migrations, 6);
    assert_eq!(it.totals.requests_by_part, [4 + 4, 16, 64 + 256]);
}

#[test]
fn a_step_that_is_written_is_copied_again_and_the_last_one_holds_writes_back() {
    let mut it = scheme(2, 3, 1);
    let mut pools = TestPools::new(2);
    for _ in 0..4 {
        pools.request(&mut it, 3 * 16_384, 3 * 16_384 + 512, false);
    }
    finish(&mut it, &mut pools);
    pools.pass_time(&mut it, 60 * S); // extent 3 sets out for part 0; its first step is being read
    assert_eq!(pools.pending(), 1);
    pools.complete(&mut it, 0);
    pools.complete(&mut it, 0); // the first step is copied
    pools.request(&mut it, 3 * 16_384, 3 * 16_384 + 512, true);
    assert_eq!((it.movers[0].left, it.totals.held_writes), (3, 0), "steps 0, 2 and 3");
    while !it.movers[0].closing {
        pools.complete(&mut it, 0);
    }
    pools.request(&mut it, 3 * 16_384 + 512, 3 * 16_384 + 1024, true);
    assert_eq!((it.totals.held_writes, it.held.len()), (1, 1));
    finish(&mut it, &mut pools);
    assert_eq!(pools.unanswered(), 0);
    assert_eq!(it.places.of(3).part, 0);
    // Two extents of four steps, one of them twice.
    assert_eq!(it.totals.migrated_bytes, 9 * 4096);
}
