//! A source that is fed part by part.

use super::part::{Part, Tail};
use iowatt_trace::{Code, Fault, Request, Source, TraceError};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Requests of a workload that are still to be read.
#[derive(Debug)]
pub struct Fed {
    workload: usize,
    /// Stretches of parts: of those ahead of it or its own, from the given one on.
    stretches: VecDeque<(Arc<Part>, bool, usize)>,
    tail: Tail,
}

/// The source of a workload of a part, and the way to feed it.
#[derive(Clone, Debug)]
pub struct Feed(Arc<Mutex<Fed>>);

impl Feed {
    /// Nothing yet.
    pub fn new(workload: usize) -> Self {
        Self(Arc::new(Mutex::new(Fed { workload, stretches: VecDeque::new(), tail: Tail::More })))
    }

    /// The requests of `part` come next: with those ahead of it where it is the first one, else behind those of the part
    /// before, with which its first one has come.
    pub fn add(&self, part: &Arc<Part>, begins: bool) {
        let mut fed = self.lock();
        if begins {
            fed.stretches.push_back((Arc::clone(part), true, 0));
        }
        fed.stretches.push_back((Arc::clone(part), false, usize::from(!begins)));
        fed.tail = part.tails[fed.workload];
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Fed> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Source for Feed {
    fn fill(&mut self, out: &mut Vec<Request>, limit: usize) -> Result<bool, TraceError> {
        let mut fed = self.lock();
        let (full, before, workload) = (out.len() + limit, out.len(), fed.workload);
        while let Some((part, ahead, next)) = fed.stretches.front_mut() {
            let all = if *ahead { &part.ahead[workload] } else { &part.requests[workload] };
            let rest = all.get(*next..).unwrap_or_default();
            let count = rest.len().min(full - out.len());
            out.extend_from_slice(&rest[..count]);
            if count < rest.len() {
                *next += count;
                return Ok(true);
            }
            fed.stretches.pop_front();
        }
        match fed.tail {
            Tail::End => Ok(false),
            Tail::More | Tail::Fault if out.len() > before => Ok(true),
            // The one who reads the sources has the error itself. (What is behind is never asked for where there is more.)
            Tail::More | Tail::Fault => {
                Err(TraceError::unusable("part", Fault::new(Code::NotFound, "no request")))
            }
        }
    }

    fn devices(&self) -> &[String] {
        &[]
    }
}
