//! The array controller: what a request costs before and after the pools, and the cache that may spare it
//! the pools altogether.
//!
//! A visit goes: a processor (queue, then the time of its direction) -> a write's data over the host link ->
//! cache or pools -> a cached write's data over the mirror link -> a read's data over the host link -> answer. Where
//! there are several nodes, data crosses their mesh before and after the cache. Each
//! part that the plan leaves out takes no time. What a path asks of the controller besides (the buffers of a write whose
//! data has not come) is a visit of a processor alone. A large request may be divided behind the processor: its pieces are
//! visits of their own. The controller knows host requests by their key only; what it wants of the pools is in
//! [`Controller::back`], what is ready for hosts in [`Controller::answers`].

pub mod back_end;
pub mod cache;
mod division;
pub mod drive_path;
mod interrupt;
mod link;
mod nodes;
pub mod protection;
mod visit;
pub mod zeros;

use crate::clock::{Nanos, nanos};
use crate::event::{Event, EventQueue};
use crate::path::timesheet::{Kind, Part, Sheets};
use crate::plan::{Lost, Plan, SplitPlan, WriteCaching};
use crate::power::Window;
use crate::slab::Slab;
use crate::station::Station;
use back_end::{BackEnd, NONE, Purpose};
use cache::{Cache, Found};
use division::Whole;
use interrupt::Interrupts;
use link::Link;
use nodes::Nodes;
use protection::Protection;
use std::collections::VecDeque;
pub use visit::Incoming;
use visit::{Stage, Visit};
use zeros::Zeros;

/// When something happens to the controller, and what it may act on.
pub struct Moment<'a> {
    /// The time.
    pub now: Nanos,
    /// The observed span.
    pub window: &'a Window,
    /// Pending events.
    pub events: &'a mut EventQueue,
    /// Where the time of requests goes, where they come over paths.
    pub sheets: Option<&'a mut Sheets>,
}

impl Moment<'_> {
    /// Books time of a request.
    #[inline]
    fn book(&mut self, host: u32, part: Part, kind: Kind, until: Nanos) {
        if let Some(sheets) = &mut self.sheets {
            sheets.book_part(host, part, kind, until);
        }
    }
}

/// What zero detection did within the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ZeroTotals {
    /// Bytes of writes that were told to be zeros and kept from the pools.
    pub written_bytes: u64,
    /// Bytes of reads that were known to be zeros.
    pub read_bytes: u64,
    /// Bytes of zeros that were written to the pools all the same: the table had no place for them any more, or data
    /// came into their page.
    pub given_up_bytes: u64,
}

/// State of the controller.
#[derive(Debug)]
pub struct Controller {
    /// Of each node; none where they take no time.
    processors: Vec<Station>,
    /// Time of a processor for reads and writes.
    processing: [Nanos; 2],
    /// The same for the buffers of a write.
    allocation: Nanos,
    interrupts: Interrupts,
    /// The links to hosts and to the partner.
    links: [Option<Link>; 2],
    /// Several nodes, where there are.
    nodes: Option<Nodes>,
    cache: Option<Cache>,
    zeros: Option<Zeros>,
    /// Of volumes: their pool and first byte there. Pages of zeros are pages of volumes.
    volumes: Vec<(u32, u64)>,
    /// The volume of each workload.
    volume_of: Vec<u32>,
    split: Option<SplitPlan>,
    visits: Slab<Visit>,
    wholes: Slab<Whole>,
    /// End of each workload's volume in its pool: nothing is read ahead beyond.
    ends: Vec<u64>,
    /// Writes that wait for space in the cache, first come first served.
    waiting: VecDeque<u32>,
    /// Visits whose back-end request has just completed; empty between events.
    woken: Vec<u32>,
    /// Requests to the pools.
    pub back: BackEnd,
    /// Host requests that are done.
    pub answers: VecDeque<u32>,
    /// Host requests whose buffers are there.
    pub allocated: VecDeque<u32>,
    /// Whether the last host request is done, after which no destage starts.
    over: bool,
    /// What is lost and returns.
    pub protection: Protection,
    /// What zero detection did.
    pub zero_totals: ZeroTotals,
}

/// Places in [`Controller::links`].
const HOST: usize = 0;
const MIRROR: usize = 1;
/// The mesh, of which each visit uses one link at a time.
const MESH: usize = 2;
/// Links on which pieces take turns.
const LINKS: usize = 3;

impl Controller {
    /// The controller of `plan` over pools of the given capacities; `None` where it would do nothing.
    #[must_use]
    pub fn new(plan: &Plan, pool_bytes: Vec<u64>) -> Option<Self> {
        let given = plan.controller.as_ref()?;
        let planned = given.cache.as_ref();
        let cache =
            planned.and_then(|cache| Cache::new(cache, &plan.sectors(), pool_bytes, plan.workloads.len()));
        let host = given.host_bandwidth_bytes_per_s.map(|rate| Link::new(rate, 0.0));
        let mirror = planned.and_then(|c| c.mirror).filter(|_| cache.is_some());
        let mirror = mirror.map(|m| Link::new(m.bandwidth_bytes_per_s, m.latency_s));
        let services = given.split.is_some() || given.zero_detect;
        if cache.is_none()
            && host.is_none()
            && given.processing.is_none()
            && !services
            && given.nodes.is_none()
        {
            return None;
        }
        let nodes = given.nodes.map_or(1, |nodes| nodes.count);
        let end = |volume: usize| plan.volumes[volume].offset_bytes + plan.volumes[volume].capacity_bytes;
        Some(Self {
            processors: given
                .processing
                .map_or_else(Vec::new, |p| vec![Station::new(p.processors / nodes); nodes]),
            processing: given.processing.map_or([0; 2], |p| [nanos(p.read_s), nanos(p.write_s)]),
            allocation: given.processing.map_or(0, |p| nanos(p.ready_s)),
            interrupts: Interrupts::new(given.processing.as_ref()),
            links: [host, mirror],
            nodes: given.nodes.as_ref().map(Nodes::new),
            cache,
            zeros: given.zero_detect.then(Zeros::default),
            volumes: plan.volumes.iter().map(|v| (v.pool as u32, v.offset_bytes)).collect(),
            volume_of: plan.workloads.iter().map(|w| w.volume as u32).collect(),
            split: given.split,
            visits: Slab::default(),
            wholes: Slab::default(),
            ends: plan.workloads.iter().map(|w| end(w.volume)).collect(),
            waiting: VecDeque::new(),
            woken: Vec::new(),
            back: BackEnd::default(),
            answers: VecDeque::new(),
            allocated: VecDeque::new(),
            over: false,
            protection: Protection::new(&given.losses),
            zero_totals: ZeroTotals::default(),
        })
    }

    /// The processors of each node; none where they take no time.
    #[must_use]
    pub fn processors(&self) -> &[Station] {
        &self.processors
    }

    /// The nodes, where there are several.
    #[must_use]
    pub fn nodes(&self) -> Option<&Nodes> {
        self.nodes.as_ref()
    }

    /// The host link, where it takes time.
    #[must_use]
    pub fn link(&self) -> Option<&Station> {
        self.links[HOST].as_ref().map(|link| &link.station)
    }

    /// The mirror link, where there is one.
    #[must_use]
    pub fn mirror(&self) -> Option<&Station> {
        self.links[MIRROR].as_ref().map(|link| &link.station)
    }

    /// The cache, where there is one.
    #[must_use]
    pub fn cache(&self) -> Option<&Cache> {
        self.cache.as_ref()
    }

    /// Whether zeros are detected.
    #[must_use]
    pub fn detects_zeros(&self) -> bool {
        self.zeros.is_some()
    }

    /// The last host request is done: starts nothing more. Whether nothing is under way either.
    pub fn wind_down(&mut self) -> bool {
        self.over = true;
        self.back.is_idle()
    }

    /// A host request comes in.
    pub fn enter(&mut self, request: Incoming, mut moment: Moment<'_>) {
        let write = request.write;
        let start = self.volumes[self.volume_of[request.workload as usize] as usize].1;
        let whole = Zeros::takes(request.from - start, request.from + request.size - start);
        let zeros = write && request.zeros && whole && self.zeros.is_some();
        let node = self.nodes.as_mut().map_or(0, |nodes| nodes.enter(request.host, false));
        let key = self.visits.insert(Visit { zeros, node, ..Visit::new(&request, &moment) });
        if !self.processors.is_empty() {
            self.process(key, &mut moment);
        } else {
            self.admit(key, &mut moment);
        }
    }

    /// Buffers are asked for, for a write whose data is to come.
    pub fn allocate(&mut self, request: Incoming, mut moment: Moment<'_>) {
        if self.processors.is_empty() {
            self.allocated.push_back(request.host);
            return;
        }
        let node = self.nodes.as_mut().map_or(0, |nodes| nodes.enter(request.host, true));
        let visit = Visit { stage: Stage::Allocating, node, ..Visit::new(&request, &moment) };
        let key = self.visits.insert(visit);
        self.process(key, &mut moment);
    }

    /// A visit ends its present stage.
    pub fn proceed(&mut self, key: u32, mut moment: Moment<'_>) {
        match self.visits.get(key).stage {
            Stage::Allocating => self.allocated.push_back(self.visits.remove(key).host),
            Stage::Processing => self.admit(key, &mut moment),
            Stage::DataIn => {
                self.give_turn(key, HOST, &mut moment);
                self.bring(key, &mut moment);
            }
            Stage::Crossing => {
                self.give_turn(key, MESH, &mut moment);
                if self.visits.get(key).write {
                    self.store(key, &mut moment);
                } else {
                    self.leave(key, &mut moment);
                }
            }
            Stage::Mirror => {
                self.give_turn(key, MIRROR, &mut moment);
                self.stored(key, &mut moment);
            }
            Stage::DataOut => {
                self.give_turn(key, HOST, &mut moment);
                self.answer(key, &mut moment);
            }
            Stage::Storage => self.answer(key, &mut moment),
        }
    }

    /// A drive operation of back-end request `key` has completed.
    pub fn operation_done(&mut self, key: u32, mut moment: Moment<'_>) {
        let Some(request) = self.back.operation_done(key, &mut self.woken) else { return };
        if let Some(cache) = &mut self.cache {
            cache.completed(key, &request, moment.window.ends(moment.now));
            if cache.held() == 0 {
                self.protection.flushed(moment.now);
            }
        }
        for at in 0..self.woken.len() {
            let visit = self.woken[at];
            let waits = &mut self.visits.get_mut(visit).waits;
            *waits -= 1;
            if *waits == 0 {
                self.book_storage(visit, &mut moment);
                self.stored(visit, &mut moment);
            }
        }
        self.woken.clear();
        while let Some(&first) = self.waiting.front() {
            if !self.take_in(first, moment.now) {
                break;
            }
            self.waiting.pop_front();
            self.waited_for_space(first, &mut moment);
            self.cached(first, &mut moment);
        }
        self.destage();
    }

    /// Loss `number` of the plan happens; what it is of.
    pub fn lose(&mut self, number: usize, mut moment: Moment<'_>) -> Option<Lost> {
        let dirty_bytes = self.cache.as_ref()?.dirty_bytes();
        let counted = moment.window.begins(moment.now);
        let of = self.protection.lose(number, dirty_bytes, moment.now);
        if of == Lost::Controller {
            match &mut self.nodes {
                Some(nodes) => nodes.lose(),
                None => self.processors.iter_mut().for_each(|p| p.close(p.servers().div_ceil(2))),
            }
        }
        let (protected, share) = (self.is_protected(), self.share_left());
        let cache = self.cache.as_mut()?;
        cache.protect(protected);
        if of == Lost::Controller {
            cache.limit(share, counted);
        }
        if protected {
            self.destage();
            return Some(of);
        }
        // What waits for space goes to the pools, with what the cache has already taken of it.
        while let Some(visit) = self.waiting.pop_front() {
            self.waited_for_space(visit, &mut moment);
            self.store(visit, &mut moment);
        }
        self.destage();
        Some(of)
    }

    /// What was lost is back; what it is.
    pub fn regain(&mut self, number: usize, moment: Moment<'_>) -> Option<Lost> {
        let of = self.protection.regain(number);
        if of == Lost::Controller {
            match &mut self.nodes {
                Some(nodes) => nodes.regain(),
                None => self.processors.iter_mut().for_each(|p| p.reopen(moment.now)),
            }
            let counted = moment.window.begins(moment.now);
            self.cache.as_mut()?.limit(1.0, counted);
        }
        let protected = self.is_protected();
        self.cache.as_mut()?.protect(protected);
        Some(of)
    }

    /// Share of the nodes that are up; without nodes, of two controllers with one lost.
    #[must_use]
    pub fn share_left(&self) -> f64 {
        self.nodes.as_ref().map_or(0.5, |nodes| {
            let (up, all) = nodes.count();
            up as f64 / all as f64
        })
    }

    /// Whether what is written to the cache is safe there: a second node has it, and no battery is lost.
    fn is_protected(&self) -> bool {
        let two =
            self.nodes.as_ref().map_or(!self.protection.has_lost(Lost::Controller), |n| n.count().0 > 1);
        two && !self.protection.has_lost(Lost::Battery)
    }

    /// A processed request goes on: a large one is divided, a write's data first comes over the link.
    fn admit(&mut self, key: u32, moment: &mut Moment<'_>) {
        if !self.divide(key, moment) {
            self.begin(key, moment);
        }
    }

    /// A request or a piece of one goes on.
    fn begin(&mut self, key: u32, moment: &mut Moment<'_>) {
        if let Some(nodes) = &self.nodes {
            let visit = self.visits.get(key);
            let volume = self.volume_of[visit.workload as usize];
            let owner = nodes.owner(volume, visit.from - self.volumes[volume as usize].1);
            self.visits.get_mut(key).owner = owner;
        }
        if !(self.visits.get(key).write && self.transfer(key, HOST, Stage::DataIn, moment)) {
            self.bring(key, moment);
        }
    }

    /// A request reaches the node that owns it: a write's data crosses the mesh.
    fn bring(&mut self, key: u32, moment: &mut Moment<'_>) {
        if !(self.visits.get(key).write && self.transfer(key, MESH, Stage::Crossing, moment)) {
            self.store(key, moment);
        }
    }

    /// Puts a visit's data on a link; `false` where there is none.
    fn transfer(&mut self, key: u32, link: usize, stage: Stage, moment: &mut Moment<'_>) -> bool {
        if self.link_of(key, link).is_none() {
            return false;
        }
        self.visits.get_mut(key).stage = stage;
        if self.take_turn(key, link) {
            self.send(key, link, moment);
        }
        true
    }

    fn send(&mut self, key: u32, link: usize, moment: &mut Moment<'_>) {
        let visit = self.visits.get(key);
        if let Some(link) = self.link_of(key, link) {
            let (start, done) = link.transfer(moment.now, visit.until - visit.from, moment.window);
            moment.events.push(done, Event::Visit(key));
            // With a path there is no link to hosts.
            let host = self.host_of(&visit);
            moment.book(host, Part::Mirror, Kind::Waiting, start);
            moment.book(host, Part::Mirror, Kind::Service, done);
        }
    }

    /// The link that a visit uses in a place; none where its data stays where it is.
    fn link_of(&mut self, key: u32, place: usize) -> Option<&mut Link> {
        let visit = self.visits.get(key);
        let Some(nodes) = self.nodes.as_mut().filter(|_| place != HOST) else {
            return self.links.get_mut(place)?.as_mut();
        };
        let (from, to) = match place {
            MIRROR => (visit.owner, nodes.partner(visit.owner)?),
            _ if visit.owner == visit.node => return None,
            _ if visit.write => (visit.node, visit.owner),
            _ => (visit.owner, visit.node),
        };
        Some(nodes.link(from, to))
    }

    /// A request reaches the cache, or the pools where there is none.
    fn store(&mut self, key: u32, moment: &mut Moment<'_>) {
        self.visits.get_mut(key).stage = Stage::Storage;
        if self.settle_zeros(key) {
            self.known_zeros(key);
            self.stored(key, moment);
            return;
        }
        let visit = self.visits.get(key);
        let Some(cache) = &mut self.cache else {
            self.pass(key);
            return;
        };
        let span = cache.span(visit.pool, visit.from, visit.until);
        if !visit.write {
            let found = cache.read(span, key, visit.counted, &mut self.back);
            self.visits.get_mut(key).waits = found.asked + found.joined;
            self.looked_up(key, found);
            if found.asked + found.joined == 0 {
                self.stored(key, moment);
            }
        } else if cache.writes() == WriteCaching::Back {
            self.visits.get_mut(key).taken = span.from;
            if self.take_in(key, moment.now) {
                self.cached(key, moment);
            } else {
                self.visits.get_mut(key).waits_since = Some(moment.now);
                self.waiting.push_back(key);
            }
            self.destage();
        } else {
            let (present, unprotected) = (cache.update(&span, visit.counted), cache.is_unprotected());
            // Requests are counted, and not their pieces.
            if unprotected && self.is_first(&visit) {
                self.protection.wrote_through();
            }
            self.looked_up(key, Found { present, ..Found::default() });
            self.pass(key);
            self.destage();
        }
    }

    /// A request that the controller knows to be zeros needs neither cache nor pools; whether it is one.
    fn settle_zeros(&mut self, key: u32) -> bool {
        let Some(zeros) = &mut self.zeros else { return false };
        let visit = self.visits.get(key);
        let (counted, bytes) = (u64::from(visit.counted), visit.until - visit.from);
        let volume = self.volume_of[visit.workload as usize];
        let start = self.volumes[volume as usize].1;
        let (from, until) = (visit.from - start, visit.until - start);
        let (volumes, back, totals) = (&self.volumes, &mut self.back, &mut self.zero_totals);
        // The pools have something else there: what the table gives up must be written to them.
        let mut given_up = |volume: u32, from: u64, until: u64| {
            let (pool, start) = volumes[volume as usize];
            totals.given_up_bytes += counted * (until - from);
            back.open(Purpose::Pass, pool, (start + from, start + until), true, NONE);
        };
        if visit.zeros {
            zeros.write(volume, from, until, &mut given_up);
            self.zero_totals.written_bytes += counted * bytes;
            if let Some(cache) = &mut self.cache {
                cache.erase(visit.pool, visit.from, visit.until, visit.counted);
            }
            return true;
        }
        if visit.write {
            let whole = if visit.whole == NONE {
                visit
            } else {
                self.visits.get(self.wholes.get(visit.whole).visit())
            };
            zeros.clear(volume, from, until, (whole.from - start, whole.until - start), &mut given_up);
            return false;
        }
        let known = zeros.covers(volume, from, until);
        self.zero_totals.read_bytes += u64::from(known) * counted * bytes;
        known
    }

    /// Takes a write into the cache as far as there is room; whether all of it is in.
    fn take_in(&mut self, key: u32, now: Nanos) -> bool {
        let Some(cache) = &mut self.cache else { return true };
        let visit = self.visits.get_mut(key);
        let span = cache.span(visit.pool, visit.from, visit.until);
        visit.taken = cache.accept(&span, visit.taken, visit.counted, &mut visit.resident);
        if visit.taken < span.until {
            return false;
        }
        let present = visit.resident;
        if let Some(since) = visit.waits_since.filter(|_| visit.counted) {
            cache.totals.waits_for_space += 1;
            cache.totals.space_wait_ns += now - since;
        }
        self.looked_up(key, Found { present, ..Found::default() });
        true
    }

    /// A visit has been looked up: it is counted, or its whole request once all of it has been, and a read may be
    /// one of a stream.
    fn looked_up(&mut self, key: u32, found: Found) {
        let visit = self.visits.get(key);
        let Some((found, from, until)) = self.gathered(&visit, found, false) else { return };
        self.count(&visit, found, (from, until));
    }

    /// A read is known to be zeros and not looked up; of a divided one that counts as data that was here.
    fn known_zeros(&mut self, key: u32) {
        let visit = self.visits.get(key);
        let Some(cache) = self.cache.as_ref().filter(|_| visit.whole != NONE && !visit.zeros) else { return };
        let span = cache.span(visit.pool, visit.from, visit.until);
        let found = Found { present: span.until - span.from, ..Found::default() };
        let Some((found, from, until)) = self.gathered(&visit, found, true) else { return };
        self.count(&visit, found, (from, until));
    }

    fn count(&mut self, visit: &Visit, found: Found, (from, until): (u64, u64)) {
        let Some(cache) = &mut self.cache else { return };
        let span = cache.span(visit.pool, from, until);
        if visit.counted {
            cache.count(visit.workload, &span, visit.write, found);
        }
        if !visit.write {
            let end = self.ends[visit.workload as usize];
            cache.read_ahead(&span, found, end, visit.counted, &mut self.back);
        }
    }

    /// Hands a whole visit to its pool.
    fn pass(&mut self, key: u32) {
        let visit = self.visits.get_mut(key);
        visit.waits = 1;
        let range = (visit.from, visit.until);
        self.back.open(Purpose::Pass, visit.pool, range, visit.write, key);
    }

    /// The host request of a visit, or of the whole that it is a piece of.
    fn host_of(&self, visit: &Visit) -> u32 {
        if visit.whole == NONE {
            visit.host
        } else {
            self.visits.get(self.wholes.get(visit.whole).visit()).host
        }
    }

    /// The pools have done what a visit waited for.
    fn book_storage(&self, key: u32, moment: &mut Moment<'_>) {
        if let Some(sheets) = &mut moment.sheets {
            sheets.book_storage(self.host_of(&self.visits.get(key)), moment.now);
        }
    }

    /// A write has its place in the cache, or needs none any more.
    fn waited_for_space(&self, key: u32, moment: &mut Moment<'_>) {
        moment.book(self.host_of(&self.visits.get(key)), Part::Space, Kind::Waiting, moment.now);
    }

    fn destage(&mut self) {
        if let Some(cache) = self.cache.as_mut().filter(|_| !self.over) {
            cache.destage(!self.waiting.is_empty(), &mut self.back);
        }
    }

    /// A write's data is in the cache: the partner gets its copy.
    fn cached(&mut self, key: u32, moment: &mut Moment<'_>) {
        if !self.transfer(key, MIRROR, Stage::Mirror, moment) {
            self.stored(key, moment);
        }
    }

    /// A request's data is safe in the cache or on the drives (write), or here (read).
    fn stored(&mut self, key: u32, moment: &mut Moment<'_>) {
        if self.visits.get(key).write || !self.transfer(key, MESH, Stage::Crossing, moment) {
            self.leave(key, moment);
        }
    }

    /// A request is done, at the node that it came to.
    fn leave(&mut self, key: u32, moment: &mut Moment<'_>) {
        let visit = self.visits.get(key);
        if !visit.write && self.transfer(key, HOST, Stage::DataOut, moment) {
            return;
        }
        if visit.entered == moment.now {
            // Answers at once go through the event queue: no number of them holds up the engine's loop.
            self.visits.get_mut(key).stage = Stage::Storage;
            moment.events.push(moment.now, Event::Visit(key));
        } else {
            self.answer(key, moment);
        }
    }

    fn answer(&mut self, key: u32, moment: &mut Moment<'_>) {
        let visit = self.visits.remove(key);
        if visit.whole == NONE {
            self.answers.push_back(visit.host);
        } else {
            self.piece_done(&visit, moment);
        }
    }
}
