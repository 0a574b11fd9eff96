//! What a solid-state drive counts.

use super::{Counts, FlashCounts};

/// Counts over a span.
#[derive(Clone, Copy, Debug, Default)]
pub struct Totals {
    /// Bytes that the host wrote.
    pub written_bytes: u64,
    /// Bytes that it gave up.
    pub trimmed_bytes: u64,
    /// Commands that did so.
    pub trims: u64,
    /// Of the translation layer.
    pub ftl: Counts,
    /// Of the flash.
    pub flash: FlashCounts,
}

impl Totals {
    /// What came after `before`.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        let (f, g) = (&self.ftl, &before.ftl);
        let (n, m) = (&self.flash, &before.flash);
        Self {
            written_bytes: self.written_bytes - before.written_bytes,
            trimmed_bytes: self.trimmed_bytes - before.trimmed_bytes,
            trims: self.trims - before.trims,
            ftl: Counts {
                host: f.host - g.host,
                moved: f.moved - g.moved,
                levelled: f.levelled - g.levelled,
                padded: f.padded - g.padded,
                erased: f.erased - g.erased,
                trimmed: f.trimmed - g.trimmed,
            },
            flash: FlashCounts {
                pages_read: n.pages_read - m.pages_read,
                pages_sensed: n.pages_sensed - m.pages_sensed,
                programs: n.programs - m.programs,
                buffered: n.buffered - m.buffered,
                suspended: n.suspended - m.suspended,
                map_programs: n.map_programs - m.map_programs,
                folded: n.folded - m.folded,
            },
        }
    }
}
