//! The replications at work: what they ask of pools and hosts, and what they are told.

use super::Engine;
use crate::back_end_log::Reason;
use crate::error::SimError;
use crate::event::{Event, SHIPMENT};
use crate::path::Moment;
use crate::path::timesheet::{Kind, Part};
use crate::raid::Serves;
use crate::replication::{Ask, Replication};
use crate::shape::Shape;

impl<S: Shape> Engine<'_, S> {
    /// The shipment that a key means, where it means one.
    pub(super) fn shipment(&self, key: u32) -> Option<u32> {
        (self.replication.is_some() && key & SHIPMENT != 0).then_some(key & !SHIPMENT)
    }

    /// The array has done a host request: a write of a replicated volume goes on. Whether its answer waits.
    #[inline(never)]
    pub(super) fn replicate(&mut self, key: u32) -> bool {
        let host = self.hosts.request(key);
        if !host.write {
            return false;
        }
        if let Some(paths) = &mut self.paths {
            paths.sheets.book_storage(key, self.around.clock.now);
        }
        let volume = self.hosts.volume_of(host.workload as usize);
        let size = u64::from(host.size);
        self.with_replication(|replication, moment| replication.written(key, volume, size, moment))
            .unwrap_or(false)
    }

    /// Handles an event of the replications alone.
    pub(super) fn replication_event(&mut self, event: Event) {
        self.with_replication(|replication, moment| match event {
            Event::Received(ship) => replication.received(ship, moment),
            Event::Cycle(group) => replication.cycle(group, moment),
            Event::PathLost(group) => replication.lose(group, moment),
            Event::PathBack(group) => replication.regain(group, moment),
            _ => {}
        });
    }

    /// Does one thing that a replication asks for; returns whether there was one.
    pub(super) fn settle_replication(&mut self) -> Result<bool, SimError> {
        let Some(replication) = &mut self.replication else { return Ok(false) };
        match replication.asks.pop_front() {
            None => return Ok(false),
            Some(Ask::Answer { host, served }) => {
                if let Some(paths) = &mut self.paths {
                    let now = self.around.clock.now;
                    paths.sheets.book_part(host, Part::Replication, Kind::Waiting, now - served);
                    paths.sheets.book_part(host, Part::Replication, Kind::Service, now);
                }
                self.answer(host)?;
            }
            Some(Ask::Transfer { ship, space, offset, size, write }) => {
                let now = self.around.clock.now;
                self.around.observer.handed_to(now, space, (offset, offset + size, write));
                let upper = ship | SHIPMENT;
                if self.volumes.is_some() {
                    self.with_replication(|replication, _| replication.sent(ship, 1));
                    self.enter_volumes(space, (upper, write), (offset, size, write));
                } else {
                    let serves = Serves { upper, migrates: false, for_write: write };
                    let made = self.submit(space, (offset, size, write), serves, Reason::Replication);
                    self.with_replication(|replication, _| replication.sent(ship, made));
                }
            }
        }
        Ok(true)
    }

    /// Lets the replications do something.
    pub(super) fn with_replication<T>(
        &mut self,
        act: impl FnOnce(&mut Replication, &mut Moment<'_>) -> T,
    ) -> Option<T> {
        let replication = self.replication.as_deref_mut()?;
        let (now, window) = (self.around.clock.now, self.around.observer.window());
        let events = &mut self.around.clock.events;
        Some(act(replication, &mut Moment { now, window, events }))
    }
}
