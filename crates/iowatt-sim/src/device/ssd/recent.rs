//! Which stripe of the write buffer a place of a superblock is in: one record for each placement handle, whose stripes come
//! in turn with those of the others.

/// What the host has written last with one handle.
#[derive(Clone, Debug)]
pub struct Recent {
    /// Superblocks that it was written to last, and the number, among its stripes, of the first of each.
    blocks: [(u32, u64); 2],
    /// Its stripes so far.
    issued: u64,
    /// Numbers of its last stripes among those of all handles; a ring.
    numbers: Vec<u64>,
}

impl Recent {
    /// Nothing yet; the buffer holds so many stripes.
    pub fn new(stripes: usize) -> Self {
        Self { blocks: [(u32::MAX, 0); 2], issued: 0, numbers: vec![0; stripes] }
    }

    /// The host writes to stripe `stripe` of superblock `block`.
    #[inline]
    pub fn is_in(&mut self, block: u32, stripe: u32) {
        if block != self.blocks[0].0 {
            self.blocks = [(block, self.issued - u64::from(stripe)), self.blocks[0]];
        }
    }

    /// A stripe is given to the buffer, after `before` of all handles.
    #[inline]
    pub fn push(&mut self, before: u64) {
        let at = (self.issued % self.numbers.len() as u64) as usize;
        self.numbers[at] = before;
        self.issued += 1;
    }

    /// The stripe of a place.
    pub fn find(&self, block: u32, stripe: u32) -> Found {
        let size = self.numbers.len() as u64;
        for &(_, begun) in self.blocks.iter().filter(|known| known.0 == block) {
            let number = begun + u64::from(stripe);
            if number >= self.issued {
                return Found::Filling;
            }
            if self.issued - number <= size {
                return Found::Issued(self.numbers[(number % size) as usize]);
            }
        }
        Found::Elsewhere
    }
}

/// Where a stripe is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// It is being filled.
    Filling,
    /// It was the one after so many of all handles.
    Issued(u64),
    /// Not in the buffer, as far as this handle goes.
    Elsewhere,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stripes_are_numbered_among_those_of_all_handles() {
        let mut recent = Recent::new(2);
        recent.is_in(7, 0);
        assert_eq!(recent.find(7, 0), Found::Filling);
        [3, 10, 11].iter().for_each(|&before| recent.push(before));
        recent.is_in(7, 2);
        assert_eq!(recent.find(7, 0), Found::Elsewhere);
        assert_eq!((recent.find(7, 1), recent.find(7, 2)), (Found::Issued(10), Found::Issued(11)));
        assert_eq!((recent.find(7, 3), recent.find(8, 0)), (Found::Filling, Found::Elsewhere));
        // The next superblock begins where this one has ended.
        recent.is_in(8, 0);
        recent.push(20);
        assert_eq!((recent.find(7, 2), recent.find(8, 0)), (Found::Issued(11), Found::Issued(20)));
    }
}
