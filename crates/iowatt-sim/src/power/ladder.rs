//! The levels of a pool's drives with their costs in nanoseconds, and what is booked at each and on the way.

use super::Slot;
use crate::clock::{Nanos, nanos};
use crate::plan::{HddPowerPlan, SsdPowerPlan};
use crate::state::{STATES, State};
use iowatt_power::{Levels, Transition};

/// A state beyond the six: what it draws, and the number of the state that it is reported as (6 and more: further
/// levels, by number).
#[derive(Clone, Copy, Debug)]
pub struct Further {
    /// Watts.
    pub watts: f64,
    /// Number of the reported state.
    pub reported: usize,
    /// Whether its joules are for what the work was for, whatever the state is reported as.
    pub works: bool,
}

/// A way between two levels.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    /// What is booked.
    pub slot: Slot,
    /// How long it takes.
    pub takes: Nanos,
}

/// Levels of like drives.
#[derive(Debug)]
pub struct Ladder {
    /// The levels.
    pub levels: Levels,
    /// Watts of the six states. Those that the plan gives no figure for are never entered.
    pub watts: [f64; STATES],
    /// Further states.
    pub further: Vec<Further>,
    /// What is booked at each level without work.
    at: Vec<Slot>,
    /// The same for work (transferring, positioning), where it serves.
    working: Vec<[Slot; 2]>,
    up: Vec<Way>,
    /// By level from, then to.
    down: Vec<Vec<Way>>,
    /// Whether the drive serves requests at each level.
    serves: Vec<bool>,
    /// How long it stays awake after its work, and what is booked then; none where it idles at once.
    awake: Option<(Nanos, Slot)>,
    /// What is booked while two arms work.
    both: Option<Both>,
}

/// What is booked while two arms on one spindle work: each draws what it draws alone beyond idling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Both {
    /// Both transfer.
    pub active: Slot,
    /// One transfers, one is on its way.
    pub mixed: Slot,
    /// Both are on their way.
    pub positioning: Slot,
}

impl Ladder {
    /// The ladder of a disk.
    #[must_use]
    pub fn of_disk(power: &HddPowerPlan) -> Self {
        let HddPowerPlan { active_w, positioning_w, levels, states } = power;
        Self::build([*active_w, *positioning_w], levels, states)
    }

    /// The ladder of a drive without mechanics.
    #[must_use]
    pub fn of_flash(power: &SsdPowerPlan) -> Self {
        let SsdPowerPlan { active_w, awake_s, levels, states, .. } = power;
        let mut ladder = Self::build([*active_w; 2], levels, states);
        if *awake_s > 0.0 {
            ladder.awake = Some((nanos(*awake_s), ladder.add(*active_w, State::Idle as usize)));
        }
        ladder
    }

    /// What a part of a library draws: active, positioning and idle watts, and further states.
    #[must_use]
    pub fn of_states([active_w, positioning_w, idle_w]: [f64; 3], further: Vec<Further>) -> Self {
        let mut ladder = Self::build([active_w, positioning_w], &Levels { idle_w, below: Vec::new() }, &[]);
        ladder.further.extend(further);
        ladder
    }

    /// The ladder of a drive with two arms that move on their own.
    #[must_use]
    pub fn with_two_arms(mut self) -> Self {
        let [active, positioning, idle, ..] = self.watts;
        let (active, positioning) = (active - idle, positioning - idle);
        self.both = Some(Both {
            active: self.add(idle + 2.0 * active, State::Active as usize),
            mixed: self.add(idle + active + positioning, State::Active as usize),
            positioning: self.add(idle + 2.0 * positioning, State::Positioning as usize),
        });
        self
    }

    /// What is booked while two arms work, where there are two.
    #[must_use]
    pub fn both(&self) -> Option<Both> {
        self.both
    }

    fn build([active_w, positioning_w]: [f64; 2], levels: &Levels, states: &[usize]) -> Self {
        let idle_w = levels.idle_w;
        let mut ladder = Self {
            levels: levels.clone(),
            watts: [active_w, positioning_w, idle_w, 0.0, 0.0, 0.0],
            further: Vec::new(),
            at: vec![Slot::Of(State::Idle)],
            working: vec![[Slot::Of(State::Active), Slot::Of(State::Positioning)]],
            up: vec![Way { slot: Slot::Of(State::SpinUp), takes: 0 }],
            down: Vec::new(),
            serves: vec![true],
            awake: None,
            both: None,
        };
        // The six states stand for the one level that is reported as standby, and for the way there and back.
        let standby = states.iter().position(|&s| s == State::Standby as usize).map(|i| i + 1);
        for (level, (low, &reported)) in levels.below.iter().zip(states).enumerate() {
            let level = level + 1;
            let main = standby == Some(level);
            let at = ladder.place(main, low.watts, reported);
            ladder.at.push(at);
            let saved_w = idle_w - low.watts;
            let slower = low.serves_at.map(|_| {
                // What work draws beyond idling is drawn at any speed.
                let active = ladder.add((active_w - saved_w).max(low.watts), State::Active as usize);
                let positioning =
                    ladder.add((positioning_w - saved_w).max(low.watts), State::Positioning as usize);
                [active, positioning]
            });
            ladder.serves.push(slower.is_some());
            ladder.working.push(slower.unwrap_or([Slot::Of(State::Active), Slot::Of(State::Positioning)]));
            let up = ladder.way(levels.ascent(level), State::SpinUp, main);
            ladder.up.push(up);
        }
        for from in 0..levels.count() {
            let ways = (0..levels.count())
                .map(|to| {
                    let main = from == 0 && standby == Some(to);
                    ladder.way(levels.descent(from, to), State::SpinDown, main)
                })
                .collect();
            ladder.down.push(ways);
        }
        ladder
    }

    fn add(&mut self, watts: f64, reported: usize) -> Slot {
        self.further.push(Further { watts, reported, works: false });
        Slot::Further((self.further.len() - 1) as u16)
    }

    /// Where time at a level is booked.
    fn place(&mut self, main: bool, watts: f64, reported: usize) -> Slot {
        if !main {
            return self.add(watts, reported);
        }
        self.watts[State::Standby as usize] = watts;
        Slot::Of(State::Standby)
    }

    fn way(&mut self, cost: Transition, state: State, main: bool) -> Way {
        let takes = nanos(cost.seconds);
        let watts = if cost.seconds > 0.0 { cost.joules / cost.seconds } else { 0.0 };
        let slot = if main || takes == 0 { Slot::Of(state) } else { self.add(watts, state as usize) };
        if main {
            self.watts[state as usize] = watts;
        }
        Way { slot, takes }
    }

    /// What each slot draws, and the number of the state that it is reported as.
    pub fn slots(&self) -> impl Iterator<Item = (f64, usize)> + '_ {
        let further = self.further.iter().map(|f| (f.watts, f.reported));
        self.watts.iter().copied().zip(0..).chain(further)
    }

    /// Whether the joules of a slot, by its number, are for what the work was for.
    #[must_use]
    pub fn works(&self, slot: usize) -> bool {
        slot.checked_sub(STATES).is_some_and(|further| self.further[further].works)
    }

    /// What is booked at a level without work.
    #[must_use]
    pub fn at(&self, level: usize) -> Slot {
        self.at[level]
    }

    /// How long a drive that sleeps by itself stays awake after its work, and what is booked then.
    #[must_use]
    pub fn awake(&self) -> Option<(Nanos, Slot)> {
        self.awake
    }

    /// What is booked while working at a level: transferring, positioning.
    #[must_use]
    pub fn working(&self, level: usize) -> [Slot; 2] {
        self.working[level]
    }

    /// The way back from a level.
    #[must_use]
    pub fn up(&self, from: usize) -> Way {
        self.up[from]
    }

    /// The way to a deeper level.
    #[must_use]
    pub fn down(&self, from: usize, to: usize) -> Way {
        self.down[from][to]
    }

    /// Whether the spindle stands still at a level.
    #[must_use]
    pub fn stopped(&self, level: usize) -> bool {
        self.levels.get(level).is_some_and(|l| l.stopped)
    }

    /// Whether the drive serves requests at a level.
    #[must_use]
    pub fn serves(&self, level: usize) -> bool {
        self.serves[level]
    }
}
