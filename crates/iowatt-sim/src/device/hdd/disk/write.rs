//! Writes: into the buffer with the media in the background, or to the media at once.

use super::{Access, Destage, Line, Model, Works};
use crate::clock::{Nanos, Picos};
use crate::device::hdd::arm::Arm;
use crate::device::hdd::buffer::{Content, Hit};
use crate::device::hdd::cursor::Cursor;

/// A media operation's times.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Media {
    begin: Nanos,
    pub(super) end: Nanos,
    seek: Nanos,
    pub(super) transfer: Nanos,
    cylinders: u32,
}

impl Media {
    /// The times of a request that came at `now` and waited for this until `done`.
    fn access(&self, now: Nanos, done: Nanos, hit: Hit) -> Access {
        let (overhead, seek, transfer) = (self.begin - now, self.seek, self.transfer);
        let rotation = (self.end - self.begin).saturating_sub(seek + transfer);
        let bus = (done - now).saturating_sub(overhead + seek + transfer + rotation);
        Access { done, overhead, seek, rotation, transfer, bus, hit, cylinders: self.cylinders }
    }
}

/// A write as it comes to the drive.
#[derive(Clone, Copy)]
struct Command {
    now: Nanos,
    lbn: u64,
    end: u64,
    /// Command processing.
    takes: Nanos,
    /// The host has its completion once the buffer holds the data.
    fast: bool,
}

impl Command {
    fn sectors(&self) -> u64 {
        self.end - self.lbn
    }
}

/// Where a write goes in the buffer, and what has to end before.
struct Place {
    segment: usize,
    hit: Hit,
    /// The media are free for it.
    free: Nanos,
    /// The buffer has room for it.
    room_at: Nanos,
    /// It had to wait for room.
    waited: bool,
    /// The buffer takes it now, and the media come to it after what they have before.
    later: bool,
    /// Sectors of the write under way that it joins.
    joined: u64,
    /// Other segments may hold some of it.
    stale: bool,
}

/// When data come over the bus and the media can start.
struct Transfer {
    bus_from: Nanos,
    mech_ready: Nanos,
    /// Overheads of a drive that disconnects during a write that it could not foresee.
    extra: Option<[Nanos; 5]>,
}

impl Works {
    /// Serves a write: into the buffer, and from there to the media, which the host waits for unless writes are fast.
    pub(super) fn write(
        &mut self,
        model: &Model,
        now: Nanos,
        lbn: u64,
        sectors: u64,
        line: &mut Line<'_>,
    ) -> Access {
        let (over, after) = (&model.over, usize::from(self.last_was_write));
        let fast = model.plan.buffer.fast_write > 0;
        let takes = if fast { over.write_hit[after] } else { over.write_miss[after] };
        let command = Command { now, lbn, end: lbn + sectors, takes, fast };
        let place = self.place(model, &command);
        self.buffer.hold(place.segment, Content::Dirty);
        self.buffer.extend(place.segment, command.end);
        self.buffer.touch(place.segment);
        if place.stale {
            self.buffer.invalidate(lbn, command.end, place.segment);
        }
        let transfer = self.transfer(model, &command, &place);
        if place.later {
            self.write_later(model, &command, &place, &transfer, line)
        } else {
            self.write_now(model, &command, &place, &transfer, line)
        }
    }

    /// Finds a place in the buffer: behind the data of a write that this one continues, or in a segment of its own.
    #[inline]
    fn place(&mut self, model: &Model, command: &Command) -> Place {
        let Command { now, lbn, end, .. } = *command;
        let (plan, sectors) = (&model.plan.buffer, command.sectors());
        // Fast writes of the first kind are joined only by the next request.
        let joins = plan.combine_writes && (plan.fast_write > 1 || self.last_was_write);
        if let Some(destage) = self.destage.filter(|d| joins && d.end == lbn && self.accepted.is_empty()) {
            let room_at = self.join(model, now, lbn, sectors);
            let joined = self.destage.map_or(0, |d| d.sectors); // what is on the media by now has left it
            let (segment, free) = (destage.segment, destage.until);
            return Place {
                segment,
                hit: Hit::Append,
                free,
                room_at,
                waited: false,
                later: false,
                joined,
                stale: true,
            };
        }
        let (mut free, mut waited) = (now, false);
        if self.destage.is_some() && !self.has_room(model, sectors) {
            free = self.make_room(model, sectors);
            waited = true;
        }
        let later = self.destage.is_some() || (waited && !self.accepted.is_empty());
        if let Some(reading) = self.prefetch
            && plan.write_hit_stops_prefetch
        {
            let s = &mut self.buffer.segments[reading];
            if lbn < s.end && s.start < end {
                s.limit = s.end;
            }
        }
        free = free.max(self.stop_prefetch(model, now));
        let last = self.accepted.back().filter(|a| joins && a.end == lbn);
        let (segment, hit, stale) = match last {
            Some(last) => (last.segment, Hit::Append, true),
            None => {
                let (segment, stale) = self.segment_for_write(model, lbn, end);
                (segment, Hit::Miss, stale)
            }
        };
        if hit != Hit::Append {
            let s = &mut self.buffer.segments[segment];
            (s.start, s.limit) = (lbn, 0);
        }
        Place { segment, hit, free, room_at: now, waited, later, joined: 0, stale }
    }

    /// When the drive is ready for the data, and the media for them.
    #[inline]
    fn transfer(&self, model: &Model, command: &Command, place: &Place) -> Transfer {
        let Command { now, lbn, takes, fast, .. } = *command;
        let over = &model.over;
        let unforeseen = self.last_was_write && place.hit == Hit::Miss && lbn != self.last_write_end && !fast;
        let extra = over.extra.filter(|_| unforeseen);
        let mut mech_ready = now + takes;
        let begin = if let Some([cmd, disc, between, _, delta]) = extra {
            mech_ready = now + cmd + delta;
            now + cmd + disc + between + over.reselect[0]
        } else if place.waited && fast {
            place.free.max(now + takes + over.write_disconnect) + over.reselect[0]
        } else {
            place.room_at.max(now + takes)
        };
        Transfer { bus_from: begin + over.preparation, mech_ready, extra }
    }

    /// Takes the data into the buffer; the media come to them after what they have before.
    #[inline]
    fn write_later(
        &mut self,
        model: &Model,
        command: &Command,
        place: &Place,
        transfer: &Transfer,
        line: &mut Line<'_>,
    ) -> Access {
        let Command { now, lbn, end, .. } = *command;
        let hold = command.sectors() * self.sector_ps[1] / 1000;
        let bus_from = line.reserve(transfer.bus_from, hold);
        let done = bus_from + hold + model.over.completion[1];
        let at = (transfer.mech_ready, bus_from);
        let cylinders = self.accept(model, (lbn, end), place.segment, at, place.hit);
        let (overhead, bus) = (bus_from - now, done - bus_from);
        Access { done, overhead, bus, hit: place.hit, cylinders, ..Access::default() }
    }

    /// Takes the data over the bus while the media write them.
    #[inline]
    fn write_now(
        &mut self,
        model: &Model,
        command: &Command,
        place: &Place,
        transfer: &Transfer,
        line: &mut Line<'_>,
    ) -> Access {
        let (over, plan) = (&model.over, &model.plan.buffer);
        let Command { now, lbn, .. } = *command;
        let (sectors, sector_ps) = (command.sectors(), self.sector_ps[1]);
        // A drive that disconnects during writes starts only with some data in hand.
        let lead = match over.extra {
            Some(_) => sectors.min(if sectors < 45 { 10 } else { 15 }),
            None => Self::watermark(model, sectors, true),
        };
        let begin = place.free.max(transfer.mech_ready);
        let least = if place.hit == Hit::Append { 0 } else { over.minimum_seek };
        let (bus_from, bus_until) = if sectors > plan.segment_sectors && plan.segments > 0 {
            self.send_in_parts(model, (begin, transfer.bus_from), (lbn, sectors), (least, lead), line)
        } else {
            let hold = sectors * sector_ps / 1000;
            let from = line.reserve(transfer.bus_from, hold);
            (from, from + hold)
        };
        let (media, arm) = self.write_media(model, begin, lbn, sectors, bus_from, sector_ps, least, lead);
        self.arm = arm;
        if command.fast {
            self.leave_to_media(command, place, &media);
            let done = bus_until + over.completion[1];
            let (overhead, cylinders) = (bus_from - now, media.cylinders);
            let bus = (done - now).saturating_sub(overhead);
            Access { done, overhead, bus, hit: place.hit, cylinders, ..Access::default() }
        } else {
            let disconnected = bus_until + transfer.extra.map_or(over.write_disconnect, |e| e[3]);
            let reselect = over.reselect[usize::from(transfer.extra.is_some())];
            let done = media.end.max(disconnected) + reselect + over.completion[1];
            self.written(model, place.segment, &media);
            media.access(now, done, place.hit)
        }
    }

    /// A fast write is done for the host; its data are on their way to the media.
    fn leave_to_media(&mut self, command: &Command, place: &Place, media: &Media) {
        let sectors = command.sectors();
        self.destage = Some(Destage {
            segment: place.segment,
            until: media.end,
            end: command.end,
            sectors: place.joined + sectors,
        });
        self.unwritten += sectors;
        self.behind = Some((media.end - media.transfer, media.end));
    }

    /// The data of a write are on the media; the buffer may keep them for reads.
    fn written(&mut self, model: &Model, segment: usize, media: &Media) {
        let plan = &model.plan.buffer;
        self.busy_until = media.end;
        let keep = plan.caching && plan.read_hits_on_writes;
        self.buffer.hold(segment, if keep { Content::Written } else { Content::Empty });
    }

    /// The transfer of more than a segment: what does not fit comes when the media, which may start at `begin`, have made
    /// room. Returns its start, at `ready` or later, and its end.
    #[cold]
    fn send_in_parts(
        &self,
        model: &Model,
        (begin, ready): (Nanos, Nanos),
        (lbn, sectors): (u64, u64),
        (least, lead): (Nanos, u64),
        line: &mut Line<'_>,
    ) -> (Nanos, Nanos) {
        let electronics = &model.plan.controller;
        let sector_ps = self.sector_ps[1];
        let hold = sectors * sector_ps / 1000;
        let more = sectors - model.plan.buffer.segment_sectors;
        let ends = |from: Nanos| {
            let (room, _) = self.write_media(model, begin, lbn, more, from, sector_ps, least, lead.min(more));
            (from + hold).max(room.end + sector_ps / 1000)
        };
        // A drive that keeps the bus waits for the media on it.
        let from = if electronics.hold_bus[1] || electronics.never_disconnect {
            line.reserve_for(ready, |from| ends(from) - from)
        } else {
            line.reserve(ready, hold)
        };
        (from, ends(from))
    }

    /// Writes `sectors` whose data comes over the bus from `data_from` on; a sector whose data is late costs
    /// a turn.
    #[allow(clippy::too_many_arguments)]
    #[inline(always)]
    pub(super) fn write_media(
        &self,
        model: &Model,
        begin: Nanos,
        lbn: u64,
        sectors: u64,
        data_from: Nanos,
        sector_ps: Picos,
        least: Nanos,
        lead: u64,
    ) -> (Media, Arm) {
        let mech = &model.mech;
        let run =
            if self.found.lbn == lbn && self.found.sectors > 0 { self.found } else { mech.layout.run(lbn) };
        let mut cursor = Cursor::to(mech, self.arm, begin, run, true, least, self.phase_ps);
        let cylinders = cursor.run.cylinder.abs_diff(self.arm.cylinder);
        // Arrival of the data, relative to `begin`.
        let delay = (data_from as i64 - begin as i64).saturating_mul(1000);
        let lead = lead.min(cursor.run.sectors.max(15));
        let arrives = |index: u64| delay + ((index + 1).max(lead) * sector_ps) as i64;
        let turn = mech.revolution_ps;
        let arriving = model.plan.buffer.zero_latency[1];
        let (mut next, mut transfer) = (0, 0);
        let end = loop {
            let skip = lbn + next - cursor.run.lbn;
            let count = (cursor.run.sectors - skip).min(sectors - next);
            let starts = cursor.passed(skip);
            if arriving && next == 0 {
                let missed = cursor.landed_inside(mech, count);
                let settled = cursor.settled as i64;
                if missed > 0 && arrives(count - 1) <= settled {
                    transfer += cursor.run.pitch.pass(count);
                    next += count;
                    let at = cursor.passed(missed);
                    if next == sectors {
                        break at;
                    }
                    cursor.step(mech, at);
                    continue;
                }
            }
            let early = starts as i64 - arrives(next);
            if early < 0 {
                cursor.run_at += early.unsigned_abs().div_ceil(turn) * turn;
                continue;
            }
            let pass = cursor.run.pitch.pass(1);
            let mut writable = count;
            if sector_ps > pass {
                writable = writable.min(early.unsigned_abs() / (sector_ps - pass) + 1);
            }
            transfer += cursor.run.pitch.pass(writable);
            next += writable;
            let at = cursor.passed(skip + writable);
            if next == sectors {
                break at;
            }
            if writable == count {
                cursor.step(mech, at);
            }
        };
        let media = Media {
            begin,
            end: cursor.at(end),
            seek: cursor.seek / 1000,
            transfer: transfer / 1000,
            cylinders,
        };
        (media, cursor.arm())
    }
}
