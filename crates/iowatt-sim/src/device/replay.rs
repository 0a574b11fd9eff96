//! One drive alone against a measured trace: how measured drives are compared with their model.
//!
//! [`replay`] keeps one request outstanding, with the think times of the trace between; [`replay_open`] lets requests
//! arrive at their recorded times and queues them in front of the drive. Both tell the caller what became of every
//! single request, which a simulation of a whole system keeps in histograms only.

use super::hdd::{Access, Disk, Line, Model};
use super::queue::Queue;
use crate::clock::Nanos;
use crate::plan::{HddPlan, SchedulerPlan};
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
) -> Result<(), String> {
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
) -> Result<(), String> {
    let (model, mut disk) = at_rest(plan, phase)?;
    for (number, asked) in requests.iter().enumerate() {
        check(&model, number, asked)?;
        if number > 0 && asked.pace < requests[number - 1].pace {
            return Err(format!("request {}: arrives before the one before it", number + 1));
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
            queue.push(index as u32, asked.lbn, asked.write);
        }
        let Some(chosen) = queue.pop(now, &mut disk) else { return Ok(()) };
        let asked = &requests[chosen.op as usize];
        let detour = chosen.via.map_or(0, |edge| disk.sweep_to(now, edge));
        let line = &mut Line { shared: None, now };
        let access = disk.serve(now + detour, asked.lbn, asked.sectors, asked.write, line);
        each(chosen.op as usize, now, access);
        now = access.done;
        while let Some((index, asked)) = arriving.next_if(|(_, asked)| asked.pace <= now) {
            queue.push(index as u32, asked.lbn, asked.write);
        }
    }
}

fn at_rest(plan: &HddPlan, phase: f64) -> Result<(Arc<Model>, Disk), String> {
    plan.validate()?;
    let model = Model::new(plan);
    if plan.sectors > model.mech.layout.capacity() {
        return Err("the layout holds fewer sectors than the drive offers".into());
    }
    let mut disk = Disk::new(&model, 0, 0, 0);
    disk.set_phase(phase);
    Ok((model, disk))
}

fn check(model: &Model, number: usize, asked: &Asked) -> Result<(), String> {
    let end = asked.lbn.saturating_add(asked.sectors);
    if end > model.sectors() || asked.sectors == 0 {
        return Err(format!(
            "request {}: sectors {}..{end} are not on the drive, which has {}",
            number + 1,
            asked.lbn,
            model.sectors()
        ));
    }
    Ok(())
}
