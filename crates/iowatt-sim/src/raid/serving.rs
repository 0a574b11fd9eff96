//! A pool of a cluster: which drive's node serves a request, and nodes that fail, join and leave.

use super::chunklets::Chunklets;
use super::{Extent, Pool, Serves};
use crate::cluster::Map;
use crate::device::{Drive, DriveOps};
use crate::plan::{ClusterPlan, ClusterPoolPlan, PlanError, PlanFault, PoolPlan};
use crate::shape::Shape;

/// The part of a request in one placement group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InGroup {
    /// One past its last byte.
    pub until: u64,
    /// The drive whose node serves it.
    pub drive: usize,
    /// Members of the group.
    pub size: usize,
    /// Whether the group has parity.
    pub coded: bool,
}

impl Pool {
    /// The pool of `plan` in a cluster, its sets placed by hashing; volumes take its first `taken_bytes`.
    ///
    /// # Errors
    /// Where drives and failure domains have no room for all members.
    pub fn in_cluster(
        plan: &PoolPlan,
        cluster: (&ClusterPlan, &ClusterPoolPlan),
        (seed, first_drive): (u64, usize),
        taken_bytes: u64,
    ) -> Result<Self, PlanError> {
        let Some(chunklets) = &plan.chunklets else { return Ok(Self::new(plan, seed, first_drive)) };
        let sector_bytes = plan.device.sector_bytes();
        let each = (plan.device.sectors() / (chunklets.bytes / sector_bytes)) as u32;
        let kinds: Vec<(u64, usize)> = chunklets.regions.iter().map(|r| (r.sets, r.set_size)).collect();
        let map = Map::new(cluster, &kinds, each - chunklets.spare as u32, seed);
        let placed = Chunklets::placed(chunklets, (sector_bytes, each), plan.drives(), map, taken_bytes);
        let message = "the drives and failure domains have no room for all placement groups";
        let placed =
            placed.ok_or_else(|| PlanError::new(PlanFault::Capacity, "chunklets.regions", message))?;
        let whole = PoolPlan { chunklets: None, ..plan.clone() };
        let mut pool = Self::new(&whole, seed, first_drive);
        pool.adopt(placed.regions[0]);
        pool.chunklets = Some(Box::new(placed));
        Ok(pool)
    }

    /// The first part of bytes `from..end` that lies in one placement group. `draw` is a number for the choice among replicas,
    /// where any may serve; else the first member that is there does.
    pub fn in_group(&mut self, (from, end): (u64, u64), draw: Option<u64>) -> InGroup {
        let (sector, last) = (self.sector.quotient(from), self.sector.quotient(end + self.sector_bytes - 1));
        let (first, until) = self.enter(sector);
        let touched = self.touch(sector - first, last.min(until) - first);
        let next = sector + self.sectors_of(&touched);
        let size = self.chunklets.as_ref().map_or(1, |c| c.regions[c.current].plan.set_size);
        let coded = self.layout.parity_units() > 0;
        let turn = draw.filter(|_| !coded).map_or(0, |draw| draw as usize % size);
        let lbn = self.layout.stripe_lbn(touched.stripe);
        let order = (turn..size).chain(0..turn);
        let there =
            |&column: &usize| !self.degraded || self.unit_place(column as u64, touched.stripe).is_some();
        let column = { order }.find(there).unwrap_or(0);
        let drive = self.on_drive(Extent { drive: column, lbn, sectors: 1 }).drive;
        InGroup { until: (next * self.sector_bytes).min(end), drive, size, coded }
    }

    /// As [`Self::submit`], for a node that serves the request from `drive`: a copy there is read.
    pub fn submit_at<S: Shape>(
        &mut self,
        drive: usize,
        range: (u64, u64, bool),
        serves: Serves,
        drives: &[Drive],
        ops: &mut DriveOps,
        ready: &mut Vec<u32>,
    ) -> u32 {
        self.preferred = Some(drive);
        let made = self.submit::<S>(range, serves, drives, ops, ready);
        self.preferred = None;
        made
    }

    /// The map of its members, in a cluster.
    #[must_use]
    pub fn map(&self) -> Option<&Map> {
        self.chunklets.as_ref()?.map.as_deref()
    }

    /// Members of each drive.
    #[must_use]
    pub fn members_of_drives(&self) -> Vec<u32> {
        let mut members = vec![0; self.last_plain.len()];
        for place in self.chunklets.iter().flat_map(|chunklets| &chunklets.places) {
            members[place.drive as usize] += 1;
        }
        members
    }
}
