//! Places of pages: nothing is in two of them, nothing that is needed is overwritten.
#![allow(clippy::unwrap_used)] // tests fail by panicking

use super::initial::{Initial, initial_slots};
use super::pages::{Pages, Write};
use crate::plan::{ReducedPlan, SnapshotMethod};
use crate::rng::{Component, Stream as Random};
use proptest::prelude::*;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

const PAGE: u64 = 4096;

fn plan(pages: u64, filled: f64, duplicates: f64, snapshots: Option<(usize, SnapshotMethod)>) -> ReducedPlan {
    let snapshots = snapshots.map(|(retain, method)| {
        let method =
            if method == SnapshotMethod::CopyOnWrite { "copy-on-write" } else { "redirect-on-write" };
        json!({"interval_s": 1.0, "retain": retain, "method": method})
    });
    serde_json::from_value(json!({
        "capacity_bytes": pages * PAGE, "page_bytes": PAGE, "stored_bytes": PAGE / 2, "filled": filled,
        "duplicates": duplicates, "page_s": 0.0, "snapshots": snapshots,
    }))
    .unwrap()
}

proptest! {
    /// Slots have as many references as pages point to them; shares are what was asked for.
    #[test]
    fn what_is_there_at_the_start(runs in 1u64..400, rest in 0u64..64, filled in 0.0f64..=1.0, duplicates in 0.0f64..0.95, seed in any::<u64>()) {
        let pages = (runs * 64 - rest).max(1);
        let initial = Initial::new(&plan(pages, filled, duplicates, None), seed);
        let mut counts = vec![0u64; initial.slots() as usize];
        let mut taken = 0;
        for page in 0..pages {
            if let Some(slot) = initial.slot(page) {
                counts[slot as usize] += 1;
                taken += 1;
            }
        }
        prop_assert_eq!(taken, initial.pages());
        for (slot, &count) in counts.iter().enumerate() {
            prop_assert_eq!(initial.references(slot as u64), count, "slot {}", slot);
            prop_assert!(count > 0);
        }
        prop_assert_eq!(initial.references(initial.slots()), 0);
        // Whole runs, of which no group is off by more than one.
        let expected = runs as f64 * filled * 64.0;
        prop_assert!((taken as f64 - expected).abs() <= 64.0 * 65.0, "{} of {}", taken, expected);
        if runs % 64 == 0 {
            // By one run, and what the last one lacks.
            let off = 64.0 + rest as f64;
            prop_assert!((taken as f64 - expected).abs() <= off, "{} of {}", taken, expected);
        }
        let unique = taken as f64 * (1.0 - duplicates);
        prop_assert!((initial.slots() as f64 - unique).abs() <= 1.0);
    }

    /// A part that is found to be large enough is so with every seed, and one that is a slot smaller is not with one.
    #[test]
    fn what_must_fit_fits_with_every_seed(runs in 1u64..200, rest in 0u64..64, filled in 0.0f64..=1.0, duplicates in 0.0f64..0.95, seed in any::<u64>()) {
        let plan = plan(runs * 64 - rest, filled, duplicates, None);
        let most = initial_slots(&plan);
        prop_assert!(Initial::new(&plan, seed).slots() <= most);
        // Not more than a run and what may be missing of one above what any seed takes.
        let found = (0..200).map(|seed| Initial::new(&plan, seed).slots()).max();
        prop_assert!(runs % 64 != 0 || found.is_some_and(|found| most - found <= 64), "{:?} of {}", found, most);
    }

    /// What is filled whole and unique lies as it is addressed.
    #[test]
    fn a_full_volume_lies_in_order(pages in 1u64..10_000, page in 0u64..10_000, seed in any::<u64>()) {
        let initial = Initial::new(&plan(pages, 1.0, 0.0, None), seed);
        prop_assert_eq!(initial.slot(page % pages), Some((page % pages) as u32));
    }

    /// Whatever is written, and whatever snapshots come and go: every page has what was written to it last, every
    /// snapshot that is kept has all that was there when it was taken, and every slot is accounted for.
    #[test]
    fn pages_and_snapshots_keep_their_contents(
        runs in 1u64..4, filled in 0.0f64..=1.0, retain in 1usize..4, redirect in any::<bool>(), snapshots in any::<bool>(), duplicates in 0.0f64..0.9,
        steps in prop::collection::vec((0u64..300, 0u8..12), 1..200), seed in any::<u64>(),
    ) {
        let count = runs * 64 - 5;
        let method = if redirect { SnapshotMethod::RedirectOnWrite } else { SnapshotMethod::CopyOnWrite };
        // Contents can be followed where none is shared at random.
        let duplicates = if snapshots { 0.0 } else { duplicates };
        let plan = plan(count, filled, duplicates, snapshots.then_some((retain, method)));
        let random = Random::new(seed, Component::Duplicates, 0);
        // Room for all pages and some of what is kept.
        let mut pages = Pages::new(&plan, (count + 130) * PAGE / 2, seed, random);
        let slots = count + 130;
        let held = (0..slots as u32).filter(|&slot| pages.holds(slot));
        let mut contents: BTreeMap<u32, u64> = held.map(|slot| (slot, u64::from(slot) + 1_000_000)).collect();
        let mut model: BTreeMap<u64, u64> =
            (0..count).filter_map(|page| Some((page, contents[&pages.place(page)?]))).collect();
        let mut images: Vec<BTreeMap<u64, u64>> = Vec::new();
        for (version, &(page, action)) in (1u64..).zip(&steps) {
            let page = page % count;
            if action == 0 && snapshots {
                pages.snapshot(retain);
                images.push(model.clone());
                if images.len() > retain {
                    images.remove(0);
                }
            } else {
                let before = pages.place(page);
                match pages.write(page) {
                    Write::NoSpace => {
                        prop_assert!(pages.space().slots == slots);
                        continue;
                    }
                    Write::Shared { old } => {
                        prop_assert_eq!(old, before);
                        model.insert(page, contents[&pages.place(page).unwrap()]);
                    }
                    Write::InPlace(slot) => {
                        contents.insert(slot, version);
                        model.insert(page, version);
                    }
                    Write::Elsewhere { old, new } => {
                        prop_assert!(old == before && Some(new) != old);
                        contents.insert(new, version);
                        model.insert(page, version);
                    }
                    Write::Copied { place, copy } => {
                        prop_assert!(Some(place) == before && copy != place);
                        let was = contents[&place];
                        contents.insert(copy, was);
                        contents.insert(place, version);
                        model.insert(page, version);
                    }
                }
            }
            for (page, expected) in &model {
                prop_assert_eq!(contents[&pages.place(*page).unwrap()], *expected, "page {}", page);
            }
            let there: BTreeSet<u64> =
                (0..slots as u32).filter(|&slot| pages.holds(slot)).map(|slot| contents[&slot]).collect();
            for image in &images {
                prop_assert!(image.values().all(|version| there.contains(version)));
            }
            pages.audit(plan.capacity_bytes / plan.page_bytes).unwrap();
        }
    }
}
