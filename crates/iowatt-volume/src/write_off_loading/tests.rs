use super::super::sectors::SECTOR;
use super::super::test_pools::{SchemeUnderTest, TestPools, actions, run_actions};
use super::*;
use crate::plan::{PartPlan, SchemePlan};
use proptest::prelude::*;

const MIB: u64 = 1 << 20;
const S: Nanos = 1_000_000_000;

impl SchemeUnderTest for WriteOffLoading {
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
        self.reclaim(pools);
    }

    fn check(&self) -> Result<(), String> {
        self.audit()
    }

    fn address(&self, part: usize, byte: u64) -> Option<u64> {
        let home = &self.homes[part];
        if byte < home.bytes {
            return Some(home.start + byte);
        }
        let within = byte - home.bytes;
        let block = self.table.block_in(part, (within / BLOCK) as u32)?;
        Some(block * BLOCK + within % BLOCK)
    }
}

fn scheme(parts: usize, part_bytes: u64, log_bytes: u64, log_fill: f64) -> WriteOffLoading {
    let given = WriteOffLoadingPlan {
        log_bytes,
        off_load_after_s: 60.0,
        log_fill,
        reclaim_bytes: 32_768,
        reclaims_at_once: 2,
    };
    let part = |pool| PartPlan { pool, offset_bytes: 0, capacity_bytes: part_bytes };
    let plan =
        VirtualPoolPlan { parts: (0..parts).map(part).collect(), scheme: SchemePlan::WriteOffLoading(given) };
    WriteOffLoading::new(&plan, &given)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn nothing_written_is_lost(actions in actions(3 * 192 * 1024, 3, 20_000)) {
        // Logs of 16 blocks, so that they fill up too.
        let mut it = scheme(3, 256 * 1024, 64 * 1024, 0.7);
        run_actions(&mut it, &mut TestPools::new(3), &actions).map_err(TestCaseError::fail)?;
    }

    #[test]
    fn nothing_is_lost_with_room_for_all(actions in actions(2 * 256 * 1024, 2, 9_000)) {
        let mut it = scheme(2, MIB, 768 * 1024, 1.0);
        run_actions(&mut it, &mut TestPools::new(2), &actions).map_err(TestCaseError::fail)?;
    }
}

fn finish(it: &mut WriteOffLoading, pools: &mut TestPools) {
    while pools.pending() > 0 {
        pools.complete(it, 0);
    }
    it.audit().unwrap();
}

#[test]
fn a_write_to_a_part_that_rests_goes_to_one_that_is_read_and_comes_home_with_the_next_read() {
    let mut it = scheme(3, MIB, 64 * 1024, 1.0);
    let home = 960 * 1024;
    let mut pools = TestPools::new(3);
    pools.request(&mut it, home, home + 4096, false); // part 1 is needed
    pools.ready[0] = false;
    pools.request(&mut it, 1000, 9000, true);
    assert_eq!((it.totals.off_loaded_writes, it.totals.off_loaded_bytes), (1, 8000));
    assert_eq!(it.table.away, [17, 0, 0], "sectors 1 to 17");
    assert_eq!(it.homes[0].log, 1);
    pools.request(&mut it, 2048, 4096, false);
    assert_eq!((it.totals.log_reads, it.homes[0].read_at), (1, None), "the log has all of it");
    finish(&mut it, &mut pools);
    // A read of what only the home has brings it up, and then the rest comes home.
    pools.request(&mut it, 0, 512, false);
    pools.ready[0] = true;
    assert_eq!(it.homes[0].read_at, Some(0));
    finish(&mut it, &mut pools);
    assert_eq!((it.table.away[0], it.totals.reclaimed_bytes), (0, 17 * SECTOR));
    pools.request(&mut it, 0, 9000, false);
    assert_eq!(it.totals.log_reads, 1, "from the home again");
}

#[test]
fn without_reads_one_part_stays_up_for_all() {
    let mut it = scheme(3, MIB, 128 * 1024, 1.0);
    let mut pools = TestPools::new(3);
    let home = 896 * 1024;
    for round in 0..20 {
        pools.request(&mut it, home + round * 4096, home + round * 4096 + 4096, true);
        pools.request(&mut it, 2 * home + round * 4096, 2 * home + round * 4096 + 4096, true);
        finish(&mut it, &mut pools);
        pools.pass_time(&mut it, 10 * S);
        if round == 6 {
            (pools.ready[0], pools.ready[2]) = (false, false); // as their policy would have it
        }
    }
    assert_eq!(it.totals.off_loaded_writes, 20, "part 1 keeps its own writes and takes those of part 2");
    assert_eq!((it.table.away[1], it.table.away[2]), (0, 160));
    assert_eq!(it.totals.refused_writes, 0);
}

#[test]
fn a_log_that_fills_up_brings_a_home_up() {
    let mut it = scheme(2, MIB, 64 * 1024, 0.5);
    let mut pools = TestPools::new(2);
    pools.request(&mut it, MIB, MIB + 512, false);
    pools.ready[0] = false;
    for i in 0..9 {
        pools.request(&mut it, i * 8192, i * 8192 + 4096, true);
    }
    assert_eq!(it.totals.drains, 1);
    finish(&mut it, &mut pools);
    assert_eq!((it.table.away[0], it.totals.reclaimed_bytes), (0, 9 * 4096));
}

#[test]
fn an_overwritten_sector_is_not_brought_home() {
    let mut it = scheme(2, MIB, 64 * 1024, 1.0);
    let mut pools = TestPools::new(2);
    pools.request(&mut it, MIB, MIB + 512, false);
    pools.ready[0] = false;
    pools.request(&mut it, 0, 8192, true);
    pools.request(&mut it, 512, 1536, true);
    assert_eq!((it.totals.superseded_bytes, it.table.away[0]), (1024, 16));
    assert_eq!(it.table.chain(0).count(), 2);
    pools.ready[0] = true;
    pools.request(&mut it, 100 * 1024, 101 * 1024, false);
    finish(&mut it, &mut pools);
    assert_eq!(it.totals.reclaimed_bytes, 8192);
}
