//! The array controller: what a request costs before and after the pools, and the cache that may spare it
//! the pools altogether.
//!
//! A visit goes: a processor (queue, then the time of its direction) -> a write's data over the host link ->
//! cache or pools -> a read's data over the host link -> answer. Each part that the plan leaves out takes
//! no time. The controller knows host requests by their key only; what it wants of the pools is in
//! [`Controller::back`], what is ready for hosts in [`Controller::answers`].

pub mod back_end;
pub mod cache;
pub mod station;

use crate::clock::{Nanos, nanos};
use crate::event::{Event, EventQueue};
use crate::plan::{Plan, WriteCaching};
use crate::power::Window;
use crate::slab::Slab;
use back_end::{BackEnd, Purpose};
use cache::{Cache, Span};
use station::Station;
use std::collections::VecDeque;

/// When something happens to the controller, and what it may act on.
pub struct Moment<'a> {
    /// The time.
    pub now: Nanos,
    /// The observed span.
    pub window: &'a Window,
    /// Pending events.
    pub events: &'a mut EventQueue,
}

/// What ends with a visit's next event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Processing,
    DataIn,
    /// In the cache or at the pools; back-end requests end it.
    Storage,
    DataOut,
}

/// A host request in the controller.
#[derive(Clone, Copy, Debug)]
struct Visit {
    host: u32,
    pool: u32,
    from: u64,
    until: u64,
    write: bool,
    stage: Stage,
    entered: Nanos,
    /// Whether it entered within the window.
    counted: bool,
    /// Back-end requests that it waits for.
    waits: u32,
    /// End of what the cache has taken of a write, and granules of that whose lines were there.
    taken: u64,
    resident: u64,
    /// Since when a write waits for space.
    waits_since: Option<Nanos>,
}

/// A link of one transfer at a time.
#[derive(Debug)]
struct Link {
    station: Station,
    ns_per_byte: f64,
}

/// State of the controller.
#[derive(Debug)]
pub struct Controller {
    processors: Option<Station>,
    /// Time of a processor for reads and writes.
    processing: [Nanos; 2],
    link: Option<Link>,
    cache: Option<Cache>,
    visits: Slab<Visit>,
    /// Writes that wait for space in the cache, first come first served.
    waiting: VecDeque<u32>,
    /// Visits whose back-end request has just completed; empty between events.
    woken: Vec<u32>,
    /// Requests to the pools.
    pub back: BackEnd,
    /// Host requests that are done.
    pub answers: VecDeque<u32>,
    /// Whether the last host request is done, after which no destage starts.
    over: bool,
}

impl Controller {
    /// The controller of `plan` over pools of the given capacities; `None` where it would do nothing.
    #[must_use]
    pub fn new(plan: &Plan, pool_bytes: Vec<u64>) -> Option<Self> {
        let given = plan.controller.as_ref()?;
        let cache = given.cache.as_ref().and_then(|cache| Cache::new(cache, &plan.sectors(), pool_bytes));
        let link = given
            .host_bandwidth_bytes_per_s
            .map(|rate| Link { station: Station::new(1), ns_per_byte: 1e9 / rate });
        if cache.is_none() && link.is_none() && given.processing.is_none() {
            return None;
        }
        Some(Self {
            processors: given.processing.map(|p| Station::new(p.processors)),
            processing: given.processing.map_or([0; 2], |p| [nanos(p.read_s), nanos(p.write_s)]),
            link,
            cache,
            visits: Slab::default(),
            waiting: VecDeque::new(),
            woken: Vec::new(),
            back: BackEnd::default(),
            answers: VecDeque::new(),
            over: false,
        })
    }

    /// The processors, where they take time.
    #[must_use]
    pub fn processors(&self) -> Option<&Station> {
        self.processors.as_ref()
    }

    /// The host link, where it takes time.
    #[must_use]
    pub fn link(&self) -> Option<&Station> {
        self.link.as_ref().map(|link| &link.station)
    }

    /// The cache, where there is one.
    #[must_use]
    pub fn cache(&self) -> Option<&Cache> {
        self.cache.as_ref()
    }

    /// The last host request is done: starts nothing more. Whether nothing is under way either.
    pub fn wind_down(&mut self) -> bool {
        self.over = true;
        self.back.is_idle()
    }

    /// A host request of `(offset, size, write)` on a pool comes in.
    pub fn enter(&mut self, host: u32, pool: u32, range: (u64, u64, bool), mut moment: Moment<'_>) {
        let (from, size, write) = range;
        let key = self.visits.insert(Visit {
            host,
            pool,
            from,
            until: from + size,
            write,
            stage: Stage::Processing,
            entered: moment.now,
            counted: moment.window.begins(moment.now),
            waits: 0,
            taken: 0,
            resident: 0,
            waits_since: None,
        });
        match &mut self.processors {
            Some(station) => {
                let time = self.processing[usize::from(write)];
                let done = station.serve(moment.now, time, moment.window);
                moment.events.push(done, Event::Visit(key));
            }
            None => self.admit(key, &mut moment),
        }
    }

    /// A visit ends its present stage.
    pub fn proceed(&mut self, key: u32, mut moment: Moment<'_>) {
        match self.visits.get(key).stage {
            Stage::Processing => self.admit(key, &mut moment),
            Stage::DataIn => self.store(key, &mut moment),
            Stage::Storage | Stage::DataOut => self.answer(key),
        }
    }

    /// A drive operation of back-end request `key` has completed.
    pub fn operation_done(&mut self, key: u32, mut moment: Moment<'_>) {
        let Some(request) = self.back.operation_done(key, &mut self.woken) else { return };
        if let Some(cache) = &mut self.cache {
            cache.completed(key, &request, moment.window.ends(moment.now));
        }
        for at in 0..self.woken.len() {
            let visit = self.woken[at];
            let waits = &mut self.visits.get_mut(visit).waits;
            *waits -= 1;
            if *waits == 0 {
                self.stored(visit, &mut moment);
            }
        }
        self.woken.clear();
        while let Some(&first) = self.waiting.front() {
            if !self.take_in(first, moment.now) {
                break;
            }
            self.waiting.pop_front();
            self.stored(first, &mut moment);
        }
        self.destage();
    }

    /// A processed request goes on: a write's data first comes over the link.
    fn admit(&mut self, key: u32, moment: &mut Moment<'_>) {
        if self.visits.get(key).write && self.transfer(key, Stage::DataIn, moment) {
            return;
        }
        self.store(key, moment);
    }

    /// Puts a visit's data on the link; `false` where there is none.
    fn transfer(&mut self, key: u32, stage: Stage, moment: &mut Moment<'_>) -> bool {
        let Some(link) = &mut self.link else { return false };
        let visit = self.visits.get_mut(key);
        visit.stage = stage;
        let time = ((visit.until - visit.from) as f64 * link.ns_per_byte).round() as Nanos;
        let done = link.station.serve(moment.now, time, moment.window);
        moment.events.push(done, Event::Visit(key));
        true
    }

    /// A request reaches the cache, or the pools where there is none.
    fn store(&mut self, key: u32, moment: &mut Moment<'_>) {
        self.visits.get_mut(key).stage = Stage::Storage;
        let visit = self.visits.get(key);
        let Some(cache) = &mut self.cache else {
            self.pass(key);
            return;
        };
        let span = cache.span(visit.pool, visit.from, visit.until);
        if !visit.write {
            let waits = cache.read(span, key, visit.counted, &mut self.back);
            self.visits.get_mut(key).waits = waits;
            if waits == 0 {
                self.stored(key, moment);
            }
        } else if cache.writes == WriteCaching::Back {
            self.visits.get_mut(key).taken = span.from;
            if self.take_in(key, moment.now) {
                self.stored(key, moment);
            } else {
                self.visits.get_mut(key).waits_since = Some(moment.now);
                self.waiting.push_back(key);
            }
            self.destage();
        } else {
            let resident = cache.update(&span, visit.counted);
            if visit.counted {
                count_write(cache, &span, resident);
            }
            self.pass(key);
        }
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
        if visit.counted {
            count_write(cache, &span, visit.resident);
            if let Some(since) = visit.waits_since {
                cache.totals.waits_for_space += 1;
                cache.totals.space_wait_ns += now - since;
            }
        }
        true
    }

    /// Hands a whole request to its pool.
    fn pass(&mut self, key: u32) {
        let visit = self.visits.get_mut(key);
        visit.waits = 1;
        let range = (visit.from, visit.until);
        self.back.open(Purpose::Pass, visit.pool, range, visit.write, key);
    }

    fn destage(&mut self) {
        if let Some(cache) = self.cache.as_mut().filter(|_| !self.over) {
            cache.destage(!self.waiting.is_empty(), &mut self.back);
        }
    }

    /// A request's data is in the cache or on the drives (write), or here (read).
    fn stored(&mut self, key: u32, moment: &mut Moment<'_>) {
        let visit = self.visits.get(key);
        if !visit.write && self.transfer(key, Stage::DataOut, moment) {
            return;
        }
        if visit.entered == moment.now {
            // Answers at once go through the event queue: no number of them holds up the engine's loop.
            moment.events.push(moment.now, Event::Visit(key));
        } else {
            self.answer(key);
        }
    }

    fn answer(&mut self, key: u32) {
        let visit = self.visits.remove(key);
        self.answers.push_back(visit.host);
    }
}

fn count_write(cache: &mut Cache, span: &Span, resident: u64) {
    cache.count(span, true, resident, resident == span.until - span.from);
}
