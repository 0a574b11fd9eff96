//! Where every extent lies: one slot of one part, with some slots of each part left free so that extents can change places.

/// Nothing lies in this slot.
pub const FREE: u32 = u32::MAX;

/// A slot of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The part.
    pub part: u32,
    /// Which slot of it.
    pub slot: u32,
}

/// The map of extents, both ways.
#[derive(Debug)]
pub struct Places {
    of_extent: Vec<Place>,
    in_slot: Vec<Vec<u32>>,
    /// Free slots of each part, that freed last on top.
    free: Vec<Vec<u32>>,
}

impl Places {
    /// Extents one behind the other in parts of so many slots, the last `spare` of each free.
    #[must_use]
    pub fn new(slots: &[u32], spare: u32) -> Self {
        let mut places = Self { of_extent: vec![], in_slot: vec![], free: vec![] };
        for (part, &slots) in slots.iter().enumerate() {
            let used = slots.saturating_sub(spare);
            let first = places.of_extent.len() as u32;
            places.of_extent.extend((0..used).map(|slot| Place { part: part as u32, slot }));
            let held = (0..slots).map(|slot| if slot < used { first + slot } else { FREE });
            places.in_slot.push(held.collect());
            places.free.push((used..slots).rev().collect());
        }
        places
    }

    /// Number of extents.
    #[must_use]
    pub fn extents(&self) -> u32 {
        self.of_extent.len() as u32
    }

    /// Where an extent lies.
    #[must_use]
    pub fn of(&self, extent: u32) -> Place {
        self.of_extent[extent as usize]
    }

    /// Slots of a part.
    #[must_use]
    pub fn slots(&self, part: usize) -> u32 {
        self.in_slot[part].len() as u32
    }

    /// The extent in a slot, or [`FREE`].
    #[must_use]
    pub fn at(&self, place: Place) -> u32 {
        self.in_slot[place.part as usize][place.slot as usize]
    }

    /// Reserves a free slot of a part.
    pub fn reserve(&mut self, part: usize) -> Option<Place> {
        let slot = self.free[part].pop()?;
        Some(Place { part: part as u32, slot })
    }

    /// Whether a part has a free slot.
    #[must_use]
    pub fn has_room(&self, part: usize) -> bool {
        !self.free[part].is_empty()
    }

    /// An extent lies in a reserved slot from now on; its old one is free.
    pub fn background_done(&mut self, extent: u32, to: Place) {
        let from = std::mem::replace(&mut self.of_extent[extent as usize], to);
        self.in_slot[from.part as usize][from.slot as usize] = FREE;
        self.in_slot[to.part as usize][to.slot as usize] = extent;
        self.free[from.part as usize].push(from.slot);
    }

    /// Checks that the map is the same both ways and that each slot holds an extent, is free, or is one of `reserved`.
    ///
    /// # Errors
    /// The first thing that is not so.
    pub fn audit(&self, reserved: &[Place]) -> Result<(), String> {
        for (extent, &place) in self.of_extent.iter().enumerate() {
            if self.at(place) != extent as u32 {
                return Err(format!("extent {extent} is not in its slot {place:?}"));
            }
        }
        let held = self.in_slot.iter().flatten().filter(|&&e| e != FREE).count();
        if held != self.of_extent.len() {
            return Err(format!("{held} slots hold {} extents", self.of_extent.len()));
        }
        let mut open: Vec<Place> = reserved.to_vec();
        for (part, free) in self.free.iter().enumerate() {
            open.extend(free.iter().map(|&slot| Place { part: part as u32, slot }));
        }
        open.sort_unstable();
        let twice = open.windows(2).any(|pair| pair[0] == pair[1]);
        if twice || open.iter().any(|&place| self.at(place) != FREE) {
            return Err("a free slot is listed twice or holds an extent".into());
        }
        let slots: usize = self.in_slot.iter().map(Vec::len).sum();
        if slots == held + open.len() { Ok(()) } else { Err("a slot is neither free nor used".into()) }
    }
}
