//! The handshake of NBD, newstyle: options until the client has chosen its export.

use super::socket::Socket;
use iowatt_nbd::wire::{self, BlockSize, Malformed};
use std::io::{self, Read};

pub(super) fn bad(error: Malformed) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}

/// How answers are sent after the handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Replies {
    Simple,
    /// Reads are answered in chunks.
    Structured,
}

/// The handshake; none where no transmission follows.
pub(super) fn negotiate(bytes: u64, name: &str, socket: &mut dyn Socket) -> io::Result<Option<Replies>> {
    use wire::{handshake_flags, info, option, option_reply, transmission_flags as flag};
    let simple = flag::HAS_FLAGS
        | flag::SEND_FLUSH
        | flag::SEND_FUA
        | flag::SEND_TRIM
        | flag::SEND_WRITE_ZEROES
        | flag::CAN_MULTI_CONN;
    socket.write_all(&wire::encode_greeting(handshake_flags::FIXED_NEWSTYLE | handshake_flags::NO_ZEROES))?;
    let mut client = [0; wire::CLIENT_FLAGS_LEN];
    socket.read_exact(&mut client)?;
    let client = wire::decode_client_flags(&client).map_err(bad)?;
    let mut replies = Replies::Simple;
    loop {
        // A read is one chunk, whether the client wants it so or not.
        let flags = if replies == Replies::Structured { simple | flag::SEND_DF } else { simple };
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
                    return Ok(None);
                }
                socket.write_all(&wire::encode_export_name_reply(bytes, flags))?;
                if client & handshake_flags::NO_ZEROES == 0 {
                    socket.write_all(&[0; wire::EXPORT_NAME_ZEROES])?;
                }
                return Ok(Some(replies));
            }
            option::ABORT => {
                let (bytes, _) = reply(option_reply::ACK, &[]);
                socket.write_all(&bytes)?;
                return Ok(None);
            }
            option::STRUCTURED_REPLY if data.is_empty() => {
                replies = Replies::Structured;
                answer.extend(reply(option_reply::ACK, &[]).0);
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
                        return Ok(Some(replies));
                    }
                }
                Ok(_) => answer.extend(reply(option_reply::ERR_UNKNOWN, &[]).0),
                Err(_) => answer.extend(reply(option_reply::ERR_INVALID, &[]).0),
            },
            option::LIST | option::STRUCTURED_REPLY => answer.extend(reply(option_reply::ERR_INVALID, &[]).0),
            _ => answer.extend(reply(option_reply::ERR_UNSUP, &[]).0),
        }
        socket.write_all(&answer)?;
    }
}
