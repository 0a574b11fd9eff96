//! One lane of a path: host queue, HBA, wires in both directions, target port.

use super::timesheet::{Kind, Part, Sheets};
use super::wire::Wire;
use crate::clock::{Nanos, nanos};
use crate::plan::PathPlan;
use crate::power::Window;
use crate::station::Station;
use std::collections::VecDeque;

/// Directions.
pub const OUT: usize = 0;
/// From the array to the host.
pub const IN: usize = 1;

/// Slots of a path: the host queue, the HBA, each hop out and in, then the array's parts.
pub const QUEUE: usize = 0;
/// The HBA.
pub const HBA: usize = 1;

/// The slot of a hop in a direction.
#[must_use]
pub fn slot_of(hop: usize, way: usize) -> usize {
    2 + 2 * hop + way
}

/// What an HBA does for a request.
#[derive(Clone, Copy, Debug)]
pub enum Chore {
    /// Sends its command.
    Submit = 0,
    /// Answers the array's readiness with data.
    Ready = 1,
    /// Completes it.
    Complete = 2,
}

/// Its state.
#[derive(Debug)]
pub struct Lane {
    /// Most commands outstanding.
    depth: u32,
    outstanding: u32,
    /// Requests that wait for one of these to complete.
    pub waiting: VecDeque<u32>,
    hba: Option<Station>,
    chores: [Nanos; 3],
    wires: Vec<[Wire; 2]>,
    port: Option<Station>,
    command: Nanos,
    /// Free buffers by class.
    pub buffers: Vec<u32>,
}

/// A message to be sent.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    /// Bytes of what is sent one behind another: data and a message without data, or the like.
    pub parts: [u64; 2],
    /// Direction.
    pub way: usize,
    /// How many hops it passes, from the host on: all, or those to a hop that answers instead of the array.
    pub hops: usize,
}

/// When a message was through.
#[derive(Clone, Copy, Debug)]
pub struct Sent {
    /// When the first wire that takes time was free for the next message, less the way to it.
    pub free: Nanos,
    /// When the last bit was there.
    pub tail: Nanos,
}

impl Lane {
    /// An idle lane.
    #[must_use]
    pub fn new(plan: &PathPlan) -> Self {
        let port = &plan.port;
        Self {
            depth: plan.queue_depth.unwrap_or(u32::MAX),
            outstanding: 0,
            waiting: VecDeque::new(),
            hba: plan.host.map(|host| Station::new(host.processors)),
            chores: plan.host.map_or([0; 3], |h| [nanos(h.submit_s), nanos(h.ready_s), nanos(h.complete_s)]),
            wires: plan.hops.iter().map(|hop| [Wire::new(hop), Wire::new(hop)]).collect(),
            port: (port.command_s > 0.0).then(|| Station::new(port.processors)),
            command: nanos(port.command_s),
            buffers: port.express.iter().map(|class| class.buffers).collect(),
        }
    }

    /// Takes a command if there is room for one.
    pub fn take(&mut self) -> bool {
        let room = self.outstanding < self.depth;
        self.outstanding += u32::from(room);
        room
    }

    /// A command has completed; the request that may go now, if one waits.
    pub fn give(&mut self) -> Option<u32> {
        let next = self.waiting.pop_front();
        self.outstanding -= u32::from(next.is_none());
        next
    }

    /// The HBA does something for a request; when it is done.
    pub fn adapt(
        &mut self,
        host: u32,
        chore: Chore,
        now: Nanos,
        window: &Window,
        sheets: &mut Sheets,
    ) -> Nanos {
        let Some(hba) = &mut self.hba else { return now };
        let time = self.chores[chore as usize];
        let done = hba.serve(now, time, window);
        sheets.book(host, HBA, Kind::Waiting, done - time);
        sheets.book(host, HBA, Kind::Service, done);
        done
    }

    /// The target port takes a command; when it has.
    pub fn enter_port(&mut self, host: u32, now: Nanos, window: &Window, sheets: &mut Sheets) -> Nanos {
        let Some(port) = &mut self.port else { return now };
        let done = port.serve(now, self.command, window);
        sheets.book_part(host, Part::Port, Kind::Waiting, done - self.command);
        sheets.book_part(host, Part::Port, Kind::Service, done);
        done
    }

    /// Sends a message over its hops at once.
    ///
    /// All messages of a direction pass the same wires one behind another, so what happens to this one is known now, but
    /// for the few bytes of a hop that answers instead of the array. Time goes to the hop that the first bit is at, and
    /// what the rest takes after it has come to the slowest one.
    pub fn send(
        &mut self,
        host: u32,
        message: Message,
        now: Nanos,
        window: &Window,
        sheets: &mut Sheets,
        mut seen: impl FnMut(usize, Nanos, Nanos),
    ) -> Sent {
        let (mut head, mut tail, mut free) = (now, now, now);
        let (mut slowest, mut slowest_time, mut stalled) = (None, 0, 0);
        let hops = self.wires.len();
        for step in 0..message.hops {
            let hop = if message.way == OUT { step } else { message.hops - 1 - step };
            let wire = &mut self.wires[hop][message.way];
            let came = head;
            // What comes in from behind is booked ahead of its coming; what begins here must not wait for that.
            let begins_here = message.way == IN && message.hops < hops;
            let passage = if begins_here {
                wire.pass_by(message.parts, head, tail)
            } else {
                wire.pass(message.parts, head, tail, window)
            };
            let slot = slot_of(hop, message.way);
            sheets.book(host, slot, Kind::Waiting, passage.started);
            sheets.book(host, slot, Kind::Service, passage.head);
            let time = wire.transmission(message.parts) + passage.stalled;
            if slowest.is_none() || time > slowest_time {
                (slowest, slowest_time, stalled) = (Some(slot), time, passage.stalled);
            }
            (head, tail) = (passage.head, passage.tail);
            if free == now {
                free = now + (passage.free - came);
            }
            seen(hop, came, tail);
        }
        if let Some(slot) = slowest {
            if stalled > 0 {
                sheets.book(host, slot, Kind::Waiting, (sheets.booked(host) + stalled).min(tail));
            }
            sheets.book(host, slot, Kind::Service, tail);
        }
        Sent { free, tail }
    }

    /// All stations with their slots: HBA, wires, and the port at slot `port`.
    pub fn stations(&self, port: usize) -> impl Iterator<Item = (usize, &Station)> {
        let wires = self.wires.iter().enumerate().flat_map(|(hop, both)| {
            both.iter().enumerate().map(move |(way, wire)| (slot_of(hop, way), &wire.station))
        });
        let hba = self.hba.iter().map(|station| (HBA, station));
        hba.chain(wires).chain(self.port.iter().map(move |station| (port, station)))
    }

    /// How long messages waited for credits, by slot; of hops that have them.
    pub fn stalls(&self) -> impl Iterator<Item = (usize, Nanos)> {
        let of_hop = |(hop, both): (usize, &[Wire; 2])| {
            [(slot_of(hop, OUT), both[0].stalled), (slot_of(hop, IN), both[1].stalled)]
        };
        self.wires.iter().enumerate().flat_map(of_hop)
    }

    /// Takes back what is booked beyond the end of the run.
    pub fn cut(&mut self, end: Nanos, window: &Window) {
        let wires = self.wires.iter_mut().flatten().map(|wire| &mut wire.station);
        for station in wires.chain(&mut self.hba).chain(&mut self.port) {
            station.cut(end, window);
        }
    }
}
