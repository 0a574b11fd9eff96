//! Spin-ups of a pool's drives, of which only so many may run at once: motors draw most while they start.

use std::collections::VecDeque;

/// Who comes up, and who waits for that.
#[derive(Clone, Debug, Default)]
pub struct SpinUps {
    at_once: Option<usize>,
    coming: usize,
    most: usize,
    waiting: VecDeque<u32>,
}

impl SpinUps {
    /// At most `at_once` of them; none: as many as there are.
    #[must_use]
    pub fn new(at_once: Option<usize>) -> Self {
        Self { at_once, ..Self::default() }
    }

    /// Whether `drive` may begin now; else it waits for its turn.
    pub fn ask(&mut self, drive: u32) -> bool {
        if self.at_once.is_some_and(|limit| self.coming >= limit) {
            self.waiting.push_back(drive);
            return false;
        }
        self.coming += 1;
        self.most = self.most.max(self.coming);
        true
    }

    /// A spin-up has ended; the drive whose turn it is then. Its place is taken at once.
    pub fn ended(&mut self) -> Option<u32> {
        let next = self.waiting.pop_front();
        if next.is_none() {
            self.coming -= 1;
        }
        next
    }

    /// `drive` does not wait any more.
    pub fn withdraw(&mut self, drive: u32) {
        self.waiting.retain(|&d| d != drive);
    }

    /// The most that came up at once.
    #[must_use]
    pub fn most(&self) -> usize {
        self.most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_taken_in_order_and_the_limit_holds() {
        let mut spin_ups = SpinUps::new(Some(2));
        let begun: Vec<bool> = (0..5).map(|drive| spin_ups.ask(drive)).collect();
        assert_eq!(begun, [true, true, false, false, false]);
        spin_ups.withdraw(3);
        assert_eq!([spin_ups.ended(), spin_ups.ended(), spin_ups.ended()], [Some(2), Some(4), None]);
        assert_eq!((spin_ups.most(), spin_ups.ask(7), spin_ups.ask(8)), (2, true, false));
    }
}
