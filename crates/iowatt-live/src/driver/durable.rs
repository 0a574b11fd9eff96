//! Batches are made durable: stores first, then what the journal says of them, then who waits is told.

use super::live_io::{Batch, Waiter};
use super::{Core, Driver, Mutant, lock};
use crate::media::JournalStore;
use iowatt_volume::{MapRecord, Scheme};
use std::io;
use std::sync::atomic::Ordering;
use std::sync::{MutexGuard, PoisonError};

impl Driver {
    /// The thread that makes batches durable.
    pub(super) fn keep_durable(&self) {
        loop {
            let mut core = lock(&self.core);
            while core.io.batch.waiters.is_empty() {
                if self.stopped.load(Ordering::Acquire) {
                    return;
                }
                core = self.changed.wait(core).unwrap_or_else(PoisonError::into_inner);
            }
            self.make_durable(core);
        }
    }

    /// Makes the batch so far durable, and tells who waits for it.
    pub(super) fn make_durable(&self, mut core: MutexGuard<'_, Core>) {
        let mut jobs = Vec::new();
        let empty = Batch { sync: vec![false; self.parts.len()], ..Batch::default() };
        let batch = std::mem::replace(&mut core.io.batch, empty);
        core.io.committing = true;
        drop(core);
        let outcome = self.commit(&batch.sync, &batch.notes);
        self.locked(&mut jobs, |core| {
            core.io.committing = false;
            if let Err(error) = outcome {
                // After a failed sync nobody knows what is there; only a new start does.
                core.io.store_errors += 1;
                core.io.fail(error.to_string());
                return;
            }
            for waiter in batch.waiters {
                match waiter {
                    Waiter::Policy(tag) => core.scheme.background_done(tag, &mut core.io),
                    Waiter::Request(key) => core.io.let_go(key),
                }
            }
        });
        self.hand_out(&mut jobs);
    }

    fn commit(&self, sync: &[bool], notes: &[MapRecord]) -> io::Result<()> {
        self.commits.fetch_add(1, Ordering::Relaxed);
        let write_notes = || match &self.journal {
            Some(journal) if self.mutant != Mutant::JournalOff => {
                lock(journal).commit(&self.journal_store(), notes)
            }
            _ => Ok(()),
        };
        if self.mutant == Mutant::RecordBeforeData {
            write_notes()?;
        }
        if self.beside.media.is_none() {
            for (part, _) in self.parts.iter().zip(sync).filter(|(_, sync)| **sync) {
                part.store.sync()?;
            }
        }
        write_notes()
    }

    fn journal_store(&self) -> JournalStore<'_> {
        JournalStore { store: &*self.parts[0].store, media: self.beside.media.as_deref() }
    }
}
