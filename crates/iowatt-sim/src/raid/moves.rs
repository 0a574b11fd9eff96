//! Members of placement groups that move because nodes join or leave a cluster.

use super::Pool;
use super::chunklets::Chunklets;
use super::sparing::{MOVES, Missing, NONE, Sparing};
use crate::clock::Nanos;
use crate::cluster::Map;

/// A node that joins or leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeMove {
    /// The node, by number in its cluster.
    pub node: usize,
    /// Whether it joins, or leaves.
    pub joins: bool,
}

/// What a node that joined or left made move. A member that moves from a node that leaves to one that joins at the same time
/// counts at the one that leaves.
#[derive(Clone, Copy, Debug)]
pub struct Moves {
    /// The node, and whether it joins.
    pub cause: NodeMove,
    /// When it joined, or was told to leave.
    pub at: Nanos,
    /// When the last member had moved.
    pub finished: Option<Nanos>,
    /// Members to move, and moved.
    pub members: u64,
    /// Of these, moved.
    pub moved: u64,
    /// Sectors moved.
    pub sectors: u64,
}

impl Moves {
    fn none(cause: NodeMove, now: Nanos) -> Self {
        Self { cause, at: now, finished: Some(now), members: 0, moved: 0, sectors: 0 }
    }

    /// Sets when the last member had moved, if none is left.
    pub(super) fn end(&mut self, now: Nanos) {
        self.finished = (self.moved == self.members).then_some(now);
    }
}

impl Pool {
    /// Nodes join and leave at one time: their drives take data from now on, or take none any more, and members move as one
    /// change of the map asks for.
    pub fn rebalance(&mut self, now: Nanos, nodes: &[NodeMove]) {
        let Some((sparing, chunklets)) = self.begin_sparing() else { return };
        let Some(mut map) = chunklets.map.take() else { return };
        for &NodeMove { node, joins } in nodes {
            let alive = |drive: &u32| !sparing.dead[*drive as usize];
            let alive: Vec<u32> = map.drives_of(node).iter().copied().filter(alive).collect();
            map.set_present(&alive, joins);
        }
        sparing.reconsider(chunklets, &map, now);
        let homes: Vec<u32> = chunklets.places.iter().map(|place| place.drive).collect();
        let goes_to = |member: usize| {
            let under_way = sparing.missing.get(sparing.entry[member] as usize);
            under_way.and_then(|missing| missing.target).map(|target| target.drive)
        };
        let wanted = map.moves(&homes, goes_to, |member| sparing.entry[member] != NONE);
        let rows = &mut sparing.recovery().moves;
        rows.extend(nodes.iter().map(|&cause| Moves::none(cause, now)));
        let wanted = wanted.unwrap_or_else(|| {
            // Without room for all, what is on a node that leaves stays there.
            for row in rows.iter_mut().rev().take(nodes.len()).filter(|row| !row.cause.joins) {
                row.members =
                    homes.iter().filter(|&&home| map.node_of(home) == row.cause.node).count() as u64;
                row.finished = (row.members == 0).then_some(now);
            }
            Vec::new()
        });
        for (member, drive) in wanted {
            let home = homes[member as usize];
            let rows = &mut sparing.recovery().moves;
            let row = row(rows, map.node_of(home), map.node_of(drive));
            rows[row].members += 1;
            rows[row].finished = None;
            let Some(target) = sparing.take_chunklet(chunklets, drive, member as usize) else { continue };
            let entry = sparing.missing.len() as u32;
            let (lost, target) = (MOVES | row as u32, Some(target));
            sparing.missing.push(Missing { chunklet: member, lost, target, restored: 0 });
            sparing.entry[member as usize] = entry;
            sparing.work[home as usize] += 1;
            if chunklets.held(member as usize) == 0 {
                sparing.moved_in(chunklets, entry, now);
                continue;
            }
            sparing.recovery().enqueue(drive, entry);
        }
        chunklets.map = Some(map);
    }

    /// What nodes that joined or left made move.
    #[must_use]
    pub fn moves(&self) -> &[Moves] {
        let recovery = self.sparing.as_ref().and_then(|sparing| sparing.recovery.as_ref());
        recovery.map_or(&[], |recovery| &recovery.moves)
    }
}

/// Whose move it is from a node to another: that of the one that leaves, else of the one that joins, by the last change of each.
fn row(rows: &[Moves], home: usize, to: usize) -> usize {
    let find = |node: usize, joins: bool| rows.iter().rposition(|row| row.cause == NodeMove { node, joins });
    find(home, false).or_else(|| find(to, true)).unwrap_or(rows.len() - 1)
}

impl Sparing {
    /// Moves that have not begun, and all that goes to drives which take no data any more, are planned anew.
    fn reconsider(&mut self, chunklets: &Chunklets, map: &Map, now: Nanos) {
        for member in 0..self.entry.len() {
            let number = self.entry[member];
            let Some(&Missing { lost, target: Some(target), restored, .. }) =
                self.missing.get(number as usize)
            else {
                continue;
            };
            if (lost & MOVES != 0 && restored == 0) || !map.is_present(target.drive) {
                self.give_up_target(number, chunklets.places[member].drive as usize, now);
                self.owner[target.drive as usize][target.slot as usize] = NONE;
                self.recovery().free(target);
            }
        }
    }
}
