//! How a volume is put into service.

use super::Mutant;
use crate::media::{Media, Recorder};
use std::sync::Arc;

/// What stands beside a volume, where anything does.
#[derive(Clone, Default)]
pub struct Beside {
    /// Media that its transfers wait for.
    pub media: Option<Arc<dyn Media>>,
    /// Who is told of requests.
    pub recorder: Option<Arc<dyn Recorder>>,
}

/// How a volume is put into service.
#[derive(Clone)]
pub struct Options {
    /// Threads that move bytes beside those that submit.
    pub threads: usize,
    /// What stands beside it.
    pub beside: Beside,
    /// A fault put in on purpose.
    #[doc(hidden)]
    pub mutant: Mutant,
    /// Blocks of records after which the map is checkpointed, where that is not left to the journal.
    #[doc(hidden)]
    pub checkpoint_after: Option<u64>,
}

impl Default for Options {
    fn default() -> Self {
        Self { threads: 8, beside: Beside::default(), mutant: Mutant::None, checkpoint_after: None }
    }
}
