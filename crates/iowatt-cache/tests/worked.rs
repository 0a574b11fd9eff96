//! The policies against plain models of the papers' texts, and examples by hand.
#![allow(clippy::unwrap_used)]

use iowatt_cache::index::Direct;
use iowatt_cache::{Policy, Replacement, ReplacementPlan};
use proptest::prelude::*;
use std::collections::VecDeque;

/// Hits of a policy over keys.
fn hits(json: &str, capacity: usize, keys: &[u64]) -> Vec<bool> {
    let plan: ReplacementPlan = serde_json::from_str(json).unwrap();
    let mut policy = Policy::<Direct>::new(plan, capacity);
    let mut held: Vec<u64> = Vec::new();
    keys.iter()
        .map(|&key| {
            if let Some(slot) = held.iter().position(|&held| held == key) {
                policy.used(slot as u32);
                return true;
            }
            let slot = if held.len() < capacity {
                held.push(key);
                held.len() - 1
            } else {
                let slot = policy.victim(key, |_| true).unwrap() as usize;
                held[slot] = key;
                slot
            };
            policy.insert(slot as u32, key);
            false
        })
        .collect()
}

fn take(queue: &mut VecDeque<u64>, key: u64) -> bool {
    let at = queue.iter().position(|&held| held == key);
    at.and_then(|at| queue.remove(at)).is_some()
}

/// Oldest first.
fn model_of_lru(capacity: usize, keys: &[u64]) -> Vec<bool> {
    let mut queue = VecDeque::new();
    let step = |&key: &u64| {
        let hit = take(&mut queue, key);
        queue.push_back(key);
        if queue.len() > capacity {
            queue.pop_front();
        }
        hit
    };
    keys.iter().map(step).collect()
}

fn model_of_fifo(capacity: usize, keys: &[u64]) -> Vec<bool> {
    let mut queue = VecDeque::new();
    let step = |&key: &u64| {
        let hit = queue.contains(&key);
        if !hit {
            queue.push_back(key);
            if queue.len() > capacity {
                queue.pop_front();
            }
        }
        hit
    };
    keys.iter().map(step).collect()
}

/// A circular buffer and a hand: the textbook's way, not ours.
fn model_of_clock(capacity: usize, keys: &[u64]) -> Vec<bool> {
    let (mut ring, mut hand): (Vec<(u64, bool)>, usize) = (Vec::new(), 0);
    let step = |&key: &u64| {
        if let Some(frame) = ring.iter_mut().find(|frame| frame.0 == key) {
            frame.1 = true;
            return true;
        }
        if ring.len() < capacity {
            ring.push((key, false));
            return false;
        }
        while ring[hand].1 {
            ring[hand].1 = false;
            hand = (hand + 1) % capacity;
        }
        ring[hand] = (key, false);
        hand = (hand + 1) % capacity;
        false
    };
    keys.iter().map(step).collect()
}

/// Figure 4 of the ARC paper.
fn model_of_arc(c: usize, keys: &[u64]) -> Vec<bool> {
    let [mut t1, mut t2, mut b1, mut b2] = [const { VecDeque::<u64>::new() }; 4];
    let mut p = 0.0_f64;
    let mut step = |&x: &u64| {
        if take(&mut t1, x) || take(&mut t2, x) {
            t2.push_back(x);
            return true;
        }
        let (in_b1, in_b2) = (b1.contains(&x), b2.contains(&x));
        let (n1, n2) = (b1.len() as f64, b2.len() as f64);
        if in_b1 {
            p = (p + (n2 / n1).max(1.0)).min(c as f64);
        } else if in_b2 {
            p = (p - (n1 / n2).max(1.0)).max(0.0);
        }
        let mut replace = !t1.is_empty() || !t2.is_empty();
        if !in_b1 && !in_b2 {
            let l1 = t1.len() + b1.len();
            let all = l1 + t2.len() + b2.len();
            if l1 == c {
                if t1.len() < c {
                    b1.pop_front();
                } else {
                    t1.pop_front();
                    replace = false;
                }
            } else if all >= c {
                if all == 2 * c {
                    b2.pop_front();
                }
            } else {
                replace = false;
            }
        }
        if replace {
            let n = t1.len() as f64;
            if !t1.is_empty() && (n > p || in_b2 && n == p) {
                b1.push_back(t1.pop_front().unwrap());
            } else {
                b2.push_back(t2.pop_front().unwrap());
            }
        }
        if take(&mut b1, x) || take(&mut b2, x) {
            t2.push_back(x);
        } else {
            t1.push_back(x);
        }
        false
    };
    keys.iter().map(&mut step).collect()
}

/// Algorithm 1 of the SIEVE paper.
fn model_of_sieve(capacity: usize, keys: &[u64]) -> Vec<bool> {
    // Newest first; the hand is a key.
    let (mut queue, mut hand): (Vec<(u64, bool)>, Option<u64>) = (Vec::new(), None);
    let step = |&key: &u64| {
        if let Some(found) = queue.iter_mut().find(|held| held.0 == key) {
            found.1 = true;
            return true;
        }
        if queue.len() == capacity {
            let tail = queue.len() - 1;
            let mut at = hand.and_then(|hand| queue.iter().position(|held| held.0 == hand)).unwrap_or(tail);
            while queue[at].1 {
                queue[at].1 = false;
                at = if at == 0 { tail } else { at - 1 };
            }
            hand = (at > 0).then(|| queue[at - 1].0);
            queue.remove(at);
        }
        queue.insert(0, (key, false));
        false
    };
    keys.iter().map(step).collect()
}

/// The full version of 2Q, in the words of its paper.
fn model_of_2q(capacity: usize, keys: &[u64]) -> Vec<bool> {
    let (kin, kout) = ((capacity / 4).max(1), capacity / 2);
    let [mut a1in, mut a1out, mut am] = [const { VecDeque::<u64>::new() }; 3];
    let step = |&x: &u64| {
        if take(&mut am, x) {
            am.push_back(x);
            return true;
        }
        if a1in.contains(&x) {
            return true;
        }
        let known = take(&mut a1out, x);
        if a1in.len() + am.len() == capacity {
            if a1in.len() > kin || am.is_empty() {
                if kout > 0 {
                    if a1out.len() == kout {
                        a1out.pop_front();
                    }
                    a1out.push_back(a1in[0]);
                }
                a1in.pop_front();
            } else {
                am.pop_front();
            }
        }
        if known {
            am.push_back(x)
        } else {
            a1in.push_back(x)
        }
        false
    };
    keys.iter().map(step).collect()
}

/// By counting; of equals, the one that reached its count first.
fn model_of_lfu(capacity: usize, keys: &[u64]) -> Vec<bool> {
    let mut held: Vec<(u64, usize, u64)> = Vec::new();
    let step = |(now, &key): (usize, &u64)| {
        if let Some(found) = held.iter_mut().find(|held| held.2 == key) {
            *found = (found.0 + 1, now, key);
            return true;
        }
        if held.len() == capacity {
            let least = *held.iter().min().unwrap();
            held.retain(|held| *held != least);
        }
        held.push((1, now, key));
        false
    };
    keys.iter().enumerate().map(step).collect()
}

fn references() -> impl Strategy<Value = Vec<u64>> {
    let skewed = (0_u64..60, 0_u64..60).prop_map(|(a, b)| a.min(b));
    prop::collection::vec(prop_oneof![3 => skewed, 1 => 0_u64..60], 0..600)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn hits_are_those_of_the_models(keys in references(), capacity in 1_usize..40) {
        type Model = fn(usize, &[u64]) -> Vec<bool>;
        let models: [(&str, Model); 7] = [
            ("lru", model_of_lru), ("fifo", model_of_fifo), ("clock", model_of_clock), ("arc", model_of_arc),
            ("sieve", model_of_sieve), ("2q", model_of_2q), ("lfu", model_of_lfu),
        ];
        for (name, model) in models {
            let json = format!(r#"{{"policy": "{name}"}}"#);
            prop_assert_eq!(hits(&json, capacity, &keys), model(capacity, &keys), "{}", name);
        }
    }
}

/// Ten slots: a small queue of one, nine in the main queue.
#[test]
fn s3_fifo_by_hand() {
    let policy = r#"{"policy": "s3-fifo"}"#;
    // 0 fills the small queue, 1 to 9 the main one; 10 pushes 0 out, which is remembered and returns into the main queue: the
    // small one gives up 10 for it. The main queue is over its share then, and 1 goes for 11.
    let mut keys: Vec<u64> = (0..=10).collect();
    keys.extend([0, 11, 1, 2, 0]);
    let found = hits(policy, 10, &keys);
    assert_eq!(found[11..], [false, false, false, true, true]);
    // Twice used in the small queue, a key goes on to the main one.
    let mut keys: Vec<u64> = (0..10).collect();
    keys.extend([0, 0, 20, 21, 0]);
    assert_eq!(hits(policy, 10, &keys)[10..], [true, true, false, false, true]);
}

/// A window of one slot and a main part of nine: what is asked for once does not push out what is asked for more often.
#[test]
fn w_tinylfu_keeps_what_is_asked_for() {
    let mut keys = Vec::new();
    for round in 0..30 {
        keys.extend(0..8_u64);
        keys.extend([100 + 2 * round, 101 + 2 * round]);
    }
    let found = hits(r#"{"policy": "w-tinylfu"}"#, 10, &keys);
    assert!(found.chunks(10).skip(1).all(|round| round[..8].iter().all(|hit| *hit)), "{found:?}");
}
