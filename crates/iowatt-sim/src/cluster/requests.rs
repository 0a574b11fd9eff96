//! The requests of clients at the nodes that serve them.
//!
//! A request is divided by placement groups, and each part goes: over the network to the node that serves it -> that node's
//! processors -> drive operations, of its own and of others -> an answer, when enough of them are done. What is left of a
//! write that is answered early goes on by itself.

use super::network::{Moment, Network};
use super::node::Way;
use crate::clock::Nanos;
use crate::event::Event;
use crate::slab::Slab;

/// Where a part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Its data is at the node's front port.
    Port,
    /// It is at the node.
    Arrived,
    /// The node's processors have worked on it.
    Served,
    /// Its operations are under way.
    Waits,
    /// Its answer is under way.
    Answered,
    /// The client has it, and operations are left.
    Left,
}

/// A part of a client's request, in one placement group.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// The request.
    pub host: u32,
    /// The pool.
    pub pool: u32,
    /// First byte in the pool.
    pub from: u64,
    /// Bytes.
    pub size: u64,
    /// Direction.
    pub write: bool,
    /// The drive that the node serves it from, by number in the pool.
    pub drive: u32,
    /// The node.
    pub node: u32,
    /// Bytes that are encoded for it.
    pub coded: u64,
    /// Operations that may be left when it is answered.
    pub slack: u32,
    left: u32,
    stage: Stage,
}

impl Part {
    /// A part that is about to leave its client.
    #[must_use]
    pub fn new(
        host: u32,
        pool: usize,
        (from, size, write): (u64, u64, bool),
        node: u32,
        drive: usize,
    ) -> Self {
        Self {
            host,
            pool: pool as u32,
            from,
            size,
            write,
            drive: drive as u32,
            node,
            coded: 0,
            slack: 0,
            left: 0,
            stage: Stage::Arrived,
        }
    }
}

/// What a part asks for.
#[derive(Clone, Copy, Debug)]
pub enum Wanted {
    /// Nothing yet.
    Nothing,
    /// Its drive operations.
    Operations(Part),
    /// The request has its answer as far as this part goes.
    Done(u32),
}

/// Parts under way.
#[derive(Debug, Default)]
pub struct Requests {
    parts: Slab<Part>,
}

impl Requests {
    /// Whether none is under way.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The node that serves a part.
    #[must_use]
    #[inline]
    pub fn node(&self, key: u32) -> u32 {
        self.parts.at(key).node
    }

    /// A client sends a part.
    pub fn enter(&mut self, part: Part, network: &Network, moment: &mut Moment<'_>) {
        let node = &network.nodes[part.node as usize];
        let latency = network.latencies[node.cluster as usize].client;
        let stage = if part.write { Stage::Port } else { Stage::Arrived };
        let key = self.parts.insert(Part { stage, ..part });
        moment.events.push(moment.now + latency, Event::Part(key));
    }

    /// The present stage of a part ends.
    pub fn proceed(&mut self, key: u32, network: &mut Network, moment: &mut Moment<'_>) -> Wanted {
        let part = self.parts.get_mut(key);
        let node = &mut network.nodes[part.node as usize];
        let message = network.latencies[node.cluster as usize].message;
        match part.stage {
            Stage::Port => {
                let (_, done) = node.front().pass(Way::In, moment.now, part.size + message, moment.window);
                part.stage = Stage::Arrived;
                if done > moment.now {
                    moment.events.push(done, Event::Part(key));
                    return Wanted::Nothing;
                }
                self.arrived(key, network, moment)
            }
            Stage::Arrived => {
                if !part.write {
                    node.front().count(Way::In, moment.now, message, moment.window);
                }
                self.arrived(key, network, moment)
            }
            Stage::Served => {
                part.stage = Stage::Waits;
                Wanted::Operations(*part)
            }
            Stage::Answered => {
                let host = part.host;
                if part.left == 0 {
                    self.parts.remove(key);
                } else {
                    part.stage = Stage::Left;
                }
                Wanted::Done(host)
            }
            Stage::Waits | Stage::Left => Wanted::Nothing,
        }
    }

    fn arrived(&mut self, key: u32, network: &mut Network, moment: &mut Moment<'_>) -> Wanted {
        let part = self.parts.get_mut(key);
        let node = &mut network.nodes[part.node as usize];
        let done = node.request(part.size, part.coded, moment);
        if done > moment.now {
            part.stage = Stage::Served;
            moment.events.push(done, Event::Part(key));
            return Wanted::Nothing;
        }
        part.stage = Stage::Waits;
        Wanted::Operations(*part)
    }

    /// A part has so many operations more.
    pub fn add_operations(&mut self, key: u32, made: u32) {
        self.parts.get_mut(key).left += made;
    }

    /// An operation of a part is done.
    #[inline]
    pub fn operation_done(&mut self, key: u32, network: &mut Network, moment: &mut Moment<'_>) {
        let part = self.parts.get_mut(key);
        part.left -= 1;
        match part.stage {
            Stage::Waits if part.left <= part.slack => self.answer(key, network, moment),
            Stage::Left if part.left == 0 => {
                self.parts.remove(key);
            }
            _ => {}
        }
    }

    /// Sends the answer of a part that needs no operations, or has enough of them done.
    pub fn answer(&mut self, key: u32, network: &mut Network, moment: &mut Moment<'_>) {
        let part = self.parts.get_mut(key);
        part.stage = Stage::Answered;
        let node = &mut network.nodes[part.node as usize];
        let latencies = network.latencies[node.cluster as usize];
        let port = node.front();
        let done: Nanos = if part.write {
            port.count(Way::Out, moment.now, latencies.message, moment.window);
            moment.now + port.time(latencies.message)
        } else {
            port.pass(Way::Out, moment.now, part.size + latencies.message, moment.window).1
        };
        moment.events.push(done + latencies.client, Event::Part(key));
    }
}
