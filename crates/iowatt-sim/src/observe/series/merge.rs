//! Blocks of a part of a run, and their addition to those of the run.

use super::{Block, Class, Counter, Series};

impl Series {
    /// Empty ones for a part of the same run.
    #[must_use]
    pub fn part(&self) -> Self {
        let Self { start, width, most, classes, workloads, counter: _, kept: _ } = self;
        Self {
            start: *start,
            width: *width,
            most: *most,
            classes: vec![Class::default(); classes.len()],
            workloads: *workloads,
            counter: Counter::default(),
            kept: 0,
        }
    }

    /// Adds what a part of the run recorded. This one has recorded nothing by itself since.
    pub fn absorb(&mut self, mut part: Self) {
        for number in 0..part.classes.len() {
            part.count(number);
        }
        while part.width < self.width {
            part.double();
        }
        while self.width < part.width {
            self.double();
        }
        for (class, part) in self.classes.iter_mut().zip(part.classes) {
            if class.blocks.len() < part.blocks.len() {
                class.blocks.resize(part.blocks.len(), Block::default());
            }
            class.blocks.iter_mut().zip(part.blocks).for_each(|(block, other)| block.add(other));
        }
        self.kept = self.classes.iter().flat_map(|class| &class.blocks).map(|block| block.bins.len()).sum();
        self.cover(0);
    }

    fn double(&mut self) {
        self.width *= 2;
        self.kept = self.classes.iter_mut().map(Class::join_neighbours).sum();
    }
}
