//! Reads: from the buffer, behind a read-ahead that is on its way, or from the media.

use super::overheads::Overheads;
use super::{Access, Line, Model, Works};
use crate::clock::{Nanos, Picos};
use crate::device::hdd::buffer::{Content, Hit};
use crate::device::hdd::cursor::Cursor;
use crate::device::hdd::stream::Stream;
use crate::plan::{ReadAhead, Requested};

/// A read as it comes to the drive.
#[derive(Clone, Copy)]
struct Command {
    now: Nanos,
    lbn: u64,
    end: u64,
    /// Which overheads hold: 1 after a write, else 0.
    after: usize,
    /// When its command has been processed, if the media have to read.
    ready: Nanos,
}

impl Command {
    fn sectors(&self) -> u64 {
        self.end - self.lbn
    }
}

/// What the buffer holds of a read.
struct Found {
    hit: Hit,
    segment: usize,
    /// When the drive looked: later than the arrival if it waited for the media to end writing.
    at: Nanos,
    /// A full hit that is served while the media write.
    sneaky: bool,
}

/// The media on their way to the first sector that the buffer lacks.
struct Reading {
    segment: usize,
    /// Sectors of the read that the buffer holds already.
    held: u64,
    begin: Nanos,
    cylinders: u32,
    /// Whether the transfer to the host may begin with what is held.
    sends: bool,
}

impl Works {
    /// Serves a read: from the buffer, or from the media while its data go to the host.
    pub(super) fn read(
        &mut self,
        model: &Model,
        now: Nanos,
        lbn: u64,
        sectors: u64,
        line: &mut Line<'_>,
    ) -> Access {
        let after = usize::from(self.last_was_write);
        let command =
            Command { now, lbn, end: lbn + sectors, after, ready: now + model.over.read_miss[after] };
        if model.plan.buffer.read_ahead == ReadAhead::History {
            self.reads_ahead = lbn == self.last_read_end;
        }
        let found = self.look_up(model, &command);
        if found.hit == Hit::Full {
            self.send_held(model, &command, &found, line)
        } else {
            self.read_and_send(model, &command, &found, line)
        }
    }

    /// Looks for the data in the buffer, for a drive that is writing only once the media are done.
    #[inline]
    fn look_up(&mut self, model: &Model, command: &Command) -> Found {
        let Command { now, lbn, end, after, ready } = *command;
        let (hit, segment) = self.buffer.find(lbn, end, self.prefetch);
        let Some(destage) = self.destage else { return Found { hit, segment, at: now, sneaky: false } };
        if hit == Hit::Full && model.plan.buffer.sneaky_hits {
            return Found { hit, segment, at: now, sneaky: true };
        }
        // The drive disconnects, and looks again when the media are done.
        let at = destage.until.max(ready + model.over.read_disconnect[after]);
        self.clean(model);
        let (hit, segment) = self.buffer.find(lbn, end, self.prefetch);
        Found { hit, segment, at, sneaky: false }
    }

    /// Sends what the buffer holds.
    #[inline]
    fn send_held(&mut self, model: &Model, command: &Command, found: &Found, line: &mut Line<'_>) -> Access {
        let (over, now) = (&model.over, command.now);
        let hold = command.sectors() * self.sector_ps[0] / 1000;
        let begin = if found.at > now {
            found.at + over.reselect[0]
        } else {
            now + self.hit_overhead(over, command.after, found.segment)
        };
        let bus_from = line.reserve(begin + over.preparation, hold);
        let done = bus_from + hold + over.completion[0];
        if !found.sneaky {
            self.hit_media(model, found.at, command.ready, command.end, found.segment);
        }
        self.buffer.touch(found.segment);
        if model.plan.buffer.requested != Requested::Keep {
            self.discard(found.segment, command.end);
        }
        Access { done, overhead: bus_from - now, bus: done - bus_from, hit: found.hit, ..Access::default() }
    }

    /// Reads from the media what the buffer lacks, and sends all of it.
    #[inline]
    fn read_and_send(
        &mut self,
        model: &Model,
        command: &Command,
        found: &Found,
        line: &mut Line<'_>,
    ) -> Access {
        let (now, sectors) = (command.now, command.sectors());
        let partial = found.hit == Hit::Partial;
        let hit_overhead = self.hit_overhead(&model.over, command.after, found.segment);
        let mut reading = self.begin_reading(model, command, found);
        let (begin, segment) = (reading.begin, reading.segment);
        self.buffer.touch(segment);
        let mark = || Self::watermark(model, sectors, false);
        if reading.sends && !model.plan.buffer.partial_hit_at_once {
            reading.sends = reading.held >= mark();
        }
        let first = if reading.sends { 1 } else { mark() };
        let mut stream = Stream::new(sectors, self.sector_ps[0], first);
        // What a read-ahead did before the request came is not part of its time.
        let seek_before = if begin == now && partial { self.cursor.seek } else { 0 };
        let (media, transfer) = self.read_media(model, command, reading.held, segment, &mut stream);
        let media_end = self.cursor.at(media);

        let at_once = (reading.sends && found.at == now).then_some(now + hit_overhead);
        let bus_until = self.send_stream(model, command, (self.cursor.origin, at_once), &stream, line);
        let done = bus_until + model.over.completion[0];

        self.arm = self.cursor.arm();
        let s = &mut self.buffer.segments[segment];
        s.limit = s.limit.max(command.end);
        self.keep_reading(model, segment, command.end);
        match model.plan.buffer.requested {
            Requested::Discard => self.discard(segment, command.end),
            Requested::Release if partial => self.discard(segment, command.end),
            _ => {}
        }
        if !self.accepted.is_empty() {
            self.media_free = media_end;
        }
        let overhead = begin - now;
        let media_time = media_end.saturating_sub(begin);
        let transfer = (transfer / 1000).min(media_time);
        let seek = ((self.cursor.seek - seek_before) / 1000).min(media_time - transfer);
        let rotation = media_time - transfer - seek;
        Access {
            done,
            overhead,
            seek,
            rotation,
            transfer,
            bus: done.saturating_sub(now + overhead + seek + rotation + transfer),
            hit: if reading.sends { found.hit } else { Hit::Miss },
            cylinders: reading.cylinders,
        }
    }

    /// Sends the arm to the first sector that the buffer lacks, or joins the read-ahead that is on its way there.
    #[inline]
    fn begin_reading(&mut self, model: &Model, command: &Command, found: &Found) -> Reading {
        let Command { now, lbn, ready, .. } = *command;
        let plan = &model.plan.buffer;
        let partial = found.hit == Hit::Partial;
        let mut segment = found.segment;
        if partial && self.prefetch == Some(segment) {
            let held = self.buffer.segments[segment].end - lbn;
            // To the host, a read of which nothing has come yet is a miss, unless the drive says otherwise.
            let sends = held > 0 || plan.almost_hits;
            self.prefetch = None;
            return Reading { segment, held, begin: now, cylinders: 0, sends };
        }
        // The command is processed while the interrupted sector or seek ends.
        let mut begin = self.stop_prefetch(model, found.at).max(ready);
        let mut held = 0;
        if partial {
            held = self.buffer.segments[segment].end - lbn;
        } else {
            segment = self.buffer.victim().unwrap_or(0);
            self.buffer.hold(segment, Content::Read);
            let s = &mut self.buffer.segments[segment];
            (s.start, s.end, s.limit) = (lbn, lbn, 0);
        }
        let to = self.run_at(model, lbn + held);
        let cylinders = to.cylinder.abs_diff(self.arm.cylinder);
        if cylinders == 0 {
            begin += model.over.in_seek;
        }
        self.cursor = Cursor::to(&model.mech, self.arm, begin, to, false, 0, self.phase_ps);
        if !partial && plan.read_free_sectors {
            // What passes before the first wanted sector is kept.
            let passed = (self.cursor.run_at - self.cursor.settled) * u64::from(to.per_turn)
                / model.mech.revolution_ps;
            let room = plan.segment_sectors.saturating_sub(command.sectors());
            self.buffer.segments[segment].start = lbn - passed.min(u64::from(to.before)).min(room);
        }
        Reading { segment, held, begin, cylinders, sends: partial }
    }

    /// Takes the bus for data that come from the media, which count time from `origin`; returns the end of the transfer.
    /// `at_once`: when the drive may begin with what the buffer holds, if it need not disconnect.
    #[inline]
    fn send_stream(
        &self,
        model: &Model,
        command: &Command,
        (origin, at_once): (Nanos, Option<Nanos>),
        stream: &Stream,
        line: &mut Line<'_>,
    ) -> Nanos {
        let (over, electronics) = (&model.over, &model.plan.controller);
        let hold = command.sectors() * self.sector_ps[0] / 1000;
        let in_buffer = origin + stream.ready / 1000;
        let start = if let Some(start) = at_once {
            start
        } else if electronics.never_disconnect {
            in_buffer.max(command.ready)
        } else {
            in_buffer.max(command.ready + over.read_disconnect[command.after]) + over.reselect[0]
        } + over.preparation;
        let from = if electronics.hold_bus[0] || electronics.never_disconnect {
            Self::keep_bus(line, start, (origin, hold), stream)
        } else {
            line.reserve(start, hold)
        };
        Self::sent(stream, origin, from, hold)
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

    /// Passes what the buffer lacks under the head. Returns the end, in the cursor's time, and the time of the transfer.
    fn read_media(
        &mut self,
        model: &Model,
        &Command { lbn, end, .. }: &Command,
        held: u64,
        segment: usize,
        stream: &mut Stream,
    ) -> (Picos, Picos) {
        let (mech, cursor) = (&model.mech, &mut self.cursor);
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
        let streaming = self.prefetch == Some(segment);
        over.read_hit[usize::from(!streaming)]
    }

    /// Sectors of a request that the buffer must hold before its transfer begins. `write`: its direction.
    #[inline]
    pub(super) fn watermark(model: &Model, sectors: u64, write: bool) -> u64 {
        let mark = model.over.watermark[usize::from(write)];
        mark.unwrap_or_else(|| Self::watermark_of_request(model, sectors, write)).clamp(1, sectors)
    }

    /// The same, for a drive whose mark depends on the request.
    fn watermark_of_request(model: &Model, sectors: u64, write: bool) -> u64 {
        let plan = &model.plan.controller;
        let fraction = if write { plan.write_watermark } else { plan.read_watermark };
        (sectors.min(model.plan.buffer.segment_sectors) as f64 * fraction) as u64
    }
}
