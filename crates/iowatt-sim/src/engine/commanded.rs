//! The engine's side of the controller's back end: commands on their way from a pool to its drives.

use super::Simulation;
use crate::event::Event;

impl Simulation<'_> {
    /// Sends the ready operations on their way.
    #[inline(never)]
    pub(super) fn command(&mut self) {
        for i in 0..self.ready.len() {
            let key = self.ready[i];
            let op = self.ops.get(key);
            let drive = &mut self.drives[op.drive as usize];
            if drive.has_failed() {
                self.events.push(self.now, Event::Lost(key)); // nobody commands what is known to be gone
                continue;
            }
            drive.expect(1);
            let (now, window) = (self.now, self.observer.window());
            let Some(path) = &mut self.drive_path else { continue };
            if !path.enter(key, op.for_write, now, window, &mut self.events) {
                self.commanded(key);
            }
        }
        self.ready.clear();
    }

    /// A command leaves the write path.
    pub(super) fn prepared(&mut self, key: u32) {
        let (now, window) = (self.now, self.observer.window());
        let Some(path) = &mut self.drive_path else { return };
        if !path.prepared(key, now, window, &mut self.events) {
            self.commanded(key);
        }
    }

    /// A command reaches its drive; one whose drive has failed meanwhile is lost.
    pub(super) fn commanded(&mut self, key: u32) {
        let drive = self.ops.get(key).drive as usize;
        self.drives[drive].expect(-1);
        self.hand_to_drive(key);
    }
}
