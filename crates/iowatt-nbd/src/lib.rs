//! The NBD protocol (<https://github.com/NetworkBlockDevice/nbd/blob/master/doc/proto.md>): fixed newstyle
//! handshake, simple replies.
//!
//! [`wire`] turns messages into bytes and back, for client and server, and does no I/O. [`client`] connects to an
//! [`address`].

pub mod address;
pub mod client;
pub mod wire;
