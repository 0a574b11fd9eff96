//! Every idle period of every drive, handed out in batches as they end, so that memory does not grow with the run.

use super::IdleKept;
use crate::clock::Nanos;
use crate::power::Window;

/// Periods held back before they are handed out.
pub const BATCH: usize = 1 << 16;

/// A stretch within the window in which a drive had no operation, waiting or in service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdlePeriod {
    /// Index of the drive.
    pub drive: u32,
    /// Its start, from the start of the run.
    pub start: Nanos,
    /// Its length, never 0.
    pub length: Nanos,
    /// It is not known whole: it began before the window (or with the run), or no arrival ended it within the window.
    pub cut: bool,
}

/// Takes batches of periods: each drive's in order of time, those of several drives in order of their ends.
pub type IdleSink = Box<dyn FnMut(&[IdlePeriod]) + Send>;

/// Where periods go.
enum Target {
    /// All of them to a sink, in batches.
    Sink { rows: Vec<IdlePeriod>, sink: IdleSink },
    /// Into bounded memory.
    Kept(IdleKept),
}

/// Collects periods, for a sink or in bounded memory.
pub struct IdleLog {
    target: Target,
}

impl std::fmt::Debug for IdleLog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let held = match &self.target {
            Target::Sink { rows, .. } => rows.len(),
            Target::Kept(kept) => kept.rows().len(),
        };
        f.debug_struct("IdleLog").field("held", &held).finish_non_exhaustive()
    }
}

impl IdleLog {
    /// An empty log.
    #[must_use]
    pub fn new(sink: IdleSink) -> Self {
        Self { target: Target::Sink { rows: Vec::with_capacity(BATCH), sink } }
    }

    /// An empty log that keeps at most so many periods one by one.
    #[must_use]
    pub fn bounded(room: usize, drives: usize) -> Self {
        Self { target: Target::Kept(IdleKept::new(room, drives)) }
    }

    /// What was kept in bounded memory; none where a sink took the periods.
    #[must_use]
    pub fn kept(&self) -> Option<&IdleKept> {
        match &self.target {
            Target::Sink { .. } => None,
            Target::Kept(kept) => Some(kept),
        }
    }

    /// A drive had nothing to do over a span; `ended` by an arrival, or only by a failure or the end of the run. What lies
    /// outside the window is left out.
    pub fn add(&mut self, drive: usize, (from, until): (Nanos, Nanos), ended: bool, window: &Window) {
        let (start, end) = window.clip(from, until);
        if end == start {
            return;
        }
        // A drive that never worked may have been idle for years.
        let whole = ended && from > 0 && from >= window.start && until <= window.end;
        let period = IdlePeriod { drive: drive as u32, start, length: end - start, cut: !whole };
        match &mut self.target {
            Target::Kept(kept) => kept.add(period),
            Target::Sink { rows, .. } => {
                rows.push(period);
                if rows.len() == BATCH {
                    self.flush();
                }
            }
        }
    }

    /// Hands out what is held back.
    pub fn flush(&mut self) {
        if let Target::Sink { rows, sink } = &mut self.target
            && !rows.is_empty()
        {
            sink(rows);
            rows.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    fn logged(window: Window, spans: &[(Nanos, Nanos, bool)]) -> Vec<Vec<IdlePeriod>> {
        let batches = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&batches);
        let mut log = IdleLog::new(Box::new(move |rows| seen.lock().unwrap().push(rows.to_vec())));
        for &(from, until, ended) in spans {
            log.add(7, (from, until), ended, &window);
        }
        log.flush();
        log.flush();
        drop(log);
        Arc::into_inner(batches).unwrap().into_inner().unwrap()
    }

    #[test]
    fn periods_are_clipped_to_the_window_and_say_so() {
        let window = Window { start: 100, end: 1_000 };
        let spans =
            [(20, 90, true), (95, 105, true), (100, 130, true), (990, 1_010, true), (1_000, 1_020, true)];
        let row = |start, length, cut| IdlePeriod { drive: 7, start, length, cut };
        let expected = vec![row(100, 5, true), row(100, 30, false), row(990, 10, true)];
        assert_eq!(logged(window, &spans), [expected]);
    }

    #[test]
    fn the_first_and_the_last_of_a_run_are_not_known_whole() {
        let window = Window { start: 0, end: Nanos::MAX };
        let found = logged(window, &[(0, 5, true), (6, 6, true), (8, 9, true), (10, 20, false)]);
        assert_eq!(found[0].iter().map(|p| p.cut).collect::<Vec<_>>(), [true, false, true]);
    }

    #[test]
    fn a_full_batch_goes_out_at_once() {
        let window = Window { start: 0, end: Nanos::MAX };
        let spans: Vec<_> = (1..=BATCH as u64 + 1).map(|i| (10 * i, 10 * i + 1, true)).collect();
        assert_eq!(logged(window, &spans).iter().map(Vec::len).collect::<Vec<_>>(), [BATCH, 1]);
    }
}
