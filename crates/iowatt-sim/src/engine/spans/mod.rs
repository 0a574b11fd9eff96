//! One run on several threads, parallel in time, with the figures of the serial run to the last bit.
//!
//! The requests of a run are cut into parts, in order of arrival. Where nothing but the arrays' short memory (arms, buffers,
//! queues) links what was with what will be, a simulation that starts a little before a part from an array at rest is soon
//! in the state in which the whole run would be. So all parts are simulated at once, each from some requests ahead of it,
//! and at every *seam* between two parts the state in which one ends is compared with that in which the next one began.
//! Where they are equal the next part is what the serial run would have done; where not, it is simulated again, from the
//! state in which the part before it ended. Nothing is estimated, and neither the size of a part nor the number of threads
//! is seen in any figure.
//!
//! A seam is the instant just before an arrival is handled. What is counted belongs to the part whose event counts it.
//!
//! - `arrivals` reads the sources, once and in order, and cuts parts;
//! - `runner` is an engine that simulates one part after another;
//! - `total` checks the seams and adds up what the parts counted;
//! - this module hands parts to threads and takes them back in order.

mod arrivals;
mod feed;
mod part;
mod runner;
mod total;

use super::{Engine, Progress};
use crate::clock::nanos;
use crate::device::Kind;
use crate::error::SimError;
use crate::plan::{Plan, ReplayPlan};
use crate::power::Window;
use crate::results::{Outcome, Serial};
use crate::shape::{Disks, Needs};
use arrivals::Merged;
use part::Part;
use runner::{Attempt, Shared};
use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use total::{Again, Total};

/// Requests of a part.
const PART: u64 = 32_768;
/// Requests that are simulated ahead of a part, at first, and at most where states are slow to meet.
const AHEAD: usize = 512;
const MOST_AHEAD: usize = 8_192;
/// After so many parts in a row that never met the run, though begun as far ahead as possible, the run goes on serially,
const PATIENCE: u32 = 2;
/// for so many parts at first, and twice as many each time that it comes to that again.
const PAUSE: u64 = 32;
/// Requests of a serial stretch between two calls of the progress hook.
const STRETCH: u64 = 4_096;
/// The longest that the progress hook waits for its next call.
const HOOK_EVERY: Duration = Duration::from_millis(100);

/// How a run is cut.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spans {
    /// Threads that simulate.
    pub threads: usize,
    /// Requests of a part and ahead of it, where a test gives them.
    pub cut: Option<(u64, usize)>,
}

impl Default for Spans {
    fn default() -> Self {
        Self { threads: 1, cut: None }
    }
}

impl Spans {
    /// What prevents a run of `plan` from being cut, if anything does.
    pub fn prevented(&self, needs: Needs, plan: &Plan) -> Option<Serial> {
        let open = |replay: &ReplayPlan| matches!(replay, ReplayPlan::Open { .. });
        match needs {
            _ if self.threads == 1 && self.cut.is_none() => Some(Serial::OneThread),
            Needs { managed: true, .. } => Some(Serial::Managed),
            Needs { layers: true, .. } => Some(Serial::Layers),
            Needs { flash: true, .. } => Some(Serial::Flash),
            _ if !plan.workloads.iter().all(|w| open(&w.replay)) => Some(Serial::ClosedLoops),
            _ => None,
        }
    }
}

/// Runs `engine`, freshly built from `plan`, in parts.
pub(super) fn run(
    mut engine: Engine<'_, Disks>,
    plan: Plan,
    kinds: &[Kind],
    spans: Spans,
    hook: &mut dyn FnMut(Progress) -> bool,
) -> Result<Outcome, SimError> {
    let (size, ahead) = spans.cut.unwrap_or((PART, AHEAD));
    let window =
        Window { start: nanos(plan.observe.warmup_s), end: plan.observe.end_s.map_or(u64::MAX, nanos) };
    let arrivals = Merged::new(&mut engine.hosts.workloads, engine.around.clock.end)?;
    let shared = Shared::new(plan, kinds, &engine.around.observer, window);
    let mut course = Course {
        total: Total::new(engine),
        arrivals,
        shared: &shared,
        read: VecDeque::new(),
        size,
        ahead,
        fixed: spans.cut.is_some(),
        hook,
    };
    let mut pause = if course.read() || spans.cut.is_some() { PAUSE } else { u64::MAX };
    let short = pause == u64::MAX;
    while !short && !course.together(spans.threads)? && !course.alone(pause)? {
        pause *= 2;
    }
    course.alone(u64::MAX)?;
    let Course { total, hook, .. } = course;
    hook(total.progress());
    let serial = match total.mostly_alone() {
        _ if short => Some(Serial::Short),
        mostly => (mostly && spans.cut.is_none()).then_some(Serial::StatesDiffer),
    };
    Ok(Outcome { threads: if serial.is_some() { 1 } else { spans.threads }, serial, ..total.finish() })
}

/// A run in parts, under way.
struct Course<'r, 'a> {
    total: Total<'a, 'r>,
    arrivals: Merged,
    shared: &'r Shared<'r>,
    /// Parts that are read and not added up.
    read: VecDeque<Arc<Part>>,
    /// Requests of a part.
    size: u64,
    /// Requests ahead of one.
    ahead: usize,
    /// A test gives both.
    fixed: bool,
    hook: &'r mut dyn FnMut(Progress) -> bool,
}

impl<'r> Course<'r, '_> {
    /// Reads the next part, if there is one; returns whether another follows.
    fn read(&mut self) -> bool {
        let most = self.most_ahead();
        let part = self.arrivals.part(self.total.workloads(), self.size, self.ahead, most);
        self.read.extend(part.map(Arc::new));
        !self.arrivals.is_over()
    }

    fn most_ahead(&self) -> usize {
        if self.fixed { self.ahead } else { MOST_AHEAD }
    }

    /// Tells how far the run is, unless it has ended.
    fn report(&mut self) -> Result<(), SimError> {
        let goes_on = self.total.has_ended() || (self.hook)(self.total.progress());
        if goes_on { Ok(()) } else { Err(SimError::Stopped) }
    }

    /// Simulates parts on several threads until the run has ended (`true`), or until too many have been simulated again.
    fn together(&mut self, threads: usize) -> Result<bool, SimError> {
        self.total.stand();
        let stop = AtomicBool::new(false);
        let (jobs, waiting) = channel::<Arc<Part>>();
        let (give, done) = channel();
        let (waiting, shared) = (Mutex::new(waiting), self.shared);
        std::thread::scope(|scope| {
            for _ in 0..threads {
                let (give, waiting, stop) = (give.clone(), &waiting, &stop);
                scope.spawn(move || work(shared, waiting, &give, stop));
            }
            drop(give);
            let result = self.add_up(threads, jobs, &done);
            stop.store(true, Ordering::Relaxed);
            result
        })
    }

    /// Hands parts out, and adds them up as they come back.
    fn add_up(
        &mut self,
        threads: usize,
        jobs: Sender<Arc<Part>>,
        done: &Receiver<Handed<'r>>,
    ) -> Result<bool, SimError> {
        let most = threads + threads / 2 + 2;
        let (mut sent, mut early, mut misses) = (0, BTreeMap::new(), 0);
        while !self.total.has_ended() {
            while sent < most {
                let Some(part) = self.read.get(sent) else {
                    if self.arrivals.is_over() {
                        break;
                    }
                    self.read();
                    continue;
                };
                let _ = jobs.send(Arc::clone(part));
                sent += 1;
            }
            let Some(part) = self.read.front().map(Arc::clone) else { break };
            let Some(attempt) = early.remove(&part.number) else {
                match done.recv_timeout(HOOK_EVERY) {
                    Ok(Ok((number, attempt))) => {
                        early.insert(number, attempt);
                    }
                    Ok(Err(panic)) => resume_unwind(panic),
                    Err(RecvTimeoutError::Timeout) => self.report()?,
                    Err(RecvTimeoutError::Disconnected) => return Ok(false),
                }
                continue;
            };
            let again = self.total.add(self.shared, &part, attempt).map_err(|e| self.arrivals.explain(e))?;
            self.read.pop_front();
            sent -= 1;
            let farther = match again {
                Again::Nothing => 1,
                Again::Begin => 2,
                Again::All => self.most_ahead(),
            };
            // Parts that have been read meanwhile began no farther ahead than this one.
            self.ahead =
                self.ahead.max(farther.saturating_mul(part.arrivals_ahead as usize).min(self.most_ahead()));
            let patient = again != Again::All || part.arrivals_ahead < self.most_ahead() as u64;
            misses = if patient { 0 } else { misses + 1 };
            if misses >= PATIENCE && !self.fixed {
                return Ok(self.total.has_ended());
            }
            self.report()?;
        }
        Ok(true)
    }

    /// Simulates so many parts one after another; returns whether the run has ended.
    fn alone(&mut self, parts: u64) -> Result<bool, SimError> {
        for _ in 0..parts {
            if self.total.has_ended() {
                break;
            }
            if self.read.is_empty() {
                self.read();
            }
            let Some(part) = self.read.pop_front() else { break };
            self.total.go_on(self.shared, &part).map_err(|e| self.arrivals.explain(e))?;
            let mut left = part.arrivals;
            loop {
                let stretch = left.min(STRETCH);
                self.total.simulate(stretch).map_err(|e| self.arrivals.explain(e))?;
                left -= stretch;
                if left == 0 || self.total.has_ended() {
                    break;
                }
                self.report()?;
            }
            self.total.settle();
            self.report()?;
        }
        Ok(self.total.has_ended() || (self.read.is_empty() && self.arrivals.is_over()))
    }
}

/// A part simulated ahead, by its number, or the panic that ended it.
type Handed<'r> = Result<(u64, Attempt<'r>), Box<dyn std::any::Any + Send>>;

/// Simulates parts until there are no more.
fn work<'r>(
    shared: &'r Shared<'r>,
    waiting: &Mutex<Receiver<Arc<Part>>>,
    give: &Sender<Handed<'r>>,
    stop: &AtomicBool,
) {
    loop {
        let part = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(part) = part else { return };
        let tried = catch_unwind(AssertUnwindSafe(|| Attempt::new(shared, &part, stop)));
        let failed = tried.is_err();
        if give.send(tried.map(|attempt| (part.number, attempt))).is_err() || failed {
            return;
        }
    }
}
