//! What is counted of a flow of requests: a workload, a volume, or everything.

use super::batch::Batches;
use crate::clock::Nanos;
use crate::power::Window;

/// Counts, sums and the time integral of the requests in flight. Arrays are by direction: reads, writes.
#[derive(Clone, Debug, Default)]
pub struct Flow {
    /// Requests that arrived in the window.
    pub arrived: [u64; 2],
    /// Of those, completed.
    pub completed: [u64; 2],
    /// Bytes of the completed.
    pub bytes: [u64; 2],
    /// Requests that completed in the window, whenever they arrived: what throughput is made of.
    pub departed: [u64; 2],
    /// Their bytes.
    pub departed_bytes: [u64; 2],
    /// Sum of their response times.
    pub sum: [u128; 2],
    /// Sum of the squares.
    pub squares: [u128; 2],
    /// Longest.
    pub longest: [Nanos; 2],
    /// Batch means: reads, writes, all.
    pub batches: [Batches; 3],
    /// Integral of the requests in flight over the window, nanoseconds: the sum of their stays.
    pub area: u128,
}

impl Flow {
    /// A request arrives; `counted` if inside the window.
    pub fn arrive(&mut self, way: usize, counted: bool) {
        self.arrived[way] += u64::from(counted);
    }

    /// A request leaves after `response`; `counted` if it arrived inside the window.
    pub fn leave(
        &mut self,
        now: Nanos,
        way: usize,
        counted: bool,
        response: Nanos,
        bytes: u64,
        window: &Window,
    ) {
        self.stay(now - response, now, window);
        if window.ends(now) {
            self.departed[way] += 1;
            self.departed_bytes[way] += bytes;
        }
        if !counted {
            return;
        }
        self.completed[way] += 1;
        self.bytes[way] += bytes;
        self.sum[way] += u128::from(response);
        self.squares[way] += u128::from(response) * u128::from(response);
        self.longest[way] = self.longest[way].max(response);
        self.batches[way].record(response);
        self.batches[2].record(response);
    }

    /// A request was in flight over a span.
    pub fn stay(&mut self, from: Nanos, until: Nanos, window: &Window) {
        let (from, until) = window.clip(from, until);
        self.area += u128::from(until - from);
    }

    /// Arrived in the window and not completed.
    #[must_use]
    pub fn unfinished(&self) -> u64 {
        self.arrived.iter().sum::<u64>() - self.completed.iter().sum::<u64>()
    }
}
