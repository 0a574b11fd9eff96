//! One drive alone against a measured trace: how measured drives are compared with their model.
//!
//! [`replay`] keeps one request outstanding, with the think times of the trace between; [`replay_open`] lets requests
//! arrive at their recorded times and queues them in front of the drive. Both tell the caller what became of every
//! single request, which a simulation of a whole system keeps in histograms only.

use super::hdd::{Access, Disk, Line, Model};
use super::queue::Queue;
use crate::clock::Nanos;
use crate::plan::{HddPlan, PlanError, SchedulerPlan};
use std::sync::Arc;

/// A request of a measured trace.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    /// First sector.
    pub lbn: u64,
    /// Sectors.
    pub sectors: u64,
    /// Direction.
    pub write: bool,
    /// When it comes: how long after the completion of the one before it, or in an open replay, at what time.
    pub pace: Nanos,
}

/// Why requests cannot be replayed. Requests are numbered from 1.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The drive's plan cannot be run.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A request arrives before the one before it.
    #[error("request {request}: arrives before the one before it")]
    Order {
        /// Its number.
        request: usize,
    },
    /// A request of no sectors, or past the end of the drive.
    #[error("request {request}: sectors {lbn}..{end} are not on the drive, which has {sectors}")]
    Beyond {
        /// Its number.
        request: usize,
        /// First sector.
        lbn: u64,
        /// One past the last sector.
        end: u64,
        /// Sectors of the drive.
        sectors: u64,
    },
}

/// Replays `requests` on a drive that starts at rest with its platter at `phase` (a fraction of a turn): the first is issued
/// at time zero, each other one its predecessor's think time after its completion.
///
/// # Errors
/// A plan that cannot be, or the number of the first request that lies beyond the drive.
pub fn replay(
    plan: &HddPlan,
    phase: f64,
    requests: impl IntoIterator<Item = Asked>,
    mut each: impl FnMut(Nanos, Access),
) -> Result<(), ReplayError> {
    let (model, mut disk) = at_rest(plan, phase)?;
    let mut now = 0;
    for (number, asked) in requests.into_iter().enumerate() {
        check(&model, number, &asked)?;
        let line = &mut Line { shared: None, now };
        let access = disk.serve(now, asked.lbn, asked.sectors, asked.write, line);
        each(now, access);
        now = access.done + asked.pace;
    }
    Ok(())
}

/// Replays `requests`, in order of their arrival, on the same drive behind a queue of the given discipline, one in service
/// at a time; the drive has a line of its own. `each` is told a request's index, the start of its service and what became
/// of it, in order of service.
///
/// # Errors
/// As [`replay`], or arrivals that are not in order.
pub fn replay_open(
    plan: &HddPlan,
    phase: f64,
    discipline: SchedulerPlan,
    requests: &[Asked],
    mut each: impl FnMut(usize, Nanos, Access),
) -> Result<(), ReplayError> {
    let (model, mut disk) = at_rest(plan, phase)?;
    for (number, asked) in requests.iter().enumerate() {
        check(&model, number, asked)?;
        if number > 0 && asked.pace < requests[number - 1].pace {
            return Err(ReplayError::Order { request: number + 1 });
        }
    }
    let mut queue = Queue::new(discipline);
    let mut arriving = requests.iter().enumerate().peekable();
    let mut now = 0;
    loop {
        // Who finds the drive at rest is served at once, whoever else comes in that instant.
        if queue.is_empty() {
            let Some((index, asked)) = arriving.next() else { return Ok(()) };
            now = now.max(asked.pace);
            disk.background(now); // brings the arm to where it is by now
            queue.push(now, index as u32, asked.lbn, asked.write);
        }
        let Some(chosen) = queue.pop(now, &mut disk) else { return Ok(()) };
        let asked = &requests[chosen.op as usize];
        let detour = chosen.via.map_or(0, |edge| disk.sweep_to(now, edge));
        let line = &mut Line { shared: None, now };
        let access = disk.serve(now + detour, asked.lbn, asked.sectors, asked.write, line);
        each(chosen.op as usize, now, access);
        now = access.done;
        while let Some((index, asked)) = arriving.next_if(|(_, asked)| asked.pace <= now) {
            queue.push(now, index as u32, asked.lbn, asked.write);
        }
    }
}

fn at_rest(plan: &HddPlan, phase: f64) -> Result<(Arc<Model>, Disk), ReplayError> {
    plan.validate()?;
    let model = Model::new(plan);
    super::check_layout(plan, &model)?;
    let mut disk = Disk::new(&model, 0, 0, 0);
    disk.set_phase(phase);
    Ok((model, disk))
}

fn check(model: &Model, number: usize, asked: &Asked) -> Result<(), ReplayError> {
    let end = asked.lbn.saturating_add(asked.sectors);
    if end > model.sectors() || asked.sectors == 0 {
        let (request, lbn, sectors) = (number + 1, asked.lbn, model.sectors());
        return Err(ReplayError::Beyond { request, lbn, end, sectors });
    }
    Ok(())
}
