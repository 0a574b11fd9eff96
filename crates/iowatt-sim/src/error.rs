//! What can stop a simulation.

use crate::plan::PlanError;

/// Errors of building or running a simulation.
#[derive(Debug, thiserror::Error)]
pub enum SimError {
    /// The plan cannot be run. Python checks scenarios first, so this is a fault of ours.
    #[error("plan: {0}")]
    Plan(#[from] PlanError),
    /// The caller did not give one source of requests for each workload.
    #[error("{given} sources were given for {wanted} workloads")]
    Sources {
        /// Sources given.
        given: usize,
        /// Workloads of the plan.
        wanted: usize,
    },
    /// A recorder of response times could not be made: a fault of ours.
    #[error("histogram: {0}")]
    Histogram(#[from] hdrhistogram::CreationError),
    /// A workload's requests could not be read.
    #[error(transparent)]
    Trace(#[from] iowatt_trace::TraceError),
    /// A request does not fit the volume it addresses.
    #[error(
        "workload {workload}, request {request}: bytes {offset}..{end} lie past the end of its volume ({capacity} bytes)"
    )]
    BeyondVolume {
        /// Index of the workload.
        workload: usize,
        /// Number of the request in that workload, from 1.
        request: u64,
        /// First byte.
        offset: u64,
        /// One past the last byte.
        end: u64,
        /// Capacity of the volume.
        capacity: u64,
    },
    /// A failure that the pool's redundancy does not survive.
    #[error("pool {pool} loses data at {at_s} s, when its drive {drive} fails")]
    DataLost {
        /// Index of the pool.
        pool: usize,
        /// Drive within the pool.
        drive: usize,
        /// Seconds from the start.
        at_s: f64,
    },
    /// What an oracle was told of a drive's idle periods did not come true: a fault of ours.
    #[error("the idle periods of drive {drive} are not those of the run that they were taken from")]
    Foresight {
        /// Index of the drive.
        drive: usize,
    },
    /// The parts of a request's time are not its response time: a fault of ours.
    #[error("workload {workload}: the parts of a request's {response_ns} ns add up to {booked_ns} ns")]
    Unaccounted {
        /// Index of the workload.
        workload: usize,
        /// From arrival to completion.
        response_ns: u64,
        /// What its sheet holds.
        booked_ns: u64,
    },
    /// The caller's progress hook asked to stop.
    #[error("stopped")]
    Stopped,
}
