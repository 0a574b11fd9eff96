//! Reading ahead: how far, how it goes on after a hit, how it is interrupted.

use super::{Model, Works};
use crate::clock::Nanos;
use crate::device::hdd::buffer::Content;
use crate::device::hdd::cursor::Cursor;
use crate::device::hdd::layout::Run;
use crate::plan::ReadAhead;

impl Works {
    /// Interrupts the read-ahead, which first comes as far as it must; the arm is free at the result.
    #[inline]
    pub(super) fn stop_prefetch(&mut self, model: &Model, now: Nanos) -> Nanos {
        if self.prefetch.is_some() { self.interrupt(model, now) } else { now }
    }

    #[inline(never)]
    fn interrupt(&mut self, model: &Model, now: Nanos) -> Nanos {
        let Some(segment) = self.prefetch.take() else { return now };
        let held = &self.buffer.segments[segment];
        let least = self.least_ahead.min(held.limit);
        if held.end < least {
            let free = self.read_up_to(model, segment, least);
            if free > now {
                return free;
            }
        }
        let cursor = &self.cursor;
        self.arm = cursor.arm();
        let ps = cursor.since(now);
        if ps < cursor.settled {
            return cursor.at(cursor.settled) + 1;
        }
        if model.plan.buffer.stop_in_sector {
            return now;
        }
        if ps < cursor.run_at {
            return cursor.at(cursor.run_at) + 1;
        }
        let sectors = cursor.run.pitch.sectors(ps - cursor.run_at) + 1;
        cursor.at(cursor.passed(sectors)) + 1
    }

    /// Reads ahead up to `end` without interruption; when that is done.
    fn read_up_to(&mut self, model: &Model, segment: usize, end: u64) -> Nanos {
        let cursor = &mut self.cursor;
        while cursor.run.lbn + cursor.run.sectors < end {
            let leave = cursor.passed(cursor.run.sectors);
            cursor.step(&model.mech, leave);
        }
        let done = cursor.at(cursor.passed(end - cursor.run.lbn)) + 1;
        self.arm = cursor.arm();
        self.buffer.extend(segment, end);
        done
    }

    /// Brings the read-ahead into `segment` to `now`, or to its end.
    pub(super) fn read_ahead(&mut self, model: &Model, now: Nanos, segment: usize) {
        let limit = self.buffer.segments[segment].limit;
        let end = self.cursor.advance(&model.mech, now, limit);
        self.arm = self.cursor.arm();
        self.buffer.extend(segment, end);
        if end >= limit {
            let last_run = limit.saturating_sub(self.cursor.run.lbn);
            self.ahead_until = self.cursor.at(self.cursor.passed(last_run));
            self.prefetch = None;
        }
    }

    /// Lets the read-ahead go on after a read that ended at `end`.
    #[inline]
    pub(super) fn keep_reading(&mut self, model: &Model, segment: usize, end: u64) {
        if !model.plan.buffer.caching {
            self.prefetch = None;
            return;
        }
        let limit = self.limit(model, end, segment);
        let s = &mut self.buffer.segments[segment];
        s.limit = s.limit.max(limit);
        self.least_ahead = end + model.plan.buffer.min_read_ahead;
        // Accepted data go to the media first.
        let on = s.limit > end && self.accepted.is_empty();
        self.prefetch = on.then_some(segment);
    }

    /// What the arm does during a full hit.
    pub(super) fn hit_media(&mut self, model: &Model, now: Nanos, ready: Nanos, end: u64, segment: usize) {
        let plan = &model.plan.buffer;
        if let Some(reading) = self.prefetch {
            if reading == segment {
                let limit = self.limit(model, end, segment);
                let s = &mut self.buffer.segments[segment];
                s.limit = s.limit.max(limit);
                self.least_ahead = self.least_ahead.max(end + plan.min_read_ahead);
                return;
            }
            let free = self.stop_prefetch(model, now);
            self.busy_until = free;
        }
        let free = self.busy_until.max(now);
        if !self.accepted.is_empty() {
            return;
        }
        if plan.read_ahead_on_hit && plan.caching && self.buffer.segments[segment].content() == Content::Read
        {
            let limit = self.limit(model, end, segment);
            let s = &mut self.buffer.segments[segment];
            s.limit = s.limit.max(limit);
            if s.end < s.limit && s.end < model.mech.sectors {
                let at = free.max(ready);
                let from = s.end;
                let run = self.run_at(model, from);
                self.cursor = Cursor::to(&model.mech, self.arm, at, run, false, 0, self.phase_ps);
                self.arm = self.cursor.arm();
                self.least_ahead = end + plan.min_read_ahead;
                self.prefetch = Some(segment);
            }
        }
    }

    pub(super) fn discard(&mut self, segment: usize, end: u64) {
        let s = &mut self.buffer.segments[segment];
        s.start = s.start.max(end.min(s.end));
    }

    /// Where the read-ahead of a read that ended at `end` stops.
    #[inline]
    pub(super) fn limit(&self, model: &Model, end: u64, segment: usize) -> u64 {
        if !self.reads_ahead {
            return end;
        }
        let (plan, layout) = (&model.plan.buffer, &model.mech.layout);
        let room = if plan.max_read_ahead > 0 { plan.max_read_ahead } else { plan.segment_sectors };
        let last = model.mech.sectors;
        let limit = match plan.read_ahead {
            ReadAhead::None => end,
            ReadAhead::Segment | ReadAhead::History => end + room,
            ReadAhead::Track | ReadAhead::Cylinder => {
                let whole_cylinder = plan.read_ahead == ReadAhead::Cylinder;
                let first = layout.run(end - 1);
                let to = self.end_of_track(model, first, whole_cylinder);
                // A stream that has come over a boundary is followed over the next one.
                let from = first.lbn - u64::from(first.before);
                let beyond =
                    if self.buffer.segments[segment].start < from { u64::from(first.per_turn) } else { 0 };
                (to + beyond).min(end + room)
            }
            ReadAhead::TrackAhead if end < last => {
                let run = layout.run(end);
                let to = self.end_of_track(model, run, false);
                let from = run.lbn - u64::from(run.before);
                if self.buffer.segments[segment].start < from { to + u64::from(run.per_turn) } else { to }
            }
            ReadAhead::TrackAhead => end,
        };
        limit.min(last)
    }

    /// First LBN beyond the track (or cylinder) of `run`.
    pub(super) fn end_of_track(&self, model: &Model, run: Run, whole_cylinder: bool) -> u64 {
        let mut to = run.lbn + run.sectors;
        while to < model.mech.sectors {
            let more = model.mech.layout.run(to);
            if more.cylinder != run.cylinder || (!whole_cylinder && more.head != run.head) {
                break;
            }
            to += more.sectors;
        }
        to
    }
}
