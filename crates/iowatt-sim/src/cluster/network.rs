//! Messages between nodes: where each is on its way, and where it goes next.
//!
//! Data goes sender's port -> (the uplinks of both racks) -> receiver's port -> its processors. Ports pass a message on while
//! it comes in (cut-through): the first bit reaches the next port after the latency, and the last no earlier than it left
//! the one before. A station takes what reaches it in order of time, so each leg ends with an event. Messages without data
//! pass between the frames of others: they take their time and hold nobody up.

use super::node::{Node, Port, Way};
use crate::clock::{Nanos, nanos};
use crate::event::{Event, EventQueue};
use crate::observe::Intervals;
use crate::plan::NetworkPlan;
use crate::power::Window;

/// No operation.
const NONE: u32 = u32::MAX;

/// What happens when, and what it acts on.
pub struct Moment<'a> {
    /// The time.
    pub now: Nanos,
    /// The observed span.
    pub window: &'a Window,
    /// The course of the run, with the work of nodes.
    pub course: &'a mut Intervals,
    /// Pending events.
    pub events: &'a mut EventQueue,
}

/// Where an operation is on its way between two nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    /// The operation waits for the one before it in a pipeline.
    #[default]
    Waits,
    /// Data reaches the uplink of the sender's rack.
    Uplink,
    /// Data reaches the link of the receiver's rack.
    Downlink,
    /// Data reaches the receiver's port.
    Port,
    /// The message is at the node of the drive.
    Arrived,
    /// That node's processors have worked on it.
    Ready,
    /// The answer is back.
    Delivered,
}

/// An operation that one node wants of a drive of another (or of its own).
#[derive(Clone, Copy, Debug, Default)]
struct Flight {
    /// The node that wants it, and the node of the drive.
    from: u32,
    to: u32,
    /// The operation to which this one's node passes the data on, or [`NONE`].
    next: u32,
    bytes: u64,
    /// When the last bit passes the present point.
    tail: Nanos,
    /// Latency of the way back through a pipeline.
    back: Nanos,
    stage: Stage,
    write: bool,
    /// The answer is under way.
    answers: bool,
}

/// Latencies of one cluster.
#[derive(Clone, Copy, Debug)]
pub struct Latencies {
    /// To and from clients.
    pub client: Nanos,
    rack: Nanos,
    core: Nanos,
    /// Bytes of a message without data.
    pub message: u64,
}

impl Latencies {
    /// Those of `plan`.
    #[must_use]
    pub fn new(plan: &NetworkPlan) -> Self {
        Self {
            client: nanos(plan.client_latency_s),
            rack: nanos(plan.rack_latency_s),
            core: nanos(plan.core_latency_s),
            message: plan.message_bytes,
        }
    }
}

impl<'a> Moment<'a> {
    /// The present of a run: its time, what is observed of it, and its events.
    #[inline]
    pub fn new(
        now: Nanos,
        (window, course): (&'a Window, &'a mut Intervals),
        events: &'a mut EventQueue,
    ) -> Self {
        Self { now, window, course, events }
    }
}

/// What becomes of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// It is under way.
    Travels,
    /// Its drive may have it.
    Drive,
    /// Its answer is where it was wanted.
    Delivered,
}

/// Nodes and what goes on between them.
#[derive(Clone, Debug)]
pub struct Network {
    /// All nodes, of all clusters.
    pub nodes: Vec<Node>,
    /// By rack, the link to the others; none where it takes no time.
    pub uplinks: Vec<Option<Port>>,
    /// By cluster.
    pub latencies: Vec<Latencies>,
    /// By operation.
    flights: Vec<Flight>,
}

impl Network {
    /// A network at rest.
    #[must_use]
    pub fn new(nodes: Vec<Node>, uplinks: Vec<Option<Port>>, latencies: Vec<Latencies>) -> Self {
        Self { nodes, uplinks, latencies, flights: Vec::new() }
    }

    /// Prepares operation `key` on `bytes` of a drive of node `to`, which node `from` wants.
    #[inline]
    pub fn prepare(&mut self, key: u32, (from, to): (u32, u32), bytes: u64, write: bool) {
        let at = key as usize;
        if at >= self.flights.len() {
            self.flights.resize(at + 1, Flight::default());
        }
        self.flights[at] = Flight { from, to, bytes, write, next: NONE, ..Flight::default() };
    }

    /// Operation `key` gets its data from the node of `before`, which has the same.
    pub fn follow(&mut self, before: u32, key: u32) {
        let Flight { to, back, from, .. } = self.flights[before as usize];
        let hop = if from == to { 0 } else { self.message_time(from, to) };
        self.flights[before as usize].next = key;
        let flight = &mut self.flights[key as usize];
        (flight.from, flight.back) = (to, back + hop);
    }

    /// Operation `key` sets out.
    #[inline]
    pub fn send(&mut self, key: u32, moment: &mut Moment<'_>) -> Next {
        let flight = self.flights[key as usize];
        if flight.from == flight.to {
            return self.arrived(key, moment);
        }
        if flight.write {
            self.depart(key, (flight.from, flight.to), moment);
        } else {
            self.message(key, Stage::Arrived, moment);
        }
        Next::Travels
    }

    /// The drive has done operation `key`. Whether its answer is where it was wanted: else it is under way.
    #[inline]
    pub fn answer(&mut self, key: u32, moment: &mut Moment<'_>) -> bool {
        let flight = &mut self.flights[key as usize];
        if flight.from == flight.to && flight.back == 0 {
            return true;
        }
        flight.answers = true;
        let Flight { from, to, write, .. } = *flight;
        if write {
            self.message(key, Stage::Delivered, moment);
        } else {
            self.depart(key, (to, from), moment);
        }
        false
    }

    /// The present leg of operation `key` ends.
    #[inline]
    pub fn proceed(&mut self, key: u32, moment: &mut Moment<'_>) -> Next {
        let Flight { from, to, answers, stage, bytes, tail, .. } = self.flights[key as usize];
        let (from, to) = if answers { (to, from) } else { (from, to) };
        let latency = || self.latencies[self.nodes[to as usize].cluster as usize];
        match stage {
            Stage::Uplink => {
                let core = latency().core;
                let rack = self.nodes[from as usize].rack as usize;
                let (start, done) = passed(&mut self.uplinks[rack], Way::Out, bytes, moment);
                self.later(key, Stage::Downlink, start + core, tail.max(done) + core, moment);
            }
            Stage::Downlink => {
                let rack = self.nodes[to as usize].rack as usize;
                let (start, done) = passed(&mut self.uplinks[rack], Way::In, bytes, moment);
                self.later(key, Stage::Port, start, tail.max(done), moment);
            }
            Stage::Port => {
                let wire = bytes + latency().message;
                let port = self.nodes[to as usize].back();
                let (_, done) = port.pass(Way::In, moment.now, wire, moment.window);
                let at = done.max(tail);
                let stage = if answers { Stage::Delivered } else { Stage::Arrived };
                if at == moment.now {
                    return if answers { Next::Delivered } else { self.arrived(key, moment) };
                }
                self.later(key, stage, at, at, moment);
            }
            Stage::Arrived => return self.arrived(key, moment),
            Stage::Ready => return Next::Drive,
            Stage::Delivered => return Next::Delivered,
            Stage::Waits => {}
        }
        Next::Travels
    }

    /// The operation that waits for the data of `key`, taken.
    #[inline]
    pub fn take_next(&mut self, key: u32) -> Option<u32> {
        let next = std::mem::replace(&mut self.flights[key as usize].next, NONE);
        (next != NONE).then_some(next)
    }

    /// Operation `key` is at its drive's node, and its data.
    fn arrived(&mut self, key: u32, moment: &mut Moment<'_>) -> Next {
        let Flight { to, bytes, .. } = self.flights[key as usize];
        let done = self.nodes[to as usize].operation(bytes, moment);
        if done == moment.now && self.flights[key as usize].next == NONE {
            return Next::Drive;
        }
        self.later(key, Stage::Ready, done, done, moment);
        Next::Travels
    }

    /// Data of operation `key` leaves a node for another.
    fn depart(&mut self, key: u32, (from, to): (u32, u32), moment: &mut Moment<'_>) {
        let bytes = self.flights[key as usize].bytes;
        let [(rack, cluster), (other, _)] = [from, to].map(|node| {
            let node = &self.nodes[node as usize];
            (node.rack, node.cluster)
        });
        let latencies = self.latencies[cluster as usize];
        let port = self.nodes[from as usize].back();
        let (start, done) = port.pass(Way::Out, moment.now, bytes + latencies.message, moment.window);
        if rack != other && self.uplinks[rack as usize].is_some() {
            return self.later(key, Stage::Uplink, start, done, moment);
        }
        let latency = if rack == other { latencies.rack } else { latencies.core };
        self.later(key, Stage::Port, start + latency, done + latency, moment);
    }

    /// A message without data, from the node that wants something to the drive's or back.
    fn message(&mut self, key: u32, stage: Stage, moment: &mut Moment<'_>) {
        let Flight { from, to, back, .. } = self.flights[key as usize];
        let bytes = self.latencies[self.nodes[to as usize].cluster as usize].message;
        let ways = if stage == Stage::Arrived { [Way::Out, Way::In] } else { [Way::In, Way::Out] };
        let (now, window) = (moment.now, moment.window);
        let mut time = back;
        if from != to {
            time += self.message_time(from, to);
            self.nodes[from as usize].back().count(ways[0], now, bytes, window);
            self.nodes[to as usize].back().count(ways[1], now, bytes, window);
        }
        self.later(key, stage, now + time, now + time, moment);
    }

    /// How long a message without data takes between two nodes.
    fn message_time(&mut self, from: u32, to: u32) -> Nanos {
        let (rack, other) = (self.nodes[from as usize].rack, self.nodes[to as usize].rack);
        let latencies = self.latencies[self.nodes[from as usize].cluster as usize];
        let latency = if rack == other { latencies.rack } else { latencies.core };
        latency + self.nodes[from as usize].back().time(latencies.message)
    }

    fn later(&mut self, key: u32, stage: Stage, at: Nanos, tail: Nanos, moment: &mut Moment<'_>) {
        let flight = &mut self.flights[key as usize];
        (flight.stage, flight.tail) = (stage, tail);
        moment.events.push(at, Event::Message(key));
    }

    /// Takes back what is booked beyond the end of the run.
    pub fn cut(&mut self, end: Nanos, (window, course): (&Window, &mut Intervals)) {
        self.nodes.iter_mut().for_each(|node| node.cut(end, window, course));
        self.uplinks.iter_mut().flatten().for_each(|link| link.cut(end, window));
    }
}

/// What passes a link, if it takes time.
fn passed(link: &mut Option<Port>, way: Way, bytes: u64, moment: &Moment<'_>) -> (Nanos, Nanos) {
    let now = moment.now;
    link.as_mut().map_or((now, now), |link| link.pass(way, now, bytes, moment.window))
}
