//! Lines of the cache drives: which blocks they hold copies of, the least recently used clean one, and the dirty ones of each
//! data drive from the oldest.

use crate::sectors::BlockMap;

/// No line.
pub const NONE: u32 = u32::MAX;

/// A line.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// The block that it belongs to; `u64::MAX`: none.
    pub block: u64,
    /// Sectors that it holds.
    pub valid: u128,
    /// Of those, the ones that only it holds.
    pub dirty: u128,
    /// Counts what its contents went through, so that a copy under way knows whether it is still true.
    pub age: u32,
    /// Its dirty sectors are on their way to the data drive: in no list.
    pub moving: bool,
    list: u32,
    older: u32,
    newer: u32,
}

#[derive(Clone, Copy, Debug)]
struct Ends {
    oldest: u32,
    newest: u32,
    length: u32,
}

/// All lines. List 0 has the clean ones by use, list `1 + part` the dirty ones of a part by age.
#[derive(Debug)]
pub struct Lines {
    lines: Vec<Line>,
    most: u32,
    blocks: BlockMap,
    lists: Vec<Ends>,
}

const CLEAN: u32 = 0;

impl Lines {
    /// So many lines, for so many parts.
    #[must_use]
    pub fn new(most: u32, parts: usize) -> Self {
        let empty = Ends { oldest: NONE, newest: NONE, length: 0 };
        Self { lines: vec![], most, blocks: BlockMap::default(), lists: vec![empty; parts + 1] }
    }

    /// The line of a block.
    #[must_use]
    pub fn find(&self, block: u64) -> Option<u32> {
        self.blocks.get(&block).copied()
    }

    /// A line.
    #[must_use]
    pub fn get(&self, line: u32) -> Line {
        self.lines[line as usize]
    }

    /// A line, to change; [`Self::settle`] must follow where its dirty sectors change.
    pub fn get_mut(&mut self, line: u32) -> &mut Line {
        &mut self.lines[line as usize]
    }

    /// Whether a line may give way to another block.
    #[must_use]
    pub fn may_go(&self, line: u32) -> bool {
        let Line { list, moving, .. } = self.lines[line as usize];
        list == CLEAN && !moving
    }

    /// Lines that blocks may get: those never used, and those that may give way.
    #[must_use]
    pub fn room(&self) -> u32 {
        self.most - self.lines.len() as u32 + self.lists[CLEAN as usize].length
    }

    /// Dirty lines of a part that are not on their way.
    #[must_use]
    pub fn dirty(&self, part: usize) -> u32 {
        self.lists[part + 1].length
    }

    /// The oldest of them, or [`NONE`].
    #[must_use]
    pub fn oldest_dirty(&self, part: usize) -> u32 {
        self.lists[part + 1].oldest
    }

    /// A line for a block that has none: a new one, or the clean one used longest ago. Whether that held another block.
    pub fn allot(&mut self, block: u64) -> Option<(u32, bool)> {
        let (line, evicted) = if (self.lines.len() as u32) < self.most {
            let unused = Line {
                block: u64::MAX,
                valid: 0,
                dirty: 0,
                age: 0,
                moving: false,
                list: CLEAN,
                older: NONE,
                newer: NONE,
            };
            self.lines.push(unused);
            (self.lines.len() as u32 - 1, false)
        } else {
            let line = self.lists[CLEAN as usize].oldest;
            if line == NONE {
                return None;
            }
            self.unlink(line);
            self.blocks.remove(&self.lines[line as usize].block);
            (line, true)
        };
        let it = &mut self.lines[line as usize];
        (it.block, it.valid, it.age) = (block, 0, it.age.wrapping_add(1));
        self.blocks.insert(block, line);
        self.link(line, CLEAN);
        Some((line, evicted))
    }

    /// A line was used.
    pub fn used(&mut self, line: u32) {
        let Line { list, moving, newer, .. } = self.lines[line as usize];
        if list == CLEAN && !moving && newer != NONE {
            self.unlink(line);
            self.link(line, CLEAN);
        }
    }

    /// Puts a line of a part into the list that it belongs to.
    pub fn settle(&mut self, line: u32, part: usize) {
        let it = self.lines[line as usize];
        let list = if it.dirty == 0 { CLEAN } else { part as u32 + 1 };
        if !it.moving && it.list != list {
            self.unlink(line);
            self.link(line, list);
        }
    }

    /// A dirty line goes on its way.
    pub fn begin_move(&mut self, line: u32) {
        self.unlink(line);
        self.lines[line as usize].moving = true;
    }

    /// It has come to the end of it.
    pub fn end_move(&mut self, line: u32, part: usize) {
        let it = &mut self.lines[line as usize];
        it.moving = false;
        let list = if it.dirty == 0 { CLEAN } else { part as u32 + 1 };
        self.link(line, list);
    }

    fn link(&mut self, line: u32, list: u32) {
        let ends = &mut self.lists[list as usize];
        let newest = std::mem::replace(&mut ends.newest, line);
        ends.length += 1;
        if newest == NONE {
            ends.oldest = line;
        } else {
            self.lines[newest as usize].newer = line;
        }
        let it = &mut self.lines[line as usize];
        (it.list, it.older, it.newer) = (list, newest, NONE);
    }

    fn unlink(&mut self, line: u32) {
        let Line { list, older, newer, .. } = self.lines[line as usize];
        let ends = &mut self.lists[list as usize];
        ends.length -= 1;
        match older {
            NONE => ends.oldest = newer,
            older => self.lines[older as usize].newer = newer,
        }
        let ends = &mut self.lists[list as usize];
        match newer {
            NONE => ends.newest = older,
            newer => self.lines[newer as usize].older = older,
        }
    }

    /// Sectors that only lines hold.
    #[must_use]
    pub fn dirty_sectors(&self) -> u64 {
        self.lines.iter().map(|line| u64::from(line.dirty.count_ones())).sum()
    }

    /// Checks that every line is in the list that it belongs to and found by its block.
    ///
    /// # Errors
    /// The first thing that is not so.
    pub fn audit(&self, part_of: impl Fn(u64) -> usize) -> Result<(), String> {
        for (number, it) in self.lines.iter().enumerate() {
            if self.find(it.block) != Some(number as u32) {
                return Err(format!("line {number} is not found by its block {}", it.block));
            }
            if it.dirty & !it.valid != 0 {
                return Err(format!("line {number} has dirty sectors that it does not hold"));
            }
            let list = if it.dirty == 0 { CLEAN } else { part_of(it.block) as u32 + 1 };
            if !it.moving && it.list != list {
                return Err(format!("line {number} is in list {} and belongs to {list}", it.list));
            }
        }
        if self.blocks.len() != self.lines.len() {
            return Err(format!("{} blocks are in {} lines", self.blocks.len(), self.lines.len()));
        }
        let mut listed = 0;
        for ends in &self.lists {
            let (mut at, mut length) = (ends.oldest, 0);
            while at != NONE {
                length += 1;
                at = self.lines[at as usize].newer;
            }
            if length != ends.length {
                return Err(format!("a list of {} lines has {length}", ends.length));
            }
            listed += length as usize;
        }
        let moving = self.lines.iter().filter(|l| l.moving).count();
        if listed + moving == self.lines.len() { Ok(()) } else { Err("a line is in no list".into()) }
    }
}
