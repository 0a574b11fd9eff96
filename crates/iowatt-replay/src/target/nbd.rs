//! An NBD export: the pacing thread sends, one thread for each connection receives. Requests go round the connections.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use iowatt_nbd::client::{Connection, Receiver, Sender};
use iowatt_nbd::wire::{Command, Request};

use crate::board::Board;
use crate::buffers::Written;
use crate::target::Target;
use crate::work::{Io, Work};

pub(super) struct Nbd {
    board: Arc<Board>,
    written: Written,
    lines: Vec<Line>,
    next: usize,
}

/// A connection.
struct Line {
    sender: Sender,
    pending: Arc<Pending>,
    thread: Option<JoinHandle<()>>,
}

/// What was sent on a connection and is not answered. Whoever takes a request out of it reports it, once.
struct Pending(Mutex<Requests>);

struct Requests {
    sent: Vec<(u64, Io)>,
    broken: bool,
}

impl Pending {
    fn locked(&self) -> MutexGuard<'_, Requests> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the connection can take a request.
    fn put(&self, number: u64, io: Io) -> bool {
        let mut requests = self.locked();
        if !requests.broken {
            requests.sent.push((number, io));
        }
        !requests.broken
    }

    fn take(&self, number: u64) -> Option<Io> {
        let mut requests = self.locked();
        let at = requests.sent.iter().position(|(sent, _)| *sent == number)?;
        Some(requests.sent.swap_remove(at).1)
    }

    /// Whether an answer is owed.
    fn any(&self) -> bool {
        !self.locked().sent.is_empty()
    }

    /// The connection is broken: what is not answered fails, and so does all that is to come.
    fn fail(&self, board: &Board, error: i32) {
        let mut requests = self.locked();
        requests.broken = true;
        for (number, _) in requests.sent.drain(..) {
            board.done(number, error);
        }
    }
}

impl Nbd {
    pub(super) fn start(
        connections: Vec<Connection>,
        work: &Work,
        board: &Arc<Board>,
        depth: usize,
        patience: Duration,
    ) -> io::Result<Self> {
        let written = Written::new(work.longest(true));
        let mut nbd = Self { board: Arc::clone(board), written, lines: vec![], next: 0 };
        for connection in connections {
            let (sender, receiver) = connection.split(patience)?;
            let requests = Requests { sent: Vec::with_capacity(depth), broken: false };
            let pending = Arc::new(Pending(Mutex::new(requests)));
            let (theirs, their_board) = (Arc::clone(&pending), Arc::clone(board));
            let memory = vec![0; work.longest(false) as usize];
            let name = std::thread::Builder::new().name("iowatt-nbd".into());
            let thread = name.spawn(move || receive(receiver, memory, &theirs, &their_board))?;
            nbd.lines.push(Line { sender, pending, thread: Some(thread) });
        }
        Ok(nbd)
    }
}

fn receive(mut receiver: Receiver, mut memory: Vec<u8>, pending: &Pending, board: &Board) {
    loop {
        let error = match answer(&mut receiver, &mut memory, pending, board) {
            Ok(()) => continue,
            Err(error) => number_of(&error, libc::ECONNRESET),
        };
        pending.fail(board, error);
        // The pacing thread may be held by a server that takes no bytes.
        return receiver.break_off();
    }
}

/// The system's number of an error, or `otherwise`.
fn number_of(error: &io::Error, otherwise: i32) -> i32 {
    match error.kind() {
        io::ErrorKind::TimedOut => libc::ETIMEDOUT,
        _ => error.raw_os_error().unwrap_or(otherwise),
    }
}

fn answer(receiver: &mut Receiver, memory: &mut [u8], pending: &Pending, board: &Board) -> io::Result<()> {
    let reply = receiver.receive(|| pending.any())?;
    // A reply that nobody waits for: what follows it cannot be known.
    let io = pending.take(reply.cookie).ok_or(io::ErrorKind::InvalidData)?;
    if !io.write && reply.error == 0 {
        let data = receiver.data(&mut memory[..io.size as usize]);
        if let Err(error) = data {
            board.done(reply.cookie, number_of(&error, libc::ECONNRESET));
            return Err(error);
        }
    }
    board.done(reply.cookie, i32::try_from(reply.error).unwrap_or(libc::EIO));
    Ok(())
}

impl Target for Nbd {
    fn begin(&mut self, number: u64, io: Io) {
        self.board.sent(number);
        let at = self.next;
        self.next = (at + 1) % self.lines.len();
        let line = &mut self.lines[at];
        if !line.pending.put(number, io) {
            return self.board.done(number, libc::ENOTCONN);
        }
        let command = if io.write { Command::Write } else { Command::Read } as u16;
        let request = Request { flags: 0, command, cookie: number, offset: io.offset, length: io.size };
        let data = if io.write { self.written.of(number, io.size) } else { &[] };
        // A server that takes no bytes holds the pacing thread here: that is overload, and is seen as lateness, until
        // the receiving thread loses its patience.
        if let Err(error) = line.sender.send(&request, data) {
            // Part of it may have been sent: the connection is of no further use.
            line.sender.break_off();
            line.pending.fail(&self.board, number_of(&error, libc::EPIPE));
        }
    }

    fn abandon(&mut self) {
        for line in &self.lines {
            line.sender.break_off();
        }
    }
}

impl Drop for Nbd {
    fn drop(&mut self) {
        for line in &mut self.lines {
            // The server may be gone: then there is nobody to say good-bye to.
            let _ = line.sender.disconnect();
            line.sender.break_off();
            if let Some(thread) = line.thread.take() {
                // A thread that panicked has left its requests in flight, which the replay reports.
                let _ = thread.join();
            }
        }
    }
}
