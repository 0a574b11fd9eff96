//! Reading ahead: which reads are sequential, and how far ahead of them the cache reads.
//!
//! A stream is found by address: a read that begins where one ended, or not more than a line behind that, continues
//! it. After some such reads the cache reads ahead; the distance doubles each time the reader has used up half of it,
//! and halves when the reader misses what had been read ahead, because it gave way too early.

use crate::plan::ReadAheadPlan;

/// A sequence of reads.
#[derive(Clone, Copy, Debug)]
struct Stream {
    space: u32,
    /// Granule behind its last read.
    next: u64,
    /// Reads in sequence.
    reads: u32,
    /// Lines to be read ahead; 0 before it begins.
    distance: u64,
    /// Line up to which was read ahead.
    reached: u64,
    /// When it was last continued.
    stamp: u64,
}

/// A read as the detector sees it.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    /// The address space.
    pub space: u32,
    /// First granule.
    pub from: u64,
    /// One past the last granule.
    pub until: u64,
    /// Whether it had to ask for data itself.
    pub missed: bool,
}

/// Streams that are followed, the least recently continued of which gives way to a new one.
#[derive(Debug)]
pub struct Streams {
    followed: Vec<Stream>,
    most: usize,
    after: u32,
    /// Granules of a line.
    line: u64,
    least: u64,
    furthest: u64,
    clock: u64,
}

impl Streams {
    /// None yet, for lines of `line` granules that make `line_bytes`.
    #[must_use]
    pub fn new(plan: &ReadAheadPlan, line: u64, line_bytes: u64) -> Self {
        let least = plan.least_bytes.div_ceil(line_bytes);
        Self {
            followed: Vec::with_capacity(plan.streams),
            most: plan.streams,
            after: plan.after,
            line,
            least,
            furthest: (plan.most_bytes / line_bytes).max(least),
            clock: 0,
        }
    }

    /// Takes note of a read; the lines to be read ahead because of it, in its space.
    pub fn follow(&mut self, read: Seen) -> Option<(u64, u64)> {
        self.clock += 1;
        let (line, stamp) = (self.line, self.clock);
        let continues =
            |s: &&mut Stream| s.space == read.space && read.from <= s.next + line && s.next <= read.until;
        let Some(stream) = self.followed.iter_mut().find(continues) else {
            self.begin(&read, stamp);
            return None;
        };
        stream.stamp = stamp;
        if read.until == stream.next {
            return None;
        }
        stream.next = read.until;
        stream.reads += 1;
        if stream.reads < self.after {
            return None;
        }
        let here = read.until.div_ceil(line);
        if stream.distance == 0 {
            stream.distance = self.least.max(2 * (read.until - read.from).div_ceil(line)).min(self.furthest);
            stream.reached = here;
        } else if read.missed && here <= stream.reached {
            stream.distance = (stream.distance / 2).max(self.least);
            stream.reached = here;
        } else if stream.reached > here + stream.distance / 2 {
            return None;
        } else {
            stream.distance = (2 * stream.distance).min(self.furthest);
            stream.reached = stream.reached.max(here);
        }
        let from = stream.reached;
        stream.reached = here + stream.distance;
        Some((from, stream.reached))
    }

    fn begin(&mut self, read: &Seen, stamp: u64) {
        let new = Stream { space: read.space, next: read.until, reads: 1, distance: 0, reached: 0, stamp };
        if self.followed.len() < self.most {
            self.followed.push(new);
        } else if let Some(oldest) = self.followed.iter_mut().min_by_key(|s| s.stamp) {
            *oldest = new;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of 4 granules, from 2 to 16 lines ahead after 2 reads.
    fn streams(most: usize) -> Streams {
        let plan = ReadAheadPlan {
            streams: most,
            after: 2,
            least_bytes: 2 * 2_048,
            most_bytes: 16 * 2_048,
            share: 0.25,
        };
        Streams::new(&plan, 4, 2_048)
    }

    fn read(from: u64, until: u64) -> Seen {
        Seen { space: 0, from, until, missed: false }
    }

    #[test]
    fn the_distance_doubles_as_the_reader_uses_half_of_it() {
        let mut s = streams(4);
        assert_eq!(s.follow(read(0, 4)), None, "one read is no sequence");
        assert_eq!(s.follow(read(4, 8)), Some((2, 4)), "two lines ahead of line 2");
        assert_eq!(s.follow(read(8, 12)), Some((4, 7)), "one is left of two: four from line 3 on");
        assert_eq!(s.follow(read(12, 16)), None, "three of four are left");
        assert_eq!(s.follow(read(16, 20)), Some((7, 13)), "eight");
        let asked: Vec<_> = (5..30).filter_map(|n| s.follow(read(4 * n, 4 * n + 4))).collect();
        assert_eq!(asked[0], (13, 25), "sixteen, and never more, from line 9 on");
        assert!(asked.windows(2).all(|w| w[0].1 == w[1].0), "nothing twice, nothing left out: {asked:?}");
        assert!(asked.iter().all(|(from, until)| until - from <= 16));
    }

    #[test]
    fn random_and_repeated_reads_are_no_stream() {
        let mut s = streams(4);
        for from in [0, 400, 40, 800, 40, 40, 4_000, 0] {
            assert_eq!(s.follow(read(from, from + 4)), None);
        }
        assert_eq!(s.follow(Seen { space: 1, ..read(4, 8) }), None, "another space");
        assert_eq!(s.follow(read(44, 48)), Some((12, 14)), "this one continues");
    }

    #[test]
    fn streams_are_told_apart_and_the_oldest_gives_way() {
        let mut s = streams(2);
        for n in 0..2 {
            for base in [0, 1_000] {
                assert_eq!(s.follow(read(base + 4 * n, base + 4 * n + 4)).is_some(), n == 1);
            }
        }
        assert_eq!(s.follow(read(2_000, 2_004)), None, "takes the place of the first");
        assert_eq!(s.follow(read(8, 12)), None);
        assert_eq!(s.follow(read(12, 16)), Some((4, 6)), "which begins anew");
    }

    #[test]
    fn a_reader_that_misses_what_was_read_ahead_gets_less() {
        let mut s = streams(2);
        for n in 0..20 {
            s.follow(read(4 * n, 4 * n + 4));
        }
        assert_eq!(s.followed[0].distance, 16);
        assert_eq!(
            s.follow(Seen { missed: true, ..read(80, 84) }),
            Some((21, 29)),
            "again from here, by half"
        );
    }
}
