//! What the contract of [`iowatt_cache::Replacement`] promises, asked of every policy over any references.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::iter_over_hash_type)]

use iowatt_cache::index::{Direct, Hashed, Index};
use iowatt_cache::{Policy, Replacement, ReplacementPlan};
use proptest::prelude::*;
use std::collections::{HashMap, HashSet};

/// Every policy, with the parameters of its paper and with others.
fn every() -> Vec<ReplacementPlan> {
    let plans = [
        r#"{"policy": "lru"}"#,
        r#"{"policy": "fifo"}"#,
        r#"{"policy": "clock"}"#,
        r#"{"policy": "clock", "bits": 3}"#,
        r#"{"policy": "2q"}"#,
        r#"{"policy": "2q", "in_share": 1, "out_share": 0}"#,
        r#"{"policy": "arc"}"#,
        r#"{"policy": "lfu"}"#,
        r#"{"policy": "w-tinylfu"}"#,
        r#"{"policy": "w-tinylfu", "window_share": 0.5, "protected_share": 0, "sample": 1}"#,
        r#"{"policy": "s3-fifo"}"#,
        r#"{"policy": "s3-fifo", "small_share": 0.6, "ghost_share": 3, "threshold": 1}"#,
        r#"{"policy": "sieve"}"#,
    ];
    plans.map(|json| serde_json::from_str(json).unwrap()).to_vec()
}

/// A cache around a policy, that checks what passes between them.
struct Watched<I> {
    policy: Policy<I>,
    capacity: usize,
    slots: HashMap<u64, u32>,
    keys: HashMap<u32, u64>,
    /// Slots that may not go.
    held: HashSet<u32>,
    /// Slots that were given up, and how many the cache may use now.
    spare: Vec<u32>,
    limit: usize,
    log: Vec<(bool, Option<u32>)>,
}

impl<I: Index> Watched<I> {
    fn new(plan: ReplacementPlan, capacity: usize) -> Self {
        plan.validate().unwrap();
        Self {
            policy: Policy::new(plan, capacity),
            capacity,
            slots: HashMap::new(),
            keys: HashMap::new(),
            held: HashSet::new(),
            spare: Vec::new(),
            limit: capacity,
            log: Vec::new(),
        }
    }

    /// A reference: whether it hits, and what it pushed out.
    fn reference(&mut self, key: u64) {
        if let Some(&slot) = self.slots.get(&key) {
            self.policy.used(slot);
            self.log.push((true, None));
            return;
        }
        let mut gone = None;
        let slot = if self.keys.len() < self.limit {
            self.spare.pop().unwrap_or(self.keys.len() as u32)
        } else {
            let (keys, held) = (&self.keys, &self.held);
            let mut asked = HashSet::new();
            let victim = self.policy.victim(key, |slot| {
                assert!(keys.contains_key(&slot), "asked about a slot that holds nothing");
                asked.insert(slot);
                !held.contains(&slot)
            });
            let Some(slot) = victim else {
                assert_eq!(self.held.len(), self.keys.len(), "found no victim although there is one");
                self.log.push((false, None));
                return;
            };
            assert!(asked.contains(&slot) && !self.held.contains(&slot), "took a slot that may not go");
            let old = self.keys.remove(&slot).expect("took a slot that holds nothing");
            self.slots.remove(&old);
            gone = Some(slot);
            slot
        };
        self.policy.insert(slot, key);
        assert!(self.slots.insert(key, slot).is_none() && self.keys.insert(slot, key).is_none());
        assert!(self.keys.len() <= self.capacity);
        self.log.push((false, gone));
    }

    /// The cache may use so many slots from now on; what does not go now goes never, for there may be room again.
    fn limit(&mut self, limit: usize) {
        self.limit = limit;
        while self.keys.len() > limit {
            let (keys, held) = (&self.keys, &self.held);
            let victim = self.policy.victim(u64::MAX, |slot| {
                assert!(keys.contains_key(&slot), "asked about a slot that holds nothing");
                !held.contains(&slot)
            });
            let Some(slot) = victim else { return };
            let old = self.keys.remove(&slot).expect("took a slot that holds nothing");
            self.slots.remove(&old);
            self.spare.push(slot);
        }
    }

    /// Makes a slot one that may not go, or one that may again.
    fn hold(&mut self, slot: u32, hold: bool) {
        if !self.keys.contains_key(&slot) {
            return;
        }
        if hold {
            self.held.insert(slot);
        } else {
            self.held.remove(&slot);
            self.policy.released(slot);
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Reference(u64),
    Hold(u32, bool),
    Limit(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => (0_u64..40).prop_map(Step::Reference),
        2 => (0_u64..6).prop_map(Step::Reference),
        1 => (0_u32..12, any::<bool>()).prop_map(|(slot, hold)| Step::Hold(slot, hold)),
        1 => (0_usize..12).prop_map(Step::Limit),
    ];
    prop::collection::vec(step, 0..400)
}

fn played<I: Index>(plan: ReplacementPlan, capacity: usize, steps: &[Step]) -> Watched<I> {
    let mut cache = Watched::<I>::new(plan, capacity);
    for step in steps {
        match *step {
            Step::Reference(key) => cache.reference(key),
            Step::Hold(slot, hold) => cache.hold(slot, hold),
            Step::Limit(limit) => cache.limit(limit.clamp(1, capacity)),
        }
    }
    cache
}

proptest! {
    /// Whatever is referenced, held and released in whatever order: slots that hold something and may go are taken, one wherever
    /// there is one; and in the end, with all released, every slot can be emptied, once each.
    #[test]
    fn victims_hold_something_and_may_go(steps in steps(), capacity in 1_usize..12) {
        for plan in every() {
            let mut cache = played::<Hashed>(plan, capacity, &steps);
            for slot in std::mem::take(&mut cache.held) {
                cache.policy.released(slot);
            }
            let mut left: HashSet<u32> = cache.keys.keys().copied().collect();
            while !left.is_empty() {
                let slot = cache.policy.victim(1_000, |_| true);
                prop_assert!(slot.is_some_and(|slot| left.remove(&slot)), "{plan:?}: {slot:?} of {left:?}");
            }
            prop_assert_eq!(cache.policy.victim(1_000, |_| true), None);
        }
    }

    /// The same calls give the same answers, wherever keys are found.
    #[test]
    fn answers_repeat(steps in steps(), capacity in 1_usize..12) {
        for plan in every() {
            let hashed = played::<Hashed>(plan, capacity, &steps).log;
            prop_assert_eq!(&hashed, &played::<Hashed>(plan, capacity, &steps).log);
            prop_assert_eq!(&hashed, &played::<Direct>(plan, capacity, &steps).log, "{:?}", plan);
        }
    }

    /// With room for all keys, each is missed once.
    #[test]
    fn with_room_for_all_only_first_references_miss(keys in prop::collection::vec(0_u64..30, 0..300)) {
        for plan in every() {
            let mut cache = Watched::<Hashed>::new(plan, 30);
            keys.iter().for_each(|&key| cache.reference(key));
            let misses = cache.log.iter().filter(|(hit, _)| !hit).count();
            prop_assert_eq!(misses, keys.iter().collect::<HashSet<_>>().len());
        }
    }

    /// A cache that holds one key hits where the last reference was to the same, whatever its policy.
    #[test]
    fn one_slot_hits_repetitions(keys in prop::collection::vec(0_u64..4, 1..100)) {
        for plan in every() {
            let mut cache = Watched::<Hashed>::new(plan, 1);
            keys.iter().for_each(|&key| cache.reference(key));
            let hits: Vec<bool> = cache.log.iter().map(|&(hit, _)| hit).collect();
            let repeated: Vec<bool> = (0..keys.len()).map(|at| at > 0 && keys[at] == keys[at - 1]).collect();
            prop_assert_eq!(hits, repeated, "{:?}", plan);
        }
    }

    /// A plan survives being written down, and a name alone stands for the parameters of the paper.
    #[test]
    fn plans_are_read_back(which in 0_usize..13) {
        let plan = every()[which];
        let json = serde_json::to_string(&plan).unwrap();
        prop_assert_eq!(serde_json::from_str::<ReplacementPlan>(&json).unwrap(), plan);
    }
}

#[test]
fn impossible_parameters_are_refused() {
    let refused = |json: &str| serde_json::from_str::<ReplacementPlan>(json).unwrap().validate().unwrap_err();
    assert!(refused(r#"{"policy": "clock", "bits": 0}"#).contains("1 to 8"));
    assert!(refused(r#"{"policy": "s3-fifo", "threshold": 4}"#).contains("1 to 3"));
    assert!(refused(r#"{"policy": "2q", "in_share": -0.1}"#).contains("in_share"));
    assert!(refused(r#"{"policy": "w-tinylfu", "window_share": 1.5}"#).contains("window_share"));
    assert!(serde_json::from_str::<ReplacementPlan>(r#"{"policy": "clock", "bit": 1}"#).is_err());
    assert!(serde_json::from_str::<ReplacementPlan>(r#"{"policy": "mru"}"#).is_err());
}
