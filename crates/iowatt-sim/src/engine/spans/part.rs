//! A part of a run: its requests, and what has to be known of those before.

use iowatt_trace::Request;

/// Requests that follow each other in order of arrival, and those just before them. Stamps are the times of their arrival.
#[derive(Debug, Default)]
pub struct Part {
    /// Its number.
    pub number: u64,
    /// By workload, the requests ahead of it, from which it may be begun.
    pub ahead: Vec<Vec<Request>>,
    /// How many they are.
    pub arrivals_ahead: u64,
    /// By workload, its own requests, and the next one after them, which is pending at its end.
    pub requests: Vec<Vec<Request>>,
    /// How many are its own.
    pub arrivals: u64,
    /// What comes behind these, by workload.
    pub tails: Vec<Tail>,
    /// Workloads in the order in which their first arrivals were scheduled.
    pub order: Vec<u32>,
    /// Requests issued before those ahead, by workload.
    pub issued: Vec<u64>,
}

/// What comes behind the requests of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tail {
    /// More.
    More,
    /// Nothing.
    End,
    /// An error of the source.
    Fault,
}

impl Part {
    /// Its arrivals, cut where a simulation compares its state: after a first, short piece, so that one that is late to meet
    /// need not be simulated again as a whole, and at its end.
    pub fn pieces(&self) -> Vec<u64> {
        let first = self.arrivals / 8;
        if first == 0 { vec![self.arrivals] } else { vec![first, self.arrivals - first] }
    }
}
