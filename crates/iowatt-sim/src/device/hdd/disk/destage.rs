//! Accepted writes on their way to the media: one is being written, others wait for it in their order.

use super::{Model, Works};
use crate::clock::Nanos;
use crate::device::hdd::buffer::{Content, Hit};

/// Accepted data that the media are writing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Destage {
    pub(super) segment: usize,
    pub(super) until: Nanos,
    /// First LBN that is not on the media at `until`.
    pub(super) end: u64,
    /// Sectors of the buffer that it occupies until then.
    pub(super) sectors: u64,
}

/// Accepted data that wait for the media.
#[derive(Clone, Copy, Debug)]
pub(super) struct Accepted {
    pub(super) segment: usize,
    pub(super) lbn: u64,
    pub(super) end: u64,
    /// The command is processed.
    pub(super) ready: Nanos,
    /// Data come over the bus from here.
    pub(super) from: Nanos,
}

impl Works {
    /// Whether the drive takes `sectors` more while others are on their way to the media: they must fit into the
    /// segments for writes.
    pub(super) fn has_room(&self, model: &Model, sectors: u64) -> bool {
        let plan = &model.plan.buffer;
        plan.write_prebuffering
            && self.unwritten + sectors <= Self::write_segments(model) as u64 * plan.segment_sectors
    }

    /// When `sectors` from `lbn` on have room beside what the media are writing, which they follow. What is on the media
    /// at `now` needs none any more; the changes of track on the way there are left out.
    pub(super) fn join(&mut self, model: &Model, now: Nanos, lbn: u64, sectors: u64) -> Nanos {
        let Some(destage) = &mut self.destage else { return now };
        let (plan, pitch) = (&model.plan.buffer, model.mech.layout.run(lbn).pitch);
        let held = pitch.sectors(destage.until.saturating_sub(now) * 1000).min(destage.sectors);
        self.unwritten -= destage.sectors - held;
        destage.sectors = held;
        let segments = if plan.write_prebuffering { Self::write_segments(model) as u64 } else { 1 };
        let too_many = (held + sectors).saturating_sub(segments * plan.segment_sectors);
        if too_many == 0 {
            return now;
        }
        destage.until.saturating_sub(pitch.pass(held.saturating_sub(too_many)) / 1000)
    }

    /// Segments that may hold unwritten data while reads go on, to which one is left.
    pub(super) fn write_segments(model: &Model) -> usize {
        let plan = &model.plan.buffer;
        plan.write_segments.max(1).min(plan.segments.saturating_sub(1))
    }

    /// The segment that takes a write: one more while there may be, else that of the write before; and whether others may
    /// hold some of it, too.
    #[inline]
    pub(super) fn segment_for_write(&self, model: &Model, lbn: u64, end: u64) -> (usize, bool) {
        let last = self.accepted.back().map(|a| a.segment).or(self.destage.map(|d| d.segment));
        let dirty = || self.buffer.segments.iter().filter(|s| s.content() == Content::Dirty).count();
        match last {
            Some(last) if dirty() >= Self::write_segments(model) => (last, true),
            _ => self.buffer.write_victim(lbn, end).unwrap_or((last.unwrap_or(0), true)),
        }
    }

    /// Takes sectors `lbn..end` into `segment`, or behind those accepted last; the command is processed at the first, data
    /// come from the second instant on. The cylinders that the arm will move to them.
    pub(super) fn accept(
        &mut self,
        model: &Model,
        (lbn, end): (u64, u64),
        segment: usize,
        (ready, from): (Nanos, Nanos),
        hit: Hit,
    ) -> u32 {
        self.unwritten += end - lbn;
        if let Some(last) = self.accepted.back_mut().filter(|_| hit == Hit::Append) {
            last.end = end;
            // As if all had come over in one.
            last.from = from.saturating_sub((lbn - last.lbn) * self.sector_ps[1] / 1000);
            return 0;
        }
        let cylinder = |lbn| model.mech.layout.run(lbn).cylinder;
        let before = self.accepted.back().map_or(self.arm.cylinder, |last| cylinder(last.end - 1));
        self.accepted.push_back(Accepted { segment, lbn, end, ready, from });
        cylinder(lbn).abs_diff(before)
    }

    /// The write under way is on the media.
    pub(super) fn clean(&mut self, model: &Model) {
        let Some(done) = self.destage.take() else { return };
        self.unwritten -= done.sectors;
        self.media_free = done.until;
        if self.accepted.iter().all(|a| a.segment != done.segment) {
            let keep = model.plan.buffer.caching && model.plan.buffer.read_hits_on_writes;
            self.buffer.hold(done.segment, if keep { Content::Written } else { Content::Empty });
        }
    }

    /// Brings the writes in the background to `now`.
    pub(super) fn write_behind(&mut self, model: &Model, now: Nanos) {
        loop {
            match self.destage {
                Some(destage) if destage.until <= now => self.clean(model),
                None if self.media_free <= now => match self.accepted.pop_front() {
                    Some(next) => self.write_out(model, next),
                    None => break,
                },
                _ => break,
            }
        }
    }

    /// Writes accepted data out until there is room for `sectors` more, or nothing is left; when that is so.
    pub(super) fn make_room(&mut self, model: &Model, sectors: u64) -> Nanos {
        loop {
            self.clean(model);
            if self.accepted.is_empty() || self.has_room(model, sectors) {
                return self.media_free;
            }
            if let Some(next) = self.accepted.pop_front() {
                self.write_out(model, next);
            }
        }
    }

    /// Begins to write accepted data as soon as the media are free.
    #[cold]
    fn write_out(&mut self, model: &Model, next: Accepted) {
        let Accepted { segment, lbn, end, ready, from } = next;
        let begin = self.media_free.max(ready);
        let sectors = end - lbn;
        let least = model.over.minimum_seek;
        let (media, arm) =
            self.write_media(model, begin, lbn, sectors, from, self.sector_ps[1], least, sectors);
        self.arm = arm;
        self.destage = Some(Destage { segment, until: media.end, end, sectors });
        // What follows on without a pause is one span of work: all positioning, then all transfer.
        let positioned = media.end - media.transfer;
        self.behind = match self.behind {
            Some((before, free)) if free == begin => Some((before + (positioned - begin), media.end)),
            _ => Some((positioned, media.end)),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Disk, Line};
    use super::*;
    use crate::device::hdd::tests::small_disk;
    use crate::plan::{BufferPlan, HddPlan};
    use proptest::prelude::*;

    const MS: Nanos = 1_000_000;

    /// 0.2 ms a fast write; three segments of 64 sectors.
    fn cached(write_prebuffering: bool, write_segments: usize) -> HddPlan {
        let mut plan = small_disk();
        plan.buffer = BufferPlan {
            segments: 3,
            segment_sectors: 64,
            write_segments,
            caching: true,
            fast_write: 2,
            combine_writes: true,
            write_prebuffering,
            ..BufferPlan::default()
        };
        plan.controller.write_hit_s = [0.2e-3; 2];
        plan
    }

    fn disk(plan: &HddPlan) -> Disk {
        Disk::new(&Model::new(plan), 1, 0, 0)
    }

    fn serve(disk: &mut Disk, now: Nanos, lbn: u64, sectors: u64, write: bool) -> Nanos {
        disk.serve(now, lbn, sectors, write, &mut Line { shared: None, now }).done
    }

    #[test]
    fn a_write_is_taken_while_another_is_written() {
        for (prebuffers, second) in [(true, 1_200_000), (false, 4 * MS)] {
            let mut disk = disk(&cached(prebuffers, 1));
            // Sectors 30 to 39 pass from 3 to 4 ms.
            assert_eq!(serve(&mut disk, 0, 30, 10, true), 200_000);
            assert_eq!(serve(&mut disk, MS, 1_000, 10, true), second);
            // Cylinder 5 from 4 ms on: seek 1.5 ms, and its first sector passes 5 ms after the mark.
            assert_eq!(disk.writes_until(5 * MS), Some(16 * MS));
            assert_eq!(disk.writes_until(16 * MS), None);
        }
    }

    #[test]
    fn a_read_goes_before_what_waits() {
        let mut disk = disk(&cached(true, 1));
        serve(&mut disk, 0, 30, 10, true);
        serve(&mut disk, MS, 1_000, 10, true);
        // After the write under way (4 ms): sectors 60 to 69 pass until 7 ms. The other write comes then.
        assert_eq!(serve(&mut disk, 2 * MS, 60, 10, false), 7 * MS);
        assert_eq!(disk.writes_until(8 * MS), Some(16 * MS));
        assert_eq!(disk.background(8 * MS).0, Some((15 * MS, 16 * MS)));
    }

    #[test]
    fn a_write_that_does_not_fit_waits_for_room() {
        // 40 and 30 sectors: 70 are too many for one segment of 64, not for two.
        for (segments, done) in [(1, 7 * MS), (2, 1_200_000), (9, 1_200_000)] {
            let mut disk = disk(&cached(true, segments));
            serve(&mut disk, 0, 30, 40, true);
            assert_eq!(serve(&mut disk, MS, 1_000, 30, true), done, "{segments}");
        }
        // Two segments are 128 sectors: 40 and 60 fit, 40 more do when the first 40 are out.
        let mut disk = disk(&cached(true, 2));
        serve(&mut disk, 0, 30, 40, true);
        serve(&mut disk, MS, 1_000, 60, true);
        assert_eq!(serve(&mut disk, 2 * MS, 2_000, 40, true), 7 * MS);
        assert_eq!(disk.works.accepted.len(), 2);
    }

    #[test]
    fn a_write_joins_the_one_that_it_follows() {
        let mut disk = disk(&cached(true, 2));
        serve(&mut disk, 0, 30, 10, true);
        serve(&mut disk, MS, 1_000, 10, true);
        serve(&mut disk, 2 * MS, 1_010, 20, true);
        assert_eq!(disk.works.accepted.len(), 1);
        // 30 sectors from 15 ms on.
        assert_eq!(disk.writes_until(5 * MS), Some(18 * MS));
    }

    #[test]
    fn a_stream_of_writes_comes_no_faster_than_the_media_take_it() {
        for (prebuffers, segments, room) in [(false, 1, 64), (true, 2, 128)] {
            let mut disk = disk(&cached(prebuffers, segments));
            let (mut now, mut longest) = (0, 0);
            for i in 0..200 {
                let done = serve(&mut disk, now, 10 * i, 10, true);
                longest = longest.max(done - now);
                now = done;
            }
            let whole = {
                let mut plan = cached(prebuffers, segments);
                plan.buffer.fast_write = 0;
                plan.controller.write_miss_s = [0.2e-3; 2];
                serve(&mut self::disk(&plan), 0, 0, 2_000, true)
            };
            // What the buffer holds at the end is not on the media yet, 0.1 to 0.2 ms a sector.
            assert!(now < whole && now + room * MS / 5 + 2 * MS > whole, "{now} {whole}");
            // A request waits for its own ten sectors and a change of track or cylinder.
            assert!(longest < 10 * MS, "{longest}");
            assert_eq!(disk.writes_until(now).map(|until| until <= whole + MS), Some(true));
        }
    }

    proptest! {
        /// All that is accepted is written in the end, and the segments never hold more than they can.
        #[test]
        fn everything_accepted_is_written(
            requests in prop::collection::vec((0u64..3_900, 1u64..100, any::<bool>(), 0u64..8), 1..60),
            write_segments in 0usize..4, prebuffers in any::<bool>(),
        ) {
            let mut disk = disk(&cached(prebuffers, write_segments));
            let room = Works::write_segments(&disk.model) as u64 * 64;
            let mut now = 0;
            for (lbn, sectors, write, think) in requests {
                let done = serve(&mut disk, now, lbn, sectors, write);
                prop_assert!(done >= now);
                let works = &disk.works;
                let waiting: u64 = works.accepted.iter().map(|a| a.end - a.lbn).sum();
                prop_assert_eq!(works.unwritten, waiting + works.destage.map_or(0, |d| d.sectors));
                prop_assert!(works.accepted.is_empty() || works.unwritten <= room);
                now = done + think * MS;
            }
            // A write takes two turns and a full seek at most.
            let end = now + 10_000 * MS;
            prop_assert_eq!(disk.writes_until(end), None);
            prop_assert_eq!((disk.works.unwritten, disk.works.accepted.len()), (0, 0));
            prop_assert!(disk.works.buffer.segments.iter().all(|s| s.content() != Content::Dirty));
        }
    }
}
