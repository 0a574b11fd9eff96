//! Placement handles: what is written with one never shares a superblock with what is written with another, and nothing
//! is lost.

use super::{Ftl, Geometry, NONE, Work};
use crate::plan::{BurstPlan, GcPlan, GcPolicy};
use crate::power::Cause;
use proptest::prelude::*;
use std::collections::HashMap;

struct Nothing;

impl Work for Nothing {
    fn program(&mut self, _: u32, _: bool, _: Cause) {}
    fn sense(&mut self, _: u32, _: u32, _: u32, _: Cause) {}
    fn erase(&mut self) {}
}

const HANDLES: u32 = 3;

/// A new drive of 64 superblocks of 128 units; `spare` of them are beyond the units offered.
fn drive(handles: u32, spare: u32, gc: GcPlan) -> Ftl {
    let geometry = Geometry {
        units: (64 - spare) * 128,
        blocks: 64,
        block_units: 128,
        stripe_units: 4,
        page_units: 4,
        unit_pages: 1,
        dies: 4,
        handles,
    };
    Ftl::new(geometry, gc, None, None, 0)
}

fn gc(policy: GcPolicy) -> GcPlan {
    GcPlan { policy, free_blocks: 2, hot_cold: false, burst: None }
}

/// Writes cold four fifths of the addresses in order, again and again, beside random writes to the rest, each with its handle:
/// moves for each write of the second half.
fn amplified(handles: u32) -> f64 {
    let mut ftl = drive(handles, 12, gc(GcPolicy::Greedy));
    let (units, mut state) = (ftl.geometry.units, 1u64);
    let cold = units * 4 / 5;
    let mut before = ftl.counts;
    for number in 0..12 * units {
        if number == 6 * units {
            before = ftl.counts;
        }
        if number % 10 == 0 {
            ftl.write((number / 10) % cold, 0, Cause::HostWrite, &mut Nothing);
        } else {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let hot = cold + (state >> 33) as u32 % (units - cold);
            ftl.write(hot, handles as usize - 1, Cause::HostWrite, &mut Nothing);
        }
    }
    ftl.audit().unwrap_or_else(|what| panic!("{what}"));
    let (moved, host) = (ftl.counts.moved - before.moved, ftl.counts.host - before.host);
    moved as f64 / host as f64
}

#[test]
fn a_hot_and_a_cold_volume_apart_move_less() {
    let (mixed, apart) = (amplified(1), amplified(2));
    assert!(apart < 0.6 * mixed, "{mixed} {apart}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn superblocks_are_of_one_handle(
        policy in prop::sample::select(vec![GcPolicy::Greedy, GcPolicy::Fifo, GcPolicy::CostBenefit]),
        bursts in any::<bool>(),
        writes in prop::collection::vec((any::<u32>(), 0..HANDLES, 1u32..200, any::<bool>()), 100..250),
    ) {
        let burst = bursts.then_some(BurstPlan { blocks: 2, share: 0.5 });
        let mut ftl = drive(HANDLES, 10, GcPlan { burst, ..gc(policy) });
        let units = ftl.geometry.units;
        // Superblock and its erasures before: the handle of what was written to it first.
        let mut of: HashMap<(u32, u32), u32> = HashMap::new();
        for (from, handle, count, pad) in writes {
            for address in (0..count).map(|i| (from % units + i) % units) {
                ftl.write(address, handle as usize, Cause::HostWrite, &mut Nothing);
                let (block, _) = ftl.locate(address).expect("it was written");
                let key = (block, ftl.erases()[block as usize]);
                prop_assert_eq!(*of.entry(key).or_insert(handle), handle);
                let moved = ftl.frontiers[HANDLES as usize].block;
                prop_assert!(moved == NONE || !of.contains_key(&(moved, ftl.erases()[moved as usize])));
                ftl.step(&mut Nothing);
            }
            if pad {
                let empty = ftl.pad(handle as usize, Cause::HostWrite, &mut Nothing);
                ftl.collect(empty, &mut Nothing);
            }
            // The last free one may be taken for what is moved: the victim is free after it.
            prop_assert!(ftl.free_blocks() > 0 || ftl.victim.is_some());
        }
        prop_assert_eq!(ftl.audit(), Ok(()));
    }
}
