//! Recovery and moves of members of a cluster's placement groups, drive by drive.
//!
//! What a failed drive held is restored to drives that hashing draws, in the failure domains that the group leaves; what a
//! node that joins shall have, and what one that leaves has, is copied. Either takes its turn at the drive that it goes to,
//! which has a throttle of its own. A member is served from its new place as far as that has come.

use super::chunklets::{Chunklets, Place};
use super::losses::fresh;
use super::moves::Moves;
use super::sparing::{MOVES, Missing, NONE, Sparing, Step};
use super::{Extent, Pool, Workshop};
use crate::clock::Nanos;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// The drive that things go to.
#[derive(Clone, Debug, Default)]
struct Lane {
    queue: VecDeque<u32>,
    under_way: usize,
    next_at: Nanos,
    alarm: Option<Nanos>,
}

/// Recovery of one pool.
#[derive(Debug)]
pub(super) struct Recovery {
    lanes: Vec<Lane>,
    /// Members without a target yet, in order of failure.
    waiting: VecDeque<u32>,
    /// Drives that may go on.
    due: Vec<u32>,
    alarms: BinaryHeap<Reverse<(Nanos, u32)>>,
    /// The earliest time that is asked for.
    wake: Option<Nanos>,
    /// By drive, chunklets that members have left.
    free: Vec<Vec<u32>>,
    pub(super) moves: Vec<Moves>,
}

/// An alarm that is no drive's: members wait for their targets.
const TARGETS: u32 = NONE;

impl Recovery {
    pub(super) fn new(drives: usize) -> Self {
        Self {
            lanes: vec![Lane::default(); drives],
            waiting: VecDeque::new(),
            due: Vec::new(),
            alarms: BinaryHeap::new(),
            wake: None,
            free: vec![Vec::new(); drives],
            moves: Vec::new(),
        }
    }

    /// Entry `number` waits in the queue of drive `lane`.
    pub(super) fn enqueue(&mut self, lane: u32, number: u32) {
        self.lanes[lane as usize].queue.push_back(number);
        self.due.push(lane);
    }

    /// The chunklet of a drive is free for another member.
    pub(super) fn free(&mut self, place: Place) {
        self.free[place.drive as usize].push(place.slot);
    }

    /// One of the members of moves `row` moves no more.
    fn one_less(&mut self, row: usize, now: Nanos) {
        self.moves[row].members -= 1;
        self.moves[row].end(now);
    }
}

impl Sparing {
    pub(super) fn recovery(&mut self) -> &mut Recovery {
        let drives = self.dead.len();
        self.recovery.get_or_insert_with(|| Box::new(Recovery::new(drives)))
    }

    /// Whether a member is one that moves.
    fn moves(&self, member: usize) -> bool {
        self.missing.get(self.entry[member] as usize).is_some_and(|missing| missing.lost & MOVES != 0)
    }

    /// A drive fails: what it held waits for targets, what went to it for others.
    fn lose(&mut self, chunklets: &Chunklets, now: Nanos, drive: usize) {
        self.dead[drive] = true;
        let lost = self.lost.len() as u32;
        let (mut held, mut count) = (0, 0);
        for slot in 0..self.owner[drive].len() {
            let member = self.owner[drive][slot] as usize;
            if member == NONE as usize {
                continue;
            }
            let used = chunklets.held(member);
            let number = self.entry[member];
            let Some(missing) = self.missing.get(number as usize).copied() else {
                (held, count) = (held + used, count + 1);
                self.entry[member] = self.missing.len() as u32;
                let number = self.missing.len() as u32;
                self.recovery().waiting.push_back(number);
                self.missing.push(Missing { chunklet: member as u32, lost, target: None, restored: 0 });
                for other in chunklets.set_of(member) {
                    self.work[chunklets.places[other].drive as usize] += 1;
                }
                continue;
            };
            let home = chunklets.places[member].drive as usize;
            let moves = missing.lost & MOVES != 0;
            if missing.target.is_some_and(|target| target.drive as usize == drive) {
                self.give_up_target(number, home, now);
            } else if moves && home == drive {
                // What has not moved yet is restored from the others, to the same place.
                (held, count) = (held + used - missing.restored, count + 1);
                self.missing[number as usize].lost = lost;
                self.recovery().one_less((missing.lost & !MOVES) as usize, now);
                for other in chunklets.set_of(member).filter(|&other| other != member) {
                    self.work[chunklets.places[other].drive as usize] += 1;
                }
            }
        }
        self.recovery().lanes[drive].queue.clear();
        if count > 0 {
            self.left.push(count);
            self.lost.push(super::losses::Lost { held, ..fresh(drive, now) });
        }
    }

    /// Entry `number` of a member of drive `home` goes to its target no more: one that moves stays where it is, one that is
    /// restored waits for another.
    pub(super) fn give_up_target(&mut self, number: u32, home: usize, now: Nanos) {
        let Missing { chunklet, lost, target: Some(target), restored } = self.missing[number as usize] else {
            return;
        };
        let work = &mut self.work[target.drive as usize];
        *work = work.saturating_sub(1);
        if lost & MOVES != 0 {
            self.work[home] = self.work[home].saturating_sub(1);
            self.entry[chunklet as usize] = NONE;
            self.recovery().one_less((lost & !MOVES) as usize, now);
        } else {
            self.lost[lost as usize].rebuilt -= restored;
            let missing = &mut self.missing[number as usize];
            (missing.target, missing.restored) = (None, 0);
            self.recovery().waiting.push_back(number);
        }
    }

    fn room(&self, chunklets: &Chunklets, drive: u32) -> bool {
        let at = drive as usize;
        let freed = self.recovery.as_ref().is_some_and(|recovery| !recovery.free[at].is_empty());
        !self.dead[at] && (freed || self.next_spare[at] < chunklets.spare[at].1)
    }

    /// A chunklet of `drive` for a member, taken.
    pub(super) fn take_chunklet(
        &mut self,
        chunklets: &Chunklets,
        drive: u32,
        member: usize,
    ) -> Option<Place> {
        if !self.room(chunklets, drive) {
            return None;
        }
        let at = drive as usize;
        let freed = self.recovery().free[at].pop();
        let slot = freed.unwrap_or_else(|| {
            self.next_spare[at] += 1;
            self.next_spare[at] - 1
        });
        self.owner[at][slot as usize] = member as u32;
        self.work[at] += 1;
        Some(Place { drive, slot })
    }

    /// Drives of the others of a member's group, and those that others go to.
    fn others(&self, chunklets: &Chunklets, member: usize) -> Vec<u32> {
        let others = chunklets.set_of(member).filter(|&other| other != member);
        let drives = others.flat_map(|other| {
            let missing = self.missing.get(self.entry[other] as usize);
            let target = missing.and_then(|missing| missing.target).map(|target| target.drive);
            let home = chunklets.places[other].drive;
            [Some(home).filter(|&home| !self.dead[home as usize]), target]
        });
        drives.flatten().collect()
    }

    /// Takes the next step of drive `lane`, if its throttle allows one.
    fn next_step(&mut self, chunklets: &Chunklets, lane: u32, now: Nanos) -> Option<Step> {
        let (outstanding, step_sectors, pace) = (self.outstanding, self.step_sectors, self.pace);
        loop {
            let at = lane as usize;
            let number = *self.recovery.as_ref()?.lanes[at].queue.front()?;
            let Missing { chunklet, target, restored, .. } = self.missing[number as usize];
            let mine = self.entry[chunklet as usize] == number && target.is_some_and(|t| t.drive == lane);
            let recovery = self.recovery();
            let queue = &mut recovery.lanes[at];
            if !mine {
                queue.queue.pop_front();
                continue;
            }
            if queue.under_way >= outstanding {
                return None;
            }
            if queue.next_at > now {
                if queue.alarm != Some(queue.next_at) {
                    queue.alarm = Some(queue.next_at);
                    let alarm = Reverse((queue.next_at, lane));
                    recovery.alarms.push(alarm);
                }
                return None;
            }
            queue.queue.pop_front();
            queue.under_way += 1;
            let region = &chunklets.regions[chunklets.membership(chunklet as usize).0];
            let step = step_sectors.next_multiple_of(region.layout.unit());
            let until = (restored + step).min(chunklets.held(chunklet as usize));
            queue.next_at = now + ((until - restored) as f64 * pace).round() as Nanos;
            return Some(Step { missing: number, from: restored, until, lane, ..Step::default() });
        }
    }

    /// Member `number` is at its new place.
    pub(super) fn moved_in(&mut self, chunklets: &mut Chunklets, number: u32, now: Nanos) {
        let Missing { chunklet, lost, target: Some(target), .. } = self.missing[number as usize] else {
            return;
        };
        let member = chunklet as usize;
        let (set, old) = (chunklets.set_of(member), chunklets.places[member]);
        let mut ended = |drive: u32, count: u32| {
            let work = &mut self.work[drive as usize];
            *work = work.saturating_sub(count);
        };
        ended(target.drive, 1);
        if lost & MOVES != 0 {
            ended(old.drive, 1);
        } else {
            set.clone().for_each(|other| ended(chunklets.places[other].drive, 1));
        }
        let lost_too = |&other: &usize| other != member && self.entry[other] != NONE && !self.moves(other);
        let others = set.filter(lost_too).count() as u32;
        self.work[old.drive as usize] = self.work[old.drive as usize].saturating_sub(others);
        self.work[target.drive as usize] += others;
        chunklets.places[member] = target;
        self.entry[member] = NONE;
        if lost & MOVES != 0 {
            self.owner[old.drive as usize][old.slot as usize] = NONE;
            let recovery = self.recovery();
            recovery.free[old.drive as usize].push(old.slot);
            let moves = &mut recovery.moves[(lost & !MOVES) as usize];
            moves.moved += 1;
            moves.end(now);
            return;
        }
        self.left[lost as usize] -= 1;
        if self.left[lost as usize] == 0 {
            self.lost[lost as usize].finished = Some(now);
        }
    }
}

impl Pool {
    /// Drives of the pool fail at once. Returns whether all data is still there.
    #[must_use]
    pub fn fail_together(&mut self, now: Nanos, drives: &[u32]) -> bool {
        let Some((sparing, chunklets)) = self.begin_sparing() else { return false };
        if let Some(map) = &mut chunklets.map {
            map.set_present(drives, false);
        }
        let fresh: Vec<usize> = drives.iter().map(|&d| d as usize).filter(|&d| !sparing.dead[d]).collect();
        fresh.iter().for_each(|&drive| sparing.lose(chunklets, now, drive));
        !fresh.iter().any(|&drive| sparing.data_is_lost(chunklets, drive))
    }

    /// The drive that the recovery step of the given key is for.
    #[must_use]
    pub fn recovers_to(&self, step: u32) -> Option<usize> {
        Some(self.sparing.as_ref()?.steps.at(step).lane as usize)
    }

    pub(super) fn begin_sparing(&mut self) -> Option<(&mut Sparing, &mut Chunklets)> {
        let plan = self.recovery.as_ref()?.rebuild;
        let chunklets = self.chunklets.as_mut()?;
        let sector_bytes = self.sector_bytes;
        self.degraded = true;
        let sparing =
            self.sparing.get_or_insert_with(|| Box::new(Sparing::new(chunklets, &plan, sector_bytes)));
        Some((sparing, chunklets))
    }

    /// Begins what throttles allow. Returns when to ask again, if at all.
    pub(super) fn recover(&mut self, shop: &mut Workshop<'_>) -> Option<Nanos> {
        self.choose_targets(shop.now);
        while let Some(lane) = self.next_due(shop.now) {
            while let (Some(sparing), Some(chunklets)) = (&mut self.sparing, &self.chunklets)
                && let Some(step) = sparing.next_step(chunklets, lane, shop.now)
            {
                let lost = sparing.missing[step.missing as usize].lost;
                if lost & MOVES == 0 {
                    sparing.lost[lost as usize].started.get_or_insert(shop.now);
                }
                let key = sparing.steps.insert(step);
                self.read_step(key, shop);
            }
        }
        let recovery = self.sparing.as_mut()?.recovery.as_mut()?;
        let next = recovery.alarms.peek().map(|Reverse((at, _))| *at)?;
        let sooner = recovery.wake.is_none_or(|wake| wake <= shop.now || next < wake);
        sooner.then(|| {
            recovery.wake = Some(next);
            next
        })
    }

    /// A drive that may go on.
    fn next_due(&mut self, now: Nanos) -> Option<u32> {
        let recovery = self.sparing.as_mut()?.recovery.as_mut()?;
        if let Some(lane) = recovery.due.pop() {
            return Some(lane);
        }
        while let Some(&Reverse((at, lane))) = recovery.alarms.peek()
            && at <= now
        {
            recovery.alarms.pop();
            if lane != TARGETS {
                recovery.lanes[lane as usize].alarm = None;
                return Some(lane);
            }
        }
        None
    }

    /// Chooses targets for members whose failure is long enough ago.
    fn choose_targets(&mut self, now: Nanos) {
        let (Some(sparing), Some(chunklets)) = (&mut self.sparing, &mut self.chunklets) else { return };
        let Some(mut map) = chunklets.map.take() else { return };
        while let Some(&number) = sparing.recovery().waiting.front() {
            let Missing { chunklet, lost, target, .. } = sparing.missing[number as usize];
            let at = sparing.lost[lost as usize].failed + sparing.delay;
            if at > now {
                sparing.recovery().alarms.push(Reverse((at, TARGETS)));
                break;
            }
            sparing.recovery().waiting.pop_front();
            if target.is_some() {
                continue;
            }
            let member = chunklet as usize;
            let others = sparing.others(chunklets, member);
            let room = |drive| sparing.room(chunklets, drive);
            let drive = map.instead(member, &others, room, |drive| sparing.work[drive as usize]);
            // Without room it stays as it is.
            let place = drive.and_then(|drive| sparing.take_chunklet(chunklets, drive, member));
            let Some(place) = place else { continue };
            sparing.missing[number as usize].target = Some(place);
            if chunklets.held(member) == 0 {
                sparing.lost[lost as usize].started.get_or_insert(now);
                sparing.moved_in(chunklets, number, now);
                continue;
            }
            sparing.recovery().enqueue(place.drive, number);
        }
        chunklets.map = Some(map);
    }

    /// Reads a stretch of a member that moves.
    pub(super) fn read_moving(
        &mut self,
        key: u32,
        member: usize,
        (from, until): (u64, u64),
        shop: &mut Workshop<'_>,
    ) {
        let Some(chunklets) = &self.chunklets else { return };
        let Place { drive, slot } = chunklets.places[member];
        let lbn = u64::from(slot) * chunklets.sectors + from;
        let extent = Extent { drive: drive as usize, lbn, sectors: until - from };
        self.step_operation(key, extent, false, shop);
        if let Some(sparing) = &mut self.sparing {
            let step = sparing.steps.get_mut(key);
            (step.ops_left, step.writing, step.spoiled) = (1, false, false);
        }
    }

    /// A step has no operations under way: it goes on, or ends.
    pub(super) fn member_step_done(&mut self, key: u32, shop: &mut Workshop<'_>) {
        let Some(sparing) = &mut self.sparing else { return };
        let step = sparing.steps.get(key);
        let missing = sparing.missing[step.missing as usize];
        let target = missing.target.is_some_and(|target| target.drive == step.lane);
        let mine = target && sparing.entry[missing.chunklet as usize] == step.missing;
        match (mine, step.spoiled, step.writing) {
            (true, true, _) => return self.read_step(key, shop),
            (true, false, false) => return self.write_step(key, shop),
            _ => {}
        }
        sparing.steps.remove(key);
        let recovery = sparing.recovery();
        recovery.lanes[step.lane as usize].under_way -= 1;
        recovery.due.push(step.lane);
        if !mine {
            return; // its target has failed, and it waits for another
        }
        let sectors = step.until - step.from;
        if missing.lost & MOVES == 0 {
            sparing.lost[missing.lost as usize].rebuilt += sectors;
        } else {
            sparing.recovery().moves[(missing.lost & !MOVES) as usize].sectors += sectors;
        }
        sparing.missing[step.missing as usize].restored = step.until;
        let done = self.is_restored(missing.chunklet as usize, step.until);
        let (Some(sparing), Some(chunklets)) = (&mut self.sparing, &mut self.chunklets) else { return };
        if done {
            sparing.moved_in(chunklets, step.missing, shop.now);
        } else {
            sparing.recovery().lanes[step.lane as usize].queue.push_front(step.missing);
        }
    }
}
