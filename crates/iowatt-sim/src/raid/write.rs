//! Writes of a stripe: all copies, or the data and its parity in their order of dependence.

use super::{ALL, Extent, Pool, Splitting, Touched};
use crate::device::{DriveOp, NO_OP};
use crate::plan::{MAX_PARITY, SmallWrite};

/// A parity update that waits for its reads.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowUpdate {
    pub(super) reads_left: u32,
    written: u32,
    parity_writes: [u32; MAX_PARITY],
}

impl RowUpdate {
    /// An update that waits for so many reads, still without writes.
    pub(super) fn waiting_for(reads: u32) -> Self {
        Self { reads_left: reads, written: 0, parity_writes: [NO_OP; MAX_PARITY] }
    }

    /// An update that goes to a log when its reads are done.
    pub(super) fn for_log(reads: u32) -> Self {
        Self::waiting_for(reads)
    }

    /// It has its place in a buffer of the log.
    pub(super) fn enter_buffer(&mut self, buffer: u32) {
        self.parity_writes[0] = buffer;
    }

    /// The buffer of one that goes to a log: it writes no parity.
    #[inline]
    fn buffer(&self) -> Option<u32> {
        (self.written == 0).then_some(self.parity_writes[0])
    }

    /// Another parity write that waits with it.
    #[inline]
    pub(super) fn push(&mut self, write: u32) {
        self.parity_writes[self.written as usize] = write;
        self.written += 1;
    }

    /// The parity writes that wait.
    #[inline]
    pub(super) fn parity_writes(&self) -> &[u32] {
        &self.parity_writes[..self.written as usize]
    }
}

impl Pool {
    /// Releases what waited for the completed operation `op` into `ready`.
    #[inline]
    pub fn complete(&mut self, op: &DriveOp, ready: &mut Vec<u32>) {
        if op.then != NO_OP {
            ready.push(op.then);
        }
        if op.row == NO_OP {
            return;
        }
        let row = self.rows.get_mut(op.row);
        row.reads_left -= 1;
        if row.reads_left == 0 {
            let row = self.rows.remove(op.row);
            ready.extend_from_slice(row.parity_writes());
            if let (Some(buffer), Some(log)) = (row.buffer(), &mut self.log) {
                log.arrive(buffer);
            }
        }
    }

    /// Writes what is touched of one stripe, and its copies or parity.
    #[inline]
    pub(super) fn write(&mut self, t: &Touched, split: &mut Splitting<'_>) {
        if self.layout.parity_units() == 0 {
            for index in t.first..=t.last {
                let (lbn, sectors) = self.data_part(t, index);
                for drive in self.layout.copies(self.layout.data_drive(t.stripe, index) as usize) {
                    self.plain(Extent { drive, lbn, sectors }, true, split);
                    split.asked = 0; // further copies
                }
                split.asked = ALL;
            }
            return;
        }
        let unit = self.layout.unit();
        let data = self.layout.data_drives();
        if t.units() == data && t.start == 0 && t.end == unit {
            for index in 0..data {
                let extent = self.data_extent(t, index);
                self.plain(extent, true, split);
            }
            split.asked = 0;
            for number in 0..self.layout.parity_units() {
                let extent = self.parity_extent(t, number);
                self.plain(extent, true, split);
            }
            split.asked = ALL;
            if self.small_write == SmallWrite::ParityLog {
                self.supersede(t);
            }
            return;
        }
        let edges = self.edges(t);
        let modify_reads = t.units() + self.layout.code().covering_count(t.first, t.last) as u64;
        let reconstruct_reads = data - t.units() + edges.iter().flatten().count() as u64;
        let reconstruct = match self.small_write {
            SmallWrite::Auto => reconstruct_reads < modify_reads,
            SmallWrite::ReadModifyWrite => false,
            SmallWrite::Reconstruct => true,
            SmallWrite::ParityLog if reconstruct_reads >= t.units() => return self.write_logged(t, split),
            SmallWrite::ParityLog => {
                self.supersede(t);
                true
            }
        };
        if reconstruct {
            self.reconstruct_write(t, edges, reconstruct_reads as u32, split);
        } else {
            self.read_modify_write(t, modify_reads as u32, split);
        }
    }

    #[inline]
    fn read_modify_write(&mut self, t: &Touched, reads: u32, split: &mut Splitting<'_>) {
        let row = self.begin_row(t, reads, split);
        for index in t.first..=t.last {
            let extent = self.data_extent(t, index);
            let write = self.make(extent, true, NO_OP, NO_OP, split);
            self.pre_read(extent, row, write, split);
        }
        for number in self.layout.code().covering(t.first, t.last) {
            self.pre_read(self.parity_extent(t, number), row, NO_OP, split);
        }
    }

    /// A read that a parity update needs.
    #[inline]
    pub(super) fn pre_read(&self, extent: Extent, row: u32, then: u32, split: &mut Splitting<'_>) {
        split.asked = 0;
        let read = self.make(extent, false, row, then, split);
        split.asked = ALL;
        split.ready.push(read);
    }

    fn reconstruct_write(
        &mut self,
        t: &Touched,
        edges: [Option<Extent>; 2],
        reads: u32,
        split: &mut Splitting<'_>,
    ) {
        let row = self.begin_row(t, reads, split);
        let (from, sectors) = t.hull(self.layout.unit());
        let lbn = self.layout.stripe_lbn(t.stripe) + from;
        let untouched = (0..t.first).chain(t.last + 1..self.layout.data_drives());
        for index in untouched {
            let drive = self.layout.data_drive(t.stripe, index) as usize;
            self.pre_read(Extent { drive, lbn, sectors }, row, NO_OP, split);
        }
        for edge in edges.into_iter().flatten() {
            self.pre_read(edge, row, NO_OP, split);
        }
        for index in t.first..=t.last {
            let extent = self.data_extent(t, index);
            self.plain(extent, true, split);
        }
    }

    /// Opens a parity update whose parity writes wait for `reads` reads.
    #[inline]
    fn begin_row(&mut self, t: &Touched, reads: u32, split: &mut Splitting<'_>) -> u32 {
        split.asked = 0;
        let mut update = RowUpdate::waiting_for(reads);
        for number in self.layout.code().covering(t.first, t.last) {
            update.push(self.make(self.parity_extent(t, number), true, NO_OP, NO_OP, split));
        }
        split.asked = ALL;
        self.rows.insert(update)
    }

    /// Parts of the hull in the first and the last touched unit that the write leaves as they are.
    pub(super) fn edges(&self, t: &Touched) -> [Option<Extent>; 2] {
        if t.units() == 1 {
            return [None, None];
        }
        let lbn = self.layout.stripe_lbn(t.stripe);
        let unit = self.layout.unit();
        let drive = |index| self.layout.data_drive(t.stripe, index) as usize;
        let before = Extent { drive: drive(t.first), lbn, sectors: t.start };
        let after = Extent { drive: drive(t.last), lbn: lbn + t.end, sectors: unit - t.end };
        [before, after].map(|extent| (extent.sectors > 0).then_some(extent))
    }
}
