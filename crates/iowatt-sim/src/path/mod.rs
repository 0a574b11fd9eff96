//! The path from hosts to the array and back: host queue, HBA, links and switches, target port, and the messages of a
//! request's exchange.
//!
//! A request: host queue -> HBA -> command out -> port -> (a write whose data did not come with it: a visit of the
//! controller or a buffer of the port's own, readiness in, HBA, data out, burst by burst) -> the array -> data and
//! response in -> HBA. The paths know requests by their key at the engine; what it wants of the array, and what it has
//! done, it says by [`Next`].

pub mod budget;
mod credits;
mod lane;
pub mod timesheet;
mod wire;

use crate::clock::Nanos;
use crate::event::{Event, EventQueue};
use crate::plan::{ExchangePlan, PathPlan, Plan};
use crate::power::Window;
use budget::Budget;
use lane::{Chore, IN, Lane, Message, OUT, QUEUE, Sent};
use timesheet::{Kind, PARTS, Sheets};

/// No class of writes.
const NO_CLASS: u32 = u32::MAX;

/// When something happens on a path, and what it may act on.
pub struct Moment<'a> {
    /// The time.
    pub now: Nanos,
    /// The observed span.
    pub window: &'a Window,
    /// Pending events.
    pub events: &'a mut EventQueue,
}

/// A request that enters a path.
#[derive(Clone, Copy, Debug)]
pub struct Leaving {
    /// Its key at the engine.
    pub host: u32,
    /// The path.
    pub path: usize,
    /// First byte in its volume.
    pub offset: u64,
    /// Bytes.
    pub size: u64,
    /// Direction.
    pub write: bool,
}

/// What the engine does next for a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Nothing: it is on its way.
    Nothing,
    /// Asks the controller for a write's buffers.
    Allocate,
    /// Hands it to the array.
    Array,
    /// It is done.
    Done,
}

/// What ends with a request's next event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// In the host queue, or with the controller or the array: others go on with it.
    Elsewhere,
    /// The HBA submits it.
    Submitted,
    /// Its command is on its way.
    Command,
    /// The target port works on it.
    Port,
    /// The readiness is on its way to the host.
    Readiness,
    /// The HBA answers that.
    Answered,
    /// Data is on its way to the array.
    Data,
    /// Data and response are on their way to the host.
    Response,
    /// The HBA completes it.
    Completed,
}

/// A request on its way.
#[derive(Clone, Copy, Debug)]
struct Journey {
    path: u32,
    lane: u32,
    stage: Stage,
    write: bool,
    /// Of its buffer.
    class: u32,
    offset: u64,
    size: u64,
    /// Data of a write that has been sent.
    sent: u64,
    /// Bytes of the present message that are still to be sent, in segments.
    left: u64,
    /// When its command was at the array and at the observed hop; when it was answered there, and passed it again.
    at_array: (Nanos, Nanos),
    at_hop: (Nanos, Nanos),
}

/// What happened to writes at the port, within the window.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExpressTotals {
    /// Writes that got a buffer of the port.
    pub taken: u64,
    /// Writes of the class that found none.
    pub refused: u64,
}

/// One path.
#[derive(Debug)]
pub struct Path {
    lanes: Vec<Lane>,
    /// Whose turn it is.
    turn: usize,
    hops: usize,
    /// Slots of the array's parts.
    parts: usize,
    exchange: ExchangePlan,
    segment: u64,
    observed: Option<usize>,
    classes: Vec<u64>,
    /// By class.
    pub express: Vec<ExpressTotals>,
    /// Writes that asked for data and are of no class.
    pub not_express: u64,
    /// Requests that came, that had to wait in the host queue, and how long.
    pub visits: u64,
    /// Of those, held back.
    pub held: u64,
    /// How long they were.
    pub waited: Nanos,
}

/// All paths.
#[derive(Debug)]
pub struct Paths {
    /// Goes with the keys of its requests in events, to tell whose they are.
    tag: u32,
    paths: Vec<Path>,
    journeys: Vec<Journey>,
    /// Where the time of requests goes.
    pub sheets: Sheets,
    /// By path, workload and direction.
    budgets: Vec<Vec<Option<[Budget; 2]>>>,
}

/// What was observed of a request on its way, besides its response time at the host.
#[derive(Clone, Copy, Debug)]
pub struct Observed {
    /// When its sheet is booked to.
    pub booked: Nanos,
    /// Response time at the observed hop.
    pub at_hop: Option<(Nanos, Nanos)>,
    /// Response time at the array.
    pub at_array: (Nanos, Nanos),
}

impl Path {
    fn new(plan: &PathPlan, parts: usize) -> Self {
        Self {
            lanes: (0..plan.lanes).map(|_| Lane::new(plan)).collect(),
            turn: 0,
            hops: plan.hops.len(),
            parts,
            exchange: plan.exchange,
            segment: plan.segment_bytes.unwrap_or(u64::MAX),
            observed: plan.observed_hop,
            classes: plan.port.express.iter().map(|class| class.up_to_bytes).collect(),
            express: vec![ExpressTotals::default(); plan.port.express.len()],
            not_express: 0,
            visits: 0,
            held: 0,
            waited: 0,
        }
    }

    /// Slots of its sheets.
    fn slots(&self) -> usize {
        2 + 2 * self.hops + self.parts
    }

    /// The slot of the first of the array's parts, which is the port.
    #[must_use]
    pub fn port(&self) -> usize {
        2 + 2 * self.hops
    }

    /// The lanes.
    #[must_use]
    pub fn lanes(&self) -> &[Lane] {
        &self.lanes
    }
}

impl Paths {
    /// The paths of `plan`; `None` where there are none.
    #[must_use]
    pub fn new(plan: &Plan) -> Option<Self> {
        if plan.paths.is_empty() {
            return None;
        }
        let parts = PARTS + if plan.replications.is_empty() { usize::from(plan.has_qos()) } else { 2 };
        let of = |path: usize| plan.workloads.iter().map(|w| w.path == Some(path)).collect();
        Some(Self::with_classes(plan.paths.iter(), parts, 0, of))
    }

    /// The paths over which `plan` replicates, each with one class of requests; `tag` goes with their keys in events.
    #[must_use]
    pub fn of_replications(plan: &Plan, tag: u32) -> Self {
        Self::with_classes(plan.replications.iter().map(|r| &r.path), PARTS, tag, |_| vec![true])
    }

    /// Paths with budgets for those classes of requests that `classes` says of each.
    fn with_classes<'p>(
        plans: impl Iterator<Item = &'p PathPlan>,
        parts: usize,
        tag: u32,
        classes: impl Fn(usize) -> Vec<bool>,
    ) -> Self {
        let paths: Vec<Path> = plans.map(|plan| Path::new(plan, parts)).collect();
        let slots = paths.iter().map(Path::slots).max().unwrap_or(0);
        let budget = |slots: usize| [Budget::new(slots), Budget::new(slots)];
        let budgets = paths.iter().enumerate().map(|(number, path)| {
            classes(number).into_iter().map(|is_there| is_there.then(|| budget(path.slots()))).collect()
        });
        let budgets = budgets.collect();
        Self { tag, paths, journeys: Vec::new(), sheets: Sheets::new(slots), budgets }
    }

    /// All paths.
    #[must_use]
    pub fn paths(&self) -> &[Path] {
        &self.paths
    }

    /// The budgets of a path, by workload and direction.
    #[must_use]
    pub fn budgets(&self, path: usize) -> &[Option<[Budget; 2]>] {
        &self.budgets[path]
    }

    /// Where request `host` wants to go in its volume, and how much of it.
    #[must_use]
    pub fn range(&self, host: u32) -> (u64, u64) {
        let journey = &self.journeys[host as usize];
        (journey.offset, journey.size)
    }

    /// A request comes to the host queue.
    pub fn enter(&mut self, request: Leaving, moment: &mut Moment<'_>) {
        let path = &mut self.paths[request.path];
        let lane = path.turn;
        path.turn = (lane + 1) % path.lanes.len();
        let journey = Journey {
            path: request.path as u32,
            lane: lane as u32,
            stage: Stage::Elsewhere,
            write: request.write,
            class: NO_CLASS,
            offset: request.offset,
            size: request.size,
            sent: 0,
            left: 0,
            at_array: (0, 0),
            at_hop: (Nanos::MAX, 0),
        };
        let at = request.host as usize;
        if at >= self.journeys.len() {
            self.journeys.resize(at + 1, journey);
        }
        self.journeys[at] = journey;
        self.sheets.open(request.host, moment.now, path.port());
        let counted = u64::from(moment.window.begins(moment.now));
        path.visits += counted;
        if path.lanes[lane].take() {
            self.submit(request.host, moment);
        } else {
            path.held += counted;
            path.lanes[lane].waiting.push_back(request.host);
        }
    }

    /// The next event of a request.
    pub fn proceed(&mut self, host: u32, moment: &mut Moment<'_>) -> Next {
        let journey = self.journeys[host as usize];
        match journey.stage {
            Stage::Elsewhere => Next::Nothing,
            Stage::Submitted => {
                let exchange = self.paths[journey.path as usize].exchange;
                let with = if journey.write { exchange.with_command(journey.size) } else { 0 };
                self.journeys[host as usize].sent = with;
                let alone = journey.write && with < journey.size;
                let to = exchange.fast_write_hop.filter(|_| alone).map(|hop| hop + 1);
                self.send(host, Stage::Command, [exchange.command_bytes, with], to, moment);
                Next::Nothing
            }
            Stage::Command | Stage::Data if journey.left > 0 => {
                self.send_segment(host, moment);
                Next::Nothing
            }
            Stage::Command => self.commanded(host, moment),
            Stage::Port => self.accepted(host, moment),
            Stage::Readiness => {
                self.chore(host, Chore::Ready, Stage::Answered, moment);
                Next::Nothing
            }
            Stage::Answered => {
                let exchange = self.paths[journey.path as usize].exchange;
                let rest = journey.size - journey.sent;
                let burst =
                    rest.min(exchange.burst_bytes.filter(|_| !self.is_fast(&journey)).unwrap_or(rest));
                self.journeys[host as usize].sent += burst;
                self.send(host, Stage::Data, [0, burst], None, moment);
                Next::Nothing
            }
            Stage::Data => self.data_came(host, moment),
            Stage::Response if journey.left > 0 => {
                self.send_segment(host, moment);
                Next::Nothing
            }
            Stage::Response => {
                self.chore(host, Chore::Complete, Stage::Completed, moment);
                Next::Nothing
            }
            Stage::Completed => {
                let lane = &mut self.paths[journey.path as usize].lanes[journey.lane as usize];
                if let Some(next) = lane.give() {
                    self.submit(next, moment);
                }
                Next::Done
            }
        }
    }

    /// The controller has the buffers for a write.
    pub fn allocated(&mut self, host: u32, moment: &mut Moment<'_>) -> Next {
        let journey = self.journeys[host as usize];
        if journey.sent == journey.size {
            return Next::Array; // its data is here: another answered it
        }
        self.ready(host, moment);
        Next::Nothing
    }

    /// The array has done a request: its answer goes back.
    pub fn answered(&mut self, host: u32, moment: &mut Moment<'_>) {
        let journey = &mut self.journeys[host as usize];
        journey.at_array.1 = moment.now;
        let (write, size) = (journey.write, journey.size);
        let path = &mut self.paths[journey.path as usize];
        if journey.class != NO_CLASS {
            path.lanes[journey.lane as usize].buffers[journey.class as usize] += 1;
        }
        let response = path.exchange.response(write);
        self.sheets.book_storage(host, moment.now);
        let parts = if write { [0, response] } else { [size, response] };
        self.send(host, Stage::Response, parts, None, moment);
    }

    /// A request of `workload` is done: what was observed of it. Its sheet goes to the budget if it is counted.
    pub fn close(&mut self, host: u32, workload: usize, response: Nanos, counted: bool) -> Observed {
        let journey = self.journeys[host as usize];
        let path = journey.path as usize;
        let (times, booked) = self.sheets.close(host);
        if counted && let Some(budgets) = &mut self.budgets[path][workload] {
            budgets[usize::from(journey.write)].add(response, times);
        }
        let observed = self.paths[path].observed.is_some();
        Observed { booked, at_hop: observed.then_some(journey.at_hop), at_array: journey.at_array }
    }

    /// A request that has come to the end of a step is given up: its place and its buffer are free again.
    pub fn give_up(&mut self, host: u32, moment: &mut Moment<'_>) {
        let journey = self.journeys[host as usize];
        let lane = &mut self.paths[journey.path as usize].lanes[journey.lane as usize];
        if journey.class != NO_CLASS && journey.at_array.1 == 0 {
            lane.buffers[journey.class as usize] += 1;
        }
        if let Some(next) = lane.give() {
            self.submit(next, moment);
        }
        self.sheets.close(host);
    }

    /// Takes back what is booked beyond the end of the run.
    pub fn cut(&mut self, end: Nanos, window: &Window) {
        for lane in self.paths.iter_mut().flat_map(|path| &mut path.lanes) {
            lane.cut(end, window);
        }
    }

    /// Whether a write is answered on the way.
    fn is_fast(&self, journey: &Journey) -> bool {
        journey.write && self.paths[journey.path as usize].exchange.fast_write_hop.is_some()
    }

    fn submit(&mut self, host: u32, moment: &mut Moment<'_>) {
        let path = self.journeys[host as usize].path as usize;
        let before = self.sheets.booked(host);
        if before < moment.now {
            self.sheets.book(host, QUEUE, Kind::Waiting, moment.now);
            if moment.window.begins(before) {
                self.paths[path].waited += moment.now - before;
            }
        }
        self.chore(host, Chore::Submit, Stage::Submitted, moment);
    }

    /// The HBA does something, at whose end `stage` ends.
    fn chore(&mut self, host: u32, chore: Chore, stage: Stage, moment: &mut Moment<'_>) {
        let journey = &mut self.journeys[host as usize];
        journey.stage = stage;
        let lane = &mut self.paths[journey.path as usize].lanes[journey.lane as usize];
        let done = lane.adapt(host, chore, moment.now, moment.window, &mut self.sheets);
        moment.events.push(done, Event::Path(host | self.tag));
    }

    /// A command has come, to the array or to the hop that answers instead.
    fn commanded(&mut self, host: u32, moment: &mut Moment<'_>) -> Next {
        let journey = self.journeys[host as usize];
        if self.is_fast(&journey) && journey.sent < journey.size {
            self.ready(host, moment);
            return Next::Nothing;
        }
        self.arrive(host, moment);
        Next::Nothing
    }

    /// A command is at the array.
    fn arrive(&mut self, host: u32, moment: &mut Moment<'_>) {
        let journey = &mut self.journeys[host as usize];
        journey.at_array.0 = moment.now;
        journey.stage = Stage::Port;
        let lane = &mut self.paths[journey.path as usize].lanes[journey.lane as usize];
        let done = lane.enter_port(host, moment.now, moment.window, &mut self.sheets);
        moment.events.push(done, Event::Path(host | self.tag));
    }

    /// The port has accepted a command.
    fn accepted(&mut self, host: u32, moment: &mut Moment<'_>) -> Next {
        let journey = self.journeys[host as usize];
        self.journeys[host as usize].stage = Stage::Elsewhere;
        let path = &mut self.paths[journey.path as usize];
        if !journey.write || path.exchange.with_command(journey.size) == journey.size {
            return Next::Array;
        }
        let counted = u64::from(moment.window.begins(moment.now));
        let Some(class) = path.classes.iter().position(|&most| journey.size <= most) else {
            path.not_express += counted;
            return Next::Allocate;
        };
        let free = &mut path.lanes[journey.lane as usize].buffers[class];
        if *free == 0 {
            path.express[class].refused += counted;
            return Next::Allocate;
        }
        *free -= 1;
        path.express[class].taken += counted;
        self.journeys[host as usize].class = class as u32;
        self.allocated(host, moment)
    }

    /// Tells the host to send data.
    fn ready(&mut self, host: u32, moment: &mut Moment<'_>) {
        let journey = self.journeys[host as usize];
        let exchange = self.paths[journey.path as usize].exchange;
        let from = exchange.fast_write_hop.map(|hop| hop + 1);
        self.send(host, Stage::Readiness, [0, exchange.ready_bytes], from, moment);
    }

    /// A burst of data has come.
    fn data_came(&mut self, host: u32, moment: &mut Moment<'_>) -> Next {
        let journey = self.journeys[host as usize];
        if self.is_fast(&journey) {
            self.arrive(host, moment);
            Next::Nothing
        } else if journey.sent < journey.size {
            self.ready(host, moment);
            Next::Nothing
        } else {
            self.journeys[host as usize].stage = Stage::Elsewhere;
            Next::Array
        }
    }

    /// Sends a message, at whose coming `stage` ends: between host and array, or only the first `hops` of them.
    fn send(
        &mut self,
        host: u32,
        stage: Stage,
        parts: [u64; 2],
        hops: Option<usize>,
        moment: &mut Moment<'_>,
    ) {
        let journey = &mut self.journeys[host as usize];
        journey.stage = stage;
        let path = &self.paths[journey.path as usize];
        // Only data comes in segments; what goes with it is sent with the last of them.
        let data = if stage == Stage::Response { parts[0] } else { parts[1] };
        if data > path.segment && path.hops > 0 {
            journey.left = data;
            self.send_segment(host, moment);
            return;
        }
        let sent = self.transmit(host, parts, hops, moment);
        moment.events.push(sent.tail, Event::Path(host | self.tag));
    }

    /// Sends the next segment of a message; the one after it takes its turn when the sender is free again.
    fn send_segment(&mut self, host: u32, moment: &mut Moment<'_>) {
        let journey = &mut self.journeys[host as usize];
        let path = &self.paths[journey.path as usize];
        let (exchange, segment) = (path.exchange, path.segment);
        let (stage, write) = (journey.stage, journey.write);
        let first = journey.left == journey.sent;
        let bytes = journey.left.min(segment);
        journey.left -= bytes;
        let last = journey.left == 0;
        let with_it = match stage {
            Stage::Command if first => exchange.command_bytes,
            Stage::Response if last => exchange.response(write),
            _ => 0,
        };
        let parts = if stage == Stage::Response { [bytes, with_it] } else { [with_it, bytes] };
        let sent = self.transmit(host, parts, None, moment);
        moment.events.push(if last { sent.tail } else { sent.free }, Event::Path(host | self.tag));
    }

    /// Puts a message on the wires.
    fn transmit(&mut self, host: u32, parts: [u64; 2], hops: Option<usize>, moment: &mut Moment<'_>) -> Sent {
        let journey = &mut self.journeys[host as usize];
        let path = &mut self.paths[journey.path as usize];
        let way = match journey.stage {
            Stage::Readiness | Stage::Response => IN,
            _ => OUT,
        };
        let message = Message { parts, way, hops: hops.unwrap_or(path.hops) };
        let (observed, stage) = (path.observed, journey.stage);
        let at_hop = &mut journey.at_hop;
        let seen = |hop: usize, came: Nanos, tail: Nanos| {
            if observed == Some(hop) {
                match stage {
                    Stage::Command | Stage::Data if at_hop.0 == Nanos::MAX => at_hop.0 = came,
                    Stage::Response => at_hop.1 = tail,
                    _ => {}
                }
            }
        };
        let lane = &mut path.lanes[journey.lane as usize];
        lane.send(host, message, moment.now, moment.window, &mut self.sheets, seen)
    }
}
