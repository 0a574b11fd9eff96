//! One drive alone, one request outstanding, think times between: how measured drives are compared with their model.

use super::hdd::{Access, Disk, Line, Model};
use crate::clock::Nanos;
use crate::plan::HddPlan;

/// A request of a measured trace.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    /// First sector.
    pub lbn: u64,
    /// Sectors.
    pub sectors: u64,
    /// Direction.
    pub write: bool,
    /// From its completion to the next request.
    pub think: Nanos,
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
    plan.validate()?;
    let model = Model::new(plan);
    if plan.sectors > model.mech.layout.capacity() {
        return Err("the layout holds fewer sectors than the drive offers".into());
    }
    let mut disk = Disk::new(&model, 0, 0, 0);
    disk.set_phase(phase);
    let mut now = 0;
    for (number, asked) in requests.into_iter().enumerate() {
        let end = asked.lbn.saturating_add(asked.sectors);
        if end > model.sectors() || asked.sectors == 0 {
            return Err(format!(
                "request {}: sectors {}..{end} are not on the drive, which has {}",
                number + 1,
                asked.lbn,
                model.sectors()
            ));
        }
        let line = &mut Line { shared: None, now };
        let access = disk.serve(now, asked.lbn, asked.sectors, asked.write, line);
        each(now, access);
        now = access.done + asked.think;
    }
    Ok(())
}
