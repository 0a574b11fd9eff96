//! A drive in steady state, without having written it: where its data are before the run.
//!
//! Under FIFO collection of a log that is written at one frontier, what a class of traffic (share `r` of the writes on
//! share `f` of the data) has in a superblock decays with its age `x` (0: just written, 1: next to be collected) as
//! `exp(-L x)`, `L = r a / (f A)`, with `a` the flash in rotation over the data it holds and `A` the write
//! amplification, the root of `A = 1 + sum r / (exp(L) - 1)`: a renewal argument
//! (docs/models/ssd.md); for one class it is Xiang and Kurkoski's `a / (a + W(-a exp(-a)))` (2012). Greedy collection
//! tends to the same state as superblocks grow; from this start it finds its own within about one pass over the drive.
//!
//! Which address is where is a shuffle of each class; superblocks take ranks in turn. So the whole state is one number a
//! class and superblock.

use super::locator::Locator;
use super::shuffle::Shuffle;
use crate::rng::Stream;

/// A class of traffic: shares of space and of writes.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    /// Of the space.
    pub space: f64,
    /// Of the writes.
    pub writes: f64,
}

/// Write amplification of FIFO collection where the flash in rotation is `a` times the data.
#[must_use]
pub fn amplification(a: f64, classes: &[Share]) -> f64 {
    let moved = |amplification: f64| -> f64 { classes.iter().map(|c| moved(c, a, amplification)).sum() };
    let (mut low, mut high) = (1.0, 2.0);
    while 1.0 + moved(high) > high && high < 1e9 {
        high *= 2.0;
    }
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if 1.0 + moved(middle) > middle {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

fn decay(class: &Share, a: f64, amplification: f64) -> f64 {
    class.writes * a / (class.space * amplification)
}

/// `r / (exp(L) - 1)`: moved for each write of the host; of a class that is not written, the limit.
fn moved(class: &Share, a: f64, amplification: f64) -> f64 {
    let decay = decay(class, a, amplification);
    if decay > 1e-9 { class.writes / decay.exp_m1() } else { class.space * amplification / a }
}

/// Share of a superblock just written that belongs to a class.
fn flow(class: &Share, a: f64, amplification: f64) -> f64 {
    let decay = decay(class, a, amplification);
    if decay > 1e-9 { class.writes / (amplification * -(-decay).exp_m1()) } else { class.space / a }
}

/// Data of one class.
#[derive(Clone, Debug)]
struct Class {
    /// First address.
    from: u32,
    /// Addresses.
    units: u32,
    /// Addresses that lie together.
    run: u32,
    shuffle: Shuffle,
    /// First rank in each superblock of the rotation, and the number of ranks at the end.
    starts: Vec<u32>,
    locator: Locator,
}

impl Class {
    /// Whole runs; what is left over stays in its order at the end.
    fn runs(&self) -> u32 {
        self.units / self.run
    }

    /// The superblock that a rank is in.
    #[inline]
    fn block(&self, rank: u32) -> usize {
        self.locator.count(u64::from(rank), |i| u64::from(self.starts[i])) - 1
    }

    #[inline]
    fn rank(&self, address: u32) -> u32 {
        let i = address - self.from;
        let (run, within) = if self.run == 1 { (i, 0) } else { (i / self.run, i % self.run) };
        if run < self.runs() { self.shuffle.forward(u64::from(run)) as u32 * self.run + within } else { i }
    }
}

/// Where data are before the run. Superblock 0 of the rotation has been written last.
#[derive(Clone, Debug)]
pub struct Initial {
    classes: Vec<Class>,
    live: u32,
}

impl Initial {
    /// `live` addresses over `rotation` superblocks of `block_units`. With `chance`, what is left of each fluctuates as
    /// under FIFO; greedy collection takes a superblock at the moment at which it is down to what is worth it, and under it
    /// (a death process stopped at a level: the time at `k` units goes as `1 / k`) the same numbers have none.
    #[must_use]
    pub fn new(
        (live, run): (u32, u32),
        (rotation, block_units): (u32, u32),
        shares: &[Share],
        chance: bool,
        random: &mut Stream,
    ) -> Self {
        let whole = [Share { space: 1.0, writes: 1.0 }];
        let shares = if shares.is_empty() { &whole } else { shares };
        let a = f64::from(rotation) * f64::from(block_units) / f64::from(live);
        let amplification = amplification(a, shares);
        let (mut classes, mut from, mut sum) = (Vec::new(), 0, 0.0);
        // What is left of each superblock.
        let mut room = vec![block_units; rotation as usize];
        for (number, share) in shares.iter().enumerate() {
            sum += share.space;
            let last = number + 1 == shares.len();
            let until = if last { live } else { ((sum * f64::from(live)).round() as u32).min(live) };
            let units = until - from;
            let (decay, flow) = (decay(share, a, amplification), flow(share, a, amplification));
            let want = |block: usize| {
                let age = (block as f64 + 0.5) / f64::from(rotation);
                let survives = (-decay * age).exp();
                let variance = if chance { flow * survives * (1.0 - survives) } else { 0.0 };
                (flow * survives, variance)
            };
            let counts = draw(units, block_units, want, &mut room, random);
            let mut starts = Vec::with_capacity(counts.len() + 1);
            let mut rank = 0;
            starts.push(rank);
            for count in counts {
                rank += count;
                starts.push(rank);
            }
            let run = run.min(units.max(1));
            let shuffle = Shuffle::new(u64::from(units / run).max(1), || random.seed());
            let locator = Locator::new(starts.iter().map(|&start| u64::from(start)));
            classes.push(Class { from, units, run, shuffle, starts, locator });
            from = until;
        }
        Self { classes, live }
    }

    /// Data that a superblock of the rotation holds.
    #[must_use]
    pub fn held(&self, block: u32) -> u32 {
        let block = block as usize;
        self.classes.iter().map(|c| c.starts[block + 1] - c.starts[block]).sum()
    }

    /// Superblock and place in it of an address; none where it holds no data.
    #[inline]
    #[must_use]
    pub fn place(&self, address: u32) -> Option<(u32, u32)> {
        if address >= self.live {
            return None;
        }
        let number = self.classes.partition_point(|c| c.from + c.units <= address);
        let class = &self.classes[number];
        let rank = class.rank(address);
        let block = class.block(rank);
        let before: u32 = self.classes[..number].iter().map(|c| c.starts[block + 1] - c.starts[block]).sum();
        Some((block as u32, before + rank - class.starts[block]))
    }
}

/// Shares `units` out over superblocks as `want` (a share of a superblock and its variance) says, and no more than there is
/// room.
fn draw(
    units: u32,
    block_units: u32,
    want: impl Fn(usize) -> (f64, f64),
    room: &mut [u32],
    random: &mut Stream,
) -> Vec<u32> {
    let size = f64::from(block_units);
    let wanted: f64 = (0..room.len()).map(|b| want(b).0 * size).sum();
    let scale = if wanted > 0.0 { f64::from(units) / wanted } else { 0.0 };
    // What rounding leaves is carried on to the next.
    let mut carried = 0.0;
    let mut counts: Vec<u32> = (0..room.len())
        .map(|b| {
            let (share, variance) = want(b);
            let exact = size * share * scale + (size * variance).max(0.0).sqrt() * random.normal() + carried;
            let count = (exact.round().max(0.0) as u32).min(room[b]);
            carried = (exact - f64::from(count)).clamp(-0.5, 0.5);
            count
        })
        .collect();
    // The total must be right: one more or one less here and there, evenly.
    let mut total: i64 = counts.iter().map(|&c| i64::from(c)).sum();
    let (mut block, step) = (0, stride(room.len()));
    while total != i64::from(units) {
        let off = (total - i64::from(units)).unsigned_abs();
        let some = (off / room.len() as u64).clamp(1, u64::from(block_units)) as u32;
        if total < i64::from(units) {
            let more = some.min(room[block] - counts[block]);
            counts[block] += more;
            total += i64::from(more);
        } else {
            let less = some.min(counts[block]);
            counts[block] -= less;
            total -= i64::from(less);
        }
        block = (block + step) % room.len();
    }
    for (room, &count) in room.iter_mut().zip(&counts) {
        *room -= count;
    }
    counts
}

/// A step that visits all of `0..n` in no obvious order.
fn stride(n: usize) -> usize {
    let gcd = |mut a: usize, mut b: usize| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    (n * 5 / 8 + 1..2 * n + 2).find(|&step| gcd(step, n) == 1).unwrap_or(1)
}
