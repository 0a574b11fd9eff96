//! How deep in the LRU stack references find their block: weights in bins whose upper ends are cache sizes at
//! which a miss ratio is exact.

/// Requests, bytes and block references, reads before writes.
pub(super) const CHANNELS: usize = 6;
pub(super) type Weights = [f64; CHANNELS];

/// Deepest stack in blocks that has bins of its own.
const DEEPEST: u32 = 44;
const PER_OCTAVE: u64 = 8;

/// The upper ends of bins, in blocks.
#[derive(Clone, Debug)]
pub(super) struct Edges {
    edges: Vec<u64>,
    /// For every octave the first bin that reaches into it.
    starts: Vec<usize>,
    /// Those that were asked for.
    asked: Vec<u64>,
}

impl Edges {
    /// 1 to 16, eight to an octave beyond, and `more`.
    pub(super) fn new(more: impl Iterator<Item = u64>) -> Self {
        let asked: Vec<u64> = more.collect();
        let mut edges: Vec<u64> = (1..=16).chain(asked.iter().copied()).collect();
        for octave in 4..DEEPEST {
            edges.extend((1..=PER_OCTAVE).map(|step| (1 << octave) / PER_OCTAVE * (PER_OCTAVE + step)));
        }
        edges.sort_unstable();
        edges.dedup();
        let starts = (0..64).map(|octave| edges.partition_point(|&edge| edge < 1 << octave)).collect();
        Self { edges, starts, asked }
    }

    pub(super) fn all(&self) -> &[u64] {
        &self.edges
    }

    pub(super) fn asked(&self, edge: u64) -> bool {
        self.asked.contains(&edge)
    }

    /// The bin of a depth of at least 1; past the last edge for what no cache here would hold.
    #[inline]
    pub(super) fn bin(&self, depth: u64) -> usize {
        let mut bin = self.starts[depth.ilog2() as usize];
        while self.edges.get(bin).is_some_and(|&edge| edge < depth) {
            bin += 1;
        }
        bin
    }
}

/// Weights by bin, and of references to blocks never seen before.
#[derive(Clone, Debug)]
pub(super) struct Depths {
    bins: Vec<Weights>,
    cold: Weights,
}

impl Depths {
    pub(super) fn new(edges: &Edges) -> Self {
        Self { bins: vec![[0.0; CHANNELS]; edges.all().len() + 1], cold: [0.0; CHANNELS] }
    }

    /// `bin` is `None` for a first touch.
    #[inline]
    pub(super) fn at(&mut self, bin: Option<usize>) -> &mut Weights {
        match bin {
            Some(bin) => &mut self.bins[bin],
            None => &mut self.cold,
        }
    }

    pub(super) fn bins(&self) -> &[Weights] {
        &self.bins
    }

    pub(super) fn cold(&self) -> &Weights {
        &self.cold
    }

    pub(super) fn total(&self) -> Weights {
        self.bins.iter().fold(self.cold, |sum, bin| std::array::from_fn(|at| sum[at] + bin[at]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_depth_lies_between_its_edges(depth in 1_u64..1 << 46, small in 1_u64..300, own in 1_u64..1 << 40) {
            let edges = Edges::new([own, 100].into_iter());
            for depth in [depth, small, own] {
                let bin = edges.bin(depth);
                prop_assert!(edges.all().get(bin).is_none_or(|&edge| edge >= depth));
                prop_assert!(bin == 0 || edges.all()[bin - 1] < depth);
            }
            prop_assert_eq!(edges.all()[edges.bin(own)], own);
        }
    }
}
