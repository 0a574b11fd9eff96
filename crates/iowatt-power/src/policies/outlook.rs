//! How long an idle period will last as a distribution, and the outing to a level that pays most under it.
//!
//! Shared by the policies that wake the drive before the arrival that they expect. The distribution is kept as a survival
//! function on a fixed grid of times, so that any law costs the same memory and the same few hundred additions.

use super::counts::Counts;
use crate::level::Levels;

/// Points of the grid per octave of time.
pub(super) const STEPS: usize = 16;
/// Octaves below and above the drive's own time scale, and together.
const BELOW: usize = 3;
const ABOVE: usize = 16;
pub(super) const OCTAVES: usize = BELOW + ABOVE;
/// Points of the grid.
pub(super) const POINTS: usize = OCTAVES * STEPS + 1;
/// A share of periods that is too small to plan for.
const RARE: f64 = 1e-6;
/// A share that is as good as none.
const NOBODY: f64 = 1e-12;

/// From the floor up, evenly in the logarithm. Periods up to the floor are not forecast: the drive idles through them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    pub floor_s: f64,
}

impl Grid {
    /// The floor is an eighth of the level's break-even time, or of the way there and back where that is longer; none
    /// where the level never pays.
    pub(super) fn of(levels: &Levels, level: usize) -> Option<Self> {
        let scale_s = levels.break_even_s(level)?.max(levels.round_trip_s(level)).max(1e-6);
        scale_s.is_finite().then_some(Self { floor_s: scale_s / f64::from(1_u32 << BELOW) })
    }

    pub(super) fn time_s(self, point: usize) -> f64 {
        self.floor_s * (point as f64 / STEPS as f64).exp2()
    }

    /// Where a length lies, in points from the floor, cut to the grid.
    pub(super) fn position(self, length_s: f64) -> f64 {
        ((length_s / self.floor_s).log2() * STEPS as f64).clamp(0.0, (POINTS - 1) as f64)
    }
}

/// Down at `down_s`, and on the way up from `wake_s` on (none: until something arrives), from the start of the period.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Outing {
    pub down_s: f64,
    pub wake_s: Option<f64>,
}

/// What a drive pays for an outing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Costs {
    idle_w: f64,
    low_w: f64,
    there_s: f64,
    pub back_s: f64,
    round_trip_j: f64,
}

impl Costs {
    pub(super) fn of(levels: &Levels, level: usize) -> Self {
        Self {
            idle_w: levels.idle_w,
            low_w: levels.watts(level),
            there_s: levels.descent(0, level).seconds,
            back_s: levels.ascent(level).seconds,
            round_trip_j: levels.round_trip_j(level),
        }
    }
}

/// The share of periods that outlast each point of the grid, and its integral from the floor.
#[derive(Clone, Debug)]
pub(super) struct Outlook {
    pub grid: Grid,
    time_s: [f64; POINTS],
    survival: [f64; POINTS],
    integral_s: [f64; POINTS],
    /// Of counts: those of a cell may lie anywhere in it.
    counted: bool,
}

impl Outlook {
    pub(super) fn new(grid: Grid) -> Self {
        let time_s = std::array::from_fn(|point| grid.time_s(point));
        Self { grid, time_s, survival: [0.0; POINTS], integral_s: [0.0; POINTS], counted: false }
    }

    /// Takes a survival function of time; it must not rise.
    pub(super) fn set(&mut self, survival: impl Fn(f64) -> f64) {
        self.counted = false;
        for point in 0..POINTS {
            self.survival[point] = survival(self.time_s[point]);
        }
        self.integrate();
    }

    /// Takes the shares that were counted.
    pub(super) fn set_counted(&mut self, counts: &Counts) {
        (self.survival, self.counted) = ([0.0; POINTS], true);
        counts.shares().for_each(|(cell, share)| self.survival[cell] = share);
        for point in (1..POINTS).rev() {
            self.survival[point - 1] += self.survival[point];
        }
        self.integrate();
    }

    fn integrate(&mut self) {
        for point in 1..POINTS {
            let width_s = self.time_s[point] - self.time_s[point - 1];
            let mean = mean_between(self.survival[point - 1], self.survival[point]);
            self.integral_s[point] = self.integral_s[point - 1] + width_s * mean;
        }
    }

    /// The integral of the survival function from the floor to a time, straight within a cell.
    fn integral_to(&self, time_s: f64) -> f64 {
        let point = (self.grid.position(time_s) as usize).min(POINTS - 2);
        let [from_s, to_s] = [self.time_s[point], self.time_s[point + 1]];
        let part = ((time_s - from_s) / (to_s - from_s)).clamp(0.0, 1.0);
        self.integral_s[point] + part * (self.integral_s[point + 1] - self.integral_s[point])
    }

    /// The outing that saves most on average in a period that has lasted `from_s`; none where none saves.
    ///
    /// An outing that begins at d and has the drive up again at u saves, of idling, on average
    /// `P_idle ∫[d..u] S - P_low ∫[d + t_down..u - t_up] S - (E_down + E_up) S(d)`, S the survival function. To be up
    /// with certainty c when the arrival comes, u is where `S(u) = c S(d)`: only the share 1 - c of the arrivals
    /// after d finds the drive away. With c = 0 it stays until the arrival.
    pub(super) fn outing(&self, costs: &Costs, certainty: f64, from_s: f64) -> Option<Outing> {
        let first = self.grid.position(from_s).ceil() as usize;
        let (mut best, mut most_j, mut up) = (None, 0.0, first);
        for point in first..POINTS - 1 {
            let survival = self.survival[point];
            if survival <= RARE {
                break;
            }
            let down_s = self.time_s[point].max(from_s);
            while up < POINTS && self.survival[up] > certainty * survival {
                up += 1;
            }
            let stays = certainty <= 0.0 || up >= POINTS;
            let up_s = if stays { self.time_s[POINTS - 1] } else { self.reaches_s(up, certainty * survival) };
            let wake_s = if stays { up_s } else { up_s - costs.back_s };
            let there_s = down_s + costs.there_s;
            if wake_s <= there_s {
                continue;
            }
            let idling_s = self.integral_to(up_s) - self.integral_to(down_s);
            let resting_s = self.integral_to(wake_s) - self.integral_to(there_s);
            let saved_j = costs.idle_w * idling_s - costs.low_w * resting_s - costs.round_trip_j * survival;
            if saved_j > most_j {
                most_j = saved_j;
                best = Some(Outing { down_s, wake_s: (!stays).then_some(wake_s) });
            }
        }
        best
    }

    /// When the survival function falls to `share`, which it does at `point` or between it and the point before; of counts,
    /// the earliest that it may.
    fn reaches_s(&self, point: usize, share: f64) -> f64 {
        let later_s = self.time_s[point];
        let Some(before) = point.checked_sub(1) else { return later_s };
        let (above, below) = (self.survival[before], self.survival[point]);
        let part = if self.counted {
            0.0
        } else if above <= below {
            1.0
        } else if below > NOBODY {
            (above / share).ln() / (above / below).ln()
        } else {
            (above - share) / (above - below)
        };
        let earlier_s = self.time_s[before];
        earlier_s + part.clamp(0.0, 1.0) * (later_s - earlier_s)
    }
}

/// The mean of a survival function between two points: of an exponential through both (their logarithmic mean), which a
/// straight line overstates where cells are wide; of a line where it falls to nothing.
fn mean_between(above: f64, below: f64) -> f64 {
    let ratio = above / below;
    if below > NOBODY && ratio > 1.0 + 1e-6 { (above - below) / ratio.ln() } else { (above + below) / 2.0 }
}

/// The present period of a drive that goes on outings: what has been planned, and where it stands.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Course {
    planned: Option<Outing>,
    away: bool,
}

impl Course {
    /// A period begins with this outing in mind.
    pub(super) fn begin(&mut self, planned: Option<Outing>) {
        *self = Self { planned, away: false };
    }

    /// The outing that comes next, with the drive up; `plan` makes one from the time at which it is up after the last.
    pub(super) fn down_s(&mut self, costs: &Costs, plan: impl FnOnce(f64) -> Option<Outing>) -> Option<f64> {
        if std::mem::take(&mut self.away) {
            let up_s = self.planned.and_then(|outing| outing.wake_s).map(|wake_s| wake_s + costs.back_s);
            self.planned = up_s.and_then(plan);
        }
        self.planned.map(|outing| outing.down_s)
    }

    /// When to wake, with the drive at the level.
    pub(super) fn wake_s(&mut self) -> Option<f64> {
        self.away = true;
        self.planned.and_then(|outing| outing.wake_s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::level::{Level, Transition};

    fn costs() -> (Grid, Costs) {
        // 10 W idle, 2 W low, 80 J and no time there and back: break-even after 10 s, floor at 1.25 s.
        let leave = Transition { seconds: 0.0, joules: 80.0 };
        let low = Level { watts: 2.0, enter: Transition::default(), leave, stopped: true, serves_at: None };
        let levels = Levels::two(10.0, low);
        (Grid::of(&levels, 1).unwrap(), Costs::of(&levels, 1))
    }

    /// Memoryless periods of mean m: going saves (P - p) m (1 - c) - E after any time, and the drive is up after m ln(1 / c).
    #[test]
    fn memoryless_periods_are_left_at_once_or_never() {
        let (grid, costs) = costs();
        let mut outlook = Outlook::new(grid);
        assert_eq!(grid.floor_s, 1.25);
        for (mean_s, certainty, goes) in
            [(11.0, 0.0, true), (9.0, 0.0, false), (25.0, 0.5, true), (19.0, 0.5, false)]
        {
            outlook.set(|t| (-(t - 1.25) / mean_s).exp());
            let outing = outlook.outing(&costs, certainty, 1.25);
            assert_eq!(outing.is_some(), goes, "{mean_s} s, {certainty}");
            let Some(Outing { down_s, wake_s }) = outing else { continue };
            assert_eq!((down_s, wake_s.is_some()), (1.25, certainty > 0.0));
            if let Some(wake_s) = wake_s {
                assert!((wake_s - 1.25 - mean_s * 2f64.ln()).abs() < 0.1, "{wake_s}");
            }
        }
    }

    /// Half of the periods end by 2 s, the others at 1000 s: it waits for the first to be over, and is back before 1000 s.
    #[test]
    fn it_waits_for_the_short_ones_and_is_back_for_the_long_ones() {
        let (grid, costs) = costs();
        let mut outlook = Outlook::new(grid);
        outlook.set(|t| match t {
            t if t < 2.0 => 1.0,
            t if t < 1000.0 => 0.5,
            _ => 0.0,
        });
        let Outing { down_s, wake_s } = outlook.outing(&costs, 0.9, 1.25).unwrap();
        assert!((2.0..2.1).contains(&down_s), "{down_s}");
        assert!((950.0..1000.0).contains(&wake_s.unwrap()), "{wake_s:?}");
        // It comes back in vain: nothing is known of longer ones.
        assert_eq!(outlook.outing(&costs, 0.9, 1001.0), None);
    }
}
