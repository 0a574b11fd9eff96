//! Where the time of each request goes: every nanosecond between its arrival and its completion is booked once, to a slot
//! (a hop, the port, a part of the array) as waiting or service.
//!
//! A request's sheet is booked up to a moment, never twice: [`Sheets::book`] gives a slot what lies between the last
//! moment booked and a later one. So the parts add up to the response time whatever the rooms do. Where pieces of one
//! request run side by side, the time goes to the one whose stage ends next.

use crate::clock::Nanos;

/// Waiting or service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// For something else to be done with.
    Waiting = 0,
    /// Being worked on, or on the way.
    Service = 1,
}

/// The parts of an array, behind the slots of the path to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The target port.
    Port = 0,
    /// The controller's processors, interrupts that are held back included.
    Processors = 1,
    /// Waiting for space in the cache.
    Space = 2,
    /// The link to the partner controller.
    Mirror = 3,
    /// All behind the cache until the last command is in its drive's queue.
    Storage = 4,
    /// The drive that was last: its queue, its service.
    Drive = 5,
    /// The limits of a volume and the wait for a place in the array; a slot only where there are any, or replication.
    Qos = 6,
    /// The remote array's copy of a write and the way to it; a slot only where there is replication.
    Replication = 7,
}

/// Slots of the parts of every array.
pub const PARTS: usize = 6;

/// Not on a path: no moment is later.
const OFF: Nanos = Nanos::MAX;

/// When the drive operation that ended last came to its drive's queue, was begun and ended.
#[derive(Clone, Copy, Debug, Default)]
pub struct LastOperation {
    /// In the drive's queue.
    pub arrived: Nanos,
    /// In service.
    pub started: Nanos,
    /// Done.
    pub done: Nanos,
}

/// The sheets of all requests on their way, by the requests' keys.
#[derive(Debug)]
pub struct Sheets {
    /// Slots of a sheet.
    slots: usize,
    /// Until when each is booked.
    booked: Vec<Nanos>,
    /// The first slot of the array's parts.
    parts: Vec<u16>,
    /// Waiting and service of each slot.
    times: Vec<Nanos>,
    /// What a drive did last.
    pub last: LastOperation,
}

impl Sheets {
    /// Sheets of so many slots at most.
    #[must_use]
    pub fn new(slots: usize) -> Self {
        Self { slots, booked: vec![], parts: vec![], times: vec![], last: LastOperation::default() }
    }

    /// Opens the sheet of request `host`, which arrives now; the array's parts begin at slot `parts`.
    pub fn open(&mut self, host: u32, now: Nanos, parts: usize) {
        let at = host as usize;
        if at >= self.booked.len() {
            self.booked.resize(at + 1, OFF);
            self.parts.resize(at + 1, 0);
            self.times.resize((at + 1) * 2 * self.slots, 0);
        }
        self.booked[at] = now;
        self.parts[at] = parts as u16;
        self.times[at * 2 * self.slots..(at + 1) * 2 * self.slots].fill(0);
    }

    /// Until when the sheet of request `host` is booked.
    #[must_use]
    pub fn booked(&self, host: u32) -> Nanos {
        self.booked[host as usize]
    }

    /// Books what is left until `until` to `slot`.
    #[inline]
    pub fn book(&mut self, host: u32, slot: usize, kind: Kind, until: Nanos) {
        let at = host as usize;
        if let Some(booked) = self.booked.get_mut(at)
            && until > *booked
            && *booked != OFF
        {
            self.times[(at * self.slots + slot) * 2 + kind as usize] += until - *booked;
            *booked = until;
        }
    }

    /// Books what is left until `until` to a part of the array.
    #[inline]
    pub fn book_part(&mut self, host: u32, part: Part, kind: Kind, until: Nanos) {
        if let Some(&parts) = self.parts.get(host as usize) {
            self.book(host, usize::from(parts) + part as usize, kind, until);
        }
    }

    /// The pools have done what request `host` waited for: it was the drive, where one ended an operation just now, and
    /// what led to that operation before.
    pub fn book_storage(&mut self, host: u32, now: Nanos) {
        let last = self.last;
        if last.done == now && last.started < now {
            self.book_part(host, Part::Storage, Kind::Service, last.arrived);
            self.book_part(host, Part::Drive, Kind::Waiting, last.started);
            self.book_part(host, Part::Drive, Kind::Service, now);
        }
        self.book_part(host, Part::Storage, Kind::Service, now);
    }

    /// Service of request `host` so far, all slots together.
    #[must_use]
    pub fn service(&self, host: u32) -> Nanos {
        let at = host as usize;
        self.times[at * 2 * self.slots..(at + 1) * 2 * self.slots].iter().skip(1).step_by(2).sum()
    }

    /// Closes the sheet of request `host`: its times by slot, waiting and service in turn, and until when they are booked.
    pub fn close(&mut self, host: u32) -> (&[Nanos], Nanos) {
        let at = host as usize;
        let booked = std::mem::replace(&mut self.booked[at], OFF);
        (&self.times[at * 2 * self.slots..(at + 1) * 2 * self.slots], booked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_drive_and_what_led_to_it() {
        let mut sheets = Sheets::new(2 + PARTS);
        sheets.open(3, 100, 2);
        sheets.book_part(3, Part::Processors, Kind::Service, 150);
        sheets.last = LastOperation { arrived: 160, started: 200, done: 260 };
        sheets.book_storage(3, 260);
        let (times, until) = sheets.close(3);
        assert_eq!(until, 260);
        assert_eq!(times[6..8], [0, 50], "processors");
        assert_eq!(times[12..], [0, 10, 40, 60], "storage, then the drive's queue and service");
        sheets.book(3, 0, Kind::Waiting, 500);
        assert_eq!(sheets.close(3).1, OFF, "a closed sheet takes nothing");
    }

    #[test]
    fn an_operation_of_another_moment_is_not_the_last_one() {
        let mut sheets = Sheets::new(PARTS);
        sheets.open(0, 0, 0);
        sheets.last = LastOperation { arrived: 0, started: 1, done: 5 };
        sheets.book_storage(0, 9);
        assert_eq!(sheets.close(0).0[8..], [0, 9, 0, 0]);
    }

    proptest! {
        #[test]
        fn parts_add_up_whatever_is_booked(
            arrived in 0u64..1_000, steps in prop::collection::vec((0usize..8, prop::bool::ANY, 0u64..5_000), 0..30)
        ) {
            let mut sheets = Sheets::new(8);
            sheets.open(1, arrived, 2);
            for &(slot, waits, until) in &steps {
                sheets.book(1, slot, if waits { Kind::Waiting } else { Kind::Service }, until);
            }
            let (times, until) = sheets.close(1);
            prop_assert_eq!(times.iter().sum::<u64>(), until - arrived);
        }
    }
}
