//! The translation layer by itself: write amplification against the closed forms of docs/models/ssd.md,
//! and that nothing is ever lost.

use super::ftl::{Ftl, Geometry, Work};
use crate::plan::{BurstPlan, GcPlan, GcPolicy};
use crate::power::Cause;
use crate::rng::{Component, Stream};
use iowatt_volume::log::steady::{Initial, Share, amplification};
use proptest::prelude::*;

/// Counts the operations it receives.
#[derive(Default)]
struct Tally {
    programs: u64,
    moved_programs: u64,
    host_programs: u64,
    sensed: u64,
    erases: u64,
}

impl Work for Tally {
    fn program(&mut self, _: u32, _: bool, cause: Cause) {
        self.programs += 1;
        self.moved_programs += u64::from(cause == Cause::Background);
        self.host_programs += u64::from(cause == Cause::HostWrite);
    }

    fn sense(&mut self, _: u32, _: u32, units: u32, _: Cause) {
        self.sensed += u64::from(units);
    }

    fn erase(&mut self) {
        self.erases += 1;
    }
}

fn geometry(blocks: u32, block_units: u32, spare: f64) -> Geometry {
    let units = (f64::from(blocks) * f64::from(block_units) / (1.0 + spare)) as u32;
    Geometry {
        units,
        blocks,
        block_units,
        stripe_units: 4,
        page_units: 4,
        unit_pages: 1,
        dies: 4,
        handles: 1,
    }
}

fn gc(policy: GcPolicy) -> GcPlan {
    GcPlan { policy, free_blocks: 1, hot_cold: false, burst: None }
}

/// A drive in steady state under classes of traffic.
fn steady(geometry: Geometry, gc: GcPlan, levelling: Option<u32>, live: u32, shares: &[Share]) -> Ftl {
    let mut random = Stream::new(7, Component::FlashMap, 0);
    let rotation = Ftl::rotation(&geometry, &gc);
    let chance = gc.policy == GcPolicy::Fifo;
    let initial = Initial::new((live, 1), (rotation, geometry.block_units), shares, chance, &mut random);
    Ftl::new(geometry, gc, levelling, Some(initial), live)
}

fn share(space: f64, writes: f64) -> Share {
    Share { space, writes }
}

/// Writes `count` units of the classes, in ten parts: the amplification of each.
fn tenths(ftl: &mut Ftl, live: u32, shares: &[Share], count: u64) -> Vec<f64> {
    // Another stream each time: the same writes in the same order once more would be a sequential pass.
    let mut draw = Stream::new(11, Component::Think, ftl.counts.host as usize);
    let mut work = Tally::default();
    (0..10)
        .map(|_| {
            let before = ftl.counts;
            for _ in 0..count / 10 {
                let unit = draw.below(1 << 53) as f64 / (1u64 << 53) as f64;
                let (mut sum, mut from) = (0.0, 0.0);
                let mut class = *shares.last().unwrap_or(&share(1.0, 1.0));
                for s in shares {
                    if unit < sum + s.writes {
                        class = *s;
                        break;
                    }
                    (sum, from) = (sum + s.writes, from + s.space);
                }
                from = from.min(1.0 - class.space);
                let first = (from * f64::from(live)).round() as u64;
                let length = ((class.space * f64::from(live)) as u64).min(u64::from(live) - first);
                ftl.write((first + draw.below(length)) as u32, 0, Cause::HostWrite, &mut work);
            }
            let (host, moved) = (ftl.counts.host - before.host, ftl.counts.moved - before.moved);
            (host + moved) as f64 / host as f64
        })
        .collect()
}

fn mean(parts: &[f64]) -> f64 {
    parts.iter().sum::<f64>() / parts.len() as f64
}

const UNIFORM: [Share; 1] = [Share { space: 1.0, writes: 1.0 }];

#[test]
fn the_closed_form_gives_the_tabulated_figures() {
    let table = [(0.07, 7.82), (0.15, 4.02), (0.28, 2.48), (0.40, 1.96), (1.0, 1.26)];
    for (spare, expected) in table {
        assert!((amplification(1.0 + spare, &UNIFORM) - expected).abs() < 0.005, "{spare}");
    }
    let skewed = [
        (0.07, 0.2, 0.8, 8.18),
        (0.07, 0.1, 0.9, 8.87),
        (0.07, 0.05, 0.95, 9.96),
        (0.28, 0.2, 0.8, 2.82),
        (0.28, 0.1, 0.9, 3.30),
        (0.28, 0.05, 0.95, 3.79),
    ];
    for (spare, space, writes, expected) in skewed {
        let shares = [share(space, writes), share(1.0 - space, 1.0 - writes)];
        assert!((amplification(1.0 + spare, &shares) - expected).abs() < 0.005, "{spare} {writes}");
    }
    // What is never written takes room and nothing else: the rest has the spare space to itself.
    let cold = [share(0.5, 1.0), share(0.5, 0.0)];
    let a = amplification(1.4, &cold);
    assert!(a > amplification(1.4, &UNIFORM), "{a}");
}

/// Uniform writes, FIFO: within 2 % of the closed form, from the first write on.
#[test]
fn fifo_amplifies_uniform_writes_as_the_closed_form_says() {
    for spare in [0.07, 0.15, 0.28, 0.40, 1.0] {
        let size = geometry(4_096, 128, spare);
        let mut ftl = steady(size, gc(GcPolicy::Fifo), None, size.units, &UNIFORM);
        let parts = tenths(&mut ftl, size.units, &UNIFORM, 100_000);
        let (found, expected) = (mean(&parts), amplification(1.0 + spare, &UNIFORM));
        assert!((found / expected - 1.0).abs() < 0.02, "{spare}: {found} {expected}");
        assert!((parts[0] / parts[9] - 1.0).abs() < 0.03, "{spare}: {parts:?}");
        ftl.audit().unwrap_or_else(|e| unreachable!("{e}"));
    }
}

#[test]
fn fifo_amplifies_skewed_writes_as_the_closed_form_says() {
    for (spare, space, writes) in [(0.07, 0.2, 0.8), (0.28, 0.2, 0.8), (0.28, 0.1, 0.9), (0.28, 0.05, 0.95)] {
        let shares = [share(space, writes), share(1.0 - space, 1.0 - writes)];
        let size = geometry(4_096, 128, spare);
        let mut ftl = steady(size, gc(GcPolicy::Fifo), None, size.units, &shares);
        let parts = tenths(&mut ftl, size.units, &shares, 100_000);
        let (found, expected) = (mean(&parts), amplification(1.0 + spare, &shares));
        assert!((found / expected - 1.0).abs() < 0.02, "{spare} {writes}: {found} {expected}");
        assert!((parts[0] / parts[9] - 1.0).abs() < 0.04, "{spare} {writes}: {parts:?}");
    }
}

/// A drive filled and overwritten from nothing ends where the constructed state begins.
#[test]
fn a_long_preconditioning_ends_in_the_state_that_is_constructed() {
    let size = geometry(512, 128, 0.28);
    let mut ftl = Ftl::new(size, gc(GcPolicy::Fifo), None, None, 0);
    let mut work = Tally::default();
    for address in 0..size.units {
        ftl.write(address, 0, Cause::HostWrite, &mut work);
    }
    assert_eq!(ftl.counts.moved, 0, "nothing is collected while a fresh drive is filled");
    tenths(&mut ftl, size.units, &UNIFORM, 4 * u64::from(size.units));
    let old = mean(&tenths(&mut ftl, size.units, &UNIFORM, 100_000));
    let mut made = steady(size, gc(GcPolicy::Fifo), None, size.units, &UNIFORM);
    let new = mean(&tenths(&mut made, size.units, &UNIFORM, 100_000));
    assert!((old / new - 1.0).abs() < 0.02, "{old} {new}");
}

/// Greedy collection, against an independent simulation of 1,024 blocks of 256 units: within 2 %. (Of that, the block
/// kept free here and the one being written are 1.3 % at a spare of 0.15 and less beyond.) It beats the closed form of
/// FIFO for the same rotation.
#[test]
fn greedy_collection_does_better_than_fifo() {
    for (spare, expected) in [(0.15, 3.96), (0.28, 2.46), (1.0, 1.25)] {
        let size = geometry(1_024, 256, spare);
        let mut ftl = steady(size, gc(GcPolicy::Greedy), None, size.units, &UNIFORM);
        let parts = tenths(&mut ftl, size.units, &UNIFORM, 200_000);
        tenths(&mut ftl, size.units, &UNIFORM, u64::from(size.units));
        let found = mean(&tenths(&mut ftl, size.units, &UNIFORM, 200_000));
        assert!((found / expected - 1.0).abs() < 0.02, "{spare}: {found} {expected}");
        assert!((parts[0] / mean(&parts[5..]) - 1.0).abs() < 0.02, "{spare}: {parts:?}");
        let rotation = f64::from(Ftl::rotation(&size, &gc(GcPolicy::Greedy))) * 256.0;
        let fifo = amplification(rotation / f64::from(size.units), &UNIFORM);
        assert!(found < 1.002 * fifo, "{spare}: {found} {fifo}");
    }
}

/// Data that are moved are colder than those that are written: apart from them, they are moved less often.
#[test]
fn keeping_cold_data_apart_moves_less() {
    let shares = [share(0.1, 0.9), share(0.9, 0.1)];
    let amplified = |policy, hot_cold: bool| {
        let size = geometry(1_024, 128, 0.28);
        let plan = GcPlan { policy, free_blocks: 2, hot_cold, burst: None };
        let mut ftl = steady(size, plan, None, size.units, &shares);
        tenths(&mut ftl, size.units, &shares, 4 * u64::from(size.units));
        mean(&tenths(&mut ftl, size.units, &shares, 100_000))
    };
    let together = amplified(GcPolicy::Greedy, false);
    let apart = amplified(GcPolicy::Greedy, true);
    let by_age = amplified(GcPolicy::CostBenefit, true);
    assert!(apart < 0.9 * together, "{apart} {together}");
    assert!(by_age < 0.7 * together, "cost-benefit waits for cold blocks to be worth it: {by_age} {apart}");
}

#[test]
fn sequential_writes_move_nothing() {
    for policy in [GcPolicy::Fifo, GcPolicy::Greedy, GcPolicy::CostBenefit] {
        let size = geometry(256, 128, 0.07);
        let mut ftl = Ftl::new(size, gc(policy), None, None, 0);
        let mut work = Tally::default();
        for _ in 0..5 {
            for address in 0..size.units {
                ftl.write(address, 0, Cause::HostWrite, &mut work);
            }
        }
        assert_eq!((ftl.counts.moved, work.sensed), (0, 0), "{policy:?}");
        assert!(work.erases > 4 * 200);
    }
}

/// Trimmed data are spare: the amplification is that of what is left (Frankie et al. 2012).
#[test]
fn trims_add_to_the_spare() {
    let size = geometry(2_048, 128, 0.15);
    let mut ftl = steady(size, gc(GcPolicy::Fifo), None, size.units, &UNIFORM);
    let live = size.units / 4 * 3;
    for address in live..size.units {
        assert!(ftl.trim(address) && !ftl.trim(address), "a second trim finds nothing");
    }
    assert_eq!(ftl.live(), u64::from(live));
    tenths(&mut ftl, live, &UNIFORM, 3 * u64::from(live));
    let found = mean(&tenths(&mut ftl, live, &UNIFORM, 200_000));
    let expected = amplification(f64::from(size.blocks) * 128.0 / f64::from(live), &UNIFORM);
    assert!((found / expected - 1.0).abs() < 0.02, "{found} {expected}");
    // A drive that is said to be so full is so from the start.
    let mut filled = steady(size, gc(GcPolicy::Fifo), None, live, &UNIFORM);
    let found = mean(&tenths(&mut filled, live, &UNIFORM, 100_000));
    assert!((found / expected - 1.0).abs() < 0.02, "{found} {expected}");
}

/// A tenth of the space takes all writes: without levelling the rest's blocks are never erased.
#[test]
fn wear_levelling_bounds_the_spread() {
    let spread = |levelling: Option<u32>| {
        let size = geometry(128, 64, 0.28);
        let mut ftl = Ftl::new(size, gc(GcPolicy::Greedy), levelling, None, 0);
        let mut work = Tally::default();
        let mut draw = Stream::new(3, Component::Think, 0);
        for address in 0..size.units {
            ftl.write(address, 0, Cause::HostWrite, &mut work);
        }
        for _ in 0..200 * 64 * 40 {
            ftl.write(draw.below(u64::from(size.units / 10)) as u32, 0, Cause::HostWrite, &mut work);
        }
        let (least, most) = (ftl.erases().iter().min(), ftl.erases().iter().max());
        ftl.audit().unwrap_or_else(|e| unreachable!("{e}"));
        (most.copied().unwrap_or(0) - least.copied().unwrap_or(0), ftl.counts.levelled)
    };
    let (loose, none) = spread(None);
    let (tight, moved) = spread(Some(8));
    assert!(none == 0 && loose > 60, "{loose}");
    // One victim in two may be chosen for wear, so the spread can exceed the threshold by a little.
    assert!(moved > 0 && tight <= 12, "{tight}");
}

/// Every moved unit is sensed, and every stripe of moved units is counted as moved.
#[test]
fn work_adds_up() {
    let size = geometry(512, 128, 0.28);
    let mut ftl = steady(size, gc(GcPolicy::Greedy), None, size.units, &UNIFORM);
    let mut work = Tally::default();
    let mut draw = Stream::new(5, Component::Think, 0);
    for _ in 0..100_000 {
        ftl.write(draw.below(u64::from(size.units)) as u32, 0, Cause::HostWrite, &mut work);
    }
    let counts = ftl.counts;
    assert_eq!(work.programs, (counts.host + counts.moved) / 4);
    assert!(work.sensed.abs_diff(counts.moved) <= 16 && work.moved_programs.abs_diff(counts.moved / 4) <= 1);
    assert_eq!(work.erases, counts.erased);
}

/// A stripe with units of a rebuild and moved ones is the rebuild's, whichever came last.
#[test]
fn mixed_stripes_are_not_the_hosts() {
    let size = geometry(256, 128, 0.15);
    let mut ftl = steady(size, gc(GcPolicy::Greedy), None, size.units, &UNIFORM);
    let mut work = Tally::default();
    let mut draw = Stream::new(5, Component::Think, 0);
    for _ in 0..50_000 {
        ftl.write(draw.below(u64::from(size.units)) as u32, 0, Cause::Rebuild, &mut work);
    }
    assert!(work.moved_programs > 0 && work.programs > work.moved_programs);
    assert_eq!(work.host_programs, 0);
}

/// Small writes without a buffer fill up a stripe each: the places left empty need collection as much as those written.
#[test]
fn padding_leaves_room_for_what_is_moved() {
    for policy in [GcPolicy::Fifo, GcPolicy::Greedy, GcPolicy::CostBenefit] {
        for (free_blocks, hot_cold) in [(1, false), (4, false), (2, true)] {
            let size = Geometry { stripe_units: 16, ..geometry(64, 128, 0.2) };
            let plan = GcPlan { policy, free_blocks, hot_cold, burst: None };
            let mut ftl = steady(size, plan, None, size.units, &UNIFORM);
            let mut work = Tally::default();
            let mut draw = Stream::new(5, Component::Think, 0);
            for _ in 0..100_000 {
                ftl.write(draw.below(u64::from(size.units)) as u32, 0, Cause::HostWrite, &mut work);
                ftl.pad(0, Cause::HostWrite, &mut work);
            }
            assert_eq!(ftl.audit(), Ok(()), "{policy:?} {free_blocks} {hot_cold}");
            assert!(ftl.counts.padded > 100_000 && ftl.live() == u64::from(size.units));
        }
    }
}

/// Victims that are almost all valid cost more than they free: the last superblock is kept for what is moved.
#[test]
fn nearly_full_victims_leave_room_for_what_is_moved() {
    for (filled, hot) in [(0.88, 0.05), (0.90, 0.10), (0.93, 0.05)] {
        let size = Geometry { units: (250.0 * 128.0 * filled) as u32, ..geometry(250, 128, 0.0) };
        let plan = GcPlan { policy: GcPolicy::Fifo, free_blocks: 4, hot_cold: false, burst: None };
        let mut ftl = Ftl::new(size, plan, None, None, 0);
        let mut work = Tally::default();
        let mut draw = Stream::new(5, Component::Think, 0);
        for address in 0..size.units {
            ftl.write(address, 0, Cause::HostWrite, &mut work);
        }
        let band = (f64::from(size.units) * hot) as u64;
        for _ in 0..500_000 {
            ftl.write(draw.below(band) as u32, 0, Cause::HostWrite, &mut work);
        }
        assert_eq!(ftl.audit(), Ok(()), "{filled} {hot}");
        assert!(ftl.counts.moved > 0 && ftl.live() == u64::from(size.units));
    }
}

/// So do victims of wear levelling.
#[test]
fn wear_levelling_leaves_room_for_what_is_moved() {
    for (threshold, hot) in [(3, 0.05), (3, 0.5), (20, 0.05), (20, 0.5)] {
        for spare in [0.07, 0.28] {
            let size = geometry(64, 128, spare);
            let mut ftl = Ftl::new(size, gc(GcPolicy::Greedy), Some(threshold), None, 0);
            let mut work = Tally::default();
            let mut draw = Stream::new(5, Component::Think, 0);
            for address in 0..size.units {
                ftl.write(address, 0, Cause::HostWrite, &mut work);
            }
            let band = (f64::from(size.units) * hot) as u64;
            for _ in 0..500_000 {
                ftl.write(draw.below(band) as u32, 0, Cause::HostWrite, &mut work);
            }
            assert_eq!(ftl.audit(), Ok(()), "{threshold} {hot} {spare}");
            assert!(ftl.counts.levelled > 0);
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Write(u32, u32),
    Trim(u32, u32),
    Pad,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (any::<u32>(), 1u32..40).prop_map(|(a, n)| Step::Write(a, n)),
        2 => (any::<u32>(), 1u32..60).prop_map(|(a, n)| Step::Trim(a, n)),
        1 => Just(Step::Pad),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// Whatever is written, trimmed and collected: every address that holds data is at exactly one place, valid counts
    /// agree, and what was written last is what is there.
    #[test]
    fn nothing_is_lost(
        steps in prop::collection::vec(step(), 1..300),
        policy in prop_oneof![Just(GcPolicy::Fifo), Just(GcPolicy::Greedy), Just(GcPolicy::CostBenefit)],
        hot_cold: bool,
        levelling in prop_oneof![Just(None), (1u32..4).prop_map(Some)],
        fill in prop_oneof![Just(0.0), Just(0.4), Just(1.0)],
        run in 1u32..9,
        skewed: bool,
        spare in prop_oneof![Just(0.3), Just(0.6), Just(1.5)],
    ) {
        let size = geometry(24, 64, spare);
        let plan = GcPlan { policy, free_blocks: 2, hot_cold, burst: None };
        let live = (f64::from(size.units) * fill) as u32;
        let initial = (live > 0).then(|| {
            let mut random = Stream::new(u64::from(run), Component::FlashMap, 1);
            let shares = if skewed { vec![share(0.2, 0.9), share(0.8, 0.1)] } else { vec![] };
            Initial::new((live, run), (Ftl::rotation(&size, &plan), 64), &shares, run > 4, &mut random)
        });
        let mut ftl = Ftl::new(size, plan, levelling, initial, live);
        let mut holds: Vec<bool> = (0..size.units).map(|a| a < live).collect();
        let mut work = Tally::default();
        prop_assert_eq!(ftl.audit(), Ok(()));
        for step in steps {
            match step {
                Step::Write(first, count) => for i in 0..count {
                    let address = (first % size.units + i) % size.units;
                    ftl.write(address, 0, Cause::HostWrite, &mut work);
                    holds[address as usize] = true;
                },
                Step::Trim(first, count) => for i in 0..count {
                    let address = (first % size.units + i) % size.units;
                    let held = std::mem::replace(&mut holds[address as usize], false);
                    prop_assert_eq!(ftl.trim(address), held);
                },
                Step::Pad => {
                    let empty = ftl.pad(0, Cause::HostWrite, &mut work);
                    ftl.collect(empty, &mut work);
                }
            }
        }
        prop_assert_eq!(ftl.audit(), Ok(()));
        for (address, held) in (0..).zip(holds) {
            prop_assert_eq!(ftl.locate(address).is_some(), held);
        }
    }
}

/// In bursts, each of which frees two superblocks, amplification is what it is in step with the writes, and nothing is lost.
#[test]
fn bursts_amplify_as_much_as_collection_in_step() {
    let size = geometry(260, 256, 0.28);
    let live = size.units;
    let plan =
        GcPlan { burst: Some(BurstPlan { blocks: 2, share: 0.5 }), free_blocks: 4, ..gc(GcPolicy::Fifo) };
    let mut ftl = steady(size, plan, None, live, &UNIFORM);
    let (mut work, mut draw) = (Tally::default(), Stream::new(3, Component::Think, 0));
    let (mut began, mut written, mut bursts, mut before) = (Vec::new(), 0u64, false, 0);
    for _ in 0..600_000 {
        ftl.write(draw.below(u64::from(live)) as u32, 0, Cause::HostWrite, &mut work);
        written += 1;
        if ftl.bursting() && !bursts {
            assert!(ftl.free_blocks() <= 4);
            began.push(written);
            before = ftl.counts.erased;
        }
        bursts = ftl.bursting();
        if bursts {
            ftl.step(&mut work);
            ftl.step(&mut work);
        }
        if bursts && !ftl.bursting() {
            assert!(ftl.free_blocks() == 6 && ftl.counts.erased >= before + 2);
            bursts = false;
        }
    }
    assert_eq!(ftl.audit(), Ok(()));
    let found = (ftl.counts.host + ftl.counts.moved) as f64 / ftl.counts.host as f64;
    let a = f64::from(size.blocks - 6) * f64::from(size.block_units) / f64::from(live);
    let closed = amplification(a, &UNIFORM);
    assert!((found / closed - 1.0).abs() < 0.02, "{found} {closed}");
    // Between two bursts hosts write what one frees: one to two superblocks, and what they write during it.
    let spans: Vec<u64> = began.windows(2).map(|w| w[1] - w[0]).collect();
    assert!(spans.iter().all(|&span| (256..1_024).contains(&span)), "{spans:?}");
}

/// Writes faster than bursts free superblocks are collected for at any price.
#[test]
fn bursts_that_are_too_slow_lose_nothing() {
    let size = geometry(60, 128, 0.20);
    let plan =
        GcPlan { burst: Some(BurstPlan { blocks: 3, share: 0.1 }), free_blocks: 2, ..gc(GcPolicy::Greedy) };
    let mut ftl = steady(size, plan, None, size.units, &UNIFORM);
    let (mut work, mut draw) = (Tally::default(), Stream::new(3, Component::Think, 0));
    for i in 0..200_000 {
        ftl.write(draw.below(u64::from(size.units)) as u32, 0, Cause::HostWrite, &mut work);
        if i % 40 == 0 && ftl.bursting() {
            ftl.step(&mut work);
        }
    }
    assert_eq!(ftl.audit(), Ok(()));
    assert_eq!(ftl.live(), u64::from(size.units));
}
