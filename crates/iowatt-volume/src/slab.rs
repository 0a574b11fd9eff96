//! Reused slots: in steady state nothing is allocated per request.

/// A vector whose freed places are used again. Keys are plain `u32` indices.
#[derive(Debug)]
pub struct Slab<T> {
    places: Vec<T>,
    free: Vec<u32>,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self { places: Vec::new(), free: Vec::new() }
    }
}

impl<T: Copy> Slab<T> {
    /// Stores `value` and returns its key.
    #[inline]
    pub fn insert(&mut self, value: T) -> u32 {
        if let Some(key) = self.free.pop() {
            self.places[key as usize] = value;
            return key;
        }
        self.places.push(value);
        (self.places.len() - 1) as u32
    }

    /// Gives the place back. The caller must not use `key` again.
    #[inline]
    pub fn remove(&mut self, key: u32) -> T {
        self.free.push(key);
        self.places[key as usize]
    }

    /// The value at `key`.
    #[must_use]
    #[inline]
    pub fn get(&self, key: u32) -> T {
        self.places[key as usize]
    }

    /// The same, without a copy.
    #[must_use]
    #[inline]
    pub fn at(&self, key: u32) -> &T {
        &self.places[key as usize]
    }

    /// The value at `key`, to change.
    #[inline]
    pub fn get_mut(&mut self, key: u32) -> &mut T {
        &mut self.places[key as usize]
    }

    /// The values, in no particular order. It looks at every place: not for the hot path.
    #[must_use]
    pub fn values(&self) -> Vec<T> {
        let mut stored = vec![true; self.places.len()];
        for &free in &self.free {
            stored[free as usize] = false;
        }
        self.places.iter().zip(stored).filter(|(_, stored)| *stored).map(|(&value, _)| value).collect()
    }

    /// Number of values stored now.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len() - self.free.len()
    }

    /// Whether none is stored.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_reused() {
        let mut slab = Slab::default();
        let a = slab.insert('a');
        let b = slab.insert('b');
        assert_eq!(slab.remove(a), 'a');
        let c = slab.insert('c');
        assert_eq!(c, a, "the freed place is taken first");
        assert_eq!((slab.get(b), slab.get(c), slab.len()), ('b', 'c', 2));
        slab.remove(b);
        assert_eq!(slab.values(), ['c']);
    }
}
