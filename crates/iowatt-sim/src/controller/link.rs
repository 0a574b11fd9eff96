//! A link of one transfer at a time, on which the pieces of large requests take turns with everything else.
//!
//! Each divided request has at most one piece on a link; its others wait behind that one, so whatever came meanwhile
//! goes between two pieces.

use super::back_end::NONE;
use crate::clock::{Nanos, nanos};
use crate::power::Window;
use crate::station::Station;

/// The link.
#[derive(Debug)]
pub struct Link {
    /// Its queue.
    pub station: Station,
    ns_per_byte: f64,
    /// From the end of a transfer until it counts as arrived.
    latency: Nanos,
}

impl Link {
    /// A free link.
    #[must_use]
    pub fn new(bytes_per_s: f64, latency_s: f64) -> Self {
        Self { station: Station::new(1), ns_per_byte: 1e9 / bytes_per_s, latency: nanos(latency_s) }
    }

    /// Transfers `bytes` behind all that was asked for before; when that begins, and when they have arrived.
    pub fn transfer(&mut self, now: Nanos, bytes: u64, window: &Window) -> (Nanos, Nanos) {
        let time = (bytes as f64 * self.ns_per_byte).round() as Nanos;
        let done = self.station.serve(now, time, window);
        (done - time, done + self.latency)
    }
}

/// Pieces of one request that wait for their turn on a link, as a list through the visits.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    /// Whether a piece is on the link.
    pub taken: bool,
    /// First and last piece that wait.
    pub first: u32,
    /// The last one.
    pub last: u32,
}

impl Default for Turn {
    fn default() -> Self {
        Self { taken: false, first: NONE, last: NONE }
    }
}
