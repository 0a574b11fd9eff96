//! The hosts: their workloads, and the requests in flight.

mod canonical;

use super::Progress;
use crate::arrival::Arrivals;
use crate::clock::Nanos;
use crate::error::SimError;
use crate::event::{Clock, Event};
use crate::observe::Observer;
use crate::plan::{Plan, VolumePlan};
use crate::rng::{Component, Stream};
use crate::slab::Slab;
use iowatt_trace::{Op, Request, Source};

/// A host request in flight.
#[derive(Clone, Copy, Debug)]
pub(super) struct HostRequest {
    pub arrived: Nanos,
    /// Parts (drive operations, or one request to the layer below) that are not done yet.
    parts_left: u32,
    pub workload: u32,
    pub size: u32,
    stream: u32,
    pub write: bool,
    pub trim: bool,
}

/// A workload and the volume it addresses.
pub(super) struct Workload<'a> {
    pub arrivals: Arrivals<'a>,
    pub volume: VolumePlan,
    /// Its index.
    number: usize,
    /// The path its requests take; `None`: they are at the array as they arrive.
    pub path: Option<usize>,
    /// Draws which writes are all zeros, and their share; only where zeros are detected.
    zeros: Option<(Stream, f64)>,
    /// Requests issued.
    issued: u64,
    /// Completed trims.
    trims: u64,
}

/// All workloads and their requests in flight.
pub(super) struct Hosts<'a> {
    pub workloads: Vec<Workload<'a>>,
    requests: Slab<HostRequest>,
    /// Requests completed, trims included.
    pub completed: u64,
}

impl<'a> Hosts<'a> {
    /// The workloads of `plan`, whose requests are those of `sources`, in the same order. `detects_zeros` and `takes_trims` say
    /// of a space whether that is known of what comes to it.
    pub fn new(
        plan: &Plan,
        sources: Vec<Box<dyn Source + 'a>>,
        detects_zeros: impl Fn(usize) -> bool,
        takes_trims: impl Fn(usize) -> bool,
    ) -> Self {
        let workload = |(index, (workload, source)): (usize, (&crate::plan::WorkloadPlan, _))| {
            let volume = plan.volumes[workload.volume].clone();
            let trims = plan.controller.is_none() && takes_trims(volume.pool);
            let share = workload.zero_share;
            let draws = share > 0.0 && detects_zeros(volume.pool);
            Workload {
                arrivals: Arrivals::new(workload, source, plan.seed, index, trims),
                volume,
                number: workload.volume,
                path: workload.path,
                zeros: draws.then(|| (Stream::new(plan.seed, Component::Zeros, index), share)),
                issued: 0,
                trims: 0,
            }
        };
        let workloads = plan.workloads.iter().zip(sources).enumerate().map(workload).collect();
        Self { workloads, requests: Slab::default(), completed: 0 }
    }

    /// Schedules the next arrival of an open workload.
    #[inline(always)]
    pub fn schedule(&mut self, workload: usize, clock: &mut Clock) -> Result<(), SimError> {
        if let Some(at) = self.workloads[workload].arrivals.schedule()? {
            clock.events.push(at.max(clock.now), Event::Arrival(workload as u32));
        }
        Ok(())
    }

    /// The next request that a workload may issue at `now`.
    #[inline(always)]
    pub fn take(&mut self, workload: usize, now: Nanos) -> Result<Option<Request>, SimError> {
        self.workloads[workload].arrivals.take(now)
    }

    /// Issues a request: counts it and returns its key.
    #[inline]
    pub fn issue(
        &mut self,
        workload: usize,
        request: &Request,
        now: Nanos,
        observer: &mut Observer,
    ) -> Result<u32, SimError> {
        let issuer = &mut self.workloads[workload];
        issuer.issued += 1;
        let (offset, size) = (request.offset, u64::from(request.size));
        let (end, capacity) = (offset.saturating_add(size), issuer.volume.capacity_bytes);
        if end > capacity {
            return Err(SimError::BeyondVolume { workload, request: issuer.issued, offset, end, capacity });
        }
        let (write, trim) = (request.op == Op::Write, request.op == Op::Trim);
        if !trim {
            observer.arrived(now);
            observer.issued_at(now, workload, (offset, size, write));
        }
        Ok(self.requests.insert(HostRequest {
            arrived: now,
            parts_left: 0,
            workload: workload as u32,
            size: request.size,
            stream: request.stream,
            write,
            trim,
        }))
    }

    /// Draws whether a write of `workload` is all zeros.
    pub fn draws_zeros(&mut self, workload: usize) -> bool {
        self.workloads[workload].zeros.as_mut().is_some_and(|(stream, share)| stream.unit() < *share)
    }

    /// The volume of a workload.
    pub fn volume_of(&self, workload: usize) -> usize {
        self.workloads[workload].number
    }

    /// The request of the given key.
    #[inline]
    pub fn request(&self, key: u32) -> HostRequest {
        self.requests.get(key)
    }

    /// A request has so many parts more to wait for.
    #[inline]
    pub fn add_parts(&mut self, key: u32, parts: u32) {
        self.requests.get_mut(key).parts_left += parts;
    }

    /// A part of a request is done; returns whether it was the last one.
    #[inline(always)]
    pub fn part_done(&mut self, key: u32) -> bool {
        let parts = &mut self.requests.get_mut(key).parts_left;
        *parts -= 1;
        *parts == 0
    }

    /// A request has its answer. Returns its workload and, where a think time follows, when that ends.
    #[inline]
    pub fn complete(&mut self, key: u32, now: Nanos, observer: &mut Observer) -> (usize, Option<Nanos>) {
        let host = self.requests.remove(key);
        let index = host.workload as usize;
        let workload = &mut self.workloads[index];
        self.completed += 1;
        if host.trim {
            workload.trims += 1;
        } else {
            observer.completed(now, index, host.write, host.arrived, host.size);
        }
        (index, workload.arrivals.completed(now, host.stream))
    }

    /// Whether nothing is in flight and nothing more will arrive.
    #[inline]
    pub fn is_drained(&self) -> bool {
        self.requests.is_empty() && self.workloads.iter().all(|w| w.arrivals.is_exhausted())
    }

    /// Completed trims, by workload.
    pub fn trims(&self) -> Vec<u64> {
        self.workloads.iter().map(|workload| workload.trims).collect()
    }

    /// How far the run is.
    pub fn progress(&self) -> Progress {
        let fractions: Option<Vec<f64>> = self.workloads.iter().map(|w| w.arrivals.progress()).collect();
        let fraction = fractions.filter(|f| !f.is_empty()).map(|f| f.iter().sum::<f64>() / f.len() as f64);
        Progress { fraction, requests: self.completed }
    }

    /// Counts the requests still in flight at the end of the run.
    pub fn finish(&self, end: Nanos, observer: &mut Observer) {
        for host in self.requests.values().into_iter().filter(|host| !host.trim) {
            observer.unfinished(end, host.workload as usize, host.write, host.arrived);
        }
    }
}
