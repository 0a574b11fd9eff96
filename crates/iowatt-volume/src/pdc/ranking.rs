//! Which part each extent should lie on: the most popular on the first, as far as its room and its load allow.

use super::places::Places;

/// Requests per second below which an extent counts as cold: one in about twelve days.
const COLD: f64 = 1e-6;

/// Popularity of extents, and the scratch space of ranking them.
#[derive(Debug)]
pub struct Ranking {
    /// Requests of each extent in the present period.
    counts: Vec<u32>,
    /// Requests per second, with past periods weighted down.
    rates: Vec<f32>,
    order: Vec<u32>,
    /// Extents that a part may still take, and requests per second.
    room: Vec<(u32, f64)>,
    /// The part that each extent should lie on.
    pub wanted: Vec<u32>,
}

impl Ranking {
    /// Nothing is popular yet.
    #[must_use]
    pub fn new(extents: u32) -> Self {
        let n = extents as usize;
        Self {
            counts: vec![0; n],
            rates: vec![0.0; n],
            order: Vec::with_capacity(n),
            room: vec![],
            wanted: vec![0; n],
        }
    }

    /// A request went to an extent.
    pub fn count(&mut self, extent: u32) {
        self.counts[extent as usize] += 1;
    }

    /// A period of `seconds` is over: what it brought counts with `1 - memory`, what was before with `memory`. Then every
    /// extent gets the part that it should lie on.
    ///
    /// Extents are ranked by the whole part of the binary logarithm of their rate, as by the queues of the multi-queue
    /// algorithm that PDC takes for it; those of one rank keep their order, so that chance does not make them change places. A part
    /// takes extents while it has room and no more than `load` requests per second; what no part may take by its load goes to the
    /// first with room. Cold extents stay where they are, or go to the nearest part behind that has room, or else before.
    pub fn rank(
        &mut self,
        seconds: f64,
        memory: f64,
        (spare, load): (u32, f64),
        places: &Places,
        parts: usize,
    ) {
        for (rate, count) in self.rates.iter_mut().zip(&mut self.counts) {
            let new = f64::from(std::mem::take(count)) / seconds;
            let mixed = memory * f64::from(*rate) + (1.0 - memory) * new;
            *rate = if mixed < COLD { 0.0 } else { mixed as f32 };
        }
        self.room.clear();
        self.room.extend((0..parts).map(|part| (places.slots(part) - spare, load)));
        self.order.clear();
        self.order.extend((0..places.extents()).filter(|&e| self.rates[e as usize] > 0.0));
        let rates = &self.rates;
        let class = |e: u32| f64::from(rates[e as usize]).log2().floor() as i32;
        self.order.sort_unstable_by_key(|&e| (std::cmp::Reverse(class(e)), places.of(e)));
        for &extent in &self.order {
            let rate = f64::from(self.rates[extent as usize]);
            let fits = |&(room, load): &(u32, f64)| room > 0 && load >= rate;
            let part = self.room.iter().position(fits).or_else(|| self.room.iter().position(|r| r.0 > 0));
            let Some(part) = part else { continue };
            self.room[part].0 -= 1;
            self.room[part].1 -= rate;
            self.wanted[extent as usize] = part as u32;
        }
        // Cold ones that find room where they are, first; then those that must give way.
        for stays in [true, false] {
            for extent in 0..places.extents() {
                if self.rates[extent as usize] > 0.0 {
                    continue;
                }
                let here = places.of(extent).part as usize;
                if stays {
                    self.wanted[extent as usize] = u32::MAX;
                    if self.room[here].0 > 0 {
                        self.room[here].0 -= 1;
                        self.wanted[extent as usize] = here as u32;
                    }
                } else if self.wanted[extent as usize] == u32::MAX {
                    let part = (here..parts).chain((0..here).rev()).find(|&p| self.room[p].0 > 0);
                    let part = part.unwrap_or(here);
                    self.room[part].0 -= u32::from(self.room[part].0 > 0);
                    self.wanted[extent as usize] = part as u32;
                }
            }
        }
    }

    /// An extent's requests per second.
    #[must_use]
    pub fn rate(&self, extent: u32) -> f64 {
        f64::from(self.rates[extent as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_popular_come_first_within_room_and_load() {
        // Two parts of 3 slots, one of each spare: extents 0, 1 on part 0 and 2, 3 on part 1.
        let places = Places::new(&[3, 3], 1);
        let mut ranking = Ranking::new(4);
        let mut rank = |counts: [u32; 4], load: f64| {
            for (extent, count) in counts.iter().enumerate() {
                (0..*count).for_each(|_| ranking.count(extent as u32));
            }
            ranking.rank(10.0, 0.0, (1, load), &places, 2);
            ranking.wanted.clone()
        };
        assert_eq!(rank([0, 0, 0, 0], 99.0), [0, 0, 1, 1], "nothing requests for a move");
        assert_eq!(rank([0, 0, 40, 0], 99.0), [0, 1, 0, 1], "the last cold one gives way");
        assert_eq!(rank([20, 20, 40, 0], 99.0), [0, 1, 0, 1]);
        assert_eq!(rank([20, 20, 21, 0], 99.0), [0, 0, 1, 1], "of one rank: they stay");
        assert_eq!(
            rank([20, 0, 40, 0], 5.0),
            [1, 0, 0, 1],
            "4 + 2 requests a second are too many for one part"
        );
        assert_eq!(rank([0, 0, 80, 0], 5.0), [0, 1, 0, 1], "too popular for any part: the first");
    }

    #[test]
    fn the_past_counts_less_and_less() {
        let places = Places::new(&[3, 3], 1);
        let mut ranking = Ranking::new(4);
        (0..80).for_each(|_| ranking.count(3));
        ranking.rank(10.0, 0.5, (1, 99.0), &places, 2);
        assert_eq!(ranking.rate(3), 4.0);
        ranking.rank(10.0, 0.5, (1, 99.0), &places, 2);
        assert_eq!(ranking.rate(3), 2.0);
        (0..60).for_each(|_| ranking.rank(10.0, 0.5, (1, 99.0), &places, 2));
        assert_eq!((ranking.rate(3), ranking.wanted[3]), (0.0, 1), "cold: it stays where it lies");
    }
}
