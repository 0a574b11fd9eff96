//! A station: like servers, one queue, first come first served.
//!
//! Work reaches it in time order and its duration is known, so the queue is one number for each server:
//! when it is free next. A link is a station of one server.

use crate::clock::Nanos;
use crate::power::Window;

/// State and totals, the totals within the window.
#[derive(Clone, Debug)]
pub struct Station {
    /// When the first server is free, and when the others are: a link needs no memory elsewhere.
    free_at: Nanos,
    others: Vec<Nanos>,
    /// When those that are closed, the last ones, end what they have begun.
    closed: Vec<Nanos>,
    /// Arrivals.
    pub visits: u64,
    /// Busy time of all servers together.
    pub busy: Nanos,
    /// Time that arrivals waited for a server.
    pub waited: Nanos,
}

impl Station {
    /// `servers` free ones.
    #[must_use]
    pub fn new(servers: usize) -> Self {
        let others = vec![0; servers.max(1) - 1];
        Self { free_at: 0, others, closed: Vec::new(), visits: 0, busy: 0, waited: 0 }
    }

    /// Servers, those that are closed included.
    #[must_use]
    pub fn servers(&self) -> usize {
        1 + self.others.len()
    }

    /// When each is free.
    fn each(&self) -> impl Iterator<Item = Nanos> + '_ {
        std::iter::once(self.free_at).chain(self.others.iter().copied())
    }

    /// Until when each is booked, closed ones for what they had begun.
    pub fn booked_until(&self) -> impl Iterator<Item = Nanos> + '_ {
        self.each().filter(|&at| at < Nanos::MAX).chain(self.closed.iter().copied())
    }

    /// When a server is free.
    #[must_use]
    pub fn free_at(&self) -> Nanos {
        self.each().min().unwrap_or(0)
    }

    /// Closes all but `open` servers, at least one; what they have begun they finish.
    pub fn close(&mut self, open: usize) {
        let mut each: Vec<Nanos> = self.each().collect();
        each.sort_unstable();
        let open = open.max(1).min(each.len());
        self.closed = each.split_off(open);
        each.resize(self.servers(), Nanos::MAX);
        self.free_at = each[0];
        self.others.copy_from_slice(&each[1..]);
    }

    /// Opens all servers; those that still work on what they had begun end it first.
    pub fn reopen(&mut self, now: Nanos) {
        // The first server is never closed.
        let closed = self.others.iter_mut().filter(|at| **at == Nanos::MAX);
        closed.zip(self.closed.drain(..)).for_each(|(at, until)| *at = until.max(now));
    }

    /// Takes the server that is free first for `time`, at `now` or later; when it is done.
    #[inline]
    pub fn serve(&mut self, now: Nanos, time: Nanos, window: &Window) -> Nanos {
        let mut first = &mut self.free_at;
        for other in &mut self.others {
            if *other < *first {
                first = other;
            }
        }
        let start = now.max(*first);
        let done = start + time;
        *first = done;
        let (from, until) = window.clip(start, done);
        self.busy += until - from;
        if window.begins(now) {
            self.visits += 1;
            self.waited += start - now;
        }
        done
    }

    /// Takes back what is booked beyond the end of the run. Work begins at its arrival or at once behind what came before,
    /// so beyond the end a server has no gap.
    pub fn cut(&mut self, end: Nanos, window: &Window) {
        let beyond: Nanos = self
            .booked_until()
            .filter(|&at| at > end)
            .map(|until| {
                let (from, booked) = window.clip(end, until);
                booked - from
            })
            .sum();
        self.busy -= beyond;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_servers_take_turns_and_the_third_arrival_waits() {
        let window = Window { start: 0, end: 1_000 };
        let mut station = Station::new(2);
        assert_eq!(station.serve(0, 100, &window), 100);
        assert_eq!(station.serve(10, 100, &window), 110);
        assert_eq!(station.serve(20, 100, &window), 200, "waits 80 for the first");
        assert_eq!((station.visits, station.busy, station.waited), (3, 300, 80));
    }

    #[test]
    fn closed_servers_take_nothing_until_they_are_opened() {
        let window = Window { start: 0, end: 1_000 };
        let mut station = Station::new(3);
        station.serve(0, 50, &window);
        station.close(1);
        assert_eq!((station.serve(0, 10, &window), station.serve(0, 10, &window)), (10, 20));
        station.reopen(15);
        // One of the closed ones works until 50.
        assert_eq!((station.serve(15, 10, &window), station.serve(15, 10, &window)), (25, 30));
    }

    #[test]
    fn a_server_that_was_closed_ends_what_it_had_begun() {
        let window = Window { start: 0, end: Nanos::MAX };
        let mut station = Station::new(2);
        assert_eq!((station.serve(0, 10, &window), station.serve(0, 100, &window)), (10, 100));
        station.close(1);
        station.reopen(20);
        assert_eq!((station.serve(20, 5, &window), station.serve(20, 80, &window)), (25, 105));
        assert_eq!(station.serve(20, 1, &window), 101, "behind what the closed one had begun");
        station.close(1);
        station.cut(50, &window);
        assert_eq!(station.busy, 10 + 50 + 5 + 25, "both until 50, but for 10 to 20 and 25");
    }

    #[test]
    fn busy_time_is_cut_at_the_window() {
        let window = Window { start: 50, end: 80 };
        let mut station = Station::new(1);
        station.serve(0, 100, &window);
        assert_eq!((station.visits, station.busy), (0, 30), "the arrival lies before the window");
    }
}
