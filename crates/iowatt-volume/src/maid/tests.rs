use super::super::test_pools::{SchemeUnderTest, TestPools, actions, run_actions};
use super::*;
use crate::plan::{PartPlan, SchemePlan};
use proptest::prelude::*;

const S: Nanos = 1_000_000_000;

impl SchemeUnderTest for Maid {
    fn bytes(&self) -> u64 {
        self.capacity_bytes()
    }

    fn submit(&mut self, request: &VolumeRequest, pools: &mut TestPools) {
        // As `submit_to`, but what is opened for one drive takes effect before the next one's turn: a line may change hands.
        let mut from = request.from;
        while request.write && from < request.until {
            let (data, part) = self.on_one_drive(from, request);
            self.write_to(data, &part, pools);
            pools.settle(self);
            from = part.until;
        }
        if !request.write {
            self.read(request, pools);
        }
        self.destage(pools);
    }

    fn transfer_done(&mut self, tag: u64, _tagged: bool, pools: &mut TestPools) {
        self.transferred(tag, pools);
    }

    fn alarm(&mut self, pools: &mut TestPools) {
        self.destage(pools);
    }

    fn check(&self) -> Result<(), String> {
        self.audit()
    }

    fn address(&self, part: usize, byte: u64) -> Option<u64> {
        if part == CACHE {
            let line = (byte / self.line_bytes) as u32;
            return Some(self.lines.get(line).block * self.line_bytes + byte % self.line_bytes);
        }
        Some(self.data[part - 1].first * self.line_bytes + byte)
    }
}

fn scheme(lines: u64, line_bytes: u64, parts: usize, log_writes: bool) -> Maid {
    let given = MaidPlan { line_bytes, log_writes, log_after_s: 60.0, log_fill: 0.5, destages_at_once: 2 };
    let part = |pool| PartPlan {
        pool,
        offset_bytes: 0,
        capacity_bytes: if pool == 0 { lines * line_bytes } else { 256 * 1024 },
    };
    let parts = (0..=parts).map(part).collect();
    Maid::new(&VirtualPoolPlan { parts, scheme: SchemePlan::Maid(given) }, &given)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn nothing_written_is_lost(actions in actions(2 * 256 * 1024, 3, 20_000), log in any::<bool>(), lines in 1..24u64) {
        let mut it = scheme(lines, 8192, 2, log);
        run_actions(&mut it, &mut TestPools::new(3), &actions).map_err(TestCaseError::fail)?;
    }

    #[test]
    fn nor_with_long_lines(actions in actions(2 * 256 * 1024, 3, 90_000), lines in 1..9u64) {
        let mut it = scheme(lines, 65_536, 2, true);
        run_actions(&mut it, &mut TestPools::new(3), &actions).map_err(TestCaseError::fail)?;
    }
}

fn finish(it: &mut Maid, pools: &mut TestPools) {
    while pools.pending() > 0 {
        pools.complete(it, 0);
    }
    it.audit().unwrap();
}

#[test]
fn what_was_read_is_copied_and_the_least_recently_used_line_gives_way() {
    let mut it = scheme(2, 8192, 1, false);
    let mut pools = TestPools::new(2);
    for from in [0, 8192, 0, 16_384, 0, 8192] {
        pools.request(&mut it, from, from + 1024, false);
        finish(&mut it, &mut pools);
    }
    // 0 and 8192 miss, 0 hits, 16384 takes 8192's line, 0 hits, 8192 misses again.
    assert_eq!((it.totals.reads, it.totals.read_hits, it.totals.evictions), (6, 2, 2));
    assert_eq!((it.totals.copied_bytes, it.totals.read_hit_bytes), (4 * 1024, 2048));
}

#[test]
fn a_second_read_does_not_hit_what_is_still_on_its_way() {
    let mut it = scheme(2, 8192, 1, false);
    let mut pools = TestPools::new(2);
    pools.request(&mut it, 0, 1024, false);
    pools.request(&mut it, 0, 1024, false);
    assert_eq!(it.totals.read_hits, 0);
    finish(&mut it, &mut pools);
    assert_eq!(it.totals.copied_bytes, 1024, "copied once");
}

#[test]
fn writes_to_drives_that_rest_are_logged_and_come_home_with_the_next_miss() {
    let mut it = scheme(8, 8192, 2, true);
    let mut pools = TestPools::new(3);
    pools.ready[1] = false;
    pools.request(&mut it, 1024, 3072, true);
    pools.request(&mut it, 2048, 4096, true);
    finish(&mut it, &mut pools);
    assert_eq!(
        (it.totals.logged_writes, it.totals.logged_bytes, it.totals().dirty_bytes_at_end),
        (2, 4096, 3072)
    );
    pools.request(&mut it, 1024, 4096, false);
    assert_eq!(it.totals.read_hits, 1);
    finish(&mut it, &mut pools);
    assert_eq!(it.totals.destaged_bytes, 0, "the drive still rests");
    pools.request(&mut it, 100 * 1024, 101 * 1024, false);
    pools.ready[1] = true;
    pools.pass_time(&mut it, S);
    finish(&mut it, &mut pools);
    assert_eq!((it.totals.destaged_bytes, it.totals().dirty_bytes_at_end), (3072, 0));
    // Now that it is read, writes go to it.
    pools.request(&mut it, 1024, 3072, true);
    assert_eq!(it.totals.logged_writes, 2);
}

#[test]
fn too_many_dirty_lines_wake_the_drive_that_has_most() {
    let mut it = scheme(4, 8192, 2, true);
    let mut pools = TestPools::new(3);
    pools.ready = vec![true, false, false];
    for from in [0, 256 * 1024, 264 * 1024] {
        pools.request(&mut it, from, from + 512, true);
        finish(&mut it, &mut pools);
    }
    assert_eq!((it.totals.drains, it.totals.destaged_bytes), (1, 1024), "those of the second drive");
}
