//! Density: extents by measured weights. A run begins, with given chances, at a place used before, as long ago as
//! drawn (the depth in a least-recently-used stack that all streams share); at one not used before; or at any.
//! The last two are drawn by the weights of the extents or, with a given chance, near where the workload's last
//! request ended. The requests of a run follow one another, as many as a law of run lengths says; a run may be
//! left for others and be taken up again. Of several places that would do, the weights choose.

use super::{Memory, Range};
use crate::choice::Choice;
use crate::plan::{DepthPlan, JumpPlan, RunLengthPlan};
use crate::rng::Draws;

/// Draws of a depth before the place there is taken whatever its size, or none.
const TRIES: u32 = 8;
/// Draws of a place before one that was used is taken for a new one.
const NEW_TRIES: u32 = 32;
/// Weight of a place used in another size beside one used in this.
const OTHER_SIZE: f64 = 1e-3;
/// Runs that are open at a time.
const MOST_OPEN: usize = 16;

/// The law with its state.
#[derive(Debug)]
pub struct Density {
    extent_bytes: u64,
    extents: Vec<u64>,
    weights: Vec<f64>,
    heat: Choice,
    runs: Option<(Choice, Vec<f64>)>,
    near: f64,
    jumps: Option<(Choice, Vec<JumpPlan>)>,
    /// Rows of depths; the two alternatives after them are a new place, and one by the weights alone.
    reuse: Option<(Choice, Vec<DepthPlan>)>,
    /// Chance that the next request goes on with the run of the last one, while it has more.
    stick: f64,
    /// Runs with requests to come, the present one last.
    open: Vec<Open>,
    continues: bool,
}

/// A run that goes on.
#[derive(Clone, Copy, Debug)]
struct Open {
    /// Requests to come.
    left: u64,
    /// End of its last.
    end: u64,
}

impl Density {
    pub(super) fn new(
        extent_bytes: u64,
        places: (&[u64], &[f64]),
        (runs, stick): (&[RunLengthPlan], f64),
        (near, jumps): (f64, &[JumpPlan]),
        (reuse, fresh): (&[DepthPlan], f64),
    ) -> Result<Self, String> {
        let (extents, weights) = places;
        if !extents.is_sorted() {
            return Err("extents are listed in order".into());
        }
        if extent_bytes == 0 || extents.len() != weights.len() {
            return Err("a density needs extents of at least a byte, and a weight for each".into());
        }
        let heat = Choice::new(weights).ok_or("extents without weight")?;
        if !runs.iter().all(|run| (1.0..1e15).contains(&run.requests)) {
            return Err("a run has at least one request".into());
        }
        if jumps.iter().any(|jump| jump.from_bytes >= jump.below_bytes) {
            return Err("a jump's least length lies below its bound".into());
        }
        if !(0.0..=1.0).contains(&near) || (near > 0.0 && jumps.is_empty()) {
            return Err("a chance of near jumps lies between 0 and 1, and needs jumps".into());
        }
        let chosen = |weights: Vec<f64>, what: &str| match weights.is_empty() {
            true => Ok(None),
            false => Choice::new(&weights).map(Some).ok_or(format!("{what} without weight")),
        };
        if !(0.0..=1.0).contains(&stick) {
            return Err(format!("a chance of {stick} to go on with a run"));
        }
        let lengths = chosen(runs.iter().map(|run| run.weight).collect(), "runs")?;
        let hops = chosen(jumps.iter().map(|jump| jump.weight).collect(), "jumps")?;
        let settled: f64 = fresh + reuse.iter().map(|row| row.fraction).sum::<f64>();
        let sound = |row: &DepthPlan| row.from_blocks >= 1 && row.to_blocks >= row.from_blocks;
        if !(reuse.iter().all(sound) && fresh >= 0.0 && settled <= 1.0 + 1e-9) {
            return Err(
                "depths rise from 1 on, and shares of reuse and new places add up to 1 at most".into()
            );
        }
        let rest = (1.0 - settled).max(0.0);
        let depths = match reuse.is_empty() && fresh == 0.0 {
            true => None,
            false => chosen(reuse.iter().map(|row| row.fraction).chain([fresh, rest]).collect(), "depths")?,
        };
        Ok(Self {
            extent_bytes,
            extents: extents.to_vec(),
            weights: weights.to_vec(),
            heat,
            runs: lengths.map(|choice| (choice, runs.iter().map(|run| run.requests).collect())),
            near,
            jumps: hops.map(|choice| (choice, jumps.to_vec())),
            reuse: depths.map(|choice| (choice, reuse.to_vec())),
            stick,
            open: Vec::with_capacity(MOST_OPEN),
            continues: false,
        })
    }

    #[inline]
    pub(crate) fn next(&mut self, range: &Range, draws: &mut Draws, size: u64, used: &mut Memory) -> u64 {
        let offset = match self.goes_on(draws) {
            Some(run) => range.next_to(run.end, size),
            None => self.begin(range, draws, size, used),
        };
        if let Some((choice, lengths)) = &self.runs {
            let left = match self.open.pop() {
                Some(run) if self.continues => run.left,
                other => {
                    self.open.extend(other);
                    let length = lengths[choice.draw(draws)];
                    ((length + draws.unit()) as u64).max(1)
                }
            };
            if left > 1 {
                self.open.push(Open { left: left - 1, end: offset + size });
            }
        }
        used.note(offset, size);
        offset
    }

    /// The run that goes on, put last; none where one begins.
    fn goes_on(&mut self, draws: &mut Draws) -> Option<Open> {
        self.continues = false;
        let mut run = *self.open.last()?;
        if self.stick < 1.0 && draws.unit() >= self.stick {
            // Runs that were left are taken up as often as others begin, so that they do not pile up.
            if self.open.len() < MOST_OPEN && draws.unit() < 0.5 {
                return None;
            }
            let (last, other) = (self.open.len() - 1, draws.below(self.open.len() as u64) as usize);
            self.open.swap(last, other);
            run = self.open[last];
        }
        self.continues = true;
        Some(run)
    }

    fn begin(&self, range: &Range, draws: &mut Draws, size: u64, used: &Memory) -> u64 {
        let Some((choice, rows)) = &self.reuse else { return self.somewhere(range, draws, size, used) };
        let drawn = choice.draw(draws);
        if let Some(row) = rows.get(drawn) {
            return self
                .again(row, range, draws, size, used)
                .unwrap_or_else(|| self.somewhere(range, draws, size, used));
        }
        let mut place = self.somewhere(range, draws, size, used);
        let mut tries = if drawn == rows.len() { NEW_TRIES } else { 0 };
        while tries > 0 && used.knows(place) {
            place = self.somewhere(range, draws, size, used);
            tries -= 1;
        }
        place
    }

    /// By the weights, or near the last request.
    fn somewhere(&self, range: &Range, draws: &mut Draws, size: u64, used: &Memory) -> u64 {
        match used.end().filter(|_| self.near > 0.0 && draws.unit() < self.near) {
            Some(end) => self.jump(range, draws, end, size),
            None => self.anywhere(range, draws, size),
        }
    }

    /// A place used before: of several at drawn depths one, by the weights of their extents, and of this size
    /// where there is one.
    fn again(
        &self,
        row: &DepthPlan,
        range: &Range,
        draws: &mut Draws,
        size: u64,
        used: &Memory,
    ) -> Option<u64> {
        let most = row.to_blocks.min(used.blocks());
        let least = row.from_blocks.min(most);
        let (mut found, mut total) = (None, 0.0);
        for _ in 0..TRIES {
            let (place, bytes) = used.at(least + draws.below(most - least + 1))?;
            let like = if bytes == size { 1.0 } else { OTHER_SIZE };
            let weight = if place < range.start { 0.0 } else { self.weight(range, place) * like };
            total += weight;
            if weight > 0.0 && draws.unit() * total < weight {
                found = Some(range.nearest(place, size));
            }
        }
        found
    }

    fn anywhere(&self, range: &Range, draws: &mut Draws, size: u64) -> u64 {
        let extent = self.extents[self.heat.draw(draws)];
        range.within(draws, extent, self.extent_bytes, size)
    }

    /// Of several places at drawn distances one, by the weights of their extents.
    fn jump(&self, range: &Range, draws: &mut Draws, end: u64, size: u64) -> u64 {
        let Some((choice, jumps)) = &self.jumps else { return self.anywhere(range, draws, size) };
        let (mut found, mut total) = (None, 0.0);
        for _ in 0..TRIES {
            let jump = jumps[choice.draw(draws)];
            let length = jump.from_bytes + draws.below(jump.below_bytes - jump.from_bytes);
            let to = if jump.forward { end.saturating_add(length) } else { end.saturating_sub(length) };
            let place = range.nearest(to, size);
            let weight = self.weight(range, place);
            total += weight;
            if weight > 0.0 && draws.unit() * total < weight {
                found = Some(place);
            }
        }
        found.unwrap_or_else(|| self.anywhere(range, draws, size))
    }

    fn weight(&self, range: &Range, place: u64) -> f64 {
        let extent = place.saturating_sub(range.start) / self.extent_bytes;
        self.extents.binary_search(&extent).map_or(0.0, |at| self.weights[at])
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed test is meant to stop

    use super::*;
    use crate::rng::Purpose;

    const EXTENT: u64 = 1 << 20;

    fn offsets(law: &mut Density, n: usize) -> Vec<u64> {
        let range = Range::new(0, 64 * EXTENT, Some(4096));
        let mut draws = Draws::new(2, Purpose::Stream, 0, 0);
        let mut used = Memory::new(4096);
        (0..n).map(|_| law.next(&range, &mut draws, 8192, &mut used)).collect()
    }

    #[test]
    fn extents_get_their_shares() {
        let mut law =
            Density::new(EXTENT, (&[3, 40, 63], &[1.0, 6.0, 3.0]), (&[], 1.0), (0.0, &[]), (&[], 0.0))
                .unwrap();
        let found = offsets(&mut law, 100_000);
        let share = |extent| found.iter().filter(|&&at| at / EXTENT == extent).count() as f64 / 1e5;
        assert!((share(3) - 0.1).abs() < 0.005 && (share(40) - 0.6).abs() < 0.008, "{}", share(40));
        assert!((share(63) - 0.3).abs() < 0.008);
    }

    #[test]
    fn runs_have_their_lengths() {
        let runs =
            [RunLengthPlan { requests: 1.0, weight: 3.0 }, RunLengthPlan { requests: 9.0, weight: 1.0 }];
        let mut law =
            Density::new(EXTENT, (&[5, 20], &[1.0, 1.0]), (&runs, 1.0), (0.0, &[]), (&[], 0.0)).unwrap();
        let found = offsets(&mut law, 100_000);
        let follow = found.windows(2).filter(|w| w[1] == w[0] + 8192).count() as f64 / 1e5;
        // 4 runs have 12 requests, 8 of which follow.
        assert!((follow - 8.0 / 12.0).abs() < 0.01, "{follow}");
    }

    #[test]
    fn runs_that_are_left_are_taken_up_again() {
        let runs = [RunLengthPlan { requests: 8.0, weight: 1.0 }];
        let extents: Vec<u64> = (0..64).collect();
        let mut law =
            Density::new(EXTENT, (&extents, &[1.0; 64]), (&runs, 0.6), (0.0, &[]), (&[], 0.0)).unwrap();
        let found = offsets(&mut law, 100_000);
        let share = |of: usize| of as f64 / 1e5;
        let at_once = share(found.windows(2).filter(|w| w[1] == w[0] + 8192).count());
        // 7 of 8 go on; some of those taken up again are by chance the last.
        assert!((0.5..0.6).contains(&at_once), "{at_once}");
        // One of 16 open runs waits some 80 requests for its turn: 400 are enough for nearly all.
        let back = 400;
        let follows = |i: usize| found[i - back..i].contains(&found[i].wrapping_sub(8192));
        let follow = share((back..found.len()).filter(|&i| follows(i)).count());
        assert!((follow - 7.0 / 8.0).abs() < 0.01, "{follow}");
    }

    #[test]
    fn near_jumps_stay_near() {
        let jumps = [JumpPlan { forward: false, from_bytes: 8192, below_bytes: 8193, weight: 1.0 }];
        let extents: Vec<u64> = (0..64).collect();
        let mut law =
            Density::new(EXTENT, (&extents, &[1.0; 64]), (&[], 1.0), (0.7, &jumps), (&[], 0.0)).unwrap();
        let found = offsets(&mut law, 100_000);
        let same = found.windows(2).filter(|w| w[1] == w[0]).count() as f64 / 1e5;
        assert!((same - 0.7).abs() < 0.01, "{same}");
    }

    #[test]
    fn blocks_are_used_again_as_often_and_as_long_after() {
        let extents: Vec<u64> = (0..64).collect();
        let reuse = [DepthPlan { from_blocks: 2, to_blocks: 2, fraction: 0.6 }];
        let mut law =
            Density::new(EXTENT, (&extents, &[1.0; 64]), (&[], 1.0), (0.0, &[]), (&reuse, 0.0)).unwrap();
        // A request uses two blocks; the second from the top is the first of the last request.
        let found = offsets(&mut law, 2000);
        let same = found.windows(2).filter(|w| w[1] == w[0]).count() as f64 / 2e3;
        assert!((same - 0.6).abs() < 0.05, "{same}");
    }

    #[test]
    fn new_places_are_new_while_there_are_some() {
        let extents: Vec<u64> = (0..64).collect();
        let mut law =
            Density::new(EXTENT, (&extents, &[1.0; 64]), (&[], 1.0), (0.0, &[]), (&[], 1.0)).unwrap();
        let mut found = offsets(&mut law, 4000);
        found.sort_unstable();
        found.dedup();
        // At random, of 8192 pairs of blocks 4000 draws would meet about 860 a second time.
        assert!(found.len() > 3980, "{}", found.len());
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let jump = JumpPlan { forward: true, from_bytes: 5, below_bytes: 5, weight: 1.0 };
        let run = RunLengthPlan { requests: 0.5, weight: 1.0 };
        assert!(Density::new(0, (&[0], &[1.0]), (&[], 1.0), (0.0, &[]), (&[], 0.0)).is_err());
        assert!(Density::new(1, (&[0], &[]), (&[], 1.0), (0.0, &[]), (&[], 0.0)).is_err());
        assert!(Density::new(1, (&[0], &[0.0]), (&[], 1.0), (0.0, &[]), (&[], 0.0)).is_err());
        assert!(Density::new(1, (&[0], &[1.0]), (&[run], 1.0), (0.0, &[]), (&[], 0.0)).is_err());
        assert!(Density::new(1, (&[0], &[1.0]), (&[], 1.0), (0.0, &[jump]), (&[], 0.0)).is_err());
        assert!(Density::new(1, (&[0], &[1.0]), (&[], 1.0), (0.5, &[]), (&[], 0.0)).is_err());
    }
}
