//! A client: connects, negotiates an export, then sends requests and receives replies, on two threads where wanted.

use std::io::{self, IoSlice, Read, Write};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use thiserror::Error;

use crate::address::{Address, Server};
use crate::wire::{
    self, BlockSize, Command, Malformed, Request, SimpleReply, decode_greeting, handshake_flags, info,
    option, option_reply,
};

/// How long to wait for a server that owes something and sends nothing, unless the caller says otherwise.
pub const PATIENCE: Duration = Duration::from_secs(30);
/// Parts of the patience after each of which a receiver looks whether anything is owed.
const LOOKS: u32 = 10;

/// Why there is no connection.
#[derive(Debug, Error)]
pub enum ClientError {
    /// The server cannot be reached, does not answer, or closed the connection.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The server does not speak the protocol.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// It speaks an older one, or breaks the order of the handshake.
    #[error("the server does not speak the fixed newstyle protocol")]
    NotFixedNewstyle,
    /// It refused the export.
    #[error("the server refuses the export (reply {kind:#x}): {message}")]
    Refused {
        /// Of [`option_reply`].
        kind: u32,
        /// The server's words.
        message: String,
    },
}

/// What the server said of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Export {
    /// Bytes.
    pub size: u64,
    /// [`wire::transmission_flags`].
    pub flags: u16,
    /// As told, else what the protocol assumes: 1 byte, 4 KiB, 32 MiB.
    pub block: BlockSize,
}

/// A connection in its transmission phase.
#[derive(Debug)]
pub struct Connection {
    /// The export.
    pub export: Export,
    stream: Stream,
}

impl Connection {
    /// Connects and negotiates the export with a server that sends something at least every `patience`.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn open(address: &Address, patience: Duration) -> Result<Self, ClientError> {
        let stream = Stream::connect(&address.server, patience)?;
        stream.set_timeout(patience)?;
        Self::negotiate(stream, &address.export).map_err(|error| match error {
            // What the system says of a read that took too long is that it should be tried again.
            ClientError::Io(error) if is_timeout(&error) => ClientError::Io(silence()),
            other => other,
        })
    }

    fn negotiate(mut stream: Stream, export: &str) -> Result<Self, ClientError> {
        let mut greeting = [0; wire::GREETING_LEN];
        stream.read_exact(&mut greeting)?;
        let flags = decode_greeting(&greeting)?;
        if flags & handshake_flags::FIXED_NEWSTYLE == 0 {
            return Err(ClientError::NotFixedNewstyle);
        }
        let flags = flags & (handshake_flags::FIXED_NEWSTYLE | handshake_flags::NO_ZEROES);
        stream.write_all(&wire::encode_client_flags(flags))?;
        let data = wire::encode_info_request(export, &[info::BLOCK_SIZE]);
        stream.write_all(&wire::encode_option(option::GO, &data))?;
        let export = go(&mut stream)?;
        Ok(Self { export, stream })
    }

    /// The two directions, which may live on two threads. The receiver waits at least `patience`, and at most a tenth
    /// more, for a server that owes something and sends nothing.
    ///
    /// # Errors
    /// The operating system gives no second handle.
    pub fn split(self, patience: Duration) -> io::Result<(Sender, Receiver)> {
        self.stream.set_timeout((patience / LOOKS).max(Duration::from_millis(1)))?;
        let other = self.stream.try_clone()?;
        Ok((Sender(self.stream), Receiver(other)))
    }
}

/// Replies to `GO`, until the export is granted.
fn go(stream: &mut Stream) -> Result<Export, ClientError> {
    let mut known = None;
    let mut block = BlockSize { minimum: 1, preferred: 4096, maximum: wire::MAX_PAYLOAD };
    loop {
        let mut header = [0; wire::OPTION_REPLY_LEN];
        stream.read_exact(&mut header)?;
        let reply = wire::decode_option_reply(&header)?;
        let mut data = vec![0; reply.length as usize];
        stream.read_exact(&mut data)?;
        if reply.option != option::GO {
            return Err(ClientError::NotFixedNewstyle);
        }
        match reply.kind {
            option_reply::ACK => break,
            option_reply::INFO => match wire::info_type(&data)? {
                info::EXPORT => known = Some(wire::decode_info_export(&data)?),
                info::BLOCK_SIZE => block = wire::decode_info_block_size(&data)?,
                _ => {}
            },
            kind if option_reply::is_error(kind) => {
                let message = String::from_utf8_lossy(&data).into_owned();
                return Err(ClientError::Refused { kind, message });
            }
            _ => return Err(ClientError::NotFixedNewstyle),
        }
    }
    let (size, flags) = known.ok_or(ClientError::NotFixedNewstyle)?;
    Ok(Export { size, flags, block })
}

/// Sends requests.
#[derive(Debug)]
pub struct Sender(Stream);

impl Sender {
    /// Sends a request, with `data` of as many bytes as its payload has.
    ///
    /// # Errors
    /// The connection is broken.
    pub fn send(&mut self, request: &Request, data: &[u8]) -> io::Result<()> {
        let header = request.encode();
        debug_assert_eq!(data.len(), request.payload() as usize);
        // One call, so that no small packet goes ahead of the data.
        let sent = match self.0.write_vectored(&[IoSlice::new(&header), IoSlice::new(data)]) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => 0,
            sent => sent?,
        };
        if sent < header.len() {
            self.0.write_all(&header[sent..])?;
        }
        self.0.write_all(&data[sent.saturating_sub(header.len())..])
    }

    /// Tells the server that this client goes; there is no reply.
    ///
    /// # Errors
    /// The connection is broken.
    pub fn disconnect(&mut self) -> io::Result<()> {
        let command = Command::Disconnect as u16;
        self.send(&Request { flags: 0, command, cookie: 0, offset: 0, length: 0 }, &[])
    }

    /// Breaks the connection: whoever waits for a reply gets an error.
    pub fn break_off(&self) {
        // A connection that is broken already is what was wanted.
        let _ = self.0.shutdown();
    }
}

/// Receives replies.
#[derive(Debug)]
pub struct Receiver(Stream);

impl Receiver {
    /// The next reply. Where it answers a read without error, [`Self::data`] must follow. `owed`: whether the server
    /// owes a reply; without that it may be silent for as long as it likes.
    ///
    /// # Errors
    /// The connection is broken, the server sent something else (`InvalidData`), or nothing (`TimedOut`).
    pub fn receive(&mut self, owed: impl Fn() -> bool) -> io::Result<SimpleReply> {
        let mut header = [0; wire::REPLY_LEN];
        self.fill(&mut header, owed)?;
        SimpleReply::decode(&header).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
    }

    /// Fills `into` with the data that a read asked for.
    ///
    /// # Errors
    /// The connection is broken, or the server is silent (`TimedOut`).
    pub fn data(&mut self, into: &mut [u8]) -> io::Result<()> {
        self.fill(into, || true)
    }

    /// Breaks the connection: whoever sends gets an error.
    pub fn break_off(&self) {
        // A connection that is broken already is what was wanted.
        let _ = self.0.shutdown();
    }

    fn fill(&mut self, mut into: &mut [u8], owed: impl Fn() -> bool) -> io::Result<()> {
        let (mut due, mut silent) = (false, 0);
        while !into.is_empty() {
            match self.0.read(into) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(read) => {
                    into = &mut into[read..];
                    silent = 0;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if is_timeout(&error) => {
                    // No byte came meanwhile: what was owed when it began still is.
                    silent = if due { silent + 1 } else { 0 };
                    if silent == LOOKS {
                        return Err(silence());
                    }
                    due = owed();
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

fn silence() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "the server does not answer")
}

#[derive(Debug)]
enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Stream {
    fn connect(server: &Server, patience: Duration) -> io::Result<Self> {
        match server {
            Server::Unix(path) => UnixStream::connect(path).map(Self::Unix),
            Server::Tcp(host, port) => {
                let mut failure = io::ErrorKind::NotFound.into();
                for address in (host.as_str(), *port).to_socket_addrs()? {
                    match TcpStream::connect_timeout(&address, patience) {
                        Ok(stream) => {
                            stream.set_nodelay(true)?;
                            return Ok(Self::Tcp(stream));
                        }
                        Err(error) => failure = error,
                    }
                }
                Err(failure)
            }
        }
    }

    fn try_clone(&self) -> io::Result<Self> {
        match self {
            Self::Tcp(stream) => stream.try_clone().map(Self::Tcp),
            Self::Unix(stream) => stream.try_clone().map(Self::Unix),
        }
    }

    fn set_timeout(&self, limit: Duration) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => stream.set_read_timeout(Some(limit)),
            Self::Unix(stream) => stream.set_read_timeout(Some(limit)),
        }
    }

    fn shutdown(&self) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => stream.shutdown(Shutdown::Both),
            Self::Unix(stream) => stream.shutdown(Shutdown::Both),
        }
    }
}

impl Read for Stream {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.read(into),
            Self::Unix(stream) => stream.read(into),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.write(from),
            Self::Unix(stream) => stream.write(from),
        }
    }

    fn write_vectored(&mut self, from: &[IoSlice<'_>]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.write_vectored(from),
            Self::Unix(stream) => stream.write_vectored(from),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
