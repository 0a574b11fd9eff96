//! Least frequently used: what was used least since it entered goes; of several, what has waited longest in that
//! frequency.
//!
//! A list of frequencies, ascending, each with a queue of the slots that have it (Shah, Mitra and Matani, "An O(1)
//! algorithm for implementing the LFU cache eviction scheme", 2010). What goes loses its count.

use crate::queue::{END, Links, Queue};
use crate::replacement::Replacement;

/// Slots of one frequency.
#[derive(Clone, Copy, Debug)]
struct Class {
    uses: u64,
    queue: Queue,
    lower: u32,
    higher: u32,
}

/// Classes of slots by frequency.
#[derive(Debug)]
pub struct Lfu {
    links: Links,
    /// The class of each slot.
    class: Vec<u32>,
    classes: Vec<Class>,
    free: Vec<u32>,
    lowest: u32,
}

impl Default for Lfu {
    fn default() -> Self {
        Self {
            links: Links::default(),
            class: Vec::new(),
            classes: Vec::new(),
            free: Vec::new(),
            lowest: END,
        }
    }
}

impl Lfu {
    /// The class of a frequency next to `lower`, made where it is missing.
    #[inline]
    fn above(&mut self, lower: u32, uses: u64) -> u32 {
        let higher = if lower == END { self.lowest } else { self.classes[lower as usize].higher };
        if higher != END && self.classes[higher as usize].uses == uses {
            return higher;
        }
        let made = Class { uses, queue: Queue::default(), lower, higher };
        let number = match self.free.pop() {
            Some(number) => {
                self.classes[number as usize] = made;
                number
            }
            None => {
                self.classes.push(made);
                self.classes.len() as u32 - 1
            }
        };
        self.set_higher(lower, number);
        if higher != END {
            self.classes[higher as usize].lower = number;
        }
        number
    }

    fn set_higher(&mut self, lower: u32, higher: u32) {
        match lower {
            END => self.lowest = higher,
            lower => self.classes[lower as usize].higher = higher,
        }
    }

    fn drop_if_empty(&mut self, number: u32) {
        let Class { queue, lower, higher, .. } = self.classes[number as usize];
        if queue.len() > 0 {
            return;
        }
        self.set_higher(lower, higher);
        if higher != END {
            self.classes[higher as usize].lower = lower;
        }
        self.free.push(number);
    }
}

impl Replacement for Lfu {
    #[inline]
    fn insert(&mut self, slot: u32, _key: u64) {
        let class = self.above(END, 1);
        self.links.enter(slot, 0);
        self.classes[class as usize].queue.push_newest(&mut self.links, slot);
        match self.class.get_mut(slot as usize) {
            Some(place) => *place = class,
            None => self.class.resize(slot as usize + 1, class),
        }
    }

    #[inline]
    fn used(&mut self, slot: u32) {
        let from = self.class[slot as usize];
        let Class { uses, queue, higher, .. } = self.classes[from as usize];
        let next_is_taken = higher != END && self.classes[higher as usize].uses == uses + 1;
        if queue.len() == 1 && queue.linked() == 1 && !next_is_taken {
            // Alone in its class: the class rises with it.
            self.classes[from as usize].uses += 1;
            return;
        }
        let to = if next_is_taken { higher } else { self.above(from, uses + 1) };
        self.classes[from as usize].queue.remove(&mut self.links, slot);
        self.classes[to as usize].queue.push_newest(&mut self.links, slot);
        self.class[slot as usize] = to;
        self.drop_if_empty(from);
    }

    #[inline]
    fn victim(&mut self, _incoming: u64, mut evictable: impl FnMut(u32) -> bool) -> Option<u32> {
        let mut class = self.lowest;
        while class != END {
            let taken = self.classes[class as usize].queue.take(&mut self.links, &mut evictable);
            if let Some(slot) = taken {
                self.drop_if_empty(class);
                return Some(slot);
            }
            class = self.classes[class as usize].higher;
        }
        None
    }

    fn released(&mut self, slot: u32) {
        let class = self.class[slot as usize];
        self.classes[class as usize].queue.release(&mut self.links, slot);
    }
}
