//! The record of a part of a run, and its addition to that of the run.
//!
//! Sums are added. What depends on the order of events (batch means, idle periods, extents of a heat map that join) is
//! logged by the part and recorded when it is added, so that parts that are added in order give the record of a run in one
//! piece, to the last bit. Histograms are filled from the same log: an empty one for each part would cost more.

use super::{Intervals, Observer};
use crate::clock::Nanos;
use crate::power::{Ledger, Window};

/// What a part hands on in the order in which it happened.
#[derive(Debug, Default)]
pub struct Log {
    vacancies: Vec<Vacancy>,
    /// Where requests went.
    asked: Vec<Asked>,
    /// Whether that is mapped in front of the spaces, and behind.
    maps: [bool; 2],
}

/// A drive had nothing to do over a span.
#[derive(Clone, Copy, Debug)]
pub struct Vacancy {
    /// The drive.
    pub drive: u32,
    /// An arrival ended it.
    pub ended: bool,
    /// Its start.
    pub from: Nanos,
    /// Its end.
    pub until: Nanos,
}

/// What a workload asked of its volume, or an address space was handed.
#[derive(Clone, Copy, Debug)]
struct Asked {
    at: Nanos,
    /// Offset and size, or the first byte and the one after the last.
    range: (u64, u64),
    /// Number of the workload or of the space.
    who: u32,
    back: bool,
    write: bool,
}

impl Log {
    #[inline]
    pub(super) fn was_vacant(&mut self, drive: usize, (from, until): (Nanos, Nanos), ended: bool) {
        self.vacancies.push(Vacancy { drive: drive as u32, ended, from, until });
    }

    #[inline]
    pub(super) fn asked(&mut self, at: Nanos, who: usize, (from, to, write): (u64, u64, bool), back: bool) {
        if self.maps[usize::from(back)] {
            self.asked.push(Asked { at, range: (from, to), who: who as u32, back, write });
        }
    }
}

impl Observer {
    /// An empty recorder for a part of the same run, which counts what lies in `window`.
    #[must_use]
    pub fn part(&self, window: Window) -> Self {
        let maps = match (&self.heat, &self.log) {
            (Some(heat), _) => heat.points(),
            (None, Some(log)) => log.maps,
            (None, None) => [false; 2],
        };
        let log = Log { maps, ..Log::default() };
        Self {
            window,
            ledger: self.ledger.part(window),
            intervals: self.intervals.part(),
            index: self.index.clone(),
            completions: self.completions.part(),
            queues: vec![0; self.queues.len()],
            logs_idle: false,
            idle_log: None,
            heat: None,
            log: Some(Box::new(log)),
            last_arrival: 0,
            states: self.states,
        }
    }

    /// About so many requests follow.
    pub fn expect(&mut self, requests: usize) {
        self.completions.expect(requests);
        if let Some(log) = &mut self.log {
            log.vacancies.reserve(requests);
        }
    }

    /// Counts what is logged of completed requests.
    pub fn count_completions(&mut self) {
        self.completions.fold(&mut self.intervals, &self.window);
    }

    /// Adds the record of the part that follows those added before. Returns the spans in which drives had nothing to do, in
    /// order.
    pub fn absorb(&mut self, part: Self) -> Vec<Vacancy> {
        let Self {
            window: _,
            ledger,
            intervals,
            index: _,
            completions,
            queues,
            logs_idle: _,
            idle_log: _,
            heat: _,
            log,
            last_arrival,
            states: _,
        } = part;
        let Log { vacancies, asked, maps: _ } = log.map(|log| *log).unwrap_or_default();
        Ledger::absorb(&mut self.ledger, &ledger);
        Intervals::absorb(&mut self.intervals, intervals);
        self.completions.absorb(completions);
        self.queues.iter_mut().zip(queues).for_each(|(area, part)| *area += part);
        self.last_arrival = self.last_arrival.max(last_arrival);
        for &Vacancy { drive, ended, from, until } in &vacancies {
            self.was_vacant(drive as usize, from, until, ended);
        }
        for Asked { at, range: (from, to), who, back, write } in asked {
            if back {
                self.handed_to(at, who as usize, (from, to, write));
            } else {
                self.issued_at(at, who as usize, (from, to, write));
            }
        }
        vacancies
    }
}
