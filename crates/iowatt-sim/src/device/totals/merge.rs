//! Addition of what was counted of a drive in a part of a run.

use super::DriveTotals;

impl DriveTotals {
    /// Adds the totals of a part, but for its idle periods, whose order counts.
    pub fn absorb(&mut self, part: &Self) {
        let Self {
            arrivals,
            queue_seen,
            completed,
            background,
            redirected,
            bytes,
            seeks,
            seek_cylinders,
            seek,
            rotation,
            transfer,
            overhead,
            buffer_hits,
            service,
            response,
            idle: _,
            spin_ups,
            spin_downs,
        } = part;
        for way in 0..2 {
            self.completed[way] += completed[way];
            self.bytes[way] += bytes[way];
        }
        self.arrivals += arrivals;
        self.queue_seen += queue_seen;
        self.background += background;
        self.redirected += redirected;
        self.seeks += seeks;
        self.seek_cylinders += seek_cylinders;
        self.seek += seek;
        self.rotation += rotation;
        self.transfer += transfer;
        self.overhead += overhead;
        self.buffer_hits += buffer_hits;
        self.service += service;
        self.response += response;
        self.spin_ups += spin_ups;
        self.spin_downs += spin_downs;
    }
}
