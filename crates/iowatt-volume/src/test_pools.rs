//! A stand-in for pools and drives that knows what every sector holds: which address, in which version.
//!
//! A transfer takes effect when it is opened (pools serve overlapping transfers in their order) and is done when the test says
//! so, in any order. What a scheme's own write carries is what its own reads (or tagged reads) under the same tag have brought, and is
//! refused before they are done. A read of a host must find, in every sector, the version that was written last.

use super::io::VolumeIo;
use super::sectors::SECTOR;
use super::{PoolCounts, VolumeRequest};
use crate::time::Nanos;
use proptest::prelude::*;
use std::collections::HashMap;

/// What a sector holds: its address in sectors, and the version.
type Content = (u64, u64);

/// A scheme under test.
pub trait SchemeUnderTest {
    fn bytes(&self) -> u64;
    fn submit(&mut self, request: &VolumeRequest, pools: &mut TestPools);
    fn transfer_done(&mut self, tag: u64, tagged: bool, pools: &mut TestPools);
    fn alarm(&mut self, pools: &mut TestPools);
    fn check(&self) -> Result<(), String>;
    /// The byte of the address space whose data lie, or are to lie, at a byte of a part.
    fn address(&self, part: usize, byte: u64) -> Option<u64>;
}

#[derive(Clone, Debug)]
enum Issuer {
    Host(u32),
    Background(u64),
    Both(u32, u64),
    /// The reset of a range.
    Reset,
    /// Of several requests, which all wait.
    Joined(Vec<u32>, u64),
}

#[derive(Clone, Debug)]
struct Transfer {
    issuer: Issuer,
    part: usize,
    from: u64,
    until: u64,
    write: bool,
    /// What a read has found.
    found: Vec<(u64, Content)>,
}

#[derive(Clone, Debug)]
struct OpenRequest {
    request: VolumeRequest,
    waits: u32,
    /// What its transfers have found or covered, by address in sectors.
    covered: HashMap<u64, Vec<u64>>,
    version: u64,
}

/// Pools, drives and hosts.
#[derive(Default)]
pub struct TestPools {
    now: Nanos,
    pub draining: bool,
    pub ready: Vec<bool>,
    alarm_at: Option<Nanos>,
    /// By part and sector.
    contents: Vec<HashMap<u64, Content>>,
    opened: Vec<Transfer>,
    pending: Vec<Transfer>,
    requests: HashMap<u32, OpenRequest>,
    next_key: u32,
    version: u64,
    /// Version of each address written by a transfer opened last.
    latest: HashMap<u64, u64>,
    /// What own reads have brought, by tag, and own reads that are not done.
    brought: HashMap<u64, (Vec<(u64, Content)>, u32)>,
    pub background_transfers: u64,
    /// Writes and resets (true) of each part in the order in which they took effect.
    pub written: Vec<(usize, (u64, u64), bool)>,
    pub answered: u64,
}

impl TestPools {
    pub fn new(parts: usize) -> Self {
        Self { ready: vec![true; parts], contents: vec![HashMap::new(); parts], ..Self::default() }
    }

    /// A request to bytes of the address space; its key.
    pub fn request(&mut self, scheme: &mut impl SchemeUnderTest, from: u64, until: u64, write: bool) -> u32 {
        let key = self.next_key;
        let request = VolumeRequest { key, from, until, write, trim: false };
        self.next_key += 1;
        self.version += 1;
        let open = OpenRequest { request, waits: 1, covered: HashMap::new(), version: self.version };
        self.requests.insert(key, open);
        scheme.submit(&request, self);
        self.settle(scheme);
        self.release(key);
        self.settle(scheme);
        key
    }

    /// Lets all that was opened take effect.
    pub fn settle(&mut self, scheme: &mut impl SchemeUnderTest) {
        for mut transfer in std::mem::take(&mut self.opened) {
            if transfer.write {
                self.written.push((transfer.part, (transfer.from, transfer.until), false));
            }
            let sectors = transfer.from / SECTOR..transfer.until.div_ceil(SECTOR);
            if matches!(transfer.issuer, Issuer::Reset) {
                self.written.push((transfer.part, (transfer.from, transfer.until), true));
                self.contents[transfer.part].extend(sectors.map(|sector| (sector, (u64::MAX, 0))));
                continue;
            }
            match (&transfer.issuer, transfer.write) {
                (Issuer::Background(tag), true) => {
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
                (Issuer::Host(request) | Issuer::Both(request, _), true) => {
                    let request = self.requests.get_mut(request).expect("it is under way");
                    for sector in sectors {
                        let address = scheme.address(transfer.part, sector * SECTOR).map(|a| a / SECTOR);
                        let address = address.expect("a write goes to a place that means something");
                        request.covered.entry(address).or_default().push(request.version);
                        self.contents[transfer.part].insert(sector, (address, request.version));
                        let latest = self.latest.entry(address).or_default();
                        *latest = request.version.max(*latest);
                    }
                }
                (Issuer::Joined(requests, _), true) => {
                    for sector in sectors {
                        let address = scheme.address(transfer.part, sector * SECTOR).map(|a| a / SECTOR);
                        let address = address.expect("a write goes to a place that means something");
                        let version = self.joined(requests, address);
                        self.contents[transfer.part].insert(sector, (address, version));
                        let latest = self.latest.entry(address).or_default();
                        *latest = version.max(*latest);
                    }
                }
                (Issuer::Reset, true) => unreachable!("a reset writes nothing"),
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
                        if let Issuer::Host(request) | Issuer::Both(request, _) = transfer.issuer {
                            let (address, version) = content;
                            let latest = self.latest.get(&address).copied().unwrap_or(0);
                            assert_eq!(
                                version, latest,
                                "sector {address} of part {} is stale",
                                transfer.part
                            );
                            let request = self.requests.get_mut(&request).expect("it is under way");
                            request.covered.entry(address).or_default().push(version);
                        }
                    }
                    if let Issuer::Background(tag) | Issuer::Both(_, tag) = transfer.issuer {
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

    /// The version that a write of several requests brings to an address: that of the one whose it is, or what the one in whose
    /// unit it lies has read of it.
    fn joined(&mut self, requests: &[u32], address: u64) -> u64 {
        for key in requests {
            let open = self.requests.get_mut(key).expect("it is under way");
            let range = open.request.from / SECTOR..open.request.until.div_ceil(SECTOR);
            if range.contains(&address) {
                open.covered.entry(address).or_default().push(open.version);
                return open.version;
            }
        }
        let read =
            |key: &u32| self.requests[key].covered.get(&address).and_then(|found| found.last().copied());
        requests.iter().find_map(read).unwrap_or(0)
    }

    /// Transfer number `which` of those under way is done.
    pub fn complete(&mut self, scheme: &mut impl SchemeUnderTest, which: usize) {
        if self.pending.is_empty() {
            return;
        }
        let transfer = self.pending.swap_remove(which % self.pending.len());
        if let (Issuer::Background(tag) | Issuer::Both(_, tag), false) = (&transfer.issuer, transfer.write) {
            let of_tag = self.brought.get_mut(tag).expect("it was opened");
            of_tag.0.extend(&transfer.found);
            of_tag.1 -= 1;
        }
        match transfer.issuer {
            Issuer::Reset => unreachable!("it ends when it takes effect"),
            Issuer::Host(request) => self.release(request),
            Issuer::Background(tag) => scheme.transfer_done(tag, false, self),
            Issuer::Both(request, tag) => {
                scheme.transfer_done(tag, true, self);
                self.release(request);
            }
            Issuer::Joined(requests, tag) => {
                scheme.transfer_done(tag, true, self);
                self.release(requests[0]);
            }
        }
        self.settle(scheme);
    }

    pub fn pass_time(&mut self, scheme: &mut impl SchemeUnderTest, span: Nanos) {
        self.now += span;
        if self.alarm_at.is_some_and(|at| at <= self.now) {
            self.alarm_at = None;
            scheme.alarm(self);
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

impl VolumeIo for TestPools {
    fn now(&self) -> Nanos {
        self.now
    }

    fn counted(&self) -> bool {
        true
    }

    fn counts(&mut self) -> Option<&mut PoolCounts> {
        None
    }

    fn draining(&self) -> bool {
        self.draining
    }

    fn ready(&self, part: usize) -> bool {
        self.ready[part]
    }

    fn transfer(&mut self, request: u32, part: usize, (from, until): (u64, u64), write: bool) {
        assert!(from < until, "a transfer moves something");
        self.hold(request);
        self.opened.push(Transfer { issuer: Issuer::Host(request), part, from, until, write, found: vec![] });
    }

    fn transfer_tagged(
        &mut self,
        request: u32,
        tag: u64,
        part: usize,
        (from, until): (u64, u64),
        write: bool,
    ) {
        assert!(from < until, "a transfer moves something");
        self.hold(request);
        self.opened.push(Transfer {
            issuer: Issuer::Both(request, tag),
            part,
            from,
            until,
            write,
            found: vec![],
        });
    }

    fn background(&mut self, tag: u64, part: usize, (from, until): (u64, u64), write: bool) {
        assert!(from < until, "a transfer moves something");
        self.background_transfers += 1;
        self.opened.push(Transfer {
            issuer: Issuer::Background(tag),
            part,
            from,
            until,
            write,
            found: vec![],
        });
    }

    fn transfer_joined(&mut self, requests: &[u32], tag: u64, part: usize, (from, until): (u64, u64)) {
        assert!(from < until, "a transfer moves something");
        requests.iter().for_each(|&request| self.hold(request));
        let issuer = Issuer::Joined(requests.to_vec(), tag);
        self.opened.push(Transfer { issuer, part, from, until, write: true, found: vec![] });
    }

    /// Takes effect behind all that was opened before it.
    fn reset(&mut self, part: usize, range: (u64, u64)) {
        self.opened.push(Transfer {
            issuer: Issuer::Reset,
            part,
            from: range.0,
            until: range.1,
            write: false,
            found: vec![],
        });
    }

    fn hold(&mut self, request: u32) {
        self.requests.get_mut(&request).expect("it is under way").waits += 1;
    }

    /// Answers a request when nothing holds it: then it must have reached every sector, with one and the same version.
    fn release(&mut self, key: u32) {
        let request = self.requests.get_mut(&key).expect("it is under way");
        request.waits -= 1;
        if request.waits > 0
            || self
                .opened
                .iter()
                .any(|t| matches!(t.issuer, Issuer::Host(k) | Issuer::Both(k, _) if k == key))
        {
            return;
        }
        let request = self.requests.remove(&key).expect("it is under way");
        let VolumeRequest { from, until, write, .. } = request.request;
        for sector in from / SECTOR..until.div_ceil(SECTOR) {
            let found = request.covered.get(&sector);
            let found = found.unwrap_or_else(|| panic!("request {key} never reached sector {sector}"));
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
pub enum Action {
    Read(u64, u64),
    Write(u64, u64),
    Complete(usize),
    Wait(u64),
    Stop(usize),
    Start(usize),
}

/// Actions on an address space of so many bytes and parts; requests of up to `longest` bytes, gathered at its front.
pub fn actions(bytes: u64, parts: usize, longest: u64) -> impl Strategy<Value = Vec<Action>> {
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
        3 => place().prop_map(|(at, size)| Action::Read(at, at + size)),
        5 => place().prop_map(|(at, size)| Action::Write(at, at + size)),
        12 => any::<usize>().prop_map(Action::Complete),
        2 => (1..90_000_000_000u64).prop_map(Action::Wait),
        2 => (1..2_000_000_000u64).prop_map(Action::Wait),
        1 => (0..parts).prop_map(Action::Stop),
        1 => (0..parts).prop_map(Action::Start),
    ];
    prop::collection::vec(one, 1..400)
}

/// Does all of that, then lets everything come to its end and reads the whole address space.
pub fn run_actions(
    scheme: &mut impl SchemeUnderTest,
    pools: &mut TestPools,
    actions: &[Action],
) -> Result<(), String> {
    for action in actions {
        match *action {
            Action::Read(from, until) => drop(pools.request(scheme, from, until, false)),
            Action::Write(from, until) => drop(pools.request(scheme, from, until, true)),
            Action::Complete(which) => pools.complete(scheme, which),
            Action::Wait(span) => pools.pass_time(scheme, span),
            Action::Stop(part) => pools.ready[part] = false,
            Action::Start(part) => pools.ready[part] = true,
        }
        scheme.check().map_err(|what| format!("after {action:?}: {what}"))?;
    }
    pools.draining = true;
    while pools.pending() > 0 {
        pools.complete(scheme, 0);
        scheme.check()?;
    }
    if pools.unanswered() > 0 {
        return Err(format!("{} requests have no answer", pools.unanswered()));
    }
    let bytes = scheme.bytes();
    for from in (0..bytes).step_by(16_384) {
        pools.request(scheme, from, (from + 16_384).min(bytes), false);
        while pools.pending() > 0 {
            pools.complete(scheme, 0);
        }
    }
    scheme.check()
}
