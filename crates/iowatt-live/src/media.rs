//! What may stand beside a volume: media that are emulated, and who records requests.

use crate::store::Store;
use std::io;

/// Told of every read and write of a host that lies within the volume, by any thread.
pub trait Recorder: Send + Sync {
    /// A request on bytes `range` of the volume has come. What this returns comes back in [`Self::answered`].
    fn arrived(&self, range: (u64, u64), write: bool) -> u64;
    /// It is about to be answered; it has failed unless `ok`.
    fn answered(&self, arrived: u64, range: (u64, u64), write: bool, ok: bool);
}

/// What a transfer does with its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Reads them.
    Read,
    /// Writes them.
    Write,
    /// Gives them up.
    Discard,
}

/// Media that are not there: a volume whose bytes are moved at once waits until they would have moved them.
pub trait Media: Send + Sync {
    /// Begins a transfer of bytes `range` of a part, for a policy where it is `background`; lets `moving` move the bytes; and
    /// returns when the media are done, too.
    fn transfer(&self, part: usize, range: (u64, u64), way: Way, background: bool, moving: &mut dyn FnMut());
    /// The volume has come to rest for good: the run of the media ends now, and nothing is waited for any more.
    fn end(&self);
}

/// The store of the first part as the journal sees it: at the pace of its media, where these are emulated.
///
/// Nothing that is on emulated media is to outlive a loss of power, so that a sync, whose time would be that of the machine, is
/// left out.
pub(crate) struct JournalStore<'a> {
    pub store: &'a dyn Store,
    pub media: Option<&'a dyn Media>,
}

impl Store for JournalStore<'_> {
    fn bytes(&self) -> u64 {
        self.store.bytes()
    }

    fn read(&self, at: u64, to: &mut [u8]) -> io::Result<()> {
        self.store.read(at, to)
    }

    fn write(&self, at: u64, from: &[u8]) -> io::Result<()> {
        let Some(media) = self.media else { return self.store.write(at, from) };
        let mut outcome = Ok(());
        // The media have the part only: what lies in front of it is written to its first bytes.
        media.transfer(0, (0, from.len() as u64), Way::Write, true, &mut || {
            outcome = self.store.write(at, from);
        });
        outcome
    }

    fn discard(&self, range: (u64, u64)) -> io::Result<()> {
        self.store.discard(range)
    }

    fn sync(&self) -> io::Result<()> {
        if self.media.is_some() { Ok(()) } else { self.store.sync() }
    }

    fn is_prompt(&self) -> bool {
        false
    }
}
