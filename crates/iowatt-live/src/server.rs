//! A volume as an NBD export, on a Unix socket or TCP.
//!
//! Each connection has a few threads. One of them reads the next request, lets the next thread read, and does the request's
//! first transfer itself: at depth 1 no thread waits for another, and at depth there are as many at work as a connection has.

use crate::driver::{Driver, Failure, Host, Work};
use iowatt_nbd::wire::{self, BlockSize, Command, Malformed, NbdError, SimpleReply};
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// Threads of a connection.
const THREADS: usize = 8;

/// Bytes that are discarded or zeroed at a time.
const STEP: u64 = 32 << 20;

/// A connected socket.
trait Socket: Read + Write + Send + Sync {
    fn twin(&self) -> io::Result<Box<dyn Socket>>;
    fn shut(&self);
}

impl Socket for UnixStream {
    fn twin(&self) -> io::Result<Box<dyn Socket>> {
        Ok(Box::new(self.try_clone()?))
    }

    fn shut(&self) {
        let _ = self.shutdown(Shutdown::Both);
    }
}

impl Socket for TcpStream {
    fn twin(&self) -> io::Result<Box<dyn Socket>> {
        Ok(Box::new(self.try_clone()?))
    }

    fn shut(&self) {
        let _ = self.shutdown(Shutdown::Both);
    }
}

/// Where clients connect.
#[derive(Debug)]
pub enum Listener {
    /// On a Unix socket.
    Unix(UnixListener),
    /// On a TCP port.
    Tcp(TcpListener),
}

impl Listener {
    fn accept(&self) -> io::Result<Box<dyn Socket>> {
        match self {
            Self::Unix(listener) => Ok(Box::new(listener.accept()?.0)),
            Self::Tcp(listener) => {
                let (stream, _) = listener.accept()?;
                stream.set_nodelay(true)?;
                Ok(Box::new(stream))
            }
        }
    }
}

/// Connected clients, and whether the server is to end.
#[derive(Default)]
pub struct Clients {
    open: Mutex<Vec<(usize, Box<dyn Socket>)>>,
    next: AtomicUsize,
    closing: AtomicBool,
}

impl Clients {
    /// How many are connected.
    #[must_use]
    pub fn count(&self) -> usize {
        lock(&self.open).len()
    }

    /// Disconnects all, and lets [`serve`] end with its next connection attempt.
    pub fn close(&self) {
        self.closing.store(true, Ordering::Release);
        lock(&self.open).iter().for_each(|(_, socket)| socket.shut());
    }

    /// Waits until none is connected, `most` at most.
    pub fn wait_gone(&self, most: std::time::Duration) {
        let until = std::time::Instant::now() + most;
        while self.count() > 0 && std::time::Instant::now() < until {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Serves a volume under a name to whoever connects, until [`Clients::close`].
///
/// # Errors
/// What the listener says.
pub fn serve(
    driver: &Arc<Driver>,
    name: &str,
    listener: &Listener,
    clients: &Arc<Clients>,
) -> io::Result<()> {
    loop {
        let socket = match listener.accept() {
            Ok(socket) => socket,
            Err(_) if clients.closing.load(Ordering::Acquire) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => continue,
            Err(error) => return Err(error),
        };
        if clients.closing.load(Ordering::Acquire) {
            return Ok(());
        }
        let number = clients.next.fetch_add(1, Ordering::Relaxed);
        lock(&clients.open).push((number, socket.twin()?));
        let (driver, clients, name) = (Arc::clone(driver), Arc::clone(clients), name.to_owned());
        std::thread::Builder::new().name(format!("nbd {number}")).spawn(move || {
            // A client that breaks the protocol, or goes away, ends its own connection only.
            let _ = converse(&driver, &name, socket);
            drop(driver); // before the connection counts as gone: then nothing keeps the stores any more
            lock(&clients.open).retain(|(other, _)| *other != number);
        })?;
    }
}

fn converse(driver: &Arc<Driver>, name: &str, mut socket: Box<dyn Socket>) -> io::Result<()> {
    if !negotiate(driver.capacity_bytes(), name, &mut *socket)? {
        return Ok(());
    }
    let connection = Arc::new(Connection {
        reader: Mutex::new(Reader { socket: socket.twin()?, ended: false }),
        writer: Mutex::new(socket),
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

fn bad(error: Malformed) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}

/// The handshake; whether transmission follows.
fn negotiate(bytes: u64, name: &str, socket: &mut dyn Socket) -> io::Result<bool> {
    use wire::{handshake_flags, info, option, option_reply, transmission_flags as flag};
    let flags = flag::HAS_FLAGS
        | flag::SEND_FLUSH
        | flag::SEND_FUA
        | flag::SEND_TRIM
        | flag::SEND_WRITE_ZEROES
        | flag::CAN_MULTI_CONN;
    socket.write_all(&wire::encode_greeting(handshake_flags::FIXED_NEWSTYLE | handshake_flags::NO_ZEROES))?;
    let mut client = [0; wire::CLIENT_FLAGS_LEN];
    socket.read_exact(&mut client)?;
    let client = wire::decode_client_flags(&client).map_err(bad)?;
    loop {
        let mut header = [0; wire::OPTION_LEN];
        socket.read_exact(&mut header)?;
        let header = wire::decode_option(&header).map_err(bad)?;
        let reply = |kind: u32, data: &[u8]| (wire::encode_option_reply(header.option, kind, data), kind);
        if header.length > wire::MAX_OPTION_DATA {
            io::copy(&mut (&mut *socket as &mut dyn Read).take(u64::from(header.length)), &mut io::sink())?;
            let (bytes, _) = reply(option_reply::ERR_TOO_BIG, &[]);
            socket.write_all(&bytes)?;
            continue;
        }
        let mut data = vec![0; header.length as usize];
        socket.read_exact(&mut data)?;
        let mut answer = Vec::new();
        match header.option {
            option::EXPORT_NAME => {
                if !data.is_empty() && data != name.as_bytes() {
                    return Ok(false);
                }
                socket.write_all(&wire::encode_export_name_reply(bytes, flags))?;
                if client & handshake_flags::NO_ZEROES == 0 {
                    socket.write_all(&[0; wire::EXPORT_NAME_ZEROES])?;
                }
                return Ok(true);
            }
            option::ABORT => {
                let (bytes, _) = reply(option_reply::ACK, &[]);
                socket.write_all(&bytes)?;
                return Ok(false);
            }
            option::LIST if data.is_empty() => {
                answer.extend(reply(option_reply::SERVER, &wire::encode_server(name)).0);
                answer.extend(reply(option_reply::ACK, &[]).0);
            }
            option::INFO | option::GO => match wire::decode_info_request(&data) {
                Ok(request) if request.name.is_empty() || request.name == name => {
                    answer.extend(reply(option_reply::INFO, &wire::encode_info_export(bytes, flags)).0);
                    if request.wants.contains(&info::BLOCK_SIZE) {
                        let size = BlockSize { minimum: 1, preferred: 4096, maximum: wire::MAX_PAYLOAD };
                        answer.extend(reply(option_reply::INFO, &wire::encode_info_block_size(size)).0);
                    }
                    answer.extend(reply(option_reply::ACK, &[]).0);
                    if header.option == option::GO {
                        socket.write_all(&answer)?;
                        return Ok(true);
                    }
                }
                Ok(_) => answer.extend(reply(option_reply::ERR_UNKNOWN, &[]).0),
                Err(_) => answer.extend(reply(option_reply::ERR_INVALID, &[]).0),
            },
            option::LIST => answer.extend(reply(option_reply::ERR_INVALID, &[]).0),
            _ => answer.extend(reply(option_reply::ERR_UNSUP, &[]).0),
        }
        socket.write_all(&answer)?;
    }
}

struct Reader {
    socket: Box<dyn Socket>,
    /// No request follows.
    ended: bool,
}

struct Connection {
    reader: Mutex<Reader>,
    writer: Mutex<Box<dyn Socket>>,
    in_flight: Mutex<usize>,
    idle: Condvar,
}

impl Host for Connection {
    fn answer(&self, cookie: u64, outcome: Result<Vec<u8>, Failure>) {
        let error = match &outcome {
            Ok(_) => 0,
            Err(Failure::Io) => NbdError::Io.number(),
            Err(Failure::NoSpace) => NbdError::NoSpace.number(),
            Err(Failure::Range) => NbdError::Invalid.number(),
        };
        self.send(&SimpleReply { error, cookie }.encode(), &outcome.unwrap_or_default());
        *lock(&self.in_flight) -= 1;
        self.idle.notify_all();
    }
}

impl Connection {
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
        let host: Arc<dyn Host> = Arc::<Self>::clone(self);
        let (at, bytes, cookie) = (request.offset, u64::from(request.length), request.cookie);
        let durable = request.flags & wire::command_flags::FUA != 0;
        let known = wire::command_flags::FUA | wire::command_flags::NO_HOLE;
        let command = Command::of(request.command).filter(|_| request.flags & !known == 0);
        let beyond = at.checked_add(bytes).is_none_or(|end| end > driver.capacity_bytes());
        match command {
            Some(Command::Flush) => driver.submit(Work::Flush, &host, cookie),
            Some(Command::Write) if beyond => self.answer(cookie, Err(Failure::NoSpace)),
            Some(Command::Read) if bytes > u64::from(wire::MAX_PAYLOAD) => {
                self.answer(cookie, Err(Failure::Range));
            }
            Some(Command::Read | Command::Trim | Command::WriteZeroes) if beyond => {
                self.answer(cookie, Err(Failure::Range));
            }
            Some(Command::Read) => driver.submit(Work::Read { at, bytes }, &host, cookie),
            Some(Command::Write) => {
                driver.submit(Work::Write { at, data: Arc::new(data), durable }, &host, cookie);
            }
            Some(Command::Trim | Command::WriteZeroes) => {
                Steps::begin(driver, host, cookie, (at, at + bytes), durable);
            }
            _ => self.answer(cookie, Err(Failure::Range)),
        }
    }
}

/// A long discard, in steps.
struct Steps {
    host: Arc<dyn Host>,
    cookie: u64,
    left: Mutex<(u64, Option<Failure>)>,
}

impl Steps {
    fn begin(driver: &Driver, host: Arc<dyn Host>, cookie: u64, (from, until): (u64, u64), durable: bool) {
        let count = (until - from).div_ceil(STEP).max(1);
        let steps: Arc<dyn Host> = Arc::new(Self { host, cookie, left: Mutex::new((count, None)) });
        for step in 0..count {
            let at = from + step * STEP;
            let work = Work::Discard { at, bytes: STEP.min(until - at), durable };
            driver.submit(work, &steps, step);
        }
    }
}

impl Host for Steps {
    fn answer(&self, _step: u64, outcome: Result<Vec<u8>, Failure>) {
        let mut left = lock(&self.left);
        left.0 -= 1;
        left.1 = left.1.or(outcome.err());
        if left.0 == 0 {
            self.host.answer(self.cookie, left.1.map_or(Ok(Vec::new()), Err));
        }
    }
}
