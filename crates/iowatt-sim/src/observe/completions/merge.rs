//! Completions of a part of a run, and their addition to those of the run.
//!
//! Sums are added. Batch means depend on the order of all completions, so a part logs response times for them, and for the
//! histograms, too: an empty one for each part would cost more.

use super::Completions;
use crate::clock::Nanos;
use crate::observe::batch::Batches;
use crate::observe::{Flow, Series};

/// A response time that counts, and its class.
pub type Response = (u32, Nanos);

impl Completions {
    /// Empty ones for a part of the same run.
    #[must_use]
    pub fn part(&self) -> Self {
        let endless = || std::array::from_fn(|_| Batches::endless());
        Self {
            log: Vec::with_capacity(super::LOGGED),
            memberships: self.memberships.clone(),
            flows: self.flows.iter().map(|_| Flow { batches: endless(), ..Flow::default() }).collect(),
            histograms: Vec::new(),
            responses: Some(Vec::new()),
            series: self.series.part(),
            points: Default::default(),
        }
    }

    /// About so many requests follow.
    pub fn expect(&mut self, requests: usize) {
        self.responses.iter_mut().for_each(|responses| responses.reserve(requests));
    }

    /// Adds those of the part that follows the ones added before.
    pub fn absorb(&mut self, part: Self) {
        let Self { log, memberships: _, flows, histograms: _, responses, series, points: _ } = part;
        debug_assert!(log.is_empty(), "a part is added when it is counted");
        Series::absorb(&mut self.series, series);
        self.flows.iter_mut().zip(&flows).for_each(|(flow, part)| flow.absorb(part));
        for (class, ns) in responses.into_iter().flatten() {
            self.histograms[class as usize].saturating_record(ns);
            for &flow in &self.memberships[class as usize / 2] {
                self.flows[flow].batches[class as usize % 2].record(ns);
                self.flows[flow].batches[2].record(ns);
            }
        }
    }
}

impl Flow {
    /// Adds what a part counted, but for its batches, whose order counts.
    fn absorb(&mut self, part: &Self) {
        let Self {
            arrived,
            completed,
            bytes,
            departed,
            departed_bytes,
            sum,
            squares,
            longest,
            batches: _,
            area,
        } = part;
        for way in 0..2 {
            self.arrived[way] += arrived[way];
            self.completed[way] += completed[way];
            self.bytes[way] += bytes[way];
            self.departed[way] += departed[way];
            self.departed_bytes[way] += departed_bytes[way];
            self.sum[way] += sum[way];
            self.squares[way] += squares[way];
            self.longest[way] = self.longest[way].max(longest[way]);
        }
        self.area += area;
    }
}
