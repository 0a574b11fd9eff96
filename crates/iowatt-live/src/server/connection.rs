//! A connection: requests in, answers out, by a few threads.

use super::discard::Steps;
use super::handshake::{Replies, bad, negotiate};
use super::lock;
use super::socket::Socket;
use crate::driver::{Driver, Failure, Host, Work};
use iowatt_nbd::wire::{self, Chunk, Command, NbdError, SimpleReply};
use std::io::{self, Read, Write};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// Threads of a connection.
const THREADS: usize = 8;

/// Does what the client at `socket` asks for, until it leaves.
pub(super) fn converse(driver: &Arc<Driver>, name: &str, mut socket: Box<dyn Socket>) -> io::Result<()> {
    let Some(replies) = negotiate(driver.capacity_bytes(), name, &mut *socket)? else { return Ok(()) };
    let connection = Arc::new(Connection {
        reader: Mutex::new(Reader { socket: socket.twin()?, ended: false }),
        writer: Mutex::new(socket),
        replies,
        in_flight: Mutex::new(0),
        idle: Condvar::new(),
    });
    let threads: Vec<_> = (1..THREADS)
        .map(|_| {
            let (driver, connection) = (Arc::clone(driver), Arc::clone(&connection));
            std::thread::Builder::new().spawn(move || connection.work(&driver))
        })
        .collect::<io::Result<_>>()?;
    connection.work(driver);
    for thread in threads {
        let _ = thread.join();
    }
    let mut left = lock(&connection.in_flight);
    while *left > 0 {
        left = connection.idle.wait(left).unwrap_or_else(PoisonError::into_inner);
    }
    drop(left);
    lock(&connection.writer).shut();
    Ok(())
}

struct Reader {
    socket: Box<dyn Socket>,
    /// No request follows.
    ended: bool,
}

struct Connection {
    reader: Mutex<Reader>,
    writer: Mutex<Box<dyn Socket>>,
    replies: Replies,
    in_flight: Mutex<usize>,
    idle: Condvar,
}

impl Host for Connection {
    fn answer(&self, cookie: u64, outcome: Result<Vec<u8>, Failure>) {
        let error = outcome.as_ref().err().map_or(0, |&failure| number(failure));
        self.send(&SimpleReply { error, cookie }.encode(), &outcome.unwrap_or_default());
        self.answered();
    }
}

/// A read whose answer is structured.
struct StructuredRead {
    connection: Arc<Connection>,
    offset: u64,
}

impl Host for StructuredRead {
    fn answer(&self, cookie: u64, outcome: Result<Vec<u8>, Failure>) {
        let (chunk, data) = match outcome {
            Ok(data) if data.is_empty() => (Chunk::None, data),
            Ok(data) => (Chunk::Data { offset: self.offset, bytes: data.len() as u32 }, data),
            Err(failure) => (Chunk::Error(number(failure)), Vec::new()),
        };
        self.connection.send(&chunk.encode(cookie), &data);
        self.connection.answered();
    }
}

fn number(failure: Failure) -> u32 {
    match failure {
        Failure::Io => NbdError::Io.number(),
        Failure::NoSpace => NbdError::NoSpace.number(),
        Failure::Range => NbdError::Invalid.number(),
    }
}

impl Connection {
    fn answered(&self) {
        *lock(&self.in_flight) -= 1;
        self.idle.notify_all();
    }

    fn send(&self, header: &[u8], data: &[u8]) {
        let mut writer = lock(&self.writer);
        let outcome = if data.is_empty() {
            writer.write_all(header)
        } else {
            let mut both = [io::IoSlice::new(header), io::IoSlice::new(data)];
            let mut left = &mut both[..];
            loop {
                match writer.write_vectored(left) {
                    Ok(0) => break Err(io::ErrorKind::WriteZero.into()),
                    Ok(written) => {
                        io::IoSlice::advance_slices(&mut left, written);
                        if left.is_empty() {
                            break Ok(());
                        }
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => break Err(error),
                }
            }
        };
        if outcome.is_err() {
            writer.shut(); // the reader then ends, too
        }
    }

    /// A thread of the connection: requests, one after the other, until there are no more.
    fn work(self: &Arc<Self>, driver: &Driver) {
        loop {
            let mut reader = lock(&self.reader);
            if reader.ended {
                return;
            }
            let next = self.next(&mut reader);
            reader.ended = !matches!(next, Ok(Some(_)));
            drop(reader);
            let Ok(Some((request, data))) = next else { return };
            self.take(driver, &request, data);
        }
    }

    /// The next request, and the data of a write.
    fn next(&self, reader: &mut Reader) -> io::Result<Option<(wire::Request, Vec<u8>)>> {
        let mut header = [0; wire::REQUEST_LEN];
        reader.socket.read_exact(&mut header)?;
        let request = wire::Request::decode(&header).map_err(bad)?;
        if request.command == Command::Disconnect as u16 {
            return Ok(None);
        }
        if request.payload() > wire::MAX_PAYLOAD {
            return Ok(None);
        }
        let mut data = vec![0; request.payload() as usize];
        reader.socket.read_exact(&mut data)?;
        *lock(&self.in_flight) += 1;
        Ok(Some((request, data)))
    }

    fn take(self: &Arc<Self>, driver: &Driver, request: &wire::Request, data: Vec<u8>) {
        let (at, bytes, cookie) = (request.offset, u64::from(request.length), request.cookie);
        let structured = self.replies == Replies::Structured;
        let host: Arc<dyn Host> = if structured && request.command == Command::Read as u16 {
            Arc::new(StructuredRead { connection: Arc::clone(self), offset: at })
        } else {
            Arc::<Self>::clone(self)
        };
        let durable = request.flags & wire::command_flags::FUA != 0;
        let whole = if structured { wire::command_flags::DF } else { 0 };
        let known = wire::command_flags::FUA | wire::command_flags::NO_HOLE | whole;
        let command = Command::of(request.command).filter(|_| request.flags & !known == 0);
        let beyond = at.checked_add(bytes).is_none_or(|end| end > driver.capacity_bytes());
        match command {
            Some(Command::Flush) => driver.submit(Work::Flush, &host, cookie),
            Some(Command::Write) if beyond => host.answer(cookie, Err(Failure::NoSpace)),
            Some(Command::Read) if bytes > u64::from(wire::MAX_PAYLOAD) => {
                host.answer(cookie, Err(Failure::Range));
            }
            Some(Command::Read | Command::Trim | Command::WriteZeroes) if beyond => {
                host.answer(cookie, Err(Failure::Range));
            }
            Some(Command::Read) => driver.submit(Work::Read { at, bytes }, &host, cookie),
            Some(Command::Write) => {
                driver.submit(Work::Write { at, data: Arc::new(data), durable }, &host, cookie);
            }
            Some(Command::Trim | Command::WriteZeroes) => {
                // Zeroes that may be a hole are given up; those that must not be one are written.
                let trim =
                    command == Some(Command::Trim) || request.flags & wire::command_flags::NO_HOLE == 0;
                Steps::begin(driver, host, cookie, (at, at + bytes), (trim, durable));
            }
            _ => host.answer(cookie, Err(Failure::Range)),
        }
    }
}
