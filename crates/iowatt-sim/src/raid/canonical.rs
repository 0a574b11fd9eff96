//! A pool as words: the number of its requests, and the parity updates under way.

use super::Pool;
use crate::canonical::Canon;

impl Pool {
    /// Writes what outlasts a request.
    pub fn canonical(&self, out: &mut Canon) {
        let Self {
            layout: _,
            level: _,
            small_write: _,
            parity_check_on_read: _,
            mirror_reads: _,
            solid: _,
            first_drive: _,
            sector_bytes: _,
            sector: _,
            rows: _,        // by those that refer to them
            last_plain: _,  // within a request
            chosen_copy: _, // the same
            ties: _,
            request,
            recovery,
            used_sectors: _,
            losses: _,
            rebuild: _,
            chunklets,
            sparing: _,
            preferred: _,
            degraded: _,
            log: _, // with recovery alone
        } = self;
        out.word(*request);
        if recovery.is_some() || chunklets.is_some() {
            out.unlike_any();
        }
    }

    /// Writes a parity update.
    pub fn canonical_row(&self, key: u32, out: &mut Canon) {
        let row = self.rows.get(key);
        out.small(row.reads_left);
        row.parity_writes().iter().for_each(|&op| out.op(op));
    }

    /// Parity updates under way.
    #[must_use]
    pub fn rows_under_way(&self) -> usize {
        self.rows.len()
    }

    /// Its requests so far were `count`, as where a simulation begins in the middle of a run.
    pub fn count_requests_from(&mut self, count: u64) {
        self.request = count;
    }
}
