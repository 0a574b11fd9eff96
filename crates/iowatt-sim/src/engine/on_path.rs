//! The engine's side of paths: requests go out to the array and come back.

use super::{HostRequest, Simulation};
use crate::controller::{Incoming, Moment};
use crate::error::SimError;
use crate::observe::Point;
use crate::path::{self, Leaving, Next, Paths};

impl Simulation<'_> {
    /// A request of `(offset, size, write)` enters its workload's path.
    #[inline(never)]
    pub(super) fn enter_path(&mut self, host: u32, workload: usize, range: (u64, u64, bool)) {
        let Some(path) = self.path_of[workload] else { return };
        let (offset, size, write) = range;
        self.with_paths(|paths, moment| {
            paths.enter(Leaving { host, path, offset, size, write }, moment);
            Next::Nothing
        });
    }

    /// What a request on a path has come to ends.
    pub(super) fn path_event(&mut self, host: u32) -> Result<(), SimError> {
        let next = self.with_paths(|paths, moment| paths.proceed(host, moment));
        self.follow(host, next)
    }

    /// The controller has the buffers for a write.
    pub(super) fn allocated(&mut self, host: u32) -> Result<(), SimError> {
        let next = self.with_paths(|paths, moment| paths.allocated(host, moment));
        self.follow(host, next)
    }

    /// Sends the answer of a request back over its path; whether it has one.
    #[inline(never)]
    pub(super) fn answer_over_path(&mut self, key: u32) -> bool {
        let host = self.hosts.get(key);
        if host.trim || self.path_of[host.workload as usize].is_none() {
            return false;
        }
        self.with_paths(|paths, moment| {
            paths.answered(key, moment);
            Next::Nothing
        });
        true
    }

    /// Does what a path asks for.
    fn follow(&mut self, key: u32, next: Next) -> Result<(), SimError> {
        match next {
            Next::Nothing => Ok(()),
            Next::Allocate if self.controller.is_none() => self.allocated(key),
            Next::Allocate => {
                let request = self.incoming(key);
                let Some(controller) = &mut self.controller else { return Ok(()) };
                let window = self.observer.window();
                let sheets = self.paths.as_deref_mut().map(|paths| &mut paths.sheets);
                let events = &mut self.events;
                controller.allocate(request, Moment { now: self.now, window, events, sheets });
                Ok(())
            }
            Next::Array => {
                let host = self.hosts.get(key);
                let (offset, size) = self.paths.as_ref().map_or((0, 0), |paths| paths.range(key));
                self.enter_array(key, host.workload as usize, (offset, size, host.write));
                Ok(())
            }
            Next::Done => {
                let host = self.hosts.get(key);
                self.close_sheet(key, &host)?;
                self.complete_host(key)
            }
        }
    }

    /// A request on a path is done: every nanosecond of it is booked.
    fn close_sheet(&mut self, key: u32, host: &HostRequest) -> Result<(), SimError> {
        let Some(paths) = &mut self.paths else { return Ok(()) };
        let (now, workload) = (self.now, host.workload as usize);
        let window = self.observer.window();
        let counted = window.begins(host.arrived) && now <= window.end;
        let response_ns = now - host.arrived;
        let observed = paths.close(key, workload, response_ns, counted);
        if observed.booked != now {
            let booked_ns = observed.booked.saturating_sub(host.arrived);
            return Err(SimError::Unaccounted { workload, response_ns, booked_ns });
        }
        let points = [(Point::Switch, observed.at_hop), (Point::Array, Some(observed.at_array))];
        for (point, span) in points {
            if let Some((from, until)) = span {
                let response = until - from;
                self.observer.at_point(now, point, workload, host.write, host.arrived, response);
            }
        }
        Ok(())
    }

    /// A request as the controller knows it.
    fn incoming(&self, key: u32) -> Incoming {
        let host = self.hosts.get(key);
        let volume = &self.targets[host.workload as usize];
        let (offset, size) = self.paths.as_ref().map_or((0, 0), |paths| paths.range(key));
        let (pool, from) = (volume.pool as u32, volume.offset_bytes + offset);
        let (workload, write) = (host.workload, host.write);
        Incoming { host: key, workload, pool, from, size, write, zeros: false, interrupts: true }
    }

    fn with_paths(&mut self, act: impl FnOnce(&mut Paths, &mut path::Moment<'_>) -> Next) -> Next {
        let Some(paths) = &mut self.paths else { return Next::Nothing };
        let window = self.observer.window();
        act(paths, &mut path::Moment { now: self.now, window, events: &mut self.events })
    }
}
