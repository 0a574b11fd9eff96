//! A tape drive that reads or writes on: its buffer, the speed of its tape, and what happens when the host is too slow.
//!
//! The tape has work as long as it may go on: bytes in the buffer that it has to write, or room in the buffer for what it
//! reads ahead. A request adds its bytes to that work, and is done once the work fits the buffer: what it wrote is in there,
//! or what it reads has come off the tape. So reads and writes obey the same arithmetic; a write begins with an empty
//! buffer, a read with the room of a whole one.
//!
//! The tape starts with work for half a buffer. Its speed follows the host, a little faster where the buffer is the tape's to
//! work off, at full speed from three quarters on, and never below the slowest. Out of work it stops and repositions: it
//! overshoots, goes back, and waits to start again.

use crate::clock::{Nanos, nanos, whole};
use crate::plan::TapeDrivePlan;

/// What a tape does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// Reads or writes.
    Transfer,
    /// Goes back to where it stopped.
    Reposition,
    /// Stands still.
    Wait,
    /// Runs out of work at that instant.
    Stop,
}

/// Speeds and sizes of a drive.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Bytes per ns, slowest and fastest.
    slowest: f64,
    fastest: f64,
    interface: f64,
    buffer: u64,
    reposition: Nanos,
    flush: Nanos,
}

impl Pace {
    /// That of a drive.
    pub fn new(plan: &TapeDrivePlan) -> Self {
        let [slowest, fastest] = plan.speed_bytes_per_s;
        Self {
            slowest: slowest / 1e9,
            fastest: fastest / 1e9,
            interface: plan.interface_bytes_per_s / 1e9,
            buffer: plan.buffer_bytes,
            reposition: nanos(plan.reposition_s),
            flush: nanos(plan.flush_s),
        }
    }
}

/// A run of requests, each of which goes on where the one before it ended.
#[derive(Clone, Copy, Debug)]
pub struct Stream {
    pub write: bool,
    /// Where a request goes on with it: a byte of the cartridge.
    pub next: u64,
    /// Where the tape was when `work` was counted.
    at: u64,
    /// Bytes that the tape may go on for.
    work: u64,
    motion: Motion,
    /// Bytes per ns of the tape, or of its next start.
    speed: f64,
    /// Since when, and how many bytes, hosts have asked for after the last estimate of their speed.
    asked: (Nanos, u64),
    /// That estimate, bytes per ns.
    host: Option<f64>,
}

#[derive(Clone, Copy, Debug)]
enum Motion {
    /// It can start at `ready`, and does so at `due`.
    Stopped { ready: Nanos, due: Nanos },
    /// It has worked off `work` since then.
    Moving { since: Nanos },
}

/// Never.
const NEVER: Nanos = Nanos::MAX;

fn time_of(bytes: u64, speed: f64) -> Nanos {
    whole((bytes as f64 / speed).ceil())
}

impl Stream {
    /// A stream from a byte on that the head has come to at `now`.
    pub fn new(write: bool, from: u64, now: Nanos, pace: &Pace) -> Self {
        Self {
            write,
            next: from,
            at: from,
            work: if write { 0 } else { pace.buffer },
            motion: Motion::Stopped { ready: now, due: NEVER },
            speed: pace.fastest,
            asked: (now, 0),
            host: None,
        }
    }

    /// What the tape does up to `until`, told span by span to `told`, each with its end.
    pub fn advance(&mut self, until: Nanos, pace: &Pace, mut told: impl FnMut(Doing, Nanos)) {
        loop {
            match self.motion {
                Motion::Moving { since } => {
                    let dry = since + time_of(self.work, self.speed);
                    if dry >= until {
                        return told(Doing::Transfer, until);
                    }
                    told(Doing::Transfer, dry);
                    self.at += self.work;
                    self.work = 0;
                    told(Doing::Stop, dry);
                    self.motion = Motion::Stopped { ready: dry + pace.reposition, due: NEVER };
                }
                Motion::Stopped { ready, due } => {
                    told(Doing::Reposition, ready.min(until));
                    if due >= until {
                        return told(Doing::Wait, until);
                    }
                    told(Doing::Wait, due);
                    self.motion = Motion::Moving { since: due };
                }
            }
        }
    }

    /// The next request of the stream, at `now`, up to which it has been advanced. Returns when it is done.
    pub fn accept(&mut self, size: u64, now: Nanos, pace: &Pace) -> Nanos {
        self.estimate(size, now, pace);
        self.next += size;
        self.work += size;
        let beyond = self.work.saturating_sub(pace.buffer);
        let has_room = match &mut self.motion {
            Motion::Moving { since } => *since + time_of(beyond, self.speed),
            Motion::Stopped { ready, due } => {
                let start = if self.work >= pace.buffer / 2 {
                    now
                } else if self.write {
                    now + pace.flush
                } else {
                    NEVER
                };
                *due = if start == NEVER { NEVER } else { start.max(*ready) };
                self.speed = matched(self.host, self.work, pace);
                if beyond == 0 { now } else { *due + time_of(beyond, self.speed) }
            }
        };
        has_room.max(now + time_of(size, pace.interface))
    }

    /// Measures the speed of the host every eighth of a buffer, and lets the tape follow.
    fn estimate(&mut self, size: u64, now: Nanos, pace: &Pace) {
        let (since, bytes) = self.asked;
        if bytes < pace.buffer / 8 || now == since {
            self.asked.1 += size;
            return;
        }
        self.host = Some(bytes as f64 / (now - since) as f64);
        self.asked = (now, size);
        let Motion::Moving { since } = self.motion else { return };
        let worked = (((now - since) as f64 * self.speed) as u64).min(self.work);
        let speed = matched(self.host, self.work - worked, pace);
        if speed != self.speed {
            self.at += worked;
            self.work -= worked;
            self.speed = speed;
            self.motion = Motion::Moving { since: now };
        }
    }

    /// Ends the stream at `now`, up to which it has been advanced: writes out what is buffered. Returns when the tape starts
    /// and ends that, and the byte at which it is then; the two times are equal where there is nothing to write.
    pub fn end(&self, now: Nanos, pace: &Pace) -> (Nanos, Nanos, u64) {
        match self.motion {
            Motion::Moving { since } if self.write => {
                (now, now.max(since + time_of(self.work, self.speed)), self.at + self.work)
            }
            Motion::Moving { since } => {
                let worked = (((now - since) as f64 * self.speed) as u64).min(self.work);
                (now, now, self.at + worked)
            }
            Motion::Stopped { ready, .. } if self.write && self.work > 0 => {
                let start = now.max(ready);
                (start, start + time_of(self.work, pace.fastest), self.at + self.work)
            }
            Motion::Stopped { .. } => (now, now, self.at),
        }
    }
}

/// The speed of a tape with so much work, bytes per ns.
fn matched(host: Option<f64>, work: u64, pace: &Pace) -> f64 {
    let share = work as f64 / pace.buffer as f64;
    match host {
        Some(host) if share < 0.75 => (host * (0.5 + share)).clamp(pace.slowest, pace.fastest),
        _ => pace.fastest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::tests::drive;

    const S: Nanos = 1_000_000_000;

    /// Runs requests of `size` bytes every `every` ns, later where the one before is not done; returns the time of each
    /// kind of doing, when the last request is done, and the stops.
    fn paced(write: bool, size: u64, every: Nanos, count: u64) -> ([Nanos; 3], Nanos, u64) {
        let pace = Pace::new(&drive());
        let mut stream = Stream::new(write, 0, 0, &pace);
        let (mut spent, mut booked, mut done, mut stops) = ([0; 3], 0, 0, 0);
        for number in 0..count {
            let now = done.max(number * every);
            stream.advance(now, &pace, |doing, until| {
                if doing == Doing::Stop {
                    stops += 1;
                    return;
                }
                spent[doing as usize] += until.max(booked) - booked;
                booked = until.max(booked);
            });
            done = stream.accept(size, now, &pace);
        }
        (spent, done, stops)
    }

    #[test]
    fn a_fast_host_gets_the_fastest_speed_to_the_nanosecond() {
        // A buffer of 1,000 bytes, 100 B/s at most: once it is full, 10 bytes every 0.1 s.
        for write in [true, false] {
            let [one, two] = [5_000, 6_000].map(|count| paced(write, 10, 0, count).1);
            assert_eq!(two - one, 1_000 * S / 10);
            assert_eq!(paced(write, 10, 0, 6_000).2, 0, "the tape never stops");
        }
    }

    #[test]
    fn within_its_range_the_tape_follows_the_host_and_never_stops() {
        // 70 B/s, between 40 and 100. The buffer half full, the tape runs as fast as the host.
        for write in [true, false] {
            let (spent, _, stops) = paced(write, 7, S / 10, 100_000);
            assert_eq!(stops, 0);
            assert!(spent[Doing::Transfer as usize] > 9_980 * S, "{spent:?}");
        }
    }

    #[test]
    fn below_its_slowest_speed_it_stops_and_goes_back() {
        // 20 B/s against 40: a half buffer of 500 lasts 500 / (40 - 20) = 25 s, in which 1,000 bytes are moved; 10,000 bytes
        // take ten such rounds. Repositioning takes 3 s each, and never holds up the host.
        let (spent, done, stops) = paced(true, 2, S / 10, 5_000);
        assert_eq!(done, 4_999 * S / 10 + time_of(2, 1e-6), "5,000 requests, the last one at 499.9 s");
        assert!((9..=10).contains(&stops), "{stops}");
        assert!(spent[Doing::Reposition as usize].abs_diff(stops * 3 * S) <= 3 * S);
        // The tape has moved what came, but for what is buffered, at 40 B/s.
        let moved = spent[Doing::Transfer as usize];
        assert!(((10_000 - 520) * S / 40..=250 * S).contains(&moved), "{moved}");
    }

    #[test]
    fn what_is_buffered_is_written_after_a_while_or_at_the_end() {
        let pace = Pace::new(&drive());
        let mut stream = Stream::new(true, 0, 0, &pace);
        assert_eq!(stream.accept(100, 0, &pace), time_of(100, 1e-6), "1 kB/s into the buffer");
        assert_eq!(stream.end(S, &pace), (S, 2 * S, 100));
        let mut spans = Vec::new();
        // It flushes after 5 s, takes 1 s at 100 B/s, 3 s to go back.
        stream.advance(20 * S, &pace, |doing, until| spans.push((doing, until)));
        assert_eq!(
            spans[1..],
            [
                (Doing::Wait, 5 * S),
                (Doing::Transfer, 6 * S),
                (Doing::Stop, 6 * S),
                (Doing::Reposition, 9 * S),
                (Doing::Wait, 20 * S)
            ]
        );
        assert_eq!(stream.end(20 * S, &pace), (20 * S, 20 * S, 100));
    }
}
