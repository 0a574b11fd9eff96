//! Where an export is: `nbd://HOST:PORT/EXPORT` and `nbd+unix:///EXPORT?socket=PATH`
//! (<https://github.com/NetworkBlockDevice/nbd/blob/master/doc/uri.md>).

use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use thiserror::Error;

/// The port of NBD where an address names none.
pub const DEFAULT_PORT: u16 = 10809;

/// A server and one of its exports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// The server.
    pub server: Server,
    /// The export's name; empty for the default one.
    pub export: String,
}

/// Where a server listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Server {
    /// TCP: host (an IPv6 address without brackets) and port.
    Tcp(String, u16),
    /// A Unix socket.
    Unix(PathBuf),
}

/// An address that is none; the message says what is accepted.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}; nbd://HOST[:PORT]/EXPORT and nbd+unix:///EXPORT?socket=PATH are accepted")]
pub struct AddressError(&'static str);

impl Address {
    /// Reads an address.
    ///
    /// # Errors
    /// It is of another form.
    pub fn parse(uri: &str) -> Result<Self, AddressError> {
        if let Some(rest) = uri.strip_prefix("nbd+unix://") {
            let Some((export, query)) = rest.split_once('?') else {
                return Err(AddressError("the address names no socket"));
            };
            let export = export.strip_prefix('/').ok_or(AddressError("a Unix socket has no host"))?;
            let socket = query.strip_prefix("socket=").filter(|path| !path.is_empty() && !path.contains('&'));
            let socket = socket.ok_or(AddressError("the address must end with ?socket=PATH"))?;
            return Ok(Self { server: Server::Unix(decoded(socket)?.into()), export: decoded(export)? });
        }
        let rest = uri.strip_prefix("nbd://").ok_or(AddressError("this is no address of an NBD export"))?;
        if rest.contains('?') {
            return Err(AddressError("nbd:// takes no ?option"));
        }
        let (server, export) = rest.split_once('/').unwrap_or((rest, ""));
        let (host, port) = match server.strip_prefix('[') {
            Some(six) => {
                let (host, port) = six.split_once(']').ok_or(AddressError("a bracket is not closed"))?;
                (host, if port.is_empty() { None } else { Some(port.strip_prefix(':').unwrap_or("none")) })
            }
            None => server.rsplit_once(':').map_or((server, None), |(host, port)| (host, Some(port))),
        };
        if host.is_empty() {
            return Err(AddressError("the address names no host"));
        }
        let port = port.map_or(Ok(DEFAULT_PORT), |port| {
            port.parse().map_err(|_| AddressError("the port is no number up to 65535"))
        })?;
        Ok(Self { server: Server::Tcp(host.to_owned(), port), export: decoded(export)? })
    }
}

/// As [`Address::parse`] reads it. A socket's path must be UTF-8.
impl fmt::Display for Address {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let export = Encoded(self.export.as_bytes());
        match &self.server {
            Server::Unix(path) => {
                write!(to, "nbd+unix:///{export}?socket={}", Encoded(path.as_os_str().as_bytes()))
            }
            Server::Tcp(host, port) if host.contains(':') => write!(to, "nbd://[{host}]:{port}/{export}"),
            Server::Tcp(host, port) => write!(to, "nbd://{host}:{port}/{export}"),
        }
    }
}

/// Bytes with percent encoding: of all but what an address may hold as it is (RFC 3986, unreserved), and slashes.
struct Encoded<'a>(&'a [u8]);

impl fmt::Display for Encoded<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|&byte| match byte {
            b'-' | b'.' | b'_' | b'~' | b'/' => write!(to, "{}", char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => write!(to, "{}", char::from(byte)),
            byte => write!(to, "%{byte:02X}"),
        })
    }
}

/// Without percent encoding.
fn decoded(text: &str) -> Result<String, AddressError> {
    const WRONG: AddressError = AddressError("a % is not followed by two hexadecimal digits of UTF-8");
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, behind)) = rest.split_first() {
        rest = behind;
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let (digits, behind) = rest.split_first_chunk::<2>().ok_or(WRONG)?;
        let digit = |digit: u8| char::from(digit).to_digit(16).ok_or(WRONG);
        bytes.push((digit(digits[0])? * 16 + digit(digits[1])?) as u8);
        rest = behind;
    }
    String::from_utf8(bytes).map_err(|_| WRONG)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_both_kinds() {
        let tcp = |uri: &str| Address::parse(uri).unwrap();
        assert_eq!(
            tcp("nbd://host/a%20b"),
            Address { server: Server::Tcp("host".into(), 10809), export: "a b".into() }
        );
        assert_eq!(tcp("nbd://127.0.0.1:99").server, Server::Tcp("127.0.0.1".into(), 99));
        assert_eq!(tcp("nbd://[::1]:99/x").server, Server::Tcp("::1".into(), 99));
        assert_eq!(tcp("nbd://[::1]/x").server, Server::Tcp("::1".into(), 10809));
        let unix = tcp("nbd+unix:///pool?socket=/run/a.sock");
        assert_eq!(unix, Address { server: Server::Unix("/run/a.sock".into()), export: "pool".into() });
    }

    #[test]
    fn an_address_is_read_as_it_is_written() {
        let tcp = |host: &str, port: u16| Server::Tcp(host.into(), port);
        let unix = |path: &str| Server::Unix(path.into());
        for (server, export, written) in [
            (tcp("127.0.0.1", 10809), "pool", "nbd://127.0.0.1:10809/pool"),
            (tcp("::1", 99), "a b", "nbd://[::1]:99/a%20b"),
            (unix("/run/a.sock"), "", "nbd+unix:///?socket=/run/a.sock"),
            (unix("/my files/50%&?.sock"), "ä", "nbd+unix:///%C3%A4?socket=/my%20files/50%25%26%3F.sock"),
        ] {
            let address = Address { server, export: export.into() };
            assert_eq!(address.to_string(), written);
            assert_eq!(Address::parse(written), Ok(address));
        }
    }

    #[test]
    fn what_is_none_is_refused() {
        for uri in [
            "/dev/sda",
            "nbd://",
            "nbd://host:99999/",
            "nbd://host:x/",
            "nbd://[::1",
            "nbd://[::1]99/",
            "nbd://host/%f",
            "nbd://host/%ff",
            "nbd://host/a?tls=1",
            "nbd+unix:///a",
            "nbd+unix:///a?socket=",
            "nbd+unix://host/a?socket=/s",
        ] {
            assert!(Address::parse(uri).is_err(), "{uri}");
        }
    }
}
