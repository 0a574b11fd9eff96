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

impl Works {
    pub(super) fn write(
        &mut self,
        model: &Model,
        now: Nanos,
        lbn: u64,
        sectors: u64,
        line: &mut Line<'_>,
    ) -> Access {
        let (over, after) = (&model.over, usize::from(self.last_was_write));
        let plan = &model.plan.buffer;
        let end = lbn + sectors;
        let fast = plan.fast_write > 0;
        let command = if fast { over.write_hit[after] } else { over.write_miss[after] };
        let mut mech_ready = now + command;
        let mut hit = Hit::Miss;
        let mut waited = false;
        let mut free = now;
        // Fast writes of the first kind are joined only by the next request.
        let joins = plan.combine_writes && (plan.fast_write > 1 || self.last_was_write);
        let append = self.destage.filter(|d| joins && d.end == lbn && self.accepted.is_empty());
        let segment;
        // Taken into the buffer, and the media come to it after what they have before.
        let mut later = false;
        let mut room_at = now;
        if let Some(destage) = append {
            hit = Hit::Append;
            segment = destage.segment;
            free = destage.until;
            room_at = self.join(model, now, lbn, sectors);
        } else {
            if self.destage.is_some() {
                if !self.has_room(model, sectors) {
                    free = self.make_room(model, sectors);
                    waited = true;
                }
                later = self.destage.is_some() || !self.accepted.is_empty();
            }
            if let Some((_, reading)) = self.prefetch
                && plan.write_hit_stops_prefetch
            {
                let s = &mut self.buffer.segments[reading];
                if lbn < s.end && s.start < end {
                    s.limit = s.end;
                }
            }
            free = free.max(self.stop_prefetch(model, now));
            let last = self.accepted.back().filter(|a| joins && a.end == lbn);
            hit = if last.is_some() { Hit::Append } else { hit };
            segment = match last {
                Some(last) => last.segment,
                None => self.segment_for_write(model, lbn, end),
            };
            if hit != Hit::Append {
                let s = &mut self.buffer.segments[segment];
                (s.start, s.limit) = (lbn, 0);
            }
        }
        self.buffer.segments[segment].content = Content::Dirty;
        self.buffer.extend(segment, end);
        self.buffer.touch(segment);
        self.buffer.invalidate(lbn, end, segment);

        // Data into the buffer.
        let sector_ps = self.sector_ps[1];
        let hold = sectors * sector_ps / 1000;
        let extra = over
            .extra
            .filter(|_| self.last_was_write && hit == Hit::Miss && lbn != self.last_write_end && !fast);
        let bus_from = if let Some([cmd, disc, between, _, delta]) = extra {
            mech_ready = now + cmd + delta;
            now + cmd + disc + between + over.reselect[0] + over.preparation
        } else if waited && fast {
            free.max(now + command + over.write_disconnect) + over.reselect[0] + over.preparation
        } else {
            room_at.max(now + command) + over.preparation
        };
        if later {
            let bus_from = line.reserve(bus_from, hold);
            let done = bus_from + hold + over.completion[1];
            let cylinders = self.accept(model, (lbn, end), segment, (mech_ready, bus_from), hit);
            let overhead = bus_from - now;
            return Access { done, overhead, bus: done - bus_from, hit, cylinders, ..Access::default() };
        }

        // Data onto the media. A drive that disconnects during writes starts only with some data in hand.
        let lead = match over.extra {
            Some(_) => sectors.min(if sectors < 45 { 10 } else { 15 }),
            None => Self::watermark(model, sectors, model.plan.controller.write_watermark),
        };
        let begin = free.max(mech_ready);
        let least = if hit == Hit::Append { 0 } else { over.minimum_seek };
        let (bus_from, bus_until) = if sectors > plan.segment_sectors && plan.segments > 0 {
            self.send_in_parts(model, (begin, bus_from), (lbn, sectors), (least, lead), line)
        } else {
            let from = line.reserve(bus_from, hold);
            (from, from + hold)
        };
        let (media, arm) = self.write_media(model, begin, lbn, sectors, bus_from, sector_ps, least, lead);
        self.arm = arm;
        let done;
        if fast {
            done = bus_until + over.completion[1];
            let before = append.and(self.destage).map_or(0, |d| d.sectors);
            self.destage = Some(Destage { segment, until: media.end, end, sectors: before + sectors });
            self.unwritten += sectors;
            self.behind = Some((media.end - media.transfer, media.end));
        } else {
            let disconnected = bus_until + extra.map_or(over.write_disconnect, |e| e[3]);
            let reselect = over.reselect[usize::from(extra.is_some())];
            let finished = media.end.max(disconnected) + reselect;
            done = finished + over.completion[1];
            self.busy_until = media.end;
            let keep = plan.caching && plan.read_hits_on_writes;
            self.buffer.segments[segment].content = if keep { Content::Written } else { Content::Empty };
        }
        let overhead = if fast { bus_from - now } else { media.begin - now };
        let (seek, transfer, rotation) = if fast {
            (0, 0, 0)
        } else {
            (
                media.seek,
                media.transfer,
                (media.end - media.begin).saturating_sub(media.seek + media.transfer),
            )
        };
        Access {
            done,
            overhead,
            seek,
            rotation,
            transfer,
            bus: (done - now).saturating_sub(overhead + seek + transfer + rotation),
            hit,
            cylinders: media.cylinders,
        }
    }

    /// The transfer of more than a segment: what does not fit comes when the media, which may start at `begin`, have made
    /// room. Its start, at `ready` or later, and its end.
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
        let mut cursor = Cursor::begin(mech, self.arm, begin, lbn, true, least, self.phase_ps);
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
