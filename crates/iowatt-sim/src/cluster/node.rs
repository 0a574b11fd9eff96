//! A node: its processors and ports, each a station.

use super::network::Moment;
use crate::clock::{Nanos, nanos};
use crate::observe::Intervals;
use crate::plan::NodeClassPlan;
use crate::power::Window;
use crate::station::Station;

/// Receiving and sending, the two ways of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Into the node, or the rack.
    In = 0,
    /// Out of it.
    Out = 1,
}

/// A full-duplex port or link, one message at a time each way.
#[derive(Clone, Debug)]
pub struct Port {
    stations: [Station; 2],
    ns_per_byte: f64,
    /// Bytes received and sent.
    pub bytes: [u64; 2],
}

impl Port {
    /// A port of a rate; without one it takes no time.
    #[must_use]
    pub fn new(bytes_per_s: Option<f64>) -> Self {
        let ns_per_byte = bytes_per_s.map_or(0.0, |rate| 1e9 / rate);
        Self { stations: [Station::new(1), Station::new(1)], ns_per_byte, bytes: [0; 2] }
    }

    /// How long `bytes` take.
    #[inline]
    pub fn time(&self, bytes: u64) -> Nanos {
        (bytes as f64 * self.ns_per_byte).round() as Nanos
    }

    /// Passes `bytes` behind all that came before; when that begins and ends.
    #[inline]
    pub fn pass(&mut self, way: Way, now: Nanos, bytes: u64, window: &Window) -> (Nanos, Nanos) {
        self.count(way, now, bytes, window);
        if self.ns_per_byte == 0.0 {
            return (now, now);
        }
        let time = self.time(bytes);
        let done = self.stations[way as usize].serve(now, time, window);
        (done - time, done)
    }

    /// Counts `bytes` that pass between others.
    #[inline]
    pub fn count(&mut self, way: Way, now: Nanos, bytes: u64, window: &Window) {
        if window.begins(now) {
            self.bytes[way as usize] += bytes;
        }
    }

    /// The station of one way.
    #[must_use]
    pub fn station(&self, way: Way) -> &Station {
        &self.stations[way as usize]
    }

    /// Takes back what is booked beyond the end of the run.
    pub fn cut(&mut self, end: Nanos, window: &Window) {
        self.stations.iter_mut().for_each(|station| station.cut(end, window));
    }
}

/// A node.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its kind, among those of all clusters.
    pub kind: usize,
    /// Its rack, among those of all clusters, and its cluster.
    pub rack: u32,
    /// The index of its cluster.
    pub cluster: u32,
    /// Its processors.
    pub processors: Station,
    /// Its ports: front, and back where that is another.
    ports: [Option<Port>; 2],
    request: (Nanos, f64),
    operation: (Nanos, f64),
    code_ns_per_byte: f64,
    /// Requests of clients, and operations of its drives, within the window.
    pub counts: [u64; 2],
}

impl Node {
    /// A node of `class`, which is number `kind` of all clusters'.
    #[must_use]
    pub fn new((kind, class): (usize, &NodeClassPlan), rack: u32, cluster: u32) -> Self {
        let back = class.back_bytes_per_s.map(|rate| Port::new(Some(rate)));
        Self {
            kind,
            rack,
            cluster,
            processors: Station::new(class.processors),
            ports: [Some(Port::new(class.front_bytes_per_s)), back],
            request: (nanos(class.request_s), class.request_byte_s * 1e9),
            operation: (nanos(class.operation_s), class.operation_byte_s * 1e9),
            code_ns_per_byte: class.code_byte_s * 1e9,
            counts: [0; 2],
        }
    }

    /// The port to clients.
    pub fn front(&mut self) -> &mut Port {
        self.ports[0].get_or_insert_with(|| Port::new(None))
    }

    /// The port to other nodes.
    #[inline]
    pub fn back(&mut self) -> &mut Port {
        if self.ports[1].is_some() {
            self.ports[1].get_or_insert_with(|| Port::new(None))
        } else {
            self.front()
        }
    }

    /// The ports: front, and back where that is another.
    #[must_use]
    pub fn ports(&self) -> &[Option<Port>; 2] {
        &self.ports
    }

    /// Works on a client's request of `bytes`, of which `coded` are encoded; when that is done.
    pub fn request(&mut self, bytes: u64, coded: u64, moment: &mut Moment<'_>) -> Nanos {
        self.counts[0] += u64::from(moment.window.begins(moment.now));
        let (fixed, each) = self.request;
        let of_bytes = bytes as f64 * each + coded as f64 * self.code_ns_per_byte;
        self.work(fixed + of_bytes.round() as Nanos, moment)
    }

    /// Works on an operation of one of its drives; when that is done.
    #[inline]
    pub fn operation(&mut self, bytes: u64, moment: &mut Moment<'_>) -> Nanos {
        self.counts[1] += u64::from(moment.window.begins(moment.now));
        let (fixed, each) = self.operation;
        self.work(fixed + (bytes as f64 * each).round() as Nanos, moment)
    }

    #[inline]
    fn work(&mut self, time: Nanos, moment: &mut Moment<'_>) -> Nanos {
        if time == 0 {
            return moment.now;
        }
        let done = self.processors.serve(moment.now, time, moment.window);
        let (from, until) = moment.window.clip(done - time, done);
        moment.course.worked(self.kind, from, until);
        done
    }

    /// Takes back what is booked beyond the end of the run.
    pub fn cut(&mut self, end: Nanos, window: &Window, course: &mut Intervals) {
        for until in self.processors.booked_until() {
            let (from, until) = window.clip(end, until.max(end));
            course.not_worked(self.kind, from, until);
        }
        self.processors.cut(end, window);
        self.ports.iter_mut().flatten().for_each(|port| port.cut(end, window));
    }
}
