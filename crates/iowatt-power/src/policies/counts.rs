//! Counts of past idle periods by length, in cells of the grid, that fade as newer ones come.

use super::outlook::{Grid, POINTS};

/// Periods longer than the floor; cell i lies between points i and i + 1, the last one is open.
#[derive(Clone, Debug)]
pub(super) struct Counts {
    pub grid: Grid,
    cells: [f64; POINTS],
    sum: f64,
    /// What the next period counts; all older ones fade against it.
    weight: f64,
    growth: f64,
}

impl Counts {
    pub(super) fn new(grid: Grid, memory: f64) -> Self {
        Self { grid, cells: [0.0; POINTS], sum: 0.0, weight: 1.0, growth: memory / (memory - 1.0) }
    }

    /// Counts a period; false where it is no longer than the floor.
    pub(super) fn add(&mut self, length_s: f64) -> bool {
        if length_s <= self.grid.floor_s {
            return false;
        }
        self.weight *= self.growth;
        if self.weight > 1e60 {
            self.cells.iter_mut().for_each(|cell| *cell /= self.weight);
            self.sum /= self.weight;
            self.weight = 1.0;
        }
        self.cells[self.grid.position(length_s) as usize] += self.weight;
        self.sum += self.weight;
        true
    }

    /// Periods that it rests on, the newest counting one each.
    pub(super) fn total(&self) -> f64 {
        self.sum / self.weight
    }

    /// The share in each cell that has any: its number and the share.
    pub(super) fn shares(&self) -> impl Iterator<Item = (usize, f64)> + Clone + '_ {
        let filled = self.cells.iter().enumerate().filter(|(_, cell)| **cell > 0.0);
        filled.map(|(at, cell)| (at, cell / self.sum))
    }

    /// The middle of a cell, in the logarithm.
    pub(super) fn middle_s(&self, cell: usize) -> f64 {
        (self.grid.time_s(cell) * self.grid.time_s(cell + 1)).sqrt()
    }

    /// The upper end of the highest cell that has any.
    pub(super) fn most_s(&self) -> f64 {
        let highest = self.cells.iter().rposition(|cell| *cell > 0.0).unwrap_or(0);
        self.grid.time_s(highest + 1)
    }
}
