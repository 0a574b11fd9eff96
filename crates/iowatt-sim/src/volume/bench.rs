//! A stand-in for pools and drives that knows what every sector holds: which address, in which version.
//!
//! A transfer takes effect when it is opened (pools serve overlapping transfers in their order) and is done when the test says
//! so, in any order. What a scheme's own write carries is what its own reads (or tagged reads) under the same tag have brought, and is
//! refused before they are done. A read of a host must find, in every sector, the version that was written last.

use super::sectors::SECTOR;
use super::worktop::Worktop;
use super::{Ask, Tally};
use crate::clock::Nanos;
use proptest::prelude::*;
use std::collections::HashMap;

/// What a sector holds: its address in sectors, and the version.
type Content = (u64, u64);

/// A scheme, as the bench drives it.
pub trait Driven {
    fn bytes(&self) -> u64;
    fn take(&mut self, ask: &Ask, bench: &mut Bench);
    fn tell(&mut self, tag: u64, tagged: bool, bench: &mut Bench);
    fn ring(&mut self, bench: &mut Bench);
    fn check(&self) -> Result<(), String>;
    /// The byte of the address space whose data lie, or are to lie, at a byte of a part.
    fn address(&self, part: usize, byte: u64) -> Option<u64>;
}

#[derive(Clone, Debug)]
enum Who {
    Host(u32),
    Own(u64),
    Both(u32, u64),
}

#[derive(Clone, Debug)]
struct Transfer {
    who: Who,
    part: usize,
    from: u64,
    until: u64,
    write: bool,
    /// What a read has found.
    found: Vec<(u64, Content)>,
}

#[derive(Clone, Debug)]
struct Request {
    ask: Ask,
    waits: u32,
    /// What its transfers have found or covered, by address in sectors.
    covered: HashMap<u64, Vec<u64>>,
    version: u64,
}

/// Pools, drives and hosts.
#[derive(Default)]
pub struct Bench {
    now: Nanos,
    pub over: bool,
    pub ready: Vec<bool>,
    alarm_at: Option<Nanos>,
    /// By part and sector.
    contents: Vec<HashMap<u64, Content>>,
    opened: Vec<Transfer>,
    pending: Vec<Transfer>,
    requests: HashMap<u32, Request>,
    next_key: u32,
    version: u64,
    /// Version of each address written by a transfer opened last.
    latest: HashMap<u64, u64>,
    /// What own reads have brought, by tag, and own reads that are not done.
    brought: HashMap<u64, (Vec<(u64, Content)>, u32)>,
    pub own_transfers: u64,
    pub answered: u64,
}

impl Bench {
    pub fn new(parts: usize) -> Self {
        Self { ready: vec![true; parts], contents: vec![HashMap::new(); parts], ..Self::default() }
    }

    /// A request to bytes of the address space; its key.
    pub fn request(&mut self, scheme: &mut impl Driven, from: u64, until: u64, write: bool) -> u32 {
        let ask = Ask { key: self.next_key, from, until, write };
        self.next_key += 1;
        self.version += 1;
        let request = Request { ask, waits: 1, covered: HashMap::new(), version: self.version };
        self.requests.insert(ask.key, request);
        scheme.take(&ask, self);
        self.settle(scheme);
        self.release(ask.key);
        self.settle(scheme);
        ask.key
    }

    /// Lets all that was opened take effect.
    pub fn settle(&mut self, scheme: &mut impl Driven) {
        for mut transfer in std::mem::take(&mut self.opened) {
            let sectors = transfer.from / SECTOR..transfer.until.div_ceil(SECTOR);
            match (&transfer.who, transfer.write) {
                (Who::Own(tag), true) => {
                    let (brought, undone) = self.brought.get(tag).cloned().unwrap_or_default();
                    assert_eq!(undone, 0, "an own write before its reads are done");
                    for sector in sectors {
                        let address = scheme.address(transfer.part, sector * SECTOR).map(|a| a / SECTOR);
                        let address = address.expect("an own write goes to a place that means something");
                        let content = brought.iter().rev().find(|(a, _)| *a == address);
                        let content = content.expect("an own write of what was never read").1;
                        self.contents[transfer.part].insert(sector, content);
                    }
                }
                (Who::Host(ask) | Who::Both(ask, _), true) => {
                    let request = self.requests.get_mut(ask).expect("it is under way");
                    for sector in sectors {
                        let address = scheme.address(transfer.part, sector * SECTOR).map(|a| a / SECTOR);
                        let address = address.expect("a write goes to a place that means something");
                        request.covered.entry(address).or_default().push(request.version);
                        self.contents[transfer.part].insert(sector, (address, request.version));
                        let latest = self.latest.entry(address).or_default();
                        *latest = request.version.max(*latest);
                    }
                }
                (_, false) => {
                    for sector in sectors {
                        let origin = || {
                            (
                                scheme
                                    .address(transfer.part, sector * SECTOR)
                                    .map_or(u64::MAX, |a| a / SECTOR),
                                0,
                            )
                        };
                        let content =
                            self.contents[transfer.part].get(&sector).copied().unwrap_or_else(origin);
                        transfer.found.push((content.0, content));
                        if let Who::Host(ask) | Who::Both(ask, _) = transfer.who {
                            let (address, version) = content;
                            let latest = self.latest.get(&address).copied().unwrap_or(0);
                            assert_eq!(
                                version, latest,
                                "sector {address} of part {} is stale",
                                transfer.part
                            );
                            let request = self.requests.get_mut(&ask).expect("it is under way");
                            request.covered.entry(address).or_default().push(version);
                        }
                    }
                    if let Who::Own(tag) | Who::Both(_, tag) = transfer.who {
                        let of_tag = self.brought.entry(tag).or_default();
                        if of_tag.1 == 0 {
                            of_tag.0.clear();
                        }
                        of_tag.1 += 1;
                    }
                }
            }
            self.pending.push(transfer);
        }
    }

    /// Transfer number `which` of those under way is done.
    pub fn complete(&mut self, scheme: &mut impl Driven, which: usize) {
        if self.pending.is_empty() {
            return;
        }
        let transfer = self.pending.swap_remove(which % self.pending.len());
        if let (Who::Own(tag) | Who::Both(_, tag), false) = (&transfer.who, transfer.write) {
            let of_tag = self.brought.get_mut(tag).expect("it was opened");
            of_tag.0.extend(&transfer.found);
            of_tag.1 -= 1;
        }
        match transfer.who {
            Who::Host(ask) => self.release(ask),
            Who::Own(tag) => scheme.tell(tag, false, self),
            Who::Both(ask, tag) => {
                scheme.tell(tag, true, self);
                self.release(ask);
            }
        }
        self.settle(scheme);
    }

    pub fn pass_time(&mut self, scheme: &mut impl Driven, span: Nanos) {
        self.now += span;
        if self.alarm_at.is_some_and(|at| at <= self.now) {
            self.alarm_at = None;
            scheme.ring(self);
            self.settle(scheme);
        }
    }

    pub fn pending(&self) -> usize {
        self.pending.len()
    }

    pub fn unanswered(&self) -> usize {
        self.requests.len()
    }
}

impl Worktop for Bench {
    fn now(&self) -> Nanos {
        self.now
    }

    fn counted(&self) -> bool {
        true
    }

    fn tally(&mut self) -> Option<&mut Tally> {
        None
    }

    fn over(&self) -> bool {
        self.over
    }

    fn ready(&self, part: usize) -> bool {
        self.ready[part]
    }

    fn pass(&mut self, ask: u32, part: usize, (from, until): (u64, u64), write: bool) {
        assert!(from < until, "a transfer moves something");
        self.hold(ask);
        self.opened.push(Transfer { who: Who::Host(ask), part, from, until, write, found: vec![] });
    }

    fn pass_tagged(&mut self, ask: u32, tag: u64, part: usize, (from, until): (u64, u64), write: bool) {
        assert!(from < until, "a transfer moves something");
        self.hold(ask);
        self.opened.push(Transfer { who: Who::Both(ask, tag), part, from, until, write, found: vec![] });
    }

    fn own(&mut self, tag: u64, part: usize, (from, until): (u64, u64), write: bool) {
        assert!(from < until, "a transfer moves something");
        self.own_transfers += 1;
        self.opened.push(Transfer { who: Who::Own(tag), part, from, until, write, found: vec![] });
    }

    fn hold(&mut self, ask: u32) {
        self.requests.get_mut(&ask).expect("it is under way").waits += 1;
    }

    /// Answers a request when nothing holds it: then it must have reached every sector, with one and the same version.
    fn release(&mut self, ask: u32) {
        let request = self.requests.get_mut(&ask).expect("it is under way");
        request.waits -= 1;
        if request.waits > 0
            || self.opened.iter().any(|t| matches!(t.who, Who::Host(k) | Who::Both(k, _) if k == ask))
        {
            return;
        }
        let request = self.requests.remove(&ask).expect("it is under way");
        let Ask { from, until, write, .. } = request.ask;
        for sector in from / SECTOR..until.div_ceil(SECTOR) {
            let found = request.covered.get(&sector);
            let found = found.unwrap_or_else(|| panic!("request {ask} never reached sector {sector}"));
            if !write {
                assert_eq!(found.len(), 1, "sector {sector} was read twice");
            }
        }
        self.answered += 1;
    }

    fn set_alarm(&mut self, at: Nanos) {
        let at = at.max(self.now);
        self.alarm_at = Some(self.alarm_at.map_or(at, |before| before.min(at)));
    }
}

/// Something that happens.
#[derive(Clone, Debug)]
pub enum Deed {
    Read(u64, u64),
    Write(u64, u64),
    Complete(usize),
    Wait(u64),
    Stop(usize),
    Start(usize),
}

/// Deeds on an address space of so many bytes and parts; requests of up to `longest` bytes, gathered at its front.
pub fn deeds(bytes: u64, parts: usize, longest: u64) -> impl Strategy<Value = Vec<Deed>> {
    let place = move || {
        (0..bytes - longest, 1..longest, any::<bool>(), any::<bool>()).prop_map(
            move |(at, size, near, aligned)| {
                let at = if near { at % (bytes / 8).max(1) } else { at };
                let (at, size) =
                    if aligned { (at / SECTOR * SECTOR, size.next_multiple_of(SECTOR)) } else { (at, size) };
                (at, size.min(bytes - at))
            },
        )
    };
    let one = prop_oneof![
        3 => place().prop_map(|(at, size)| Deed::Read(at, at + size)),
        5 => place().prop_map(|(at, size)| Deed::Write(at, at + size)),
        12 => any::<usize>().prop_map(Deed::Complete),
        2 => (1..90_000_000_000u64).prop_map(Deed::Wait),
        2 => (1..2_000_000_000u64).prop_map(Deed::Wait),
        1 => (0..parts).prop_map(Deed::Stop),
        1 => (0..parts).prop_map(Deed::Start),
    ];
    prop::collection::vec(one, 1..400)
}

/// Does all of that, then lets everything come to its end and reads the whole address space.
pub fn live_through(scheme: &mut impl Driven, bench: &mut Bench, deeds: &[Deed]) -> Result<(), String> {
    for deed in deeds {
        match *deed {
            Deed::Read(from, until) => drop(bench.request(scheme, from, until, false)),
            Deed::Write(from, until) => drop(bench.request(scheme, from, until, true)),
            Deed::Complete(which) => bench.complete(scheme, which),
            Deed::Wait(span) => bench.pass_time(scheme, span),
            Deed::Stop(part) => bench.ready[part] = false,
            Deed::Start(part) => bench.ready[part] = true,
        }
        scheme.check().map_err(|what| format!("after {deed:?}: {what}"))?;
    }
    bench.over = true;
    while bench.pending() > 0 {
        bench.complete(scheme, 0);
        scheme.check()?;
    }
    if bench.unanswered() > 0 {
        return Err(format!("{} requests have no answer", bench.unanswered()));
    }
    let bytes = scheme.bytes();
    for from in (0..bytes).step_by(16_384) {
        bench.request(scheme, from, (from + 16_384).min(bytes), false);
        while bench.pending() > 0 {
            bench.complete(scheme, 0);
        }
    }
    scheme.check()
}
