//! Blocks hold what was recorded, whatever their width became.

use super::*;
use crate::observe::{FlowIndex, Observer};
use crate::power::Window;
use proptest::prelude::*;
use std::collections::BTreeMap;

const MS: Nanos = 1_000_000;

/// All bins of a class, over its blocks.
fn bins(series: &Series, class: (usize, usize, usize)) -> BTreeMap<(Nanos, Nanos), u64> {
    let mut all = BTreeMap::new();
    for (low, high, count) in series.blocks(class.0, class.1, class.2).iter().flat_map(Block::bins) {
        *all.entry((low, high)).or_default() += count;
    }
    all
}

#[test]
fn edges_are_seamless() {
    let mut next = 0;
    for bin in 0..BINS {
        let (low, high) = edges(bin);
        assert_eq!(low, next, "bin {bin}");
        assert_eq!((bin_of(low), bin_of(high)), (bin, bin));
        next = high + 1;
    }
    assert!(next > LONGEST);
    const { assert!(BINS <= 1 << 16) };
}

#[test]
fn a_completion_belongs_to_the_block_that_it_ends() {
    let mut series = Series::new(5 * MS, Some(10 * MS), 1);
    for at in [5 * MS, 15 * MS, 15 * MS + 1, 25 * MS, 44 * MS] {
        series.record(at, Point::Host, 0, 0, 100);
    }
    series.finish(46 * MS);
    let counts: Vec<u64> = series.blocks(0, 0, 0).iter().map(|b| b.count).collect();
    assert_eq!(counts, [2, 2, 0, 1]);
    assert_eq!(series.count_until(46 * MS), 5);
    assert_eq!(series.span(4, 46 * MS), (45 * MS, 46 * MS));
}

#[test]
fn a_point_within_the_path_counts_what_the_host_counts() {
    let window = Window { start: 10 * MS, end: 20 * MS };
    let plan = serde_json::from_str(r#"{"warmup_s": 0.01, "end_s": 0.02, "interval_s": null}"#).unwrap();
    let mut observer = Observer::new(window, &plan, vec![], 6, FlowIndex::new(&[0], 1)).unwrap();
    // Before the window, in it, beyond it: only the second is counted anywhere.
    for (arrived, done) in [(9 * MS, 11 * MS), (12 * MS, 15 * MS), (19 * MS, 21 * MS)] {
        observer.arrived(arrived);
        observer.completed(done, 0, true, arrived, 512);
        observer.at_point(done, Point::Array, 0, true, arrived, MS);
    }
    observer.finish(20 * MS);
    let at = |point: Point| observer.series().blocks(point as usize, 0, 1);
    let (host, array) = (at(Point::Host), at(Point::Array));
    assert_eq!((host.len(), host[4].count, host[4].sum), (5, 1, u128::from(3 * MS)));
    assert_eq!((array.len(), array[4].count, array[4].sum), (5, 1, u128::from(MS)));
    assert_eq!(observer.at(Point::Array).unwrap().completed, [0, 1]);
    assert!(observer.at(Point::Switch).is_none() && at(Point::Switch).is_empty());
}

#[test]
fn only_the_length_of_the_window_sets_the_automatic_width() {
    for (length, width, count) in
        [(MS / 2, MS, 1), (512 * MS, MS, 512), (512 * MS + 1, 2 * MS, 257), (1_000_000 * MS, 2_048 * MS, 489)]
    {
        // One request early or many late: the same blocks.
        for from in [0, length - 1] {
            let mut series = Series::new(7, None, 1);
            series.record(7 + from, Point::Host, 0, 0, 100);
            series.finish(7 + length);
            assert_eq!((series.width(), series.count_until(7 + length)), (width, count));
        }
    }
}

#[test]
fn a_width_asked_for_stays_until_there_are_too_many_blocks() {
    let mut series = Series::new(0, Some(MS), 1);
    series.record(MOST_ASKED as u64 * MS, Point::Host, 0, 0, 100);
    assert_eq!(series.width(), MS);
    series.record(MOST_ASKED as u64 * MS + 1, Point::Host, 0, 0, 100);
    assert_eq!(series.width(), 2 * MS);
}

#[test]
fn blocks_with_too_many_bins_are_joined() {
    // 600 blocks in which each of 11,000 bins holds one request: 6.6 million bins. Joined in pairs, it is half of that.
    let mut series = Series::new(0, Some(MS), 1);
    for block in 0..600 {
        for bin in 0..11_000 {
            series.record(block * MS + 1, Point::Host, 0, 0, edges(bin).0);
        }
        assert!(series.kept <= MOST_BINS + MOST_LOGGED);
    }
    series.finish(600 * MS);
    assert_eq!(series.width(), 2 * MS);
    assert!(bins(&series, (0, 0, 0)).values().all(|&count| count == 600));
}

proptest! {
    #[test]
    fn a_bin_holds_its_value_and_is_narrow(response in 0..=LONGEST) {
        let (low, high) = edges(bin_of(response));
        prop_assert!(low <= response && response <= high);
        prop_assert!((high - low) * 256 <= low);
    }

    /// Against a list of everything, with gaps that make the width double, classes that are silent for long, and a point
    /// whose times go back and forth.
    #[test]
    fn nothing_is_lost(
        steps in prop::collection::vec((0u64..40 * MS, 0usize..3, 0usize..2, 0usize..2, 1u64..LONGEST), 1..400),
        width in prop::option::of(1u64..100 * MS),
        start in 0u64..100 * MS,
    ) {
        let mut series = Series::new(start, width, 2);
        let mut now = start;
        let mut all: BTreeMap<(usize, usize, usize), Vec<(Nanos, Nanos)>> = BTreeMap::new();
        for (step, point, workload, way, response) in steps {
            let at = if point == 1 { now.max(start + step) - step } else { now + step };
            now = now.max(at);
            let p = [Point::Host, Point::Switch, Point::Array][point];
            series.record(at, p, workload, way, response);
            all.entry((point, workload, way)).or_default().push((at, response));
        }
        series.finish(now);
        let most = width.map_or(MOST_AUTOMATIC, |_| MOST_ASKED);
        prop_assert!(series.count_until(now) <= most);
        for (class, seen) in all {
            let mut histogram = BTreeMap::new();
            for &(_, response) in &seen {
                *histogram.entry(edges(bin_of(response))).or_default() += 1u64;
            }
            prop_assert_eq!(bins(&series, class), histogram);
            for (index, block) in series.blocks(class.0, class.1, class.2).iter().enumerate() {
                let (from, until) = series.span(index, Nanos::MAX);
                let inside = seen.iter().filter(|(at, _)| {
                    (*at > from || (index == 0 && *at == start)) && *at <= until
                });
                let responses: Vec<u64> = inside.map(|&(_, response)| response).collect();
                prop_assert_eq!(block.count, responses.len() as u64);
                prop_assert_eq!(block.sum, responses.iter().map(|&r| u128::from(r)).sum::<u128>());
                prop_assert_eq!(block.longest, responses.iter().copied().max().unwrap_or(0));
                let held: Vec<_> = block.bins().collect();
                prop_assert_eq!(held.iter().map(|b| b.2).sum::<u64>(), block.count);
                prop_assert!(held.windows(2).all(|pair| pair[0].1 < pair[1].0));
            }
        }
    }
}
