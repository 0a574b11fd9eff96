//! A vector most of which is its default: leaves appear where something else is written.

const LEAF: usize = 1024;

/// Values by index.
#[derive(Clone, Debug)]
pub(super) struct Sparse<T> {
    leaves: Vec<Option<Box<[T; LEAF]>>>,
}

impl<T: Copy + Default> Sparse<T> {
    pub fn new(len: u64) -> Self {
        let leaves = (len as usize).div_ceil(LEAF);
        Self { leaves: (0..leaves).map(|_| None).collect() }
    }

    pub fn get(&self, index: u64) -> T {
        let index = index as usize;
        self.leaves[index / LEAF].as_ref().map_or_else(T::default, |leaf| leaf[index % LEAF])
    }

    pub fn set(&mut self, index: u64, value: T) {
        let index = index as usize;
        let leaf = self.leaves[index / LEAF].get_or_insert_with(|| Box::new([T::default(); LEAF]));
        leaf[index % LEAF] = value;
    }
}
