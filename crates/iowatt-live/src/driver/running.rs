//! The threads of a volume in service, from its start to its orderly stop.

use super::clock::Clock;
use super::{Driver, Options, Part, lock};
use crate::journal::Journal;
use iowatt_volume::{Scheme, Schemes};
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::Duration;

/// The threads of a volume in service; they end with [`Self::stop`].
pub struct Running {
    /// The volume.
    pub driver: Arc<Driver>,
    threads: Vec<JoinHandle<()>>,
}

impl Running {
    /// Starts `threads` threads that move bytes, and those that keep time and make durable.
    ///
    /// # Errors
    /// Where the system gives no thread.
    pub fn start(
        scheme: Schemes,
        parts: Vec<Part>,
        journal: Option<Journal>,
        options: Options,
    ) -> io::Result<Self> {
        let Options { threads, beside, mutant, .. } = options;
        let driver = Arc::new(Driver::new(scheme, parts, journal, Clock::runs(), beside, mutant));
        let mut running = Self { driver: Arc::clone(&driver), threads: Vec::new() };
        let mut spawn = |name: String, body: fn(&Driver)| {
            let driver = Arc::clone(&driver);
            let thread = std::thread::Builder::new().name(name).spawn(move || body(&driver))?;
            running.threads.push(thread);
            io::Result::Ok(())
        };
        for number in 0..threads {
            spawn(format!("mover {number}"), Driver::move_bytes)?;
        }
        spawn("durable".into(), Driver::keep_durable)?;
        spawn("alarms".into(), Driver::keep_time)?;
        Ok(running)
    }

    /// Lets what is in flight end, makes everything durable and marks the volume as stopped in order; waits for that. New
    /// requests fail from now on.
    ///
    /// # Errors
    /// What a store says, now or before.
    pub fn stop(mut self) -> io::Result<()> {
        let outcome = self.driver.close();
        self.end();
        outcome
    }

    fn end(&mut self) {
        self.driver.stopped.store(true, Ordering::Release);
        // Under the locks, so that nobody misses it between looking and waiting.
        drop((lock(&self.driver.core), lock(&self.driver.jobs)));
        self.driver.changed.notify_all();
        self.driver.more_jobs.notify_all();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

impl Drop for Running {
    /// Ends the threads as a kill would: nothing more is made durable.
    fn drop(&mut self) {
        self.end();
    }
}

impl Driver {
    fn close(&self) -> io::Result<()> {
        let mut jobs = Vec::new();
        self.locked(&mut jobs, |core| core.io.draining = true);
        self.hand_out(&mut jobs);
        loop {
            let core = lock(&self.core);
            if let Some(why) = &core.io.failed {
                return Err(io::Error::other(why.clone()));
            }
            if core.io.is_idle() && !core.io.committing {
                break;
            }
            drop(core);
            std::thread::sleep(Duration::from_millis(1));
        }
        // What follows is work of this machine on the stores, not of media.
        if let Some(media) = &self.beside.media {
            media.end();
        }
        for part in &self.parts {
            part.store.sync()?;
        }
        if let Some(journal) = &self.journal {
            let map = lock(&self.core).scheme.map();
            lock(journal).replace(&*self.parts[0].store, map, true)?;
        }
        Ok(())
    }

    /// Waits until no request and no move is in flight, or the volume has failed.
    pub fn settle(&self) {
        loop {
            let core = lock(&self.core);
            if core.io.is_idle() && !core.io.committing || core.io.failed.is_some() {
                return;
            }
            drop(core);
            std::thread::sleep(Duration::from_micros(50));
        }
    }
}
