//! The state of a system as a row of words: all that its future, and what is still to be booked of its past, depends on,
//! and nothing else.
//!
//! Two simulations whose rows are equal go on alike for ever. So keys, counters and stamps are not written as they are but
//! by the order that they stand for, and what has no effect any more is left out. Every component writes its own words, in
//! a file `canonical.rs` beside it; each takes its fields apart without `..`, so that a new field cannot be forgotten.

/// Written in place of something that is not there.
const NOTHING: u64 = u64::MAX;

/// A row of words in the making.
#[derive(Debug, Default)]
pub struct Canon {
    words: Vec<u64>,
    /// Something has been met that cannot be compared.
    unlike: bool,
    /// Drive operations by key.
    pub ops: Numbers,
    /// Host requests by key.
    pub hosts: Numbers,
    /// Parity updates by pool, then key.
    pub rows: Vec<Numbers>,
}

impl Canon {
    /// Nothing yet, of a system of so many pools.
    #[must_use]
    pub fn new(pools: usize) -> Self {
        Self { rows: (0..pools).map(|_| Numbers::default()).collect(), ..Self::default() }
    }

    /// A number.
    #[inline]
    pub fn word(&mut self, word: u64) {
        self.words.push(word);
    }

    /// Some numbers.
    #[inline]
    pub fn words<const N: usize>(&mut self, words: [u64; N]) {
        self.words.extend(words);
    }

    /// A flag or a small number.
    #[inline]
    pub fn small(&mut self, value: impl Into<u64>) {
        self.words.push(value.into());
    }

    /// A number, or that there is none.
    #[inline]
    pub fn maybe(&mut self, word: Option<u64>) {
        self.words.push(word.unwrap_or(NOTHING));
    }

    /// A reference to a drive operation.
    #[inline]
    pub fn op(&mut self, key: u32) {
        let number = self.ops.of(key);
        self.words.push(number);
    }

    /// A reference to a host request.
    #[inline]
    pub fn host(&mut self, key: u32) {
        let number = self.hosts.of(key);
        self.words.push(number);
    }

    /// A reference to a parity update of a pool.
    #[inline]
    pub fn row(&mut self, pool: usize, key: u32) {
        let number = self.rows[pool].of(key);
        self.words.push(number);
    }

    /// What is here is not written as words: the state equals no other.
    pub fn unlike_any(&mut self) {
        self.unlike = true;
    }

    /// The state.
    #[must_use]
    pub fn finish(self) -> State {
        State { words: self.words, unlike: self.unlike }
    }
}

/// A state to be compared.
#[derive(Debug)]
pub struct State {
    words: Vec<u64>,
    unlike: bool,
}

impl State {
    /// Whether both go on alike.
    #[must_use]
    pub fn meets(&self, other: &Self) -> bool {
        !self.unlike && !other.unlike && self.words == other.words
    }
}

/// Numbers of things in the order in which they are first referred to, in place of their keys.
#[derive(Debug, Default)]
pub struct Numbers {
    /// Number of each key, plus 1; 0: none yet.
    of_key: Vec<u32>,
    keys: Vec<u32>,
    written: usize,
}

impl Numbers {
    fn of(&mut self, key: u32) -> u64 {
        if key == u32::MAX {
            return NOTHING;
        }
        let place = key as usize;
        if place >= self.of_key.len() {
            self.of_key.resize(place + 1, 0);
        }
        if self.of_key[place] == 0 {
            self.keys.push(key);
            self.of_key[place] = self.keys.len() as u32;
        }
        u64::from(self.of_key[place] - 1)
    }

    /// The next key that has been referred to and is still to be written out.
    pub fn next(&mut self) -> Option<u32> {
        let key = self.keys.get(self.written).copied()?;
        self.written += 1;
        Some(key)
    }

    /// How many have been referred to.
    #[must_use]
    pub fn len(&self) -> usize {
        self.keys.len()
    }
}
