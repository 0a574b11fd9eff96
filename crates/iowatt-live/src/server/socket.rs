//! Unix sockets and TCP connections behind one contract.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::net::{UnixListener, UnixStream};

/// A connected socket.
pub(super) trait Socket: Read + Write + Send + Sync {
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
    pub(super) fn accept(&self) -> io::Result<Box<dyn Socket>> {
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
