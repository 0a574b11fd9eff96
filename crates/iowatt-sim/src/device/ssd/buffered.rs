//! The stripes that the write buffer holds: a ring, of which a write waits for the oldest.

/// A wait for the work of a die: its number and the work with which it has done what is waited for; by default, nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gate {
    /// The die.
    pub die: u32,
    /// Of all its work, in nanoseconds.
    pub work: u64,
}

/// The stripes that the host's frontier was given last, of which the buffer holds as many as there are gates.
#[derive(Debug)]
pub struct Buffered {
    gates: Vec<Gate>,
    /// Where the next one goes: that of the oldest.
    next: usize,
    /// Stripes so far.
    pub issued: u64,
}

impl Buffered {
    /// No stripes yet, of so many.
    pub fn new(stripes: usize) -> Self {
        Self { gates: vec![Gate::default(); stripes], next: 0, issued: 0 }
    }

    /// One more stripe.
    #[inline]
    pub fn push(&mut self, gate: Gate) {
        self.gates[self.next] = gate;
        self.issued += 1;
        self.next += 1;
        if self.next == self.gates.len() {
            self.next = 0;
        }
    }

    /// The stripe whose room the next one takes; nothing to wait for where there is none.
    #[inline]
    pub fn oldest(&self) -> Gate {
        self.gates[self.next]
    }

    /// The stripe that was given `back` stripes ago, 1 the last; none where the buffer no longer holds it.
    #[inline]
    pub fn back(&self, back: u64) -> Option<Gate> {
        let size = self.gates.len();
        let back = usize::try_from(back).ok().filter(|&back| back <= size)?;
        let at = if back > self.next { self.next + size - back } else { self.next - back };
        Some(self.gates[at])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ring_knows_its_last_stripes() {
        let gate = |work: u64| Gate { die: 0, work };
        let mut ring = Buffered::new(3);
        assert_eq!(ring.oldest(), Gate::default());
        for work in 1..=5 {
            ring.push(gate(work));
        }
        assert_eq!((ring.oldest(), ring.issued), (gate(3), 5));
        let back: Vec<_> = (1..=4).map(|back| ring.back(back)).collect();
        assert_eq!(back, [Some(gate(5)), Some(gate(4)), Some(gate(3)), None]);
    }
}
