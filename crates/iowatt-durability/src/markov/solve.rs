//! Transient and mean figures of an absorbing chain, without subtractions of like numbers.
//!
//! Uniformisation (Jensen, 1953) is a sum of positive terms. It moves the distribution of states on step by step; where
//! rates lie far apart, it gives the transition matrix M of a short step, and longer times come by squaring that. What a
//! reward earns meanwhile doubles with it: v(2t) = v(t) + M(t) v(t). Mean times come by eliminating state after state
//! (Grassmann, Taksar and Heyman, 1985).

/// Jumps on average in a step: of a state's distribution, and of the transition matrix.
const LONG: f64 = 512.0;
const SHORT: f64 = 0.5;

/// A chain that leaves its states by moves or for good.
#[derive(Debug)]
pub struct Transient {
    states: usize,
    /// Rates, [from x states + to]; none from a state to itself.
    rates: Vec<f64>,
    /// Rates out of the chain.
    leaves: Vec<f64>,
}

impl Transient {
    /// A chain of so many states and no moves; it begins in the first.
    pub fn new(states: usize) -> Self {
        Self { states, rates: vec![0.0; states * states], leaves: vec![0.0; states] }
    }

    /// Adds a move and what leaves the chain by it.
    pub fn add(&mut self, from: usize, to: Option<usize>, rate: f64, leaves: f64) {
        if let Some(to) = to
            && to != from
        {
            self.rates[from * self.states + to] += rate;
        }
        self.leaves[from] += leaves;
    }

    /// What the chain is expected to earn from the start to `time`, for each of `rewards` a second in each state.
    pub fn within(&self, rewards: &[Vec<f64>], time: f64) -> Vec<f64> {
        let fastest = self.out().into_iter().fold(0.0, f64::max);
        let jumps = fastest * time;
        if jumps < 1e-300 {
            return rewards.iter().map(|reward| reward[0] * time).collect();
        }
        let moves = self.rates.iter().filter(|rate| **rate > 0.0).count() + self.states;
        let doublings = (jumps / SHORT).log2().ceil().max(0.0);
        let by_doubling = (doublings + 20.0) * (self.states as f64).powi(3);
        if 1.6 * (jumps + LONG) * moves as f64 <= by_doubling {
            self.by_steps(rewards, time, fastest)
        } else {
            self.by_doubling(rewards, time, fastest, doublings as i32)
        }
    }

    /// Steps of [`LONG`] jumps on average, by which the state's distribution is moved on.
    fn by_steps(&self, rewards: &[Vec<f64>], time: f64, fastest: f64) -> Vec<f64> {
        let n = self.states;
        let steps = (fastest * time / LONG).ceil();
        let weights = poisson(fastest * time / steps);
        let jumps = self.jumps(fastest);
        let moves: Vec<(usize, usize, f64)> =
            (0..n * n).filter(|&at| jumps[at] > 0.0).map(|at| (at / n, at % n, jumps[at])).collect();
        let mut earned = vec![0.0; rewards.len()];
        let mut now = vec![0.0; n];
        now[0] = 1.0;
        for _ in 0..steps as u64 {
            let mut after = vec![0.0; n];
            let mut there = vec![0.0; n];
            for &(weight, beyond) in &weights {
                let mut next = vec![0.0; n];
                for state in 0..n {
                    after[state] += weight * now[state];
                    there[state] += beyond / fastest * now[state];
                }
                for &(from, to, share) in &moves {
                    next[to] += share * now[from];
                }
                now = next;
            }
            for (sum, reward) in earned.iter_mut().zip(rewards) {
                *sum += there.iter().zip(reward).map(|(time, rate)| time * rate).sum::<f64>();
            }
            now = after;
        }
        earned
    }

    /// A step of [`SHORT`] jumps or less, doubled again and again: for chains whose rates lie far apart.
    fn by_doubling(&self, rewards: &[Vec<f64>], time: f64, fastest: f64, doublings: i32) -> Vec<f64> {
        let n = self.states;
        let jumps = self.jumps(fastest);
        let mut matrix = vec![0.0; n * n];
        let mut power: Vec<f64> = (0..n * n).map(|at| f64::from(u8::from(at / n == at % n))).collect();
        let mut earned = vec![vec![0.0; n]; rewards.len()];
        let mut later = rewards.to_vec();
        for (weight, beyond) in poisson(fastest * time / 2f64.powi(doublings)) {
            for (sum, term) in matrix.iter_mut().zip(&power) {
                *sum += weight * term;
            }
            for (sums, terms) in earned.iter_mut().zip(&mut later) {
                for (sum, term) in sums.iter_mut().zip(&*terms) {
                    *sum += beyond / fastest * term;
                }
                *terms = apply(&jumps, terms, n);
            }
            power = product(&power, &jumps, n);
        }
        for doubling in 0..doublings {
            for sums in &mut earned {
                let more = apply(&matrix, sums, n);
                sums.iter_mut().zip(more).for_each(|(sum, term)| *sum += term);
            }
            if doubling + 1 < doublings {
                matrix = product(&matrix, &matrix, n);
            }
        }
        earned.iter().map(|sums| sums[0]).collect()
    }

    /// Rates out of each state.
    fn out(&self) -> Vec<f64> {
        let moves = self.rates.chunks(self.states).map(|row| row.iter().sum::<f64>());
        moves.zip(&self.leaves).map(|(moves, leaves)| moves + leaves).collect()
    }

    /// Probabilities of the jumps of the uniformised chain.
    fn jumps(&self, fastest: f64) -> Vec<f64> {
        let mut jumps: Vec<f64> = self.rates.iter().map(|rate| rate / fastest).collect();
        for (state, out) in self.out().into_iter().enumerate() {
            jumps[state * self.states + state] = 1.0 - out / fastest;
        }
        jumps
    }

    /// Mean time to the end, from the start; infinite where there is none.
    pub fn mean_time(&self, ends: &[f64]) -> f64 {
        let n = self.states;
        let mut rates = self.rates.clone();
        let mut ends = ends.to_vec();
        let mut times = vec![1.0; n];
        for gone in (1..n).rev() {
            let out: f64 = ends[gone] + rates[gone * n..][..gone].iter().sum::<f64>();
            if out == 0.0 {
                continue;
            }
            for from in 0..gone {
                let share = rates[from * n + gone] / out;
                if share == 0.0 {
                    continue;
                }
                for to in (0..gone).filter(|&to| to != from) {
                    rates[from * n + to] += share * rates[gone * n + to];
                }
                ends[from] += share * ends[gone];
                times[from] += share * times[gone];
            }
        }
        times[0] / ends[0]
    }
}

/// Poisson probabilities of 0, 1, ... jumps, and of more than so many; until less than 1e-17 is left.
fn poisson(mean: f64) -> Vec<(f64, f64)> {
    let most = (mean + 12.0 * mean.sqrt() + 20.0) as usize;
    let mut weights = vec![(-mean).exp()];
    for jump in 1..most {
        weights.push(weights[jump - 1] * mean / jump as f64);
    }
    let mut beyond = 0.0;
    let mut found: Vec<(f64, f64)> = Vec::with_capacity(most);
    for weight in weights.into_iter().rev() {
        found.push((weight, beyond));
        beyond += weight;
    }
    found.reverse();
    found
}

fn product(a: &[f64], b: &[f64], n: usize) -> Vec<f64> {
    let mut result = vec![0.0; n * n];
    for row in 0..n {
        let into = &mut result[row * n..][..n];
        for middle in 0..n {
            let factor = a[row * n + middle];
            if factor != 0.0 {
                for (sum, term) in into.iter_mut().zip(&b[middle * n..][..n]) {
                    *sum += factor * term;
                }
            }
        }
    }
    result
}

fn apply(matrix: &[f64], vector: &[f64], n: usize) -> Vec<f64> {
    (0..n).map(|row| matrix[row * n..][..n].iter().zip(vector).map(|(a, b)| a * b).sum()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_state_that_is_left_is_exponential() {
        let mut chain = Transient::new(1);
        chain.add(0, None, 0.0, 1e-3);
        let lost = chain.within(&[vec![1e-3]], 2000.0)[0];
        assert!((lost - (1.0 - (-2f64).exp())).abs() < 1e-12, "{lost}");
        assert_eq!(chain.mean_time(&[1e-3]), 1000.0);
    }

    #[test]
    fn a_chain_of_failures_keeps_its_digits_at_1e_minus_24() {
        // Three failures in a row at 1e-8 each, in 1 s: the Erlang law, 1e-24 / 6 to first order.
        let mut chain = Transient::new(3);
        chain.add(0, Some(1), 1e-8, 0.0);
        chain.add(1, Some(2), 1e-8, 0.0);
        chain.add(2, None, 0.0, 1e-8);
        let lost = chain.within(&[vec![0.0, 0.0, 1e-8]], 1.0)[0];
        assert!((lost * 6e24 - 1.0).abs() < 1e-7, "{lost}");
    }

    #[test]
    fn steps_and_doublings_agree() {
        // A pair with repair, 2,000 jumps: both ways have eleven digits in common.
        let mut chain = Transient::new(2);
        chain.add(0, Some(1), 2e-6, 0.0);
        chain.add(1, Some(0), 1e-1, 0.0);
        chain.add(1, None, 0.0, 1e-6);
        let reward = [vec![0.0, 1e-6]];
        let fastest = 1e-1 + 1e-6;
        let doublings = (2e4f64 * fastest / SHORT).log2().ceil() as i32;
        let steps = chain.by_steps(&reward, 2e4, fastest)[0];
        let doubled = chain.by_doubling(&reward, 2e4, fastest, doublings)[0];
        assert!((steps / doubled - 1.0).abs() < 1e-11, "{steps:e} {doubled:e}");
    }
}
