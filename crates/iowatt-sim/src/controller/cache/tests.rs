//! The cache against naive references: an ordered list for LRU, a map of granules for its contents.
#![allow(clippy::unwrap_used)] // tests fail by panicking

use super::*;
use crate::plan::{DestagePlan, LineTransfers, ReadAheadPlan};
use iowatt_cache::ReplacementPlan;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const SECTOR: u64 = 512;
/// Four sectors.
const LINE: u64 = 2_048;
/// 30 lines and 3 sectors of a 31st.
const POOL: u64 = 30 * LINE + 3 * SECTOR;

fn plan(lines: u64, write: WriteCaching) -> CachePlan {
    CachePlan {
        capacity_bytes: lines * LINE,
        line_bytes: LINE,
        replacement: ReplacementPlan::Lru,
        read: true,
        write,
        high_watermark: 0.75,
        low_watermark: 0.5,
        destage_bytes: 4 * LINE,
        destage_outstanding: 2,
        destage: DestagePlan::Watermark,
        transfers: LineTransfers::Mixed,
        read_ahead: None,
        mirror: None,
    }
}

fn cache(plan: &CachePlan) -> Cache {
    Cache::new(plan, &[SECTOR], vec![POOL], 1).unwrap()
}

/// What no policy may change: the data.
const POLICIES: [&str; 9] = ["lru", "fifo", "clock", "2q", "arc", "lfu", "w-tinylfu", "s3-fifo", "sieve"];

/// The back end as a queue whose requests complete when the test says so.
#[derive(Default)]
struct Drives {
    back: BackEnd,
    under_way: Vec<(u32, BackEndRequest)>,
    woken: Vec<u32>,
}

impl Drives {
    /// Requests that are new.
    fn send(&mut self) -> Vec<BackEndRequest> {
        let mut new = Vec::new();
        while let Some((key, request)) = self.back.take() {
            self.back.sent(key, 1);
            self.under_way.push((key, request));
            new.push(request);
        }
        new
    }

    fn complete(&mut self, which: usize, cache: &mut Cache) -> BackEndRequest {
        let (key, request) = self.under_way.remove(which);
        let done = self.back.operation_done(key, &mut self.woken).unwrap();
        assert_eq!((done.from, done.until), (request.from, request.until));
        cache.completed(key, &request, true);
        request
    }
}

fn read(cache: &mut Cache, from: u64, until: u64, drives: &mut Drives) -> (u32, Vec<(u64, u64)>) {
    let span = cache.span(0, from, until);
    let found = cache.read(span, 7, true, &mut drives.back);
    cache.count(0, &span, false, found);
    let waits = found.asked + found.joined;
    (waits, drives.send().iter().map(|r| (r.from, r.until)).collect())
}

fn write(cache: &mut Cache, from: u64, until: u64) -> bool {
    let span = cache.span(0, from, until);
    cache.accept(&span, span.from, true, &mut 0) == span.until
}

/// A worked example: lines 0 and 3 are here, line 1 holds one written sector, line 4 is on its way.
#[test]
fn a_partial_hit_reads_only_the_missing_runs() {
    let (mut c, mut d) = (cache(&plan(10, WriteCaching::Back)), Drives::default());
    assert_eq!(read(&mut c, 0, 512, &mut d), (1, vec![(0, LINE)]), "a whole line is fetched");
    assert_eq!(read(&mut c, 3 * LINE, 4 * LINE, &mut d), (1, vec![(3 * LINE, 4 * LINE)]));
    d.complete(0, &mut c);
    d.complete(0, &mut c);
    assert!(write(&mut c, LINE + 512, LINE + 1_024));
    assert_eq!(read(&mut c, 4 * LINE, 5 * LINE, &mut d).0, 1);
    // Lines 0 to 5: line 1 lacks sectors 0, 2 and 3 (one run with line 2), line 4 is waited for, line 5 missing.
    let (waits, runs) = read(&mut c, 0, 6 * LINE, &mut d);
    assert_eq!(runs, [(LINE, 3 * LINE), (5 * LINE, 6 * LINE)]);
    assert_eq!(waits, 3, "two runs and what the read before asked for");
    // 512 of the first read were missing; here lines 0 and 3 and one sector: 2 x 2,048 + 512 of 12,288.
    assert_eq!((c.hits[0].requests[0], c.hits[0].hits[0]), (4, 0));
    assert_eq!((c.hits[0].bytes[0], c.hits[0].hit_bytes[0]), (512 + 2 * LINE + 6 * LINE, 2 * LINE + 512));
    while !d.under_way.is_empty() {
        d.complete(0, &mut c);
    }
    assert_eq!(read(&mut c, 0, 6 * LINE, &mut d), (0, vec![]), "a hit");
    assert_eq!(c.totals.fetched_bytes, 3 * LINE + 2 * LINE + LINE);
    assert_eq!(c.dirty_bytes(), 512, "the written sector survived the fetch around it");
}

#[test]
fn concurrent_misses_share_one_fetch() {
    let (mut c, mut d) = (cache(&plan(10, WriteCaching::Back)), Drives::default());
    assert_eq!(read(&mut c, 0, LINE, &mut d), (1, vec![(0, LINE)]));
    assert_eq!(read(&mut c, 512, 1_024, &mut d), (1, vec![]));
    assert_eq!(c.hits[0].delayed_hits, 1);
    d.complete(0, &mut c);
    assert_eq!(d.woken, [7, 7], "both wait for it");
}

/// The last line reaches past the end of its pool: what lies beyond is neither read nor written.
#[test]
fn the_last_line_ends_with_its_pool() {
    let (mut c, mut d) = (cache(&plan(10, WriteCaching::Back)), Drives::default());
    assert_eq!(read(&mut c, 30 * LINE, 30 * LINE + 512, &mut d).1, [(30 * LINE, POOL)]);
}

/// Where a read cannot be kept because every line is dirty or on its way, exactly it is read.
#[test]
fn a_read_that_finds_no_line_passes_by() {
    let (mut c, mut d) = (cache(&plan(2, WriteCaching::Back)), Drives::default());
    assert!(write(&mut c, 0, 2 * LINE));
    assert_eq!(
        read(&mut c, 5 * LINE + 512, 5 * LINE + 1_024, &mut d).1,
        [(5 * LINE + 512, 5 * LINE + 1_024)]
    );
    assert_eq!((c.lines.len(), c.totals.evictions), (2, 0));
}

/// 8 lines: destaging starts with the 6th dirty line and ends at 4. Runs hold 4 lines and do not cross a
/// multiple of 4; the sweep ascends.
#[test]
fn destages_by_watermark_in_ascending_runs() {
    let (mut c, mut d) = (cache(&plan(8, WriteCaching::Back)), Drives::default());
    for line in [9, 3, 20, 4, 8] {
        assert!(write(&mut c, line * LINE, (line + 1) * LINE));
        c.destage(false, &mut d.back);
    }
    assert_eq!(d.send(), [], "five of eight are dirty: below the high watermark of six");
    assert!(write(&mut c, 5 * LINE, 6 * LINE - 512));
    c.destage(false, &mut d.back);
    let lines = |r: &BackEndRequest| (r.from / SECTOR, r.until / SECTOR);
    // Line 3 stands alone before the multiple of four; 4 and 5 (but for its last sector) are one run.
    // With that 3 of 6 lines are on their way, and 3 is not more than 4.
    assert_eq!(d.send().iter().map(lines).collect::<Vec<_>>(), [(12, 16), (16, 23)]);
    assert_eq!(c.dirty_bytes(), 6 * LINE - 512, "not on the drives before it has arrived there");
    d.complete(0, &mut c);
    d.complete(0, &mut c);
    c.destage(false, &mut d.back);
    assert_eq!(d.send(), [], "three lines are below the low watermark of four");
    assert_eq!((c.totals.destages, c.totals.destaged_bytes), (2, 3 * LINE - 512));
    c.destage(true, &mut d.back);
    assert_eq!(d.send().iter().map(lines).collect::<Vec<_>>(), [(32, 40), (80, 84)], "8, 9 and 20");
}

/// What is written while it is being destaged is dirty again, and is destaged again only afterwards.
#[test]
fn a_write_during_its_destage_is_not_lost() {
    let (mut c, mut d) = (cache(&plan(8, WriteCaching::Back)), Drives::default());
    assert!(write(&mut c, 0, LINE));
    c.destage(true, &mut d.back);
    assert_eq!(d.send().len(), 1);
    assert!(write(&mut c, 0, 512));
    c.destage(true, &mut d.back);
    assert_eq!(d.send(), [], "its first sector is on its way still");
    d.complete(0, &mut c);
    assert_eq!(c.dirty_bytes(), 512);
    c.destage(true, &mut d.back);
    assert_eq!(d.send().len(), 1);
    d.complete(0, &mut c);
    assert_eq!((c.dirty_bytes(), c.held, c.dirty), (0, 0, 0));
}

#[test]
fn write_around_updates_lines_but_takes_none() {
    let (mut c, mut d) = (cache(&plan(8, WriteCaching::Around)), Drives::default());
    let span = c.span(0, 0, LINE);
    assert_eq!((c.update(&span, true), c.lines.len()), (0, 0));
    read(&mut c, 0, LINE, &mut d);
    d.complete(0, &mut c);
    assert_eq!(c.update(&span, true), 4, "its four sectors lie in a line that is here");
}

/// A cache for writes alone keeps nothing that is read.
#[test]
fn without_read_caching_only_writes_take_lines() {
    let mut only_writes = plan(8, WriteCaching::Back);
    only_writes.read = false;
    let (mut c, mut d) = (cache(&only_writes), Drives::default());
    assert_eq!(read(&mut c, 0, 512, &mut d).1, [(0, 512)]);
    d.complete(0, &mut c);
    assert_eq!(read(&mut c, 0, 512, &mut d).0, 1, "again");
    assert!(write(&mut c, 512, 1_024));
    assert_eq!(read(&mut c, 512, 1_024, &mut d).0, 0, "what was written is here");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// With nothing dirty and every fetch completed at once, hits and contents are those of a plain list.
    #[test]
    fn is_lru(
        steps in prop::collection::vec((0u64..30, 1u64..4, any::<bool>()), 1..200), size in 1u64..12,
    ) {
        let (mut c, mut d) = (cache(&plan(size, WriteCaching::Through)), Drives::default());
        let mut list: Vec<u64> = Vec::new(); // oldest first
        for (line, length, is_write) in steps {
            // One line at a time, so that no request is longer than the cache.
            for line in line..(line + length).min(30) {
                let expected = list.contains(&line);
                list.retain(|&l| l != line);
                list.push(line);
                if list.len() as u64 > size {
                    list.remove(0);
                }
                let span = c.span(0, line * LINE, (line + 1) * LINE);
                let hit = if is_write {
                    c.update(&span, true) == 4
                } else {
                    let hit = c.read(span, 7, true, &mut d.back) == Found { present: 4, ..Found::default() };
                    d.send();
                    while !d.under_way.is_empty() {
                        d.complete(0, &mut c);
                    }
                    hit
                };
                prop_assert_eq!(hit, expected);
                prop_assert_eq!(c.lines.len(), list.len());
                prop_assert!(list.iter().all(|&l| c.lines.find(key_of(0, l)).is_some()));
            }
        }
    }

    /// Whatever happens in whatever order: the cache is never larger than it may be, what it calls valid is
    /// what was last written or lies on the drives, and the last version of every granule is on the drives
    /// or dirty.
    #[test]
    fn keeps_every_write(
        steps in prop::collection::vec((0u8..5, 0u64..123, 1u64..30, any::<prop::sample::Index>()), 1..250),
        size in 1u64..12, outstanding in 1usize..4, run in 1u64..5, keeps_reads in any::<bool>(),
        policy in prop::sample::select(POLICIES.to_vec()),
    ) {
        let mut given = plan(size, WriteCaching::Back);
        given.replacement = serde_json::from_value(serde_json::json!({ "policy": policy })).unwrap();
        (given.destage_outstanding, given.destage_bytes, given.read) = (outstanding, run * LINE, keeps_reads);
        let (mut c, mut d) = (cache(&given), Drives::default());
        // Versions of each granule: as last written by a host, as on the drives, and as a destage under way
        // carries them, by first granule of the destage.
        let mut written: BTreeMap<u64, u32> = BTreeMap::new();
        let mut drives: BTreeMap<u64, u32> = BTreeMap::new();
        let mut carried: Vec<BTreeMap<u64, u32>> = Vec::new();
        let (mut version, mut destaged, mut soiled) = (0, 0, 0u64);
        let end = POOL / SECTOR;
        for (what, from, length, which) in steps {
            let until = (from + length).min(end);
            let span = Span { pool: 0, from, until };
            match what {
                0 | 1 => {
                    version += 1;
                    let taken = c.accept(&span, from, true, &mut 0);
                    prop_assert!(from <= taken && taken <= until);
                    for granule in from..taken {
                        let was = written.insert(granule, version);
                        // A write of what is dirty already replaces it.
                        let replaced = was.is_some() && drives.get(&granule) != was.as_ref()
                            && !carried.iter().any(|m| m.get(&granule) == was.as_ref());
                        soiled += u64::from(!replaced);
                    }
                    if taken < until {
                        let stuck = (0..c.lines.len() as u32).all(|l| !c.lines.get(l).is_evictable());
                        prop_assert!(stuck && c.lines.len() as u64 == size, "a write waits with room to spare");
                    }
                    c.destage(taken < until, &mut d.back);
                }
                2 => {
                    let here = |g: u64| c.lines.find(key_of(0, g / 4)).is_some_and(|l| c.lines.get(l).valid >> (g % 4) & 1 == 1);
                    let all_here = (from..until).all(here);
                    let found = c.read(span, 7, true, &mut d.back);
                    prop_assert_eq!(found.asked + found.joined == 0, all_here);
                }
                3 => c.destage(true, &mut d.back),
                _ if d.under_way.is_empty() => {}
                _ => {
                    let index = which.index(d.under_way.len());
                    let carries = carried.remove(index);
                    let request = d.complete(index, &mut c);
                    if request.write {
                        prop_assert_eq!(carries.len() as u64, (request.until - request.from) / SECTOR);
                        destaged += carries.len() as u64;
                        drives.extend(carries);
                    }
                    c.destage(false, &mut d.back);
                }
            }
            for request in d.send() {
                let granules = request.from / SECTOR..request.until / SECTOR;
                prop_assert!(!granules.is_empty() && request.until <= POOL);
                let takes = if request.write {
                    prop_assert!(granules.end - granules.start <= run * 4);
                    prop_assert_eq!(granules.start / (run * 4), (granules.end - 1) / (run * 4));
                    // Never two destages of one granule at a time: they might arrive in the wrong order.
                    let twice = granules.clone().any(|g| carried.iter().any(|m| m.contains_key(&g)));
                    prop_assert!(!twice);
                    granules.map(|g| (g, written[&g])).collect()
                } else {
                    BTreeMap::new()
                };
                carried.push(takes);
            }
            let destages = d.under_way.iter().filter(|(_, r)| r.write).count();
            prop_assert!(destages <= outstanding);
            prop_assert!(c.lines.len() as u64 <= size);
            // Dirty is exactly what is not on the drives.
            let missing: BTreeSet<u64> =
                written.iter().filter(|(g, v)| drives.get(g) != Some(v)).map(|(&g, _)| g).collect();
            let mut dirty = BTreeSet::new();
            let (mut held, mut open) = (0, 0);
            for slot in 0..c.lines.len() as u32 {
                let line = c.lines.get(slot);
                prop_assert_eq!((line.dirty | line.destaging) & !line.valid, 0);
                let base = line.key * 4;
                dirty.extend((0..4).filter(|g| (line.dirty | line.destaging) >> g & 1 == 1).map(|g| base + g));
                held += usize::from(line.is_held());
                open += usize::from(line.dirty != 0);
            }
            prop_assert_eq!((held, open), (c.held, c.dirty));
            prop_assert_eq!(&dirty, &missing);
            prop_assert_eq!(c.dirty_bytes(), missing.len() as u64 * SECTOR);
        }
        prop_assert_eq!(c.totals.destaged_bytes, destaged * SECTOR);
        // Every granule that was ever made dirty has been destaged, is being destaged, or is dirty.
        let waiting: u64 = (0..c.lines.len() as u32).map(|l| u64::from(c.lines.get(l).dirty.count_ones())).sum();
        let carried: u64 = carried.iter().map(|m| m.len() as u64).sum();
        prop_assert_eq!(soiled, destaged + carried + waiting);
    }
    /// The same with everything that can happen to a cache: losses and returns, zeros, reading ahead, lines in whole
    /// or in part, hot lines that stay. No write is lost, and once a loss has been flushed all is on the drives.
    #[test]
    fn loses_no_write_whatever_happens(
        steps in prop::collection::vec((0u8..9, 0u64..123, 1u64..30, any::<prop::sample::Index>()), 1..250),
        size in 2u64..12, outstanding in 1usize..4, run in 1u64..5, modes in (0u8..3, any::<bool>(), any::<bool>()),
        policy in 0..POLICIES.len(),
    ) {
        let (transfers, by_use, reads_ahead) = modes;
        let mut given = plan(size, WriteCaching::Back);
        given.replacement = serde_json::from_value(serde_json::json!({"policy": POLICIES[policy]})).unwrap();
        (given.destage_outstanding, given.destage_bytes) = (outstanding, run * LINE);
        given.transfers = [LineTransfers::Mixed, LineTransfers::Whole, LineTransfers::Needed][usize::from(transfers)];
        given.destage = if by_use { DestagePlan::Utilisation } else { DestagePlan::Watermark };
        given.read_ahead = reads_ahead.then_some(ReadAheadPlan {
            streams: 4, after: 2, least_bytes: LINE, most_bytes: 8 * LINE, share: 0.5,
        });
        let (mut c, mut d) = (cache(&given), Drives::default());
        let mut written: BTreeMap<u64, u32> = BTreeMap::new();
        let mut drives: BTreeMap<u64, u32> = BTreeMap::new();
        let mut carried: Vec<BTreeMap<u64, u32>> = Vec::new();
        let (mut version, mut lost, mut halved) = (0, false, false);
        let end = POOL / SECTOR;
        // What lasts until all is flushed: everything then is on the drives.
        let drain = steps.len()..steps.len() + 300;
        let last = (4, 0, 1, steps[0].3);
        for (number, (what, from, length, which)) in steps.iter().copied().chain(drain.clone().map(|_| last)).enumerate() {
            if number >= drain.start {
                c.protect(false);
                c.destage(false, &mut d.back);
            }
            let until = (from + length).min(end);
            let span = Span { pool: 0, from, until };
            // Hosts do not write again what they have no answer for yet.
            let races = d.under_way.iter().any(|(_, r)| {
                r.write && r.purpose == Purpose::Pass && r.from < until * SECTOR && from * SECTOR < r.until
            });
            match what {
                0 | 1 if races => {}
                0 | 1 if lost => {
                    version += 1;
                    c.update(&span, true);
                    d.back.open(Purpose::Pass, 0, (from * SECTOR, until * SECTOR), true, 7);
                    written.extend((from..until).map(|g| (g, version)));
                    c.destage(false, &mut d.back);
                }
                0 | 1 => {
                    version += 1;
                    let taken = c.accept(&span, from, true, &mut 0);
                    written.extend((from..taken).map(|g| (g, version)));
                    c.destage(taken < until, &mut d.back);
                }
                2 => {
                    let here = |g: u64| c.lines.find(key_of(0, g / 4)).is_some_and(|l| c.lines.get(l).valid >> (g % 4) & 1 == 1);
                    let all_here = (from..until).all(here);
                    let found = c.read(span, 7, true, &mut d.back);
                    prop_assert_eq!(found.asked + found.joined == 0, all_here);
                    c.read_ahead(&span, found, POOL, true, &mut d.back);
                }
                3 => c.destage(which.index(2) == 0, &mut d.back),
                5 => {
                    (lost, halved) = (true, halved || which.index(2) == 0);
                    c.protect(false);
                    c.limit(if halved { 0.5 } else { 1.0 }, true);
                    c.destage(false, &mut d.back);
                }
                6 => {
                    (lost, halved) = (false, false);
                    c.protect(true);
                    c.limit(1.0, true);
                }
                7 if !races => {
                    // Its ends are in the middle of granules, which stay what they are.
                    c.erase(0, from * SECTOR - SECTOR / 2 * u64::from(from > 0), until * SECTOR + SECTOR / 2, true);
                    written.retain(|g, _| !(from..until).contains(g));
                }
                _ if d.under_way.is_empty() => {}
                _ => {
                    let index = which.index(d.under_way.len());
                    drives.extend(carried.remove(index));
                    d.complete(index, &mut c);
                    c.destage(false, &mut d.back);
                }
            }
            for request in d.send() {
                let granules = request.from / SECTOR..request.until / SECTOR;
                prop_assert!(!granules.is_empty() && request.until <= POOL);
                if request.purpose == Purpose::Destage && given.transfers == LineTransfers::Whole {
                    prop_assert!(request.from % LINE == 0 && (request.until % LINE == 0 || request.until == POOL));
                }
                let takes = if request.write {
                    granules.filter_map(|g| written.get(&g).map(|&v| (g, v))).collect()
                } else {
                    BTreeMap::new()
                };
                carried.push(takes);
            }
            prop_assert!(c.destages <= outstanding);
            prop_assert!(c.held <= c.lines.len() && c.lines.len() as u64 <= size);
            // Half of the cache is gone as soon as what was dirty in it is on the drives.
            prop_assert!(!halved || c.lines.len() <= (size / 2).max(1) as usize || c.held > 0 || !d.under_way.is_empty());
            let (mut held, mut open, mut unused, mut ahead) = (0, 0, 0, 0);
            for slot in 0..c.lines.made() {
                let line = c.lines.get(slot);
                prop_assert_eq!((line.dirty | line.destaging) & !line.valid, 0);
                held += usize::from(line.is_held());
                open += usize::from(line.dirty != 0);
                unused += u64::from(line.ahead.count_ones()) * SECTOR;
                ahead += usize::from(line.ahead != 0);
                prop_assert!(line.dirty & !line.destaging == 0 || line.listed || c.bounds.whole || line.destaging != 0);
            }
            prop_assert_eq!((held, open, ahead), (c.held, c.dirty, c.ahead));
            prop_assert!(ahead <= c.most_ahead);
            let t = &c.totals;
            prop_assert_eq!(t.ahead_bytes, t.ahead_used_bytes + t.ahead_wasted_bytes + unused);
            for (&g, v) in &written {
                let on_its_way = || d.under_way.iter().zip(&carried).any(|((_, r), m)| r.purpose == Purpose::Pass && m.get(&g) == Some(v));
                let dirty = || c.lines.find(key_of(0, g / 4)).is_some_and(|l| {
                    let line = c.lines.get(l);
                    (line.dirty | line.destaging) >> (g % 4) & 1 == 1
                });
                prop_assert!(drives.get(&g) == Some(v) || dirty() || on_its_way(), "granule {} is lost", g);
            }
        }
        prop_assert!(d.under_way.is_empty() && c.held == 0);
        prop_assert_eq!(written.iter().find(|(g, v)| drives.get(g) != Some(v)), None);
    }
}
