//! Where the newest data of a shingled drive are: in their band, or in the media cache.
//!
//! The cache is a log that goes round: writes are appended at its head, and its tail moves on over what is dead. A map says
//! which sectors have their newest data there. Both are bounded by the entries of the map.

use std::collections::{BTreeMap, VecDeque};

/// Writes in the log for each entry of the map: those that are dead wait for the tail to pass.
const DEAD: usize = 8;

/// A run of sectors and where its data are on the media.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// First sector, as the host counts.
    pub lbn: u64,
    /// First sector on the media.
    pub at: u64,
    /// Sectors.
    pub sectors: u64,
}

/// Sectors whose newest data are in the cache, up to `end`.
#[derive(Clone, Copy, Debug)]
struct Extent {
    end: u64,
    at: u64,
    entry: u64,
}

/// A write in the log.
#[derive(Clone, Copy, Debug)]
struct Entry {
    lbn: u64,
    sectors: u64,
    /// Sectors of it that are the newest.
    live: u64,
}

/// The media cache.
#[derive(Clone, Debug)]
pub struct MediaCache {
    /// First sector on the media.
    first: u64,
    sectors: u64,
    most: usize,
    /// Where the next write goes, from the first sector on.
    head: u64,
    used: u64,
    log: VecDeque<Entry>,
    /// Number of the log's first entry.
    oldest: u64,
    /// By first sector.
    newest: BTreeMap<u64, Extent>,
}

impl MediaCache {
    /// An empty cache of so many sectors behind `first`, with a map of `most` entries.
    #[must_use]
    pub fn new(first: u64, sectors: u64, most: usize) -> Self {
        Self {
            first,
            sectors,
            most,
            head: 0,
            used: 0,
            log: VecDeque::new(),
            oldest: 0,
            newest: BTreeMap::new(),
        }
    }

    /// Whether no sector has its newest data here.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.newest.is_empty()
    }

    /// Sectors up to the end of the log's round, which a write at its head may take at most.
    #[must_use]
    pub fn until_wrap(&self) -> u64 {
        self.sectors - self.head
    }

    /// Whether it takes a write of so many sectors; with 0, whether what it holds may be cut once more.
    #[must_use]
    pub fn has_room(&self, sectors: u64) -> bool {
        let entries = self.newest.len() < self.most && self.log.len() < DEAD * self.most;
        entries && self.used + sectors <= self.sectors
    }

    /// Where the next write goes on the media.
    #[must_use]
    pub fn head(&self) -> u64 {
        self.first + self.head
    }

    /// First sector of the oldest data that must be cleaned for room.
    #[must_use]
    pub fn oldest(&self) -> Option<u64> {
        let entry = self.log.front()?;
        let mut inside = self.newest.range(entry.lbn..entry.lbn + entry.sectors);
        inside.find(|(_, extent)| extent.entry == self.oldest).map(|(&lbn, _)| lbn)
    }

    /// Takes a write, for which there is room before the end of the round; where it goes on the media.
    pub fn append(&mut self, lbn: u64, sectors: u64) -> u64 {
        self.forget(lbn, lbn + sectors);
        let at = self.head();
        let entry = self.oldest + self.log.len() as u64;
        self.log.push_back(Entry { lbn, sectors, live: sectors });
        self.newest.insert(lbn, Extent { end: lbn + sectors, at, entry });
        self.used += sectors;
        self.head = (self.head + sectors) % self.sectors;
        at
    }

    /// The newest data of these sectors are elsewhere, or about to be.
    pub fn forget(&mut self, lbn: u64, end: u64) {
        let before = self.newest.range(..lbn).next_back().map(|(&start, &extent)| (start, extent));
        if let Some((start, extent)) = before.filter(|(_, extent)| extent.end > lbn) {
            if let Some(cut) = self.newest.get_mut(&start) {
                cut.end = lbn;
            }
            self.dies(extent.entry, extent.end.min(end) - lbn);
            if extent.end > end {
                self.newest.insert(end, Extent { at: extent.at + (end - start), ..extent });
            }
        }
        while let Some((&start, &extent)) = self.newest.range(lbn..end).next() {
            self.newest.remove(&start);
            self.dies(extent.entry, extent.end.min(end) - start);
            if extent.end > end {
                self.newest.insert(end, Extent { at: extent.at + (end - start), ..extent });
            }
        }
        self.pass_dead();
    }

    fn dies(&mut self, entry: u64, sectors: u64) {
        if let Some(entry) = self.log.get_mut((entry - self.oldest) as usize) {
            entry.live -= sectors;
        }
    }

    /// The tail moves on to the first write that is still needed.
    fn pass_dead(&mut self) {
        while let Some(entry) = self.log.front().filter(|entry| entry.live == 0) {
            self.used -= entry.sectors;
            self.oldest += 1;
            self.log.pop_front();
        }
    }

    /// Where the newest data of these sectors are, in their order.
    pub fn find(&self, lbn: u64, end: u64, mut each: impl FnMut(Piece)) {
        let before = self.newest.range(..lbn).next_back().filter(|(_, extent)| extent.end > lbn);
        let mut from = lbn;
        for (&start, extent) in before.into_iter().chain(self.newest.range(lbn..end)) {
            let (first, last) = (start.max(lbn), extent.end.min(end));
            if first > from {
                each(Piece { lbn: from, at: from, sectors: first - from });
            }
            each(Piece { lbn: first, at: extent.at + (first - start), sectors: last - first });
            from = last;
        }
        if end > from {
            each(Piece { lbn: from, at: from, sectors: end - from });
        }
    }

    /// Where the newest data of a sector are.
    #[must_use]
    pub fn home(&self, lbn: u64) -> u64 {
        let extent = self.newest.range(..=lbn).next_back().filter(|(_, extent)| extent.end > lbn);
        extent.map_or(lbn, |(&start, extent)| extent.at + (lbn - start))
    }

    /// Writes that the log holds, and extents of its map: what its memory is made of.
    #[cfg(test)]
    pub fn size(&self) -> (usize, usize) {
        (self.log.len(), self.newest.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SECTORS: u64 = 400;
    const BAND: u64 = 50;

    /// Media that remember which version of which sector was written where.
    struct Media(Vec<(u64, u32)>);

    impl Media {
        fn write(&mut self, at: u64, lbn: u64, versions: &[u32]) {
            for (i, &version) in versions.iter().enumerate() {
                self.0[at as usize + i] = (lbn + i as u64, version);
            }
        }
    }

    /// Reads a band's newest data and writes them home.
    fn clean(cache: &mut MediaCache, media: &mut Media, band: u64) {
        let (first, end) = (band * BAND, (band + 1) * BAND);
        let newest: Vec<u32> = (first..end).map(|lbn| media.0[cache.home(lbn) as usize].1).collect();
        media.write(first, first, &newest);
        cache.forget(first, end);
    }

    proptest! {
        /// Every sector has one newest home, whatever is overwritten, cut, cleaned or written straight to its band.
        #[test]
        fn every_sector_has_one_newest_home(
            writes in prop::collection::vec((0..SECTORS, 1u64..40, 0u8..10), 1..300),
            space in 60u64..200,
            most in 1usize..30,
        ) {
            let mut cache = MediaCache::new(SECTORS, space, most);
            let mut media = Media((0..SECTORS + space).map(|at| (at, 0)).collect());
            let mut newest = vec![0u32; SECTORS as usize];
            for (number, &(lbn, sectors, how)) in writes.iter().enumerate() {
                let end = (lbn + sectors).min(SECTORS);
                let version = number as u32 + 1;
                newest[lbn as usize..end as usize].fill(version);
                if how == 0 {
                    while !cache.has_room(0) {
                        let oldest = cache.oldest();
                        prop_assert!(oldest.is_some(), "a full map has something to clean");
                        clean(&mut cache, &mut media, oldest.unwrap_or(0) / BAND);
                    }
                    // Straight to its band.
                    cache.forget(lbn, end);
                    media.write(lbn, lbn, &vec![version; (end - lbn) as usize]);
                } else {
                    let mut from = lbn;
                    while from < end {
                        let part = (end - from).min(cache.until_wrap());
                        while !cache.has_room(part) {
                            let oldest = cache.oldest();
                            prop_assert!(oldest.is_some(), "a full cache has something to clean");
                            clean(&mut cache, &mut media, oldest.unwrap_or(0) / BAND);
                        }
                        let at = cache.append(from, part);
                        prop_assert!((SECTORS..SECTORS + space).contains(&at) && at + part <= SECTORS + space);
                        media.write(at, from, &vec![version; part as usize]);
                        from += part;
                    }
                }
                if how == 1 {
                    clean(&mut cache, &mut media, lbn / BAND);
                }
                let (log, map) = cache.size();
                prop_assert!(log <= DEAD * most && map <= most + 1);
                let mut next = 0;
                cache.find(0, SECTORS, |piece| {
                    assert_eq!(piece.lbn, next, "pieces follow one another");
                    next += piece.sectors;
                    for i in 0..piece.sectors {
                        let (lbn, at) = (piece.lbn + i, piece.at + i);
                        assert_eq!(cache.home(lbn), at);
                        assert_eq!(media.0[at as usize], (lbn, newest[lbn as usize]), "sector {lbn}");
                    }
                });
                prop_assert_eq!(next, SECTORS);
            }
        }
    }
}
