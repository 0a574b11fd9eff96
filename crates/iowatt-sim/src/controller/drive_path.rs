//! The controller's back end: what a command costs on its way to a drive.
//!
//! A command made for a write (of parity and copies, its reads of old data and parity too) first passes the write path;
//! then every command passes the back end, and only then does it join its drive's queue. Each is a station with a time
//! of its own, the same for all commands. Rebuilds and moves of data pass the second one only.
//!
//! A station takes what reaches it in order of time, and a command reaches the second one when it leaves the first: so
//! each leg ends with an event.

use crate::clock::{Nanos, nanos};
use crate::event::{Event, EventQueue};
use crate::plan::BackEndPlan;
use crate::power::Window;
use crate::station::Station;

/// A station and the time that each command takes of a server.
#[derive(Clone, Debug)]
struct Leg {
    station: Station,
    time: Nanos,
}

impl Leg {
    fn new(time_s: f64, servers: usize) -> Option<Self> {
        let time = nanos(time_s);
        (time > 0).then(|| Self { station: Station::new(servers), time })
    }
}

/// The stations between a pool and the queues of its drives; each only where it takes time.
#[derive(Clone, Debug)]
pub struct DrivePath {
    write: Option<Leg>,
    all: Option<Leg>,
}

impl DrivePath {
    /// The stations of `plan`; `None` where no command takes time.
    #[must_use]
    pub fn new(plan: &BackEndPlan) -> Option<Self> {
        let write = Leg::new(plan.write_command_s, plan.write_processors);
        let all = Leg::new(plan.command_s, plan.processors);
        (write.is_some() || all.is_some()).then_some(Self { write, all })
    }

    /// Command `op` is made, for a write or not. Whether it is under way: else it is at its drive.
    pub fn enter(
        &mut self,
        op: u32,
        for_write: bool,
        now: Nanos,
        window: &Window,
        events: &mut EventQueue,
    ) -> bool {
        let Some(leg) = self.write.as_mut().filter(|_| for_write) else {
            return self.prepared(op, now, window, events);
        };
        events.push(leg.station.serve(now, leg.time, window), Event::Prepared(op));
        true
    }

    /// Command `op` leaves the write path, or need not pass it. Whether it is under way: else it is at its drive.
    pub fn prepared(&mut self, op: u32, now: Nanos, window: &Window, events: &mut EventQueue) -> bool {
        let Some(leg) = &mut self.all else { return false };
        events.push(leg.station.serve(now, leg.time, window), Event::Commanded(op));
        true
    }

    /// A share of the processors of both stations is left, and at least one of each.
    pub fn limit(&mut self, share: f64) {
        for Leg { station, .. } in self.write.iter_mut().chain(&mut self.all) {
            station.close((station.servers() as f64 * share).ceil() as usize);
        }
    }

    /// All processors are back.
    pub fn restore(&mut self, now: Nanos) {
        self.write.iter_mut().chain(&mut self.all).for_each(|leg| leg.station.reopen(now));
    }

    /// Takes back what is booked beyond the end of the run.
    pub fn cut(&mut self, end: Nanos, window: &Window) {
        self.write.iter_mut().chain(&mut self.all).for_each(|leg| leg.station.cut(end, window));
    }

    /// The station of commands made for writes, where it takes time.
    #[must_use]
    pub fn write_path(&self) -> Option<&Station> {
        self.write.as_ref().map(|leg| &leg.station)
    }

    /// The station of all commands, where it takes time.
    #[must_use]
    pub fn back_end(&self) -> Option<&Station> {
        self.all.as_ref().map(|leg| &leg.station)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // tests fail by panicking
mod tests {
    use super::*;

    const ALL: Window = Window { start: 0, end: Nanos::MAX };

    fn path(command_s: f64, write_command_s: f64, processors: usize) -> Option<DrivePath> {
        DrivePath::new(&BackEndPlan { command_s, processors, write_command_s, write_processors: 1 })
    }

    /// Lets `commands` (time, for a write) go; when each joins its drive's queue.
    fn joined(path: &mut DrivePath, commands: &[(Nanos, bool)]) -> Vec<Nanos> {
        let mut events = EventQueue::new(0, 0);
        let mut at = vec![0; commands.len()];
        for (op, &(time, _)) in commands.iter().enumerate() {
            events.push(time, Event::Lost(op as u32));
        }
        while let Some((now, event)) = events.pop_until(Nanos::MAX) {
            match event {
                Event::Lost(op) if path.enter(op, commands[op as usize].1, now, &ALL, &mut events) => {}
                Event::Prepared(op) if path.prepared(op, now, &ALL, &mut events) => {}
                Event::Lost(op) | Event::Prepared(op) | Event::Commanded(op) => at[op as usize] = now,
                _ => {}
            }
        }
        at
    }

    #[test]
    fn a_read_overtakes_a_write_that_is_still_on_the_write_path() {
        let mut path = path(25e-6, 33e-6, 1).unwrap();
        let at = joined(&mut path, &[(0, true), (0, true), (10_000, false)]);
        // Writes leave the write path at 33 and 66 us; the read is at the back end from 10 to 35 us.
        assert_eq!(at, [60_000, 91_000, 35_000]);
        let (write, all) = (path.write_path().unwrap(), path.back_end().unwrap());
        assert_eq!((write.visits, write.busy, write.waited), (2, 66_000, 33_000));
        assert_eq!((all.visits, all.busy, all.waited), (3, 75_000, 2_000));
    }

    #[test]
    fn a_station_without_time_is_none() {
        assert!(path(0.0, 0.0, 4).is_none());
        let mut reads_free = path(0.0, 33e-6, 1).unwrap();
        assert_eq!(joined(&mut reads_free, &[(5, false), (5, true)]), [5, 33_005]);
        assert!(reads_free.back_end().is_none());
        let mut alike = path(25e-6, 0.0, 1).unwrap();
        assert_eq!(joined(&mut alike, &[(0, false), (0, true)]), [25_000, 50_000]);
    }

    #[test]
    fn half_of_the_processors_are_lost_and_return() {
        let mut path = path(10e-6, 0.0, 3).unwrap();
        path.limit(0.5);
        assert_eq!(joined(&mut path, &[(0, false); 4]), [10_000, 10_000, 20_000, 20_000]);
        path.restore(100_000);
        assert_eq!(joined(&mut path, &[(100_000, false); 3]), [110_000; 3]);
    }

    #[test]
    fn the_end_of_the_run_cuts_what_is_under_way() {
        let mut path = path(10e-6, 0.0, 2).unwrap();
        joined(&mut path, &[(0, false); 5]);
        assert_eq!(path.back_end().unwrap().busy, 50_000);
        path.cut(25_000, &ALL);
        // One server until 30 us, one until 20 us.
        assert_eq!(path.back_end().unwrap().busy, 45_000);
    }
}
