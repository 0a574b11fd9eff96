//! Sets of extents of several volumes, a bit each: what the remote array lacks.

/// A piece of a volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The volume, by its place in the group.
    pub member: u32,
    /// First byte in the volume.
    pub offset: u64,
    /// Bytes.
    pub size: u64,
}

/// A set of extents.
#[derive(Clone, Debug)]
pub struct Extents {
    extent: u64,
    /// Of each volume its bytes and its bits.
    volumes: Vec<(u64, Vec<u64>)>,
    /// Where [`Self::take`] goes on: volume and word.
    next: (usize, usize),
    /// Extents in it.
    count: u64,
    /// Bytes in it.
    bytes: u64,
}

impl Extents {
    /// None of volumes of the given capacities.
    #[must_use]
    pub fn new(extent: u64, capacities: &[u64]) -> Self {
        let words = |&bytes: &u64| (bytes, vec![0; bytes.div_ceil(extent).div_ceil(64) as usize]);
        Self { extent, volumes: capacities.iter().map(words).collect(), next: (0, 0), count: 0, bytes: 0 }
    }

    /// Whether it holds none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Bytes of those that it holds.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Adds the extents that a piece touches.
    pub fn add(&mut self, piece: Piece) {
        for extent in self.touched(piece) {
            let (capacity, words) = &mut self.volumes[piece.member as usize];
            let (word, bit) = (&mut words[(extent / 64) as usize], 1 << (extent % 64));
            if *word & bit == 0 {
                *word |= bit;
                self.count += 1;
                self.bytes += self.extent.min(*capacity - extent * self.extent);
            }
        }
    }

    /// Whether it holds an extent that a piece touches.
    #[must_use]
    pub fn touches(&self, piece: Piece) -> bool {
        let words = &self.volumes[piece.member as usize].1;
        self.touched(piece).any(|extent| words[(extent / 64) as usize] >> (extent % 64) & 1 == 1)
    }

    /// Takes one out, in order of addresses from the last one on, and again from the front.
    pub fn take(&mut self) -> Option<Piece> {
        if self.count == 0 {
            return None;
        }
        loop {
            let (member, at) = self.next;
            let (capacity, words) = &mut self.volumes[member];
            match words.get_mut(at) {
                Some(0) => self.next.1 += 1,
                Some(word) => {
                    let bit = u64::from(word.trailing_zeros());
                    *word &= *word - 1;
                    let offset = (at as u64 * 64 + bit) * self.extent;
                    let size = self.extent.min(*capacity - offset);
                    self.count -= 1;
                    self.bytes -= size;
                    return Some(Piece { member: member as u32, offset, size });
                }
                None => self.next = ((member + 1) % self.volumes.len(), 0),
            }
        }
    }

    fn touched(&self, piece: Piece) -> std::ops::Range<u64> {
        let end = piece.offset + piece.size.max(1);
        piece.offset / self.extent..end.div_ceil(self.extent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_come_out_once_in_order_and_the_last_one_is_cut() {
        let piece = |member, offset, size| Piece { member, offset, size };
        let mut set = Extents::new(100, &[10_050, 300]);
        set.add(piece(1, 150, 100));
        set.add(piece(0, 10_010, 10));
        set.add(piece(0, 99, 2));
        set.add(piece(0, 0, 1));
        assert_eq!(set.bytes(), 100 + 100 + 50 + 100 + 100);
        assert!(set.touches(piece(1, 100, 1)) && !set.touches(piece(1, 0, 100)));
        let taken: Vec<Piece> = std::iter::from_fn(|| set.take()).collect();
        assert_eq!(
            taken,
            [
                piece(0, 0, 100),
                piece(0, 100, 100),
                piece(0, 10_000, 50),
                piece(1, 100, 100),
                piece(1, 200, 100)
            ]
        );
        set.add(piece(0, 5, 1));
        assert_eq!(set.take(), Some(piece(0, 0, 100)), "from the front again");
        assert!(set.is_empty() && set.bytes() == 0);
    }
}
