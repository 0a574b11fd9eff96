//! The end of a run: what is under way is cut, and the figures are gathered.

use super::Simulation;
use crate::error::SimError;
use crate::power::Managed;
use crate::results::{self, Outcome};

impl Simulation<'_> {
    /// Ends the run.
    pub(super) fn finish(mut self) -> Result<Outcome, SimError> {
        if let Some(log) = &mut self.back_end {
            log.flush();
        }
        let end = self.end.unwrap_or(self.now);
        for drive in &mut self.drives {
            drive.finish(end, &self.ops, &mut self.observer);
        }
        for host in self.hosts.values().into_iter().filter(|host| !host.trim) {
            self.observer.unfinished(end, host.workload as usize, host.arrived);
        }
        for bus in &mut self.buses {
            bus.cut(end, self.observer.window());
        }
        if let Some(paths) = &mut self.paths {
            paths.cut(end, self.observer.window());
        }
        if let Some(path) = &mut self.drive_path {
            path.cut(end, self.observer.window());
        }
        self.observer.finish(end);
        if self.foresees
            && let Some(drive) =
                self.drives.iter().position(|d| d.managed().is_some_and(Managed::contradicted))
        {
            return Err(SimError::Foresight { drive });
        }
        let parts = results::Parts {
            drives: &self.drives,
            pools: &self.pools,
            buses: &self.buses,
            spin_ups: &self.spin_ups,
            controller: self.controller.as_deref(),
            drive_path: self.drive_path.as_deref(),
            paths: self.paths.as_deref(),
            trims: &self.trims,
            volumes: self.volumes.as_deref(),
        };
        Ok(results::collect(&self.observer, &self.flows, parts, self.finished, self.events.scheduled()))
    }
}
