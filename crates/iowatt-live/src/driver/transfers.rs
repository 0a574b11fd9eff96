//! Bytes between requests, moves and stores, outside the lock.

use super::live_io::{Action, Job, Owner};
use super::{Driver, Part, lock};
use crate::media::Way;
use iowatt_volume::Scheme;
use std::io;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

impl Driver {
    /// Does a transfer, and tells who waits for it.
    pub(super) fn perform(&self, job: Job, jobs: &mut Vec<Job>) {
        let key = job.key;
        let (part, range, background) = (job.part, job.range, job.request.is_none());
        let way = match job.action {
            Action::Read => Way::Read,
            Action::Write { .. } | Action::WriteBack(_) | Action::Discard { trim: false } => Way::Write,
            Action::Discard { trim: true } => Way::Discard,
        };
        let mut job = Some(job);
        let mut outcome = Ok(Vec::new());
        let mut moving = || {
            if let Some(job) = job.take() {
                outcome = self.transfer(job);
            }
        };
        match &self.beside.media {
            Some(media) => media.transfer(part, range, way, background, &mut moving),
            None => moving(),
        }
        self.locked(jobs, |core| {
            let failure = outcome.as_ref().err().map(ToString::to_string);
            let Some((owner, ok)) = core.io.close(key, outcome) else { return };
            match owner {
                Owner::Request(request) => core.io.let_go(request),
                Owner::Both(request, tag) => {
                    core.scheme.transfer_done(tag, &mut core.io);
                    core.io.let_go(request);
                }
                Owner::Policy(tag) if ok => core.scheme.background_done(tag, &mut core.io),
                Owner::Policy(tag) => {
                    if !core.scheme.background_failed(tag, &mut core.io) {
                        core.io.fail(failure.unwrap_or_default());
                    }
                }
            }
        });
    }

    fn transfer(&self, job: Job) -> io::Result<Vec<u8>> {
        let Part { store, data_at } = &self.parts[job.part];
        let (from, until) = (data_at + job.range.0, data_at + job.range.1);
        match job.action {
            Action::Read => {
                let mut bytes = vec![0; (until - from) as usize];
                store.read(from, &mut bytes)?;
                return Ok(bytes);
            }
            Action::Write { data, first, pieces } => {
                for piece in pieces {
                    let of = (piece.at - first) as usize;
                    let bytes = (piece.range.1 - piece.range.0) as usize;
                    store.write(data_at + piece.range.0, &data[of..of + bytes])?;
                }
            }
            Action::WriteBack(bytes) => store.write(from, &bytes)?,
            Action::Discard { .. } => store.discard((from, until))?,
        }
        Ok(Vec::new())
    }

    /// A thread that does transfers.
    pub(super) fn move_bytes(&self) {
        let mut more = Vec::new();
        loop {
            let mut queue = lock(&self.jobs);
            let job = loop {
                if self.stopped.load(Ordering::Acquire) {
                    return;
                }
                if let Some(job) = queue.pop_front() {
                    break job;
                }
                queue = self.more_jobs.wait(queue).unwrap_or_else(PoisonError::into_inner);
            };
            drop(queue);
            self.perform(job, &mut more);
            self.hand_out(&mut more);
        }
    }
}
