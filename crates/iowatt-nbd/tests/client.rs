//! The client against a server of a few lines on a socket pair's end.
#![allow(clippy::unwrap_used)] // a test fails by panicking

use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixListener;
use std::thread::JoinHandle;
use std::time::Duration;

use iowatt_nbd::address::{Address, Server};
use iowatt_nbd::client::{ClientError, Connection, PATIENCE};
use iowatt_nbd::wire::{self, Command, Request, SimpleReply, handshake_flags, option, option_reply};

/// A server that greets, reads flags and one GO, and answers with `replies`; then it echoes: a read of n bytes gives n
/// times its cookie, anything else an error of number 28.
fn serve(name: &str, replies: Vec<Vec<u8>>) -> (Address, JoinHandle<String>) {
    let path = std::env::temp_dir().join(format!("iowatt-nbd-{}-{name}", std::process::id()));
    let listener = UnixListener::bind(&path).unwrap();
    let address = Address { server: Server::Unix(path.clone()), export: "disk".into() };
    let thread = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        std::fs::remove_file(path).unwrap();
        stream.write_all(&wire::encode_greeting(handshake_flags::FIXED_NEWSTYLE)).unwrap();
        let mut flags = [0; wire::CLIENT_FLAGS_LEN];
        stream.read_exact(&mut flags).unwrap();
        assert_eq!(wire::decode_client_flags(&flags), Ok(handshake_flags::FIXED_NEWSTYLE));
        let mut header = [0; wire::OPTION_LEN];
        stream.read_exact(&mut header).unwrap();
        let mut data = vec![0; wire::decode_option(&header).unwrap().length as usize];
        stream.read_exact(&mut data).unwrap();
        stream.write_all(&replies.concat()).unwrap();
        let mut request = [0; wire::REQUEST_LEN];
        while stream.read_exact(&mut request).is_ok() {
            let request = Request::decode(&request).unwrap();
            let mut payload = vec![0; request.payload() as usize];
            stream.read_exact(&mut payload).unwrap();
            match Command::of(request.command) {
                Some(Command::Disconnect) => break,
                Some(Command::Read) => {
                    stream.write_all(&SimpleReply { error: 0, cookie: request.cookie }.encode()).unwrap();
                    stream.write_all(&vec![request.cookie as u8; request.length as usize]).unwrap();
                }
                _ => stream.write_all(&SimpleReply { error: 28, cookie: request.cookie }.encode()).unwrap(),
            }
        }
        wire::decode_info_request(&data).unwrap().name
    });
    (address, thread)
}

fn granted() -> Vec<Vec<u8>> {
    let block = wire::BlockSize { minimum: 512, preferred: 4096, maximum: 1 << 20 };
    let reply = |kind, data: &[u8]| wire::encode_option_reply(option::GO, kind, data);
    vec![
        reply(option_reply::INFO, &wire::encode_info_export(1 << 20, 1)),
        reply(option_reply::INFO, &wire::encode_info_block_size(block)),
        reply(option_reply::ACK, &[]),
    ]
}

#[test]
fn requests_go_and_replies_come() {
    let (address, server) = serve("talk", granted());
    let connection = Connection::open(&address, PATIENCE).unwrap();
    assert_eq!((connection.export.size, connection.export.block.minimum), (1 << 20, 512));
    let (mut sender, mut receiver) = connection.split(PATIENCE).unwrap();
    let read = Request { flags: 0, command: Command::Read as u16, cookie: 7, offset: 0, length: 512 };
    sender.send(&read, &[]).unwrap();
    assert_eq!(receiver.receive(|| true).unwrap(), SimpleReply { error: 0, cookie: 7 });
    let mut data = [0; 512];
    receiver.data(&mut data).unwrap();
    assert_eq!(data, [7; 512]);
    // Longer than a socket's buffer, so that it goes out in parts.
    let long = vec![1; 4 << 20];
    let write = Request { command: Command::Write as u16, cookie: 8, length: long.len() as u32, ..read };
    sender.send(&write, &long).unwrap();
    assert_eq!(receiver.receive(|| true).unwrap(), SimpleReply { error: 28, cookie: 8 });
    sender.disconnect().unwrap();
    assert_eq!(server.join().unwrap(), "disk");
    assert!(receiver.receive(|| true).is_err(), "the server closed");
}

#[test]
fn an_export_that_is_refused_is_an_error() {
    let refusal = wire::encode_option_reply(option::GO, option_reply::ERR_UNKNOWN, b"no such export");
    let (address, server) = serve("refused", vec![refusal]);
    match Connection::open(&address, PATIENCE) {
        Err(ClientError::Refused { kind, message }) => {
            assert_eq!((kind, message.as_str()), (option_reply::ERR_UNKNOWN, "no such export"));
        }
        other => panic!("{other:?}"),
    }
    server.join().unwrap();
}

#[test]
fn an_acknowledgement_without_a_size_is_an_error() {
    let (address, server) =
        serve("sizeless", vec![wire::encode_option_reply(option::GO, option_reply::ACK, &[])]);
    assert!(matches!(Connection::open(&address, PATIENCE), Err(ClientError::NotFixedNewstyle)));
    server.join().unwrap();
}

#[test]
fn a_server_that_does_not_greet_is_unreachable() {
    let path = std::env::temp_dir().join(format!("iowatt-nbd-{}-mute", std::process::id()));
    // Connections lie in its queue, and nobody accepts them.
    let _listener = UnixListener::bind(&path).unwrap();
    let address = Address { server: Server::Unix(path.clone()), export: String::new() };
    match Connection::open(&address, Duration::from_millis(50)) {
        Err(ClientError::Io(error)) => assert_eq!(error.kind(), ErrorKind::TimedOut),
        other => panic!("{other:?}"),
    }
    std::fs::remove_file(path).unwrap();
}
