//! A volume as an NBD export, on a Unix socket or TCP.
//!
//! Each connection has a few threads. One of them reads the next request, lets the next thread read, and does the request's
//! first transfer itself: at depth 1 no thread waits for another, and at depth there are as many at work as a connection has.

mod connection;
mod discard;
mod handshake;
mod socket;

pub use socket::Listener;

use crate::driver::Driver;
use connection::converse;
use socket::Socket;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

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
