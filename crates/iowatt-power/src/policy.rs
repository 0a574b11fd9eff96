//! The contract of a power policy.

use std::fmt::Debug;

/// A change of level that a policy wants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// When to begin it, seconds from the start of the period. What lies in the past is begun at once.
    pub after_s: f64,
    /// The level to go to: a deeper one than the present, or 0 to be up before the arrival.
    pub to: usize,
}

/// What became of an idle period.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ended {
    /// From its start to the arrival that ended it, seconds.
    pub length_s: f64,
    /// Deepest level that the drive went to (or was on its way to) in it.
    pub level: usize,
    /// How long the arrival waited for the drive to be ready, seconds.
    pub wait_s: f64,
}

/// Decides, for one drive, when it goes to which power level while it has no work.
///
/// An idle period lasts from the moment at which the drive has nothing left to do to the next arrival at it. In each,
/// the drive calls, in this order:
///
/// 1. [`begin`](Policy::begin), once, with the level that it is at: 0, or one at which it
///    [serves](Policy::serves);
/// 2. [`next`](Policy::next), then and whenever it has reached a level: what it does next, if nothing arrives
///    before. It may be called again at the same level without anything having happened, and then answers the same;
/// 3. [`ended`](Policy::ended), once, when a request has arrived and the drive is (or, at a level at which it serves,
///    was) ready for it.
///
/// What a policy promises, and `tests/contract.rs` asks of every one:
///
/// - its answers depend on its parameters, on the periods that have ended and on the level alone, and not on the length of
///   the present period, unless it [foresees](Policy::foresees); the same calls give the same answers;
/// - a change goes to a deeper level that the drive has, or to level 0, and not at a negative or undefined time;
/// - after it has woken the drive (a change to level 0) it may go down again in that period, where nothing has arrived
///   by then, no sooner than it was to be up; it does so finitely often;
/// - it works for drives of any levels that [`crate::Levels::validate`] accepts.
///
/// What the drive does with the answers is not for the policy: a change that has begun is finished, whatever arrives;
/// an arrival at a level at which the policy does not serve wakes the drive, and waits.
pub trait Policy: Debug + Send {
    /// Whether it must be told the length of each period as it begins. Only an oracle does.
    fn foresees(&self) -> bool {
        false
    }

    /// A period begins with the drive at `level`; `length_s` is how long it will be, where the policy foresees and where
    /// anybody knows.
    fn begin(&mut self, level: usize, length_s: Option<f64>);

    /// The next change, with the drive at `level`; none: it stays there until something arrives.
    fn next(&mut self, level: usize) -> Option<Change>;

    /// Whether requests are served at `level` as it is, at reduced speed, while `waiting` of them wait at the drive. Asked
    /// only of levels at which the drive is able to.
    fn serves(&self, level: usize, waiting: usize) -> bool {
        let _ = waiting;
        level == 0
    }

    /// A period has ended.
    fn ended(&mut self, ended: &Ended);
}
