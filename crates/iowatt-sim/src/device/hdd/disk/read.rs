//! Reads: from the buffer, behind a read-ahead that is on its way, or from the media.

use super::overheads::Overheads;
use super::{Access, Line, Model, Works};
use crate::clock::{Nanos, Picos};
use crate::device::hdd::buffer::{Content, Hit};
use crate::device::hdd::cursor::Cursor;
use crate::device::hdd::stream::Stream;
use crate::plan::{ReadAhead, Requested};

impl Works {
    pub(super) fn read(
        &mut self,
        model: &Model,
        now: Nanos,
        lbn: u64,
        sectors: u64,
        line: &mut Line<'_>,
    ) -> Access {
        let (over, after) = (&model.over, usize::from(self.last_was_write));
        let end = lbn + sectors;
        let reading = |disk: &Self| disk.prefetch.map(|(_, segment)| segment);
        let ready = now + over.read_miss[after];
        if model.plan.buffer.read_ahead == ReadAhead::History {
            self.reads_ahead = lbn == self.last_read_end;
        }
        let mut command = now;
        let mut sneaky = false;

        let (mut hit, mut segment) = self.buffer.find(lbn, end, reading(self));
        if let Some(destage) = self.destage {
            sneaky = hit == Hit::Full && model.plan.buffer.sneaky_hits;
            if !sneaky {
                // The media are writing: the drive disconnects and looks again when they are done.
                command = destage.until.max(ready + over.read_disconnect[after]);
                self.clean(model);
                (hit, segment) = self.buffer.find(lbn, end, reading(self));
            }
        }
        let waited = command > now;
        let sector_ps = self.sector_ps[0];
        let hold = sectors * sector_ps / 1000;
        if hit == Hit::Full {
            let bus_from = if waited {
                command + over.reselect[0] + over.preparation
            } else {
                now + self.hit_overhead(over, after, segment) + over.preparation
            };
            let bus_from = line.reserve(bus_from, hold);
            let done = bus_from + hold + over.completion[0];
            if !sneaky {
                self.hit_media(model, command.max(now), ready, end, segment);
            }
            self.buffer.touch(segment);
            if model.plan.buffer.requested != Requested::Keep {
                self.discard(segment, end);
            }
            return Access { done, overhead: bus_from - now, bus: done - bus_from, hit, ..Access::default() };
        }

        // The media have to read.
        let partial = hit == Hit::Partial;
        let hit_overhead = self.hit_overhead(over, after, segment);
        let (mut held, mut cylinders) = (0, 0);
        // To the host, a read of which nothing has come yet is a miss, unless the drive says otherwise.
        let mut sends = partial;
        let mut cursor;
        let mut begin;
        if partial && reading(self) == Some(segment) {
            // The read-ahead is on its way there.
            held = self.buffer.segments[segment].end - lbn;
            sends = held > 0 || model.plan.buffer.almost_hits;
            begin = now;
            cursor = self.prefetch.take().map_or_else(Cursor::default, |(cursor, _)| cursor);
        } else {
            // The command is processed while the interrupted sector or seek ends.
            begin = self.stop_prefetch(model, command).max(ready);
            if partial {
                held = self.buffer.segments[segment].end - lbn;
            } else {
                segment = self.buffer.victim(None).unwrap_or(0);
                let s = &mut self.buffer.segments[segment];
                (s.start, s.end, s.limit, s.content) = (lbn, lbn, 0, Content::Read);
            }
            let to = model.mech.layout.run(lbn + held);
            cylinders = to.cylinder.abs_diff(self.arm.cylinder);
            if cylinders == 0 {
                begin += over.in_seek;
            }
            cursor = Cursor::to(&model.mech, self.arm, begin, to, false, 0, self.phase_ps);
            if !partial && model.plan.buffer.read_free_sectors {
                // What passes before the first wanted sector is kept.
                let passed = (cursor.run_at - cursor.settled) * to.per_turn / model.mech.revolution_ps;
                let room = model.plan.buffer.segment_sectors.saturating_sub(sectors);
                self.buffer.segments[segment].start = lbn - passed.min(to.before).min(room);
            }
        }
        self.buffer.touch(segment);
        let mark = || Self::watermark(model, sectors, model.plan.controller.read_watermark);
        if sends && !model.plan.buffer.partial_hit_at_once {
            sends = held >= mark();
        }
        let first = if sends { 1 } else { mark() };
        let mut stream = Stream::new(sectors, sector_ps, first);
        let seek_before = if begin == now && partial { cursor.seek } else { 0 };
        let (media, transfer) = self.read_media(model, &mut cursor, lbn, end, held, segment, &mut stream);
        let origin = cursor.origin;

        let start = if sends && !waited {
            now + hit_overhead + over.preparation
        } else if model.plan.controller.never_disconnect {
            (origin + stream.ready / 1000).max(ready) + over.preparation
        } else {
            (origin + stream.ready / 1000).max(ready + over.read_disconnect[after])
                + over.reselect[0]
                + over.preparation
        };
        let electronics = &model.plan.controller;
        let bus_from = if electronics.hold_bus[0] || electronics.never_disconnect {
            Self::keep_bus(line, start, (origin, hold), &stream)
        } else {
            line.reserve(start, hold)
        };
        let bus_until = Self::sent(&stream, origin, bus_from, hold);
        let done = bus_until + over.completion[0];
        self.arm = cursor.arm();
        let s = &mut self.buffer.segments[segment];
        s.limit = s.limit.max(end);
        self.keep_reading(model, cursor, segment, end);
        match model.plan.buffer.requested {
            Requested::Discard => self.discard(segment, end),
            Requested::Release if partial => self.discard(segment, end),
            _ => {}
        }
        // A read-ahead on its way counts from this request's arrival.
        let media_end = cursor.at(media);
        if !self.accepted.is_empty() {
            self.media_free = media_end;
        }
        let overhead = begin - now;
        let media_time = media_end.saturating_sub(begin);
        let transfer = (transfer / 1000).min(media_time);
        let seek = ((cursor.seek - seek_before) / 1000).min(media_time - transfer);
        let rotation = media_time - transfer - seek;
        Access {
            done,
            overhead,
            seek,
            rotation,
            transfer,
            bus: done.saturating_sub(now + overhead + seek + rotation + transfer),
            hit: if sends { hit } else { Hit::Miss },
            cylinders,
        }
    }

    /// End of a transfer from `from` on, no sooner than `hold` later, whose media count from `origin`.
    #[inline]
    fn sent(stream: &Stream, origin: Nanos, from: Nanos, hold: Nanos) -> Nanos {
        if from >= origin {
            origin + stream.end((from - origin) * 1000) / 1000
        } else {
            (origin + stream.end(0) / 1000).max(from + hold)
        }
    }

    /// Start of a transfer by a drive that keeps the bus while it waits for the media.
    #[cold]
    fn keep_bus(line: &mut Line<'_>, ready: Nanos, (origin, hold): (Nanos, Nanos), stream: &Stream) -> Nanos {
        line.reserve_for(ready, |from| Self::sent(stream, origin, from, hold) - from)
    }

    /// Passes `lbn + held..end` under the head; returns the end (of the cursor's time) and the transfer.
    #[allow(clippy::too_many_arguments)]
    fn read_media(
        &mut self,
        model: &Model,
        cursor: &mut Cursor,
        lbn: u64,
        end: u64,
        held: u64,
        segment: usize,
        stream: &mut Stream,
    ) -> (Picos, Picos) {
        let mech = &model.mech;
        if held > 0 {
            stream.piece(0, held, 0, 0);
        }
        let (mut next, mut transfer, mut at) = (lbn + held, 0, 0);
        let arriving = model.plan.buffer.zero_latency[0];
        while next < end {
            let skip = next - cursor.run.lbn;
            let run_end = (cursor.run.lbn + cursor.run.sectors).min(end);
            let count = run_end - next;
            let first = cursor.passed(skip + 1);
            let missed = if arriving && skip == 0 { cursor.landed_inside(mech, count) } else { 0 };
            if missed > 0 {
                // Read on arrival: the rest of the run is in the buffer when its start comes round.
                at = cursor.passed(missed);
                stream.piece(next - lbn, missed, first, at);
                stream.piece(next - lbn + missed, count - missed, at, at);
            } else {
                at = cursor.passed(skip + count);
                stream.piece(next - lbn, count, first, at);
            }
            transfer += cursor.run.pitch.pass(count);
            next = run_end;
            if next < end {
                cursor.step(mech, at);
            }
        }
        self.buffer.extend(segment, end);
        (at, transfer)
    }

    /// Overhead of a read hit. Drives measured in two states have one figure with the read-ahead of this
    /// stream running and one at rest.
    pub(super) fn hit_overhead(&self, over: &Overheads, after: usize, segment: usize) -> Nanos {
        if !over.by_state {
            return over.read_hit[after];
        }
        let streaming = self.prefetch.is_some_and(|(_, reading)| reading == segment);
        over.read_hit[usize::from(!streaming)]
    }

    pub(super) fn watermark(model: &Model, sectors: u64, fraction: f64) -> u64 {
        let size = model.plan.buffer.segment_sectors;
        let whole = if model.plan.controller.watermark_by_request { sectors.min(size) } else { size };
        ((whole as f64 * fraction) as u64).clamp(1, sectors)
    }
}
