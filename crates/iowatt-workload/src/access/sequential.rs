//! Sequential cursors: each request of a cursor begins where its last one ended. A run may end (geometrically,
//! by bytes) and go on at a uniformly drawn place; a range that ends begins again. Several cursors take
//! turns.

use super::Range;
use crate::plan::Begin;
use crate::rng::Draws;

/// Cursors held at most.
const MOST: u32 = 1 << 20;

/// Cursors that walk one range.
#[derive(Debug)]
pub struct Cursors {
    /// Offset of each from the start of the range.
    at: Vec<u64>,
    turn: usize,
    run_bytes: Option<f64>,
    /// Chance that another cursor is next.
    pass_on: f64,
}

impl Cursors {
    pub(super) fn new(
        cursors: u32,
        run_bytes: Option<f64>,
        turn_requests: f64,
        begin: Begin,
        range: &Range,
        draws: &mut Draws,
    ) -> Result<Self, String> {
        if !(1..=MOST).contains(&cursors) {
            return Err(format!("{cursors} sequential streams; 1 to {MOST} are possible"));
        }
        if !(turn_requests >= 1.0 && run_bytes.is_none_or(|run| run > 0.0)) {
            return Err("a turn has at least one request, and a run at least one byte".into());
        }
        let unit = range.align.unwrap_or(4096).max(1);
        let at = (0..u64::from(cursors)).map(|number| match begin {
            Begin::Start => 0,
            Begin::Spread => {
                let even = u128::from(range.bytes) * u128::from(number) / u128::from(cursors);
                even as u64 / unit * unit
            }
            Begin::Random => range.anywhere(draws, unit.min(range.bytes)) - range.start,
        });
        Ok(Self { at: at.collect(), turn: 0, run_bytes, pass_on: 1.0 / turn_requests })
    }

    #[inline]
    pub(super) fn next(&mut self, range: &Range, draws: &mut Draws, size: u64) -> u64 {
        if self.at.len() > 1 && (self.pass_on >= 1.0 || draws.unit() < self.pass_on) {
            self.turn = (self.turn + 1) % self.at.len();
        }
        let at = &mut self.at[self.turn];
        let mut offset = *at;
        if let Some(align) = range.align {
            offset = offset.div_ceil(align) * align;
        }
        if offset + size > range.bytes {
            offset = 0;
        }
        *at = offset + size;
        if let Some(run) = self.run_bytes
            && draws.unit() * run < size as f64
        {
            // The run ends with this request: the next one begins elsewhere.
            *at = range.anywhere(draws, size) - range.start;
        }
        range.start + offset
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed test is meant to stop

    use super::*;
    use crate::rng::Purpose;

    fn draws() -> Draws {
        Draws::new(1, Purpose::Stream, 0, 0)
    }

    fn offsets(cursors: &mut Cursors, range: &Range, sizes: &[u64]) -> Vec<u64> {
        let mut draws = draws();
        sizes.iter().map(|&size| cursors.next(range, &mut draws, size)).collect()
    }

    #[test]
    fn one_cursor_walks_and_begins_again() {
        let range = Range::new(1000, 10, None);
        let mut one = Cursors::new(1, None, 1.0, Begin::Start, &range, &mut draws()).unwrap();
        assert_eq!(offsets(&mut one, &range, &[4, 3, 3, 2, 9]), [1000, 1004, 1007, 1000, 1000]);
    }

    #[test]
    fn spread_cursors_take_turns() {
        let range = Range::new(0, 40_960, None);
        let mut two = Cursors::new(2, None, 1.0, Begin::Spread, &range, &mut draws()).unwrap();
        assert_eq!(offsets(&mut two, &range, &[512; 4]), [20_480, 0, 20_992, 512]);
    }

    #[test]
    fn an_aligned_cursor_steps_over_what_is_left_of_a_unit() {
        let range = Range::new(0, 1 << 20, Some(8192));
        let mut one = Cursors::new(1, None, 1.0, Begin::Start, &range, &mut draws()).unwrap();
        assert_eq!(offsets(&mut one, &range, &[4096, 4096, 8192, 512]), [0, 8192, 16_384, 24_576]);
    }

    #[test]
    fn runs_have_the_mean_length_asked_for() {
        let range = Range::new(0, 1 << 40, None);
        let mut one = Cursors::new(1, Some(65_536.0), 1.0, Begin::Random, &range, &mut draws()).unwrap();
        let placed = offsets(&mut one, &range, &[4096; 50_000]);
        let runs = 1 + placed.windows(2).filter(|w| w[1] != w[0] + 4096).count();
        let mean = 50_000.0 / runs as f64;
        // 16 requests; the standard error of 3,100 runs is 0.28.
        assert!((mean - 16.0).abs() < 1.4, "{mean}");
    }
}
