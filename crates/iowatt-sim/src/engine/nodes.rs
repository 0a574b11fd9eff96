//! Pools on nodes: requests divided by placement groups, operations between nodes, and nodes that fail, join and leave.

use super::backend::{Backend, PoolRequest};
use crate::back_end_log::Reason;
use crate::clock::{Nanos, nanos, seconds};
use crate::cluster::network::{Moment, Next};
use crate::cluster::requests::{Part, Wanted};
use crate::device::{NO_OP, Surroundings};
use crate::error::SimError;
use crate::event::Event;
use crate::plan::Plan;
use crate::raid::{NodeMove, Serves};
use crate::shape::Full;

/// What happens to nodes, by number in their cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
enum What {
    Fail(Vec<usize>),
    /// Those that join or leave at one time: one change of the map.
    Move(Vec<NodeMove>),
}

/// Nodes that fail, join or leave at a time.
#[derive(Clone, Debug)]
pub(super) struct Change {
    cluster: usize,
    what: What,
    at: Nanos,
}

impl Change {
    /// What happens to the nodes of `plan`: at one time failures first, then all that join and leave together.
    pub fn all(plan: &Plan) -> Vec<Self> {
        let mut changes = Vec::new();
        for (cluster, planned) in plan.clusters.iter().enumerate() {
            for failure in &planned.failures {
                let what = What::Fail(planned.failing(*failure).collect());
                changes.push(Self { cluster, what, at: nanos(failure.at_s) });
            }
            let mut moves = Vec::new();
            for (node, times) in planned.nodes.iter().enumerate() {
                for (joins, at) in [(true, times.joins_at_s), (false, times.leaves_at_s)] {
                    moves.extend(at.map(|at| (nanos(at), NodeMove { node, joins })));
                }
            }
            moves.sort_by_key(|&(at, _)| at);
            for together in moves.chunk_by(|one, next| one.0 == next.0) {
                let what = What::Move(together.iter().map(|&(_, change)| change).collect());
                changes.push(Self { cluster, what, at: together[0].0 });
            }
        }
        changes
    }
}

/// The time, and what messages and parts act on.
macro_rules! moment {
    ($around:expr) => {
        &mut Moment::new($around.clock.now, $around.observer.course(), &mut $around.clock.events)
    };
}

impl Backend {
    /// Divides a request of `host` on a pool by placement groups, and sends each part to the node that serves it. Returns how
    /// many there are.
    pub fn divide(
        &mut self,
        (host, pool): (u32, usize),
        (from, size, write): (u64, u64, bool),
        around: &mut Surroundings,
    ) -> u32 {
        let Some(clusters) = &mut self.clusters else { return 0 };
        let (mut next, end, mut parts) = (from, from + size, 0);
        while next < end {
            let serving = &mut clusters.pools[pool];
            serving.requests += 1;
            let number = serving.requests;
            let draw = serving.draws.filter(|_| !write).map(|d| d.word([number, next]));
            let group = self.pools[pool].in_group((next, end), draw);
            let node = serving.node_of[group.drive];
            let bytes = group.until - next;
            let mut part = Part::new(host, pool, (next, bytes, write), node, group.drive);
            if write {
                part.coded = if group.coded { bytes } else { 0 };
                part.slack = serving.acks.map_or(0, |acks| (group.size - acks) as u32);
            }
            clusters.requests.enter(part, &clusters.network, moment!(around));
            next = group.until;
            parts += 1;
        }
        parts
    }

    /// The present stage of a part ends. Returns the host request whose part is done, if it is.
    pub fn part(&mut self, key: u32, around: &mut Surroundings) -> Option<u32> {
        let clusters = self.clusters.as_mut()?;
        match clusters.requests.proceed(key, &mut clusters.network, moment!(around)) {
            Wanted::Nothing => None,
            Wanted::Done(host) => Some(host),
            Wanted::Operations(part) => {
                self.serve(key, &part, around);
                None
            }
        }
    }

    /// The drive operations of a part.
    fn serve(&mut self, key: u32, part: &Part, around: &mut Surroundings) {
        let range = (part.from, part.size, part.write);
        let pool = part.pool as usize;
        let serves = Serves { upper: key, migrates: false, for_write: part.write };
        if let Some(log) = &mut self.log {
            let PoolRequest { pool, range, reason, .. } =
                PoolRequest { pool, range, serves, reason: Reason::Host };
            log.add(around.clock.now, pool, &range, reason);
        }
        let (drives, ready) = (&self.drives, &mut self.ready);
        let drive = part.drive as usize;
        let made = self.pools[pool].submit_at::<Full>(drive, range, serves, drives, &mut around.ops, ready);
        if let Some(clusters) = &mut self.clusters {
            clusters.requests.add_operations(key, made);
            if made == 0 {
                clusters.requests.answer(key, &mut clusters.network, moment!(around));
            }
        }
        self.hand_out::<Full>(around);
    }

    /// Sends the ready operations from the nodes that want them to those of their drives.
    #[inline(never)]
    pub(super) fn send_between_nodes(&mut self, around: &mut Surroundings) {
        let mut before: Option<(u32, u32)> = None;
        for i in 0..self.ready.len() {
            let key = self.ready[i];
            let op = around.ops.at(key);
            let (host, row, write, plain) = (op.host, op.row, op.write, op.row == NO_OP && op.then == NO_OP);
            let (index, sectors) = (op.drive as usize, op.sectors);
            let drive = &mut self.drives[index];
            if drive.has_failed() {
                around.clock.push_now(Event::Lost(key));
                continue;
            }
            drive.expect(1);
            let pool = drive.pool();
            let Some(clusters) = &mut self.clusters else { continue };
            let (serving, first) = (&clusters.pools[pool], self.pools[pool].first_drive());
            let to = serving.node_of[index - first];
            let from = if host == NO_OP {
                self.pools[pool].recovers_to(row).map_or(to, |drive| serving.node_of[drive])
            } else {
                clusters.requests.node(host)
            };
            let pipelined = serving.pipelined && write && plain && host != NO_OP;
            let bytes = sectors * self.pools[pool].sector_bytes();
            clusters.network.prepare(key, (from, to), bytes, write);
            match before.filter(|&(_, other)| pipelined && other == host) {
                Some((previous, _)) => clusters.network.follow(previous, key),
                None => self.first.push(key),
            }
            before = pipelined.then_some((key, host));
        }
        self.ready.clear();
        // Those that pass data on know by now to whom.
        for i in 0..self.first.len() {
            self.send(self.first[i], around);
        }
        self.first.clear();
    }

    fn send(&mut self, key: u32, around: &mut Surroundings) {
        let Some(clusters) = &mut self.clusters else { return };
        let next = clusters.network.send(key, moment!(around));
        self.follow(key, next, around);
    }

    /// A message ends its present leg. Returns what an operation served that is done with it: the key of a part, or [`NO_OP`].
    pub fn message(&mut self, key: u32, around: &mut Surroundings) -> Option<u32> {
        let clusters = self.clusters.as_mut()?;
        let next = clusters.network.proceed(key, moment!(around));
        if next != Next::Delivered {
            self.follow(key, next, around);
            return None;
        }
        let op = around.ops.remove(key);
        let pool = self.drives[op.drive as usize].pool();
        if op.host == NO_OP {
            self.rebuild_done(&op, false, around);
        } else {
            self.pools[pool].complete(&op, &mut self.ready);
            self.hand_out::<Full>(around);
        }
        Some(op.host)
    }

    /// Hands an operation to its drive, if it is there, and its data on to the next node of a pipeline.
    fn follow(&mut self, key: u32, next: Next, around: &mut Surroundings) {
        if next != Next::Drive {
            return;
        }
        let following = self.clusters.as_mut().and_then(|clusters| clusters.network.take_next(key));
        let drive = around.ops.at(key).drive as usize;
        self.drives[drive].expect(-1);
        self.hand_to_drive::<Full>(key, around);
        if let Some(following) = following {
            self.send(following, around);
        }
    }

    /// Whether a drive's answer is at once where it was wanted; else it is under way.
    pub(super) fn answers_at_once(&mut self, key: u32, around: &mut Surroundings) -> bool {
        let Some(clusters) = &mut self.clusters else { return true };
        clusters.network.answer(key, moment!(around))
    }

    /// An operation of a part is done.
    pub fn group_operation_done(&mut self, part: u32, around: &mut Surroundings) {
        let Some(clusters) = &mut self.clusters else { return };
        clusters.requests.operation_done(part, &mut clusters.network, moment!(around));
    }

    /// Schedules what happens to nodes; drives of those that join later are dark until then.
    pub(super) fn schedule_changes(&mut self, around: &mut Surroundings) {
        for (number, change) in self.changes.clone().iter().enumerate() {
            around.clock.events.push(change.at, Event::Change(number as u32));
            let What::Move(moves) = &change.what else { continue };
            for joining in moves.iter().filter(|moving| moving.joins) {
                for pool in 0..self.pools.len() {
                    for drive in self.drives_on(change.cluster, pool, joining.node) {
                        self.drives[drive].begin_dark();
                    }
                }
            }
        }
    }

    /// The drives of a pool on a node of a cluster, among those of all pools.
    fn drives_on(&self, cluster: usize, pool: usize, node: usize) -> Vec<usize> {
        let here = self.clusters.as_ref().is_some_and(|clusters| clusters.pools[pool].cluster == cluster);
        let Some(map) = self.pools[pool].map().filter(|_| here) else { return Vec::new() };
        let first = self.pools[pool].first_drive();
        map.drives_of(node).iter().map(|&drive| first + drive as usize).collect()
    }

    /// Nodes fail, join or leave.
    ///
    /// # Errors
    /// A failure that loses data.
    #[cold]
    pub(super) fn change(&mut self, number: usize, around: &mut Surroundings) -> Result<(), SimError> {
        let Change { cluster, what, at } = self.changes[number].clone();
        let now = around.clock.now;
        for pool in 0..self.pools.len() {
            if self.clusters.as_ref().is_none_or(|clusters| clusters.pools[pool].cluster != cluster) {
                continue;
            }
            match &what {
                What::Fail(nodes) => {
                    let first = self.pools[pool].first_drive();
                    let on_nodes = nodes.iter().flat_map(|&node| self.drives_on(cluster, pool, node));
                    let all: Vec<u32> = on_nodes.map(|drive| (drive - first) as u32).collect();
                    self.fail_nodes((pool, at), &all, around)?;
                }
                What::Move(moves) => {
                    for joining in moves.iter().filter(|moving| moving.joins) {
                        for drive in self.drives_on(cluster, pool, joining.node) {
                            self.drives[drive].begin_at(now, around);
                        }
                    }
                    self.pools[pool].rebalance(now, moves);
                }
            }
            around.clock.push_now(Event::Rebuild(pool as u32));
        }
        Ok(())
    }

    fn fail_nodes(
        &mut self,
        (pool, at): (usize, Nanos),
        all: &[u32],
        around: &mut Surroundings,
    ) -> Result<(), SimError> {
        let first = self.pools[pool].first_drive();
        let left = |&drive: &u32| !self.drives[first + drive as usize].has_failed();
        let failing: Vec<u32> = all.iter().copied().filter(left).collect();
        let Some(&drive) = failing.first() else { return Ok(()) };
        if !self.pools[pool].fail_together(around.clock.now, &failing) {
            return Err(SimError::DataLost { pool, drive: drive as usize, at_s: seconds(at) });
        }
        let mut waiting = Vec::new();
        for drive in failing {
            self.drives[first + drive as usize].fail(around.clock.now, &mut waiting, around);
        }
        waiting.into_iter().for_each(|key| around.clock.push_now(Event::Lost(key)));
        Ok(())
    }
}
